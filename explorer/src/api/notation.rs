//! The moves of all lines of a game, for reading: depth first, as a PGN file has them, in one
//! list. Each names the move it follows, so that nothing is nested, however deep variations go.

use serde::Serialize;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, fen::Fen, san::SanPlus};
use tabiya::{
    Database, Flow, GameId,
    chess::{Start, forgiving_position},
    format::Visitor,
};

use crate::errors::Fault;

/// A move in one of the lines.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Noted {
    /// The place in the list of the move that it follows; null at the start of the game.
    after: Option<usize>,
    /// Variations that it is in, one inside the other; 0 in the main line.
    depth: u16,
    ply: u32,
    uci: String,
    san: String,
    /// The position after the move; null after a move that the rules do not allow.
    fen: Option<String>,
    nags: Vec<u8>,
    /// What a variation begins with, before this move.
    before: Option<String>,
    comment: Option<String>,
}

impl Noted {
    /// Tells whether it has more than a move of the main line.
    pub(super) fn says_more(&self) -> bool {
        let is_plain = self.before.is_none() && self.comment.is_none() && self.nags.is_empty();
        self.depth > 0 || !is_plain
    }

    /// Returns how many variations it is in, one inside the other.
    pub(super) fn depth(&self) -> u16 {
        self.depth
    }
}

/// Returns all moves of a game; of a damaged one those that can be read.
///
/// # Errors
/// When files are missing.
pub(super) fn of(database: &Database, game: GameId) -> Result<Vec<Noted>, Fault> {
    let mut writer = Writer {
        moves: Vec::new(),
        mode: CastlingMode::Standard,
        now: LinePlace::default(),
        before: LinePlace::default(),
        waiting: Vec::new(),
        lead: None,
        begins: true,
    };
    match database.visit_sound(game, &mut writer) {
        Err(error) if !error.is_of_game() => Err(error.into()),
        _ => Ok(writer.moves),
    }
}

/// A place in a line.
#[derive(Debug, Clone)]
struct LinePlace {
    /// The last move before it.
    last: Option<usize>,
    ply: u32,
    /// As long as the moves are legal.
    position: Option<Chess>,
}

impl Default for LinePlace {
    fn default() -> LinePlace {
        LinePlace {
            last: None,
            ply: 0,
            position: Some(Chess::default()),
        }
    }
}

/// Writes moves down as they are told.
struct Writer {
    moves: Vec<Noted>,
    mode: CastlingMode,
    now: LinePlace,
    /// Before the last move, where variations of it begin.
    before: LinePlace,
    /// The same of the lines that go on after the variations being told.
    waiting: Vec<(LinePlace, LinePlace)>,
    /// What was said at the beginning of a variation.
    lead: Option<String>,
    /// Whether no move was told yet in this line.
    begins: bool,
}

impl LinePlace {
    /// Plays a move, `None` for a null move, and returns its SAN, or its squares when the rules
    /// do not allow it.
    fn play(&mut self, played: Option<Move>, uci: &str) -> String {
        self.ply += 1;
        let position = self.position.take();
        let Some(played) = played else {
            self.position = position.and_then(|position| position.swap_turn().ok());
            return "--".to_owned();
        };
        match position {
            Some(mut position) if position.is_legal(played) => {
                let san = SanPlus::from_move_and_play_unchecked(&mut position, played);
                self.position = Some(position);
                san.to_string()
            }
            _ => uci.to_owned(),
        }
    }
}

impl Visitor for Writer {
    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.mode = CastlingMode::detect(setup);
            self.now.position = forgiving_position(setup.clone(), CastlingMode::Chess960).ok();
        }
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let uci = played.map_or("0000".to_owned(), |played| {
            played.to_uci(self.mode).to_string()
        });
        self.before = self.now.clone();
        let san = self.now.play(played, &uci);
        self.now.last = Some(self.moves.len());
        self.begins = false;
        let fen = |position: &Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
        self.moves.push(Noted {
            after: self.before.last,
            depth: u16::try_from(self.waiting.len()).unwrap_or(u16::MAX),
            ply: self.now.ply,
            uci,
            san,
            fen: self.now.position.as_ref().map(fen),
            nags: Vec::new(),
            before: self.lead.take(),
            comment: None,
        });
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if !self.begins
            && let Some(noted) = self.moves.last_mut()
        {
            noted.nags.push(nag);
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let last = self.now.last.and_then(|last| self.moves.get_mut(last));
        let place = match (self.begins, last) {
            (false, Some(noted)) => &mut noted.comment,
            // What stands before the first move of the game is told with the game.
            _ if self.waiting.is_empty() => return Flow::Continue(()),
            _ => &mut self.lead,
        };
        match place {
            Some(comment) => comment.extend([" ", text.trim()]),
            None => *place = Some(text.trim().to_owned()),
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        let before = self.before.clone();
        let now = std::mem::replace(&mut self.now, before);
        self.waiting.push((now, self.before.clone()));
        self.begins = true;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some((now, before)) = self.waiting.pop() {
            (self.now, self.before) = (now, before);
        }
        self.lead = None;
        self.begins = false;
        Flow::Continue(())
    }
}
