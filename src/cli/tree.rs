//! `tree`: prints the moves played in a position.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use serde_json::Value;
use tabiya::{NextMove, Query, Tree, TreeOrder, TreePosition, TreeSearch, TreeStats};

use super::{
    book::{self, BESIDE_NAMES, Beside},
    columns::{Columns, or_empty},
    common::{LimitArgs, RowFormat},
    databases::{self, Opened},
    failure::{Outcome, TextFault, Usage},
    figures::{percent, percent_value, tenths},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query::{self, QueryArgs},
    render::Records,
    running::{self, RunArgs},
};

#[derive(Debug, Args)]
pub(crate) struct TreeArgs {
    /// Its words begin with the databases.
    #[command(flatten)]
    query: QueryArgs,

    #[command(flatten)]
    position: PositionArgs,

    /// How to print the moves; the table has a total, and a performance only from ten rated games
    /// on
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    format: RowFormat,

    #[command(flatten)]
    most: LimitArgs,

    /// How to sort the moves
    #[arg(long, value_enum, default_value_t = TreeSort::Games)]
    sort: TreeSort,

    /// Show beside the moves what an opening book has of them, and its other moves: .bin
    /// (PolyGlot), .abk (Arena) or .ctg (ChessBase)
    #[arg(long, value_name = "FILE")]
    book: Option<PathBuf>,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum TreeSort {
    /// Most games first
    Games,
    /// Best score for the side to move first
    Score,
    /// Highest average rating of the side to move first
    #[value(alias = "elo", alias = "avgelo")]
    Rating,
    /// By name
    Name,
}

/// The position that a command is about.
#[derive(Debug, Args)]
pub(crate) struct PositionArgs {
    /// The position; castling and en-passant rights do not count. The start unless given
    #[arg(long, value_name = "FEN")]
    fen: Option<String>,

