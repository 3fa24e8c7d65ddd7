//! `add` and `undo`: change a database where it lies.

use std::{ffi::OsString, path::PathBuf, time::Instant};

use clap::Args;
use tabiya::{ConvertOptions, Search, format::stands_for_database};

use super::{
    common::LimitArgs, databases, failure::Outcome, interrupt, output, progress::Progress, query,
    written,
};

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The database to which games are added: `.si4`, `.si5`, `.cbh`, `.2cbh`, `.dci` or `.pgn`
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,

    /// What to add: databases and PGN files, packed or not, folders of them, `-` for PGN on
    /// standard input
    #[arg(value_name = "NEW", required = true)]
    pub(crate) sources: Vec<PathBuf>,

    /// Add nothing if anything would be lost or left out
    #[arg(long)]
    pub(crate) strict: bool,

    /// Add only the games that match a query
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: Option<OsString>,

    #[command(flatten)]
    pub(crate) most: LimitArgs,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The database: any of its files, or the stem that they share
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,
}

pub(crate) fn add(args: &AddArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let sources = with_folders(&args.sources)?;
    written::prepare(&sources)?;
    let mut options = ConvertOptions::new()
        .strict(args.strict)
        .opening(databases::options().clone());
    if let Some(limit) = args.most.limit {
        options = options.limit(limit);
    }
    if let Some(query) = &args.query {
        let query = query::of_words(std::iter::once(query))?;
        options = options.search(Search::new(&query));
    }
    let mut progress = Progress::new("games");
    let added = tabiya::add(&sources, &args.base, options, |at| progress.update(at));
    progress.clear();
    let added = added.map_err(|error| written::advised(error, &args.base))?;
    written::report(&added);
    let searches = args.query.is_some();
    written::sum_up(&added, "added", &args.base, searches, started);
    Ok(match added.skipped + added.harmed {
        0 => Outcome::Done,
        _ => Outcome::Damaged,
    })
}

pub(crate) fn undo(args: &UndoArgs) -> anyhow::Result<Outcome> {
    let base = args.base.display();
    interrupt::watch();
    let mut progress = Progress::new("games");
    let undone = tabiya::undo(&args.base, |at| progress.update(at));
    progress.clear();
    if !undone? {
        output::complain(&format!("{base}: there is no change to take back"));
        return Ok(Outcome::Nothing);
    }
    output::summarize(&format!("{base}: as it was before the last change"));
    Ok(Outcome::Done)
}

/// Puts the databases of folders in the places of these.
fn with_folders(sources: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for source in sources {
        if source.is_dir() && !stands_for_database(source) {
            all.extend(databases::in_folder(source)?);
        } else {
            all.push(source.clone());
        }
    }
    Ok(all)
}
