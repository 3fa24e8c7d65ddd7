//! The `.cbj` file: what newer programs store for each game besides the `.cbh` record.
//!
//! A header of 32 bytes, little-endian: version, bytes per record, number of records (4 bytes
//! each), rest unused. Then one record per game, big-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 4 | White's team in `.cbe`, -1 none |
//! | 4 | 4 | Black's team |
//! | 12 | 8 | offset of the annotations |
//! | 30 | 8 | offset of the moves |
//! | 116 | 4 | title in `.cbl`, -1 or 0 none |
//!
//! Each version made the records longer. Old files have only the first fields, and fewer records
//! than games. The final material at offset 20 is not read: too many records lack it, or have that
//! of an earlier state of the game.

/// Size of the header in bytes.
const HEADER_BYTES: usize = 32;

const TEAMS_AT: usize = 0;
const ANNOTATIONS_AT: usize = 12;
const MOVES_AT: usize = 30;
const GAME_TAG_AT: usize = 116;

/// The records.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Extended<'a> {
    records: &'a [u8],
    stride: usize,
}

/// Selects a 64-bit offset.
#[derive(Debug, Clone, Copy)]
pub(super) enum OffsetOf {
    Moves,
    Annotations,
}

impl<'a> Extended<'a> {
    /// Reads the header. A missing or invalid file has no records.
    pub(super) fn new(file: &'a [u8]) -> Extended<'a> {
        let stride = file.get(4..).and_then(|rest| rest.first_chunk());
        let stride = stride.map_or(0, |&stride| i32::from_le_bytes(stride));
        Extended {
            records: file.get(HEADER_BYTES..).unwrap_or_default(),
            stride: usize::try_from(stride).unwrap_or_default(),
        }
    }

    /// Reads the field at offset `at` in the record of a game, counted from 0.
    fn field<const BYTES: usize>(self, game: usize, at: usize) -> Option<[u8; BYTES]> {
        let start = game.checked_mul(self.stride)?;
        let record = self.records.get(start..start.checked_add(self.stride)?)?;
        record.get(at..)?.first_chunk().copied()
    }

    /// Returns the numbers of the teams in `.cbe`, White's first.
    pub(super) fn teams(self, game: usize) -> [Option<usize>; 2] {
        [TEAMS_AT, TEAMS_AT + 4].map(|at| {
            let number = i32::from_be_bytes(self.field(game, at)?);
            usize::try_from(number).ok()
        })
    }

    /// Returns the number of the game's title in `.cbl`.
    pub(super) fn game_tag(self, game: usize) -> Option<usize> {
        let number = i32::from_be_bytes(self.field(game, GAME_TAG_AT)?);
        usize::try_from(number).ok().filter(|&number| number > 0)
    }

    /// Returns the full offset whose low 32 bits are in the `.cbh` record. Files of up to 4 GiB
    /// need no more, and some programs leave the copy here empty.
    #[inline]
    pub(super) fn offset(self, game: usize, of: OffsetOf, low: u32, file_bytes: usize) -> u64 {
        let low = u64::from(low);
        if u32::try_from(file_bytes).is_ok() {
            return low;
        }
        let at = match of {
            OffsetOf::Moves => MOVES_AT,
            OffsetOf::Annotations => ANNOTATIONS_AT,
        };
        let full = self.field(game, at).map(u64::from_be_bytes);
        full.filter(|full| full & u64::from(u32::MAX) == low)
            .unwrap_or(low)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(stride: i32, games: usize) -> Vec<u8> {
        let mut file = Vec::from([0; HEADER_BYTES]);
        file[4..8].copy_from_slice(&stride.to_le_bytes());
        for game in 0..games {
            let mut record = [0xff; 120];
            record[4..8].copy_from_slice(&(game as u32).to_be_bytes());
            record[30..38].copy_from_slice(&(5 << 32 | game as u64).to_be_bytes());
            record[116..].copy_from_slice(&(game as u32).to_be_bytes());
            file.extend(&record[..stride as usize]);
        }
        file
    }

    #[test]
    fn fields_read_by_the_stored_length_as_far_as_it_goes() {
        for stride in [8, 38, 78, 120] {
            let file = file(stride, 3);
            let extended = Extended::new(&file);
            assert_eq!(extended.teams(2), [None, Some(2)]);
            assert_eq!(extended.teams(3), [None, None]);
            assert_eq!(extended.game_tag(2), (stride == 120).then_some(2));
            assert_eq!(extended.game_tag(0), None);
        }
        for stride in [0, 4] {
            assert_eq!(Extended::new(&file(stride, 3)).teams(0), [None, None]);
        }
        assert_eq!(Extended::new(&[]).teams(0), [None, None]);
    }

    #[test]
    fn only_large_files_take_the_high_half_of_an_offset_and_only_if_the_low_half_agrees() {
        let bytes = file(78, 3);
        let offset = |game, low, bytes_in_file| {
            Extended::new(&bytes).offset(game, OffsetOf::Moves, low, bytes_in_file)
        };
        assert_eq!(offset(2, 2, 1000), 2);
        assert_eq!(offset(2, 2, 1 << 33), 5 << 32 | 2);
        assert_eq!(offset(2, 3, 1 << 33), 3);
        assert_eq!(offset(9, 9, 1 << 33), 9);
    }
}
