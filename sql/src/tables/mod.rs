//! The tables, and rows of them as batches.
//!
//! What is unknown is null. Names, dates and ratings are as in the database; games are numbered
//! from 1 as everywhere in tabiya.

mod decoded;
mod games;
mod moves;
mod nags;
mod place;
mod tags;
mod variations;

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, RecordBatch, RecordBatchOptions, StringViewBuilder},
    datatypes::SchemaRef,
    error::ArrowError,
};
use serde::{Deserialize, Serialize};
use tabiya::Match;

use crate::{
    base::Base,
    columns::{self, Column},
    plies::Plies,
};

pub(crate) use self::tags::value_of as tag_value;

/// Rows after which a batch is complete. A game is never divided.
pub(crate) const BATCH_ROWS: usize = 8192;

/// A table over chess databases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Table {
    /// One row a game.
    Games,
    /// One row a move of the main line.
    Moves,
    /// One row a PGN tag of a game.
    Tags,
    /// One row an annotation glyph of a game.
    Nags,
    /// One row a move of a variation.
    Variations,
}

impl Table {
    /// All tables.
    pub const ALL: [Table; 5] = [
        Table::Games,
        Table::Moves,
        Table::Tags,
        Table::Nags,
        Table::Variations,
    ];

    /// Returns the name in SQL.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Table::Games => "games",
            Table::Moves => "moves",
            Table::Tags => "tags",
            Table::Nags => "nags",
            Table::Variations => "variations",
        }
    }

    /// Returns the rows of a usual game.
    pub(crate) fn rows_per_game(self) -> usize {
        match self {
            Table::Games => 1,
            Table::Moves => 80,
            Table::Tags => 12,
            Table::Nags => 2,
            Table::Variations => 10,
        }
    }

    /// Returns the columns as Arrow has them.
    #[must_use]
    pub fn schema(self) -> SchemaRef {
        columns::schema(self.columns())
    }

    /// Returns the columns with their descriptions.
    #[must_use]
    pub fn columns(self) -> &'static [Column] {
        match self {
            Table::Games => games::COLUMNS,
            Table::Moves => moves::COLUMNS,
            Table::Tags => tags::COLUMNS,
            Table::Nags => nags::COLUMNS,
            Table::Variations => variations::COLUMNS,
        }
    }
}

/// Collects rows of some columns of a table, game by game.
#[derive(Debug)]
pub struct Rows<'b> {
    base: &'b Base,
    schema: SchemaRef,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Games(Vec<Match>),
    Moves(Box<moves::Moves>),
    Tags(Box<tags::Tags>),
    Nags(Box<nags::Nags>),
    Variations(Box<variations::Variations>),
}

impl<'b> Rows<'b> {
    /// Creates an empty batch of columns of a table: its schema, or a projection of it.
    #[must_use]
    pub fn new(base: &'b Base, table: Table, schema: SchemaRef) -> Rows<'b> {
        let kind = match table {
            Table::Games => Kind::Games(Vec::new()),
            Table::Moves => Kind::Moves(Box::new(moves::Moves::new(&schema))),
            Table::Tags => Kind::Tags(Box::default()),
            Table::Nags => Kind::Nags(Box::default()),
            Table::Variations => Kind::Variations(Box::new(variations::Variations::new(&schema))),
        };
        Rows { base, schema, kind }
    }

    /// Restricts moves to some plies.
    pub(crate) fn restrict(&mut self, plies: Plies) {
        if let Kind::Moves(moves) = &mut self.kind {
            moves.restrict(plies);
        }
    }

    /// Adds the rows of a game. Of a damaged game, those before the damage.
    ///
    /// # Errors
    /// If files are missing or have changed; damage is only counted.
    pub fn push(&mut self, hit: Match) -> tabiya::Result<()> {
        match &mut self.kind {
            Kind::Games(hits) => hits.push(hit),
            Kind::Moves(moves) => moves.push(self.base, hit.game)?,
            Kind::Tags(tags) => tags.push(self.base, hit.game)?,
            Kind::Nags(nags) => nags.push(self.base, hit.game)?,
            Kind::Variations(variations) => variations.push(self.base, hit.game)?,
        }
        Ok(())
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.kind {
            Kind::Games(hits) => hits.len(),
            Kind::Moves(moves) => moves.len(),
            Kind::Tags(tags) => tags.len(),
            Kind::Nags(nags) => nags.len(),
            Kind::Variations(variations) => variations.len(),
        }
    }

    /// Returns whether there are no rows.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the rows, and begins a new batch.
    ///
    /// # Errors
    /// If files are missing or have changed, or a column exceeds what Arrow can hold.
    pub fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = self.len();
        let columns = match &mut self.kind {
            Kind::Games(hits) => games::columns(self.base, &self.schema, &std::mem::take(hits))?,
            Kind::Moves(moves) => moves.columns(self.base, &self.schema),
            Kind::Tags(tags) => tags.columns(self.base, &self.schema),
            Kind::Nags(nags) => nags.columns(self.base, &self.schema),
            Kind::Variations(variations) => variations.columns(self.base, &self.schema),
        };
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)
    }
}

/// Returns a number as tables hold it: all numbers are signed, so that differences can be below 0.
/// No real one is too great.
fn signed(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Wraps an error of tabiya, which has path, offset and game.
pub(crate) fn external(error: tabiya::Error) -> ArrowError {
    ArrowError::ExternalError(Box::new(error))
}

/// Returns the same text in each of the rows.
pub(crate) fn repeated(text: &str, rows: usize) -> ArrayRef {
    let mut column = StringViewBuilder::with_capacity(rows);
    let bytes = text.as_bytes().to_vec();
    let length = bytes.len() as u32;
    let block = column.append_block(bytes.into());
    for _ in 0..rows {
        // A view of a block that has just been added: it cannot fail.
        let _ = column.try_append_view(block, 0, length);
    }
    Arc::new(column.finish())
}
