//! Faults for words where they are not allowed.

use super::{
    Fault, Op, board,
    fault::excerpt,
    lex::Token,
    parse::Parser,
    print::quoted,
    suggest,
    table::{self, FIELDS, Field, KEYWORDS, Kind, Level},
};
use crate::chess::{EcoRange, GameResult};

/// Longer texts are not repeated in a suggestion.
const SUGGESTED_BYTES_MAX: usize = 100;

impl Parser<'_> {
    /// Returns the fault of a token that names no field.
    pub(super) fn nameless(&self, token: Token<'_>) -> Fault {
        match token {
            Token::Quote => self.nameless_text(),
            Token::Stray => self.fault("expected a field such as `white` before this operator"),
            Token::Close => self.fault("expected a condition, found a closing bracket"),
            Token::End => {
                self.fault("the query ends here; expected a condition such as `white:carlsen`")
            }
            _ => self.fault("expected a condition such as `white:carlsen`"),
        }
    }

    /// Returns the fault of a quoted text without a field.
    fn nameless_text(&self) -> Fault {
        let before = self.lexer.text(0..self.span.start);
        if before.ends_with(|c: char| !c.is_whitespace() && !"()-\"".contains(c)) {
            let message = "this quotation mark stands inside a word; put all of it in quotes";
            return Fault::new(self.span.start..self.span.start + 1, message);
        }
        let text = self.lexer.text(self.span.clone());
        let closed = text.len() > 1 && text.ends_with('"');
        let suggestion =
            (closed && text.len() <= SUGGESTED_BYTES_MAX).then(|| format!("player:{text}"));
        self.fault("this text needs a field before it, as in `player:\"...\"`")
            .suggest(suggestion)
    }

    /// Returns the fault of an operator that the field does not take. The lexer must be right after
    /// it.
    pub(super) fn wrong_operator(&self, field: &Field, name: &str, op: Op) -> Fault {
        let quoted = |op: &Op| format!("`{op}`");
        let taken: Vec<String> = field.operators().iter().map(quoted).collect();
        let mut message = match &taken[..] {
            [] => format!("`{name}` takes no value"),
            [only] => format!("`{name}` goes with {only}, not with `{op}`"),
            [first @ .., last] => {
                let first = first.join(", ");
                format!("`{name}` goes with {first} or {last}, not with `{op}`")
            }
        };
        if op == Op::Differ && field.level == Level::Position {
            message.push_str("; put `not` before it");
        }
        let end = self.lexer.position();
        Fault::new(end.saturating_sub(op.symbol().len())..end, message)
    }

    /// Returns the fault of a word that is not a field.
    pub(super) fn unknown(&self, name: &str) -> Fault {
        let keyword = KEYWORDS.iter().find(|word| name.eq_ignore_ascii_case(word));
        match (keyword, self.token) {
            (Some(link @ (&"then" | &"next")), _) => {
                return self.fault(format!(
                    "`{link}` must stand between two conditions on positions, as in \
                     `at(Q=1) {link} at(Q=0)`"
                ));
            }
            (Some(keyword), _) => {
                return self.fault(format!("expected a condition, found `{keyword}`"));
            }
            (None, _) if name.eq_ignore_ascii_case("k") => {
                return self.fault("kings are not counted; there is always one of each");
            }
            (None, Token::Clause(..)) => {
                let near = table::nearest(name);
                let such = match near {
                    Some(_) => "",
                    None => "; expected one such as `white`, `elo` or `fen`",
                };
                let message = format!("there is no field {}{such}", excerpt(name));
                return self.fault(message).suggest(near);
            }
            _ => {}
        }
        let words = FIELDS.iter().filter(|field| field.is_bare());
        let words = words.map(|field| field.name).chain(KEYWORDS);
        let near = suggest::nearest(name, words).map(str::to_owned);
        let guess = near.unwrap_or_else(|| {
            if name.parse::<GameResult>().is_ok() {
                format!("result:{name}")
            } else if name.len() == 3 && name.parse::<EcoRange>().is_ok() {
                format!("eco:{name}")
            } else {
                format!("player:{}", quoted(name))
            }
        });
        self.fault(format!(
            "{} is no condition; expected a field and a value",
            excerpt(name)
        ))
        .suggest((name.len() <= SUGGESTED_BYTES_MAX).then_some(guess))
    }

    /// Returns the fault of an unquoted text of several words, or an unquoted FEN with its fields.
    pub(super) fn loose_words(&mut self, name: &str) -> Option<Fault> {
        let (kind, value) = self.loose.clone()?;
        let is_board = !kind.is_text();
        let belongs = |token: Token<'_>| match token {
            Token::Minus => is_board,
            Token::Word("w" | "b") if is_board => true,
            Token::Word(word) => {
                let keyword = KEYWORDS
                    .iter()
                    .any(|known| word.eq_ignore_ascii_case(known));
                !keyword && table::find(word).is_none() && table::nearest(word).is_none()
            }
            _ => false,
        };
        let is_turn = matches!(name, "w" | "b");
        if !belongs(self.token) || (is_board && !is_turn) {
            return None;
        }
        let mut end = self.span.end;
        self.advance();
        while belongs(self.token) {
            end = self.span.end;
            self.advance();
        }
        let span = value.start..end;
        let text = self.lexer.text(span.clone());
        if kind == Kind::Board {
            return Some(Fault::new(span, board::squares_alone(name)));
        }
        let suggestion = (text.len() <= SUGGESTED_BYTES_MAX).then(|| quoted(text).into_owned());
        let what = if is_board {
            "a FEN with its fields"
        } else {
            "a text of several words"
        };
        Some(Fault::new(span, format!("{what} needs quotes")).suggest(suggestion))
    }
}
