//! The games of a `.sg4` file: sections, the main line, the whole tree.
//!
//! A game consists of four consecutive sections:
//!
//! 1. tags: a length byte n and n bytes of name (241 to 250: the name is implied; 255: three
//!    bytes of an obsolete date and nothing else), a length byte and the value; n = 0 ends
//!    the section;
//! 2. start: one byte (bit 0: a NUL-terminated FEN follows; bits 1 and 2: promotions);
//! 3. moves, one byte each with few exceptions, see [`table`](super::table);
//! 4. NUL-terminated comments, one for each comment token of the moves.

use shakmaty::Color;
use tabiya_chess::{Follow, Rewind, Start, requirements::KingPlaces, text, variant::read_start};

use super::{
    flaws,
    kings::KingWalks,
    moves::{Pieces, STANDARD, Side, Step, is_move, side_of},
};
use crate::{
    Decoded, Scratch, Visitor,
    bytes::Cursor,
    damage_at,
    encoding::Charset,
    limits::VARIATION_DEPTH_MAX,
    walk::{Events, Positions, Walk},
};

/// Names of the tags 241 to 250.
pub(super) const TAG_NAMES: [&str; 10] = [
    "WhiteCountry",
    "BlackCountry",
    "Annotator",
    "PlyCount",
    "EventDate",
    "Opening",
    "Variation",
    "Setup",
    "Source",
    "SetUp",
];

/// The bytes of one game, with its FEN and the offset of its moves.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blob<'a> {
    bytes: &'a [u8],
    fen: Option<&'a [u8]>,
    moves_at: usize,
}

impl<'a> Blob<'a> {
    /// Finds the sections. O(number of tags).
    #[inline]
    pub(crate) fn new(bytes: &'a [u8]) -> Decoded<Blob<'a>> {
        let mut cursor = Cursor::new(bytes);
        let cut = |cursor: &Cursor<'_>| damage_at(flaws::TAGS_CUT, cursor.offset());
        loop {
            match cursor.u8() {
                Some(0) => break,
                Some(_) => skip_tag(bytes, &mut cursor).ok_or_else(|| cut(&cursor))?,
                None => return Err(cut(&cursor)),
            }
        }
        let start = cursor.u8().ok_or_else(|| cut(&cursor))?;
        let fen = match start & 1 {
            0 => None,
            _ => Some(
                cursor
                    .until_nul()
                    .ok_or(damage_at(flaws::START_ENDLESS, cursor.offset()))?,
            ),
        };
        Ok(Blob {
            bytes,
            fen,
            moves_at: cursor.offset(),
        })
    }

    /// Plays the main line to the follower until it breaks or the line ends. Returns the number
    /// of plies played.
    pub(crate) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let mut pieces = STANDARD;
        let (mut side, start) = self.start(scratch, &mut pieces)?;
        if follow.start(start).is_break() {
            return Ok(0);
        }
        let (mut at, mut plies) = (self.moves_at, 0);
        loop {
            match pieces.step(side, self.bytes, &mut at, follow) {
                Ok(Step::Move) => {
                    plies += 1;
                    if follow.look().is_break() {
                        return Ok(plies);
                    }
                    side ^= 16;
                }
                Ok(Step::GameEnd) => return Ok(plies),
                Ok(token) => at = self.skip_token(token, at)?,
                Err(what) => return Err(damage_at(what, at)),
            }
        }
    }

    /// Whether the kings may reach any of these places, see [`KingWalks`]. Always true for a game
    /// with a FEN.
    pub(crate) fn prefilter_kings(&self, places: &KingPlaces) -> bool {
        let moves = self.bytes.get(self.moves_at..).unwrap_or_default();
        let may_reach = |squares| KingWalks::START.may_reach(moves, squares);
        self.fen.is_some() || places.any(may_reach)
    }

