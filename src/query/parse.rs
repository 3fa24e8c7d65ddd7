//! The grammar: how conditions are combined, and where they may appear.
//!
//! ```text
//! query    = or
//! or       = and { "or" and }
//! and      = not { [ "and" ] not }
//! not      = { "not" | "-" } atom
//! atom     = "(" [ or ] ")" | sequence | last | count | clause
//! sequence = position { ( "then" | "next" ) position }
//! position = "at" group | clause
//! last     = "last" group
//! count    = "count" "(" sequence ")" operator value
//! group    = "(" [ or ] ")", of clauses and modifiers about one position
//! clause   = field operator value | bare word | any other word | quoted text
//! ```

use std::{ops::Range, str::FromStr};

use super::{
    At, Fault, HeaderClause, Link, Moves, Op, PositionTest, Query, Sequence, clause,
    lex::{self, Lexer, Token, Value},
    part::Part,
    table::{self, Field, Kind, Level, TAG_PREFIX},
    value::{self, Operand},
};

/// The words before brackets that are neither fields nor keywords without them.
pub(super) const LAST: &str = "last";
pub(super) const COUNT: &str = "count";

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
        if parser.token != Token::End {
            return Err(parser.fault("this bracket was never opened"));
        }
        match (parser.leaving, query.repertoire_left()) {
            (Some(span), Err(message)) => Err(Fault::new(span, message)),
            _ => Ok(query),
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
    /// The first value of a clause about leaving a repertoire.
    leaving: Option<Range<usize>>,
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
            leaving: None,
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
    pub(super) fn at_keyword(&self, keyword: &str) -> bool {
        matches!(self.token, Token::Word(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// Skips this keyword if it is the present token. Returns whether it was.
    pub(super) fn take_keyword(&mut self, keyword: &str) -> bool {
        let here = self.at_keyword(keyword);
        if here {
            self.advance();
        }
        here
    }

    /// Skips all `not` and `-`. Returns whether their number is odd.
    pub(super) fn take_negations(&mut self) -> bool {
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
        if self.lexer.is_before_bracket() {
            if self.at_keyword(LAST) {
                self.advance();
                return self.group(LAST).map(Query::Last);
            }
            if self.at_keyword(COUNT) {
                return self.count();
            }
            self.expect_no_call()?;
        }
        if let Some(moves) = self.bare_moves() {
            return Ok(Query::from(Sequence::from(At::from(PositionTest::After(
                Box::new(moves),
            )))));
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
            Level::Game if field.kind == Kind::Line => {
                let operand = self.operand(field)?;
                let moves = Moves::parse(&operand.value.part())?;
                Ok(Query::Line(Box::new(moves)))
            }
            Level::Game => {
                let operand = self.operand(field)?;
                let span = operand.value.span.clone();
                if matches!(field.kind, Kind::Left | Kind::RepertoirePly) {
                    self.leaving.get_or_insert(span.clone());
                }
                match clause::header(operand)? {
                    Some(header) => Ok(Query::Header(header)),
                    None => Err(Fault::new(span, "expected a condition on the game")),
                }
            }
        }
    }

    /// Parses a query in brackets; empty brackets mean all games.
    fn brackets(&mut self) -> Result<Query, Fault> {
        let opening = self.open()?;
        let query = match self.token {
            Token::Close => Query::All,
            _ => self.any_of()?,
        };
        self.close(opening)?;
        Ok(query)
    }

    /// Skips an opening bracket and returns its span.
    pub(super) fn open(&mut self) -> Result<Range<usize>, Fault> {
        let opening = self.span.clone();
        if self.depth == QUERY_DEPTH_MAX {
            return Err(self.fault(format!(
                "more than {QUERY_DEPTH_MAX} brackets inside each other"
            )));
        }
        self.depth += 1;
        self.advance();
        Ok(opening)
    }

    /// Skips the closing bracket of one that was opened.
    pub(super) fn close(&mut self, opening: Range<usize>) -> Result<(), Fault> {
        self.expect_close(opening)?;
        self.depth -= 1;
        self.advance();
        Ok(())
    }

    fn expect_close(&self, opening: Range<usize>) -> Result<(), Fault> {
        match self.token {
            Token::Close => Ok(()),
            _ => Err(Fault::new(
                opening,
                "this bracket is never closed; expected `)`",
            )),
        }
    }

    /// Parses `count( ... )` with its operator and number.
    fn count(&mut self) -> Result<Query, Fault> {
        self.advance();
        let opening = self.open()?;
        let sequence = self.sequence()?;
        self.expect_close(opening)?;
        self.depth -= 1;
        let end = self.span.end;
        let expected = "`count( ... )` needs a number after it, as in `count(check)>=5`";
        let Some(op) = self.lexer.operator() else {
            return Err(Fault::new(end..end, expected));
        };
        let value = self.lexer.value(op, expected.to_owned())?;
        self.advance();
        let compare = value::numbers(COUNT, op, &value.part(), 0)?;
        Ok(Query::Count(Box::new(sequence), compare))
    }

    /// Returns a fault if the present word is no field and a bracket touches it.
    fn expect_no_call(&self) -> Result<(), Fault> {
        match self.token {
            Token::Word(word) if self.lexer.touches_bracket() && !table::is_known(word) => {
                Err(self.no_group(word))
            }
            _ => Ok(()),
        }
    }

    /// Parses moves without a field: an unquoted `1.d4 Nf6 2.c4`, or a quoted text of such moves
    /// alone.
    pub(super) fn bare_moves(&mut self) -> Option<Moves> {
        let start = self.span.start;
        let (moves, end) = match self.token {
            Token::Word(_) | Token::Clause(..) => {
                let (moves, length) = Moves::beginning(self.lexer.rest(start))?;
                (moves, start + length)
            }
            Token::Quote => {
                let text = self.lexer.text(self.span.clone());
                let (inner, _) = lex::quotation(text)?;
                let inner = text.get(inner)?;
                let moves = Moves::parse(&Part::new(inner)).ok()?;
                (inner.starts_with("1.").then_some(moves)?, self.span.end)
            }
            _ => return None,
        };
        self.lexer.seek(end);
        self.advance();
        Some(moves)
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
            return self.group("at");
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

    /// Parses a clause or bare word about a position.
    pub(super) fn test(&mut self, field: &'static Field) -> Result<PositionTest, Fault> {
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
    pub(super) fn bare(&mut self, field: &Field) -> Result<(), Fault> {
        if let Token::Clause(..) = self.token {
            let message = format!("`{0}` takes no value; write `{0}` alone", field.name);
            return Err(self.fault(message));
        }
        self.advance();
        Ok(())
    }

    /// Parses the operator and value of the field that the present token names.
    pub(super) fn operand(&mut self, field: &'static Field) -> Result<Operand<'a>, Fault> {
        let expected = format!("`{}` needs a value, as in `{}`", field.name, field.example);
        let (name, op) = match self.token {
            Token::Clause(name, op) => (name, op),
            _ => return Err(self.fault(expected)),
        };
        if !field.operators().contains(&op) {
            return Err(self.wrong_operator(field, name, op));
        }
        let left = Part::of_query(name, self.span.clone(), true);
        let regex = match op {
            Op::Has if field.kind.takes_regex() => self.lexer.regex()?,
            _ => None,
        };
        let is_regex = regex.is_some();
        let value = match regex {
            Some((text, span)) => Value::of_regex(text, span),
            None => self.lexer.value(op, expected)?,
        };
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
            left,
            op,
            value,
            is_regex,
            bound,
        })
    }

    /// Returns the field that the present token names.
    pub(super) fn field(&mut self) -> Result<&'static Field, Fault> {
        let name = match self.token {
            Token::Clause(name, _) | Token::Word(name) => name,
            other => return Err(self.nameless(other)),
        };
        if let Some(fault) = self.loose_fields(name) {
            return Err(fault);
        }
        let found = match self.token {
            Token::Clause(..) => table::find_before_operator(name),
            _ => table::find(name),
        };
        match found {
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
