//! `verify`: decodes everything and lists the damage.

use std::{collections::BTreeMap, io::Write as _, path::Path};

use tabiya::{DamageClass, Error, ErrorKind, Verification};

use super::{
    args::VerifyArgs,
    databases::{self, Source, options},
    failure::{self, Outcome},
    interrupt,
    output::{self, Output},
    progress::Progress,
};

pub(crate) fn run(args: &VerifyArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let paths = databases::named(&[&args.database])?;
    if let [path] = &*paths {
        return one(path, false, out);
    }
    let mut outcome = Outcome::Done;
    for path in &paths {
        match one(path, true, out) {
            Ok(Outcome::Done) => {}
            Ok(found) => outcome = found,
            // The others can be verified all the same.
            Err(error) => {
                interrupt::check()?;
                failure::report(&error);
                outcome = Outcome::Damaged;
            }
        }
    }
    Ok(outcome)
}

/// Verifies a database. `is_named`: whether its name is told, since there are several.
fn one(path: &Path, is_named: bool, out: &mut Output) -> anyhow::Result<Outcome> {
    let source = match Source::open(path, options()) {
        Err(error) if is_damage(&error) => {
            failure::report(&error);
            explain(error.downcast_ref().into_iter());
            return Ok(Outcome::Damaged);
        }
        opened => opened?,
    };
    // What was found is also told by the exit code.
    out.go_on_without_reader();
    interrupt::watch();
    let mut progress = Progress::new("games");
    let mut found = Verification::default();
    let mut files_sound = true;
    for opened in source.parts() {
        let database = &opened?.database;
        found.merge(database.on_progress(|at| progress.update(at)).verify()?);
        files_sound &=
            database.notes().iter().all(is_harmless) && database.names_damage().is_none();
    }
    progress.clear();
    if let Some(damage) = source.damage() {
        found.notes.push(damage.clone());
        files_sound = false;
    }
    for note in &found.notes {
        writeln!(out, "note: {note}")?;
    }
    for damage in &found.damaged_games {
        writeln!(out, "{damage}")?;
    }
    let unlisted = found
        .damaged
        .saturating_sub(found.damaged_games.len() as u64);
    if unlisted > 0 {
        writeln!(
            out,
            "and {}",
            output::counted(unlisted, "more damaged game")
        )?;
    }
    out.finish()?;
    let name = if is_named {
        format!("{}: ", path.display())
    } else {
        String::new()
    };
    output::summarize(&format!(
        "{name}{}, {} in main lines, {} in all, {}",
        output::games(found.games),
        output::counted(found.main_line_moves, "move"),
        found.all_moves,
        output::counted(found.damaged, "damaged game")
    ));
    explain(found.damaged_games.iter().chain(&found.notes));
    interrupt::check()?;
    let sound = found.damaged == 0 && files_sound;
    Ok(if sound {
        Outcome::Done
    } else {
        Outcome::Damaged
    })
}

/// Returns whether a note is not about damage.
fn is_harmless(note: &Error) -> bool {
    matches!(note.kind(), ErrorKind::SidecarUnused { .. })
}

/// Prints what each class of faults means, and what to do about it.
fn explain<'e>(faults: impl Iterator<Item = &'e Error>) {
    let mut counts = BTreeMap::new();
    for fault in faults {
        *counts.entry(fault.damage_class()).or_insert(0_u64) += 1;
    }
    for (class, count) in counts {
        let (name, meaning) = (class.as_str(), class.meaning());
        output::complain(&format!("{name} ({count}): {meaning}"));
    }
}

/// Returns whether a database cannot be opened because of its content.
fn is_damage(error: &anyhow::Error) -> bool {
    let class = error.downcast_ref::<Error>().map(Error::damage_class);
    matches!(
        class,
        Some(DamageClass::Header | DamageClass::Length | DamageClass::Archive)
    )
}
