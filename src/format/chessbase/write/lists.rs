//! The lists of games by name: `.cit` and `.cib`.
//!
//! `.cib` stores the games in blocks of thirteen. `.cit` stores, indexed by name ID, the first and
//! the last block for players, tournaments, teams, sources and annotators, in this order.

use crate::format::output::Output;
use crate::{
    error::Result,
    format::{Ask, go_on},
};

/// Number of kinds of names with lists.
pub(super) const KINDS: usize = 5;

const BLOCK_BYTES: u32 = 64;
const BLOCK_GAMES: usize = 13;
const ENTRY_BYTES: u32 = 8 * KINDS as u32;
/// No block, or no next block.
const NONE: u32 = u32::MAX;

/// The first and the last block of a list.
type Ends = [u32; 2];

/// The lists being written.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// Indexed by name ID and kind.
    ends: Vec<[Ends; KINDS]>,
    blocks: u32,
}

/// The games of each name of one kind.
#[derive(Debug)]
pub(super) struct Sorted {
    /// End of each name's games so far, indexed by name ID.
    ends: Vec<usize>,
    games: Vec<u32>,
}

impl Sorted {
    /// Allocates room for `counts[name]` games per name.
    pub(super) fn new(counts: &[u32]) -> Sorted {
        let mut total = 0;
        let starts = counts.iter().map(|&count| {
            let start = total;
            total += count as usize;
            start
        });
        Sorted {
            ends: starts.collect(),
            games: vec![0; total],
        }
    }

    /// Adds a game to a name's list. Games must come in ascending order.
    pub(super) fn add(&mut self, name: u32, game_number: u32) {
        let Some(end) = self.ends.get_mut(name as usize) else {
            return;
        };
        if let Some(free) = self.games.get_mut(*end) {
            *free = game_number;
            *end += 1;
        }
    }

    /// Iterates over the games of each name.
    fn iter(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| self.games.get(start..end).unwrap_or_default())
    }
}

impl Lists {
    /// Returns the header of `.cib`.
    pub(super) fn blocks_header(&self) -> [u8; 12] {
        let mut header = [0; 12];
        header[..4].copy_from_slice(&BLOCK_BYTES.to_le_bytes());
        header[4..8].copy_from_slice(&self.blocks.to_le_bytes());
        header
    }

    /// Appends the lists of one kind.
    pub(super) fn append(
        &mut self,
        kind: usize,
        sorted: &Sorted,
        blocks: &mut Output,
        ask: Ask<'_>,
    ) -> Result<()> {
        for (name, games) in sorted.iter().enumerate() {
            go_on(ask)?;
            if self.ends.len() <= name {
                self.ends.push([[NONE; 2]; KINDS]);
            }
            if games.is_empty() {
                continue;
            }
            let first = self.blocks;
            let mut chunks = games.chunks(BLOCK_GAMES).peekable();
            while let Some(chunk) = chunks.next() {
                self.blocks += 1;
                let next = chunks.peek().map_or(NONE, |_| self.blocks);
                blocks.append(&block(next, chunk))?;
            }
            self.ends[name][kind] = [first, self.blocks - 1];
        }
        Ok(())
    }

    /// Encodes `.cit`.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let header = [ENTRY_BYTES, 0, 0];
        let numbers = header
            .into_iter()
            .chain(self.ends.iter().flatten().flatten().copied());
        numbers.flat_map(u32::to_le_bytes).collect()
    }
}

fn block(next: u32, games: &[u32]) -> [u8; BLOCK_BYTES as usize] {
    let mut block = [0; BLOCK_BYTES as usize];
    let numbers = [next, 0, games.len() as u32];
    let numbers = numbers.iter().chain(games);
    for (field, number) in block.chunks_exact_mut(4).zip(numbers) {
        field.copy_from_slice(&number.to_le_bytes());
    }
    block
}
