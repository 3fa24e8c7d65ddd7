//! Text that stays packed: a game is unpacked with the frames that it is in.

use std::{
    collections::VecDeque,
    io::{self, Read},
    ops::{Deref, Range},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use memchr::memchr_iter;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned, little_endian::U64};

use super::{
    frames::ZstdFrames,
    packed::{BytesRead, FramePlace, Packed, Unpacked},
    place::GamePlace,
};
use crate::limits::ZSTD_FRAMES_TEXT_BYTES_MAX;

/// Where to read on in a packed file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resume {
    /// A frame.
    place: FramePlace,
    /// The offset of the text that is wanted, in this frame or behind it.
    text: u64,
}

impl Resume {
    /// Returns a reader of the text from there on.
    ///
    /// # Errors
    /// Those of unpacking what is before it in the frame.
    pub(super) fn reader<'p>(&self, packed: &'p [u8], at: &BytesRead) -> io::Result<Unpacked<'p>> {
        at.set(usize::try_from(self.place.in_file()).unwrap_or(usize::MAX));
        let before = self.place.in_text();
        let frames = ZstdFrames::from_text(Packed::new(packed, at.clone()), before);
        let mut text = Unpacked::new(Box::new(frames), at.clone()).after(before);
        let skipped = self.text.saturating_sub(before);
        io::copy(&mut (&mut text).take(skipped), &mut io::sink())?;
        Ok(text)
    }
}

/// The text of a packed file, or a part of it. Offsets are from where this text begins.
#[derive(Debug)]
pub(super) struct FrameText {
    /// In their order. The first may begin before the text.
    places: Vec<FramePlace>,
    /// The number of games, lines and bytes before the text.
    before: GamePlace,
    /// The same with those in it.
    after: GamePlace,
    /// Whether no game follows it.
    is_last: bool,
    /// An offset of the file behind its frames.
    file_end: u64,
    /// The number by which its pieces are known.
    id: u64,
}

/// The pieces that were used last, of all texts, in their order.
static LATEST: Mutex<VecDeque<Used>> = Mutex::new(VecDeque::new());

/// A piece that was used.
struct Used {
    /// The [number](FrameText::id) of the text, and that of the piece in it.
    id: (u64, usize),
    bytes: u64,
    piece: Arc<Piece>,
}

/// The number of the next text.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// The number of games, lines and bytes up to a place, as stored.
#[derive(Clone, Copy, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct StoredPlace {
    games: U64,
    lines: U64,
    bytes: U64,
}

impl StoredPlace {
    fn new(place: GamePlace) -> StoredPlace {
        StoredPlace {
            games: u64::from(place.number).into(),
            lines: place.line.into(),
            bytes: place.offset_bytes.into(),
        }
    }

    fn get(self) -> Option<GamePlace> {
        Some(GamePlace {
            number: u32::try_from(self.games.get()).ok()?,
            line: self.lines.get(),
            offset_bytes: self.bytes.get(),
        })
    }
}

/// What is stored in front of the places of frames.
#[derive(FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    before: StoredPlace,
    after: StoredPlace,
    is_last: U64,
    file_end: U64,
}

/// The text from one place to the next; `None` in it if it cannot be unpacked.
type Piece = OnceLock<Option<Vec<u8>>>;

impl FrameText {
    /// Creates a text between two places from those of the frames that it is in; `None` if they
    /// cannot be that, or a frame is so long that a game is not worth unpacking it. O(places).
    pub(super) fn new(
        places: Vec<FramePlace>,
        before: GamePlace,
        after: GamePlace,
    ) -> Option<FrameText> {
        let ends = places.iter().skip(1).map(|place| place.in_text());
        let is_short = |(place, end): (&FramePlace, u64)| {
            let length = end.checked_sub(place.in_text());
            length.is_some_and(|length| length <= ZSTD_FRAMES_TEXT_BYTES_MAX as u64)
        };
        let end = after.offset_bytes;
        let is_whole = places
            .first()
            .is_some_and(|first| first.is_until(before.offset_bytes))
            && before.offset_bytes <= end
            && places.is_sorted_by_key(|place| place.in_file())
            && places.iter().zip(ends.chain([end])).all(is_short);
        is_whole.then(|| FrameText {
            places,
            before,
            after,
            is_last: false,
            file_end: u64::MAX,
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
        })
    }

