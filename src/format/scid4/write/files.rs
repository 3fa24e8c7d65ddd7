//! The three files of a database, and where they go.

use std::{io::Write, path::Path};

use tempfile::NamedTempFile;

use super::{Overwrite, edition::Edition};
use crate::{
    error::{Error, Result},
    format::publish::Target,
};

/// Takes the path of any of the three files, or their stem, which means `.si4`.
pub(super) fn target(path: &Path, overwrite: Overwrite) -> Result<(Edition, Target)> {
    let (edition, has_suffix) = Edition::of_path(path)?;
    let stem = match has_suffix {
        true => path.with_extension(""),
        false => path.to_owned(),
    };
    Ok((edition, Target::new(stem, edition.suffixes(), overwrite)?))
}

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
