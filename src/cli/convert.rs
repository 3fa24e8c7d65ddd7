//! `convert`: from any format that can be read to any that can be written.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    args::ConvertArgs,
    conversion::{self, Converted},
    failure::{Interrupted, Outcome, Usage},
    interrupt, output,
    progress::Progress,
};

/// Damaged games that are named one by one.
const DAMAGED_NAMED_MAX: usize = 20;

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Usage("a source and a target are needed".to_owned()).into());
    };
    check(sources, target, args.force)?;
    interrupt::watch();
    let mut progress = Progress::new("games");
    let converted = conversion::convert(sources, target, |at| progress.update(at.done, at.total))?;
    progress.clear();
    if interrupt::requested() {
        return Err(Interrupted.into());
    }
    report(&converted);
    output::complain(&format!(
        "{} games written to {}, {:.3} s",
        converted.games,
        target.display(),
        started.elapsed().as_secs_f64()
    ));
    Ok(match converted.damaged.is_empty() {
        true => Outcome::Done,
        false => Outcome::Damaged,
    })
}

/// Makes sure that nothing is overwritten that should not be.
fn check(sources: &[PathBuf], target: &Path, force: bool) -> anyhow::Result<()> {
    let Some(files) = conversion::target_files(target) else {
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
    let candidates = [
        source.to_owned(),
        source.with_extension(suffix),
        PathBuf::from(appended),
    ];
    let Ok(file) = fs::canonicalize(file) else {
        return false;
    };
    let same = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| path == file);
    candidates.iter().any(same)
}

/// Says what did not come over.
fn report(converted: &Converted) {
    for damage in converted.damaged.iter().take(DAMAGED_NAMED_MAX) {
        output::warn(&format!("left out: {damage}"));
    }
    if let Some(more) = converted.damaged.len().checked_sub(DAMAGED_NAMED_MAX)
        && more > 0
    {
        output::warn(&format!("left out: {more} more damaged games"));
    }
    for (what, games) in &converted.losses {
        output::warn(&format!("{what} could not be kept in {games} games"));
    }
}
