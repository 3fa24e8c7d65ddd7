//! Main lines as text, game after game, for bulk output.
//!
//! One file because the moves, the positions and the buffers that hold their text are filled in one
//! pass over a game.

use std::ops::RangeInclusive;

use shakmaty::{CastlingMode, Move, Setup};
use tabiya_chess::{
    EngineEval, Flow, Follow, GameId, Placed, Start,
    castling::castled,
    diagram::Diagram,
    follow::break_if,
    forgiving_position,
    light::{Light, Word},
};
use tabiya_formats::{
    Recorder, Scratch, View as _,
    error::{Error, ErrorKind, Result},
};

use super::{evals::Evals, fen::push_fen, point::Point};
use crate::{
    database::{Database, with_view},
    limits::MAIN_LINE_BYTES_MAX,
};

/// What is written for each half-move of a main line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Notation {
    /// The move in standard algebraic notation, as in [`LineMove::san`](crate::LineMove::san).
    San,
    /// The move in long algebraic notation, as in [`LineMove::uci`](crate::LineMove::uci).
    Uci,
    /// The position after the move, as [`Diagram::fen`] writes it.
    Fen,
}

/// How the half-moves are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ListStyle {
    /// Moves separated by a space, positions by a semicolon.
    Words,
    /// A JSON array.
    Json,
}

/// The half-moves of a main line that are written, counted from 1: all of them by default.
///
/// What is not written is followed on the board up to the last one that is, and decoded no further
/// than is asked.
///
/// ```
/// use tabiya::{Database, Excerpt, GameId, ListStyle, MainLine, Notation};
///
/// # fn main() -> tabiya::Result<()> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let mut line = MainLine::new(ListStyle::Words, &[Notation::Uci]);
/// let mut excerpt = Excerpt::default();
/// excerpt.plies = 1..=2;
/// excerpt.last = true;
/// line.read_excerpt(&database, GameId(0), &excerpt)?;
/// assert_eq!(line.text(Notation::Uci), "e2e4 e7e5 d6e7");
/// assert_eq!(line.told().collect::<Vec<u32>>(), [1, 2, line.plies()]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Excerpt {
    /// These half-moves; none if the range is empty.
    pub plies: RangeInclusive<u32>,
    /// The last half-move too, wherever it is. In a damaged game that is the last one before the
    /// damage.
    pub last: bool,
    /// Whether [`MainLine::plies`] is to count all half-moves, also those after the last that is
    /// written.
    pub counts_all: bool,
}

impl Default for Excerpt {
    fn default() -> Excerpt {
        Excerpt {
            plies: 1..=u32::MAX,
            last: false,
            counts_all: false,
        }
    }
}

/// Reads main lines as text, one game after the other, without allocating for each. Use one per
/// thread.
///
/// ```
/// use tabiya::{Database, GameId, ListStyle, MainLine, Notation};
///
/// # fn main() -> tabiya::Result<()> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let mut line = MainLine::new(ListStyle::Words, &[Notation::San]);
/// line.read(&database, GameId(0))?;
/// assert!(line.text(Notation::San).starts_with("e4 e5 "));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MainLine {
    scratch: Scratch,
    teller: Teller,
}

impl MainLine {
    /// Creates a reader for these notations.
    #[must_use]
    pub fn new(joint: ListStyle, notations: &[Notation]) -> MainLine {
        let wants = |notation| notations.contains(&notation);
        MainLine {
            scratch: Scratch::default(),
            teller: Teller {
                state: State::Light(Light::STANDARD),
                mode: CastlingMode::Standard,
                recorder: Recorder::default(),
                excerpt: Excerpt::default(),
                plies: 0,
                is_written: false,
                start: None,
                san: Texts::new(wants(Notation::San), joint, b' '),
                uci: Texts::new(wants(Notation::Uci), joint, b' '),
                fens: Texts::new(wants(Notation::Fen), joint, b';'),
                is_too_long: false,
                evals: None,
            },
        }
    }

    /// Sets whether the evaluations of engines that the file stores are kept, which
    /// [`evaluation`](MainLine::evaluation) returns. By default they are not.
    #[must_use]
    pub fn evaluations(mut self, wanted: bool) -> MainLine {
        self.teller.evals = wanted.then(Evals::default);
        self
    }

