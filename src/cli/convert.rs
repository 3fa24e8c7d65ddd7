//! `convert`: converts any readable format to any writable one.

use std::{ffi::OsStr, path::Path, time::Instant};

use tabiya::{
    Conversion, ConvertOptions,
    format::{Lost, monty::Layout, scdb::write::ScdbLayout},
};

use super::{
    args::{ConvertArgs, LayoutName},
    databases,
    failure::{Outcome, Usage},
    interrupt, output,
    progress::Progress,
    targets,
};

/// Number of skipped games that are listed one by one.
const SKIPPED_NAMED_MAX: usize = 20;

pub(crate) fn run(args: &ConvertArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let Some((target, sources)) = args.paths.split_last() else {
        return Err(Usage("a source and a target are needed".to_owned()).into());
    };
    targets::check(sources, target, args.force)?;
    interrupt::watch();
    let mut progress = Progress::new("games");
    let mut options = ConvertOptions::from(targets::overwrite(args.force));
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

/// Sets the layout of a target.
fn choose(layout: LayoutName, target: &Path, options: &mut ConvertOptions) -> anyhow::Result<()> {
    let suffix = match layout {
        // The default.
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
    if target.extension().is_some_and(fits) {
        Ok(())
    } else {
        Err(Usage(format!("this layout is one of .{suffix} files")).into())
    }
}

/// Prints which games were skipped and what was lost.
fn report(converted: &Conversion) {
    for fault in converted.skipped_games.iter().take(SKIPPED_NAMED_MAX) {
        output::warn(&format!("left out: {fault}"));
    }
    let unnamed = converted.skipped.saturating_sub(SKIPPED_NAMED_MAX as u64);
    if unnamed > 0 {
        output::warn(&format!("left out: {unnamed} more games"));
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
