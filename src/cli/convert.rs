//! `convert`: converts any readable format to any writable one.

use std::{
    ffi::{OsStr, OsString},
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{
    Conversion, ConvertOptions, Search, Split,
    format::{Layout, MontyLayout, ScdbLayout},
};

use super::{
    args::{ConvertArgs, LayoutName},
    databases,
    failure::{Outcome, Usage},
    hits, output,
    progress::Progress,
    query,
    sort::{Order, SortKey},
    targets, written,
};

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    // Whoever sets `--force` before the new database ends one list of paths and begins another.
    let Some((target, sources @ [_, ..])) = args.paths.split_last() else {
        let message = "what to read, and last what to write: `tabiya convert old.cbh new.si5`";
        return Err(Usage(message.to_owned()).into());
    };
    let sources = &*databases::named(sources)?;
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
    let converted = if args.sort.is_empty() && args.split.is_none() {
        write(sources, target, args.force, args.query.is_some(), options)?
    } else {
        write_in_order(args, sources, target, options)?
    };
    Ok(written::outcome(&converted))
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
    if let Ok(converted) = &converted {
        written::warn_of_sources(converted);
    }
    written::tell(converted, target, searches, started)
}

/// Writes games sorted, or divided among several databases, for which the databases are opened
/// whole.
fn write_in_order(
    args: &ConvertArgs,
    sources: &[PathBuf],
    target: &Path,
    options: ConvertOptions,
) -> anyhow::Result<Conversion> {
    let started = Instant::now();
    if args.sort.iter().any(SortKey::is_similarity) {
        let message = "games are sorted by similarity by `search --sort similarity -o`";
        return Err(Usage(message.to_owned()).into());
    }
    if args.split.is_none() {
        targets::check(sources, target, args.force)?;
    }
    written::prepare(sources)?;
    let query = args.query.as_ref();
    let query = query.map(|query| query::of_words(std::iter::once(query)));
    let query = query.transpose()?;
    let mut opening = databases::options().clone();
    if let Some(query) = &query {
        opening = opening.for_query(query);
    }
    let paths: Vec<OsString> = sources.iter().map(|path| path.clone().into()).collect();
    let opened = databases::open_all(&paths, &opening)?;
    let mut reports = Vec::new();
    let search = query.as_ref().map(Search::new);
    let (open, hits) = hits::all(&opened, search.as_ref(), &mut reports)?;
    for (source, report) in sources.iter().zip(&reports) {
        databases::warn_of_search(source, report);
    }
    for opened in &open {
        databases::warn_of_names(&opened.database);
    }
    let order = Order::new(&hits, &args.sort, &open)?;
    let take = args.most.of(order.places().count());
    let games = hits.games(order.places().take(take), &open);
    let mut progress = Progress::new("games");
    let Some(by) = args.split else {
        let written = tabiya::convert_games(&games, target, options, |at| progress.update(at));
        progress.clear();
        return written::tell(written, target, false, started);
    };
    let split = Split::new(&games, by, target)?;
    for path in split.paths() {
        targets::check(sources, path, args.force)?;
    }
    let written = split.write(options, |at| progress.update(at));
    progress.clear();
    let written = written.map_err(|error| written::advised(error, target))?;
    written::report(&written);
    output::summarize(&format!(
        "{} written to {}, {:.3} s",
        output::games(written.games),
        output::counted(split.paths().len() as u64, "database"),
        started.elapsed().as_secs_f64()
    ));
    Ok(written)
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