    /// Sets whether no game follows, and an offset of the file behind the frames.
    pub(super) fn ending(mut self, is_last: bool, file_end: u64) -> FrameText {
        (self.is_last, self.file_end) = (is_last, file_end);
        self
    }

    /// Returns an offset of the file behind its frames.
    pub(super) fn file_end(&self) -> u64 {
        self.file_end
    }

    /// Returns whether no game follows.
    pub(super) fn is_last(&self) -> bool {
        self.is_last
    }

    /// Returns the text from bytes that were made of it; `None` if they cannot be that.
    pub(super) fn of_bytes(bytes: &[u8]) -> Option<FrameText> {
        let (head, places) = Head::ref_from_prefix(bytes).ok()?;
        let places = <[FramePlace]>::ref_from_bytes(places).ok()?;
        let text = FrameText::new(places.to_vec(), head.before.get()?, head.after.get()?)?;
        Some(text.ending(head.is_last != 0, head.file_end.get()))
    }

    /// Returns it as bytes: the number of games, lines and bytes before it, then up to its end, 1
    /// if no game follows and 0 otherwise, and an offset of the file behind its frames; then for
    /// each frame its offset in the file and in the text; all 8 bytes, little-endian.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let head = Head {
            before: StoredPlace::new(self.before),
            after: StoredPlace::new(self.after),
            is_last: u64::from(self.is_last).into(),
            file_end: self.file_end.into(),
        };
        [head.as_bytes(), self.places.as_bytes()].concat()
    }

    /// Returns the number of games, lines and bytes before it.
    pub(super) fn before(&self) -> GamePlace {
        self.before
    }

    /// Returns the number of games, lines and bytes up to its end.
    pub(super) fn after(&self) -> GamePlace {
        self.after
    }

    /// Returns the part of the file that its frames are in.
    pub(super) fn range_in_file(&self) -> Range<usize> {
        let offset = |offset: u64| usize::try_from(offset).unwrap_or(usize::MAX);
        let start = self.places.first().map_or(0, FramePlace::in_file);
        offset(start)..offset(self.file_end)
    }

    /// Returns from where the whole text is read on, from an offset in this text or at its end.
    pub(super) fn resume(&self, text: u64) -> Resume {
        let behind = self.places.partition_point(|place| place.is_until(text));
        let place = behind.checked_sub(1).and_then(|last| self.places.get(last));
        Resume {
            place: place.copied().unwrap_or(FramePlace::new(0, 0)),
            text,
        }
    }

    /// Returns a part of the text, less at its end; `None` if it cannot be unpacked. Takes as long
    /// as unpacking the frames that it is in, unless they were used lately.
    pub(super) fn get(&self, packed: &[u8], range: Range<u64>) -> Option<GameBytes<'static>> {
        let at = |offset: u64| {
            self.before
                .offset_bytes
                .saturating_add(offset)
                .min(self.after.offset_bytes)
        };
        let range = at(range.start)..at(range.end);
        let within = |number: usize| -> Option<Range<usize>> {
            let piece = self.text_range(number);
            let place = |at: u64| at.clamp(piece.start, piece.end) - piece.start;
            let (start, end) = (place(range.start), place(range.end));
            Some(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
        };
        let pieces = self.pieces_of(&range);
        if pieces.len() == 1 {
            let (piece, within) = (self.piece(packed, pieces.start), within(pieces.start)?);
            piece.get()?.as_ref()?.get(within.clone())?;
            return Some(GameBytes::Shared(piece, within));
        }
        let mut text = Vec::new();
        for number in pieces {
            let piece = self.piece(packed, number);
            text.extend_from_slice(piece.get()?.as_ref()?.get(within(number)?)?);
        }
        Some(GameBytes::Own(text))
    }

    /// Returns the number of line feeds in a part of the text, as far as it can be unpacked.
    pub(super) fn lines(&self, packed: &[u8], range: Range<u64>) -> u64 {
        let step = ZSTD_FRAMES_TEXT_BYTES_MAX;
        let parts = range.clone().step_by(step).map(|start| {
            let end = range.end.min(start + step as u64);
            let text = self.get(packed, start..end);
            text.map_or(0, |text| memchr_iter(b'\n', &text).count() as u64)
        });
        parts.sum()
    }

    /// Returns the numbers of the pieces that a part of the text is in.
    fn pieces_of(&self, range: &Range<u64>) -> Range<usize> {
        let begun = |at: u64| self.places.partition_point(|place| place.is_until(at));
        let first = begun(range.start).saturating_sub(1);
        first..begun(range.end.saturating_sub(1)).max(first + 1)
    }

    /// Returns where a piece is in the whole text.
    fn text_range(&self, number: usize) -> Range<u64> {
        let begin = |number: usize| self.places.get(number).map(|place| place.in_text());
        let start = begin(number).unwrap_or(self.after.offset_bytes);
        start
            ..begin(number + 1)
                .unwrap_or(self.after.offset_bytes)
                .max(start)
    }

    /// Returns a piece, which is unpacked if it was not used lately.
    fn piece(&self, packed: &[u8], number: usize) -> Arc<Piece> {
        let piece = {
            let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
            let id = (self.id, number);
            let known = latest.iter().rposition(|used| used.id == id);
            let used = known.and_then(|place| latest.remove(place));
            let used = used.unwrap_or_else(|| {
                let range = self.text_range(number);
                let bytes = range.end - range.start;
                make_room(&mut latest, bytes);
                Used {
                    id,
                    bytes,
                    piece: Arc::default(),
                }
            });
            let piece = Arc::clone(&used.piece);
            latest.push_back(used);
            piece
        };
        // Nothing in it waits for other threads, so they may wait for it.
        piece.get_or_init(|| self.unpack(packed, number));
        piece
    }

    fn unpack(&self, packed: &[u8], number: usize) -> Option<Vec<u8>> {
        let start = usize::try_from(self.places.get(number)?.in_file()).ok()?;
        let next = self.places.get(number + 1).map(FramePlace::in_file);
        let end = next.and_then(|end| usize::try_from(end).ok());
        let packed = packed.get(start..end.unwrap_or(packed.len()))?;
        let range = self.text_range(number);
        let length = usize::try_from(range.end.checked_sub(range.start)?).ok()?;
        let mut text = Vec::new();
        let reader = ZstdFrames::alone(Packed::new(packed, BytesRead::default()));
        // What can be read of a damaged frame is not worth much without the rest. Whether there is
        // more tells whether its checksum is right; in the last frame there may be.
        reader.take(length as u64 + 1).read_to_end(&mut text).ok()?;
        if next.is_none() {
            text.truncate(length);
        }
        (text.len() == length).then_some(text)
    }
}

