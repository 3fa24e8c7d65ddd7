//! One game: its moves with the engine's evaluations.

use shakmaty::{CastlingMode, Chess, Color, Move, Position, Setup};
use tabiya_chess::{EngineEval, Flow, Follow, GameResult, Start, follow::make};

use super::{
    Layout, codes, flaws,
    header::Head,
    men::Men,
    score::{MoveComment, Score},
};
use crate::{
    Decoded, Visitor,
    bytes::Cursor,
    damage::Flaw,
    damage_at,
    error::{Error, Result},
};

/// One game of a file with its decoded header.
#[derive(Debug, Clone, Copy)]
pub struct Game<'a> {
    bytes: &'a [u8],
    layout: Layout,
    head: Head,
}

/// One move of a game and what is stored with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ply<'a> {
    /// The move that was played.
    pub played: Move,
    /// The side that played it.
    pub turn: Color,
    /// The score of the position before it.
    pub score: Score,
    /// How often the search visited each legal move, scaled so that the most visited has 255, in
    /// ascending order of the moves' codes; empty if not stored. See [`named_visits`].
    pub visits: &'a [u8],
}

/// A move record whose move has not been decoded.
struct Record<'a> {
    code: u16,
    score: Score,
    visits: &'a [u8],
}

impl<'a> Game<'a> {
    /// Reads the header of the game at the beginning of some bytes and finds the game's end.
    /// O(number of moves); does not decode them.
    ///
    /// # Errors
    /// `Corrupt` with the offset if the header is invalid or the bytes end too soon.
    pub fn read(bytes: &'a [u8], layout: Layout) -> Result<(Game<'a>, usize)> {
        Game::find(bytes, layout)
            .map_err(|damage| Error::corrupt(damage.what).at_offset(damage.at.into()))
    }

    pub(super) fn find(bytes: &'a [u8], layout: Layout) -> Decoded<(Game<'a>, usize)> {
        let game = Game::open(bytes, layout)?;
        let mut cursor = Cursor::new(bytes);
        cursor.take(layout.head_bytes());
        while next_record(&mut cursor, layout)?.is_some() {}
        Ok((game, cursor.offset()))
    }

