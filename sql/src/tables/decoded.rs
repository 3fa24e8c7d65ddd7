//! Columns of games for which each game is decoded: positions, and tags beside those of records.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, StringViewBuilder},
    error::ArrowError,
};
use tabiya::{Diagram, Flow, LineEnd, Match, chess::Start, format::Visitor};

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
    for hit in hits {
        let line = hit.ply.map(|ply| {
            let line = base.database().line(hit.game, LineEnd::Ply(ply));
            undamaged(base, line)
        });
        let line = line.transpose()?.flatten().flatten();
        column.append_option(line.map(|line| Diagram::new(&line.end).fen()));
    }
    Ok(Arc::new(column.finish()))
}
