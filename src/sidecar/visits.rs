//! Asking visit sets: which games of a block can have a position.

use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::FromBytes;

use super::{
    BLOCK_GAMES, BlockGames, Sidecar, Wanted, blocks,
    container::Container,
    layout::{CONTAINERS, Directory, UNDECODED},
};

/// With so few games left it costs less to look at them than at more visit sets.
const ENOUGH_GAMES: usize = 4;

/// What has been compared with its checksum: a bit for each container, and one for the
/// directory.
#[derive(Debug)]
pub(super) struct Checks(Vec<[AtomicU64; CHECK_WORDS]>);

const CHECK_WORDS: usize = (CONTAINERS + 1).div_ceil(64);

impl Checks {
    pub(super) fn new(blocks: usize) -> Checks {
        Checks((0..blocks).map(|_| Default::default()).collect())
    }

    /// Tells whether a part of a block is sound; `check` is called until it says so.
    fn is_sound(&self, block: usize, part: usize, check: impl FnOnce() -> bool) -> bool {
        let Some(word) = self.0.get(block).and_then(|words| words.get(part / 64)) else {
            return false;
        };
        let bit = 1 << (part % 64);
        // The bytes do not change, so no order of memory is needed between the threads.
        if word.load(Ordering::Relaxed) & bit != 0 {
            return true;
        }
        let sound = check();
        if sound {
            word.fetch_or(bit, Ordering::Relaxed);
        }
        sound
    }
}

/// One block of a sidecar.
#[derive(Clone, Copy)]
struct Block<'a> {
    sidecar: &'a Sidecar,
    number: usize,
    directory: &'a Directory,
}

/// A condition as one block has it: its rows, and how many games are in them together.
struct Condition<'w> {
    rows: &'w [u16],
    most: u64,
}

impl Sidecar {
    /// Returns the games of a block in whose main lines a wanted position can be; `None` when
    /// nothing is known that would exclude any.
    pub(crate) fn candidates(&self, block: usize, wanted: &Wanted) -> Option<BlockGames> {
        let block = self.block(block)?;
        let conditions = block.conditions(wanted);
        let mut games = None;
        for condition in &conditions {
            games = block.narrowed(games, condition);
            let is_enough = |games: &BlockGames| games.is_at_most(ENOUGH_GAMES);
            if games.as_ref().is_some_and(is_enough) {
                break;
            }
        }
        Some(games?.with(&block.container(UNDECODED)?))
    }

    /// Returns a bound of how many games there are in whose main lines a wanted position can be,
    /// from directories alone.
    pub(crate) fn candidates_at_most(&self, wanted: &Wanted) -> u64 {
        let bound = |number: usize| {
            let first = number as u64 * u64::from(BLOCK_GAMES);
            let games = u64::from(self.games).saturating_sub(first);
            let Some(block) = self.block(number) else {
                return games;
            };
            let undecoded = &block.directory.entries[usize::from(UNDECODED)];
            match block.conditions(wanted).first() {
                Some(strictest) => strictest.most + u64::from(undecoded.shape().count()),
                None => games,
            }
        };
        (0..blocks(self.games)).map(bound).sum()
    }

    fn block(&self, number: usize) -> Option<Block<'_>> {
        let directories = self.file.bytes.get(self.directories.clone())?;
        let bytes = directories.get(number.checked_mul(Directory::BYTES)?..)?;
        let (directory, _) = Directory::ref_from_prefix(bytes).ok()?;
        let games = (self.games as usize).checked_sub(number * BLOCK_GAMES as usize)?;
        let is_sound =
            || directory.games == (games as u32).min(BLOCK_GAMES) && directory.is_sound();
        let checked = self.checks.is_sound(number, CONTAINERS, is_sound);
        checked.then_some(Block {
            sidecar: self,
            number,
            directory,
        })
    }
}

impl<'a> Block<'a> {
    /// Returns the conditions that exclude any game of this block, the strictest first.
    fn conditions<'w>(&self, wanted: &'w Wanted) -> Vec<Condition<'w>> {
        let games = u64::from(self.directory.games.get());
        let count =
            |&row: &u16| u64::from(self.directory.entries[usize::from(row)].shape().count());
        let mut conditions: Vec<Condition<'_>> = wanted
            .conditions()
            .map(|rows| Condition {
                rows,
                most: rows.iter().map(count).sum(),
            })
            // What more than twice all games have together excludes few of them.
            .filter(|condition| {
                let all_have_it = condition.rows.iter().any(|row| count(row) == games);
                !all_have_it && condition.most <= 2 * games
            })
            .collect();
        conditions.sort_by_key(|condition| condition.most);
        conditions
    }

    /// Keeps the games that satisfy a condition, of some or of all.
    fn narrowed(&self, games: Option<BlockGames>, condition: &Condition<'_>) -> Option<BlockGames> {
        const ROWS_MAX: usize = Wanted::ROWS_MAX;
        let mut rows = [Container::Empty; ROWS_MAX];
        let rows = &mut rows[..condition.rows.len().min(ROWS_MAX)];
        for (row, &number) in rows.iter_mut().zip(condition.rows) {
            // A row that cannot be read may hold any game, and so may the condition.
            let Some(container) = self.container(number) else {
                return games;
            };
            *row = container;
        }
        Some(match games {
            Some(games) => games.keep(rows),
            None => {
                let games = self.directory.games.get();
                BlockGames::union(rows, condition.most as usize, games)
            }
        })
    }

    /// Returns a container; `None` when it is damaged.
    fn container(&self, number: u16) -> Option<Container<'a>> {
        let entry = self.directory.entries.get(usize::from(number))?;
        let length = entry.shape().bytes(self.directory.games.get())?;
        let offset = usize::try_from(self.directory.offset.get()).ok()?;
        let start = offset.checked_add(entry.offset.get() as usize)?;
        let place = start..start.checked_add(length)?;
        let bytes = self.sidecar.file.bytes.get(place)?;
        let is_sound = || crc32fast::hash(bytes) == entry.checksum.get();
        let checks = &self.sidecar.checks;
        let checked = checks.is_sound(self.number, number.into(), is_sound);
        checked.then(|| entry.shape().read(bytes))?
    }
}
