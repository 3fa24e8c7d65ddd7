//! What a written format could not hold, counted by kind.

use std::marker::PhantomData;

/// The largest number of kinds of one format.
const KINDS_MAX: usize = 20;

/// Something that a format cannot store as the source has it.
pub trait LossKind: Copy + 'static {
    /// All kinds, at most 20, in the order of [`index`](LossKind::index).
    const ALL: &'static [Self];

    /// Returns the index in [`ALL`](LossKind::ALL).
    fn index(self) -> usize;

    /// Describes the loss, in words that follow a number: "comments joined".
    fn as_str(self) -> &'static str;
}

/// What one game lost, counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameLosses<L> {
    counts: [u32; KINDS_MAX],
    kind: PhantomData<L>,
}

impl<L> Default for GameLosses<L> {
    fn default() -> GameLosses<L> {
        GameLosses {
            counts: [0; KINDS_MAX],
            kind: PhantomData,
        }
    }
}

impl<L: LossKind> GameLosses<L> {
    pub(crate) fn add(&mut self, loss: L) {
        let count = &mut self.counts[loss.index()];
        *count = count.saturating_add(1);
    }

    /// Returns how often this loss occurred.
    #[must_use]
    pub fn count(&self, loss: L) -> u32 {
        self.counts[loss.index()]
    }

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == [0; KINDS_MAX]
    }

    /// Describes the first kind of loss that occurred.
    pub(crate) fn first(&self) -> Option<&'static str> {
        let lost = L::ALL.iter().find(|&&loss| self.count(loss) > 0);
        lost.map(|loss| loss.as_str())
    }
}

/// What a whole database lost: for each kind a count and the first affected game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses<L> {
    counts: [u64; KINDS_MAX],
    /// 1-based; 0 if none.
    first_games: [u32; KINDS_MAX],
    kind: PhantomData<L>,
}

impl<L> Default for Losses<L> {
    fn default() -> Losses<L> {
        Losses {
            counts: [0; KINDS_MAX],
            first_games: [0; KINDS_MAX],
            kind: PhantomData,
        }
    }
}

impl<L: LossKind> Losses<L> {
    pub(crate) fn add(&mut self, game_number: u32, losses: &GameLosses<L>) {
        if losses.is_empty() {
            return;
        }
        for (index, &count) in losses.counts.iter().enumerate() {
            if count > 0 {
                self.counts[index] += u64::from(count);
                let first = &mut self.first_games[index];
                if *first == 0 {
                    *first = game_number;
                }
            }
        }
    }

    /// Returns how often this loss occurred.
    #[must_use]
    pub fn count(&self, loss: L) -> u64 {
        self.counts[loss.index()]
    }

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Iterates over the losses that occurred: kind, count, and the 1-based number of the first
    /// affected game in the new database.
    pub fn iter(&self) -> impl Iterator<Item = (L, u64, u32)> {
        L::ALL.iter().filter_map(|&loss| {
            let index = loss.index();
            let count = self.counts[index];
            (count > 0).then(|| (loss, count, self.first_games[index]))
        })
    }

    /// Returns the same as [`iter`](Losses::iter) without the type of the kinds.
    pub(crate) fn report(&self) -> Vec<Lost> {
        let lost = self.iter().map(|(loss, count, first_game)| Lost {
            what: loss.as_str(),
            count,
            first_game,
        });
        lost.collect()
    }
}

/// Something in the sources that a new database lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// A description, in words that follow the count: "comments joined".
    pub what: &'static str,
    /// Number of occurrences.
    pub count: u64,
    /// 1-based number of the first affected game in the new database; for texts, which are not
    /// written, in the source.
    pub first_game: u32,
}

impl Lost {
    /// Counts one more loss of a game in a list.
    pub(crate) fn add(list: &mut Vec<Lost>, what: &'static str, game: u32) {
        match list.iter_mut().find(|lost| lost.what == what) {
            Some(lost) => lost.count += 1,
            None => list.push(Lost {
                what,
                count: 1,
                first_game: game,
            }),
        }
    }
}
