//! Writes the moves of a game as jose does.

use shakmaty::{CastlingSide, Move};
use tabiya_chess::{Flow, GameResult, Start};

use super::{
    codes::{
        CASTLE_KING_SIDE, CASTLE_QUEEN_SIDE, COMMENT, END, GLYPH, GLYPH_LAST, MEN, PROMOTED_MOVE,
        PROMOTION, RESULT, RESULTS, SECOND, VARIATION, VARIATION_END,
    },
    men::{Code, PAWNS, PROMOTED, Pieces, first_slot},
    text,
};
use crate::{
    Visitor,
    error::{Error, Result},
};

/// Encodes the events of a game as the columns `Bin` and `Comments`.
#[derive(Debug, Clone)]
pub struct Encoder {
    bin: Vec<u8>,
    comments: Vec<u8>,
    pieces: Pieces,
    before: Option<Pieces>,
    outer: Vec<(Pieces, Pieces)>,
    fault: Option<&'static str>,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder::new()
    }
}

impl Encoder {
    /// Begins a game.
    #[must_use]
    pub fn new() -> Encoder {
        Encoder {
            bin: Vec::new(),
            comments: Vec::new(),
            pieces: Pieces::new(Start::Standard),
            before: None,
            outer: Vec::new(),
            fault: None,
        }
    }

    /// Ends the game, with a result token if `result` is given. Returns `Bin` and `Comments`.
    ///
    /// # Errors
    /// `Unsupported` for what the format has no codes for: null moves, which older versions of jose
    /// read as king moves, moves of a third knight, bishop or rook or a second queen of the start
    /// position, and variations before the first move.
    pub fn finish(mut self, result: Option<GameResult>) -> Result<(Vec<u8>, Vec<u8>)> {
        if let Some(what) = self.fault {
            return Err(Error::unsupported(what));
        }
        let code = RESULTS.iter().position(|&known| Some(known) == result);
        self.bin.extend(code.map(|code| RESULT + code as u8));
        self.bin.push(END);
        Ok((self.bin, self.comments))
    }

    fn fails(&mut self, what: &'static str) -> Flow {
        self.fault = Some(what);
        Flow::Break(())
    }

    fn append(&mut self, code: Code) {
        match code {
            Code::Castle(CastlingSide::KingSide) => self.bin.push(CASTLE_KING_SIDE),
            Code::Castle(CastlingSide::QueenSide) => self.bin.push(CASTLE_QUEEN_SIDE),
            Code::Promoted(pawn, code) => {
                self.bin.extend([PROMOTED_MOVE + pawn as u8, SECOND | code]);
            }
            Code::Promotion(pawn, direction, promoted) => {
                let role = PROMOTED.iter().position(|&role| role == promoted);
                let second = SECOND | direction << 2 | role.unwrap_or_default() as u8;
                self.bin.extend([PROMOTION + pawn as u8, second]);
            }
            Code::Man(slot, code) => {
                let mut men = MEN.into_iter().rev();
                let man = men.find(|man| first_slot(man.0) <= slot).unwrap_or(MEN[0]);
                let index = (slot - first_slot(man.0)) as u8;
                self.bin.push(man.1 + index * man.2 + code);
            }
        }
    }
}

impl Visitor for Encoder {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.pieces = Pieces::new(start);
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let Some(played) = played else {
            return self.fails("a null move in jose's moves");
        };
        let Some(code) = self.pieces.encode(played) else {
            return self.fails("a move of more men of a kind than jose numbers");
        };
        self.append(code);
        self.before = Some(self.pieces.clone());
        self.pieces.play(Some(played));
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        match nag {
            1..=31 => self.bin.push(GLYPH + nag),
            _ => self.bin.extend([GLYPH, nag]),
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.bin.push(COMMENT);
        text::encode(text, &mut self.comments);
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        let Some(before) = self.before.take() else {
            return self.fails("a variation of no move in jose's moves");
        };
        self.bin.push(VARIATION);
        let now = std::mem::replace(&mut self.pieces, before.clone());
        self.outer.push((now, before));
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.bin.push(VARIATION_END);
        if let Some((now, before)) = self.outer.pop() {
            self.pieces = now;
            self.before = Some(before);
        }
        Flow::Continue(())
    }
}

const _: () = assert!(GLYPH_LAST - GLYPH == 31 && PAWNS == 8);
