//! The files of a database to which games are added.
//!
//! What says how many records there are must agree with them: new ones get the next numbers.

use crate::{
    Change,
    error::{Error, Result},
    flaws,
    output::{Destination, Output},
    source::Source,
};

/// Returns the content of a file before games are added. A file that is missing cannot be made: old
/// records may refer to what was in it.
///
/// # Errors
/// `Io`; `Unsupported` if it is missing.
pub(crate) fn existing(old: &Change, suffix: &str) -> Result<Source> {
    let what = "adding games where this file is missing (a database that `tabiya convert` makes \
                has it)";
    let found = optional(old, suffix)?;
    found.ok_or_else(|| Error::unsupported(what).at_path(&old.path(suffix)))
}

/// Returns the content of a file before games are added; `None` if it is missing.
///
/// # Errors
/// `Io`.
pub(crate) fn optional(old: &Change, suffix: &str) -> Result<Option<Source>> {
    let path = old.path(suffix);
    match path.symlink_metadata() {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Ok(None),
        _ => old.read(suffix).map(Some),
    }
}

/// Returns the error about a file in another form than that which is written.
pub(crate) fn other_form(old: &Change, suffix: &str) -> Error {
    let what = "adding games to a file of this version of ChessBase (a database that `tabiya \
                convert` makes has the one that is written)";
    Error::unsupported(what).at_path(&old.path(suffix))
}

/// Returns the number of games of an index: records of this length behind one for the header, which
/// says the number of the next game.
///
/// # Errors
/// `Corrupt` if the header says another number.
pub(crate) fn games_of(index: &[u8], record_bytes: usize, next: Option<u32>) -> Result<u32> {
    let records = index.len() / record_bytes;
    let is_whole = index.len().is_multiple_of(record_bytes);
    let next = next.filter(|&next| is_whole && next > 0 && next as usize == records);
    let games = next.map(|next| next - 1);
    games.ok_or_else(|| Error::corrupt(flaws::INDEX_OF_OTHER_LENGTH))
}

/// Begins to append to a file, which is not shorter than its header says.
///
/// # Errors
/// `Io`; `Truncated`.
pub(crate) fn container(
    place: &Destination,
    suffix: &'static str,
    file: &[u8],
    said: u64,
) -> Result<Output> {
    let length = file.len() as u64;
    if said > length {
        return Err(Error::truncated("the file", said, length));
    }
    Output::growing(place, suffix, length)
}
