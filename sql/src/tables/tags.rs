//! One row a PGN tag of a game.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, Int64Builder, StringViewBuilder},
    datatypes::{DataType, Schema},
};
use tabiya::{Diagram, Flow, GameId, chess::Start, format::Visitor};

use super::{Column, repeated};
use crate::base::Base;

pub(super) const COLUMNS: &[Column] = &[
    ("db", DataType::Utf8View, false),
    ("game", DataType::Int64, false),
    ("tag", DataType::Utf8View, false),
    ("value", DataType::Utf8View, false),
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
        let known = |text: &str| {
            if text.is_empty() {
                "?".to_owned()
            } else {
                text.to_owned()
            }
        };
        self.row("Event", &known(&header.event));
        self.row("Site", &known(&header.site));
        self.row("Date", &header.date.to_string());
        self.row("Round", &known(&header.round));
        self.row("White", &known(&header.white));
        self.row("Black", &known(&header.black));
        self.row("Result", header.result.as_str());
        for (side, rating) in [
            ("White", header.white_rating),
            ("Black", header.black_rating),
        ] {
            if let Some(rating) = rating {
                let tag = format!("{side}{}", rating.kind.tag_suffix());
                self.row(&tag, &rating.value.to_string());
            }
        }
        if let Some(eco) = header.eco {
            self.row("ECO", &eco.to_string());
        }
        if !header.event_date.is_unknown() {
            self.row("EventDate", &header.event_date.to_string());
        }
        match database.visit(game, self) {
            Err(error) if !error.is_of_game() => Err(error),
            Err(_) => {
                base.note_damaged(1);
                Ok(())
            }
            Ok(()) => Ok(()),
        }
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
