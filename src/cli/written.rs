//! What commands that write games do before, and tell afterwards.

use std::{
    path::{Path, PathBuf},
    time::Instant,
};

use tabiya::{Conversion, Error, ErrorKind, format::Lost};

use super::{
    databases,
    failure::{Outcome, Usage},
    interrupt, output,
    query::{STANDARD_INPUT, claim_standard_input},
};

/// Number of skipped games that are listed one by one.
const SKIPPED_NAMED_MAX: usize = 20;

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
        "{} {what} to {}{unmatched}, {:.3} s",
        output::games(converted.games),
        target.display(),
        started.elapsed().as_secs_f64()
    ));
}

/// Warns if the sidecar of a changed database is that of before, which is not used.
pub(super) fn warn_of_sidecar(changed: &Conversion, base: &Path) {
    if let Some(fault) = &changed.sidecar_fault {
        let name = databases::quoted(&base.display().to_string());
        output::warn(&format!(
            "the change is made, but the sidecar could not be refreshed: {fault}; `tabiya index \
             {name}` makes it anew"
        ));
    }
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

/// Adds what to do to the error about a database that is damaged and therefore not changed.
pub(super) fn unchanged(error: Error, base: &Path) -> anyhow::Error {
    use ErrorKind::{Corrupt, Truncated};
    let is_harm = matches!(error.kind(), Corrupt { .. } | Truncated { .. });
    let is_of_base = error.path().map(Path::file_stem) == Some(base.file_stem());
    if is_harm && is_of_base {
        anyhow::Error::new(error).context(
            "nothing was changed, since the database is damaged; `tabiya repair` saves what can \
             be read into a new one",
        )
    } else {
        advised(error, base)
    }
}

/// Warns of sources of which games, names or annotations may be missing, if nobody has when they
/// were opened.
pub(super) fn warn_of_sources(converted: &Conversion) {
    for fault in &converted.source_faults {
        output::warn(&fault.to_string());
    }
}

/// Returns whether all was sound that was read.
pub(super) fn outcome(converted: &Conversion) -> Outcome {
    let damaged = converted.skipped + converted.harmed;
    if damaged == 0 && converted.source_faults.is_empty() {
        Outcome::Done
    } else {
        Outcome::Damaged
    }
}

/// The same for games that a query has chosen.
pub(super) fn outcome_of_search(converted: &Conversion) -> Outcome {
    match outcome(converted) {
        Outcome::Done => Outcome::of_matches(converted.games > 0),
        damaged => damaged,
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
            let more = output::counted(unnamed, "more game");
            output::warn(&format!("{what}: {more}"));
        }
    }
    if converted.skipped > 0 || !converted.source_faults.is_empty() {
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
