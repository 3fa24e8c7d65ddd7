//! Follows games together with what the comments of their moves tell.
//!
//! Decoders pass only changes on the board to followers, so that searches do not pay for comments.
//! A search that asks for comments reads them first, from the sidecar if it has them, and keeps a
//! [`Remark`](tabiya_chess::Remark) for each move; then the game is followed as always, and each
//! move comes with its remark. Reading often shows that no move can lead to a match, so that the
//! game need not be followed.

use std::sync::Arc;

use tabiya_chess::{Evaluation, judgement::Evaluated};
use tabiya_formats::{Decoded, View, sound::Sound};

use super::compile;
use crate::{
    pattern::{
        Finder, Told,
        automaton::{Automaton, Run},
        told_moves::ToldMoves,
    },
    query::{At, PositionTest, QualityField, State},
    sidecar::Sidecar,
};

/// What the comments of one game after the other tell.
#[derive(Debug)]
pub(super) struct Remarks {
    /// A sidecar that may know it.
    sidecar: Option<Arc<Sidecar>>,
    /// The number of the present game.
    game: u32,
    told: ToldMoves,
    evaluations: Vec<Option<Evaluation>>,
    /// Finds whether the last move mates; made at first use.
    mate: Option<Automaton>,
}

impl Remarks {
    pub(super) fn new(sidecar: Option<Arc<Sidecar>>) -> Remarks {
        Remarks {
            sidecar,
            game: 0,
            told: ToldMoves::default(),
            evaluations: Vec::new(),
            mate: None,
        }
    }

    /// Begins with a game, by its number.
    pub(super) fn begin(&mut self, game: u32) {
        self.game = game;
    }

    /// Reads the comments of a game if an automaton asks for them. Returns whether it can match.
    pub(super) fn admit<V: View>(
        &mut self,
        (view, record): (V, &V::Record),
        sound: &mut Sound,
        automaton: &Automaton,
        in_tree: bool,
    ) -> Decoded<bool> {
        if !automaton.is_about_remarks() {
            return Ok(true);
        }
        // Moves after damage may have comments that are not known.
        let is_whole = self.read(view, record, sound, in_tree)?;
        Ok(!is_whole || automaton.admits(self.told.moves()))
    }

    /// Reads the comments of the present game. Returns whether it is whole.
    fn read<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        in_tree: bool,
    ) -> Decoded<bool> {
        let sidecar = self.sidecar.as_ref().filter(|_| !in_tree);
        match sidecar.and_then(|sidecar| sidecar.told(self.game, &mut self.told)) {
            Some(()) => Ok(true),
            None => self.told.read(view, record, sound, in_tree),
        }
    }

    /// Returns what is told of each move.
    pub(super) fn moves(&self) -> &[Told] {
        self.told.moves()
    }

    /// Returns how well a side played in the main line, if the evaluations tell.
    pub(super) fn quality<V: View>(
        &mut self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
        field: QualityField,
    ) -> Decoded<Option<f64>> {
        self.read(view, record, sound, false)?;
        let moves = self.told.moves().iter();
        self.evaluations.clear();
        self.evaluations.extend(moves.map(|told| told.remark.eval));
        let mut evaluated = Evaluated {
            start: self.told.of_start(),
            moves: &self.evaluations,
            first: self.told.first(),
            mates: false,
        };
        Ok(match field {
            QualityField::Loss(side) => evaluated.mean_loss(side),
            QualityField::Accuracy(side) => {
                if let Some(None) = self.evaluations.last() {
                    let mate = || compile::last(&At::from(PositionTest::State(State::Mate)));
                    let mut end = Run::new(self.mate.get_or_insert_with(mate));
                    sound.main_line(view, record, &mut end)?;
                    end.end_line();
                    evaluated.mates = end.found().is_some();
                }
                evaluated.accuracy(side)
            }
        })
    }
}
