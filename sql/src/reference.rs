//! The tables and their columns as a page of the book, made from the list that schemas are made of.

use std::fmt::Write as _;

use crate::{
    answers::{LINES, POSITIONS, TREE},
    columns::Column,
    tables::Table,
};

/// What SQL can select from.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Relation {
    /// The name in SQL: of a table, or of a function that is called like one.
    pub name: &'static str,
    /// What its rows are.
    pub rows: &'static str,
    /// Its columns in order.
    pub columns: &'static [Column],
}

/// Returns all tables, and the functions that give rows.
#[must_use]
pub fn relations() -> Vec<Relation> {
    let tables = Table::ALL.map(|table| Relation {
        name: table.name(),
        rows: match table {
            Table::Games => "One row a game.",
            Table::Moves => "One row a move of the main line.",
            Table::Tags => "One row a PGN tag of a game.",
            Table::Nags => "One row an annotation glyph (NAG) of a game.",
            Table::Variations => "One row a move of a variation, in the order of the PGN text.",
        },
        columns: table.columns(),
    });
    let answers = [
        ("tree", "One row a next move.", TREE),
        (
            "lines",
            "One row a move of the lines that are played.",
            LINES,
        ),
        ("positions", "One row a position.", POSITIONS),
    ];
    let answers = answers.map(|(name, rows, columns)| Relation {
        name,
        rows,
        columns,
    });
    tables.into_iter().chain(answers).collect()
}

const HEAD: &str = "\
# Tables of SQL

Made from the list of columns in `tabiya-sql`. The first five are tables over the databases on the
command line, and functions that name others: `tags('a.si4', query => 'eco:B90')`. The rest are
functions only. All numbers are signed, so that differences can be below 0. A column that can be
null says when. [The cookbook](cookbook-sql.md) has statements with them.
";

/// Returns the page.
#[must_use]
pub fn page() -> String {
    let mut page = HEAD.to_owned();
    for relation in relations() {
        let _ = write!(
            page,
            "\n## `{}`\n\n{}\n\n| column | type | null | meaning |\n|---|---|---|---|\n",
            relation.name, relation.rows
        );
        for column in relation.columns {
            let null = if column.can_be_null { "yes" } else { "no" };
            let (name, kind) = (column.name, column.sql_type());
            let _ = writeln!(page, "| `{name}` | {kind} | {null} | {} |", column.meaning);
        }
    }
    page
}

/// Returns a statement that lists the columns of a table with their descriptions; `None` if there
/// is no table or function with this name.
#[must_use]
pub fn statement(name: &str) -> Option<String> {
    let relation = relations()
        .into_iter()
        .find(|relation| relation.name == name)?;
    let rows = relation.columns.iter().map(|column| {
        let meaning = column.meaning.replace('\'', "''");
        format!("('{}', '{}', '{meaning}')", column.name, column.sql_type())
    });
    let rows = rows.collect::<Vec<_>>().join(", ");
    let names = "column1 as column_name, column2 as data_type, column3 as meaning";
    Some(format!("select {names} from (values {rows});"))
}
