//! The `.cbj` data of a game: teams, final material, and 64-bit offsets.

use shakmaty::Color;
use tabiya_chess::Counts;

use crate::{chessbase::common::write::record::material, error::Result, output::Output};

/// Version 11.
pub(super) const RECORD_BYTES: usize = 120;
const VERSION: u32 = 11;
/// Version 8, to which games are added too: what its records lack is not written.
const OLD_RECORD_BYTES: usize = 78;
pub(super) const HEADER_BYTES: usize = 32;
/// Where the header has the number of games.
pub(super) const GAME_COUNT_AT: u64 = 8;

/// The rating system of a side: international, slow games, and its name.
const FIDE: [u8; 16] = *b"\0\x01\0\x01\0FIDE\0\0\0\0\0\0\0";
/// No team, media or game tag.
const NONE: u32 = u32::MAX;

/// Returns the file header.
pub(super) fn header(game_count: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&VERSION.to_le_bytes());
    header[4..8].copy_from_slice(&(RECORD_BYTES as u32).to_le_bytes());
    header[8..12].copy_from_slice(&game_count.to_le_bytes());
    header
}

/// Returns the bytes of a record; `None` if they are of another version, or not as many as the
/// header says, or more than the games.
pub(super) fn record_bytes(file: &[u8], games: u32) -> Option<usize> {
    let number = |at: usize| {
        let bytes = file.get(at..).and_then(|bytes| bytes.first_chunk());
        bytes.map(|&bytes| u32::from_le_bytes(bytes))
    };
    let known = [RECORD_BYTES, OLD_RECORD_BYTES].into_iter();
    let mut known = known.filter(|&bytes| number(4) == Some(bytes as u32));
    let bytes = known.next()?;
    let records = file.len().checked_sub(HEADER_BYTES)?;
    let count = number(8).filter(|&count| count <= games)?;
    (records == bytes * count as usize).then_some(bytes)
}

/// Appends records of old games that have none, as many programs leave them: they say nothing.
pub(super) fn fill(old: &[u8], bytes: usize, games: u32, file: &mut Output) -> Result<()> {
    let mut unknown = [0; RECORD_BYTES];
    for at in [0, 4, 8, 116] {
        unknown[at..at + 4].copy_from_slice(&NONE.to_be_bytes());
    }
    let sum = checksum(&unknown);
    unknown[28..30].copy_from_slice(&sum.to_be_bytes());
    let there = old.len().saturating_sub(HEADER_BYTES) / bytes.max(1);
    let missing = (games as usize).saturating_sub(there);
    (0..missing).try_for_each(|_| file.append(unknown.get(..bytes).unwrap_or(&unknown)))
}

/// Returns the record of a game. Creation and change times are left unset, so that the output
/// depends only on the input.
pub(super) fn record(
    teams: [Option<u32>; 2],
    counts: Counts,
    game: u64,
    annotations: u64,
) -> [u8; RECORD_BYTES] {
    let mut record = [0; RECORD_BYTES];
    let mut put = |at: usize, bytes: &[u8]| record[at..at + bytes.len()].copy_from_slice(bytes);
    put(0, &teams[0].unwrap_or(NONE).to_be_bytes());
    put(4, &teams[1].unwrap_or(NONE).to_be_bytes());
    put(8, &NONE.to_be_bytes());
    put(12, &annotations.to_be_bytes());
    let sides = [Color::White, Color::Black].map(|color| material(counts, color));
    put(20, &sides[0].max(sides[1]).to_be_bytes());
    put(24, &sides[0].min(sides[1]).to_be_bytes());
    put(30, &game.to_be_bytes());
    put(38, &FIDE);
    put(54, &FIDE);
    // Number of times the game has been saved.
    put(78, &1_u16.to_be_bytes());
    put(116, &NONE.to_be_bytes());
    let sum = checksum(&record);
    record[28..30].copy_from_slice(&sum.to_be_bytes());
    record
}

/// Returns the wrapping sum of the ten 16-bit words at offsets 8 to 27.
fn checksum(record: &[u8; RECORD_BYTES]) -> u16 {
    record[8..28]
        .chunks_exact(2)
        .map(|pair| u16::from_be_bytes([pair[0], pair[1]]))
        .fold(0, u16::wrapping_add)
}
