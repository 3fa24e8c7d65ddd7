//! `tree`: what was played in a position.

use std::io::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use serde_json::Value;
use tabiya::{Database, Query, Tree, TreeOrder, TreePosition, TreeReport, TreeSearch, TreeStats};

use super::{
    args::{TreeArgs, TreeFormat, TreeSort},
    databases,
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query,
    render::Object,
    search,
};

/// Rated games below which a performance says too little for people.
const RATED_GAMES_MIN: u64 = 10;

/// Titles of the columns.
const TITLES: [&str; 12] = [
    "move", "games", "share", "white", "draw", "black", "score", "draws", "elo", "perf", "year",
    "eco",
];

pub(crate) fn run(args: &TreeArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let position = position(args)?;
    let query = query::read(&args.query)?;
    let database = databases::open(&args.database)?;
    search::prepare(&args.run)?;
    let tree = make(args, &position, &query, &database)?;
    if !tree.is_empty() {
        match args.format {
            TreeFormat::Table => out.write_all(table(&tree).as_bytes())?,
            TreeFormat::Jsonl => jsonl(&tree, out)?,
        }
    }
    out.finish()?;
    let report = tree.report();
    if report.damaged > 0 {
        let (path, damaged) = (database.path().display(), report.damaged);
        output::warn(&format!(
            "{path}: damaged games left out: {damaged}; `tabiya verify` lists them"
        ));
    }
    if !args.quiet {
        output::complain(&summary(report));
    }
    Ok(Outcome::of_matches(!tree.is_empty()))
}

fn position(args: &TreeArgs) -> anyhow::Result<TreePosition> {
    let position = match (&args.fen, &args.moves) {
        (Some(fen), _) => TreePosition::from_fen(fen),
        (None, Some(moves)) => TreePosition::from_moves(moves),
        (None, None) => Ok(TreePosition::default()),
    };
    position.map_err(|fault| Usage(fault.to_string()).into())
}

fn make(
    args: &TreeArgs,
    position: &TreePosition,
    query: &Query,
    database: &Database,
) -> anyhow::Result<Tree> {
    let mut progress = Progress::new("games");
    let tree = TreeSearch::new(position)
        .query(query)
        .variations(args.run.variations)
        .strategy(search::strategy(&args.run))
        .order(match args.sort {
            TreeSort::Games => TreeOrder::Games,
            TreeSort::Score => TreeOrder::Score,
            TreeSort::Rating => TreeOrder::Rating,
            TreeSort::Name => TreeOrder::Name,
        })
        .run_with_progress(database, |at| progress.update(at.done, at.total));
    progress.clear();
    interrupt::check()?;
    Ok(tree?)
}

fn summary(report: &TreeReport) -> String {
    format!(
        "{} games, {} decoded, {} matched, {:.3} s",
        report.games,
        report.decoded,
        report.matched,
        report.time.as_secs_f64(),
    )
}

/// Returns the rows and their sum in columns.
fn table(tree: &Tree) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(TITLES);
    let all = tree.total().games();
    for row in tree.rows() {
        table.add_row(cells(&row.san, &row.stats, all));
    }
    table.add_row(cells("total", tree.total(), all));
    let last = TITLES.len() - 1;
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if place > 0 && place < last {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let lines = table.lines();
    lines.fold(String::new(), |text, line| text + line.trim_end() + "\n")
}

fn cells(name: &str, stats: &TreeStats, all: u64) -> [String; TITLES.len()] {
    let rounded =
        |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.0}"));
    let is_telling = stats.rated_games() >= RATED_GAMES_MIN;
    [
        name.to_owned(),
        stats.games().to_string(),
        percent(share(stats, all)),
        stats.white_wins().to_string(),
        stats.draws().to_string(),
        stats.black_wins().to_string(),
        percent(stats.score_permille()),
        percent(stats.draw_permille()),
        rounded(stats.average_rating()),
        rounded(stats.performance().filter(|_| is_telling)),
        rounded(stats.average_year()),
        stats.eco().map_or_else(String::new, |eco| eco.to_string()),
    ]
}

/// Returns the share of a row in all games in thousandths, rounded down.
fn share(stats: &TreeStats, all: u64) -> u32 {
    let share = (1000 * stats.games()).checked_div(all);
    share.unwrap_or_default() as u32
}

fn percent(permille: u32) -> String {
    format!("{}.{}%", permille / 10, permille % 10)
}

/// Prints an object a row. What is absent is null; percentages and means have one decimal.
fn jsonl(tree: &Tree, out: &mut Output) -> anyhow::Result<()> {
    let all = tree.total().games();
    let percent = |permille: u32| Value::from(f64::from(permille) / 10.0);
    let tenths = |value: Option<f64>| Value::from(value.map(|value| (value * 10.0).round() / 10.0));
    for row in tree.rows() {
        let stats = &row.stats;
        let mut object = Object::begin(&mut *out)?;
        object.field("san", &row.san.as_str().into())?;
        object.field("uci", &row.next.uci().into())?;
        object.field("games", &stats.games().into())?;
        object.field("share", &percent(share(stats, all)))?;
        object.field("white", &stats.white_wins().into())?;
        object.field("draw", &stats.draws().into())?;
        object.field("black", &stats.black_wins().into())?;
        object.field("score", &percent(stats.score_permille()))?;
        object.field("draws", &percent(stats.draw_permille()))?;
        object.field("averageElo", &tenths(stats.average_rating()))?;
        object.field("performance", &tenths(stats.performance()))?;
        object.field("ratedGames", &stats.rated_games().into())?;
        object.field("averageYear", &tenths(stats.average_year()))?;
        object.field("eco", &stats.eco().map(|eco| eco.to_string()).into())?;
        object.end()?;
    }
    Ok(())
}
