//! `explore`: lets `tabiya-explorer` run, a program of its own, so that this one needs no server.

use std::{
    env, io,
    path::{Path, PathBuf},
    process::Command,
};

use super::{
    args::ExploreArgs,
    arguments::EXPLORE,
    failure::{Outcome, Usage},
};

const PROGRAM: &str = "tabiya-explorer";

pub(crate) fn run(args: &ExploreArgs) -> anyhow::Result<Outcome> {
    if env::args_os().nth(1).is_none_or(|first| first != EXPLORE) {
        let what = "options of `explore` come after it: `tabiya explore --in-memory DB`";
        return Err(Usage(what.to_owned()).into());
    }
    let own = env::current_exe().ok();
    let own = own.as_deref().and_then(Path::parent);
    let Some(path) = found(own) else {
        let beside = own.map_or(String::new(), |own| {
            format!(" beside this program ({})", own.display())
        });
        anyhow::bail!(
            "there is no `{PROGRAM}`{beside}, nor in a folder of PATH; `cargo install --path \
             explorer` in the folder of tabiya's source installs it"
        );
    };
    let mut command = Command::new(&path);
    command.arg("--open").args(&args.arguments);
    let error = replaced_by(command);
    Err(anyhow::anyhow!("{}: cannot start: {error}", path.display()))
}

/// Looks for the program in the folder of this one, and in those of PATH.
fn found(own: Option<&Path>) -> Option<PathBuf> {
    let name = format!("{PROGRAM}{}", env::consts::EXE_SUFFIX);
    let path = env::var_os("PATH").unwrap_or_default();
    // Who stands in a folder of others may not want to run what lies there.
    let of_path = env::split_paths(&path).filter(|folder| folder.is_absolute());
    let folders = own.map(Path::to_owned).into_iter().chain(of_path);
    let mut paths = folders.map(|folder| folder.join(&name));
    paths.find(|path| path.is_file())
}

/// Lets a program take the place of this one: whatever ends this one ends it. Returns why it does
/// not.
#[cfg(unix)]
fn replaced_by(mut command: Command) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    command.exec()
}

/// Runs a program to its end, and ends with it. Ctrl-C is meant for it, and reaches it too. Returns
/// why it does not run.
#[cfg(not(unix))]
fn replaced_by(mut command: Command) -> io::Error {
    super::interrupt::watch();
    match command.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(error) => error,
    }
}