    /// The position after these moves, such as "e4 e5 Nf3" or "1.e4 e5 2.Nf3"
    #[arg(long, value_name = "MOVES", conflicts_with = "fen")]
    moves: Option<String>,
}

impl PositionArgs {
    pub(crate) fn position(&self) -> anyhow::Result<TreePosition> {
        let (position, text) = match (&self.fen, &self.moves) {
            (Some(fen), _) => (TreePosition::from_fen(fen), fen),
            (None, Some(moves)) => (TreePosition::from_moves(moves), moves),
            (None, None) => return Ok(TreePosition::default()),
        };
        position.map_err(|fault| TextFault::of(text, fault).into())
    }
}

/// Least number of rated games for a performance in the table.
const RATED_GAMES_MIN: u64 = 10;

/// Titles of the columns.
const TITLES: [&str; 13] = [
    "move", "#games", "#share", "#white", "#draw", "#black", "#score", "#draws", "#elo", "#perf",
    "#year", "eco", "opening",
];

/// Titles of the columns with a book.
const TITLES_WITH_BOOK: [&str; 15] = [
    "move", "#games", "#share", "#book", "mark", "#white", "#draw", "#black", "#score", "#draws",
    "#elo", "#perf", "#year", "eco", "opening",
];

/// The column of the book.
const BOOK_COLUMN: usize = 3;

/// Names of the machine-readable fields; those of a book follow.
const NAMES: [&str; 22] = [
    "san",
    "uci",
    "games",
    "share",
    "white",
    "draw",
    "black",
    "score",
    "draws",
    "averageElo",
    "performance",
    "ratedGames",
    "averageYear",
    "eco",
    "opening",
    BESIDE_NAMES[0],
    BESIDE_NAMES[1],
    BESIDE_NAMES[2],
    BESIDE_NAMES[3],
    BESIDE_NAMES[4],
    BESIDE_NAMES[5],
    BESIDE_NAMES[6],
];

pub(crate) fn run(args: &TreeArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let position = args.position.position()?;
    if let Some(path) = book::alone(&args.query.words) {
        args.refuse_with_book_alone()?;
        return book::run_alone(path, &position, (args.format, &args.most), out);
    }
    let (paths, words) = databases::split(&args.query)?;
    book::refuse_in_query(words)?;
    let query = query::read_with(words, &args.query)?;
    let games = TreeSearch::new(&position).query(&query).to_query();
    let options = databases::options().clone().for_query(&games);
    let databases = databases::open_all(&paths, &options)?;
    interrupt::watch();
    let book = args.book.as_deref();
    let book = book.map(|path| Beside::open(path, &position)).transpose()?;
    let mut tree: Option<Tree> = None;
    for source in &databases {
        let (mut damaged, mut harmed) = (0, 0);
        for opened in source.parts() {
            let opened = opened?;
            let more = make(args, &position, &query, &opened)?;
            damaged += more.report().damaged;
            harmed += more.report().harmed;
            match &mut tree {
                Some(tree) => tree.add(more),
                None => tree = Some(more),
            }
        }
        databases::warn_of_damaged(source.path(), damaged);
        databases::warn_of_harmed(source.path(), harmed);
    }
    let Some(mut tree) = tree else {
        return Ok(Outcome::Nothing);
    };
    if let Some(book) = &book {
        tree.add_unplayed(book.rows(&position));
    }
    let book = book.as_ref();
    match args.format {
        _ if tree.is_empty() => {}
        RowFormat::Table => table(&tree, book, &args.most).print(out)?,
        RowFormat::Csv => records(&tree, book, &args.most, Records::csv(&NAMES, out)?)?,
        RowFormat::Jsonl => records(&tree, book, &args.most, Records::Jsonl(out))?,
    }
    out.finish()?;
    if !output::is_quiet() {
        let report = tree.report();
        let counts = [report.games, report.decoded, report.matched];
        output::summarize(&running::summary(counts, report.time));
        if tree.report().matched == 0 {
            running::hint(&query, databases::whole(&databases))?;
        }
    }
    Ok(Outcome::of_matches(!tree.is_empty()))
}

impl TreeArgs {
    /// Refuses what needs games.
    fn refuse_with_book_alone(&self) -> Result<(), Usage> {
        let needs_games = self.query.words.len() > 1
            || !self.query.more.is_empty()
            || self.query.query_file.is_some()
            || self.book.is_some()
            || self.run.variations
            || self.sort != TreeSort::Games;
        if needs_games {
            let message = "an opening book has no games to search or to sort; `tree BASE --book \
                           FILE` shows it beside those of a database";
            return Err(Usage(message.to_owned()));
        }
        Ok(())
    }
}

fn make(
    args: &TreeArgs,
    position: &TreePosition,
    query: &Query,
    opened: &Opened,
) -> anyhow::Result<Tree> {
    let mut progress = Progress::new("games");
    let tree = TreeSearch::new(position)
        .query(query)
        .variations(args.run.variations)
        .strategy(args.run.strategy())
        .order(match args.sort {
            TreeSort::Games => TreeOrder::Games,
            TreeSort::Score => TreeOrder::Score,
            TreeSort::Rating => TreeOrder::Rating,
            TreeSort::Name => TreeOrder::Name,
        })
        .on_progress(|at| progress.update(at))
        .run(&opened.database);
    progress.clear();
    interrupt::check()?;
    Ok(tree?)
}

/// Returns the rows and their total.
fn table(tree: &Tree, book: Option<&Beside>, most: &LimitArgs) -> Columns {
    let mut columns = match book {
        Some(_) => Columns::new(&TITLES_WITH_BOOK),
        None => Columns::new(&TITLES),
    };
    let mut add = |cells: [String; TITLES.len()], next: Option<NextMove>| {
        let mut cells = cells.to_vec();
        if let Some(book) = book {
            let more = next.map_or_else(Default::default, |next| book.cells(next));
            cells.splice(BOOK_COLUMN..BOOK_COLUMN, more);
        }
        columns.row(cells);
    };
    for row in &tree.rows()[..most.of(tree.rows().len())] {
        let cells = cells(&row.san, row.opening, &row.stats, tree.total());
        add(cells, Some(row.next));
    }
    add(cells("total", None, tree.total(), tree.total()), None);
    columns
}

fn cells(
    name: &str,
    opening: Option<&str>,
    stats: &TreeStats,
    all: &TreeStats,
) -> [String; TITLES.len()] {
    let rounded = |value: Option<f64>| or_empty(value.map(|value| format!("{value:.0}")));
    let is_telling = stats.rated_games() >= RATED_GAMES_MIN;
    let [games, share, white, draw, black, score] = count_cells(stats, all);
    [
        name.to_owned(),
        games,
        share,
        white,
        draw,
        black,
        score,
        percent(stats.draw_permille()),
        rounded(stats.average_rating()),
        rounded(stats.performance().filter(|_| is_telling)),
        rounded(stats.average_year()),
        or_empty(stats.eco()),
        or_empty(opening),
    ]
}

/// Returns the cells of a move that all tables of moves have: games, share, results and score.
pub(crate) fn count_cells(stats: &TreeStats, all: &TreeStats) -> [String; 6] {
    [
        stats.games().to_string(),
        percent(stats.share_permille(all)),
        stats.white_wins().to_string(),
        stats.draws().to_string(),
        stats.black_wins().to_string(),
        or_empty(stats.score_permille().map(percent)),
    ]
}

/// Returns the same as values. Missing ones are null; percentages have one decimal.
pub(crate) fn count_values(stats: &TreeStats, all: &TreeStats) -> [Value; 6] {
    [
        stats.games().into(),
        percent_value(stats.share_permille(all)),
        stats.white_wins().into(),
        stats.draws().into(),
        stats.black_wins().into(),
        stats.score_permille().map_or(Value::Null, percent_value),
    ]
}

/// Prints the rows. Missing values are null or empty; percentages and means have one decimal.
fn records(
    tree: &Tree,
    book: Option<&Beside>,
    most: &LimitArgs,
    mut records: Records<'_>,
) -> anyhow::Result<()> {
    for row in &tree.rows()[..most.of(tree.rows().len())] {
        let stats = &row.stats;
        let [games, share, white, draw, black, score] = count_values(stats, tree.total());
        let values = [
            row.san.as_str().into(),
            row.next.uci().into(),
            games,
            share,
            white,
            draw,
            black,
            score,
            percent_value(stats.draw_permille()),
            tenths(stats.average_rating()),
            tenths(stats.performance()),
            stats.rated_games().into(),
            tenths(stats.average_year()),
            stats.eco().map(|eco| eco.to_string()).into(),
            row.opening.into(),
        ];
        let none = || BESIDE_NAMES.map(|_| Value::Null);
        let more = book.map_or_else(none, |book| book.values(row.next));
        let fields: Vec<_> = NAMES
            .into_iter()
            .zip(values.into_iter().chain(more))
            .collect();
        records.row(&fields)?;
    }
    Ok(())
}
