//! Publishes the three files of a database.

use std::io::Write;

use super::edition::Edition;
use crate::{
    error::{Error, Result},
    format::{Ask, Target, Temporary},
};

/// Writes the names file and renames all files to their final names.
pub(super) fn publish(
    edition: Edition,
    target: &Target,
    index: Temporary,
    games: Temporary,
    names: &[u8],
    ask: Ask<'_>,
) -> Result<()> {
    let [index_suffix, games_suffix, names_suffix] = *edition.suffixes();
    let mut names_file = target.temporary()?;
    names_file
        .write_all(names)
        .map_err(|cause| Error::io("write", &target.path(names_suffix), cause))?;
    let files = vec![
        (games, games_suffix),
        (names_file, names_suffix),
        (index, index_suffix),
    ];
    target.publish(files, ask)
}
