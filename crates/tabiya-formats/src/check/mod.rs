//! Checks of one game: its bytes and record, and its moves against the rules of chess.

use shakmaty::{CastlingMode, Chess, EnPassantMode, Move, Position, Setup};
use tabiya_chess::{Flow, RatingKind, Start, forgiving_position, variant::Variant};

pub mod claims;

use self::claims::Truth;
use super::{Damage, Header, Scratch, View, Visitor, damage_at, facts::Facts, flaws};
use crate::damage::Flaw;

/// What is wrong with a game.
#[derive(Debug)]
pub enum Fault {
    /// Its bytes contradict the format or its record.
    Damage(Damage),
    /// A move, described in words.
    IllegalMove(String),
}

impl From<Damage> for Fault {
    fn from(damage: Damage) -> Fault {
        Fault::Damage(damage)
    }
}

/// The contents of a valid game.
#[derive(Debug, Clone, Copy, Default)]
pub struct Checked {
    /// Moves of the main line.
    pub main_line_moves: u64,
    /// Moves of all lines.
    pub all_moves: u64,
    /// Something unusual that does no harm.
    pub oddity: Option<Flaw>,
}

/// Numbers of annotations in all lines of a game.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Annotations {
    /// Comment tokens. Scid 4.5 stored empty comments too, and counted them.
    pub comments: usize,
    /// Number of variations.
    pub variations: usize,
    /// Number of NAGs.
    pub nags: usize,
}

/// The last year that a date holds.
const YEAR_MAX: u64 = 2047;
/// The highest rating that a tag may have.
const RATING_MAX: u64 = 4000;

/// Checks the bytes and moves of a game whose format derives its records from the games.
pub(crate) fn check_moves<V: View>(
    view: V,
    record: &V::Record,
    scratch: &mut Scratch,
) -> Result<Checked, Fault> {
    let (mut rules, mut facts) = (Rules::new(), Facts::STANDARD);
    view.visit(record, scratch, &mut rules)?;
    rules.fault()?;
    view.main_line(record, scratch, &mut facts)?;
    checked(record, &Truth::new(facts, &rules), &rules)
}

/// Compares a record with its game, everything else about which has been checked.
pub(crate) fn checked<R: Header>(
    record: &R,
    truth: &Truth,
    rules: &Rules,
) -> Result<Checked, Fault> {
    match truth.check(record) {
        Err(what) => Err(damage_at(what, 0).into()),
        Ok(oddity) => Ok(Checked {
            main_line_moves: truth.facts.plies.into(),
            all_moves: rules.moves,
            oddity: rules.oddity.or(oddity),
        }),
    }
}

/// Plays all lines by the rules of chess and counts annotations.
pub(crate) struct Rules {
    line: Line,
    outer: Vec<Line>,
    /// Half-moves of all lines so far.
    pub(crate) moves: u64,
    pub(crate) annotations: Annotations,
    /// The first illegal move, in words.
    illegal: Option<String>,
    /// Whether a tag names another variant.
    is_other_variant: bool,
    pub(crate) oddity: Option<Flaw>,
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

/// The current position of a line and the one before its last move; `None` where the rules have no
/// position.
#[derive(Clone, Default)]
struct Line {
    position: Option<Chess>,
    before: Option<Chess>,
}

impl Rules {
    pub(crate) fn new() -> Rules {
        Rules {
            line: Line::default(),
            outer: Vec::new(),
            moves: 0,
            annotations: Annotations::default(),
            illegal: None,
            is_other_variant: false,
            oddity: None,
        }
    }

    /// Returns the fault of the game, if there is one.
    pub(crate) fn fault(&mut self) -> Result<(), Fault> {
        match self.illegal.take() {
            _ if self.is_other_variant => Err(damage_at(flaws::OTHER_VARIANT, 0).into()),
            Some(illegal) => Err(Fault::IllegalMove(illegal)),
            None => Ok(()),
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
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name == "Variant" && Variant::of_tag(value) == Variant::Other {
            self.is_other_variant = true;
            return Flow::Break(());
        }
        self.oddity = self.oddity.or_else(|| too_high(name, value));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.line.position = match start {
            Start::Standard => Some(Chess::default()),
            Start::Custom(setup) => lenient(setup.clone()),
        };
        if self.line.position.is_none() {
            self.oddity = Some(flaws::FORBIDDEN_START);
        }
        Flow::Continue(())
    }

    fn void_nag(&mut self) -> Flow {
        self.oddity.get_or_insert(flaws::UNKNOWN_SIGN);
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
                    self.oddity.get_or_insert(flaws::FORBIDDEN_PASS);
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

/// Reports a year or rating too high for a header to hold.
fn too_high(name: &str, value: &str) -> Option<Flaw> {
    let number = |text: &str| text.trim().parse::<u64>().ok();
    let color = ["White", "Black"].into_iter();
    let suffix = color.filter_map(|color| name.strip_prefix(color)).next();
    let is_rating = |suffix| {
        RatingKind::ALL
            .iter()
            .any(|kind| kind.tag_suffix() == suffix)
    };
    if matches!(name, "Date" | "EventDate") {
        let year = value.split(['.', '-', '/']).next().and_then(number);
        return year
            .filter(|&year| year > YEAR_MAX)
            .map(|_| flaws::LATE_YEAR);
    }
    let rating = suffix
        .filter(|&suffix| is_rating(suffix))
        .and_then(|_| number(value));
    rating
        .filter(|&rating| rating > RATING_MAX)
        .map(|_| flaws::HIGH_RATING)
}

/// Sets up a position if both kings are present and the side that just moved is not in check.
fn lenient(setup: Setup) -> Option<Chess> {
    let mode = CastlingMode::detect(&setup);
    forgiving_position(setup, mode).ok()
}

/// Returns the position after a null move.
fn passed(position: &Chess) -> Option<Chess> {
    let mut setup = position.to_setup(EnPassantMode::Always);
    setup.swap_turn();
    lenient(setup)
}
