//! `convert`: converts any readable format to any writable one.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{
    Conversion, ConvertOptions, Search,
    format::{Layout, MontyLayout, ScdbLayout},
};

use super::{
    args::{ConvertArgs, LayoutName},
    databases,
    failure::{Outcome, Usage},
    progress::Progress,
    query, targets, written,
};

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Usage("a source and a target are needed".to_owned()).into());
    };
    let options = ConvertOptions::from(targets::overwrite(args.force)).strict(args.strict);
    let mut options = args.content.apply(options);
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
    written::prepare(sources)?;
    let mut progress = Progress::new("games");
    let options = options.opening(databases::options().clone());
    let converted = tabiya::convert(sources, target, options, |at| progress.update(at));
    progress.clear();
    written::tell(converted, target, searches, started)
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
