//! Names in the form in which they are searched.
//!
//! Blob 0 has the state of every file that names may come from, 32 bytes each, as the header has
//! those of index and games. Then come players, events, sites and rounds: the folded names one
//! behind the other, each followed by a line feed.

use zerocopy::IntoBytes;

use super::{Sidecar, identity, part::Part, write::Blobs};
use crate::{
    chess::NameKind,
    format::{Store, names::Folded},
};

/// Of names that take more bytes than these nothing is kept.
const BYTES_MAX: usize = (1 << 24) - 1;

/// Returns all names of a database; `None` when there are none to be had, or too many.
pub(super) fn collect(store: &dyn Store) -> Option<Blobs> {
    let mut blobs = Blobs::default();
    blobs.push_bytes(identity::of_names(store)?.as_bytes());
    for kind in NameKind::ALL {
        let folded = store.names(kind).ok()?.folded();
        if folded.text.len() > BYTES_MAX {
            return None;
        }
        blobs.push_bytes(&folded.text);
    }
    Some(blobs)
}

impl Sidecar {
    /// Returns the names of one kind in the form in which they are searched; `None` when the
    /// sidecar does not have them, or has those of another state of their files.
    pub(crate) fn folded_names(&self, store: &dyn Store, kind: NameKind) -> Option<Folded> {
        let names: &Part = self.names.as_ref()?;
        let names = names.block(&self.file.bytes, 0, self.games)?;
        if names.bytes(0)? != identity::of_names(store)?.as_bytes() {
            return None;
        }
        Some(Folded::new(names.bytes(1 + kind as u16)?))
    }
}