    /// Reads a game's main line, in the time that decoding it takes, and up to three times that for
    /// the moves. After an error, the text before the damage is available.
    ///
    /// # Errors
    /// `NoSuchGame`; `Missing` without a games file; `Corrupt` if the game is damaged;
    /// `LimitExceeded` if a text has more than [`MAIN_LINE_BYTES_MAX`] bytes.
    pub fn read(&mut self, database: &Database, game: GameId) -> Result<()> {
        self.read_excerpt(database, game, &Excerpt::default())
    }

    /// Reads a part of a game's main line: as [`read`](MainLine::read), but nothing is written of
    /// other half-moves, and nothing is decoded after the last that is asked for.
    ///
    /// # Errors
    /// Those of [`read`](MainLine::read); damage after what is decoded is not noticed.
    pub fn read_excerpt(
        &mut self,
        database: &Database,
        game: GameId,
        excerpt: &Excerpt,
    ) -> Result<()> {
        self.teller.excerpt = excerpt.clone();
        self.teller.reset();
        let done = self.decode(database, game);
        self.teller.finish();
        done?;
        if self.teller.is_too_long {
            let kind = ErrorKind::LimitExceeded {
                what: "text of a main line",
                limit: MAIN_LINE_BYTES_MAX as u64,
            };
            return Err(Error::new(kind)
                .in_game(database.number(game))
                .at_path(database.path()));
        }
        Ok(())
    }

    fn decode(&mut self, database: &Database, game: GameId) -> Result<()> {
        database.check(game)?;
        database.require_games()?;
        with_view!(database.tags(), view => {
            let record = view.record(game);
            match view.main_line(record, &mut self.scratch, &mut self.teller) {
                Ok(_) => Ok(()),
                Err(damage) => Err(database.damaged(game, record, damage)),
            }
        })
    }

    /// Returns the number of half-moves that were decoded: all, unless an [`Excerpt`] ends before.
    #[must_use]
    pub fn plies(&self) -> u32 {
        self.teller.plies
    }

    /// Returns the evaluation that training data stores of the position after so many half-moves, 0
    /// being the start; `None` where there is none, or if they are not kept.
    #[must_use]
    pub fn evaluation(&self, ply: u32) -> Option<EngineEval<'_>> {
        self.teller.evals.as_ref()?.of(ply)
    }

    /// Returns which half-moves are written, ascending.
    pub fn told(&self) -> impl Iterator<Item = u32> + use<> {
        let (excerpt, plies) = (&self.teller.excerpt, self.teller.plies);
        let (&first, &end) = (excerpt.plies.start(), excerpt.plies.end());
        let last = (self.teller.tells_last_alone() && plies > 0).then_some(plies);
        (first.max(1)..=end.min(plies)).chain(last)
    }

    /// Returns the start position as FEN; `None` for the standard one.
    #[must_use]
    pub fn start_fen(&self) -> Option<String> {
        let setup = self.teller.start.as_ref();
        setup.map(|setup| Diagram::new(setup).fen())
    }

    /// Returns the half-moves in a requested notation; empty for any other. ASCII.
    #[must_use]
    pub fn text(&self, notation: Notation) -> &str {
        // Only ASCII is ever written.
        std::str::from_utf8(self.bytes(notation)).unwrap_or_default()
    }

    /// Returns the bytes of [`text`](MainLine::text), without its check for UTF-8.
    #[must_use]
    pub fn bytes(&self, notation: Notation) -> &[u8] {
        let texts = match notation {
            Notation::San => &self.teller.san,
            Notation::Uci => &self.teller.uci,
            Notation::Fen => &self.teller.fens,
        };
        &texts.bytes
    }
}

/// The board that plays the moves.
#[derive(Debug)]
enum State {
    Light(Light),
    /// From the first move on that is not recognised as legal.
    Heavy(Point),
}

/// Follows a game and writes it.
#[derive(Debug)]
struct Teller {
    state: State,
    mode: CastlingMode,
    recorder: Recorder,
    excerpt: Excerpt,
    plies: u32,
    /// Whether the last half-move that was played is written.
    is_written: bool,
    /// The start position, if the game has its own.
    start: Option<Setup>,
    san: Texts,
    uci: Texts,
    fens: Texts,
    is_too_long: bool,
    /// If they are wanted.
    evals: Option<Evals>,
}

