//! Words and texts without a field, and faults for words where they are not allowed.

use tabiya_chess::{EcoRange, GameResult, text::pieces};

use super::{
    Fault, Op, TextTest, board,
    fault::excerpt,
    lex::{QUOTED_ESCAPES, Token, is_mark, never_closed, quotation},
    parse::{COUNT, LAST, Parser},
    print::quoted,
    suggest,
    table::{self, FIELDS, Field, KEYWORDS, Kind, Level, is_known, is_text_alone},
};

use crate::limits::QUERY_TEXT_BYTES_MAX;

/// Longer texts are not repeated in a suggestion.
const SUGGESTED_BYTES_MAX: usize = 100;

impl Parser<'_> {
    /// Returns the fault of a token that names no field.
    pub(super) fn nameless(&self, token: Token<'_>) -> Fault {
        match token {
            Token::Quote => self.misplaced_text(),
            Token::Stray => self.fault("expected a field such as `white` before this operator"),
            Token::Close => self.fault("expected a condition, found a closing bracket"),
            Token::End => {
                self.fault("the query ends here; expected a condition such as `white:carlsen`")
            }
            _ => self.fault("expected a condition such as `white:carlsen`"),
        }
    }

    /// Parses a word that is no field, or a quoted text; `None` if there is neither.
    pub(super) fn plain_text(&mut self) -> Result<Option<TextTest>, Fault> {
        let text = self.lexer.text(self.span.clone());
        let pieces = match self.token {
            Token::Word(name) if !is_known(name) || is_text_alone(name) => {
                match self.loose_fields(name) {
                    Some(fault) => return Err(fault),
                    None => pieces(name, "*"),
                }
            }
            Token::Quote if self.is_inside_word() => return Err(self.inner_quote()),
            Token::Quote => match quotation(text).and_then(|(inner, _)| text.get(inner)) {
                Some(inner) => pieces(inner, QUOTED_ESCAPES),
                None => return Err(never_closed(self.span.start, text)),
            },
            _ => return Ok(None),
        };
        if text.len() > QUERY_TEXT_BYTES_MAX {
            let message = format!("this text is longer than {QUERY_TEXT_BYTES_MAX} bytes");
            return Err(self.fault(message));
        }
        self.advance();
        Ok(Some(TextTest::from(pieces)))
    }

    /// Returns the fault of a quoted text where none is allowed.
    fn misplaced_text(&self) -> Fault {
        if self.is_inside_word() {
            return self.inner_quote();
        }
        self.fault("expected a condition on positions, found a text")
    }

    /// Returns whether the present quotation mark follows a word without a space.
    fn is_inside_word(&self) -> bool {
        let before = self.lexer.text(0..self.span.start);
        before.ends_with(|c: char| !c.is_whitespace() && !"()-".contains(c) && !is_mark(c))
    }

    fn inner_quote(&self) -> Fault {
        let message = "this quotation mark stands inside a word; put all of it in quotes";
        Fault::new(self.span.start..self.span.start + 1, message)
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
        self.fault(format!(
            "{} is no condition on positions; expected one such as `check` or `piece:Nd5`",
            excerpt(name)
        ))
        .suggest(nearest_bare(name))
    }

    /// Returns the fault of brackets behind a word that takes none.
    pub(super) fn no_group(&self, word: &str) -> Fault {
        let message = format!(
            "there is no {}; expected `at( ... )`, `last( ... )` or `count( ... )`, or a space \
             before the bracket",
            excerpt(&format!("{word}( ... )"))
        );
        self.fault(message)
            .suggest(suggest::nearest(word, ["at", LAST, COUNT]))
    }

    /// Returns the fault of an unquoted FEN with its fields.
    pub(super) fn loose_fields(&mut self, name: &str) -> Option<Fault> {
        let (kind, value) = self.loose.clone()?;
        let is_side = |word: &str| matches!(word, "w" | "b");
        let belongs = |token: Token<'_>| match token {
            Token::Minus => true,
            Token::Word(word) => is_side(word) || !is_known(word),
            _ => false,
        };
        if !is_side(name) || !belongs(self.token) {
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
        Some(Fault::new(span, "a FEN with its fields needs quotes").suggest(suggestion))
    }
}

/// Returns the bare word or keyword that was probably meant by a word, if there is a similar one.
fn nearest_bare(word: &str) -> Option<&'static str> {
    let words = FIELDS.iter().filter(|field| field.is_bare());
    suggest::nearest(word, words.map(|field| field.name).chain(KEYWORDS))
}

/// Returns the condition that was probably meant by a text without a field, if that text occurs
/// nowhere: a bare word, the number of a game, a result or an opening code.
pub(crate) fn condition_meant(text: &str) -> Option<String> {
    let is_code = || text.len() == 3 && text.parse::<EcoRange>().is_ok();
    match nearest_bare(text) {
        Some(word) => Some(word.to_owned()),
        None if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some(format!("number:{text}"))
        }
        None if text.parse::<GameResult>().is_ok() => Some(format!("result:{text}")),
        None => is_code().then(|| format!("eco:{text}")),
    }
}
