//! One input that stands for several files.
//!
//! Every file follows a mark and a letter that says which it is. So bytes that are put into one
//! file or taken out of it move nothing in another, and a whole file can change places with one
//! of another input.

/// Four bytes that hardly any file holds.
const MARK: &[u8] = b"\xf7<\x91>";

/// An input taken apart.
pub(crate) struct Pieces<'b>(Vec<(u8, &'b [u8])>);

impl<'b> Pieces<'b> {
    /// Takes an input apart. What stands before the first mark is nothing.
    pub(crate) fn of(input: &'b [u8]) -> Pieces<'b> {
        let mut pieces = Vec::new();
        let mut marks = memchr::memmem::find_iter(input, MARK).peekable();
        while let Some(at) = marks.next() {
            let end = marks.peek().copied().unwrap_or(input.len());
            let piece = input[at + MARK.len()..end].split_first();
            pieces.extend(piece.map(|(letter, bytes)| (*letter, bytes)));
        }
        Pieces(pieces)
    }

    /// Returns a file; the last if there are several.
    pub(crate) fn get(&self, letter: u8) -> Option<&'b [u8]> {
        let mut pieces = self.0.iter().rev();
        pieces.find(|piece| piece.0 == letter).map(|piece| piece.1)
    }

    /// Returns a file to keep.
    pub(crate) fn owned(&self, letter: u8) -> Option<Vec<u8>> {
        self.get(letter).map(<[u8]>::to_vec)
    }
}

/// Makes an input of files.
pub(crate) fn joined<B: AsRef<[u8]>>(files: impl IntoIterator<Item = (u8, B)>) -> Vec<u8> {
    let mut input = Vec::new();
    for (letter, bytes) in files {
        input.extend_from_slice(MARK);
        input.push(letter);
        input.extend_from_slice(bytes.as_ref());
    }
    input
}
