//! Writing PGN.
//!
//! One file because every event of a game goes through the same text: its lines are broken, and its
//! moves told apart, as they are appended.

use std::{fmt, fmt::Write as _, io::Write as _};

use shakmaty::{
    CastlingMode, Color, Move, Role, Setup,
    fen::{Fen, LossyFenError},
    san::San,
};
use tabiya_chess::{
    Flow, GameResult, Start,
    light::{Light, Word},
    variant::{Variant, settle_rights},
};

use super::{
    header::{FIRST_MARK_BIT, MARK_LETTERS, fills_header, is_part_of},
    lex::starts_game,
    position::Position,
    san,
};
use crate::{
    EncodedGame,
    error::{Error, Result},
    game::{Encode, GameHeader, Rating, Visitor},
    limits::VARIATION_DEPTH_MAX,
    loss::{GameLosses, Loss},
};

/// Maximum columns of a line of movetext, except for long comments.
const COLUMNS_MAX: usize = 80;

/// A position, if it is known, with the side to move and the move number.
#[derive(Debug, Clone)]
struct Point {
    /// `None` after an illegal move or start position.
    position: Option<Position>,
    turn: Color,
    number: u32,
}

impl Point {
    /// Becomes the same as another.
    #[inline(always)]
    fn copy(&mut self, other: &Point) {
        match (&mut self.position, &other.position) {
            // Nearly always, and without a call.
            (Some(Position::Light(light)), Some(Position::Light(other))) => *light = *other,
            (position, other) => position.clone_from(other),
        }
        (self.turn, self.number) = (other.turn, other.number);
    }
}

/// A line of play: its current point and the one before the latest move.
#[derive(Debug)]
struct Line {
    now: Point,
    before: Point,
}

/// Converts one game to PGN text: create it with the header, pass it the game's events, and call
/// [`finish`](GameText::finish).
///
/// Moves are in SAN. From an illegal move on, or if the start position is not playable, the line
/// continues in long algebraic notation; other programs may reject such a game. `FEN` tags among
/// the events are ignored, since the start position determines that tag.
#[derive(Debug)]
pub struct GameText {
    /// UTF-8.
    text: Vec<u8>,
    /// Bytes of the tags written from the header.
    header_length: usize,
    result: GameResult,
    /// What a tag says of the rules.
    variant: Variant,
    mode: CastlingMode,
    has_setup_tag: bool,
    started: bool,
    line: Line,
    /// The outer lines of the current variation.
    stack: Vec<Line>,
    column: usize,
    /// Whether the next word follows without a space.
    glued: bool,
    /// Whether the line ends with a `;` comment.
    line_is_over: bool,
    /// Whether Black's next move needs its number.
    interrupted: bool,
    too_deep: bool,
    /// Whether some move or the start position is illegal.
    breaks_rules: bool,
    losses: GameLosses,
}

impl GameText {
    /// Begins a game with its header.
    #[must_use]
    pub fn new(header: &GameHeader) -> GameText {
        let start = Point {
            position: Some(Position::Light(Light::STANDARD)),
            turn: Color::White,
            number: 1,
        };
        let mut game = GameText {
            text: Vec::with_capacity(1024),
            header_length: 0,
            result: header.result,
            variant: Variant::Standard,
            mode: CastlingMode::Standard,
            has_setup_tag: false,
            started: false,
            line: Line {
                now: start.clone(),
                before: start,
            },
            stack: Vec::new(),
            column: 0,
            glued: false,
            line_is_over: false,
            interrupted: true,
            too_deep: false,
            breaks_rules: false,
            losses: GameLosses::default(),
        };
        game.header(header);
        game.header_length = game.text.len();
        game
    }

