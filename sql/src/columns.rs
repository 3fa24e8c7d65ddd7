//! Columns with their descriptions, from which schemas, the page of the book and `\d` are made.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};

/// A column of a table.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Column {
    /// The name in SQL.
    pub name: &'static str,
    /// The type of its values.
    pub kind: DataType,
    /// Whether a value can be null: then the description says when.
    pub can_be_null: bool,
    /// What it holds, with its unit, as Markdown.
    pub meaning: &'static str,
}

impl Column {
    /// Returns the type as SQL writes it.
    #[must_use]
    pub fn sql_type(&self) -> &'static str {
        match self.kind {
            DataType::Int32 => "integer",
            DataType::Int64 => "bigint",
            DataType::Float64 => "double",
            DataType::Date32 => "date",
            _ => "text",
        }
    }
}

/// Returns a column that always has a value.
pub(crate) const fn always(name: &'static str, kind: DataType, meaning: &'static str) -> Column {
    Column {
        name,
        kind,
        can_be_null: false,
        meaning,
    }
}

/// Returns a column that can be null.
pub(crate) const fn maybe(name: &'static str, kind: DataType, meaning: &'static str) -> Column {
    Column {
        name,
        kind,
        can_be_null: true,
        meaning,
    }
}

/// The columns of all tables.
pub(crate) const DB: Column = always("db", DataType::Utf8View, "The name of the database");
pub(crate) const GAME: Column = always("game", DataType::Int64, "The number of the game, from 1");

/// Those of moves.
pub(crate) const MOVE_NUMBER: Column = always(
    "move_number",
    DataType::Int32,
    "The number of the move as PGN writes it",
);
pub(crate) const SAN: Column = always(
    "san",
    DataType::Utf8View,
    "The move in standard algebraic notation",
);
pub(crate) const UCI: Column = always(
    "uci",
    DataType::Utf8View,
    "The move in long algebraic notation",
);
pub(crate) const FEN: Column = always(
    "fen",
    DataType::Utf8View,
    "The position after the move, as FEN",
);

/// Those of results.
pub(crate) const WHITE: Column = always("white", DataType::Int64, "Of these, won by White");
pub(crate) const DRAWS: Column = always("draws", DataType::Int64, "Of these, drawn");
pub(crate) const BLACK: Column = always("black", DataType::Int64, "Of these, won by Black");

/// Those of moves that games play.
pub(crate) const GAMES: Column = always("games", DataType::Int64, "Games with it");
pub(crate) const AVERAGE_ELO: Column = maybe(
    "average_elo",
    DataType::Float64,
    "The mean rating of those who played it; null if none is known",
);
pub(crate) const OPENING: Column = maybe(
    "opening",
    DataType::Utf8View,
    "The name of the position after the move; null if it has none",
);

/// Returns columns as Arrow has them.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let fields = columns.iter().map(|column| {
        let field: Field = Field::new(column.name, column.kind.clone(), column.can_be_null);
        field
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
