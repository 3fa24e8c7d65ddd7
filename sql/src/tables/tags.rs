//! One row a PGN tag of a game.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, Int64Builder, StringViewBuilder},
    datatypes::{DataType, Schema},
};
use tabiya::{
    Diagram, Flow, GameId,
    chess::Start,
    format::{GameHeader, Visitor},
};

use super::repeated;
use crate::{
    base::Base,
    columns::{Column, DB, GAME, always},
};

pub(super) const COLUMNS: &[Column] = &[
    DB,
    GAME,
    always("tag", DataType::Utf8View, "The name of the tag"),
    always(
        "value",
        DataType::Utf8View,
        "Its value, without the escapes of PGN",
    ),
];

/// Rows of tags.
#[derive(Debug, Default)]
pub(super) struct Tags {
    rows: usize,
    number: u32,
    game: Int64Builder,
    tag: StringViewBuilder,
    value: StringViewBuilder,
}

impl Tags {
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    fn row(&mut self, tag: &str, value: &str) {
        self.rows += 1;
        self.game.append_value(self.number.into());
        self.tag.append_value(tag);
        self.value.append_value(value);
    }

    /// Adds the tags of a game, in the order of a PGN file.
    pub(super) fn push(&mut self, base: &Base, game: GameId) -> tabiya::Result<()> {
        let database = base.database();
        self.number = database.number(game);
        let header = database.header(game)?;
        of_header(&header, |tag, value| self.row(tag, value));
        base.undamaged(database.visit(game, self)).map(drop)
    }

    pub(super) fn columns(&mut self, base: &Base, schema: &Schema) -> Vec<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let (game, tag, value) = (self.game.finish(), self.tag.finish(), self.value.finish());
        let column = |name: &str| -> ArrayRef {
            match name {
                "game" => Arc::new(game.clone()),
                "tag" => Arc::new(tag.clone()),
                "value" => Arc::new(value.clone()),
                _ => repeated(base.name(), rows),
            }
        };
        let names = schema.fields().iter().map(|field| field.name().as_str());
        names.map(column).collect()
    }
}

impl Visitor for Tags {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.row(name, value);
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.row("FEN", &Diagram::new(setup).fen());
        }
        // Moves have no tags.
        Flow::Break(())
    }
}

/// Tells the tags that stand in a header, in the order of a PGN file.
fn of_header(header: &GameHeader, mut tell: impl FnMut(&str, &str)) {
    let known = |text: &'_ str| -> String {
        let text = if text.is_empty() { "?" } else { text };
        text.to_owned()
    };
    tell("Event", &known(&header.event));
    tell("Site", &known(&header.site));
    tell("Date", &header.date.to_string());
    tell("Round", &known(&header.round));
    tell("White", &known(&header.white));
    tell("Black", &known(&header.black));
    tell("Result", header.result.as_str());
    for (side, rating) in [
        ("White", header.white_rating),
        ("Black", header.black_rating),
    ] {
        if let Some(rating) = rating {
            let tag = format!("{side}{}", rating.kind.tag_suffix());
            tell(&tag, &rating.value.to_string());
        }
    }
    if let Some(eco) = header.eco {
        tell("ECO", &eco.to_string());
    }
    if !header.event_date.is_unknown() {
        tell("EventDate", &header.event_date.to_string());
    }
}

/// Returns whether a header may have a tag with this name.
fn may_be_of_header(tag: &str) -> bool {
    const NAMES: [&str; 7] = [
        "Event",
        "Site",
        "Date",
        "Round",
        "Result",
        "ECO",
        "EventDate",
    ];
    NAMES.contains(&tag) || tag.starts_with("White") || tag.starts_with("Black")
}

/// Returns the value of a tag: that of the first row that the table has for it. Of a damaged game,
/// which is counted, what stands before the damage.
pub(crate) fn value_of(base: &Base, game: GameId, tag: &str) -> tabiya::Result<Option<String>> {
    let mut first = FirstTag { tag, value: None };
    if may_be_of_header(tag) {
        let header = base.database().header(game)?;
        of_header(&header, |name, value| first.take(name, value));
    }
    if first.value.is_none() {
        base.undamaged(base.database().visit(game, &mut first))?;
    }
    Ok(first.value)
}

/// Finds the first tag with a name.
struct FirstTag<'t> {
    tag: &'t str,
    value: Option<String>,
}

impl FirstTag<'_> {
    fn take(&mut self, name: &str, value: &str) {
        if name == self.tag && self.value.is_none() {
            self.value = Some(value.to_owned());
        }
    }
}

impl Visitor for FirstTag<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.take(name, value);
        match self.value {
            Some(_) => Flow::Break(()),
            None => Flow::Continue(()),
        }
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start
            && self.tag == "FEN"
        {
            self.value = Some(Diagram::new(setup).fen());
        }
        // Moves have no tags.
        Flow::Break(())
    }
}
