//! Checking one game: what can be wrong with it, and its moves by the rules of chess.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Setup};

use super::{Damage, Scratch, View, Visitor};
use crate::chess::{Flow, Start, follow::Ignore, forgiving_position};

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

/// How many annotations a game holds, in all its lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Annotations {
    /// Comment tokens. Scid 4.5 stored empty comments too, and counted them.
    pub(crate) comments: usize,
    pub(crate) variations: usize,
    pub(crate) nags: usize,
}

const FORBIDDEN_START: &str =
    "the rules of chess do not allow this start position; moves were not checked by them";
const FORBIDDEN_PASS: &str =
    "a null move leaves a king in check; the moves after it were not checked by the rules";

/// Checks a game of a format whose records are worked out from the games: its bytes and moves.
pub(super) fn check_moves<V: View>(
    view: V,
    record: &V::Record,
    scratch: &mut Scratch,
) -> Result<Checked, Fault> {
    let mut rules = Rules::new();
    view.visit(record, scratch, &mut rules)?;
    if let Some(illegal) = rules.illegal {
        return Err(Fault::IllegalMove(illegal));
    }
    Ok(Checked {
        main_line_moves: view.main_line(record, scratch, &mut Ignore)?.into(),
        all_moves: rules.moves,
        oddity: rules.oddity,
    })
}

/// Plays all lines by the rules of chess and counts annotations.
pub(super) struct Rules {
    line: Line,
    outer: Vec<Line>,
    /// Half-moves of all lines so far.
    pub(super) moves: u64,
    pub(super) annotations: Annotations,
    /// The first illegal move, in words.
    pub(super) illegal: Option<String>,
    pub(super) oddity: Option<&'static str>,
}

impl Visitor for Annotations {
    fn nag(&mut self, _: u8) -> Flow {
        self.nags += 1;
        Flow::Continue(())
    }

    fn comment(&mut self, _: &str) -> Flow {
        self.comments += 1;
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.variations += 1;
        Flow::Continue(())
    }
}

/// The present position of a line and the one before its last move; `None` where the rules
/// have no position.
#[derive(Clone, Default)]
struct Line {
    position: Option<Chess>,
    before: Option<Chess>,
}

impl Rules {
    pub(super) fn new() -> Rules {
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
    let mode = CastlingMode::detect(&setup);
    forgiving_position(setup, mode).ok()
}

/// The position after a null move.
fn passed(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.swap_turn();
    lenient(setup)
}
