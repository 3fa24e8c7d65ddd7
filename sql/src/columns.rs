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

/// Returns columns as Arrow has them.
pub(crate) fn schema(columns: &[Column]) -> SchemaRef {
    let fields = columns.iter().map(|column| {
        let field: Field = Field::new(column.name, column.kind.clone(), column.can_be_null);
        field
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}