    fn header(&mut self, header: &GameHeader) {
        self.push_tag("Event", &header.event);
        self.push_tag("Site", &header.site);
        self.push_tag("Date", &header.date);
        self.push_tag("Round", &header.round);
        self.push_tag("White", &header.white);
        self.push_tag("Black", &header.black);
        self.push_tag("Result", &header.result);
        for (colour, rating) in [
            ("White", header.white_rating),
            ("Black", header.black_rating),
        ] {
            if let Some(Rating { value, kind }) = rating {
                self.push_tag(&format_args!("{colour}{}", kind.tag_suffix()), &value);
            }
        }
        if let Some(eco) = header.eco {
            self.push_tag("ECO", &eco);
        }
        if !header.event_date.is_unknown() {
            self.push_tag("EventDate", &header.event_date);
        }
        let mut letters = String::new();
        for (index, &letter) in MARK_LETTERS.iter().enumerate() {
            if header.marks >> (index as u32 + FIRST_MARK_BIT) & 1 == 1 {
                letters.push(char::from(letter));
            }
        }
        if !letters.is_empty() {
            self.push_tag("ScidFlags", &letters);
        }
    }

    fn push_tag(
        &mut self,
        name: &(impl fmt::Display + ?Sized),
        value: &(impl fmt::Display + ?Sized),
    ) {
        // Writing to memory cannot fail.
        let _ = write!(self.text, "[{name} \"");
        let _ = write!(Escaped(&mut self.text), "{value}");
        self.text.extend_from_slice(b"\"]\n");
    }

    /// Replaces the value of a header's tag if it was made from this one but does not hold all of
    /// it, such as a year or a rating that is too high. Returns whether it did.
    fn respell(&mut self, name: &str, value: &str) -> bool {
        if !fills_header(name) {
            return false;
        }
        let start = format!("[{name} \"");
        let mut end = 0;
        let mut lines = self.text[..self.header_length].split_inclusive(|&byte| byte == b'\n');
        let place = lines.find_map(|line| {
            end += line.len();
            let held = line.strip_prefix(start.as_bytes())?;
            let held = std::str::from_utf8(held.strip_suffix(b"\"]\n")?).ok()?;
            is_part_of(name, held, value).then_some(end - line.len()..end)
        });
        let Some(place) = place else {
            return false;
        };
        let rest = self.text.split_off(place.end);
        self.text.truncate(place.start);
        self.push_tag(name, value);
        self.header_length += self.text.len();
        self.header_length -= place.end;
        self.text.extend_from_slice(&rest);
        true
    }

    /// Ends the game and returns its text, with an empty line at the end.
    ///
    /// # Errors
    /// `LimitExceeded` if variations were nested deeper than [`VARIATION_DEPTH_MAX`].
    pub fn finish(mut self) -> Result<String> {
        let text = String::from_utf8(self.end()?);
        // Only text was written.
        Ok(text.unwrap_or_default())
    }

    fn end(&mut self) -> Result<Vec<u8>> {
        if self.too_deep {
            return Err(Error::limit(
                "nesting of variations",
                VARIATION_DEPTH_MAX as u64,
            ));
        }
        if !self.started {
            let _ = self.start(Start::Standard);
        }
        while !self.stack.is_empty() {
            let _ = self.end_variation();
        }
        let result = self.result.as_str();
        self.word(result.len());
        self.push(result);
        self.push("\n\n");
        if self.breaks_rules {
            self.losses.add(Loss::BreaksRules);
        }
        Ok(std::mem::take(&mut self.text))
    }

