//! `tree`: prints the moves played in a position.

use clap::{Args, ValueEnum};
use serde_json::Value;
use tabiya::{Query, Tree, TreeOrder, TreePosition, TreeSearch, TreeStats};

use super::{
    columns::{Columns, or_empty},
    common::{LimitArgs, RowFormat},
    databases::{self, Opened},
    failure::{Outcome, TextFault},
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

/// Names of the machine-readable fields.
const NAMES: [&str; 15] = [
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
];

pub(crate) fn run(args: &TreeArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let position = args.position.position()?;
    let (paths, words) = databases::split(&args.query)?;
    let query = query::read_with(words, &args.query)?;
    let games = TreeSearch::new(&position).query(&query).to_query();
    let options = databases::options().clone().for_query(&games);
    let databases = databases::open_all(&paths, &options)?;
    interrupt::watch();
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
    let Some(tree) = tree else {
        return Ok(Outcome::Nothing);
    };
    match args.format {
        _ if tree.is_empty() => {}
        RowFormat::Table => table(&tree, &args.most).print(out)?,
        RowFormat::Csv => records(&tree, &args.most, Records::csv(&NAMES, out)?)?,
        RowFormat::Jsonl => records(&tree, &args.most, Records::Jsonl(out))?,
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
fn table(tree: &Tree, most: &LimitArgs) -> Columns {
    let mut columns = Columns::new(&TITLES);
    for row in &tree.rows()[..most.of(tree.rows().len())] {
        columns.row(cells(&row.san, row.opening, &row.stats, tree.total()));
    }
    columns.row(cells("total", None, tree.total(), tree.total()));
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

pub(crate) fn percent_value(permille: u32) -> Value {
    Value::from(f64::from(permille) / 10.0)
}

/// Returns a mean with one decimal; null if there is none.
pub(crate) fn tenths(mean: Option<f64>) -> Value {
    Value::from(mean.map(|mean| (mean * 10.0).round() / 10.0))
}

pub(crate) fn percent(permille: u32) -> String {
    format!("{}.{}%", permille / 10, permille % 10)
}

/// Prints the rows. Missing values are null or empty; percentages and means have one decimal.
fn records(tree: &Tree, most: &LimitArgs, mut records: Records<'_>) -> anyhow::Result<()> {
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
        let fields: Vec<_> = NAMES.into_iter().zip(values).collect();
        records.row(&fields)?;
    }
    Ok(())
}
