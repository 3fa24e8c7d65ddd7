//! One game of a PGN text: its header, and its moves played on a board.

mod odd_words;

use std::{borrow::Cow, fmt};

use memchr::memchr_iter;
use shakmaty::{CastlingMode, Move, Setup, fen::Fen, san::SanError};
use tabiya_chess::{
    Flow, GameResult, Start,
    light::Light,
    text::decode,
    variant::{Variant, settle_rights},
};

use self::odd_words::Odd;
use super::{
    flaws,
    header::{Tags, Value},
    lex::{Lexer, Token, begins_tag},
    place::GamePlace,
    position::Position,
    san::{self, Word},
    spelling::{Language, looks_like_move},
};
use crate::{
    damage::Flaw,
    error::{Error, ErrorKind, Result},
    game::{GameHeader, Visitor},
    limits::{PGN_TAGS_MAX, VARIATION_DEPTH_MAX},
};

/// Maximum characters of an unreadable move that an error shows.
const SHOWN_CHARS_MAX: usize = 20;

/// One game of a PGN text. The header is parsed; the moves are played on request.
pub struct Game<'a> {
    text: &'a [u8],
    place: GamePlace,
    tags: Tags<'a>,
    setup: Option<Setup>,
    position: Position,
    mode: CastlingMode,
    moves_from: usize,
}

impl<'a> Game<'a> {
    /// Reads the tags and the start position of a text that holds one game.
    pub(super) fn parse(text: &'a [u8], place: GamePlace) -> Result<Game<'a>> {
        let mut game = Game::without_start(text, place);
        game.set_up()?;
        Ok(game)
    }

    /// Reads the tags but not the start position in them. Only the header and the tags of such a
    /// game are valid.
    pub(super) fn without_start(text: &'a [u8], place: GamePlace) -> Game<'a> {
        let mut game = Game {
            text,
            place,
            tags: Tags::new(),
            setup: None,
            position: Position::Light(Light::STANDARD),
            mode: CastlingMode::Standard,
            moves_from: 0,
        };
        let (moves_from, tags_end) = read_tags(text, |name, value, offset| {
            game.tags.add(name, value, offset);
        });
        game.moves_from = moves_from;
        game.tags.finish();
        if !game.tags.has_result {
            game.tags.header.result = last_result(text, tags_end).unwrap_or_default();
        }
        game
    }

    fn set_up(&mut self) -> Result<()> {
        match start_of(&self.tags) {
            Ok(Some((setup, position, mode))) => {
                (self.position, self.mode) = (position, mode);
                self.setup = Some(setup);
                Ok(())
            }
            Ok(None) => Ok(()),
            Err((kind, offset)) => Err(self.fault(kind, offset)),
        }
    }

    /// Returns the game's place in its file.
    #[must_use]
    pub fn place(&self) -> GamePlace {
        self.place
    }

    /// Returns the header. Missing names are `?`; without a readable `Result` tag, the result is
    /// that at the end of the movetext.
    #[must_use]
    pub fn header(&self) -> &GameHeader {
        &self.tags.header
    }

    /// Passes the whole game to a visitor; every move is legal. O(length of the game).
    ///
    /// # Errors
    /// `IllegalMove` for a move that is illegal or unreadable, `Corrupt` for ambiguous moves,
    /// moves after the result, unclosed comments and unmatched brackets, `LimitExceeded` for
    /// variations nested deeper than [`VARIATION_DEPTH_MAX`]. All name the line, byte and game.
    /// The visitor has then received what is sound: the main line up to the fault, or all of it if
    /// only variations are faulty, and all variations up to their first fault.
    pub fn replay<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Result<()> {
        for (name, value) in self.tags.rest() {
            if visitor.tag(&name, &value).is_break() {
                return Ok(());
            }
        }
        self.play(Lines::All, visitor)
            .map_err(|(kind, offset)| self.fault(kind, offset))
    }

    /// Passes the game without its tags to a visitor.
    pub(super) fn play<V: Visitor + ?Sized>(&self, lines: Lines, visitor: &mut V) -> Played {
        if visitor.start(self.start()).is_break() {
            return Ok(());
        }
        let board = Board::new(self.position.clone(), self.mode);
        play_moves(self.text, self.moves_from, board, lines, visitor)
    }

    pub(super) fn start(&self) -> Start<'_> {
        self.setup.as_ref().map_or(Start::Standard, Start::Custom)
    }

    /// Returns the game's text, and the offset at which its moves and comments begin.
    pub(super) fn movetext(&self) -> (&'a [u8], usize) {
        (self.text, self.moves_from)
    }

    /// Returns the tags that the header does not hold.
    pub(super) fn tags(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.tags.rest()
    }

    /// Returns an error at this offset in the game's text.
    fn fault(&self, kind: ErrorKind, offset: usize) -> Error {
        let before = self.text.get(..offset).unwrap_or(self.text);
        Error::new(kind)
            .in_game(self.place.number)
            .at_line(self.place.line + memchr_iter(b'\n', before).count() as u64)
            .at_offset(self.place.offset_bytes + offset as u64)
    }
}

impl fmt::Debug for Game<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Game")
            .field("place", &self.place)
            .field("header", &self.tags.header)
            .finish_non_exhaustive()
    }
}

