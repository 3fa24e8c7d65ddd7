//! `explain`: shows how a query is answered.

use std::io::Write as _;

use tabiya::{ExplainRow, Report};

use super::{
    args::ExplainArgs, columns::Columns, databases, failure::Outcome, interrupt, output::Output,
    progress::Progress, query,
};

pub(crate) fn run(args: &ExplainArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let query = query::read(&args.query)?;
    let database = databases::open(&args.database)?;
    interrupt::watch();
    let search = args.run.search(&query);
    let rows = search
        .on_progress(|_| interrupt::flow())
        .explain_clauses(&database)?;
    let mut progress = Progress::new("games");
    let report = search
        .on_progress(|at| progress.update(at))
        .count(&database)?;
    progress.clear();
    interrupt::check()?;
    let text = text(&rows, &report, out.terminal_columns())?;
    out.write_all(text.as_bytes())?;
    Ok(Outcome::of_matches(report.matched > 0))
}

/// Returns the explanation as text that fits a terminal of this width: a line for each clause, then
/// the totals.
pub(crate) fn text(
    rows: &[ExplainRow],
    report: &Report,
    terminal: Option<u16>,
) -> anyhow::Result<String> {
    let mut columns = Columns::new(&["clause", "served by", "#possible", "#certain"]);
    for row in rows {
        columns.row([
            row.clause.clone(),
            row.served_by.clone(),
            row.possible.to_string(),
            row.certain.to_string(),
        ]);
    }
    columns.row([
        "whole query".to_owned(),
        String::new(),
        report.possible.to_string(),
        report.certain.to_string(),
    ]);
    let mut text = Vec::new();
    columns.write(&mut text, terminal)?;
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    writeln!(
        text,
        "games {}, undecided {}, decoded {}, matched {}, damaged {}",
        report.games,
        report.possible - report.certain,
        report.decoded,
        report.matched,
        report.damaged,
    )?;
    writeln!(
        text,
        "time: binding {:.1} ms, index {:.1} ms, decoding {:.1} ms",
        milliseconds(report.bind_time),
        milliseconds(report.index_time),
        milliseconds(report.decode_time),
    )?;
    Ok(String::from_utf8(text)?)
}