    /// Reads the header only.
    pub(super) fn open(bytes: &'a [u8], layout: Layout) -> Decoded<Game<'a>> {
        let head = Head::read(&mut Cursor::new(bytes), layout);
        head.map(|head| Game {
            bytes,
            layout,
            head,
        })
        .map_err(|what| damage_at(what, 0))
    }

    /// Returns the result; it is never unknown.
    #[must_use]
    pub fn result(&self) -> GameResult {
        self.head.result()
    }

    /// Returns the start position; `None` for the standard one.
    #[must_use]
    pub fn setup(&self) -> Option<Setup> {
        let setup = self.head.setup();
        (setup != Setup::initial()).then_some(setup)
    }

    /// Whether the game is Chess960: some castling right is not one of standard chess.
    #[must_use]
    pub fn is_chess960(&self) -> bool {
        CastlingMode::detect(&self.head.setup()).is_chess960()
    }

    /// Calls `each` with the moves in order until it breaks. Legality is not checked.
    ///
    /// # Errors
    /// `Corrupt` with the offset of a move that is impossible with these men.
    pub fn for_each(&self, each: impl FnMut(Ply<'a>) -> Flow) -> Result<()> {
        self.walk(each)
            .map_err(|damage| Error::corrupt(damage.what).at_offset(damage.at.into()))
    }

    fn walk(&self, mut each: impl FnMut(Ply<'a>) -> Flow) -> Decoded<()> {
        let mut cursor = Cursor::new(self.bytes);
        cursor.take(self.layout.head_bytes());
        let mut men = Men::new();
        let setup = self.head.setup();
        let _ = men.start(Start::Custom(&setup));
        let mut turn = setup.turn;
        loop {
            let at = cursor.offset();
            let Some(record) = next_record(&mut cursor, self.layout)? else {
                return Ok(());
            };
            let played = codes::decode(record.code, &men, turn, self.head.rook_files)
                .ok_or(damage_at(flaws::IMPOSSIBLE_MOVE, at))?;
            make(played, turn, &mut men);
            let ply = Ply {
                played,
                turn,
                score: record.score,
                visits: record.visits,
            };
            if each(ply).is_break() {
                return Ok(());
            }
            turn = turn.other();
        }
    }

    /// Plays the game to a follower; returns the number of plies played.
    ///
    /// The data stored with a move describes the position before it. So each position is shown to
    /// the follower only when the next move has been read.
    pub(super) fn follow<F: Follow>(&self, follow: &mut F) -> Decoded<u32> {
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
        let mut has_seen_enough = false;
        let walked = self.walk(|ply| {
            has_seen_enough = show(follow, Some(ply.eval())).is_break();
            if has_seen_enough {
                return Flow::Break(());
            }
            make(ply.played, ply.turn, follow);
            Flow::Continue(())
        });
        // Nothing is stored about the last position.
        if !has_seen_enough && show(follow, None).is_continue() {
            walked?;
        }
        Ok(plies.unwrap_or_default())
    }

    /// Passes the game to a visitor, with scores as comments on their positions. A header with a
    /// position that the rules do not allow, such as all zeros, is damage.
    pub(super) fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Decoded<()> {
        let start = self.head.position();
        start.map_err(|what| damage_at(what, 0))?;
        if self.is_chess960() && visitor.tag("Variant", "Chess960").is_break() {
            return Ok(());
        }
        let setup = self.setup();
        if visitor.start(start_of(&setup)).is_break() {
            return Ok(());
        }
        self.walk(|ply| {
            visitor.comment(&ply.comment())?;
            visitor.play(Some(ply.played))
        })
    }

    /// Checks everything against the rules of chess while passing the game to a visitor.
    pub(super) fn check<V: Visitor>(&self, visitor: &mut V) -> Decoded<()> {
        let mut position = self.head.position().map_err(|what| damage_at(what, 0))?;
        let _ = visitor.start(start_of(&self.setup()));
        let mut wrong = None;
        self.walk(|ply| {
            wrong = ply.fault(&position);
            if wrong.is_some() {
                return Flow::Break(());
            }
            position.play_unchecked(ply.played);
            let _ = visitor.comment("");
            visitor.play(Some(ply.played))
        })?;
        wrong.map_or(Ok(()), |what| Err(damage_at(what, 0)))
    }
}

impl<'a> Ply<'a> {
    /// Returns the data stored for the position before the move.
    fn eval(&self) -> EngineEval<'a> {
        EngineEval::new(
            self.score.expectation(self.turn),
            self.visits,
            codes::encode,
        )
    }

    /// Returns score and visits as a PGN comment.
    pub(super) fn comment(&self) -> String {
        let told = MoveComment {
            score: self.score,
            turn: self.turn,
            visits: self.visits,
        };
        told.to_string()
    }

    /// Returns how this ply breaks the rules of chess in a position.
    fn fault(&self, position: &Chess) -> Option<Flaw> {
        if !position.is_legal(self.played) {
            return Some(flaws::ILLEGAL_MOVE);
        }
        let fits = self.visits.is_empty() || self.visits.len() == position.legal_moves().len();
        (!fits).then_some(flaws::VISITS_MISCOUNTED)
    }
}

/// Pairs the visits of a ply with their moves, given the position before it; empty if the numbers
/// do not agree. The order is that of the file.
#[must_use]
pub fn named_visits(position: &Chess, visits: &[u8]) -> Vec<(Move, u8)> {
    let mut legal = position.legal_moves().to_vec();
    if legal.len() != visits.len() {
        return Vec::new();
    }
    legal.sort_unstable_by_key(|&played| codes::encode(played));
    legal.into_iter().zip(visits.iter().copied()).collect()
}

fn start_of(setup: &Option<Setup>) -> Start<'_> {
    setup.as_ref().map_or(Start::Standard, Start::Custom)
}

/// Reads a record; `None` at the end of the game.
#[inline]
fn next_record<'a>(cursor: &mut Cursor<'a>, layout: Layout) -> Decoded<Option<Record<'a>>> {
    let cut = damage_at(flaws::FILE_ENDS_IN_GAME, cursor.offset());
    let bytes = |bytes: &[u8]| <[u8; 2]>::try_from(bytes).unwrap_or_default();
    let code = u16::from_le_bytes(bytes(cursor.take(2).ok_or(cut)?));
    if layout == Layout::Policy && code == 0 {
        return Ok(None);
    }
    let score = bytes(cursor.take(2).ok_or(cut)?);
    if layout == Layout::Policy {
        let count = cursor.u8().ok_or(cut)?;
        return Ok(Some(Record {
            code,
            score: Score::Expectation(u16::from_le_bytes(score)),
            visits: cursor.take(count.into()).ok_or(cut)?,
        }));
    }
    if code == 0 && score == [0; 2] {
        return Ok(None);
    }
    Ok(Some(Record {
        code,
        score: Score::Centipawns(i16::from_le_bytes(score)),
        visits: &[],
    }))
}
