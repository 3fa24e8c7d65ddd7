//! `index`: builds the sidecar of a database.

use std::time::Instant;

use tabiya::SidecarOptions;

use super::{args::IndexArgs, databases, failure::Outcome, interrupt, output, progress::Progress};

pub(crate) fn run(args: &IndexArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    // An old sidecar is not needed for searches here.
    interrupt::watch();
    let mut progress = Progress::new("bytes");
    let database = databases::options()
        .clone()
        .sidecar(false)
        .standard_input(false)
        .on_progress(|at| progress.update(at))
        .open(&args.database)?;
    progress.clear();
    let mut progress = Progress::new("games");
    let options = SidecarOptions::new().columns(args.columns);
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
