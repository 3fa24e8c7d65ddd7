//! `tabiya-explorer DB...`: opens the databases, listens, and ends on a signal.

use std::{
    env,
    error::Error,
    io::{self, Write as _},
    process::ExitCode,
    sync::Arc,
};

use clap::Parser;
use tabiya_explorer::{
    Beginning, Explorer, Places, Start, page_address, serve, serve_assistant, stop_signal, tell,
};

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
    let start = Start::parse_from(wild::args_os());
    let done = match start.manual() {
        Some(page) => io::stdout().write_all(&page).map_err(Into::into),
        None => run(&start.at(&Places::of_user())),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(format_args!("tabiya-explorer: error: {error}"));
            if cfg!(windows) && env::args_os().len() == 1 {
                // A double click has opened a window, which closes with the program.
                tell("Press Enter to close this window.");
                let _ = io::stdin().read_line(&mut String::new());
            }
            ExitCode::FAILURE
        }
    }
}

fn run(beginning: &Beginning) -> Result<(), Box<dyn Error>> {
    let explorer = Arc::new(Explorer::open(&beginning.options)?);
    explorer.lines().for_each(|line| eprintln!("{line}"));
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    if beginning.options.mcp {
        let served = runtime.block_on(serve_assistant(explorer));
        // A read of standard input that nobody ends would keep the program.
        runtime.shutdown_background();
        return served;
    }
    runtime.block_on(async {
        let listener = beginning.listen().await?;
        let signal = stop_signal()?;
        let page = page_address(listener.local_addr()?);
        // Who reads this may send a signal at once.
        tell(format_args!(
            "listening on http://{}/",
            listener.local_addr()?
        ));
        if beginning.opens_page {
            open_page(&page);
        }
        let stop = async move {
            signal.await;
            tell("stopping");
        };
        serve(listener, explorer, stop).await;
        Ok(())
    })
}

/// Shows the page in the browser, and says how all of this ends.
fn open_page(page: &str) {
    if let Err(error) = open::that_detached(page) {
        tell(format_args!(
            "no browser opens ({error}): open {page} in yours"
        ));
    }
    tell("Press Ctrl-C, or close this window, to stop.");
}
