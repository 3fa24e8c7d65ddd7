//! One game: its moves with scores.

use std::fmt::Write as _;

use shakmaty::{Chess, Color, Move, Position};
use tabiya_chess::{EngineEval, Flow, Follow, Start, follow::make};

use super::{
    START_EXTRA, START_SCORE, codes, flaws,
    header::{HEAD_BYTES, Head},
};
use crate::{
    Decoded, Visitor, damage_at,
    monty::{Men, Score},
    training::Game,
};

/// Bytes of a move and of the end of a game.
pub(super) const MOVE_BYTES: usize = 4;

/// A game with its decoded start.
#[derive(Debug, Clone)]
pub struct ScoredGame<'a> {
    pub(super) head: Head,
    /// The game, to its end or beyond.
    bytes: &'a [u8],
    /// The start, if moves must be checked against the rules.
    rules: Option<Chess>,
}

/// A move with the score of the position before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ply {
    pub(super) played: Move,
    pub(super) turn: Color,
    /// Centipawns for White.
    score: i16,
}

impl<'a> Game<'a> for ScoredGame<'a> {
    fn open(bytes: &'a [u8], sound: bool) -> Decoded<ScoredGame<'a>> {
        let head = bytes.first_chunk::<HEAD_BYTES>();
        let head = Head::read(head.ok_or(damage_at(flaws::FILE_ENDS_IN_GAME, 0))?);
        let head = head.map_err(|what| damage_at(what, 0))?;
        let rules = if sound {
            None
        } else {
            Some(head.position().map_err(|what| damage_at(what, 0))?)
        };
        Ok(ScoredGame { head, bytes, rules })
    }

    /// A score describes the position before its move. So each position is shown to the follower
    /// only when the next move has been read.
    fn follow<F: Follow>(&self, follow: &mut F) -> Decoded<u32> {
        let mut plies: Option<u32> = None;
        let mut show = |follow: &mut F, eval| {
            follow.evaluation(eval);
            plies = Some(plies.map_or(0, |plies| plies + 1));
            match plies {
                Some(0) => follow.start(self.start()),
                _ => follow.ply_done(),
            }
        };
        let (mut has_seen_enough, mut has_moves) = (false, false);
        let walked = self.walk(|ply| {
            has_moves = true;
            has_seen_enough = show(follow, Some(eval(ply.score, ply.turn))).is_break();
            if has_seen_enough {
                return Flow::Break(());
            }
            make(ply.played, ply.turn, follow);
            Flow::Continue(())
        });
        // Nothing is stored about the position after the last move.
        let loose = eval(self.head.score, self.head.setup.turn);
        let last = Some(loose).filter(|_| !has_moves);
        if !has_seen_enough && show(follow, last).is_continue() {
            walked?;
        }
        Ok(plies.unwrap_or_default())
    }

    fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Decoded<()> {
        if self.tags(visitor).is_break() || visitor.start(self.start()).is_break() {
            return Ok(());
        }
        let mut comment = String::new();
        let mut tell = |visitor: &mut V, score: i16| {
            comment.clear();
            let _ = write!(comment, "[%eval {:.2}]", f64::from(score) / 100.0);
            visitor.comment(&comment)
        };
        if self.is_loose() {
            let _ = tell(visitor, self.head.score);
            return Ok(());
        }
        let walked = self.walk(|ply| {
            tell(visitor, ply.score)?;
            visitor.play(Some(ply.played))
        });
        walked.map(drop)
    }
}

impl ScoredGame<'_> {
    /// Returns where the game begins.
    pub(super) fn start(&self) -> Start<'_> {
        self.head.custom().map_or(Start::Standard, Start::Custom)
    }

    /// Whether the game is a position without moves.
    pub(super) fn is_loose(&self) -> bool {
        self.bytes.get(HEAD_BYTES..HEAD_BYTES + MOVE_BYTES) == Some(&[0; MOVE_BYTES])
    }

    fn tags<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        if self.head.is_chess960() {
            visitor.tag("Variant", "Chess960")?;
        }
        if self.head.score != 0 && !self.is_loose() {
            visitor.tag(START_SCORE, &self.head.score.to_string())?;
        }
        if self.head.extra != 0 {
            visitor.tag(START_EXTRA, &self.head.extra.to_string())?;
        }
        Flow::Continue(())
    }

    /// Calls `each` with the moves in order until it breaks. Returns the number of bytes that were
    /// read: those of the game, unless `each` has broken.
    #[inline]
    pub(super) fn walk(&self, mut each: impl FnMut(Ply) -> Flow) -> Decoded<usize> {
        let mut men = Men::new();
        let _ = men.start(Start::Custom(&self.head.setup));
        let mut rules = self.rules.clone();
        let mut turn = self.head.setup.turn;
        let (records, _) = self
            .bytes
            .get(HEAD_BYTES..)
            .unwrap_or_default()
            .as_chunks::<MOVE_BYTES>();
        let mut at = HEAD_BYTES;
        for &[low, high, score_low, score_high] in records {
            let code = u16::from_le_bytes([low, high]);
            let score = i16::from_le_bytes([score_low, score_high]);
            if code == 0 && score == 0 {
                return Ok(at + MOVE_BYTES);
            }
            let played = codes::decode(code, &men, turn);
            let played = played.ok_or(damage_at(flaws::IMPOSSIBLE_MOVE, at))?;
            if let Some(position) = &mut rules {
                if !position.is_legal(played) {
                    return Err(damage_at(flaws::ILLEGAL_MOVE, at));
                }
                position.play_unchecked(played);
            }
            make(played, turn, &mut men);
            let ply = Ply {
                played,
                turn,
                score,
            };
            if each(ply).is_break() {
                return Ok(at);
            }
            turn = turn.other();
            at += MOVE_BYTES;
        }
        Err(damage_at(flaws::FILE_ENDS_IN_GAME, at))
    }
}

/// Returns what the engine thought of a position, by its score in centipawns for White.
fn eval(score: i16, turn: Color) -> EngineEval<'static> {
    EngineEval::new(Score::Centipawns(score).expectation(turn), &[], |_| 0)
}