    /// Skips a token of the main line, or a whole variation if it starts one.
    fn skip_token(&self, token: Step, at: usize) -> Decoded<usize> {
        match token {
            Step::Nag => Ok(at + 1),
            Step::Comment => Ok(at),
            Step::Variation => self.skip_variation(at),
            _ => Err(damage_at(flaws::VARIATION_NEVER_BEGAN, at - 1)),
        }
    }

    /// Returns the offset after the variation whose first byte is at `at`. Only the byte after
    /// a NAG token can be mistaken for a token, so nothing needs decoding.
    fn skip_variation(&self, mut at: usize) -> Decoded<usize> {
        let mut depth = 1;
        while depth > 0 {
            match self.bytes.get(at) {
                None | Some(15) => return Err(damage_at(flaws::VARIATION_ENDLESS, at)),
                Some(11) => at += 1,
                Some(13) => depth += 1,
                Some(14) => depth -= 1,
                Some(_) => {}
            }
            at += 1;
        }
        Ok(at)
    }

    /// Plays the whole tree to the follower, depth first in the order of a PGN file, until it
    /// breaks. The position before a variation is not visited again.
    pub(crate) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        // The follower ignores comments.
        let comments = Cursor::new(&[]);
        self.walk(scratch, comments, &mut Positions(follow))
    }

    /// Plays the whole game to a visitor: tags, start, moves, variations, comments, NAGs.
    pub(crate) fn visit<V: Visitor + ?Sized>(
        &self,
        charset: Charset,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        for (name, value) in self.tags() {
            if visitor.tag(&name, &charset.decode(value)).is_break() {
                return Ok(());
            }
        }
        let comments = Cursor::new(self.bytes.get(self.moves_end()..).unwrap_or_default());
        self.walk(scratch, comments, &mut Events::new(visitor, charset))
    }

    fn walk<W: Walk>(
        &self,
        scratch: &mut Scratch,
        mut comments: Cursor<'_>,
        walk: &mut W,
    ) -> Decoded<()> {
        let mut pieces = STANDARD;
        let (side, start) = self.start(scratch, &mut pieces)?;
        if walk.start(start).is_break() {
            return Ok(());
        }
        let mut line = Line {
            before: None,
            pieces,
            side,
        };
        let mut lines: Vec<(Line<_>, _)> = Vec::new();
        let mut at = self.moves_at;
        loop {
            if self.bytes.get(at).is_some_and(|&byte| is_move(byte)) {
                line.keep(walk.follow().snapshot());
            }
            let (pieces, follow) = (&mut line.pieces, walk.follow());
            let step = pieces.step(line.side, self.bytes, &mut at, follow);
            let step = step.map_err(|what| damage_at(what, at))?;
            let flow = match step {
                Step::Move => {
                    line.side ^= 16;
                    walk.played()
                }
                Step::GameEnd if lines.is_empty() => return Ok(()),
                Step::Variation => {
                    let no_move = damage_at(flaws::VARIATION_OF_NO_MOVE, at - 1);
                    let branch = line.before.take().ok_or(no_move)?;
                    if lines.len() >= VARIATION_DEPTH_MAX {
                        return Err(damage_at(flaws::NESTED_TOO_DEEP, at - 1));
                    }
                    let present = walk.follow().snapshot();
                    walk.follow().restore(&branch.1);
                    let inner = Line {
                        before: None,
                        pieces: branch.0,
                        side: line.side ^ 16,
                    };
                    line.before = Some(branch);
                    lines.push((std::mem::replace(&mut line, inner), present));
                    walk.begin_variation()
                }
                Step::VariationEnd => {
                    let never_began = damage_at(flaws::VARIATION_NEVER_BEGAN, at - 1);
                    let (outer, present) = lines.pop().ok_or(never_began)?;
                    walk.follow().restore(&present);
                    line = outer;
                    walk.end_variation()
                }
                Step::Nag => {
                    let endless = damage_at(flaws::GAME_ENDLESS, at);
                    let nag = self.bytes.get(at).ok_or(endless)?;
                    at += 1;
                    walk.nag(*nag)
                }
                Step::Comment => walk.comment(comments.until_nul().unwrap_or_default()),
                Step::GameEnd => return Err(damage_at(flaws::VARIATION_ENDLESS, at - 1)),
            };
            if flow.is_break() {
                return Ok(());
            }
        }
    }

    /// Returns the side to move and the start position. `pieces` holds the standard start
    /// position and is replaced if the game has its own.
    #[inline]
    fn start<'s>(
        &self,
        scratch: &'s mut Scratch,
        pieces: &mut Pieces,
    ) -> Decoded<(Side, Start<'s>)> {
        let Some(fen) = self.fen else {
            return Ok((side_of(Color::White), Start::Standard));
        };
        let at = self.moves_at - fen.len() - 1;
        let setup = read_start(fen).map_err(|_| damage_at(flaws::START_NO_FEN, at))?;
        let setup = scratch.setup.insert(setup);
        *pieces = Pieces::from_setup(setup).map_err(|what| damage_at(what, at))?;
        Ok((side_of(setup.turn), Start::Custom(setup)))
    }

    /// Returns the tags that the index does not hold, in the order of the file.
    pub(crate) fn tags(&self) -> impl Iterator<Item = (std::borrow::Cow<'a, str>, &'a [u8])> {
        let mut cursor = Cursor::new(self.bytes);
        std::iter::from_fn(move || {
            loop {
                let length = cursor.u8()?;
                let name = match length {
                    0 => return None,
                    1..=240 => text::decode(cursor.take(length.into())?),
                    241..=250 => TAG_NAMES[usize::from(length) - 241].into(),
                    // Reserved values and the obsolete date have no name.
                    251.. => "".into(),
                };
                if length == 255 {
                    cursor.take(3)?;
                    continue;
                }
                let value_length = cursor.u8()?;
                let value = cursor.take(value_length.into())?;
                if length <= 250 {
                    return Some((name, value));
                }
            }
        })
    }

    /// Returns the game's comments in the order of the file, undecoded.
    pub(crate) fn comments(&self) -> impl Iterator<Item = &'a [u8]> {
        let mut cursor = Cursor::new(self.bytes.get(self.moves_end()..).unwrap_or_default());
        std::iter::from_fn(move || cursor.until_nul())
    }

    /// Whether the last comment ends with its NUL.
    pub(crate) fn ends_with_comments(&self) -> bool {
        let bytes = self.bytes.get(self.moves_end()..).unwrap_or_default();
        bytes.last().is_none_or(|&last| last == 0)
    }

    /// Returns the offset of the comments.
    fn moves_end(&self) -> usize {
        let mut at = self.moves_at;
        while let Some(&byte) = self.bytes.get(at) {
            at += 1;
            match byte {
                15 => return at,
                11 => at += 1,
                _ => {}
            }
        }
        self.bytes.len()
    }
}

/// Skips the rest of the tag whose first byte has just been read.
fn skip_tag(bytes: &[u8], cursor: &mut Cursor<'_>) -> Option<()> {
    match bytes.get(cursor.offset() - 1)? {
        255 => {
            cursor.take(3)?;
            return Some(());
        }
        &name @ 1..=240 => {
            cursor.take(name.into())?;
        }
        _ => {}
    }
    let value = cursor.u8()?;
    cursor.take(value.into())?;
    Some(())
}

/// A line of the tree while it is being read.
struct Line<S> {
    /// The position before the line's last move, where its variations begin.
    before: Option<Kept<S>>,
    pieces: Pieces,
    side: Side,
}

impl<S> Line<S> {
    /// Keeps the position before a move.
    #[inline(always)]
    fn keep(&mut self, snapshot: S) {
        match &mut self.before {
            Some(before) => {
                before.0.copy_men(&self.pieces);
                before.1 = snapshot;
            }
            None => self.before = Some((self.pieces, snapshot)),
        }
    }
}

/// A saved position.
type Kept<S> = (Pieces, S);
