//! Unpacks a compressed file into memory.

use std::io::Read as _;

use super::{
    input::{Packing, check_length, too_much},
    packed::BytesRead,
    split::whole_games_end,
};
use crate::{
    OpenSettings, Report,
    error::{Error, Result},
    lists::List,
    progress::Progress,
};

/// Bytes of text that are unpacked before the caller is asked whether to go on.
pub(super) const STEP_BYTES: u64 = 1 << 20;

/// Bytes of text that tell well enough how much more there will be.
const RATE_BYTES: usize = 64 << 20;

/// Decompresses a whole file into memory.
///
/// `at` is told how far the file has been read, and where its frames are.
///
/// If the compressed bytes are damaged, returns the whole games that can be read, before that or
/// behind it if `at` says so, and the errors. Of a list those before it are returned.
///
/// # Errors
/// `LimitExceeded` if the text is longer than the options allow, or clearly will be; `Interrupted`
/// after a `Break` from `progress`; the errors of opening a zip archive.
pub(super) fn unpacked(
    (packing, list): (Packing, Option<List>),
    bytes: &[u8],
    (options, at): (&OpenSettings, &BytesRead),
    progress: Report<'_>,
) -> Result<(Vec<u8>, Vec<Error>)> {
    let bytes_max = options.unpacked_bytes_max;
    if packing != Packing::Zip {
        // What is packed is as good as never longer than its text.
        check_length(bytes, bytes_max)?;
    }
    let mut text = Vec::new();
    let mut reader = packing
        .reader(bytes, options.encoding, at)?
        .take(bytes_max + 1);
    let read = loop {
        if progress(Progress::of(at.get() as u64, bytes.len() as u64)).is_break() {
            return Err(Error::interrupted());
        }
        // At the same rate all of the text would be too long by a quarter.
        let (read, all) = (at.get() as u128, bytes.len() as u128);
        if text.len() > RATE_BYTES
            && text.len() as u128 * all * 4 > read * u128::from(bytes_max) * 5
        {
            return Err(too_much(bytes_max));
        }
        match reader.by_ref().take(STEP_BYTES).read_to_end(&mut text) {
            Ok(0) => break Ok(()),
            Ok(_) => {}
            Err(cause) => break Err(cause),
        }
    };
    check_length(&text, bytes_max)?;
    text.shrink_to_fit();
    let mut damages = at.take_damages(u64::MAX);
    if let Err(cause) = read {
        text.truncate(match list {
            None => whole_games_end(&text),
            Some(list) => list.whole_items_end(&text),
        });
        damages.push(Error::io_unnamed("decompress", cause));
    }
    Ok((text, damages))
}
