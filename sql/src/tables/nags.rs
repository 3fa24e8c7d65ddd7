//! One row an annotation glyph (NAG).

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, Int32Builder, Int64Builder},
    datatypes::{DataType, Schema},
};
use shakmaty::Move;
use tabiya::{Flow, GameId, format::Visitor};

use super::{place::Place, repeated, signed};
use crate::{
    base::Base,
    columns::{Column, DB, GAME, always, maybe},
};

pub(super) const COLUMNS: &[Column] = &[
    DB,
    GAME,
    maybe(
        "variation",
        DataType::Int32,
        "The number of the variation in its game, in the order of the PGN text from 1; null for \
         the main line",
    ),
    always(
        "ply",
        DataType::Int32,
        "The half-move that it stands behind, from 1; before the first move of the game or the \
         variation, the one before that",
    ),
    always("nag", DataType::Int32, "The glyph, 1 (`!`) to 255"),
];

/// Rows of glyphs.
#[derive(Debug, Default)]
pub(super) struct Nags {
    place: Place,
    number: i64,
    rows: usize,
    game: Int64Builder,
    variation: Int32Builder,
    ply: Int32Builder,
    nag: Int32Builder,
}

impl Nags {
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Adds the glyphs of a game, or those before its damage.
    pub(super) fn push(&mut self, base: &Base, game: GameId) -> tabiya::Result<()> {
        self.place.reset();
        self.number = base.database().number(game).into();
        let visited = base.database().visit(game, self);
        base.undamaged(visited).map(drop)
    }

    pub(super) fn columns(&mut self, base: &Base, schema: &Schema) -> Vec<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let (game, variation) = (self.game.finish(), self.variation.finish());
        let (ply, nag) = (self.ply.finish(), self.nag.finish());
        let column = |name: &str| -> ArrayRef {
            match name {
                "game" => Arc::new(game.clone()),
                "variation" => Arc::new(variation.clone()),
                "ply" => Arc::new(ply.clone()),
                "nag" => Arc::new(nag.clone()),
                _ => repeated(base.name(), rows),
            }
        };
        let names = schema.fields().iter().map(|field| field.name().as_str());
        names.map(column).collect()
    }
}

impl Visitor for Nags {
    fn play(&mut self, _: Option<Move>) -> Flow {
        self.place.ply += 1;
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.rows += 1;
        self.game.append_value(self.number);
        let variation = self.place.variation;
        self.variation
            .append_option((variation > 0).then_some(variation));
        self.ply.append_value(signed(self.place.ply));
        self.nag.append_value(nag.into());
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.place.begin_variation();
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.place.end_variation();
        Flow::Continue(())
    }
}
