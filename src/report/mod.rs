//! What is reported about a database or a set of its games: moves played in a position, positions,
//! results and ratings, names, duplicates, and what the database holds in all.

pub(crate) mod duplicates;
pub(crate) mod lines;
pub(crate) mod names;
pub(crate) mod novelty;
pub(crate) mod person;
mod played;
pub(crate) mod positions;
pub(crate) mod repertoire;
pub(crate) mod similar;
pub(crate) mod spelling;
pub(crate) mod stats;
pub(crate) mod summary;
pub(crate) mod tree;
pub(crate) mod written;
