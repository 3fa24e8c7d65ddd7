//! How similar the positions of each game can be at most, from the sidecar.
//!
//! **Visits.** A man that stands on the same square in two positions has stood there in the game.
//! So a game that had only some of the wanted men on their squares, at whatever time, has no
//! position with more of them, and what [`Likeness::ceiling`] returns for so many is never
//! exceeded.
//!
//! **Timelines.** Between two changes of material all positions of a game have the same men. So
//! none of them exceeds what [`Likeness::ceiling_of`] returns for these men and the visits of the
//! game.

use rayon::prelude::*;
use shakmaty::Role;

use crate::{
    chess::{Counts, GameId, Man, material::CountRange},
    pattern::{
        material::Stretches,
        similar::{Likeness, TOLERANCE},
    },
    sidecar::{BLOCK_GAMES, Sidecar, Timelines, Wanted},
};

/// Ceilings are kept in units of one part of this.
const UNITS: f64 = 60_000.0;

/// Upper bounds of the similarity of each game.
pub(super) struct Ceilings<'a> {
    sidecar: &'a Sidecar,
    images: Vec<Image<'a>>,
}

/// Upper bounds for one image of the position.
struct Image<'a> {
    likeness: &'a Likeness,
    /// The visits of a game that had all men on their squares.
    most: Visits,
    /// By game.
    visits: Vec<Visits>,
    /// The ceilings, by [place](Image::place).
    by_visits: Vec<u16>,
}

/// How many pawns and other men of a position have ever stood on their squares in a game.
type Visits = [u8; 2];

impl<'a> Ceilings<'a> {
    /// Asks the sidecar. Reads one set of games for each man of the positions, in every block.
    pub(super) fn new(sidecar: &'a Sidecar, images: &'a [Likeness], games: u32) -> Ceilings<'a> {
        let image = |likeness| Image::new(sidecar, likeness, games as usize);
        Ceilings {
            sidecar,
            images: images.iter().map(image).collect(),
        }
    }

    /// Returns whether a game may have a position of at least this similarity, by its visits.
    #[inline]
    pub(super) fn allows(&self, game: GameId, least: f64) -> bool {
        f64::from(self.of(game)) >= (least - TOLERANCE) * UNITS
    }

    /// Prepares a search for positions of at least this similarity in timelines.
    pub(super) fn stretches(&self, least: f64) -> NearStretches<'_> {
        let ranges = self.images.iter().map(|image| image.ranges(least));
        NearStretches {
            ceilings: self,
            ranges: ranges.collect(),
        }
    }

    /// Splits games into `count` with the highest ceilings, of equal ones the first, and the rest.
    /// Both parts stay in the order of games.
    pub(super) fn split(&self, games: Vec<GameId>, count: usize) -> (Vec<GameId>, Vec<GameId>) {
        let (least, ties) = self.cutoff(&games, count);
        let equal = games.iter().filter(|&&game| self.of(game) == least);
        let last_tie = equal.take(ties).last().copied();
        games.into_par_iter().partition(|&game| {
            let ceiling = self.of(game);
            ceiling > least || ceiling == least && Some(game) <= last_tie
        })
    }

    /// Returns the lowest ceiling among `count` games with the highest, and how many of these have
    /// it.
    fn cutoff(&self, games: &[GameId], count: usize) -> (u16, usize) {
        let numbers = games.par_chunks(BLOCK_GAMES as usize).map(|games| {
            let mut numbers = vec![0_usize; usize::from(u16::MAX) + 1];
            games
                .iter()
                .for_each(|&game| numbers[usize::from(self.of(game))] += 1);
            numbers
        });
        let add = |mut all: Vec<usize>, some: Vec<usize>| {
            all.iter_mut()
                .zip(some)
                .for_each(|(all, some)| *all += some);
            all
        };
        let numbers = numbers.reduce_with(add).unwrap_or_default();
        let mut left = count;
        for (ceiling, &number) in (0..=u16::MAX).zip(&numbers).rev() {
            if number >= left {
                return (ceiling, left);
            }
            left -= number;
        }
        (0, left)
    }

    #[inline]
    fn of(&self, game: GameId) -> u16 {
        let ceilings = self.images.iter().map(|image| image.of(game));
        ceilings.max().unwrap_or(0)
    }
}

/// Finds the parts of games whose material allows a similarity.
pub(super) struct NearStretches<'a> {
    ceilings: &'a Ceilings<'a>,
    /// By image and [place](Image::place): the numbers of men beyond which no position is as
    /// similar.
    ranges: Vec<Vec<CountRange>>,
}

