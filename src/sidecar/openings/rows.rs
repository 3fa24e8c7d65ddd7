//! The rows of a tree: the next moves of a position's games, with their figures.
//!
//! The number of rows comes first. All numbers are stored in bytes of seven bits, the lowest first;
//! the highest bit of a byte is set if another follows. A row is: the step, as [`Step`] encodes it;
//! the games without result, won by White, won by Black, drawn; those with both ratings, and the
//! sums of White's and of Black's; those with a year, and the sum of the years; the number of
//! opening codes, and for each, ascending, the code (0 for A00 to 499 for E99) and its games.

use tabiya_chess::step::Step;
use tabiya_formats::figures::{BASIC_CODES, FigureSums, Figures};

use crate::sidecar::{part::Block, write::Blobs};

/// The first time that a game has a chosen position.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Visit {
    pub(super) position: u16,
    /// The game's index in its block.
    pub(super) place: u16,
    pub(super) ply: u16,
    /// The next move.
    pub(super) step: Step,
}

/// The next move of some games of a position, with their figures.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct OpeningRow {
    pub(crate) step: Step,
    pub(crate) sums: FigureSums,
    /// Basic opening codes and their games, ascending.
    pub(crate) codes: Vec<(u16, u32)>,
}

impl OpeningRow {
    fn new(step: Step) -> OpeningRow {
        OpeningRow {
            step,
            sums: FigureSums::default(),
            codes: Vec::new(),
        }
    }

    fn merge(&mut self, other: &OpeningRow) {
        self.sums.merge(&other.sums);
        let mut place = 0;
        for &(code, games) in &other.codes {
            // Both ascend.
            let rest = &self.codes[place..];
            place += rest.iter().take_while(|known| known.0 < code).count();
            match self.codes.get_mut(place) {
                Some(known) if known.0 == code => known.1 = known.1.saturating_add(games),
                _ => self.codes.insert(place, (code, games)),
            }
        }
    }
}

/// Returns the index of the row of a step, which is added if missing.
fn place_of(rows: &mut Vec<OpeningRow>, step: Step) -> usize {
    let known = rows.iter().position(|row| row.step == step);
    known.unwrap_or_else(|| {
        rows.push(OpeningRow::new(step));
        rows.len() - 1
    })
}

/// Counts the games of positions. There is one per block.
#[derive(Default)]
pub(super) struct Counter {
    /// By row of the present position: games by code. All zero between positions.
    codes: Vec<[u32; BASIC_CODES]>,
}

impl Counter {
    /// Returns the rows of a position; `figures` are those of the block's games.
    pub(super) fn rows(&mut self, visits: &[Visit], figures: &[Figures]) -> Vec<OpeningRow> {
        let mut rows = Vec::new();
        for visit in visits {
            let figures = &figures[usize::from(visit.place)];
            let place = place_of(&mut rows, visit.step);
            if self.codes.len() <= place {
                self.codes.push([0; BASIC_CODES]);
            }
            rows[place].sums.add(figures);
            if let Some(code) = figures.code() {
                let count = &mut self.codes[place][usize::from(code)];
                if *count == 0 {
                    rows[place].codes.push((code, 0));
                }
                *count += 1;
            }
        }
        for (row, counts) in rows.iter_mut().zip(&mut self.codes) {
            for (code, games) in &mut row.codes {
                *games = std::mem::take(&mut counts[usize::from(*code)]);
            }
            row.codes.sort_unstable();
        }
        rows
    }
}

/// Adds the rows of other games of the same position.
pub(super) fn merge(rows: &mut Vec<OpeningRow>, more: &[OpeningRow]) {
    for row in more {
        let place = place_of(rows, row.step);
        rows[place].merge(row);
    }
}

/// Returns the rows of each position in their stored form: empty if they are not known.
pub(super) fn blobs(positions: usize, known: Option<Vec<Vec<OpeningRow>>>) -> Blobs {
    let mut blobs = Blobs::default();
    let Some(known) = known else {
        (0..positions).for_each(|_| blobs.push_bytes(&[]));
        return blobs;
    };
    for mut rows in known {
        rows.sort_unstable_by_key(|row| row.step);
        let mut bytes = Vec::new();
        push(rows.len() as u64, &mut bytes);
        rows.iter().for_each(|row| write(row, &mut bytes));
        blobs.push_bytes(&bytes);
    }
    blobs
}

/// Reads the rows of all positions; `None` if they are not known or damaged.
pub(super) fn read_all(block: &Block<'_>) -> Option<Vec<Vec<OpeningRow>>> {
    let numbers = 0..u16::try_from(block.blobs()).ok()?;
    numbers.map(|number| read(block.bytes(number)?)).collect()
}

fn push(mut number: u64, bytes: &mut Vec<u8>) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn write(row: &OpeningRow, bytes: &mut Vec<u8>) {
    let mut push = |number: u64| push(number, bytes);
    push(row.step.0.into());
    row.sums.numbers().into_iter().for_each(&mut push);
    push(row.codes.len() as u64);
    for &(code, games) in &row.codes {
        push(code.into());
        push(games.into());
    }
}

/// Reads the rows of a position; `None` if they are not stored or invalid.
pub(super) fn read(bytes: &[u8]) -> Option<Vec<OpeningRow>> {
    let mut rest = bytes;
    let mut rows = Vec::new();
    for _ in 0..number(&mut rest)? {
        let step = u16::try_from(number(&mut rest)?).ok()?;
        let mut row = OpeningRow::new(Step(step));
        let mut numbers = [0; FigureSums::NUMBERS];
        for value in &mut numbers {
            *value = number(&mut rest)?;
        }
        row.sums = FigureSums::from_numbers(numbers);
        for _ in 0..number(&mut rest)? {
            let code = u16::try_from(number(&mut rest)?).ok()?;
            row.codes
                .push((code, u32::try_from(number(&mut rest)?).ok()?));
        }
        rows.push(row);
    }
    Some(rows)
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}
