//! Making a sidecar: every main line is played once.

use std::{
    io::{self, BufWriter, Seek, SeekFrom, Write},
    path::Path,
};

use rayon::prelude::*;
use zerocopy::IntoBytes;

use super::{
    BLOCK_GAMES, BLOCK_WORDS, Identity, blocks,
    container::{self, Shape},
    layout::{CONTAINERS, Directory, Entry, Header, UNDECODED},
    trace::Trace,
};
use crate::{
    chess::{Flow, Man},
    error::{Error, Result},
    format::{Scratch, View, temporary_beside},
};

/// Games that are gathered before their rows are written: one line of the cache for each row.
const GROUP_GAMES: usize = 512;
const GROUP_WORDS: usize = GROUP_GAMES / 64;
/// Containers begin at multiples of this many bytes, so that words lie in one line of the cache.
const ALIGN_BYTES: usize = 8;

/// Makes the sidecar of a database and gives it its name when it is complete. Blocks are made in
/// the current rayon pool, one for each thread at a time; each takes some 12 MB of memory.
///
/// # Errors
/// `Io` when it cannot be written; `Interrupted` when `progress`, which is told the games done,
/// breaks.
pub(crate) fn build<V: View>(
    view: V,
    identity: Identity,
    path: &Path,
    progress: &mut dyn FnMut(u64) -> Flow,
) -> Result<()> {
    let failed = |cause| Error::io("write", path, cause);
    let mut file = temporary_beside(path).map_err(|cause| Error::io("create", path, cause))?;
    let games = view.records().len() as u32;
    let directories_bytes = blocks(games) * Directory::BYTES;
    let first = (Header::BYTES + directories_bytes) as u64;
    let mut offset = first;
    let mut directories = Vec::with_capacity(blocks(games));
    let mut out = BufWriter::with_capacity(1 << 20, &mut file);
    out.seek(SeekFrom::Start(first)).map_err(failed)?;
    let mut done = 0;
    let wave_games = rayon::current_num_threads() * BLOCK_GAMES as usize;
    for wave in view.records().chunks(wave_games) {
        let tasks = wave.par_chunks(BLOCK_GAMES as usize);
        let made: Vec<Block> = tasks.map(|records| Block::new(view, records)).collect();
        for block in made {
            directories.push(Directory::new(block.games, offset, block.entries));
            out.write_all(&block.bytes).map_err(failed)?;
            offset += block.bytes.len() as u64;
        }
        done += wave.len() as u64;
        if progress(done).is_break() {
            return Err(Error::interrupted());
        }
    }
    let header = Header::write(games, identity, directories_bytes as u64, offset - first);
    begin(out, &header, &directories).map_err(failed)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path)
        .map_err(|error| Error::io("rename", path, error.error))?;
    Ok(())
}

/// Writes what stands before the containers.
fn begin(mut out: impl Write + Seek, header: &[u8], directories: &[Directory]) -> io::Result<()> {
    out.rewind()?;
    out.write_all(header)?;
    out.write_all(directories.as_bytes())?;
    out.flush()
}

/// The containers of one block.
struct Block {
    games: u32,
    entries: [Entry; CONTAINERS],
    bytes: Vec<u8>,
}

impl Block {
    fn new<V: View>(view: V, records: &[V::Record]) -> Block {
        let games = records.len() as u32;
        let rows = Rows::new(view, records);
        let mut bytes = Vec::with_capacity(records.len() * 64);
        let mut entries = [Entry::new(0, Shape(0), &[]); CONTAINERS];
        for (entry, row) in entries.iter_mut().zip(rows.0.chunks_exact(BLOCK_WORDS)) {
            let start = bytes.len();
            let shape = container::write(row, games, &mut bytes);
            *entry = Entry::new(start as u32, shape, &bytes[start..]);
            bytes.resize(bytes.len().next_multiple_of(ALIGN_BYTES), 0);
        }
        Block {
            games,
            entries,
            bytes,
        }
    }
}

/// One bit for each game in each container of a block: [`BLOCK_WORDS`] words for each.
struct Rows(Vec<u64>);

impl Rows {
    fn new<V: View>(view: V, records: &[V::Record]) -> Rows {
        let mut rows = Rows(vec![0; CONTAINERS * BLOCK_WORDS]);
        let mut group = Box::new([[0; GROUP_GAMES]; Man::COUNT]);
        let mut scratch = Scratch::default();
        let mut trace = Trace::new();
        for (number, records) in records.chunks(GROUP_GAMES).enumerate() {
            group.iter_mut().for_each(|man| man.fill(0));
            for (place, record) in records.iter().enumerate() {
                match view.main_line(record, &mut scratch, &mut trace) {
                    Ok(_) => {
                        for (man, squares) in group.iter_mut().zip(trace.squares.0) {
                            man[place] = squares;
                        }
                    }
                    Err(_) => rows.set(UNDECODED, number * GROUP_GAMES + place),
                }
            }
            rows.add_group(number, &mut group);
        }
        rows
    }

    fn set(&mut self, row: u16, game: usize) {
        self.0[usize::from(row) * BLOCK_WORDS + game / 64] |= 1 << (game % 64);
    }

    /// Turns the squares of each game into the games of each square.
    fn add_group(&mut self, number: usize, group: &mut [[u64; GROUP_GAMES]; Man::COUNT]) {
        for (man, games) in group.iter_mut().enumerate() {
            for games in games.as_chunks_mut().0 {
                transpose(games);
            }
            for square in 0..64 {
                let row = (man * 64 + square) * BLOCK_WORDS + number * GROUP_WORDS;
                let words = &mut self.0[row..row + GROUP_WORDS];
                for (word, games) in words.iter_mut().zip(games.as_chunks::<64>().0) {
                    *word = games[square];
                }
            }
        }
    }
}

/// Mirrors 64 words of 64 bits at their diagonal: bit b of word w goes to bit w of word b. Halves
/// are exchanged, then quarters, and so on down to single bits.
pub(super) fn transpose(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width != 0 {
        let mut word = 0;
        while word < 64 {
            let (low, high) = (words[word], words[word + width]);
            let moved = (low >> width ^ high) & mask;
            words[word] = low ^ moved << width;
            words[word + width] = high ^ moved;
            word = (word + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