    fn push(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// Writes the space or line break before a word and counts the word's columns.
    fn word(&mut self, width: usize) {
        let glued = std::mem::take(&mut self.glued);
        let gap = usize::from(!glued);
        if self.column == 0 {
            self.column = width;
        } else if self.line_is_over || self.column + gap + width > COLUMNS_MAX {
            self.text.push(b'\n');
            self.column = width;
        } else {
            if !glued {
                self.text.push(b' ');
            }
            self.column += gap + width;
        }
        self.line_is_over = false;
    }

    /// Appends a move, with its number if needed, as one word and plays it.
    fn move_text(&mut self, played: Option<Move>) {
        let point = &mut self.line.now;
        let has_number = point.turn == Color::White || self.interrupted;
        let number = if has_number {
            number_text(point.number, point.turn)
        } else {
            Word::default()
        };
        let word = match played {
            None => Word::text(b"--"),
            Some(played) => play(&mut point.position, played, self.mode),
        };
        if let (None, Some(position)) = (played, &mut point.position) {
            position.pass(self.mode);
        }
        self.breaks_rules |= point.position.is_none();
        if has_number && number.length == 0 {
            return self.late_move_text(word);
        }
        // Both together stay in a register, and copying a fixed number of bytes is faster than
        // copying the exact length.
        let length = (number.length + word.length) as usize;
        let text = u128::from(number.letters) | u128::from(word.letters) << (8 * number.length);
        self.word(length);
        let end = self.text.len() + length;
        self.text.extend_from_slice(&text.to_le_bytes());
        self.text.truncate(end);
    }

    /// Appends a move whose number is longer than a [`Word`].
    #[cold]
    fn late_move_text(&mut self, word: Word) {
        let (number, turn) = (self.line.now.number, self.line.now.turn);
        let dots = turn.fold_wb(".", "...");
        let number = format!("{number}{dots} ");
        self.word(number.len() + word.length as usize);
        self.push(&number);
        word.append_to(&mut self.text);
    }

    fn line_comment(&mut self, line: &str) {
        self.word(line.chars().count() + 1);
        self.push(";");
        self.push(line);
        self.line_is_over = true;
    }

    fn braced_comment(&mut self, text: &str) {
        let mut lines = text.split('\n').map(|line| line.chars().count());
        let first = lines.next().unwrap_or(0);
        let last = lines.next_back();
        self.word(first + if last.is_some() { 1 } else { 2 });
        self.push("{");
        self.push(text);
        self.push("}");
        if let Some(last) = last {
            self.column = last + 1;
        }
    }
}

/// Whether readers would take a comment without `}` for an unclosed one: a game seems to start
/// in it, and a `{` follows.
fn seems_unclosed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let last_brace = text.rfind('{').unwrap_or(0);
    memchr::memchr_iter(b'[', &bytes[..last_brace]).any(|at| starts_game(bytes, at))
}

/// Returns the FEN of a start position for the `FEN` tag.
pub fn fen_of(setup: &Setup) -> Fen {
    Fen::try_from_setup(setup.clone()).unwrap_or_else(LossyFenError::ignore)
}

/// Joins the lines of a comment that is written after a `;`, where each line would be its own
/// comment, or that readers would take for an unclosed one.
fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Plays a move and returns its notation. After an illegal move the position becomes `None`, since
/// SAN cannot express what follows.
#[inline]
fn play(position: &mut Option<Position>, played: Move, mode: CastlingMode) -> Word {
    let word = position.as_mut().and_then(|now| now.write(played, mode));
    word.unwrap_or_else(|| {
        *position = None;
        long(played)
    })
}

/// Returns a move in long algebraic notation.
#[cold]
fn long(played: Move) -> Word {
    let long = match played {
        Move::Normal {
            role,
            from,
            capture,
            to,
            promotion,
        } => San::Normal {
            role,
            file: Some(from.file()),
            rank: Some(from.rank()),
            capture: capture.is_some(),
            to,
            promotion,
        },
        Move::EnPassant { from, to } => San::Normal {
            role: Role::Pawn,
            file: Some(from.file()),
            rank: Some(from.rank()),
            capture: true,
            to,
            promotion: None,
        },
        other => San::disambiguate(other, &shakmaty::MoveList::new()),
    };
    Word::text(long.to_string().as_bytes())
}

impl Encode for GameText {
    type GameMeta = ();

    fn begin(&mut self, header: &GameHeader) {
        *self = GameText::new(header);
    }

    fn finish(&mut self) -> Result<EncodedGame> {
        Ok(EncodedGame {
            bytes: self.end()?,
            losses: self.losses,
            rest: (),
        })
    }
}

