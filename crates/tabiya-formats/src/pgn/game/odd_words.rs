//! Words of movetext that cannot be read as the standard has them: in another spelling, in another
//! language, or no moves at all.

use shakmaty::san::San;
use tabiya_chess::Flow;

use super::{Board, Nobody, illegal, refused};
use crate::{
    error::ErrorKind,
    game::Visitor,
    pgn::{
        flaws,
        lex::{Lexer, Token},
        san,
        spelling::{self, Language, looks_like_move},
    },
};

/// A word that could not be read as the standard has it: the game, and what was said of the word.
pub(super) struct Odd<'a> {
    pub(super) text: &'a [u8],
    pub(super) from: usize,
    pub(super) kind: ErrorKind,
}

impl Board {
    /// Reads the latest word in another spelling, after it could not be read as it stands.
    ///
    /// # Errors
    /// What was said of it before, perhaps with what it may be.
    #[cold]
    pub(super) fn odd_word<V: Visitor + ?Sized>(
        &mut self,
        odd: Odd<'_>,
        start: &Board,
        lexer: &mut Lexer<'_>,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        let word = lexer.text_of(lexer.latest());
        match odd.kind {
            ErrorKind::IllegalMove(_) => {}
            // Text between games.
            ErrorKind::Corrupt { what } if what == flaws::MOVES_AFTER_RESULT => {
                if looks_like_move(word) {
                    return Err(odd.kind);
                }
                lexer.skip_line();
                return Ok(Flow::Continue(()));
            }
            _ => return Err(odd.kind),
        }
        if word.len() > spelling::WORD_BYTES_MAX {
            return Err(odd.kind);
        }
        let respelled = spelling::plain(word);
        if let Some(plain) = &respelled
            && let Ok(flow) = self.word(plain, visitor)
        {
            return Ok(flow);
        }
        let Some(position) = self.line.now.full(self.mode) else {
            return Err(odd.kind);
        };
        let plain = respelled.unwrap_or_else(|| word.to_vec());
        if let Some(san) = spelling::meant(&position, &plain) {
            return self.play_san(san, visitor);
        }
        if let Some((first, second)) = spelling::glued(&position, &plain) {
            return match self.play_san(first, visitor)? {
                Flow::Continue(()) => self.play_san(second, visitor),
                flow => Ok(flow),
            };
        }
        let mut ahead = lexer.clone();
        match ahead.next() {
            // `Nb d7`
            Token::Word(next) => {
                if let Some(san) = spelling::meant(&position, &[&plain[..], next].concat()) {
                    *lexer = ahead;
                    return self.play_san(san, visitor);
                }
            }
            // A forfeit of both.
            Token::End | Token::Result(_) if word == b"0-0" && self.stack.is_empty() => {
                self.ended = true;
                return Ok(Flow::Continue(()));
            }
            _ => {}
        }
        let found = self.other_language(odd, start, lexer, visitor);
        match word.strip_prefix(b"P").filter(|_| found.is_err()) {
            Some(pawn) => self.word(pawn, visitor).or(found),
            None => found,
        }
    }

    /// Reads the latest word, and those that follow, with letters of another language in which all
    /// of the game is legal.
    fn other_language<V: Visitor + ?Sized>(
        &mut self,
        odd: Odd<'_>,
        start: &Board,
        lexer: &Lexer<'_>,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        let word = lexer.text_of(lexer.latest());
        if std::mem::replace(&mut self.tried_languages, true) {
            return Err(odd.kind);
        }
        let may_be = |language: &&'static Language| {
            let mut trial = self.clone();
            trial.language = Some(language);
            trial.word(word, &mut Nobody).is_ok()
        };
        let mut likely = spelling::LANGUAGES.iter().filter(may_be).peekable();
        let Some(first) = likely.peek().copied() else {
            return Err(odd.kind);
        };
        let plays = |language: &'static Language| {
            let mut board = start.clone();
            board.language = Some(language);
            board
                .plays(&odd, lexer.start())
                .then_some((language, board))
        };
        let mut playable = likely.filter_map(plays);
        let Some((language, end)) = playable.next() else {
            return Err(match san::read_word(word) {
                // An illegal move that may well be English.
                Some(_) => odd.kind,
                None => probably(word, first),
            });
        };
        if playable.any(|(_, other)| !other.line.now.is_same(&end.line.now)) {
            return Err(probably(word, first));
        }
        self.language = Some(language);
        self.word(word, visitor)
    }

    /// Whether the board's language makes all of a game legal, and changes no word before an
    /// offset.
    fn plays(&mut self, odd: &Odd<'_>, offset: usize) -> bool {
        let mut lexer = Lexer::at(odd.text, odd.from);
        loop {
            let token = lexer.next();
            if let (Token::Word(word), Some(language)) = (token, self.language)
                && lexer.start() < offset
                && language
                    .in_english(word)
                    .is_none_or(|english| *english != *word)
            {
                return false;
            }
            match token {
                Token::End => return self.stack.is_empty(),
                // Text after the game.
                Token::Word(word) if self.ended && !looks_like_move(word) => lexer.skip_line(),
                token if self.step(token, &mut Nobody).is_err() => return false,
                _ => {}
            }
        }
    }

    fn play_san<V: Visitor + ?Sized>(
        &mut self,
        san: San,
        visitor: &mut V,
    ) -> Result<Flow, ErrorKind> {
        let line = &mut self.line;
        let before = line.now.clone();
        let played = line.now.play(san, self.mode);
        let played = played.map_err(|error| refused(error, san.to_string().as_bytes()))?;
        line.before = Some(before);
        Ok(visitor.play(Some(played)))
    }
}

/// Returns the fault of a move that may have letters of another language.
fn probably(word: &[u8], language: &Language) -> ErrorKind {
    match illegal(word) {
        ErrorKind::IllegalMove(word) => {
            ErrorKind::IllegalMove(format!("{word} ({}?)", language.name))
        }
        kind => kind,
    }
}
