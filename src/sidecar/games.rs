//! Sets of games of one block, as used in searches.

use super::{
    container::{Container, ones, present},
    numbers::Numbers,
};

/// Games in one block.
pub(crate) const BLOCK_GAMES: u32 = 1 << 16;
/// Words of a bitmap with one bit per game.
pub(crate) const BLOCK_WORDS: usize = 1 << 10;

/// One bit for each game of a block, lowest first.
pub(crate) type Words = [u64; BLOCK_WORDS];

/// A set with at most this many games is a list: testing each of them in a row then costs less than
/// reading the row.
pub(crate) const FEW_MAX: usize = 512;

/// Some games of one block, by their indices in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlockGames {
    /// An ascending list, unless the file is damaged.
    Few(Vec<u16>),
    /// One bit each.
    Many(Box<Words>),
}

impl BlockGames {
    /// No game.
    pub(crate) const NONE: BlockGames = BlockGames::Few(Vec::new());

    /// Returns all games of a block of this number of games.
    pub(crate) fn all(games: u32) -> BlockGames {
        let firsts = (0..BLOCK_GAMES).step_by(64);
        let mut words = Box::new([0; BLOCK_WORDS]);
        for (word, first) in words.iter_mut().zip(firsts) {
            *word = present(first, games);
        }
        BlockGames::Many(words)
    }

