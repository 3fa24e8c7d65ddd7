//! What a query asks for.

use super::{Flag, HeaderClause, NumberField, Query};

impl Query {
    /// Returns whether some condition is on positions or on a piece's path, so that a match may
    /// have a place in the game. O(conditions).
    #[must_use]
    pub fn asks_for_positions(&self) -> bool {
        self.any(&|query| matches!(query, Query::Position(_) | Query::Path(_)))
    }

    /// Returns whether answering the query reads files that it names. O(conditions).
    #[must_use]
    pub fn names_files(&self) -> bool {
        self.any(&|query| matches!(query, Query::Header(HeaderClause::Repertoire(_))))
    }

    /// Returns whether some condition may depend on moves, or on comments, variations and NAGs
    /// between them.
    pub(crate) fn asks_for_moves(&self) -> bool {
        self.any(&|query| match query {
            Query::Header(clause) => clause.asks_for_moves(),
            Query::Position(_) | Query::Path(_) => true,
            _ => false,
        })
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

impl HeaderClause {
    fn asks_for_moves(&self) -> bool {
        use NumberField::{Comments, Moves, Nags, Plies, Variations};
        match self {
            HeaderClause::Text(..)
            | HeaderClause::Date(..)
            | HeaderClause::Eco(_)
            | HeaderClause::Result(..)
            | HeaderClause::Start(..)
            | HeaderClause::Speed(..)
            | HeaderClause::Medal(..) => false,
            HeaderClause::Number(field, _) => {
                matches!(field, Plies | Moves | Comments | Variations | Nags)
            }
            HeaderClause::Flag(flag, _) => {
                matches!(flag, Flag::Promotion | Flag::Underpromotion)
            }
            HeaderClause::Has(..)
            | HeaderClause::Opening(_)
            | HeaderClause::Repertoire(_)
            | HeaderClause::RepertoirePlies(_)
            | HeaderClause::Comment(_)
            | HeaderClause::Plain(_) => true,
        }
    }
}
