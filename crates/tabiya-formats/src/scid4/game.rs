//! The games of a `.sg4` file: sections, the main line, the whole tree.
//!
//! A game consists of four consecutive sections:
//!
//! 1. tags: a length byte n and n bytes of name (241 to 250: the name is implied; 255: three
//!    bytes of an obsolete date and nothing else), a length byte and the value; n = 0 ends
//!    the section;
//! 2. start: one byte (bit 0: a NUL-terminated FEN follows; bits 1 and 2: promotions);
//! 3. moves, one byte each with few exceptions, see [`codes`](super::codes);
//! 4. NUL-terminated comments, one for each comment token of the moves.

use shakmaty::Color;
use tabiya_chess::{
    Flow, Follow, Rewind, Start, requirements::KingPlaces, text, variant::read_start,
};

use super::{
    flaws,
    men::{Pieces, STANDARD, Side, Step, is_move, side_of},
    scan::KingWalks,
};
use crate::{
    Decoded, Scratch, Visitor,
    bytes::Cursor,
    damage_at,
    encoding::Charset,
    walk::{Token, TokenCursor, follow_lines, visit_lines},
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
                    if follow.ply_done().is_break() {
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
        let (position, start) = self.begin(scratch)?;
        follow_lines(self.tokens(Charset::default()), position, start, follow)
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
        let (position, start) = self.begin(scratch)?;
        let comments = Cursor::new(self.bytes.get(self.moves_end()..).unwrap_or_default());
        let tokens = Tokens {
            comments,
            ..self.tokens(charset)
        };
        visit_lines(tokens, position, start, visitor).map(drop)
    }

    /// Returns a cursor over the moves, without the comments.
    fn tokens(&self, charset: Charset) -> Tokens<'a> {
        Tokens {
            bytes: self.bytes,
            at: self.moves_at,
            comments: Cursor::new(&[]),
            charset,
        }
    }

    fn begin<'s>(&self, scratch: &'s mut Scratch) -> Decoded<(Position, Start<'s>)> {
        let mut pieces = STANDARD;
        let (side, start) = self.start(scratch, &mut pieces)?;
        Ok((Position { pieces, side }, start))
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

/// The men and the side to move.
struct Position {
    pieces: Pieces,
    side: Side,
}

impl Clone for Position {
    #[inline(always)]
    fn clone(&self) -> Position {
        Position { ..*self }
    }

    /// Both are of one game, so castling need not be copied.
    #[inline(always)]
    fn clone_from(&mut self, other: &Position) {
        self.pieces.copy_men(&other.pieces);
        self.side = other.side;
    }
}

/// Reads the tokens of a game.
struct Tokens<'a> {
    bytes: &'a [u8],
    /// Offset of the next token.
    at: usize,
    comments: Cursor<'a>,
    charset: Charset,
}

/// A comment, or a NAG as stored; 0 means none.
enum Note {
    Comment,
    Nag(u8),
}

impl TokenCursor for Tokens<'_> {
    type Position = Position;
    type Note = Note;

    #[inline(always)]
    fn may_branch(&self) -> bool {
        self.bytes.get(self.at).is_some_and(|&byte| is_move(byte))
    }

    #[inline(always)]
    fn next<F: Follow>(&mut self, position: &mut Position, follow: &mut F) -> Decoded<Token<Note>> {
        let Position { pieces, side } = position;
        let step = pieces.step(*side, self.bytes, &mut self.at, follow);
        Ok(match step.map_err(|what| damage_at(what, self.at))? {
            Step::Move => {
                *side ^= 16;
                Token::Move
            }
            Step::GameEnd => Token::GameEnd,
            Step::Variation => Token::Begin,
            Step::VariationEnd => Token::End,
            Step::Comment => Token::Note(Note::Comment),
            Step::Nag => {
                let endless = damage_at(flaws::GAME_ENDLESS, self.at);
                let nag = self.bytes.get(self.at).ok_or(endless)?;
                self.at += 1;
                Token::Note(Note::Nag(*nag))
            }
        })
    }

    /// All tokens but moves and NAGs are one byte, and only these are asked for.
    fn token_at(&self) -> usize {
        self.at - 1
    }

    fn tell<V: Visitor + ?Sized>(&mut self, note: Note, visitor: &mut V) -> Flow {
        match note {
            Note::Nag(0) => Flow::Continue(()),
            Note::Nag(nag) => visitor.nag(nag),
            Note::Comment => {
                let comment = self.comments.until_nul().unwrap_or_default();
                visitor.comment(&self.charset.decode(comment))
            }
        }
    }
}