/// A start position, as text says it and on a board.
pub(super) type OwnStart = (Setup, Position, CastlingMode);

/// Returns the start position in a game's tags, even if it is the standard one: databases
/// distinguish the two. `None` without one. An error has its offset in the game's text.
pub(super) fn start_of(tags: &Tags<'_>) -> Result<Option<OwnStart>, (ErrorKind, usize)> {
    let variant = tags.variant.unwrap_or(Variant::Standard);
    if variant == Variant::Other {
        let what = "playing another variant of chess";
        return Err((ErrorKind::Unsupported { what }, 0));
    }
    if tags.too_many {
        let (what, limit) = ("the number of tags of the game", PGN_TAGS_MAX as u64);
        return Err((ErrorKind::LimitExceeded { what, limit }, 0));
    }
    let Some((fen, offset)) = &tags.fen else {
        return Ok(None);
    };
    let fault = |what| (corrupt(what), *offset);
    if tags.two_fens {
        return Err(fault(flaws::FENS_DIFFER));
    }
    start_of_fen(fen.as_bytes(), variant)
        .map(Some)
        .map_err(fault)
}

/// Returns the start position that a FEN tells in a game of a variant.
pub(super) fn start_of_fen(fen: &[u8], variant: Variant) -> Result<OwnStart, Flaw> {
    let fen = Fen::from_ascii(fen).map_err(|_| flaws::FEN_UNREADABLE)?;
    let mut setup = fen.into_setup();
    let mode = settle_rights(&mut setup, variant);
    let position = san::set_up(&setup, mode).ok_or(flaws::FEN_UNPLAYABLE)?;
    Ok((setup, Position::new(position), mode))
}

/// Reads the tags of a game. Returns the offset at which its moves and comments begin, and the
/// end of the tags.
fn read_tags<'a>(
    text: &'a [u8],
    mut each: impl FnMut(&'a [u8], Value<'a>, usize),
) -> (usize, usize) {
    let mut lexer = Lexer::at(text, 0);
    let (mut has_tags, mut comes_first) = (false, false);
    loop {
        match lexer.next() {
            Token::Tag { name, value } => {
                has_tags = true;
                each(name, Value::new(value), lexer.start());
                while let Some((name, value)) = lexer.next_plain_tag() {
                    each(name, Value::plain(value), lexer.start());
                }
            }
            // Comments before the first tag are visited with the moves.
            Token::Comment(_) if !has_tags => comes_first = true,
            _ => break,
        }
    }
    let tags_end = lexer.start();
    (if comes_first { 0 } else { tags_end }, tags_end)
}

/// Returns the offset at which the moves and comments of a game begin.
pub(super) fn moves_from(text: &[u8]) -> usize {
    read_tags(text, |_, _, _| {}).0
}