impl<'a> NearStretches<'a> {
    /// Returns the ply after the last position of a game that may have a similarity, which is at
    /// least the one that was given before; 0 if none may. `timelines` keeps those of the last game
    /// and its neighbours.
    pub(super) fn until(
        &self,
        game: GameId,
        least: f64,
        timelines: &mut Option<Timelines<'a>>,
    ) -> u32 {
        let known = timelines.take().filter(|known| known.has(game.0));
        *timelines = known.or_else(|| self.ceilings.sidecar.timelines(game.0));
        let Some(timeline) = timelines.as_ref().and_then(|all| all.of(game.0)) else {
            return u32::MAX;
        };
        let mut until = 0;
        for (image, ranges) in self.ceilings.images.iter().zip(&self.ranges) {
            let visits = image.visits_of(game);
            let Some(range) = ranges.get(image.place(visits)) else {
                return u32::MAX;
            };
            let mut timeline = timeline.clone();
            while let Some(stretch) = timeline.next_within(range) {
                if image.of_men(visits, stretch.counts) >= least {
                    until = until.max(stretch.end);
                }
            }
        }
        until
    }
}

impl<'a> Image<'a> {
    fn new(sidecar: &Sidecar, likeness: &'a Likeness, games: usize) -> Image<'a> {
        let mut visits = vec![[0; 2]; games];
        let blocks = visits.par_chunks_mut(BLOCK_GAMES as usize);
        blocks
            .enumerate()
            .for_each(|(block, visits)| count_visits(visits, sidecar, block, likeness));
        let mut image = Image {
            likeness,
            most: likeness.sizes(),
            visits,
            by_visits: Vec::new(),
        };
        let units = |[pawns, others]: Visits| {
            let ceiling = likeness.ceiling(pawns.into(), others.into());
            (ceiling * UNITS).ceil() as u16
        };
        image.by_visits = image.all_visits().map(units).collect();
        image
    }

    #[inline]
    fn of(&self, game: GameId) -> u16 {
        let place = self.place(self.visits_of(game));
        self.by_visits.get(place).copied().unwrap_or(u16::MAX)
    }

    /// Returns the ceiling of positions with these men in a game with these visits.
    #[inline]
    fn of_men(&self, [pawns, others]: Visits, counts: Counts) -> f64 {
        let ceiling = self
            .likeness
            .ceiling_of(counts, pawns.into(), others.into());
        ceiling + TOLERANCE
    }

    /// Returns, for all visits, the numbers of men with which positions may have this similarity.
    fn ranges(&self, least: f64) -> Vec<CountRange> {
        let ranges = self.all_visits().map(|visits| self.range(visits, least));
        ranges.collect()
    }

    fn range(&self, visits: Visits, least: f64) -> CountRange {
        let own = self.likeness.packed();
        let mut range = CountRange::exactly(own);
        for man in Man::ALL {
            let [pawns, others] = visits.map(i32::from);
            let is_near = |&count: &u8| {
                let ceiling = self.likeness.ceiling_with(man, count, pawns, others);
                ceiling + TOLERANCE >= least
            };
            let low = (0..own.get(man)).rev().take_while(is_near).last();
            let high = (own.get(man)..=Counts::MAX).take_while(is_near).last();
            range.low = range.low.with(man, low.unwrap_or(own.get(man)));
            range.high = range.high.with(man, high.unwrap_or(own.get(man)));
        }
        range
    }

    /// Iterates over the visits that games can have, in the order of their places.
    fn all_visits(&self) -> impl Iterator<Item = Visits> {
        let [pawns, others] = self.most;
        (0..=pawns).flat_map(move |pawns| (0..=others).map(move |others| [pawns, others]))
    }

    #[inline]
    fn place(&self, [pawns, others]: Visits) -> usize {
        usize::from(pawns) * (usize::from(self.most[1]) + 1) + usize::from(others)
    }

    #[inline]
    fn visits_of(&self, game: GameId) -> Visits {
        let visits = self.visits.get(game.0 as usize);
        visits.copied().unwrap_or(self.most)
    }
}

/// Returns the place of a man in [`Visits`].
fn kind(man: Man) -> usize {
    usize::from(man.role() != Role::Pawn)
}

/// Counts the visits of each game of a block. Sets that cannot be read, or that most games are in,
/// exclude none.
fn count_visits(visits: &mut [Visits], sidecar: &Sidecar, block: usize, likeness: &Likeness) {
    let mut all = [0; 2];
    for (man, square) in likeness.placed() {
        let kind = kind(man);
        match sidecar.candidates(block, &Wanted::visit(man, square)) {
            Some(games) => games.for_each(|game| {
                if let Some(visits) = visits.get_mut(usize::from(game)) {
                    visits[kind] += 1;
                }
            }),
            None => all[kind] += 1,
        }
    }
    for visits in visits {
        *visits = [visits[0] + all[0], visits[1] + all[1]];
    }
}
