//! `convert`: from any format that can be read to any that can be written.

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{
    Conversion, ConvertOptions,
    format::{
        Overwrite, chessbase,
        monty::Layout,
        pgn::has_pgn_name,
        scdb::{self, write::ScdbLayout},
        scid4::write::Edition,
    },
};

use super::{
    args::{ConvertArgs, LayoutName},
    databases,
    failure::{Outcome, Usage},
    interrupt, output,
    progress::Progress,
};

/// Games left out that are named one by one.
const SKIPPED_NAMED_MAX: usize = 20;

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Usage("a source and a target are needed".to_owned()).into());
    };
    check(sources, target, args.force)?;
    interrupt::watch();
    let mut progress = Progress::new("games");
    let mut options = ConvertOptions::from(match args.force {
        true => Overwrite::Replace,
        false => Overwrite::Refuse,
    });
    options.strict = args.strict;
    options.opening = databases::options().clone();
    if let Some(layout) = args.layout {
        choose(layout, target, &mut options)?;
    }
    let converted = tabiya::convert(sources, target, options, &mut |at| {
        progress.update(at.games, at.total.unwrap_or_default())
    })?;
    progress.clear();
    report(&converted);
    output::complain(&format!(
        "{} games written to {}, {:.3} s",
        converted.games,
        target.display(),
        started.elapsed().as_secs_f64()
    ));
    Ok(match converted.skipped {
        0 => Outcome::Done,
        _ => Outcome::Damaged,
    })
}

/// Chooses the layout of a target.
fn choose(layout: LayoutName, target: &Path, options: &mut ConvertOptions) -> anyhow::Result<()> {
    let suffix = match layout {
        // What is written anyhow.
        LayoutName::Reference => return Ok(()),
        LayoutName::Described => {
            options.scdb_layout = ScdbLayout::Described;
            "dci"
        }
        LayoutName::Policy | LayoutName::Value | LayoutName::OldValue => {
            options.monty_layout = match layout {
                LayoutName::Value => Some(Layout::Value),
                LayoutName::OldValue => Some(Layout::OldValue),
                _ => Some(Layout::Policy),
            };
            "binpack"
        }
    };
    let fits = |found: &OsStr| found.eq_ignore_ascii_case(suffix);
    match target.extension().is_some_and(fits) {
        true => Ok(()),
        false => Err(Usage(format!("this layout is one of .{suffix} files")).into()),
    }
}

/// Returns the files that writing to this path creates; `None` when no format is written there.
fn target_files(target: &Path) -> Option<Vec<PathBuf>> {
    let suffix = target.extension()?.to_string_lossy().to_ascii_lowercase();
    let suffixes: &[&str] = match suffix.as_str() {
        "pgn" | "binpack" => return Some(vec![target.to_owned()]),
        "si4" => Edition::Si4.suffixes(),
        "si5" => Edition::Si5.suffixes(),
        "cbh" => &chessbase::write::SUFFIXES,
        "dci" => &scdb::SUFFIXES,
        _ => return None,
    };
    let files = suffixes.iter().map(|suffix| target.with_extension(suffix));
    Some(files.collect())
}

/// Makes sure that nothing is overwritten that should not be.
fn check(sources: &[PathBuf], target: &Path, force: bool) -> anyhow::Result<()> {
    let Some(files) = target_files(target) else {
        let message = format!(
            "{}: no format that can be written ends so",
            target.display()
        );
        return Err(Usage(message).into());
    };
    for file in files.iter().filter(|file| file.exists()) {
        if sources.iter().any(|source| is_part_of(file, source)) {
            let message = format!("{} is read and cannot be written to", file.display());
            return Err(Usage(message).into());
        }
        if !force {
            let message = format!("{} exists; --force replaces it", file.display());
            return Err(Usage(message).into());
        }
    }
    Ok(())
}

/// Tells whether a file that is there is among those that a source means: the source itself,
/// another file of the same database, or one of those that a stem stands for.
fn is_part_of(file: &Path, source: &Path) -> bool {
    let suffix = file.extension().unwrap_or_default();
    let mut appended = source.as_os_str().to_owned();
    appended.push(".");
    appended.push(suffix);
    let mut candidates = vec![source.to_owned()];
    // A text file is itself and nothing else, whatever database has its name.
    if !has_pgn_name(source) {
        candidates.push(source.with_extension(suffix));
        candidates.push(PathBuf::from(appended));
    }
    let Ok(file) = fs::canonicalize(file) else {
        return false;
    };
    let same = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| path == file);
    candidates.iter().any(same)
}

/// Says what did not come over.
fn report(converted: &Conversion) {
    for fault in converted.skipped_games.iter().take(SKIPPED_NAMED_MAX) {
        output::warn(&format!("left out: {fault}"));
    }
    let unnamed = converted.skipped.saturating_sub(SKIPPED_NAMED_MAX as u64);
    if unnamed > 0 {
        output::warn(&format!("left out: {unnamed} more games"));
    }
    for lost in &converted.losses {
        output::warn(&format!(
            "{} {}, first in game {}",
            lost.count, lost.what, lost.first_game
        ));
    }
}