/// Whether a text begins with a tag or a legal move.
pub(super) fn begins_as_pgn(text: &[u8]) -> bool {
    let mut begun = Begun(false);
    begins_tag(text)
        || Game::parse(text, GamePlace::NOWHERE).is_ok_and(|game| {
            let _ = game.replay(&mut begun);
            begun.0
        })
}

/// Whether a move was played. Stops there.
struct Begun(bool);

impl Visitor for Begun {
    fn play(&mut self, _: Option<Move>) -> Flow {
        self.0 = true;
        Flow::Break(())
    }
}

/// Whether the `Result` tag of a game and its movetext name two results.
pub(super) fn results_differ(text: &[u8]) -> bool {
    let game = Game::without_start(text, GamePlace::NOWHERE);
    let told = last_result(text, game.moves_from).filter(|told| *told != GameResult::Unknown);
    game.tags.has_result && told.is_some_and(|told| told != game.tags.header.result)
}

/// Returns the comments of a game, undecoded. Text after the game has none.
pub(super) fn comments(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut lexer = Lexer::at(text, moves_from(text));
    let (mut depth, mut ended) = (0_usize, false);
    std::iter::from_fn(move || {
        loop {
            match lexer.next() {
                Token::Comment(comment) => return Some(comment),
                Token::Open => depth += 1,
                Token::Close => depth = depth.saturating_sub(1),
                Token::Result(_) => ended |= depth == 0,
                Token::Word(word) if ended && !looks_like_move(word) => lexer.skip_line(),
                Token::End => return None,
                _ => {}
            }
        }
    })
}

/// Which lines to play. In skipped variations only brackets and comment ends are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lines {
    All,
    Main,
}

/// The result of playing a game; an error has its offset in the game's text.
pub(super) type Played = Result<(), (ErrorKind, usize)>;

/// Plays moves from a position and passes them to a visitor.
pub(super) fn play_moves<V: Visitor + ?Sized>(
    text: &[u8],
    from: usize,
    mut board: Board,
    lines: Lines,
    visitor: &mut V,
) -> Played {
    let mut lexer = Lexer::at(text, from);
    let (start, mut fault) = (board.clone(), None);
    loop {
        let token = lexer.next();
        let step = match token {
            Token::End if board.stack.is_empty() => return fault.map_or(Ok(()), Err),
            Token::End => Err(corrupt(flaws::VARIATION_UNCLOSED)),
            Token::Open if lines == Lines::Main => skip_variation(&mut lexer),
            Token::Open if board.misplaces(&lexer) => Err(corrupt(flaws::VARIATION_MISPLACED)),
            Token::Close if lines == Lines::Main => Ok(Flow::Continue(())),
            token => match board.step(token, visitor) {
                Ok(Flow::Continue(())) if matches!(token, Token::Word(_) | Token::Comment(_)) => {
                    board.plain_moves(&mut lexer, visitor)
                }
                step => step,
            },
        };
        let step = step.or_else(|kind| {
            let odd = Odd { text, from, kind };
            board.odd_word(odd, &start, &mut lexer, visitor)
        });
        match step {
            Ok(flow) if flow.is_break() => return fault.map_or(Ok(()), Err),
            Ok(_) => {}
            Err(kind) => {
                let first = fault.get_or_insert((kind, lexer.start())).clone();
                if visitor.damaged().is_break() || !board.go_on(token, &mut lexer, visitor) {
                    return Err(first);
                }
            }
        }
    }
}

/// Skips a variation whose opening bracket has been read.
fn skip_variation(lexer: &mut Lexer<'_>) -> Result<Flow, ErrorKind> {
    let mut depth = 1_usize;
    while depth > 0 {
        match lexer.next() {
            Token::Open => depth += 1,
            Token::Close => depth -= 1,
            Token::UnclosedComment => return Err(corrupt(flaws::COMMENT_UNCLOSED)),
            Token::End => return Err(corrupt(flaws::VARIATION_UNCLOSED)),
            _ => {}
        }
    }
    Ok(Flow::Continue(()))
}

