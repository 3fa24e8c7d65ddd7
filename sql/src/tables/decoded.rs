//! Columns of games for which each game is decoded: positions, and tags beside those of records.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, StringViewBuilder},
    error::ArrowError,
};
use tabiya::{ListStyle, MainLine, Match, Notation};

use super::{external, tag_value};
use crate::base::Base;

/// Columns, and the PGN tags that they hold.
const TAGS: [(&str, &str); 4] = [
    ("time_control", "TimeControl"),
    ("termination", "Termination"),
    ("white_title", "WhiteTitle"),
    ("black_title", "BlackTitle"),
];

/// Returns the tag that a column holds.
pub(super) fn tag_of(column: &str) -> Option<&'static str> {
    let mut tags = TAGS.iter();
    tags.find(|(name, _)| *name == column).map(|(_, tag)| *tag)
}

/// Returns the values of a tag.
pub(super) fn tags(base: &Base, hits: &[Match], tag: &str) -> Result<ArrayRef, ArrowError> {
    let mut column = StringViewBuilder::with_capacity(hits.len());
    for hit in hits {
        column.append_option(tag_value(base, hit.game, tag).map_err(external)?);
    }
    Ok(Arc::new(column.finish()))
}

/// Returns the positions where a query holds, as FEN.
pub(super) fn match_fens(base: &Base, hits: &[Match]) -> Result<ArrayRef, ArrowError> {
    let mut column = StringViewBuilder::with_capacity(hits.len());
    let mut line = MainLine::new(ListStyle::Words, &[Notation::Fen]);
    for hit in hits {
        let fen = hit.ply.map(|ply| {
            let fen = line.position_after(base.database(), hit.game, ply);
            base.undamaged(fen).map_err(external)
        });
        column.append_option(fen.transpose()?.flatten().flatten());
    }
    Ok(Arc::new(column.finish()))
}
