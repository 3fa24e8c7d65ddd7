//! Text in memory.

use std::{
    io::{self, Read},
    ops::Deref,
};

/// Text in memory, with room in front of it, so that a little more can be put there.
#[derive(Debug, Default)]
pub(super) struct OwnText {
    bytes: Vec<u8>,
    /// The room in bytes.
    room: usize,
}

impl OwnText {
    /// Returns an empty text in front of which there is room.
    pub(super) fn with_room(room: usize, capacity: usize) -> OwnText {
        let mut bytes = Vec::with_capacity(room + capacity);
        bytes.resize(room, 0);
        OwnText { bytes, room }
    }

    /// Appends the rest of what is read, and returns its length in bytes.
    pub(super) fn append(&mut self, reader: &mut dyn Read) -> io::Result<usize> {
        reader.read_to_end(&mut self.bytes)
    }

    /// Puts another text in front of this one. O(bytes of that text) if there is room.
    pub(super) fn prepend(&mut self, head: &[u8]) {
        let at = self.room.checked_sub(head.len());
        match at.and_then(|at| self.bytes.get_mut(at..self.room)) {
            Some(room) => {
                room.copy_from_slice(head);
                self.room -= head.len();
            }
            None => {
                self.bytes.splice(..self.room, head.iter().copied());
                self.room = 0;
            }
        }
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.bytes.truncate(self.room + length);
    }

    /// Returns the text alone.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.drain(..self.room);
        self.bytes
    }
}

impl From<Vec<u8>> for OwnText {
    fn from(bytes: Vec<u8>) -> OwnText {
        OwnText { bytes, room: 0 }
    }
}

impl Deref for OwnText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.bytes.get(self.room..).unwrap_or_default()
    }
}
