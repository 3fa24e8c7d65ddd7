//! Writing PGN.
//!
//! One file because every event of a game goes through the same text: its lines are broken, and its
//! moves told apart, as they are appended.

use std::{fmt, fmt::Write as _};

use shakmaty::{
    Chess, Color, Move, Position, Role, Setup,
    fen::{Fen, LossyFenError},
    san::San,
};

use super::{
    header::{FIRST_MARK_BIT, MARK_LETTERS, fills_header, is_part_of},
    lex::starts_game,
    san,
};
use crate::{
    chess::{
        Flow, GameResult, Start,
        variant::{Variant, settle_rights},
    },
    error::{Error, ErrorKind, Result},
    format::{
        EncodedGame,
        game::{Encode, GameHeader, Rating, Visitor},
        loss::{GameLosses, Loss},
    },
    limits::VARIATION_DEPTH_MAX,
};

/// Maximum columns of a line of movetext, except for long comments.
const COLUMNS_MAX: usize = 80;

/// A position, if it is known, with the side to move and the move number.
#[derive(Debug, Clone)]
struct Point {
    /// `None` after an illegal move or start position.
    position: Option<Chess>,
    turn: Color,
    number: u32,
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
    text: String,
    /// Bytes of the tags written from the header.
    header_length: usize,
    result: GameResult,
    /// What a tag says of the rules.
    variant: Variant,
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
            position: Some(Chess::new()),
            turn: Color::White,
            number: 1,
        };
        let mut game = GameText {
            text: String::with_capacity(1024),
            header_length: 0,
            result: header.result,
            variant: Variant::Standard,
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
        // Writing to a string cannot fail.
        let _ = write!(self.text, "[{name} \"");
        let _ = write!(Escaped(&mut self.text), "{value}");
        self.text.push_str("\"]\n");
    }

    /// Replaces the value of a header's tag if it was made from this one but does not hold all of
    /// it, such as a year or a rating that is too high. Returns whether it did.
    fn respell(&mut self, name: &str, value: &str) -> bool {
        if !fills_header(name) {
            return false;
        }
        let start = format!("[{name} \"");
        let mut end = 0;
        let mut lines = self.text[..self.header_length].split_inclusive('\n');
        let place = lines.find_map(|line| {
            end += line.len();
            let held = line.strip_prefix(&start)?.strip_suffix("\"]\n")?;
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
        self.text.push_str(&rest);
        true
    }

    /// Ends the game and returns its text, with an empty line at the end.
    ///
    /// # Errors
    /// `LimitExceeded` if variations were nested deeper than [`VARIATION_DEPTH_MAX`].
    pub fn finish(mut self) -> Result<String> {
        self.end()
    }

    fn end(&mut self) -> Result<String> {
        if self.too_deep {
            return Err(Error::new(ErrorKind::LimitExceeded {
                what: "nesting of variations",
                limit: VARIATION_DEPTH_MAX as u64,
            }));
        }
        if !self.started {
            let _ = self.start(Start::Standard);
        }
        while !self.stack.is_empty() {
            let _ = self.end_variation();
        }
        let result = self.result.as_str();
        self.word(result.len());
        self.text.push_str(result);
        self.text.push_str("\n\n");
        if self.breaks_rules {
            self.losses.add(Loss::BreaksRules);
        }
        Ok(std::mem::take(&mut self.text))
    }

    /// Writes the space or line break before a word and counts the word's columns.
    fn word(&mut self, width: usize) {
        let glued = std::mem::take(&mut self.glued);
        let gap = usize::from(!glued);
        if self.column == 0 {
            self.column = width;
        } else if self.line_is_over || self.column + gap + width > COLUMNS_MAX {
            self.text.push('\n');
            self.column = width;
        } else {
            self.text.push_str(if glued { "" } else { " " });
            self.column += gap + width;
        }
        self.line_is_over = false;
    }

    /// Appends a move, with its number if needed, as one word and plays it.
    fn move_text(&mut self, played: Option<Move>) {
        let mut word = MoveText::new();
        let point = &mut self.line.now;
        if point.turn == Color::White || self.interrupted {
            let dots = point.turn.fold_wb(".", "...");
            let _ = write!(word, "{}{dots} ", point.number);
        }
        let _ = match played {
            None => word.write_str("--"),
            Some(played) => write_san(&mut word, &mut point.position, played),
        };
        if let (None, Some(position)) = (played, &mut point.position) {
            san::pass(position);
        }
        self.breaks_rules |= point.position.is_none();
        self.word(word.as_str().len());
        self.text.push_str(word.as_str());
    }

    fn line_comment(&mut self, line: &str) {
        self.word(line.chars().count() + 1);
        self.text.push(';');
        self.text.push_str(line);
        self.line_is_over = true;
    }

    fn braced_comment(&mut self, text: &str) {
        let mut lines = text.split('\n').map(|line| line.chars().count());
        let first = lines.next().unwrap_or(0);
        let last = lines.next_back();
        self.word(first + if last.is_some() { 1 } else { 2 });
        self.text.push('{');
        self.text.push_str(text);
        self.text.push('}');
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
pub(crate) fn fen_of(setup: &Setup) -> Fen {
    Fen::try_from_setup(setup.clone()).unwrap_or_else(LossyFenError::ignore)
}

/// Joins the lines of a comment that is written after a `;`, where each line would be its own
/// comment, or that readers would take for an unclosed one.
fn one_line(text: &str) -> String {
    let lines = text.split(['\n', '\r']).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join(" ")
}

/// Writes a move and plays it. After an illegal move the position becomes `None`, because SAN
/// cannot express what follows.
fn write_san(word: &mut MoveText, position: &mut Option<Chess>, played: Move) -> fmt::Result {
    if let Some(board) = position {
        let rivals = san::rivals(board, played);
        if rivals.contains(&played) && played.capture() != Some(Role::King) {
            write!(word, "{}", San::disambiguate(played, &rivals))?;
            board.play_unchecked(played);
            // There are few moves out of check even with impossible material, so the list cannot
            // overflow as a list of all moves could.
            return match board.is_check() {
                true if board.legal_moves().is_empty() => word.write_char('#'),
                true => word.write_char('+'),
                false => Ok(()),
            };
        }
    }
    *position = None;
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
    write!(word, "{long}")
}

impl Encode for GameText {
    type Rest = ();

    fn begin(&mut self, header: &GameHeader) {
        *self = GameText::new(header);
    }

    fn finish(&mut self) -> Result<EncodedGame> {
        Ok(EncodedGame {
            bytes: self.end()?.into_bytes(),
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
            let mode = settle_rights(&mut setup, self.variant);
            self.push_tag("FEN", &fen_of(&setup));
            let point = Point {
                position: san::set_up(&setup, mode),
                turn: setup.turn,
                number: setup.fullmoves.get(),
            };
            self.breaks_rules = point.position.is_none();
            self.line.now = point.clone();
            self.line.before = point;
        }
        self.text.push('\n');
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.line.before = self.line.now.clone();
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
        self.text.push('(');
        self.glued = true;
        self.interrupted = true;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some(outer) = self.stack.pop() {
            self.line = outer;
            self.glued = true;
            self.word(1);
            self.text.push(')');
            self.interrupted = true;
        }
        Flow::Continue(())
    }
}

/// Text of one move with its number. The longest is `4294967295... Na1xa1=Q#`.
struct MoveText {
    bytes: [u8; 32],
    length: usize,
}

impl MoveText {
    fn new() -> MoveText {
        MoveText {
            bytes: [0; 32],
            length: 0,
        }
    }

    fn as_str(&self) -> &str {
        // Only ASCII is ever written.
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

impl fmt::Write for MoveText {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let end = self.length + text.len();
        let room = self.bytes.get_mut(self.length..end).ok_or(fmt::Error)?;
        room.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}

/// Escapes quotes and backslashes in a tag's value; line breaks become spaces.
struct Escaped<'a>(&'a mut String);

impl fmt::Write for Escaped<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            match character {
                '"' | '\\' => self.0.extend(['\\', character]),
                '\n' | '\r' => self.0.push(' '),
                _ => self.0.push(character),
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
