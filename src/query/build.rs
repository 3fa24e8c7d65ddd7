//! Combines queries, with the flattening that the parser uses as well.

use std::ops::Not;

use super::{At, Condition, FenTest, PositionTest, Query, Sequence, TextTest};

impl Query {
    /// Returns the query for games that satisfy both. The result is flat: a nested `And` is merged
    /// into it, and [`Query::All`] is dropped.
    ///
    /// ```
    /// use tabiya::query::Query;
    ///
    /// let strong: Query = "elo>=2600".parse()?;
    /// let drawn: Query = "result:draw".parse()?;
    /// assert_eq!(strong.and(!drawn).to_string(), "elo>=2600 not result:1/2-1/2");
    /// # Ok::<(), tabiya::query::Fault>(())
    /// ```
    #[must_use]
    pub fn and(self, other: Query) -> Query {
        Query::all_of([self, other])
    }

    /// Returns the query for games that satisfy either. The result is flat: a nested `Or` is merged
    /// into it. With [`Query::All`] it is [`Query::All`].
    #[must_use]
    pub fn or(self, other: Query) -> Query {
        Query::any_of([self, other])
    }

    /// Returns the query for games that satisfy all of these, flat like [`and`](Query::and).
    /// Without conditions: [`Query::All`].
    #[must_use]
    pub fn all_of(queries: impl IntoIterator<Item = Query>) -> Query {
        let mut all = Vec::new();
        for query in queries {
            match query {
                Query::All => {}
                Query::And(inner) => all.extend(inner),
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Query::All,
            1 => all.swap_remove(0),
            _ => Query::And(all),
        }
    }

    /// Returns the query for games that satisfy any of these, flat like [`or`](Query::or). Without
    /// conditions: no game, which is `not ()`.
    #[must_use]
    pub fn any_of(queries: impl IntoIterator<Item = Query>) -> Query {
        let mut any = Vec::new();
        for query in queries {
            match query {
                Query::All => return Query::All,
                Query::Or(inner) => any.extend(inner),
                other => any.push(other),
            }
        }
        match any.len() {
            0 => !Query::All,
            1 => any.swap_remove(0),
            _ => Query::Or(any),
        }
    }
}

impl Not for Query {
    type Output = Query;

    /// Returns the query for the other games. A double negation is dropped.
    fn not(self) -> Query {
        match self {
            Query::Not(inner) => *inner,
            other => Query::Not(Box::new(other)),
        }
    }
}

impl From<FenTest> for Query {
    fn from(fen: FenTest) -> Query {
        Query::from(Sequence::from(At::from(PositionTest::Fen(Box::new(fen)))))
    }
}

impl From<Sequence> for Query {
    fn from(sequence: Sequence) -> Query {
        Query::Position(sequence)
    }
}

impl From<At> for Sequence {
    /// Creates a sequence of one condition.
    fn from(first: At) -> Sequence {
        Sequence {
            first,
            rest: Vec::new(),
        }
    }
}

impl From<Vec<String>> for TextTest {
    /// Creates the test of `:` for a text of these pieces with stars between them:
    /// [`TextTest::Contains`] for one piece, [`TextTest::Like`] for several.
    fn from(mut pieces: Vec<String>) -> TextTest {
        if pieces.len() == 1 {
            TextTest::Contains(pieces.swap_remove(0))
        } else {
            TextTest::Like(pieces)
        }
    }
}

impl From<PositionTest> for At {
    /// Creates the `at( ... )` of one test, without modifiers.
    fn from(test: PositionTest) -> At {
        At {
            conditions: vec![Condition {
                negated: false,
                test,
            }],
            ..At::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::State;

    fn check() -> Query {
        Query::Position(At::from(PositionTest::State(State::Check)).into())
    }

    #[test]
    fn nested_conditions_become_flat() {
        let three = check().and(check()).and(check());
        assert_eq!(three, Query::And(vec![check(), check(), check()]));
        let three = check().or(check().or(check()));
        assert_eq!(three, Query::Or(vec![check(), check(), check()]));
        assert_eq!(!!check(), check());
    }

    #[test]
    fn all_games_vanish_from_and_and_swallow_or() {
        assert_eq!(Query::All.and(check()), check());
        assert_eq!(check().or(Query::All), Query::All);
        assert_eq!(Query::all_of([]), Query::All);
        assert_eq!(Query::any_of([]), !Query::All);
    }
}
