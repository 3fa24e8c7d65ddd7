//! What a query asks for.

use tabiya_chess::{
    opening_names::OpeningNumbers,
    text::{Needle, marked},
};

use super::{
    Content, Flag, HeaderClause, Leaver, NumberField, Query, RepertoireTest, TextTest, regex,
};

impl Query {
    /// Returns whether some condition is on positions or on a piece's path, so that a match may
    /// have a place in the game. O(conditions).
    #[must_use]
    pub fn asks_for_positions(&self) -> bool {
        let is_about_positions = |query: &Query| {
            matches!(
                query,
                Query::Position(_)
                    | Query::Path(_)
                    | Query::Last(_)
                    | Query::Count(..)
                    | Query::Line(_)
            )
        };
        self.any(&is_about_positions)
    }

    /// Returns whether answering the query reads files that it names. O(conditions).
    #[must_use]
    pub fn names_files(&self) -> bool {
        self.any(&|query| matches!(query, Query::Header(HeaderClause::Repertoire(_))))
    }

    /// Returns whether the moves of all games must be read before a search. They need not if tags
    /// decide, or narrow the games whose moves are then read one by one.
    pub(crate) fn asks_for_moves(&self) -> bool {
        match (self.reads(), self) {
            (Reads::Tags, _) => false,
            (Reads::Moves, Query::And(queries)) => {
                queries.iter().all(|query| query.reads() != Reads::Tags)
            }
            (Reads::Moves | Reads::Records, _) => true,
        }
    }

    fn reads(&self) -> Reads {
        match self {
            Query::All => Reads::Tags,
            Query::And(queries) | Query::Or(queries) => {
                let each = queries.iter().map(Query::reads);
                each.max().unwrap_or(Reads::Tags)
            }
            Query::Not(query) => query.reads(),
            Query::Header(clause) => clause.reads(),
            Query::Position(_)
            | Query::Path(_)
            | Query::Last(_)
            | Query::Count(..)
            | Query::Line(_) => Reads::Moves,
        }
    }

    /// Returns the repertoire that `left` and `repertoire.ply` are about; `None` if neither is
    /// there.
    ///
    /// # Errors
    /// What is wrong, if there is no such repertoire.
    pub(crate) fn repertoire_left(&self) -> Result<Option<&RepertoireTest>, &'static str> {
        let mut clauses = Vec::new();
        self.collect_headers(&mut clauses);
        let asks = |clause: &&HeaderClause| {
            matches!(
                clause,
                HeaderClause::Left(_) | HeaderClause::RepertoirePly(_)
            )
        };
        if !clauses.iter().any(asks) {
            return Ok(None);
        }
        let mut tests = clauses.iter().filter_map(|clause| match clause {
            HeaderClause::Repertoire(test) => Some(test),
            _ => None,
        });
        let Some(test) = tests.next() else {
            return Err(
                "this needs a file that games leave: `repertoire.white:\"FILE\"` or \
                        `repertoire.black:\"FILE\"` beside it",
            );
        };
        if tests.any(|other| other != test) {
            return Err("games leave one file, and the query names several: one \
                        `repertoire.white` or `repertoire.black` is needed");
        }
        let has_owner = |clause: &&HeaderClause| {
            matches!(clause, HeaderClause::Left(Leaver::Me | Leaver::Opponent))
        };
        if test.side.is_none() && clauses.iter().any(has_owner) {
            return Err(
                "whose the file is must be said: `repertoire.white` or `repertoire.black` \
                        in place of `repertoire`",
            );
        }
        Ok(Some(test))
    }

    /// Collects the conditions on headers, in their order.
    fn collect_headers<'q>(&'q self, all: &mut Vec<&'q HeaderClause>) {
        match self {
            Query::And(queries) | Query::Or(queries) => {
                queries.iter().for_each(|query| query.collect_headers(all));
            }
            Query::Not(query) => query.collect_headers(all),
            Query::Header(clause) => all.push(clause),
            _ => {}
        }
    }

    /// Returns whether this query, or a part of it, passes the test.
    pub(crate) fn any(&self, test: &impl Fn(&Query) -> bool) -> bool {
        test(self)
            || match self {
                Query::And(queries) | Query::Or(queries) => {
                    queries.iter().any(|query| query.any(test))
                }
                Query::Not(query) => query.any(test),
                _ => false,
            }
    }
}

/// What must be read of a game without a record to decide a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reads {
    Tags,
    /// Its moves, or the comments between them, if nothing else decides.
    Moves,
    /// All that a record tells. These conditions are never decided by reading a game: of one that
    /// is damaged they do not hold, whatever can be read of it.
    Records,
}

impl HeaderClause {
    fn reads(&self) -> Reads {
        match self {
            HeaderClause::Text(..)
            | HeaderClause::Date(..)
            | HeaderClause::Eco(_)
            | HeaderClause::Result(..)
            | HeaderClause::Start(..)
            | HeaderClause::Speed(..)
            | HeaderClause::SpeedUnknown(_)
            | HeaderClause::TagNumber(..)
            | HeaderClause::Medal(..) => Reads::Tags,
            HeaderClause::Number(field, _) => match field {
                NumberField::Plies | NumberField::Moves => Reads::Moves,
                NumberField::Comments | NumberField::Variations | NumberField::Nags => {
                    Reads::Records
                }
                _ => Reads::Tags,
            },
            HeaderClause::Flag(Flag::Promotion | Flag::Underpromotion, _) => Reads::Records,
            HeaderClause::Flag(..) => Reads::Tags,
            HeaderClause::Has(Content::Comments | Content::Variations | Content::Nags, _) => {
                Reads::Records
            }
            HeaderClause::Plain(test) if test.openings().is_empty() => Reads::Tags,
            HeaderClause::Has(..)
            | HeaderClause::Quality(..)
            | HeaderClause::EcoPosition(_)
            | HeaderClause::Opening(_)
            | HeaderClause::Repertoire(_)
            | HeaderClause::RepertoirePlies(_)
            | HeaderClause::RepertoirePly(_)
            | HeaderClause::Left(_)
            | HeaderClause::Comment(_)
            | HeaderClause::Plain(_) => Reads::Moves,
        }
    }
}

impl TextTest {
    /// Returns the names of openings that pass, without the negation of `!=`.
    pub(crate) fn openings(&self) -> OpeningNumbers {
        let has = |needle: Needle| OpeningNumbers::of_names(|name| needle.is_in(name));
        match self {
            TextTest::Contains(part) => has(Needle::new(part)),
            TextTest::Like(pieces) => has(Needle::of_pieces(pieces)),
            TextTest::Equals(whole) | TextTest::Differs(whole) => {
                let whole = marked(whole);
                OpeningNumbers::of_names(|name| marked(name) == whole)
            }
            TextTest::Matches(regex) => match regex::compile(regex) {
                Ok(regex) => OpeningNumbers::of_names(|name| regex.is_match(name)),
                // Nothing else comes from the parser.
                Err(_) => OpeningNumbers::of_names(|_| false),
            },
            TextTest::Present => OpeningNumbers::of_names(|_| true),
        }
    }
}