impl Visitor for GameText {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        match name {
            "FEN" => return Flow::Continue(()),
            "SetUp" => self.has_setup_tag = true,
            "Variant" => self.variant = Variant::of_tag(value),
            _ => {}
        }
        if self.respell(name, value) {
            return Flow::Continue(());
        }
        if TagName(name).to_string() == "Event" {
            // Readers would start another game there.
            self.losses.add(Loss::SecondEventsDropped);
        } else {
            self.push_tag(&TagName(name), value);
        }
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.started = true;
        if let Start::Custom(setup) = start {
            if !self.has_setup_tag {
                self.push_tag("SetUp", "1");
            }
            let mut setup = setup.clone();
            self.mode = settle_rights(&mut setup, self.variant);
            self.push_tag("FEN", &fen_of(&setup));
            let point = Point {
                position: san::set_up(&setup, self.mode).map(Position::new),
                turn: setup.turn,
                number: setup.fullmoves.get(),
            };
            self.breaks_rules = point.position.is_none();
            self.line.now = point.clone();
            self.line.before = point;
        }
        self.text.push(b'\n');
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.line.before.copy(&self.line.now);
        self.move_text(played);
        let now = &mut self.line.now;
        if now.turn == Color::Black {
            now.number = now.number.saturating_add(1);
        }
        now.turn = !now.turn;
        self.interrupted = false;
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.word(nag.checked_ilog10().unwrap_or(0) as usize + 2);
        let _ = write!(self.text, "${nag}");
        Flow::Continue(())
    }

    fn void_nag(&mut self) -> Flow {
        self.losses.add(Loss::VoidNagsDropped);
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        if text.contains('}') {
            self.line_comment(&one_line(text));
        } else if seems_unclosed(text) {
            self.braced_comment(&one_line(text));
        } else {
            self.braced_comment(text);
        }
        self.interrupted = true;
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        if self.stack.len() >= VARIATION_DEPTH_MAX {
            self.too_deep = true;
            return Flow::Break(());
        }
        let before = self.line.before.clone();
        let inner = Line {
            now: before.clone(),
            before,
        };
        self.stack.push(std::mem::replace(&mut self.line, inner));
        self.word(1);
        self.text.push(b'(');
        self.glued = true;
        self.interrupted = true;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some(outer) = self.stack.pop() {
            self.line = outer;
            self.glued = true;
            self.word(1);
            self.text.push(b')');
            self.interrupted = true;
        }
        Flow::Continue(())
    }
}

/// Returns the number before a move; an empty word if it has more than four digits.
#[inline]
fn number_text(number: u32, turn: Color) -> Word {
    let mut word = Word::default();
    if number >= 10_000 {
        return word;
    }
    for unit in [1000, 100, 10] {
        if number >= unit {
            word.push(b'0' + (number / unit % 10) as u8);
        }
    }
    word.push(b'0' + (number % 10) as u8);
    word.push(b'.');
    if turn == Color::Black {
        word.push(b'.');
        word.push(b'.');
    }
    word.push(b' ');
    word
}

/// Escapes quotes and backslashes in a tag's value; line breaks become spaces.
struct Escaped<'a>(&'a mut Vec<u8>);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            match byte {
                b'"' | b'\\' => self.0.extend([b'\\', byte]),
                b'\n' | b'\r' => self.0.push(b' '),
                _ => self.0.push(byte),
            }
        }
        Ok(())
    }
}

/// A tag's name, with characters that PGN does not allow replaced.
struct TagName<'a>(&'a str);

impl fmt::Display for TagName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |character: char| {
            character.is_ascii_alphanumeric() || character == '_' || !character.is_ascii()
        };
        if !self.0.starts_with(plain) {
            f.write_char('_')?;
        }
        self.0.chars().try_for_each(|character| {
            let breaks = matches!(character, ' ' | '"' | '[' | ']');
            let is_plain = !breaks && !character.is_ascii_control();
            f.write_char(if is_plain { character } else { '_' })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_have_their_numbers_however_many_digits_these_have() {
        let words = [1, 90, 1002, 9999].map(|number| number_text(number, Color::Black));
        let expected = ["1... ", "90... ", "1002... ", "9999... "];
        assert_eq!(words, expected.map(|text| Word::text(text.as_bytes())));
        let mut game = GameText::new(&GameHeader::default());
        let fen = "4k3/8/8/8/8/8/8/4K3 b - - 0 9999";
        let setup = fen.parse::<Fen>().expect("a FEN").into_setup();
        let _ = game.start(Start::Custom(&setup));
        for _ in 0..3 {
            let _ = game.play(None);
        }
        let text = game.finish().expect("a game");
        assert!(
            text.ends_with("\n\n9999... -- 10000. -- -- *\n\n"),
            "{text}"
        );
    }
}
