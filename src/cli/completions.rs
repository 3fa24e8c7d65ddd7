//! `completions`: scripts that complete commands and options in a shell.

use clap::CommandFactory as _;

use super::{
    args::{Cli, CompletionsArgs},
    failure::Outcome,
    output::Output,
};

pub(crate) fn run(args: &CompletionsArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    // Into memory first: the generator does not expect that writing fails.
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "tabiya", &mut script);
    std::io::Write::write_all(out, &script)?;
    Ok(Outcome::Done)
}
