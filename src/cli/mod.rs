//! The commands, one file each; shared code is in `output`, `databases`, `progress`, `render`.
//!
//! Results go to standard output; warnings, progress and summaries to standard error. Only the
//! library's public interface is used.

mod args;
mod arguments;
mod book;
mod change;
mod columns;
mod common;
mod completions;
mod convert;
mod databases;
mod dedupe;
mod duplicates;
mod explain;
mod explore;
mod failure;
mod figures;
mod help;
mod hits;
mod index;
mod info;
mod interrupt;
mod keeping;
mod like;
mod lines;
mod man;
mod names;
mod nearby;
mod novelty;
mod output;
mod pager;
mod pgn_text;
mod positions;
mod progress;
mod query;
mod refused;
mod remove;
mod render;
mod repair;
mod repertoire;
mod report;
mod running;
mod search;
mod show;
mod sort;
mod stats;
mod targets;
mod tree;
mod verify;
mod written;

use std::{process::ExitCode, time::Instant};

use clap::Parser;

use self::{
    args::{Cli, Command},
    failure::{Outcome, Usage},
    output::Output,
};

/// The message when a mapped file can no longer be read.
#[cfg(unix)]
const LOST: &str = "tabiya: error: a mapped file can no longer be read: another program has \
                    shortened it, or its disk fails; `--in-memory` reads whole files first\n";

/// Runs the program with the arguments of the process.
pub(crate) fn main() -> ExitCode {
    let started = Instant::now();
    let cli = match Cli::try_parse_from(arguments::arguments()) {
        Ok(cli) => cli,
        Err(error) => {
            if let Some(why) = refused::why(&error) {
                output::complain(&format!("tabiya: error: {why}"));
                return failure::code(error.exit_code());
            }
            let is_help = error.kind() == clap::error::ErrorKind::DisplayHelp;
            if !(is_help && pager::show(&error.render().ansi().to_string())) {
                // Nothing can be done if even this cannot be printed.
                let _ = error.print();
            }
            return failure::code(error.exit_code());
        }
    };
    #[cfg(unix)]
    {
        // If the handler cannot be set, the signal ends the program without a message.
        let _ = tabiya::end_when_lost(LOST, failure::DATA);
    }
    if cli.quiet {
        output::be_quiet();
    }
    let threads = cli.opening.threads;
    let is_searching = cli.command.uses_sidecar() && !cli.opening.no_sidecar;
    databases::set_options(cli.opening.options());
    let mut out = Output::stdout();
    // Set before anything else: opening some formats uses all threads.
    let result = set_threads(threads).and_then(|()| run(cli.command, &mut out));
    let result = result.and_then(|outcome| {
        out.finish()?;
        Ok(outcome)
    });
    match result {
        Ok(outcome) => {
            if is_searching {
                databases::tell_of_sidecar(started);
            }
            outcome.code()
        }
        // Readers leave on purpose.
        Err(_) if out.was_ended_by_reader() => ExitCode::SUCCESS,
        Err(error) => {
            // Output printed before the failure stays valid.
            let _ = out.finish();
            failure::report(&error)
        }
    }
}

/// Sets the number of threads, if given.
fn set_threads(threads: Option<u16>) -> anyhow::Result<()> {
    let Some(threads) = threads else {
        return Ok(());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.into())
        .build_global()
        .map_err(|error| Usage(format!("cannot run {threads} threads: {error}")).into())
}

fn run(mut command: Command, out: &mut Output) -> anyhow::Result<Outcome> {
    for paths in command.several_databases() {
        *paths = databases::named(paths)?;
    }
    match command {
        Command::Info(args) => info::run(&args, out),
        Command::Search(args) => search::run(args, out),
        Command::Tree(args) => tree::run(&args, out),
        Command::Lines(args) => lines::run(&args, out),
        Command::Repertoire(args) => repertoire::run(&args, out),
        Command::Report(args) => report::run(&args, out),
        Command::Show(args) => show::run(&args, out),
        Command::Explain(args) => explain::run(&args, out),
        Command::Stats(args) => stats::run(&args, out),
        Command::Names(args) => names::run(&args, out),
        Command::Novelty(args) => novelty::run(&args, out),
        Command::Duplicates(args) => duplicates::run(&args, out),
        Command::Dedupe(args) => dedupe::run(&args, out),
        Command::Index(args) => index::run(&args),
        Command::Verify(args) => verify::run(&args, out),
        Command::Convert(args) => convert::run(&args),
        Command::Add(args) => change::add(&args),
        Command::Edit(args) => change::edit(&args, out),
        Command::New(args) => change::new(&args),
        Command::Replace(args) => change::replace(&args),
        Command::Remove(args) => remove::remove(&args, out),
        Command::Compact(args) => remove::compact(&args),
        Command::Undo(args) => change::undo(&args),
        Command::Repair(args) => repair::run(&args, out),
        Command::Explore(args) => explore::run(&args),
        Command::Completions(args) => completions::run(&args, out),
        Command::Man(args) => man::run(&args, out),
    }
}
