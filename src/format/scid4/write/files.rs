//! The three files of a database, and where they go.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use tempfile::NamedTempFile;

use super::Overwrite;
use crate::{
    error::{Error, ErrorKind, Result},
    format::publish::Target,
};

const INDEX: &str = "si4";
const GAMES: &str = "sg4";
const NAMES: &str = "sn4";

/// Takes the path of any of the three files, or their stem.
pub(super) fn target(path: &Path, overwrite: Overwrite) -> Result<Target> {
    let suffix = path.extension().unwrap_or_default().to_string_lossy();
    let stem: PathBuf = match suffix.to_ascii_lowercase().as_str() {
        INDEX | GAMES | NAMES => path.with_extension(""),
        "si3" | "sg3" | "sn3" | "si5" | "sg5" | "sn5" => {
            let what = "writing this version of Scid's format";
            return Err(Error::new(ErrorKind::Unsupported { what }).at_path(path));
        }
        _ => path.to_owned(),
    };
    Target::new(stem, &[INDEX, GAMES, NAMES], overwrite)
}

/// Writes the names and gives all files theirs.
pub(super) fn publish(
    target: &Target,
    index: NamedTempFile,
    games: NamedTempFile,
    names: &[u8],
) -> Result<()> {
    let mut names_file = target.temporary()?;
    names_file
        .write_all(names)
        .map_err(|cause| Error::io("write", &target.path(NAMES), cause))?;
    target.publish(vec![(games, GAMES), (names_file, NAMES), (index, INDEX)])
}
