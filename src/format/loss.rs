//! What a format that is written could not hold, counted by kind.

use std::marker::PhantomData;

/// Kinds that one format may have.
const KINDS_MAX: usize = 20;

/// One thing that a format cannot hold as the source has it.
pub trait LossKind: Copy + 'static {
    /// All kinds, at most 20, in the order of [`index`](LossKind::index).
    const ALL: &'static [Self];

    /// Returns the place in [`ALL`](LossKind::ALL).
    fn index(self) -> usize;

    /// Returns what happened, in words that follow a number: "comments joined".
    fn as_str(self) -> &'static str;
}

/// What one game lost: a count by kind.
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

    /// Returns how often this happened.
    #[must_use]
    pub fn count(&self, loss: L) -> u32 {
        self.counts[loss.index()]
    }

    /// Tells whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == [0; KINDS_MAX]
    }

    /// Returns the first of the kinds that were lost, in words.
    pub(crate) fn first(&self) -> Option<&'static str> {
        let lost = L::ALL.iter().find(|&&loss| self.count(loss) > 0);
        lost.map(|loss| loss.as_str())
    }
}

/// What a whole database lost: by kind a count and the first game concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses<L> {
    counts: [u64; KINDS_MAX],
    /// 1-based; 0 for none.
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

    /// Returns how often this happened.
    #[must_use]
    pub fn count(&self, loss: L) -> u64 {
        self.counts[loss.index()]
    }

    /// Tells whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Iterates over what happened at all: kind, count, and the 1-based number that the first
    /// game concerned has in the new database.
    pub fn iter(&self) -> impl Iterator<Item = (L, u64, u32)> {
        L::ALL.iter().filter_map(|&loss| {
            let index = loss.index();
            let count = self.counts[index];
            (count > 0).then(|| (loss, count, self.first_games[index]))
        })
    }

    /// Returns the same as [`iter`](Losses::iter) without the kinds' type.
    pub(crate) fn report(&self) -> Vec<Lost> {
        let lost = self.iter().map(|(loss, count, first_game)| Lost {
            what: loss.as_str(),
            count,
            first_game,
        });
        lost.collect()
    }
}

/// Something that a new database lacks of its sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Lost {
    /// What happened, in words that follow the count: "comments joined".
    pub what: &'static str,
    /// How often.
    pub count: u64,
    /// The 1-based number that the first game concerned has in the new database; of texts, which
    /// are not there, in the source.
    pub first_game: u32,
}

impl Lost {
    /// Counts one more in a list, which happened to a game.
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
