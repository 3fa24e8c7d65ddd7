//! `search --positions`: counts the games of many positions.

use std::{
    io::{BufRead as _, BufReader, Read as _},
    path::Path,
};

use anyhow::Context as _;
use serde_json::Value;
use tabiya::{
    PositionCounts, Positions, Report, Tally, WantedPosition,
    chess::GameResult,
    limits::{POSITION_LINE_BYTES_MAX, POSITIONS_MAX},
};

use super::{
    args::SearchArgs,
    columns::{Columns, or_empty},
    databases::Source,
    failure::Usage,
    interrupt,
    output::Output,
    progress::Progress,
    query,
    render::{Records, SearchFormat},
};

/// The results in printed order.
const RESULTS: [GameResult; 3] = [
    GameResult::WhiteWins,
    GameResult::Draw,
    GameResult::BlackWins,
];

/// One row of output.
struct Row<'a> {
    /// The label of the database, if there are several.
    database: Option<&'a str>,
    position: &'a WantedPosition,
    tally: Tally,
}

/// Counts positions in each database and prints a row for each. Returns the reports.
pub(crate) fn run(
    positions: Positions,
    args: &SearchArgs,
    sources: &[Source],
    out: &mut Output,
) -> anyhow::Result<Vec<Report>> {
    if matches!(args.format, SearchFormat::Ids | SearchFormat::Pgn) {
        let message = "counts of positions are printed as table, csv or jsonl";
        return Err(Usage(message.to_owned()).into());
    }
    let positions = positions
        .variations(args.run.variations)
        .strategy(args.run.strategy());
    let (mut rows, mut reports) = (Vec::new(), Vec::new());
    for source in sources {
        let mut counts = PositionCounts::default();
        for opened in source.parts() {
            let mut progress = Progress::new("games");
            let more = positions
                .on_progress(|at| progress.update(at))
                .run(&opened?.database);
            progress.clear();
            // A partial count is not printed.
            interrupt::check()?;
            counts.add(more?);
        }
        let database = (sources.len() > 1).then_some(source.label());
        let counted = positions.wanted().iter().zip(counts.rows());
        rows.extend(counted.map(|(position, count)| Row {
            database,
            position,
            tally: count.tally,
        }));
        reports.push(counts.report().clone());
    }
    match args.format {
        SearchFormat::Jsonl => records(&rows, Records::Jsonl(out))?,
        SearchFormat::Csv => {
            let names = &NAMES[usize::from(sources.len() < 2)..];
            records(&rows, Records::csv(names, out)?)?;
        }
        _ => table(&rows, out)?,
    }
    Ok(reports)
}

/// Reads positions from a file, or from standard input for `-`, line by line.
pub(crate) fn read(path: &Path) -> anyhow::Result<Positions<'static>> {
    let name = query::shown(path);
    let wrong = |message: String| Usage(format!("{name}: {message}"));
    let mut file = BufReader::new(query::opened(path)?);
    let (mut wanted, mut line) = (Vec::new(), Vec::new());
    for number in 1.. {
        interrupt::check()?;
        line.clear();
        let mut rest = file.by_ref().take(POSITION_LINE_BYTES_MAX as u64 + 1);
        if rest.read_until(b'\n', &mut line).context(name.clone())? == 0 {
            break;
        }
        if line.len() > POSITION_LINE_BYTES_MAX {
            let message =
                format!("line {number}: more than {POSITION_LINE_BYTES_MAX} bytes, no position");
            return Err(wrong(message).into());
        }
        let text =
            str::from_utf8(&line).map_err(|_| wrong(format!("line {number}: not valid UTF-8")))?;
        let positions = Positions::from_epd(text).map_err(|fault| {
            let (what, place) = (&fault.message, fault.caret(text));
            wrong(format!("line {number}: {what}\n{place}"))
        })?;
        wanted.extend_from_slice(positions.wanted());
        if wanted.len() > POSITIONS_MAX {
            let message = format!(
                "line {number}: more than {POSITIONS_MAX} positions; divide the file into several"
            );
            return Err(wrong(message).into());
        }
    }
    if wanted.is_empty() {
        return Err(wrong("no positions".to_owned()).into());
    }
    Ok(Positions::new(wanted))
}

/// Returns White's score in percent, rounded to one decimal.
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

/// Names of the machine-readable fields.
const NAMES: [&str; 8] = [
    "database", "games", "white", "draw", "black", "score", "label", "fen",
];

fn records(rows: &[Row<'_>], mut records: Records<'_>) -> anyhow::Result<()> {
    for row in rows {
        let database = row.database.map(|database| ("database", database.into()));
        let mut fields: Vec<(&str, Value)> = database.into_iter().collect();
        fields.push(("label", row.position.label.as_deref().into()));
        fields.push(("fen", row.position.fen.to_string().into()));
        fields.push(("games", row.tally.games().into()));
        for (name, result) in ["white", "draw", "black"].into_iter().zip(RESULTS) {
            fields.push((name, row.tally.count(result).into()));
        }
        fields.push(("score", score(&row.tally).into()));
        records.row(&fields)?;
    }
    Ok(())
}
