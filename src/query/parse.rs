//! The grammar: how conditions are combined, and where they may appear.
//!
//! ```text
//! query    = or
//! or       = and { "or" and }
//! and      = not { [ "and" ] not }
//! not      = { "not" | "-" } atom
//! atom     = "(" [ or ] ")" | sequence | clause
//! sequence = position { ( "then" | "next" ) position }
//! position = "at" "(" { [ "and" ] { "not" | "-" } clause } ")" | clause
//! clause   = field operator value | bare word | any other word | quoted text
//! ```

use std::{ops::Range, str::FromStr};

use super::{
    At, Condition, Consecutive, Fault, HeaderClause, Link, PositionTest, Query, Sequence, clause,
    lex::{self, Lexer, Token},
    table::{self, Field, Kind, Level, TAG_PREFIX},
    value::{self, Operand},
};

use crate::limits::{QUERY_BYTES_MAX, QUERY_DEPTH_MAX, QUERY_TEXT_BYTES_MAX};

impl Query {
    /// Parses a query as files hold it: `#` at the start of a line or after white space begins a
    /// comment, which ends with the line.
    ///
    /// # Errors
    ///
    /// Those of [`from_str`](Query::from_str); their places are in the text with its comments.
    pub fn with_comments(text: &str) -> Result<Query, Fault> {
        lex::without_comments(text).parse()
    }
}

impl FromStr for Query {
    type Err = Fault;

    /// Parses a query. O(length of the text), at worst times the depth of its brackets.
    ///
    /// # Errors
    ///
    /// The first [`Fault`], also if the text is longer than [`QUERY_BYTES_MAX`] or has more than
    /// [`QUERY_DEPTH_MAX`] nested brackets.
    fn from_str(text: &str) -> Result<Query, Fault> {
        if text.len() > QUERY_BYTES_MAX {
            let message = format!("the query is longer than {QUERY_BYTES_MAX} bytes");
            let start = text.floor_char_boundary(QUERY_BYTES_MAX);
            return Err(Fault::new(start..text.len(), message));
        }
        let mut parser = Parser::new(text);
        if parser.token == Token::End {
            return Ok(Query::All);
        }
        let query = parser.any_of()?;
        match parser.token {
            Token::End => Ok(query),
            _ => Err(parser.fault("this bracket was never opened")),
        }
    }
}

