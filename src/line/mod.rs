//! A line of a game: its moves in notation and the final position.

mod all_lines;
mod evals;
mod fen;
mod main_line;
mod point;
mod position;
mod remarks;

pub use self::{
    all_lines::{AllLines, NotedMove},
    main_line::{Excerpt, ListStyle, MainLine, Notation},
    point::Point,
    remarks::Remarks,
};

use shakmaty::{Move, Setup, Square};
use tabiya_chess::{Flow, GameId, MoveId, Start, castling::way, follow::break_if};
use tabiya_formats::{Visitor, error::Result};

use crate::{database::Database, query::without_number};

/// The end point of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineEnd<'a> {
    /// At the end of the main line.
    Last,
    /// After this many half-moves of the main line; 0 is its start.
    Ply(u32),
    /// After this move, which may be in a variation.
    Move(MoveId),
    /// After these moves from the start of the game, in the main line or in a variation: SAN
    /// separated by spaces, with or without move numbers and marks.
    Moves(&'a str),
}

/// A line of a game, from its start.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, GameId, LineEnd};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// if let Some(line) = database.line(GameId(0), LineEnd::Ply(6))? {
///     assert_eq!(line.moves.len(), 6);
///     println!("{}", line.san());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Line {
    /// The start position of the game; `None` for the standard one.
    pub start: Option<Setup>,
    /// The moves.
    pub moves: Vec<LineMove>,
    /// The position after the moves. Castling and en-passant rights are those that the rules give.
    pub end: Setup,
    /// The last move; `None` at the start of the game.
    pub last: Option<MoveId>,
}

/// A move and its notation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LineMove {
    /// The move; `None` for a null move.
    pub played: Option<Move>,
    /// Standard algebraic; same as `uci` if the move is illegal; `--` for a null move.
    pub san: String,
    /// Long algebraic, castling as the king's move; `0000` for a null move.
    pub uci: String,
}

impl Line {
    /// Returns the moves in standard algebraic notation with spaces between them, as
    /// [`LineEnd::Moves`] reads them.
    #[must_use]
    pub fn san(&self) -> String {
        let words: Vec<&str> = self.moves.iter().map(|played| &*played.san).collect();
        words.join(" ")
    }
}

impl LineMove {
    /// Returns the source and target square of the man (castling: of the king); `None` for a null
    /// move.
    #[must_use]
    pub fn squares(&self) -> Option<(Square, Square)> {
        way(self.played?)
    }
}

impl Database {
    /// Returns a line of a game; `None` if the game has no such end point. O(moves of the game).
    ///
    /// ```
    /// use tabiya::{Database, LineEnd, Query, Search};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let database = Database::open("fixtures/famous.si4")?;
    /// let query: Query = "played:Nxe5 white:morphy date:1858".parse()?;
    /// for hit in &Search::new(&query).variations(true).run(&database)? {
    ///     let line = database.line(hit.game, hit.place().unwrap_or(LineEnd::Last))?;
    ///     println!("{}", line.map_or_else(String::new, |line| line.san()));
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Database::visit_sound`]: of a damaged game, what is sound counts.
    pub fn line(&self, game: GameId, end: LineEnd<'_>) -> Result<Option<Line>> {
        let mut reader = Reader::new(end);
        self.visit_sound(game, &mut reader)?;
        Ok(reader.is_there.then(|| reader.finish()))
    }
}

/// Follows a game to an end point.
struct Reader<'a> {
    end: LineEnd<'a>,
    /// The moves of [`LineEnd::Moves`].
    wanted: Vec<&'a str>,
    start: Option<Setup>,
    moves: Vec<LineMove>,
    point: Point,
    /// The position before the last move, where its variations begin.
    before: Point,
    /// Lines to continue after the variations being read.
    waiting: Vec<Waiting>,
    /// Depth of nested variations being skipped.
    passed: usize,
    /// Moves received so far, in all lines.
    told: u32,
    last: Option<MoveId>,
    is_there: bool,
}

/// A line while a variation of its last move is being read.
struct Waiting {
    last: Option<LineMove>,
    /// Moves before that one.
    moves_before: usize,
    point: Point,
    before: Point,
}

impl<'a> Reader<'a> {
    fn new(end: LineEnd<'a>) -> Reader<'a> {
        let wanted = match end {
            LineEnd::Moves(moves) => words(moves).collect(),
            _ => Vec::new(),
        };
        Reader {
            end,
            wanted,
            start: None,
            moves: Vec::new(),
            point: Point::new(Setup::initial()),
            before: Point::new(Setup::initial()),
            waiting: Vec::new(),
            passed: 0,
            told: 0,
            last: None,
            is_there: false,
        }
    }

    /// Whether variations are skipped.
    fn stays_in_main_line(&self) -> bool {
        matches!(self.end, LineEnd::Last | LineEnd::Ply(_))
    }

    /// Stops at the end point.
    fn look(&mut self) -> Flow {
        self.is_there = match self.end {
            LineEnd::Last => true,
            LineEnd::Ply(ply) => self.moves.len() == ply as usize,
            LineEnd::Move(id) => self.last == Some(id),
            LineEnd::Moves(_) => {
                let pairs = self.moves.iter().zip(&self.wanted);
                self.moves.len() == self.wanted.len()
                    && pairs.rev().all(|(have, want)| is_move(&have.san, want))
            }
        };
        break_if(self.is_there && self.end != LineEnd::Last)
    }

    fn finish(self) -> Line {
        Line {
            start: self.start,
            moves: self.moves,
            end: self.point.setup(),
            last: self.last,
        }
    }
}

impl Visitor for Reader<'_> {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.point = Point::new(start.setup());
        self.before = self.point.clone();
        if let Start::Custom(_) = start {
            self.start = Some(self.point.setup());
        }
        self.look()
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.told += 1;
        if self.passed > 0 {
            return Flow::Continue(());
        }
        if !self.stays_in_main_line() {
            self.before = self.point.clone();
        }
        self.moves.push(self.point.play(played));
        self.last = MoveId::from_number(self.told);
        self.look()
    }

    fn begin_variation(&mut self) -> Flow {
        if self.stays_in_main_line() {
            self.passed += 1;
            return Flow::Continue(());
        }
        let inner = self.before.clone();
        self.waiting.push(Waiting {
            last: self.moves.pop(),
            moves_before: self.moves.len(),
            point: std::mem::replace(&mut self.point, inner),
            before: self.before.clone(),
        });
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if self.passed > 0 {
            self.passed -= 1;
        } else if let Some(outer) = self.waiting.pop() {
            self.moves.truncate(outer.moves_before);
            self.point = outer.point;
            self.before = outer.before;
            self.moves.extend(outer.last);
        }
        Flow::Continue(())
    }
}

/// Iterates over the moves in a text, without move numbers.
pub(crate) fn words(moves: &str) -> impl Iterator<Item = &str> {
    let words = moves.split_whitespace().map(without_number);
    words.filter(|word| !word.is_empty())
}

/// Whether a word denotes a move, ignoring marks.
fn is_move(san: &str, word: &str) -> bool {
    let bare = |word: &str| {
        word.trim_end_matches(['+', '#', '!', '?'])
            .replace('0', "O")
    };
    san == word || bare(san) == bare(word)
}