impl Teller {
    /// Writes a move that is not recognised as legal, or one after such a move.
    #[cold]
    #[inline(never)]
    fn play_heavy(&mut self, played: Option<Move>) {
        if let State::Light(light) = &self.state {
            let point = Point::with_mode(light.setup(), self.mode);
            self.mark_mate();
            self.state = State::Heavy(point);
        }
        if let State::Heavy(point) = &mut self.state {
            let played = point.play(played);
            if self.tells() {
                self.begin_ply();
                self.san.push(played.san.as_bytes());
                self.uci.push(played.uci.as_bytes());
            }
        }
    }

    /// Returns whether the present half-move is among those that are written whatever follows.
    fn is_within(&self) -> bool {
        self.excerpt.plies.contains(&self.plies)
    }

    /// Returns whether the last half-move is written because it is the last.
    fn tells_last_alone(&self) -> bool {
        self.excerpt.last && !self.is_within()
    }

    /// Returns whether the present half-move is written, for now at least.
    fn tells(&self) -> bool {
        self.is_within() || self.excerpt.last
    }

    /// Makes room for the moves of a half-move: one that was written only as the last is not.
    fn begin_ply(&mut self) {
        let is_within = self.is_within();
        for texts in [&mut self.san, &mut self.uci] {
            texts.drop_tail();
            if !is_within {
                texts.tail = Some(texts.bytes.len());
            }
        }
    }

    /// Writes the position.
    fn push_position(&mut self) {
        match &self.state {
            State::Light(light) => {
                self.fens.begin_entry();
                push_fen(light, &mut self.fens.bytes);
                self.fens.end_entry();
            }
            State::Heavy(point) => {
                let fen = Diagram::new(&point.setup()).fen();
                self.fens.push(fen.as_bytes());
            }
        }
    }

    /// Returns whether what is asked needs further half-moves to be decoded.
    fn goes_on(&self) -> bool {
        let excerpt = &self.excerpt;
        excerpt.last || excerpt.counts_all || self.plies < *excerpt.plies.end()
    }

    /// Replaces the check mark after the last move by a mate mark if it is mate. Only possible
    /// after the last legal move.
    fn mark_mate(&mut self) {
        if let State::Light(light) = &self.state
            && self.san.wanted
            && self.is_written
            && light.is_mate(self.mode)
            && let Some(mark) = self.san.last_byte()
        {
            *mark = b'#';
        }
    }

    /// Finishes the texts.
    fn finish(&mut self) {
        self.mark_mate();
        if self.fens.wanted && self.is_written && self.tells_last_alone() {
            self.push_position();
        }
        for texts in [&mut self.san, &mut self.uci, &mut self.fens] {
            texts.finish();
        }
    }
}

impl Follow for Teller {
    fn reset(&mut self) {
        for texts in [&mut self.san, &mut self.uci, &mut self.fens] {
            texts.begin();
        }
        self.recorder = Recorder::default();
        (self.plies, self.is_written, self.is_too_long) = (0, false, false);
        self.start = None;
        if let Some(evals) = &mut self.evals {
            evals.clear();
        }
        self.mode = CastlingMode::Standard;
        self.state = State::Light(Light::STANDARD);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.mode = CastlingMode::detect(setup);
            self.state = match forgiving_position(setup.clone(), self.mode) {
                Ok(position) => State::Light(Light::new(&position)),
                Err(_) => State::Heavy(Point::new(setup.clone())),
            };
            self.start = Some(Point::new(setup.clone()).setup());
        }
        break_if(!self.goes_on())
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.recorder.moved(from, to);
    }

    #[inline(always)]
    fn remove(&mut self, gone: Placed) {
        self.recorder.remove(gone);
    }

    #[inline(always)]
    fn place(&mut self, new: Placed) {
        self.recorder.place(new);
    }

    fn evaluation(&mut self, eval: Option<EngineEval<'_>>) {
        if let Some(evals) = &mut self.evals {
            evals.keep(eval);
        }
    }

    fn ply_done(&mut self) -> Flow {
        let played = self.recorder.take();
        self.plies += 1;
        if !self.excerpt.last && self.plies > *self.excerpt.plies.end() {
            // Only counted.
            return Flow::Continue(());
        }
        let seen = match (&mut self.state, played) {
            (State::Light(light), Some(played)) => light.play(played).zip(Some(played)),
            _ => None,
        };
        let tells = self.tells();
        match seen {
            Some((word, played)) if tells => {
                self.begin_ply();
                if self.san.wanted {
                    self.san.push_word(word);
                }
                if self.uci.wanted {
                    self.uci.push_word(uci(played, self.mode));
                }
            }
            Some(_) => {}
            None => self.play_heavy(played),
        }
        self.is_written = tells;
        if self.fens.wanted && self.is_within() {
            self.push_position();
        }
        let texts = [&self.san, &self.uci, &self.fens];
        self.is_too_long = texts
            .iter()
            .any(|texts| texts.bytes.len() > MAIN_LINE_BYTES_MAX);
        break_if(self.is_too_long || !self.goes_on())
    }
}