/// Returns the result of the movetext; results inside variations do not count.
fn last_result(text: &[u8], from: usize) -> Option<GameResult> {
    let mut lexer = Lexer::at(text, from);
    let mut depth = 0_usize;
    loop {
        match lexer.next() {
            Token::Open => depth += 1,
            Token::Close => depth = depth.saturating_sub(1),
            Token::Result(result) if depth == 0 => return Some(result),
            Token::End => return None,
            _ => {}
        }
    }
}

/// A line of play: the position and the one before the latest move, where variations start.
#[derive(Clone)]
struct Line {
    now: Position,
    before: Option<Position>,
}

/// The board on which a game is played.
#[derive(Clone)]
pub(super) struct Board {
    line: Line,
    /// The language of the pieces' letters, if it is not English.
    language: Option<&'static Language>,
    /// Whether other languages have been tried, which takes as long as the game some times over.
    tried_languages: bool,
    mode: CastlingMode,
    /// The outer lines of the current variation.
    stack: Vec<Line>,
    ended: bool,
}

impl Board {
    /// Creates the board of a game from the standard start position.
    pub(super) fn standard() -> Board {
        Board::new(Position::Light(Light::STANDARD), CastlingMode::Standard)
    }

    pub(super) fn new(position: Position, mode: CastlingMode) -> Board {
        Board {
            mode,
            language: None,
            tried_languages: false,
            line: Line {
                now: position,
                before: None,
            },
            stack: Vec::new(),
            ended: false,
        }
    }

