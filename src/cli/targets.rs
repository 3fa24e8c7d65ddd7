//! The files to write, with checks that nothing is overwritten by mistake.

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use clap::Args;
use tabiya::{
    format::{Overwrite, may_belong_to_database, source_files, write_file},
    target_files,
};

use super::{failure::Usage, output::Output, query::QueryArgs};

/// The file for what a command prints.
#[derive(Debug, Args)]
pub(crate) struct TextArgs {
    /// Write to FILE; its suffix says the format unless --format does
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Replace FILE if it exists
    #[arg(long, requires = "output")]
    force: bool,
}

impl TextArgs {
    /// Returns the file; `None` for standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    /// Returns the file with its suffix in small letters; `None` for standard output.
    pub(crate) fn suffix(&self) -> Option<(&Path, String)> {
        let file = self.file()?;
        let suffix = file.extension().unwrap_or_default().to_string_lossy();
        Some((file, suffix.to_ascii_lowercase()))
    }

    /// Checks that the file is none of those that a command reads.
    pub(crate) fn check(&self, paths: &[OsString], query: &QueryArgs) -> anyhow::Result<()> {
        let Some(file) = self.file() else {
            return Ok(());
        };
        let mut read: Vec<PathBuf> = paths.iter().map(PathBuf::from).collect();
        read.extend(query.query_file.clone());
        check_text(&read, file, self.force)
    }

    /// Writes to the file, or prints. Returns the file.
    pub(crate) fn write(&self, bytes: &[u8], out: &mut Output) -> anyhow::Result<Option<&Path>> {
        match self.file() {
            Some(file) => write_file(file, bytes, overwrite(self.force))?,
            None => out.write_all(bytes)?,
        }
        Ok(self.file())
    }
}

/// Converts `--force` to an overwrite mode.
pub(crate) fn overwrite(force: bool) -> Overwrite {
    if force {
        Overwrite::Replace
    } else {
        Overwrite::Refuse
    }
}

/// Checks that a conversion overwrites no source, and existing files only with `--force`.
pub(crate) fn check(sources: &[PathBuf], target: &Path, force: bool) -> anyhow::Result<()> {
    let Some(files) = target_files(target) else {
        let message = format!(
            "{}: no format that can be written ends so; these are: .si5, .si4, .cbh, .2cbh, .dci, \
             .pgn, .pgn.gz, .pgn.zst, .binpack and .vf",
            target.display()
        );
        return Err(Usage(message).into());
    };
    files
        .iter()
        .try_for_each(|file| check_file(sources, file, force))
}

/// Checks that a file to write is none that is read, and exists only with `--force`.
fn check_file(read: &[PathBuf], file: &Path, force: bool) -> anyhow::Result<()> {
    if !file.exists() {
        return Ok(());
    }
    let is_read = |source: &PathBuf| is_among(file, &source_files(source));
    let shown = file.display();
    let message = if read.iter().any(is_read) || is_among(file, read) {
        format!("{shown} is read and cannot be written to")
    } else if !force {
        format!("{shown} exists; --force replaces it")
    } else {
        return Ok(());
    };
    Err(Usage(message).into())
}

/// Checks that a text, or PGN, replaces none of the files that are read or belong to a database of
/// several files, and other existing files only with `--force`.
fn check_text(read: &[PathBuf], file: &Path, force: bool) -> anyhow::Result<()> {
    if file.exists() {
        let shown = file.display();
        let is_alone = target_files(file).is_some_and(|files| files.len() == 1);
        let is_sidecar = file.extension().is_some_and(|suffix| suffix == "tabiya");
        let message = if !file.is_file() {
            format!("{shown} is no file that can be replaced")
        } else if is_sidecar || may_belong_to_database(file) && !is_alone {
            format!("{shown} may belong to a database, and no lines replace it")
        } else {
            return check_file(read, file, force);
        };
        return Err(Usage(message).into());
    }
    Ok(())
}

/// Checks that a report replaces no file of a database, whether used or not, and other existing
/// files only with `force`.
pub(crate) fn check_report(
    report: &Path,
    source: &Path,
    target: &Path,
    force: bool,
) -> anyhow::Result<()> {
    let written = target_files(target).unwrap_or_default();
    let shown = report.display();
    let message = if written.iter().any(|file| file == report) {
        format!("{shown} is a file of the new database")
    } else if !report.exists() {
        return Ok(());
    } else if report.is_dir() || is_among(report, &[source.to_owned()]) {
        format!("{shown} is read and cannot be written to")
    } else if may_belong_to_database(report) {
        format!("{shown} may belong to a database, and no report replaces it")
    } else if !force {
        format!("{shown} exists; --force replaces it")
    } else {
        return Ok(());
    };
    Err(Usage(message).into())
}

/// Returns whether an existing file is one of `files`.
fn is_among(file: &Path, files: &[PathBuf]) -> bool {
    let Ok(file) = fs::canonicalize(file) else {
        return false;
    };
    let same = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| path == file);
    files.iter().any(same)
}
