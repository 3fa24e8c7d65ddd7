//! What the files of a repertoire have in a position.

use tabiya_chess::placement::Placement;

use crate::{
    repertoire::Repertoire,
    report::tree::{NextMove, TreePosition, Writer, decoded},
};

/// A move that the files of a repertoire have in a position.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RepertoireMove {
    /// The move.
    pub next: NextMove,
    /// The same in SAN.
    pub san: String,
}

impl Repertoire {
    /// Returns the moves that the files have in a position, in their order; `None` if they do not
    /// have it. O(moves).
    #[must_use]
    pub fn moves(&self, position: &TreePosition) -> Option<Vec<RepertoireMove>> {
        let setup = position.setup();
        let number = self.number(&Placement::new(&setup.board, setup.turn))?;
        let writer = Writer::new(setup);
        let moves = self.nodes()[number as usize].moves.iter();
        let moves = moves.map(|step| RepertoireMove {
            next: decoded(*step),
            san: writer.write(decoded(*step)).0,
        });
        Some(moves.collect())
    }
}