    /// Returns the union of some containers of a block of this number of games; `most` is the sum
    /// of their counts.
    pub(super) fn union(rows: &[Container<'_>], most: usize, games: u32) -> BlockGames {
        if let [Container::Empty] = rows {
            return BlockGames::Few(Vec::new());
        }
        if let [Container::List(list)] = rows {
            let mut games = Vec::with_capacity(most);
            list.for_each(|game| games.push(game));
            return BlockGames::Few(games);
        }
        let mut words = Box::new([0; BLOCK_WORDS]);
        match rows {
            [Container::Gaps(gaps)] => {
                words.fill(u64::MAX);
                clear(&mut words, *gaps);
            }
            rows => rows.iter().for_each(|row| add(row, &mut words)),
        }
        for (word, first) in words.iter_mut().zip((0..).step_by(64)) {
            *word &= present(first, games);
        }
        BlockGames::Many(words).shrunk(most)
    }

    /// Returns whether this is a list of at most `count` games.
    pub(super) fn is_at_most(&self, count: usize) -> bool {
        matches!(self, BlockGames::Few(games) if games.len() <= count)
    }

    /// Keeps the games in the union of some containers.
    pub(super) fn keep(self, rows: &[Container<'_>]) -> BlockGames {
        match (self, rows) {
            (BlockGames::Few(mut games), [Container::List(list)]) => {
                keep_listed(&mut games, *list, true);
                BlockGames::Few(games)
            }
            (BlockGames::Few(mut games), [Container::Gaps(gaps)]) => {
                keep_listed(&mut games, *gaps, false);
                BlockGames::Few(games)
            }
            (BlockGames::Few(mut games), rows) => {
                games.retain(|&game| rows.iter().any(|row| row.holds(game)));
                BlockGames::Few(games)
            }
            (BlockGames::Many(words), [Container::List(list)]) => {
                let mut games = Vec::new();
                list.for_each(|game| {
                    if has(&words, game) {
                        games.push(game);
                    }
                });
                BlockGames::Few(games)
            }
            (BlockGames::Many(mut words), [row]) => {
                let count = narrow(&mut words, row);
                BlockGames::Many(words).shrunk(count)
            }
            (BlockGames::Many(mut words), rows) => {
                let mut union = [0; BLOCK_WORDS];
                rows.iter().for_each(|row| add(row, &mut union));
                let count = and(&mut words, union.iter().copied());
                BlockGames::Many(words).shrunk(count)
            }
        }
    }

    /// Returns the games that pass a test.
    pub(crate) fn filtered(&self, mut passes: impl FnMut(u16) -> bool) -> BlockGames {
        match self {
            BlockGames::Few(games) => {
                let games = games.iter().copied();
                BlockGames::Few(games.filter(|&game| passes(game)).collect())
            }
            BlockGames::Many(words) => {
                let mut words = words.clone();
                for (word, first) in words.iter_mut().zip((0u16..).step_by(64)) {
                    let passing = ones(*word).filter(|&bit| passes(first + bit));
                    *word = passing.fold(0, |word, bit| word | 1 << bit);
                }
                BlockGames::Many(words)
            }
        }
    }

    /// Calls `take` with every game.
    pub(crate) fn for_each(&self, mut take: impl FnMut(u16)) {
        match self {
            BlockGames::Few(games) => games.iter().copied().for_each(take),
            BlockGames::Many(words) => {
                for (&word, first) in words.iter().zip((0u16..).step_by(64)) {
                    ones(word).for_each(|bit| take(first + bit));
                }
            }
        }
    }

    /// Returns the games that are in both sets.
    pub(crate) fn and(self, other: BlockGames) -> BlockGames {
        match (self, other) {
            (BlockGames::Few(mut games), BlockGames::Many(words))
            | (BlockGames::Many(words), BlockGames::Few(mut games)) => {
                games.retain(|&game| has(&words, game));
                BlockGames::Few(games)
            }
            (BlockGames::Few(mut games), BlockGames::Few(others)) => {
                games.retain(|game| others.binary_search(game).is_ok());
                BlockGames::Few(games)
            }
            (BlockGames::Many(mut words), BlockGames::Many(others)) => {
                let count = and(&mut words, others.iter().copied());
                BlockGames::Many(words).shrunk(count)
            }
        }
    }

    /// Returns the games that are in either set.
    pub(crate) fn or(self, other: BlockGames) -> BlockGames {
        match (self, other) {
            (games, none) | (none, games) if none == BlockGames::NONE => games,
            (one, other) => {
                let mut words = one.into_words();
                match other {
                    BlockGames::Few(games) => set_all(&mut words, games.into_iter()),
                    BlockGames::Many(others) => {
                        words
                            .iter_mut()
                            .zip(*others)
                            .for_each(|(word, other)| *word |= other);
                    }
                }
                BlockGames::Many(words)
            }
        }
    }

    /// Returns which of the 64 games from `place` on are in the set. A bitmap returns fewer if they
    /// span two words.
    #[inline]
    pub(crate) fn lanes(&self, place: u32) -> u64 {
        match self {
            BlockGames::Many(words) => {
                let word = words.get(place as usize / 64);
                word.map_or(0, |word| word >> (place % 64))
            }
            BlockGames::Few(games) => {
                let first = games.partition_point(|&game| u32::from(game) < place);
                let after = games[first..].iter();
                let places = after.filter_map(|&game| u32::from(game).checked_sub(place));
                let near = places.take_while(|&place| place < 64);
                near.fold(0, |lanes, place| lanes | 1 << place)
            }
        }
    }

    /// Adds a container.
    pub(super) fn with(self, row: &Container<'_>) -> BlockGames {
        if matches!(row, Container::Empty) {
            return self;
        }
        let mut words = self.into_words();
        add(row, &mut words);
        BlockGames::Many(words)
    }

    /// Returns the games that are not in a container.
    pub(super) fn without(self, row: &Container<'_>) -> BlockGames {
        match self {
            BlockGames::Few(mut games) => {
                games.retain(|&game| !row.holds(game));
                BlockGames::Few(games)
            }
            BlockGames::Many(mut words) => {
                let mut others = [0; BLOCK_WORDS];
                add(row, &mut others);
                for (word, other) in words.iter_mut().zip(others) {
                    *word &= !other;
                }
                BlockGames::Many(words)
            }
        }
    }

    fn into_words(self) -> Box<Words> {
        match self {
            BlockGames::Many(words) => words,
            BlockGames::Few(games) => {
                let mut words = Box::new([0; BLOCK_WORDS]);
                set_all(&mut words, games.into_iter());
                words
            }
        }
    }

    /// Converts the set to a list if it has few games; `most` is an upper bound of its size.
    fn shrunk(self, most: usize) -> BlockGames {
        match self {
            BlockGames::Many(words) if most <= FEW_MAX => {
                let mut games = Vec::with_capacity(most);
                for (&word, first) in words.iter().zip((0u16..).step_by(64)) {
                    games.extend(ones(word).map(|bit| first + bit));
                }
                BlockGames::Few(games)
            }
            games => games,
        }
    }
}

#[inline]
fn has(words: &Words, game: u16) -> bool {
    words[usize::from(game / 64)] >> (game % 64) & 1 == 1
}

fn set_all(words: &mut Words, games: impl Iterator<Item = u16>) {
    for game in games {
        words[usize::from(game / 64)] |= 1 << (game % 64);
    }
}

fn clear(words: &mut Words, games: Numbers<'_>) {
    games.for_each(|game| words[usize::from(game / 64)] &= !(1 << (game % 64)));
}

/// Adds a container's games. A container of kind full or gaps adds all games, even beyond the end
/// of the block, where they are meaningless.
fn add(row: &Container<'_>, words: &mut Words) {
    match row {
        Container::Empty => {}
        Container::Full | Container::Gaps(_) => words.fill(u64::MAX),
        Container::List(list) => {
            list.for_each(|game| words[usize::from(game / 64)] |= 1 << (game % 64));
        }
        Container::Bits(bits) => {
            for (word, bits) in words.iter_mut().zip(*bits) {
                *word |= bits.get();
            }
        }
    }
}

/// Keeps the games in a container. Returns an upper bound of the number left.
fn narrow(words: &mut Words, row: &Container<'_>) -> usize {
    match row {
        Container::Empty | Container::List(_) => {
            let mut others = [0; BLOCK_WORDS];
            add(row, &mut others);
            and(words, others.iter().copied())
        }
        Container::Full => usize::MAX,
        Container::Gaps(gaps) => {
            clear(words, *gaps);
            usize::MAX
        }
        Container::Bits(bits) => and(words, bits.iter().map(|word| word.get())),
    }
}

/// Keeps the games in `others`. Returns the number left.
#[inline]
fn and(words: &mut Words, others: impl ExactSizeIterator<Item = u64>) -> usize {
    let mut count = 0;
    words[others.len().min(BLOCK_WORDS)..].fill(0);
    for (word, other) in words.iter_mut().zip(others) {
        *word &= other;
        count += word.count_ones() as usize;
    }
    count
}

/// Keeps the games that are in a list, or those that are not. For a wide list, each search
/// continues where the last one ended, in steps that double.
fn keep_listed(games: &mut Vec<u16>, list: Numbers<'_>, listed: bool) {
    let Numbers::Wide(mut rest) = list else {
        return games.retain(|&game| list.contains(game) == listed);
    };
    games.retain(|&game| {
        let mut step = 1;
        while rest.get(step).is_some_and(|number| number.get() <= game) {
            step *= 2;
        }
        let within = &rest[..rest.len().min(step + 1)];
        let at = within.partition_point(|number| number.get() < game);
        rest = &rest[at..];
        rest.first().is_some_and(|number| number.get() == game) == listed
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_in_no_order_as_a_damaged_file_may_have_them_do_no_harm() {
        let games = [700, 3, 130, 65_535, 0, 131, 2];
        for turns in 0..games.len() {
            let mut games = games.to_vec();
            games.rotate_left(turns);
            let games = BlockGames::Few(games);
            for place in (0..65_536).step_by(64) {
                let _ = games.lanes(place);
            }
        }
    }
}
