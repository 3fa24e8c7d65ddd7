//! Checks one game as far as its bytes and its record can be checked.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Setup};

use super::{
    Games,
    facts::{Annotations, Facts},
    game::Blob,
};
use crate::{
    chess::{Flow, Start, forgiving_position},
    format::{Damage, Decoded, Header, Scratch, Visitor},
};

/// What is wrong with a game.
#[derive(Debug)]
pub(crate) enum Fault {
    /// Its bytes contradict the format or its record.
    Damage(Damage),
    /// A move, told in words.
    IllegalMove(String),
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Fault {
        Fault::Damage(damage)
    }
}

/// What a game without faults holds.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Checked {
    pub(crate) main_line_moves: u64,
    pub(crate) all_moves: u64,
    /// What is odd about it and keeps nothing from working.
    pub(crate) oddity: Option<&'static str>,
}

const FORBIDDEN_START: &str =
    "the rules of chess do not allow this start position; moves were not checked by them";
const FORBIDDEN_PASS: &str =
    "a null move leaves a king in check; the moves after it were not checked by the rules";
const NO_PROMOTION: &str = "the index says a promotion that the game does not have";
const SURPLUS: &str = "the game holds more comments than places for them";

impl<R: Header> Games<'_, R> {
    /// Decodes a game wholly and checks its bytes, its moves and its record. Names are not
    /// looked at.
    pub(crate) fn check(&self, record: &R, scratch: &mut Scratch) -> Result<Checked, Fault> {
        let Some(blob) = self.blob(record)? else {
            return Ok(Checked::default());
        };
        let mut rules = Rules::new();
        blob.visit(scratch, &mut rules)?;
        if let Some(illegal) = rules.illegal {
            return Err(Fault::IllegalMove(illegal));
        }
        if has_surplus_comments(&blob, rules.annotations.comments)? {
            rules.oddity.get_or_insert(SURPLUS);
        }
        let mut facts = Facts::STANDARD;
        blob.main_line(scratch, &mut facts)?;
        if facts.lacks_promotions_of(record) {
            rules.oddity.get_or_insert(NO_PROMOTION);
        }
        let contradiction = facts.contradiction(record);
        match contradiction.or_else(|| rules.annotations.contradiction(record)) {
            Some(what) => Err(Fault::Damage(Damage { what, at: 0 })),
            None => Ok(Checked {
                main_line_moves: facts.plies.into(),
                all_moves: rules.moves,
                oddity: rules.oddity,
            }),
        }
    }
}

/// Tells whether more comments are stored than the moves have places for; fewer, or bytes
/// behind the last, are damage.
fn has_surplus_comments(blob: &Blob<'_>, places: usize) -> Decoded<bool> {
    let stored = blob.comments().count();
    let what = if stored < places {
        "a comment is missing"
    } else if !blob.ends_with_comments() {
        "a comment has no end"
    } else {
        return Ok(stored > places);
    };
    Err(Damage { what, at: 0 })
}

/// Plays all lines by the rules of chess and counts annotations.
struct Rules {
    line: Line,
    outer: Vec<Line>,
    moves: u64,
    annotations: Annotations,
    illegal: Option<String>,
    oddity: Option<&'static str>,
}

/// The present position of a line and the one before its last move; `None` where the rules
/// have no position.
#[derive(Clone, Default)]
struct Line {
    position: Option<Chess>,
    before: Option<Chess>,
}

impl Rules {
    fn new() -> Rules {
        Rules {
            line: Line::default(),
            outer: Vec::new(),
            moves: 0,
            annotations: Annotations::default(),
            illegal: None,
            oddity: None,
        }
    }

    #[cold]
    fn found_illegal(&mut self, played: Move, position: &Chess) -> Flow {
        let number = position.fullmoves();
        let dots = position.turn().fold_wb(".", "...");
        let line = match self.outer.len() {
            0 => "the main line",
            _ => "a variation",
        };
        self.illegal = Some(format!("{number}{dots} {played} in {line}"));
        Flow::Break(())
    }
}

impl Visitor for Rules {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.line.position = match start {
            Start::Standard => Some(Chess::default()),
            Start::Custom(setup) => lenient(setup.clone()),
        };
        if self.line.position.is_none() {
            self.oddity = Some(FORBIDDEN_START);
        }
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.moves += 1;
        let Some(position) = &mut self.line.position else {
            self.line.before = None;
            return Flow::Continue(());
        };
        self.line.before = Some(position.clone());
        match played {
            Some(played) if position.is_legal(played) => position.play_unchecked(played),
            Some(played) => {
                let position = position.clone();
                return self.found_illegal(played, &position);
            }
            None => {
                self.line.position = passed(position);
                if self.line.position.is_none() {
                    self.oddity.get_or_insert(FORBIDDEN_PASS);
                }
            }
        }
        Flow::Continue(())
    }

    fn nag(&mut self, _: u8) -> Flow {
        self.annotations.nags += 1;
        Flow::Continue(())
    }

    fn comment(&mut self, _: &str) -> Flow {
        self.annotations.comments += 1;
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.annotations.variations += 1;
        let inner = Line {
            position: self.line.before.clone(),
            before: None,
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some(outer) = self.outer.pop() {
            self.line = outer;
        }
        Flow::Continue(())
    }
}

/// Sets up a position as long as both kings are there and the side that moved is not in check.
fn lenient(setup: Setup) -> Option<Chess> {
    forgiving_position(setup, CastlingMode::Standard).ok()
}

/// The position after a null move.
fn passed(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.swap_turn();
    lenient(setup)
}
