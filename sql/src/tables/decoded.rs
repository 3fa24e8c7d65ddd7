//! Columns of games for which each game is decoded: positions, and tags beside those of records.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, StringViewBuilder},
    error::ArrowError,
};
use shakmaty::Setup;
use tabiya::{Diagram, Flow, ListStyle, MainLine, Match, Notation, chess::Start, format::Visitor};

use super::undamaged;
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
        let mut one = OneTag { tag, value: None };
        let visited = base.database().visit(hit.game, &mut one);
        undamaged(base, visited)?;
        column.append_option(one.value);
    }
    Ok(Arc::new(column.finish()))
}

/// Finds a tag before the moves.
struct OneTag<'t> {
    tag: &'t str,
    value: Option<String>,
}

impl Visitor for OneTag<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name == self.tag {
            self.value = Some(value.to_owned());
        }
        Flow::Continue(())
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Break(())
    }
}

/// Returns the positions where a query holds, as FEN.
pub(super) fn match_fens(base: &Base, hits: &[Match]) -> Result<ArrayRef, ArrowError> {
    let mut column = StringViewBuilder::with_capacity(hits.len());
    let mut line = MainLine::new(ListStyle::Words, &[Notation::Fen]);
    for hit in hits {
        let Some(ply) = hit.ply else {
            column.append_null();
            continue;
        };
        undamaged(base, line.read(base.database(), hit.game))?;
        column.append_option(position(&line, ply));
    }
    Ok(Arc::new(column.finish()))
}

/// Returns the position after so many half-moves, if they are there.
fn position(line: &MainLine, ply: u32) -> Option<String> {
    match ply.checked_sub(1) {
        Some(before) if ply <= line.plies() => {
            let mut fens = line.text(Notation::Fen).split(';');
            fens.nth(before as usize).map(str::to_owned)
        }
        Some(_) => None,
        None => line
            .start_fen()
            .or_else(|| Some(Diagram::new(&Setup::initial()).fen())),
    }
}
