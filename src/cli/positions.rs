//! `search --positions`: how many games have each of many positions.

use std::path::Path;

use csv::Writer;
use serde_json::Value;
use tabiya::{Positions, Report, Tally, WantedPosition, chess::GameResult};

use super::{
    args::{SearchArgs, SearchFormat},
    columns::{Columns, or_empty},
    databases::Opened,
    failure::Usage,
    interrupt,
    output::Output,
    progress::Progress,
    query,
    render::Object,
    search,
};

/// The numbers of a position in the order in which they are printed.
const RESULTS: [GameResult; 3] = [
    GameResult::WhiteWins,
    GameResult::Draw,
    GameResult::BlackWins,
];

/// One line of output.
struct Row<'a> {
    /// Which database, when there are several.
    database: Option<&'a str>,
    position: &'a WantedPosition,
    tally: Tally,
}

/// Counts positions in each database and prints a line for each. Returns what that cost.
pub(crate) fn run(
    positions: Positions,
    args: &SearchArgs,
    databases: &[Opened],
    out: &mut Output,
) -> anyhow::Result<Vec<Report>> {
    if matches!(args.format, SearchFormat::Ids | SearchFormat::Pgn) {
        let message = "counts of positions are printed as table, csv or jsonl";
        return Err(Usage(message.to_owned()).into());
    }
    let positions = positions
        .variations(args.run.variations)
        .strategy(search::strategy(&args.run));
    let (mut rows, mut reports) = (Vec::new(), Vec::new());
    for opened in databases {
        let mut progress = Progress::new("games");
        let counts =
            positions.run_with_progress(&opened.database, |at| progress.update(at.done, at.total));
        progress.clear();
        // Half a count is no count.
        interrupt::check()?;
        let counts = counts?;
        let database = (databases.len() > 1).then_some(opened.label.as_str());
        let counted = positions.wanted().iter().zip(counts.rows());
        rows.extend(counted.map(|(position, count)| Row {
            database,
            position,
            tally: count.tally,
        }));
        reports.push(counts.report().clone());
    }
    match args.format {
        SearchFormat::Jsonl => objects(&rows, out)?,
        SearchFormat::Csv => values(&rows, out)?,
        _ => table(&rows, out)?,
    }
    Ok(reports)
}

/// Reads positions from a file, or from standard input for `-`.
pub(crate) fn read(path: &Path) -> anyhow::Result<Positions> {
    let text = query::text_of(path, usize::MAX)?;
    let wrong = |message: String| Usage(format!("{}: {message}", query::shown(path)));
    let positions = Positions::from_epd(&text).map_err(|fault| wrong(fault.to_string()))?;
    match positions.wanted().is_empty() {
        true => Err(wrong("no positions".to_owned()).into()),
        false => Ok(positions),
    }
}

/// Returns White's score in percent with one digit.
fn score(tally: &Tally) -> Option<f64> {
    let score = tally.white_score()?;
    Some((1000.0 * score).round() / 10.0)
}

fn score_text(tally: &Tally) -> String {
    or_empty(score(tally).map(|score| format!("{score:.1}")))
}

fn table(rows: &[Row<'_>], out: &mut Output) -> anyhow::Result<()> {
    const TITLES: &[&str] = &[
        "database", "#games", "#white", "#draw", "#black", "#score", "position",
    ];
    let several = rows.iter().any(|row| row.database.is_some());
    let mut columns = Columns::new(&TITLES[usize::from(!several)..]);
    for row in rows {
        let name = row.position.label.clone();
        let mut cells: Vec<String> = row.database.map(str::to_owned).into_iter().collect();
        cells.push(row.tally.games().to_string());
        cells.extend(RESULTS.map(|result| row.tally.count(result).to_string()));
        cells.push(score_text(&row.tally));
        cells.push(name.unwrap_or_else(|| row.position.fen.to_string()));
        columns.row(cells);
    }
    columns.print(out)
}

fn values(rows: &[Row<'_>], out: &mut Output) -> anyhow::Result<()> {
    const TITLES: [&str; 7] = ["games", "white", "draw", "black", "score", "label", "fen"];
    let mut writer = Writer::from_writer(out);
    let several = rows.iter().any(|row| row.database.is_some());
    let database = several.then_some("database");
    writer.write_record(database.into_iter().chain(TITLES))?;
    for row in rows {
        if let Some(database) = row.database {
            writer.write_field(database)?;
        }
        writer.write_field(row.tally.games().to_string())?;
        for result in RESULTS {
            writer.write_field(row.tally.count(result).to_string())?;
        }
        writer.write_field(score_text(&row.tally))?;
        writer.write_field(row.position.label.as_deref().unwrap_or_default())?;
        writer.write_record([row.position.fen.to_string()])?;
    }
    Ok(writer.flush()?)
}

fn objects(rows: &[Row<'_>], out: &mut Output) -> anyhow::Result<()> {
    for row in rows {
        let mut object = Object::begin(&mut *out)?;
        if let Some(database) = row.database {
            object.field("database", &database.into())?;
        }
        object.field("label", &Value::from(row.position.label.as_deref()))?;
        object.field("fen", &row.position.fen.to_string().into())?;
        object.field("games", &row.tally.games().into())?;
        for (name, result) in ["white", "draw", "black"].into_iter().zip(RESULTS) {
            object.field(name, &row.tally.count(result).into())?;
        }
        object.field("score", &score(&row.tally).into())?;
        object.end()?;
    }
    Ok(())
}
