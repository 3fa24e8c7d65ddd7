//! Main lines alone, each stored as a game that has nothing else.

use shakmaty::{Move, Setup, fen::Fen};
use tabiya_chess::{Follow, Start, variant::read_start};

use super::{
    super::men::{BLACK, Pieces, STANDARD, Side, Step, WHITE, side_of},
    moves::encode,
};

/// Encodes the main line of one game after the other. [`Blob`](super::super::Blob) reads them.
#[derive(Debug)]
pub(crate) struct LineEncoder {
    pieces: Pieces,
    side: Side,
    bytes: Vec<u8>,
    /// Whether all of the game so far could be encoded.
    is_whole: bool,
}

/// Ends a game, and tells that it has no tags and its own start position.
const GAME_END: u8 = 15;
const NO_TAGS: u8 = 0;
const HAS_FEN: u8 = 1;

impl LineEncoder {
    /// Creates an encoder without a game.
    pub(crate) fn new() -> LineEncoder {
        LineEncoder {
            pieces: STANDARD,
            side: WHITE,
            bytes: Vec::new(),
            is_whole: false,
        }
    }

    /// Begins a game and forgets the last one.
    pub(crate) fn start(&mut self, start: Start<'_>) {
        self.bytes.clear();
        self.bytes.push(NO_TAGS);
        (self.pieces, self.side) = (STANDARD, WHITE);
        self.is_whole = true;
        match start {
            Start::Standard => self.bytes.push(0),
            Start::Custom(setup) => self.is_whole = self.set_up(setup).is_some(),
        }
    }

    /// Begins with a position; `None` if it would not be read back as it is.
    fn set_up(&mut self, setup: &Setup) -> Option<()> {
        let fen = Fen::try_from_setup(setup.clone()).ok()?.to_string();
        let read = read_start(fen.as_bytes()).ok()?;
        self.pieces = Pieces::from_setup(setup).ok()?;
        self.side = side_of(setup.turn);
        self.bytes.push(HAS_FEN);
        self.bytes.extend(fen.as_bytes());
        self.bytes.push(0);
        (read == *setup).then_some(())
    }

    /// Adds a move and passes its changes to a follower, without `ply_done`. Returns `false` if the
    /// move cannot be encoded; the follower must then get the changes from elsewhere.
    #[inline(always)]
    pub(crate) fn play<F: Follow>(&mut self, played: Option<Move>, follow: &mut F) -> bool {
        let side = self.side;
        self.side ^= BLACK;
        if !self.is_whole {
            return false;
        }
        if let Some(Move::Normal {
            from,
            to,
            promotion: None,
            ..
        }) = played
        {
            if let Some(byte) = self.pieces.play_plain(side, from, to, follow) {
                self.bytes.push(byte);
                return true;
            }
            if let Some(bytes) = self.pieces.play_diagonal(side, from, to, follow) {
                self.bytes.extend_from_slice(&bytes);
                return true;
            }
        }
        self.play_odd(side, played, follow)
    }

    #[inline(never)]
    fn play_odd<F: Follow>(&mut self, side: Side, played: Option<Move>, follow: &mut F) -> bool {
        let Ok(encoded) = encode(&self.pieces, side, played) else {
            self.is_whole = false;
            return false;
        };
        // The bytes are decoded at once, so that the pieces move by the reader's rules.
        let step = self.pieces.step(side, encoded.as_slice(), &mut 0, follow);
        self.bytes.extend_from_slice(encoded.as_slice());
        // What the encoder accepts is a move, so that the follower has got all of its changes.
        self.is_whole = step == Ok(Step::Move);
        true
    }

    /// Ends the game and returns its bytes; `None` if they do not tell all of the main line.
    pub(crate) fn finish(&mut self) -> Option<&[u8]> {
        self.bytes.push(GAME_END);
        self.is_whole.then_some(&*self.bytes)
    }
}
