//! `tabiya-explorer DB...`: opens the databases, listens, and ends on a signal.

use std::{error::Error, process::ExitCode, sync::Arc};

use clap::Parser;
use tabiya_explorer::{Explorer, Options, serve, serve_assistant, stop_signal, tell};
use tokio::net::TcpListener;

/// The last words when a file that is being read is lost.
#[cfg(unix)]
const LOST: &str = "tabiya-explorer: error: a mapped file can no longer be read: another program \
                    has shortened it, or its disk fails; `--in-memory` reads whole files first\n";

fn main() -> ExitCode {
    #[cfg(unix)]
    {
        // Without a handler the signal ends the program as it always does, without a word.
        let _ = tabiya::end_when_lost(LOST, 1);
    }
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("tabiya-explorer: error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(options: &Options) -> Result<(), Box<dyn Error>> {
    let explorer = Arc::new(Explorer::open(options)?);
    explorer.lines().for_each(|line| eprintln!("{line}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    if options.mcp {
        let served = runtime.block_on(serve_assistant(explorer));
        // A read of standard input that nobody ends would keep the program.
        runtime.shutdown_background();
        return served;
    }
    runtime.block_on(async {
        let listener = TcpListener::bind(options.listen).await?;
        let signal = stop_signal()?;
        // Who reads this may send a signal at once.
        tell(format_args!(
            "listening on http://{}/",
            listener.local_addr()?
        ));
        let stop = async move {
            signal.await;
            tell("stopping");
        };
        serve(listener, explorer, stop).await;
        Ok(())
    })
}
