//! `convert`: the games of Parquet files as a database.

use std::{
    error::Error as _,
    io,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use tabiya::{Conversion, Flow, format::Overwrite};
use tabiya_sql::parquet::{Unpacked, has_parquet_name};

use crate::{Failure, INTERRUPTED, output, progress::Counts, until_stopped};

/// The exit code of tabiya when games are damaged.
const DAMAGED: u8 = 3;

/// Number of damaged games that are listed one by one.
const NAMED_MAX: usize = 20;

pub(crate) async fn run(
    sources: Vec<PathBuf>,
    target: PathBuf,
    force: bool,
) -> Result<ExitCode, Failure> {
    let started = Instant::now();
    let done = Arc::new(AtomicU64::new(0));
    let counted = Arc::clone(&done);
    let counts = move || Counts {
        rows: counted.load(Ordering::Relaxed),
        games: 0,
    };
    let to = target.clone();
    let work = move |go_on: &(dyn Fn() -> Flow + Sync)| convert(&sources, &to, force, &done, go_on);
    let Some(converted) = until_stopped(counts, work).await? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let converted = converted.map_err(refused)?;
    let (games, seconds) = (converted.games, started.elapsed().as_secs_f64());
    output::tell(&format!(
        "{games} games written to {}, {seconds:.3} s",
        target.display()
    ));
    let is_sound = converted.skipped + converted.harmed == 0 && converted.source_faults.is_empty();
    Ok(if is_sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::from(DAMAGED)
    })
}

/// Returns an error that says what to do if files are in the way.
fn refused(error: tabiya::Error) -> Failure {
    let cause = error
        .source()
        .and_then(|cause| cause.downcast_ref::<io::Error>());
    if cause.is_some_and(|cause| cause.kind() == io::ErrorKind::AlreadyExists) {
        return format!("{}; --force replaces it", output::told(&error)).into();
    }
    error.into()
}

/// Writes the games of sources to a target, and tells what was left out.
fn convert(
    sources: &[PathBuf],
    target: &Path,
    force: bool,
    done: &AtomicU64,
    go_on: &(dyn Fn() -> Flow + Sync),
) -> tabiya::Result<Conversion> {
    let mut paths = Vec::new();
    let mut unpacked = Vec::new();
    for source in sources {
        if has_parquet_name(source) {
            let games = Unpacked::new(source, go_on)?;
            paths.push(games.path().to_owned());
            unpacked.push((games, source));
        } else {
            paths.extend(tabiya::databases_named(source)?);
        }
    }
    let overwrite = if force {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    };
    let converted = tabiya::convert(&paths, target, overwrite, |progress| {
        done.store(progress.done, Ordering::Relaxed);
        go_on()
    })?;
    report(&converted, |text| {
        let told = unpacked.iter().fold(text, |text, (games, source)| {
            let path = games.path().display().to_string();
            text.replace(&path, &source.display().to_string())
        });
        output::tell(&format!("tabiya-sql: warning: {told}"));
    });
    Ok(converted)
}

fn report(converted: &Conversion, warn: impl Fn(String)) {
    for fault in &converted.source_faults {
        warn(fault.to_string());
    }
    let lists = [
        ("left out", converted.skipped, &converted.skipped_games),
        (
            "damaged, the rest kept",
            converted.harmed,
            &converted.harmed_games,
        ),
    ];
    for (what, count, games) in lists {
        for fault in games.iter().take(NAMED_MAX) {
            warn(format!("{what}: {fault}"));
        }
        let more = count.saturating_sub(NAMED_MAX as u64);
        if more > 0 {
            warn(format!("{what}: {more} more games"));
        }
    }
    for lost in &converted.losses {
        let (count, what, first) = (lost.count, lost.what, lost.first_game);
        warn(format!("{count} {what}, first in game {first}"));
    }
}
