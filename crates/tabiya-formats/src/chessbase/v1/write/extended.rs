//! The `.cbj` data of a game: teams, final material, and 64-bit offsets.

use shakmaty::Color;
use tabiya_chess::Counts;

use crate::chessbase::common::write::record::material;

/// Version 11.
pub(super) const RECORD_BYTES: usize = 120;
const VERSION: u32 = 11;
pub(super) const HEADER_BYTES: usize = 32;

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
