//! `index`: builds the sidecar of a database.

use std::{path::Path, time::Instant};

use tabiya::SidecarOptions;

use super::{
    args::IndexArgs,
    databases,
    failure::{self, Outcome},
    interrupt, output,
    progress::Progress,
};

pub(crate) fn run(args: &IndexArgs) -> anyhow::Result<Outcome> {
    interrupt::watch();
    let paths = databases::named(&[&args.database])?;
    if let [path] = &*paths {
        one(path, args)?;
        return Ok(Outcome::Done);
    }
    let mut outcome = Outcome::Done;
    for path in &paths {
        // The others can be indexed all the same.
        if let Err(error) = one(path, args) {
            interrupt::check()?;
            failure::report(&error);
            outcome = Outcome::Damaged;
        }
    }
    Ok(outcome)
}

fn one(path: &Path, args: &IndexArgs) -> anyhow::Result<()> {
    let started = Instant::now();
    // An old sidecar is not needed for searches here.
    let mut progress = Progress::new("bytes");
    let opening = databases::options()
        .clone()
        .sidecar(false)
        .standard_input(false);
    let opened = opening.on_progress(|at| progress.update(at)).open(path);
    progress.clear();
    let options = SidecarOptions::new().columns(args.columns);
    let database = match opened {
        Err(error) if databases::is_for_parts(&error, path, &opening) => {
            return of_parts(path, &options, started);
        }
        opened => opened?,
    };
    let mut progress = Progress::new("games");
    let made = options
        .on_progress(|at| progress.update(at))
        .refresh(&database)?;
    progress.clear();
    let seconds = started.elapsed().as_secs_f64();
    let database = databases::open(path)?;
    if let Some(sidecar) = database.sidecar() {
        let kept = match made.kept {
            0 => String::new(),
            kept => format!(", {kept} of {} blocks kept", made.blocks),
        };
        output::summarize(&format!(
            "{}: {} bytes for {}{kept}, {seconds:.3} s",
            sidecar.path().display(),
            sidecar.size_bytes(),
            output::games(database.len().into()),
        ));
    }
    Ok(())
}

/// Builds the sidecars of the parts of PGN that is too long to be opened whole.
fn of_parts(path: &Path, options: &SidecarOptions, started: Instant) -> anyhow::Result<()> {
    let opening = databases::options().clone().standard_input(false);
    let mut progress = Progress::new("games");
    let made = options
        .on_progress(|at| progress.update(at))
        .refresh_parts(path, &opening)?;
    progress.clear();
    let kept = match made.kept {
        0 => String::new(),
        kept => format!(", {kept} of {} parts kept", made.parts),
    };
    output::summarize(&format!(
        "{}: {} bytes in {} for {}{kept}, {:.3} s",
        path.with_extension("tabiya-parts").display(),
        made.bytes,
        output::counted(made.parts.into(), "part"),
        output::games(made.games),
        started.elapsed().as_secs_f64(),
    ));
    Ok(())
}