/// Returns a move in long algebraic notation.
#[inline]
fn uci(played: Move, mode: CastlingMode) -> Word {
    let (from, to, promotion) = match played {
        Move::Castle { king, rook } if mode == CastlingMode::Standard => {
            (king, castled(king, rook).0, None)
        }
        Move::Castle { king, rook } => (king, rook, None),
        Move::EnPassant { from, to } => (from, to, None),
        Move::Normal {
            from,
            to,
            promotion,
            ..
        } => (from, to, promotion),
        Move::Put { to, .. } => (to, to, None),
    };
    let mut word = Word::default();
    word.square(from);
    word.square(to);
    if let Some(role) = promotion {
        word.push(role.char() as u8);
    }
    word
}

/// Entries one after the other.
#[derive(Debug)]
struct Texts {
    wanted: bool,
    joint: ListStyle,
    separator: u8,
    bytes: Vec<u8>,
    /// Where the last entry begins, if it stays only while nothing follows.
    tail: Option<usize>,
}

impl Texts {
    fn new(wanted: bool, joint: ListStyle, separator: u8) -> Texts {
        Texts {
            wanted,
            joint,
            separator,
            bytes: Vec::new(),
            tail: None,
        }
    }

    fn begin(&mut self) {
        self.bytes.clear();
        self.tail = None;
        if self.wanted && self.joint == ListStyle::Json {
            self.bytes.push(b'[');
        }
    }

    /// Removes an entry that stays only while nothing follows.
    #[inline(always)]
    fn drop_tail(&mut self) {
        if let Some(tail) = self.tail.take() {
            self.bytes.truncate(tail);
        }
    }

    fn begin_entry(&mut self) {
        if self.joint == ListStyle::Json {
            self.bytes.push(b'"');
        }
    }

    /// Ends an entry with the separator before the next.
    fn end_entry(&mut self) {
        match self.joint {
            ListStyle::Json => self.bytes.extend_from_slice(b"\","),
            ListStyle::Words => self.bytes.push(self.separator),
        }
    }

    fn push(&mut self, entry: &[u8]) {
        if self.wanted {
            self.begin_entry();
            self.bytes.extend_from_slice(entry);
            self.end_entry();
        }
    }

    #[inline(always)]
    fn push_word(&mut self, word: Word) {
        // Copying a fixed maximum number of bytes is faster than copying the exact length.
        let (letters, bits) = (u128::from(word.letters), (8 * word.length) & 63);
        let (entry, length) = match self.joint {
            ListStyle::Json => {
                let end = u128::from(u16::from_le_bytes(*b"\","));
                (
                    letters << 8 | u128::from(b'"') | end << (bits + 8),
                    word.length + 3,
                )
            }
            ListStyle::Words => {
                let end = u128::from(self.separator) << bits;
                (letters | end, word.length + 1)
            }
        };
        let end = self.bytes.len() + length as usize;
        self.bytes.extend_from_slice(&entry.to_le_bytes());
        self.bytes.truncate(end);
    }

    /// Returns the last byte of the last entry.
    fn last_byte(&mut self) -> Option<&mut u8> {
        let after = match self.joint {
            ListStyle::Json => 2,
            ListStyle::Words => 1,
        };
        let at = self.bytes.len().checked_sub(after + 1)?;
        self.bytes.get_mut(at)
    }

    fn finish(&mut self) {
        if self.bytes.len() > usize::from(self.joint == ListStyle::Json) {
            // Nothing follows the last entry.
            self.bytes.pop();
        }
        if self.wanted && self.joint == ListStyle::Json {
            self.bytes.push(b']');
        }
    }
}

#[cfg(test)]
mod tests;
