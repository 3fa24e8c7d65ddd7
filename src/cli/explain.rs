//! `explain`: shows how a query is answered.

use std::{fmt::Write as _, io::Write as _};

use comfy_table::{CellAlignment, Table, presets};
use tabiya::{ExplainRow, Report};

use super::{
    args::ExplainArgs, databases, failure::Outcome, interrupt, output::Output, progress::Progress,
    query, search,
};

pub(crate) fn run(args: &ExplainArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let query = query::read(&args.query)?;
    let database = databases::open(&args.database)?;
    interrupt::watch();
    let search = search::search(&query, &args.run);
    let rows = search.explain_clauses(&database, |_| interrupt::flow())?;
    let mut progress = Progress::new("games");
    let report = search.count(&database, |at| progress.update(at))?;
    progress.clear();
    interrupt::check()?;
    out.write_all(text(&rows, &report).as_bytes())?;
    Ok(Outcome::of_matches(report.matched > 0))
}

/// Returns the explanation as text: a line for each clause, then the totals.
pub(crate) fn text(rows: &[ExplainRow], report: &Report) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_header(["clause", "served by", "possible", "certain"]);
    for row in rows {
        table.add_row([
            row.clause.clone(),
            row.served_by.clone(),
            row.possible.to_string(),
            row.certain.to_string(),
        ]);
    }
    table.add_row([
        "whole query".to_owned(),
        String::new(),
        report.possible.to_string(),
        report.certain.to_string(),
    ]);
    for (place, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if place >= 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut text = String::new();
    for line in table.lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    let milliseconds = |time: std::time::Duration| time.as_secs_f64() * 1e3;
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "games {}, undecided {}, decoded {}, matched {}, damaged {}",
        report.games,
        report.possible - report.certain,
        report.decoded,
        report.matched,
        report.damaged,
    );
    let _ = writeln!(
        text,
        "time: binding {:.1} ms, index {:.1} ms, decoding {:.1} ms",
        milliseconds(report.bind_time),
        milliseconds(report.index_time),
        milliseconds(report.decode_time),
    );
    text
}