/// One token of lookahead over a [`Lexer`]. After a [`Token::Clause`] the lexer is at the value.
pub(super) struct Parser<'a> {
    pub(super) lexer: Lexer<'a>,
    pub(super) token: Token<'a>,
    pub(super) span: Range<usize>,
    /// Number of open brackets around the present token.
    depth: usize,
    /// The last value, if it was an unquoted board that may continue after white space.
    pub(super) loose: Option<(Kind, Range<usize>)>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str) -> Parser<'a> {
        let mut lexer = Lexer::new(text);
        let (token, span) = lexer.token();
        Parser {
            lexer,
            token,
            span,
            depth: 0,
            loose: None,
        }
    }

    pub(super) fn advance(&mut self) {
        (self.token, self.span) = self.lexer.token();
        self.loose = None;
    }

    /// Returns a fault of the present token.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span.clone(), message)
    }

    /// Returns whether the present token is this keyword.
    fn at_keyword(&self, keyword: &str) -> bool {
        matches!(self.token, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Skips this keyword if it is the present token. Returns whether it was.
    fn take_keyword(&mut self, keyword: &str) -> bool {
        let here = self.at_keyword(keyword);
        if here {
            self.advance();
        }
        here
    }

    /// Skips all `not` and `-`. Returns whether their number is odd.
    fn take_negations(&mut self) -> bool {
        let mut negated = false;
        while self.token == Token::Minus || self.at_keyword("not") {
            self.advance();
            negated = !negated;
        }
        negated
    }

    fn any_of(&mut self) -> Result<Query, Fault> {
        let mut any = vec![self.all_of()?];
        while self.take_keyword("or") {
            any.push(self.all_of()?);
        }
        Ok(Query::any_of(any))
    }

    fn all_of(&mut self) -> Result<Query, Fault> {
        let mut all = vec![self.negation()?];
        loop {
            let more = self.take_keyword("and")
                || !(matches!(self.token, Token::End | Token::Close) || self.at_keyword("or"));
            if !more {
                return Ok(Query::all_of(all));
            }
            all.push(self.negation()?);
        }
    }

    fn negation(&mut self) -> Result<Query, Fault> {
        let negated = self.take_negations();
        let query = self.atom()?;
        Ok(if negated { !query } else { query })
    }

    fn atom(&mut self) -> Result<Query, Fault> {
        if self.token == Token::Open {
            return self.brackets();
        }
        if self.at_keyword("at") {
            return self.sequence().map(Query::Position);
        }
        if let Some(test) = self.plain_text()? {
            return Ok(Query::Header(HeaderClause::Plain(test)));
        }
        let field = self.field()?;
        match field.level {
            Level::Position => self.sequence().map(Query::Position),
            Level::Modifier => Err(self.fault(misplaced_modifier(field))),
            Level::Path => {
                let operand = self.operand(field)?;
                value::path(&operand.value.part()).map(Query::Path)
            }
            Level::Game => {
                let operand = self.operand(field)?;
                let span = operand.value.span.clone();
                match clause::header(operand)? {
                    Some(header) => Ok(Query::Header(header)),
                    None => Err(Fault::new(span, "expected a condition on the game")),
                }
            }
        }
    }

    /// Parses a query in brackets; empty brackets mean all games.
    fn brackets(&mut self) -> Result<Query, Fault> {
        let opening = self.span.clone();
        if self.depth == QUERY_DEPTH_MAX {
            return Err(self.fault(format!(
                "more than {QUERY_DEPTH_MAX} brackets inside each other"
            )));
        }
        self.depth += 1;
        self.advance();
        let query = match self.token {
            Token::Close => Query::All,
            _ => self.any_of()?,
        };
        if self.token != Token::Close {
            return Err(Fault::new(
                opening,
                "this bracket is never closed; expected `)`",
            ));
        }
        self.depth -= 1;
        self.advance();
        Ok(query)
    }

    fn sequence(&mut self) -> Result<Sequence, Fault> {
        let first = self.position()?;
        let mut rest = Vec::new();
        loop {
            let link = if self.take_keyword("then") {
                Link::Then
            } else if self.take_keyword("next") {
                Link::Next
            } else {
                return Ok(Sequence { first, rest });
            };
            rest.push((link, self.position()?));
        }
    }

    /// Parses `at( ... )` or a single clause about a position.
    fn position(&mut self) -> Result<At, Fault> {
        if self.take_keyword("at") {
            return self.at_brackets();
        }
        if self.token == Token::Minus || self.at_keyword("not") {
            let message = "expected `at(...)` or a condition on positions; put a `not` inside \
                           `at(...)`";
            return Err(self.fault(message));
        }
        if self.token == Token::Open {
            let message = "expected `at(...)` or a condition on positions, found a bracket \
                           without `at`";
            return Err(self.fault(message));
        }
        let field = self.field()?;
        match field.level {
            Level::Position => Ok(At::from(self.test(field)?)),
            Level::Modifier => Err(self.fault(misplaced_modifier(field))),
            Level::Game | Level::Path => Err(self.fault(format!(
                "`then` and `next` link conditions on positions; `{}` is none",
                field.name
            ))),
        }
    }

    /// Parses the brackets of `at( ... )`.
    fn at_brackets(&mut self) -> Result<At, Fault> {
        let opening = self.span.clone();
        if self.token != Token::Open {
            return Err(self.fault("expected `(` after `at`, as in `at(Q=0 q=0)`"));
        }
        self.advance();
        let mut at = At::default();
        let mut rights = None;
        while self.token != Token::Close {
            if self.token == Token::End {
                return Err(Fault::new(
                    opening,
                    "this bracket is never closed; expected `)`",
                ));
            }
            self.at_item(&mut at, &mut rights)?;
            if self.take_keyword("and") && matches!(self.token, Token::Close | Token::End) {
                return Err(self.fault("expected another condition after `and`"));
            }
        }
        self.advance();
        let fen = |condition: &Condition| matches!(condition.test, PositionTest::Fen(_));
        match rights {
            Some(span) if !at.conditions.iter().any(fen) => Err(Fault::new(
                span,
                "`rights` makes those of a `fen` count, and this `at(...)` has no `fen`",
            )),
            _ => Ok(at),
        }
    }

    /// Parses one condition or modifier inside `at( ... )`. Records the span of `rights`.
    fn at_item(&mut self, at: &mut At, rights: &mut Option<Range<usize>>) -> Result<(), Fault> {
        let before = self.span.clone();
        let negated = self.take_negations();
        let unexpected = match self.token {
            Token::Open => Some("expected a condition on the position, found another bracket"),
            _ if self.at_keyword("at") => Some("`at(...)` cannot stand inside `at(...)`"),
            _ if self.at_keyword("or") => {
                Some("`or` cannot stand inside `at(...)`; write `at(...) or at(...)`")
            }
            _ => None,
        };
        if let Some(message) = unexpected {
            return Err(self.fault(message));
        }
        let field = self.field()?;
        let name = field.name;
        match field.level {
            Level::Position => {
                let test = self.test(field)?;
                at.conditions.push(Condition { negated, test });
                Ok(())
            }
            Level::Game => Err(self.fault(format!(
                "`{name}` is about the whole game; put it outside `at(...)`"
            ))),
            Level::Path => Err(self.fault(format!(
                "`{name}` is about more than one position; put it outside `at(...)`"
            ))),
            Level::Modifier if before != self.span => {
                Err(self.fault(format!("`{name}` is no condition and cannot be negated")))
            }
            Level::Modifier => {
                if field.kind == Kind::Rights {
                    *rights = Some(before);
                }
                self.modifier(field, at)
            }
        }
    }

    fn modifier(&mut self, field: &'static Field, at: &mut At) -> Result<(), Fault> {
        let set = match field.kind {
            Kind::Flip => &mut at.flip,
            Kind::Mirror => &mut at.mirror,
            Kind::Shift => &mut at.shift,
            Kind::Rights => &mut at.rights,
            _ => {
                let operand = self.operand(field)?;
                let length = value::number(&operand.value.part().trim(), 1)?;
                if at.consecutive != Consecutive::default() {
                    return Err(Fault::new(operand.value.span, "`for` stands here twice"));
                }
                at.consecutive = Consecutive(length.unsigned_abs());
                return Ok(());
            }
        };
        *set = true;
        self.bare(field)
    }

    /// Parses a clause or bare word about a position.
    fn test(&mut self, field: &'static Field) -> Result<PositionTest, Fault> {
        let has_value = matches!(self.token, Token::Clause(..)) && !field.operators().is_empty();
        if let Some(test) = clause::bare(field.kind).filter(|_| !has_value) {
            self.bare(field)?;
            return Ok(test);
        }
        let operand = self.operand(field)?;
        match clause::position(&operand)? {
            Some(test) => Ok(test),
            None => Err(Fault::new(
                operand.value.span,
                "expected a condition on a position",
            )),
        }
    }

    /// Skips a bare word.
    fn bare(&mut self, field: &Field) -> Result<(), Fault> {
        if let Token::Clause(..) = self.token {
            let message = format!("`{0}` takes no value; write `{0}` alone", field.name);
            return Err(self.fault(message));
        }
        self.advance();
        Ok(())
    }

    /// Parses the operator and value of the field that the present token names.
    fn operand(&mut self, field: &'static Field) -> Result<Operand<'a>, Fault> {
        let expected = format!("`{}` needs a value, as in `{}`", field.name, field.example);
        let (name, op) = match self.token {
            Token::Clause(name, op) => (name, op),
            _ => return Err(self.fault(expected)),
        };
        if !field.operators().contains(&op) {
            return Err(self.wrong_operator(field, name, op));
        }
        let value = self.lexer.value(op, expected)?;
        if field.kind.is_text() && value.len() > QUERY_TEXT_BYTES_MAX {
            let message = format!("this text is longer than {QUERY_TEXT_BYTES_MAX} bytes");
            return Err(Fault::new(value.span, message));
        }
        let bound = match field.kind {
            Kind::Similar if value.quoted => self.lexer.bound()?,
            _ => None,
        };
        let loose =
            (field.kind.is_board() && !value.quoted).then(|| (field.kind, value.span.clone()));
        self.advance();
        self.loose = loose;
        Ok(Operand {
            field,
            name,
            op,
            value,
            bound,
        })
    }

    /// Returns the field that the present token names.
    fn field(&mut self) -> Result<&'static Field, Fault> {
        let name = match self.token {
            Token::Clause(name, _) | Token::Word(name) => name,
            other => return Err(self.nameless(other)),
        };
        if let Some(fault) = self.loose_fields(name) {
            return Err(fault);
        }
        match table::find(name) {
            Some(field) if field.kind == Kind::Tag && name.len() == TAG_PREFIX.len() => {
                Err(self.fault("expected the name of a tag, as in `tag.Opening:sicilian`"))
            }
            Some(field) => Ok(field),
            None => Err(self.unknown(name)),
        }
    }
}

/// Returns the message for a modifier outside `at( ... )`.
fn misplaced_modifier(field: &Field) -> String {
    format!(
        "`{}` belongs inside `at(...)`, as in `{}`",
        field.name, field.example
    )
}
