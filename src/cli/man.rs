//! `man`: prints manual pages.

use std::io::Write as _;

use clap::CommandFactory as _;
use clap_mangen::Man;

use super::{
    args::{Cli, ManArgs},
    arguments::EXPLORE,
    failure::{Outcome, Usage},
    output::Output,
};

pub(crate) fn run(args: &ManArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let mut program = Cli::command().disable_help_subcommand(true);
    // Adds the global options to the commands.
    program.build();
    let command = match &args.command {
        None => program,
        Some(name) => match program.find_subcommand(name) {
            // What it takes is for another program.
            Some(command) if name == EXPLORE => {
                let command = command.clone();
                command.mut_args(|arg| {
                    let is_global = arg.is_global_set();
                    arg.hide(is_global)
                })
            }
            Some(command) => command.clone(),
            None => return Err(Usage(format!("there is no command `{name}`")).into()),
        },
    };
    let page = Man::new(command);
    // Rendered to memory first, so that a closed pipe is not reported as an error of the page.
    let mut text = Vec::new();
    page.render(&mut text)?;
    out.write_all(&text)?;
    Ok(Outcome::Done)
}