    /// Processes a token.
    #[inline]
    pub(super) fn step<V: Visitor + ?Sized>(
        &mut self,
        token: Token<'_>,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        match token {
            Token::Word(word) => self.word(word, visitor),
            Token::Comment(text) => Ok(visitor.comment(&decode(text))),
            Token::Nag(0) => Ok(visitor.void_nag()),
            Token::Nag(nag) => Ok(visitor.nag(nag)),
            Token::Open => self.open(visitor),
            Token::Close => self.close(visitor),
            Token::Result(_) => {
                self.ended |= self.stack.is_empty();
                Ok(Flow::Continue(()))
            }
            Token::UnclosedComment => Err(corrupt(flaws::COMMENT_UNCLOSED)),
            Token::Tag { .. } | Token::End => Ok(Flow::Continue(())),
        }
    }

    /// Plays the moves that follow a word or a comment, as far as they are spelled as the standard
    /// demands.
    #[inline]
    pub(super) fn plain_moves<V: Visitor + ?Sized>(
        &mut self,
        lexer: &mut Lexer<'_>,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        if self.language.is_some() || self.ended {
            return Ok(Flow::Continue(()));
        }
        let mut next = lexer.next_move();
        let Position::Light(light) = &mut self.line.now else {
            return match next {
                Some(_) => self.word(lexer.text_of(lexer.latest()), visitor),
                None => Ok(Flow::Continue(())),
            };
        };
        while let Some(meaning) = next {
            let token = lexer.latest();
            // Read ahead: while this move is played, the processor reads the next.
            next = lexer.next_move();
            if next.is_none() {
                // Only the last of these moves can have variations.
                self.line.before = Some(Position::Light(*light));
            }
            let Some(played) = light.play_meant(meaning) else {
                lexer.go_back_to(token.clone());
                return self.word(lexer.text_of(token), visitor);
            };
            if visitor.play(Some(played)).is_break() {
                return Ok(Flow::Break(()));
            }
        }
        Ok(Flow::Continue(()))
    }

    /// Whether a variation of the main line, whose bracket has been read, begins with a move number
    /// of the other side and cannot be played where it is: it goes on instead of replacing.
    fn misplaces(&self, lexer: &Lexer<'_>) -> bool {
        let mut ahead = lexer.clone();
        let Some(before) = self.line.before.as_ref().filter(|_| self.stack.is_empty()) else {
            return false;
        };
        let (Token::Word(_), Some(is_black)) = (ahead.next(), ahead.numbered_side()) else {
            return false;
        };
        if is_black == before.is_black_to_move() {
            return false;
        }
        let (mut trial, mut ahead) = (self.clone(), lexer.clone());
        let mut played = trial.open(&mut Nobody);
        while played.is_ok() && trial.is_in_variation() {
            played = match ahead.next() {
                Token::End => return true,
                token => trial.step(token, &mut Nobody),
            };
        }
        played.is_err()
    }

    /// Goes on after the variation that a token damages. Returns `false` if what is damaged is the
    /// main line, or has no end.
    #[cold]
    fn go_on<V: Visitor + ?Sized>(
        &mut self,
        token: Token<'_>,
        lexer: &mut Lexer<'_>,
        visitor: &mut V,
    ) -> bool {
        match token {
            // It was not begun, or had ended.
            Token::Open => skip_variation(lexer).is_ok(),
            Token::Close => true,
            Token::End | Token::UnclosedComment => false,
            _ => {
                let is_aside = !self.stack.is_empty() && skip_variation(lexer).is_ok();
                is_aside && self.close(visitor).is_ok_and(|flow| flow.is_continue())
            }
        }
    }

    #[inline]
    fn word<V: Visitor + ?Sized>(
        &mut self,
        word: &[u8],
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        if self.ended {
            return Err(corrupt(flaws::MOVES_AFTER_RESULT));
        }
        let english = match self.language {
            Some(language) => language.in_english(word).ok_or_else(|| illegal(word))?,
            None => Cow::Borrowed(word),
        };
        let (line, word) = (&mut self.line, &*english);
        match san::read_word(word) {
            Some(Word::San(san, nag)) => {
                let before = line.now.clone();
                let played = line.now.play(san, self.mode);
                let played = played.map_err(|error| refused(error, word))?;
                line.before = Some(before);
                let flow = visitor.play(Some(played));
                match nag {
                    Some(nag) if flow.is_continue() => Ok(visitor.nag(nag)),
                    _ => Ok(flow),
                }
            }
            Some(Word::Null) => {
                line.before = Some(line.now.clone());
                line.now.pass(self.mode);
                Ok(visitor.play(None))
            }
            Some(Word::Nag(nag)) => Ok(visitor.nag(nag)),
            Some(Word::Remark) if line.before.is_some() => Ok(Flow::Continue(())),
            Some(Word::Remark) | None => Err(illegal(word)),
        }
    }

    /// Whether a variation has not ended.
    pub(super) fn is_in_variation(&self) -> bool {
        !self.stack.is_empty()
    }

    fn open<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<Flow, ErrorKind> {
        if self.stack.len() >= VARIATION_DEPTH_MAX {
            return Err(ErrorKind::LimitExceeded {
                what: "nesting of variations",
                limit: VARIATION_DEPTH_MAX as u64,
            });
        }
        let before = self.line.before.clone();
        let now = before.ok_or_else(|| corrupt(flaws::VARIATION_WITHOUT_MOVE))?;
        let outer = std::mem::replace(&mut self.line, Line { now, before: None });
        self.stack.push(outer);
        Ok(visitor.begin_variation())
    }

    fn close<V: Visitor + ?Sized>(&mut self, visitor: &mut V) -> Result<Flow, ErrorKind> {
        let outer = self.stack.pop();
        self.line = outer.ok_or_else(|| corrupt(flaws::CLOSED_NOT_OPENED))?;
        Ok(visitor.end_variation())
    }
}

/// A visitor that ignores everything.
pub(super) struct Nobody;

impl Visitor for Nobody {}

fn corrupt(what: Flaw) -> ErrorKind {
    ErrorKind::Corrupt { what }
}

fn refused(error: SanError, word: &[u8]) -> ErrorKind {
    match error {
        SanError::IllegalSan => illegal(word),
        SanError::AmbiguousSan => corrupt(flaws::AMBIGUOUS_MOVE),
    }
}

fn illegal(word: &[u8]) -> ErrorKind {
    let shown = word.get(..4 * SHOWN_CHARS_MAX).unwrap_or(word);
    ErrorKind::IllegalMove(decode(shown).chars().take(SHOWN_CHARS_MAX).collect())
}
