//! `add` and `undo`: change a database where it lies.

use std::{path::PathBuf, time::Instant};

use tabiya::{ConvertOptions, Search, format::stands_for_database};

use super::{
    args::{AddArgs, UndoArgs},
    convert, databases,
    failure::Outcome,
    output,
    progress::Progress,
    query,
};

pub(crate) fn add(args: &AddArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let sources = with_folders(&args.sources)?;
    convert::prepare(&sources)?;
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
    let added = added.map_err(|error| convert::advised(error, &args.base))?;
    convert::report(&added);
    let searches = args.query.is_some();
    convert::sum_up(&added, "added", &args.base, searches, started);
    Ok(match added.skipped + added.harmed {
        0 => Outcome::Done,
        _ => Outcome::Damaged,
    })
}

pub(crate) fn undo(args: &UndoArgs) -> anyhow::Result<Outcome> {
    let base = args.base.display();
    if !tabiya::undo(&args.base)? {
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