/// Forgets the pieces that were used first until there is room for another.
fn make_room(latest: &mut VecDeque<Used>, bytes: u64) {
    let mut kept: u64 = latest.iter().map(|used| used.bytes).sum();
    while kept + bytes > ZSTD_FRAMES_TEXT_BYTES_MAX as u64
        && let Some(oldest) = latest.pop_front()
    {
        kept -= oldest.bytes;
    }
}

impl Drop for FrameText {
    fn drop(&mut self) {
        let mut latest = LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        latest.retain(|used| used.id.0 != self.id);
    }
}

/// Returns the bytes of the file that a part is in, from the
/// [places](crate::StoredIndex::places) of its index; `None` if they cannot be that.
pub fn bytes_of_part(places: &[u8]) -> Option<Range<usize>> {
    FrameText::of_bytes(places).map(|text| text.range_in_file())
}

/// The text of a game.
#[derive(Debug)]
pub(super) enum GameBytes<'a> {
    /// In the file, or in the text of all games.
    InPlace(&'a [u8]),
    /// In a piece that was unpacked.
    Shared(Arc<Piece>, Range<usize>),
    Own(Vec<u8>),
}

impl Default for GameBytes<'_> {
    fn default() -> Self {
        GameBytes::InPlace(&[])
    }
}

impl Deref for GameBytes<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            GameBytes::InPlace(text) => text,
            GameBytes::Shared(piece, range) => {
                let text = piece.get().and_then(Option::as_ref);
                text.and_then(|text| text.get(range.clone()))
                    .unwrap_or_default()
            }
            GameBytes::Own(text) => text,
        }
    }
}

#[cfg(test)]
mod tests;
