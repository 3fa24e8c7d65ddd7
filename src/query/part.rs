//! Pieces of a query text, with their places.

use std::ops::Range;

use winnow::{Parser, combinator::alt, error::EmptyError, stream::LocatingSlice};

use super::{Fault, Op};

pub(super) type Input<'a> = LocatingSlice<&'a str>;
pub(super) type Lexed<T> = winnow::Result<T, EmptyError>;

/// A piece of a value, with its span in the query text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<'v> {
    pub(super) text: &'v str,
    start: usize,
    end: usize,
    exact: bool,
}

impl<'v> Part<'v> {
    /// Creates a part that stands in the query text at this place, letter by letter if `exact`.
    pub(super) fn of_query(text: &'v str, span: Range<usize>, exact: bool) -> Part<'v> {
        Part {
            text,
            start: span.start,
            end: span.end,
            exact,
        }
    }

    /// Creates a part of a whole text.
    pub(super) fn new(text: &'v str) -> Part<'v> {
        Part {
            text,
            start: 0,
            end: text.len(),
            exact: true,
        }
    }

    /// Returns the span in the query text.
    pub(super) fn span(&self) -> Range<usize> {
        self.start..self.end
    }

    /// Returns a fault of this part.
    pub(super) fn fault(&self, message: impl Into<String>) -> Fault {
        Fault::new(self.span(), message)
    }

    /// Returns the bytes `range` of this part. They must be on character boundaries.
    pub(super) fn slice(&self, range: Range<usize>) -> Part<'v> {
        let text = self.text.get(range.clone()).unwrap_or("");
        if !self.exact {
            return Part { text, ..*self };
        }
        Part {
            text,
            start: self.start + range.start,
            end: self.start + range.start + text.len(),
            exact: true,
        }
    }

    /// Returns the part without white space at its ends.
    pub(super) fn trim(&self) -> Part<'v> {
        let start = self.text.len() - self.text.trim_start().len();
        self.slice(start..start + self.text.trim().len())
    }

    /// Returns the parts before and after the first `separator`.
    pub(super) fn split_once(&self, separator: &str) -> Option<(Part<'v>, Part<'v>)> {
        let at = self.text.find(separator)?;
        let after = at + separator.len();
        Some((self.slice(0..at), self.slice(after..self.text.len())))
    }

    /// Returns the first operator with the parts before and after it; `None` without one. The sign
    /// of a promotion is not an operator: `e8=Q`.
    pub(super) fn split_operator(&self) -> Option<(Part<'v>, Op, Part<'v>)> {
        let is_operator = |at: usize| {
            let after = self.text.get(at + 1..).unwrap_or_default();
            !(self.text[at..].starts_with('=') && after.starts_with(['Q', 'R', 'B', 'N', '?']))
        };
        let signs = self.text.match_indices([':', '=', '!', '<', '>']);
        let ats = signs.map(|(at, _)| at).filter(|&at| is_operator(at));
        ats.into_iter().find_map(|at| {
            let mut rest = LocatingSlice::new(self.text.get(at..)?);
            let op = operator(&mut rest).ok()?;
            let after = at + op.symbol().len();
            Some((self.slice(0..at), op, self.slice(after..self.text.len())))
        })
    }

    /// Iterates over the words.
    pub(super) fn split_whitespace(self) -> impl Iterator<Item = Part<'v>> {
        let words = self.text.split_whitespace();
        words.map(move |word| {
            let start = word.as_ptr().addr() - self.text.as_ptr().addr();
            self.slice(start..start + word.len())
        })
    }

    /// Iterates over the parts between the `separator`s.
    pub(super) fn split(self, separator: char) -> impl Iterator<Item = Part<'v>> {
        let mut start = 0;
        self.text.split(separator).map(move |piece| {
            let part = self.slice(start..start + piece.len());
            start += piece.len() + separator.len_utf8();
            part
        })
    }
}

/// Reads an operator.
pub(super) fn operator(input: &mut Input<'_>) -> Lexed<Op> {
    alt((
        "!=".value(Op::Differ),
        "<=".value(Op::AtMost),
        ">=".value(Op::AtLeast),
        ":".value(Op::Has),
        "=".value(Op::Equal),
        "<".value(Op::Less),
        ">".value(Op::Greater),
    ))
    .parse_next(input)
}
