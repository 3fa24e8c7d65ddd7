//! `repertoire`: whether a game begins as a file's lines do.

use std::{cell::Cell, collections::HashSet, path::Path};

use tabiya_chess::{
    Color, Start,
    follow::break_if,
    placement::{EachPlacement, Placement, Placements},
};
use tabiya_formats::{
    Ask, Decoded, Scratch, TimeSlice, View,
    error::{Error, Result},
    sound::Sound,
};

use super::{Decode, bind::Binder};
use crate::database::OpenOptions;
use crate::{
    database::with_view,
    filter::{IndexTest, Node},
    query::RepertoireTest,
};

/// The positions of a file, and what must stay among them.
#[derive(Debug)]
pub(crate) struct Repertoire {
    positions: Placements,
    standard: Placement,
    /// Whose moves must; `None` for both sides.
    side: Option<Color>,
    /// This number of plies, or those of the game if it has fewer.
    plies: u32,
}

impl Binder<'_> {
    pub(super) fn repertoire(&mut self, text: String, test: &RepertoireTest) -> Result<Node> {
        let repertoire = Repertoire {
            positions: positions_of(Path::new(&test.file), self.ask)?,
            standard: Placement::at(Start::Standard),
            side: test.side,
            plies: self.repertoire_plies,
        };
        let decode = Decode::Repertoire(Box::new(repertoire));
        Ok(self.open_leaf(text, "decoding", IndexTest::Decode, decode))
    }
}

/// Reads all positions of a file, main lines and variations.
///
/// # Errors
/// Those of opening the file; `Interrupted` if `ask`, which is called at intervals, breaks. Damaged
/// games count as far as they can be read.
fn positions_of(path: &Path, ask: Ask<'_>) -> Result<Placements> {
    let database = OpenOptions::new().on_progress(|_| ask()).open(path)?;
    if !database.is_empty() {
        database.require_games()?;
    }
    let (mut known, mut positions) = (HashSet::new(), Vec::new());
    let (mut turn, stops) = (TimeSlice::begin(), Cell::new(false));
    let mut collector = EachPlacement::new(Placement::at(Start::Standard), |place| {
        if known.insert((place.squares, place.turn.is_white())) {
            positions.push(*place);
        }
        stops.set(stops.get() || turn.yield_now(ask).is_err());
        break_if(stops.get())
    });
    let mut scratch = Scratch::default();
    with_view!(database.tags(), view => {
        for record in view.records_in(0..view.game_count()) {
            let _ = view.tree(record, &mut scratch, &mut collector);
            if stops.get() {
                return Err(Error::interrupted());
            }
        }
    });
    Ok(Placements::new(
        positions.into_iter().map(|place| (place, Some(place.turn))),
    ))
}

impl Repertoire {
    /// Returns whether a game stays in the repertoire.
    pub(super) fn has<V: View>(
        &self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
    ) -> Decoded<bool> {
        let (mut ply, mut stays) = (0, true);
        let mut loyal = EachPlacement::new(self.standard, |now| {
            let mover = now.turn.other();
            if ply > 0 && self.side.is_none_or(|side| side == mover) {
                let mut is_known = false;
                self.positions.look_up(now, |_| is_known = true);
                stays &= is_known;
            }
            let is_decided = !stays || ply >= self.plies;
            ply += 1;
            break_if(is_decided)
        });
        sound.main_line(view, record, &mut loyal)?;
        Ok(stays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::Flow;
    use tabiya_formats::error::ErrorKind;

    #[test]
    fn reading_a_repertoire_stops_when_it_is_asked_to() {
        let file = Path::new("fixtures/famous.pgn");
        let stopped = positions_of(file, &mut || Flow::Break(()));
        let error = stopped.expect_err("it stops");
        assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
        assert!(positions_of(file, &mut || Flow::Continue(())).is_ok());
    }
}
