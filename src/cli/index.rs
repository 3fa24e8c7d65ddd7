//! `index`: builds the sidecar of a database.

use std::time::Instant;

use tabiya::SidecarOptions;

use super::{args::IndexArgs, databases, failure::Outcome, interrupt, output, progress::Progress};

pub(crate) fn run(args: &IndexArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    // An old sidecar is not needed for searches here.
    interrupt::watch();
    let mut progress = Progress::new("bytes");
    let opening = databases::options()
        .clone()
        .sidecar(false)
        .standard_input(false);
    let opened = opening
        .on_progress(|at| progress.update(at))
        .open(&args.database);
    progress.clear();
    let options = SidecarOptions::new().columns(args.columns);
    let database = match opened {
        Err(error) if databases::is_for_parts(&error, &args.database, &opening) => {
            return of_parts(args, &options, started);
        }
        opened => opened?,
    };
    let mut progress = Progress::new("games");
    let made = options
        .on_progress(|at| progress.update(at))
        .refresh(&database)?;
    progress.clear();
    let seconds = started.elapsed().as_secs_f64();
    let database = databases::open(&args.database)?;
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
    Ok(Outcome::Done)
}

/// Builds the sidecars of the parts of PGN that is too long to be opened whole.
fn of_parts(
    args: &IndexArgs,
    options: &SidecarOptions,
    started: Instant,
) -> anyhow::Result<Outcome> {
    let opening = databases::options().clone().standard_input(false);
    let mut progress = Progress::new("games");
    let made = options
        .on_progress(|at| progress.update(at))
        .refresh_parts(&args.database, &opening)?;
    progress.clear();
    let kept = match made.kept {
        0 => String::new(),
        kept => format!(", {kept} of {} parts kept", made.parts),
    };
    output::summarize(&format!(
        "{}: {} bytes in {} for {}{kept}, {:.3} s",
        args.database.with_extension("tabiya-parts").display(),
        made.bytes,
        output::counted(made.parts.into(), "part"),
        output::games(made.games),
        started.elapsed().as_secs_f64(),
    ));
    Ok(Outcome::Done)
}
