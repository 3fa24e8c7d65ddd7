//! One game: a chain of positions, each with its move and score.

use std::fmt::Write as _;

use shakmaty::{Color, Move, Setup};
use tabiya_chess::{EngineEval, Flow, Follow, GameResult, Start, follow::make};

use super::{
    bits::Bits,
    flaws,
    header::{STEM_BYTES, Stem},
    men::Men,
};
use crate::{Decoded, Visitor, damage::Flaw, damage_at, monty::Score, training::Game};

/// Bytes of a stem and of the number of further entries.
pub(super) const HEAD_BYTES: usize = STEM_BYTES + 2;
/// Stands for the score of a position that has none.
const NO_SCORE: i16 = 32_002;

/// A chain with its decoded stem.
#[derive(Debug, Clone)]
pub struct Chain<'a> {
    stem: Stem,
    /// Number of entries after the first.
    further: u16,
    /// What follows, to the end of the chain or beyond.
    rest: &'a [u8],
}

/// A position with its move.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// The move; `None` only in a chain of one entry.
    pub(super) played: Option<Move>,
    turn: Color,
    /// The score for the side to move.
    pub(super) score: Option<i16>,
}

impl<'a> Chain<'a> {
    /// Reads the stem at the beginning of some bytes.
    pub(super) fn read(bytes: &'a [u8]) -> Decoded<Chain<'a>> {
        let head = bytes.split_first_chunk::<HEAD_BYTES>();
        let (head, rest) = head.ok_or(damage_at(flaws::BLOCK_ENDS_IN_GAME, 0))?;
        let [stem @ .., high, low] = head;
        Ok(Chain {
            stem: Stem::read(stem).map_err(|what| damage_at(what, 0))?,
            further: u16::from_be_bytes([*high, *low]),
            rest,
        })
    }

    /// Returns the result; it is never unknown.
    pub(super) fn result(&self) -> GameResult {
        self.stem.result
    }

    /// Returns the start position; `None` for the standard one.
    pub(super) fn setup(&self) -> Option<Setup> {
        self.stem.setup()
    }

    /// Returns the first position.
    pub(super) fn men(&self) -> Men {
        self.stem.men.clone()
    }

    /// Calls `each` with the entries in order until it breaks. `men` are those of the first
    /// position; they make every move before `each` is called with it, so all moves are legal.
    /// Returns the number of bytes that were read: those of the chain, unless `each` has broken.
    #[inline]
    pub(super) fn walk(
        &self,
        men: &mut Men,
        mut each: impl FnMut(Entry) -> Flow,
    ) -> Decoded<usize> {
        let mut bits = Bits::new(self.rest);
        let mut played = self.stem.played().map_err(|what| damage_at(what, 0))?;
        let (mut score, mut at) = (self.stem.score, 0);
        for left in (0..=self.further).rev() {
            let wrong = |what: Flaw| damage_at(what, at);
            let turn = men.turn;
            match played {
                Some(played) => men.play(played).map_err(wrong)?,
                None if left > 0 => return Err(wrong(flaws::NO_MOVE)),
                None => {}
            }
            let entry = Entry {
                played,
                turn,
                score: Some(score).filter(|&score| score != NO_SCORE),
            };
            if each(entry).is_break() || left == 0 {
                break;
            }
            at = HEAD_BYTES + bits.bytes_begun();
            let wrong = |what: Flaw| damage_at(what, at);
            played = Some(next_move(&mut bits, men).map_err(wrong)?);
            let difference = bits.number().map_err(wrong)?;
            score = score.wrapping_neg().wrapping_add(difference);
        }
        Ok(HEAD_BYTES + bits.bytes_begun())
    }
}

impl<'a> Game<'a> for Chain<'a> {
    fn open(bytes: &'a [u8], _: bool) -> Decoded<Chain<'a>> {
        Chain::read(bytes)
    }

    /// A score describes the position before its move. So each position is shown to the follower
    /// only when its score has been read.
    fn follow<F: Follow>(&self, follow: &mut F) -> Decoded<u32> {
        let setup = self.setup();
        let mut plies: Option<u32> = None;
        let mut show = |follow: &mut F, eval| {
            follow.evaluation(eval);
            plies = Some(plies.map_or(0, |plies| plies + 1));
            match plies {
                Some(0) => follow.start(start_of(&setup)),
                _ => follow.ply_done(),
            }
        };
        let (mut has_seen_enough, mut is_shown) = (false, false);
        let walked = self.walk(&mut self.men(), |entry| {
            has_seen_enough = show(follow, entry.eval()).is_break();
            if has_seen_enough {
                return Flow::Break(());
            }
            is_shown = entry.played.is_none();
            if let Some(played) = entry.played {
                make(played, entry.turn, follow);
            }
            Flow::Continue(())
        });
        // Nothing is stored about the position after the last move.
        if !has_seen_enough && (is_shown || show(follow, None).is_continue()) {
            walked?;
        }
        Ok(plies.unwrap_or_default())
    }

    fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Decoded<()> {
        if visitor.start(start_of(&self.setup())).is_break() {
            return Ok(());
        }
        let mut comment = String::new();
        let walked = self.walk(&mut self.men(), |entry| {
            if let Some(pawns) = entry.pawns() {
                comment.clear();
                let _ = write!(comment, "[%eval {pawns:.2}]");
                visitor.comment(&comment)?;
            }
            match entry.played {
                Some(played) => visitor.play(Some(played)),
                None => Flow::Continue(()),
            }
        });
        walked.map(drop)
    }
}

impl Entry {
    /// Returns what the engine thought of the position.
    fn eval(&self) -> Option<EngineEval<'static>> {
        let own = self.score?;
        let white = self.turn.fold_wb(own, own.saturating_neg());
        let expectation = Score::Centipawns(white).expectation(self.turn);
        Some(EngineEval::new(expectation, &[], |_| 0))
    }

    /// Returns the score for White in hundredths of the engine's unit.
    fn pawns(&self) -> Option<f64> {
        let own = i32::from(self.score?);
        let white = self.turn.fold_wb(own, -own);
        Some(f64::from(white) / 100.0)
    }
}

fn start_of(setup: &Option<Setup>) -> Start<'_> {
    setup.as_ref().map_or(Start::Standard, Start::Custom)
}

/// Reads the next move of a position.
#[inline]
fn next_move(bits: &mut Bits<'_>, men: &Men) -> Result<Move, Flaw> {
    let man = bits.index(men.own_count())?;
    let targets = men.targets_of(man).ok_or(flaws::NO_SUCH_MAN)?;
    let number = bits.index(men.move_count(&targets))?;
    let played = men.numbered(&targets, number);
    played.ok_or(flaws::NO_SUCH_TARGET)
}
