//! `remove` and `compact`: mark games as deleted, or leave them out.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Instant,
};

use clap::Args;
use tabiya::{Edit, Flow, Query, Search};

use super::{
    change::{apply, preview, told},
    columns::Columns,
    databases,
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query, running, written,
};

#[derive(Debug, Args)]
pub(crate) struct RemoveArgs {
    /// The database
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// The games to remove
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    query: OsString,

    /// Write the database anew without them, instead of marking them as deleted; PGN, which has no
    /// such mark, is always written anew
    #[arg(long)]
    purge: bool,

    /// Only show which games would be removed
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct CompactArgs {
    /// The database
    #[arg(value_name = "BASE")]
    base: PathBuf,
}

/// Marks games as deleted, or leaves them out.
pub(crate) fn remove(args: &RemoveArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let query = query::of_words(std::iter::once(&args.query))?;
    if query == Query::All {
        let message = "the query is empty, and nothing is removed; `number:1..` is all games";
        return Err(Usage(message.to_owned()).into());
    }
    let search = Search::new(&query);
    let is_pgn = args
        .base
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("pgn"));
    interrupt::watch();
    let edit = Edit::new().flag("deleted", true)?;
    let outcome = match (args.purge || is_pgn, args.dry_run) {
        (true, true) => left_out(&args.base, &search, out),
        (true, false) => purge(&args.base, &search, started),
        (false, true) => preview(
            &edit,
            &args.base,
            Some(&search),
            "be marked as deleted",
            out,
        ),
        (false, false) => apply(
            &edit,
            &args.base,
            Some(&search),
            "marked as deleted",
            started,
        ),
    }?;
    if outcome == Outcome::Nothing {
        running::hint_of(&query, &args.base)?;
    }
    Ok(outcome)
}

/// Leaves the games out that are marked as deleted.
pub(crate) fn compact(args: &CompactArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let deleted: Query = "flag:deleted".parse()?;
    interrupt::watch();
    purge(&args.base, &Search::new(&deleted), started)
}

/// Leaves games out.
fn purge(base: &Path, search: &Search<'_>, started: Instant) -> anyhow::Result<Outcome> {
    let mut progress = Progress::new("games");
    let purged = tabiya::purge(base, search, |at| progress.update(at));
    progress.clear();
    let purged = purged.map_err(|error| written::unchanged(error, base))?;
    Ok(told(&purged, "left out", base, started))
}

/// Prints which games would be left out, as an edit prints what would change.
fn left_out(base: &Path, search: &Search<'_>, out: &mut Output) -> anyhow::Result<Outcome> {
    let database = databases::open(base)?;
    let mut found = Vec::new();
    let mut progress = Progress::new("games");
    search
        .on_progress(|at| progress.update(at))
        .for_each(&database, |hit| {
            found.push(hit.game);
            Flow::Continue(())
        })?;
    progress.clear();
    interrupt::check()?;
    let mut columns = Columns::new(&["#game", "field", "before", "after"]);
    for &game in &found {
        let header = database.header(game)?;
        let number = database.number(game).to_string();
        let before = format!("{} - {}, {}", header.white, header.black, header.result);
        columns.row([number, "game".to_owned(), before, String::new()]);
    }
    columns.print(out)?;
    out.finish()?;
    let told = output::games(found.len() as u64);
    output::summarize(&format!("{told} would be left out; nothing is written"));
    Ok(Outcome::of_matches(!found.is_empty()))
}
