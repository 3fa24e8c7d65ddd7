//! Names in the folded form used for searches.
//!
//! Blob 0 has the state of every file that names may come from, 48 bytes each, in the layout of the
//! header's file entries, and then in 8 bytes the version of the folded form, [`FOLDING`]. Then
//! come players, events, sites and rounds: the folded names, each followed by a line feed.

use rayon::prelude::*;
use tabiya_chess::{NameKind, text::FOLDING};
use tabiya_formats::{Store, names::Folded};
use zerocopy::IntoBytes;

use super::{
    Sidecar,
    identity::{self, Known},
    layout::Header,
    write::Blobs,
};

/// Bytes of the version of the folded form.
const FOLDING_BYTES: usize = size_of_val(&FOLDING);
/// Names that take more bytes than this are not stored.
const BYTES_MAX: usize = (1 << 24) - 1;

/// Returns all names of a database; `None` if they cannot be read or are too long.
pub(super) fn collect(store: &dyn Store, known: &Known) -> Option<Blobs> {
    let mut blobs = Blobs::default();
    blobs.push_bytes(&state(store, known)?);
    let kinds = NameKind::ALL.into_par_iter();
    let folded: Option<Vec<Folded>> = kinds
        .map(|kind| Some(store.names(kind).ok()?.folded()))
        .collect();
    for folded in folded? {
        if folded.text.len() > BYTES_MAX {
            return None;
        }
        blobs.push_bytes(&folded.text);
    }
    Some(blobs)
}

/// Returns the state of the names and of their folded form, as in blob 0.
fn state(store: &dyn Store, known: &Known) -> Option<Vec<u8>> {
    let files = identity::of_names(store, known)?;
    Some([files.as_bytes(), &FOLDING.to_le_bytes()].concat())
}

impl Sidecar {
    /// Returns the folded names of one kind; `None` if the sidecar does not have them, or has those
    /// of another state of their files.
    pub(crate) fn folded_names(&self, store: &dyn Store, kind: NameKind) -> Option<Folded> {
        let names = self.block_of_all(self.names.as_ref()?)?;
        let (files, folding) = names.bytes(0)?.split_last_chunk()?;
        if *folding != FOLDING.to_le_bytes() || !identity::are_of_names(files, store) {
            return None;
        }
        Some(Folded::new(names.bytes(1 + kind as u16)?))
    }

    /// Returns what this sidecar knows of the database's files.
    pub(super) fn known(&self, store: &dyn Store) -> Known {
        let Ok(header) = Header::read(&self.file.bytes) else {
            return Known::default();
        };
        let names = self.names.as_ref().and_then(|part| self.block_of_all(part));
        let state = names.and_then(|names| names.bytes(0));
        let of_names = state.and_then(|state| state.split_last_chunk::<FOLDING_BYTES>());
        let of_names = of_names.map_or(&[][..], |(files, _)| files);
        Known::new(header.identity, of_names, store)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::text::fold_into;

    /// Whoever changes how names are folded must change the version, or old sidecars are wrong.
    #[test]
    fn each_form_of_folded_names_has_its_number() {
        let mut folded = Vec::new();
        // Latin, Greek and Cyrillic, which no new version of Unicode changes.
        for letter in '\0'..'\u{530}' {
            fold_into(letter.to_string().as_bytes(), &mut folded);
        }
        assert_eq!((FOLDING, crc32fast::hash(&folded)), (3, 0x35e6_c16c));
    }
}
