//! The table of the chosen positions: writing it, and reading it from an older file.

use shakmaty::Color;
use tabiya_chess::{Man, placement::Placement};
use zerocopy::{FromBytes, IntoBytes, little_endian::U32};

use super::{
    Packed, StoredPosition, blob_of,
    choose::{Chosen, LEAST_MEN, POSITIONS_MAX},
};
use crate::sidecar::{part::Block, write::Blobs};

impl Chosen {
    /// Returns the blobs of the table.
    pub(in super::super) fn table(&self) -> Blobs {
        let stored = |(number, &packed): (u16, &Packed)| StoredPosition {
            packed,
            zero: 0,
            number: number.into(),
        };
        let mut positions: Vec<StoredPosition> = (0..).zip(&self.packed).map(stored).collect();
        positions.sort_unstable_by_key(|position| position.packed);
        let mut blobs = Blobs::default();
        blobs.push_bytes(positions.as_bytes());
        blobs.push_bytes(&self.games.to_le_bytes());
        blobs
    }

    /// Reads the positions of another sidecar; `None` if its table is damaged or invalid in this
    /// version.
    pub(in super::super) fn read(table: Block<'_>) -> Option<Chosen> {
        let stored = <[StoredPosition]>::ref_from_bytes(table.bytes(0)?).ok()?;
        let games = U32::ref_from_bytes(table.bytes(1)?).ok()?.get();
        if stored.len() > POSITIONS_MAX {
            return None;
        }
        let mut packed: Vec<Option<Packed>> = vec![None; stored.len()];
        for position in stored {
            let place = packed.get_mut(usize::from(position.number.get()))?;
            *place = Some(position.packed);
        }
        // There are as many numbers as entries: if every entry is filled, each number occurred
        // once.
        let packed = packed.into_iter().collect::<Option<Vec<Packed>>>()?;
        let positions = packed.iter().map(unpacked).collect::<Option<Vec<_>>>()?;
        Some(Chosen::new_of(&positions, games))
    }

    /// Returns whether blocks of games and of rows have these numbers of blobs.
    pub(in super::super) fn has_blobs(&self, of_games: usize, of_rows: usize) -> bool {
        let last = self.packed.len().checked_sub(1);
        let last = last.and_then(|last| u16::try_from(last).ok());
        let blobs = 1 + last.map_or(0, |last| usize::from(blob_of(last).0));
        of_games == blobs && of_rows == self.packed.len()
    }
}

/// Returns the men and the side to move; `None` for bytes that no chosen position can have.
fn unpacked(bytes: &Packed) -> Option<Placement> {
    let (&turn, squares) = bytes.split_last()?;
    let turn = match turn {
        0 => Color::White,
        1 => Color::Black,
        _ => return None,
    };
    let mut men = [0; 16];
    for (square, byte) in (0..).step_by(2).zip(squares) {
        for (square, code) in [(square, byte & 15), (square + 1, byte >> 4)] {
            match usize::from(code).checked_sub(1) {
                Some(man) if man < Man::ALL.len() => men[man] |= 1 << square,
                Some(_) => return None,
                None => {}
            }
        }
    }
    let placement = Placement::of_squares(men, turn);
    (placement.men >= LEAST_MEN).then_some(placement)
}
