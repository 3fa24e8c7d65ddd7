//! Text in memory.

use std::{
    io::{self, ErrorKind, Read},
    ops::{Deref, Range},
    sync::mpsc::Sender,
};

/// Text in memory, with room in front of it, so that a little more can be put there.
#[derive(Debug, Default)]
pub(super) struct OwnText {
    memory: Vec<u8>,
    /// Where the text is.
    range: Range<usize>,
    /// Who uses the memory for the next text.
    home: Option<Sender<Vec<u8>>>,
}

impl OwnText {
    /// Returns an empty text in some memory, in which there is room in front of it. The memory is
    /// sent home afterwards.
    pub(super) fn with_room(room: usize, memory: Vec<u8>, home: Sender<Vec<u8>>) -> OwnText {
        OwnText {
            memory,
            range: room..room,
            home: Some(home),
        }
    }

    /// Appends at most so many bytes of what is read, and returns their number, which is less only
    /// at the end.
    pub(super) fn append(&mut self, reader: &mut dyn Read, most: usize) -> io::Result<usize> {
        let begin = self.range.end;
        let end = begin.saturating_add(most);
        if self.memory.is_empty() {
            // Pages that are never written cost nothing so.
            self.memory = vec![0; end];
        } else if self.memory.len() < end {
            self.memory.resize(end, 0);
        }
        while self.range.end < end {
            match reader.read(&mut self.memory[self.range.end..end]) {
                Ok(0) => break,
                Ok(read) => self.range.end += read,
                Err(cause) if cause.kind() == ErrorKind::Interrupted => {}
                Err(cause) => return Err(cause),
            }
        }
        Ok(self.range.end - begin)
    }

    /// Puts another text in front of this one if there is room, and returns whether there was.
    /// O(bytes of that text).
    pub(super) fn prepend(&mut self, head: &[u8]) -> bool {
        let at = self.range.start.checked_sub(head.len());
        let room = at.and_then(|at| self.memory.get_mut(at..self.range.start));
        let Some(room) = room else {
            return false;
        };
        room.copy_from_slice(head);
        self.range.start -= head.len();
        true
    }

    /// Puts another text behind this one. O(bytes of that text) on average.
    pub(super) fn push(&mut self, rest: &[u8]) {
        self.memory.truncate(self.range.end);
        self.memory.extend_from_slice(rest);
        self.range.end += rest.len();
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.range.end = self.range.end.min(self.range.start.saturating_add(length));
    }

    /// Returns the text alone.
    pub(super) fn into_bytes(mut self) -> Vec<u8> {
        let mut bytes = std::mem::take(&mut self.memory);
        bytes.truncate(self.range.end);
        bytes.drain(..self.range.start);
        bytes
    }
}

impl From<Vec<u8>> for OwnText {
    fn from(bytes: Vec<u8>) -> OwnText {
        OwnText {
            range: 0..bytes.len(),
            memory: bytes,
            home: None,
        }
    }
}

impl Deref for OwnText {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.memory.get(self.range.clone()).unwrap_or_default()
    }
}

impl Drop for OwnText {
    fn drop(&mut self) {
        if let Some(home) = self.home.take() {
            // Nobody needs it if no text follows.
            let _ = home.send(std::mem::take(&mut self.memory));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_long_game_takes_no_more_memory_with_each_text() {
        let (home, spare) = channel();
        let mut pending = OwnText::default();
        for _ in 0..500 {
            let memory = spare.try_recv().unwrap_or_else(|_| vec![0; 1100]);
            let mut text = OwnText::with_room(1000, memory, home.clone());
            assert_eq!(text.append(&mut &[b'x'; 100][..], 100).unwrap(), 100);
            if text.prepend(&pending) {
                pending = text;
            } else {
                pending.push(&text);
            }
            assert!(pending.memory.capacity() <= 4 * pending.len() + 4096);
        }
        assert_eq!(&*pending, [b'x'; 50_000]);
    }
}
