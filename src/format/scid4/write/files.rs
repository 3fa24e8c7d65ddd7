//! The three files of a database get their names.

use std::io::Write;

use tempfile::NamedTempFile;

use super::edition::Edition;
use crate::{
    error::{Error, Result},
    format::publish::Target,
};

/// Writes the names and gives all files theirs.
pub(super) fn publish(
    edition: Edition,
    target: &Target,
    index: NamedTempFile,
    games: NamedTempFile,
    names: &[u8],
) -> Result<()> {
    let [index_suffix, games_suffix, names_suffix] = *edition.suffixes();
    let mut names_file = target.temporary()?;
    names_file
        .write_all(names)
        .map_err(|cause| Error::io("write", &target.path(names_suffix), cause))?;
    target.publish(vec![
        (games, games_suffix),
        (names_file, names_suffix),
        (index, index_suffix),
    ])
}
