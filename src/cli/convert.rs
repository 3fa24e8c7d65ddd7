//! `convert`: converts any readable format to any writable one.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{
    Conversion, ConvertOptions, Error, ErrorKind, Search,
    format::{Layout, Lost, MontyLayout, ScdbLayout},
};

use super::{
    args::{ConvertArgs, LayoutName},
    databases,
    failure::{Outcome, Usage},
    interrupt, output,
    progress::Progress,
    query::{self, STANDARD_INPUT, claim_standard_input},
    targets,
};

/// Number of skipped games that are listed one by one.
const SKIPPED_NAMED_MAX: usize = 20;

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Usage("a source and a target are needed".to_owned()).into());
    };
    let mut options = ConvertOptions::from(targets::overwrite(args.force))
        .strict(args.strict)
        .comments(!args.no_comments)
        .variations(!args.no_variations);
    if let Some(limit) = args.most.limit {
        options = options.limit(limit);
    }
    if let Some(query) = &args.query {
        let query = query::of_words(std::iter::once(query))?;
        options = options.search(Search::new(&query));
    }
    if let Some(name) = args.layout {
        options = options.layout(layout(name, target)?);
    }
    let converted = write(sources, target, args.force, args.query.is_some(), options)?;
    Ok(match converted.skipped + converted.harmed {
        0 => Outcome::Done,
        _ => Outcome::Damaged,
    })
}

/// Writes a database and tells of it. `searches`: whether the options have a query.
pub(super) fn write(
    sources: &[PathBuf],
    target: &Path,
    force: bool,
    searches: bool,
    options: ConvertOptions,
) -> anyhow::Result<Conversion> {
    let started = Instant::now();
    targets::check(sources, target, force)?;
    prepare(sources)?;
    let mut progress = Progress::new("games");
    let options = options.opening(databases::options().clone());
    let converted = tabiya::convert(sources, target, options, |at| progress.update(at));
    progress.clear();
    tell(converted, target, searches, started)
}

/// Prepares for reading sources.
pub(super) fn prepare(sources: &[PathBuf]) -> anyhow::Result<()> {
    for source in sources {
        if source.as_os_str() == STANDARD_INPUT {
            claim_standard_input()?;
        }
        databases::note_sidecar(source);
    }
    interrupt::watch();
    Ok(())
}

/// Tells of what was written. `searches`: whether a query has chosen the games.
pub(super) fn tell(
    converted: tabiya::Result<Conversion>,
    target: &Path,
    searches: bool,
    started: Instant,
) -> anyhow::Result<Conversion> {
    let converted = converted.map_err(|error| advised(error, target))?;
    report(&converted);
    sum_up(&converted, "written", target, searches, started);
    Ok(converted)
}

/// Tells how many games were written or added.
pub(super) fn sum_up(
    converted: &Conversion,
    what: &str,
    target: &Path,
    searches: bool,
    started: Instant,
) {
    let unmatched = if searches {
        format!(", {} left out by the query", converted.unmatched)
    } else {
        String::new()
    };
    output::summarize(&format!(
        "{} games {what} to {}{unmatched}, {:.3} s",
        converted.games,
        target.display(),
        started.elapsed().as_secs_f64()
    ));
}

/// Adds what to do to the error about a target that is full.
pub(super) fn advised(error: Error, target: &Path) -> anyhow::Error {
    let is_scid4 = target
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("si4"));
    if matches!(error.kind(), ErrorKind::LimitExceeded { .. }) && is_scid4 {
        let larger = target.with_extension("si5");
        Usage(format!("{error}; {} has room for more", larger.display())).into()
    } else {
        error.into()
    }
}

/// Returns the layout of a target.
fn layout(name: LayoutName, target: &Path) -> anyhow::Result<Layout> {
    let (suffix, layout) = match name {
        // The default, for any target.
        LayoutName::Reference => return Ok(ScdbLayout::Reference.into()),
        LayoutName::Described => ("dci", ScdbLayout::Described.into()),
        LayoutName::Policy => ("binpack", MontyLayout::Policy.into()),
        LayoutName::Value => ("binpack", MontyLayout::Value.into()),
        LayoutName::OldValue => ("binpack", MontyLayout::OldValue.into()),
    };
    let fits = |found: &OsStr| found.eq_ignore_ascii_case(suffix);
    if target.extension().is_some_and(fits) {
        Ok(layout)
    } else {
        Err(Usage(format!("this layout is one of .{suffix} files")).into())
    }
}

/// Prints which games were skipped or are damaged, and what was lost.
pub(super) fn report(converted: &Conversion) {
    let lists = [
        ("left out", converted.skipped, &converted.skipped_games),
        (
            "damaged, and searched up to there",
            converted.searched_in_part,
            &converted.searched_in_part_games,
        ),
        (
            "damaged, the rest kept",
            converted.harmed,
            &converted.harmed_games,
        ),
    ];
    for (what, count, games) in lists {
        for fault in games.iter().take(SKIPPED_NAMED_MAX) {
            output::warn(&format!("{what}: {fault}"));
        }
        let unnamed = count.saturating_sub(SKIPPED_NAMED_MAX as u64);
        if unnamed > 0 {
            output::warn(&format!("{what}: {unnamed} more games"));
        }
    }
    if converted.skipped > 0 {
        output::warn("`tabiya verify` says what is wrong, `tabiya repair` saves what can be read");
    }
    warn_of_losses(&converted.losses);
}

/// Prints what the new format could not store.
pub(super) fn warn_of_losses(losses: &[Lost]) {
    for lost in losses {
        output::warn(&format!(
            "{} {}, first in game {}",
            lost.count, lost.what, lost.first_game
        ));
    }
}
