//! Questions to a database, in few words.

use tabiya::{Database, Query, Search, Strategy};

/// Reads a query.
pub(crate) fn query(text: &str) -> Query {
    text.parse()
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// Returns the numbers of the games that match.
pub(crate) fn numbers(
    database: &Database,
    text: &str,
    strategy: Strategy,
    variations: bool,
) -> Vec<u32> {
    let query = query(text);
    let search = Search::new(&query)
        .strategy(strategy)
        .variations(variations);
    let found = search.run(database);
    let found = found.unwrap_or_else(|error| panic!("{text}: {error}"));
    found.iter().map(|hit| hit.game.number()).collect()
}
