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

/// Upper bounds of the similarity of each game.
pub(super) struct Ceilings<'a> {
    sidecar: &'a Sidecar,
    images: Vec<Image<'a>>,
    /// The ceilings that visits give, by [place](Image::place).
    by_visits: Vec<f64>,
    /// The same without those that are equal, the lowest first.
    ceilings: Vec<f64>,
    /// By game: which of the ceilings it has, from 1 on; 0 for games that are not asked for.
    levels: Vec<Level>,
}

type Level = u16;

/// How many pawns and other men of a position have ever stood on their squares in a game.
type Visits = [u8; 2];

/// A place in the list of all games, those with the highest ceilings first, equal ones by their
/// numbers: before this game, or where it would be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    level: Level,
    game: u32,
}

impl Place {
    /// Behind all games that are asked for.
    pub(super) const END: Place = Place { level: 0, game: 0 };

    #[inline]
    fn is_before(self, other: Place) -> bool {
        self.level > other.level || self.level == other.level && self.game < other.game
    }
}

impl<'a> Ceilings<'a> {
    /// Asks the sidecar about some of `all` games. Reads one set of games for each man of the
    /// positions, in every block.
    pub(super) fn new(
        sidecar: &'a Sidecar,
        images: &'a [Likeness],
        games: &[GameId],
        all: u32,
    ) -> Ceilings<'a> {
        let image = |likeness| Image::new(sidecar, likeness, all as usize);
        let images: Vec<Image<'_>> = images.iter().map(image).collect();
        // All images have as many men.
        let by_visits = images.first().map(Image::ceilings).unwrap_or_default();
        let mut ceilings = by_visits.clone();
        ceilings.sort_unstable_by(f64::total_cmp);
        ceilings.dedup();
        let level = |&ceiling: &f64| ceilings.partition_point(|&other| other <= ceiling) as Level;
        let of_visits: Vec<Level> = by_visits.iter().map(level).collect();
        Ceilings {
            levels: levels(&images, &of_visits, games, all as usize),
            sidecar,
            images,
            by_visits,
            ceilings,
        }
    }

    /// Returns whether a game may have a position of at least this similarity, by its visits.
    #[inline]
    pub(super) fn allows(&self, game: GameId, least: f64) -> bool {
        let level = self.levels.get(game.0 as usize).copied();
        let ceiling = level.map(|level| usize::from(level).checked_sub(1));
        ceiling.is_none_or(|at| at.is_some_and(|at| self.ceilings[at] >= least - TOLERANCE))
    }

    /// Prepares a search for positions of at least this similarity in timelines.
    pub(super) fn stretches(&self, least: f64) -> NearStretches<'_> {
        let ranges = self.images.iter().map(|image| image.ranges(least));
        NearStretches {
            ceilings: self,
            ranges: ranges.collect(),
        }
    }

    /// Returns the place of the first game.
    pub(super) fn first(&self) -> Place {
        Place {
            level: self.ceilings.len() as Level,
            game: 0,
        }
    }

    /// Takes `count` games from a place on and moves it behind them. Returns those that `is_left`
    /// accepts, in the order of games.
    pub(super) fn take(
        &self,
        place: &mut Place,
        count: usize,
        is_left: impl Fn(GameId) -> bool + Sync,
    ) -> Vec<GameId> {
        let from = *place;
        *place = self.behind(from, count);
        let is_taken = |&other: &Place| {
            other.is_before(*place) && !other.is_before(from) && is_left(GameId(other.game))
        };
        let taken = self.blocks().map(|block| {
            let taken = places(block).filter(is_taken);
            taken.map(|place| GameId(place.game)).collect::<Vec<_>>()
        });
        taken.collect::<Vec<_>>().concat()
    }

    /// Returns the place behind `count` games, from a place on.
    fn behind(&self, from: Place, mut count: usize) -> Place {
        let numbers = self.blocks().map(|block| {
            let mut numbers = vec![0; self.ceilings.len() + 1];
            places(block)
                .filter(|place| !place.is_before(from))
                .for_each(|place| numbers[usize::from(place.level)] += 1);
            numbers
        });
        let numbers: Vec<Vec<usize>> = numbers.collect();
        for level in (1..=from.level).rev() {
            let number: usize = numbers.iter().map(|block| block[usize::from(level)]).sum();
            if number > count {
                let same = places((0, &self.levels)).filter(|place| place.level == level);
                let next = same.filter(|place| !place.is_before(from)).nth(count);
                return next.unwrap_or(Place::END);
            }
            count -= number;
        }
        Place::END
    }

    /// The levels of the games of each block, with its number.
    fn blocks(&self) -> impl IndexedParallelIterator<Item = (usize, &[Level])> {
        self.levels.par_chunks(BLOCK_GAMES as usize).enumerate()
    }
}

/// Returns the levels of all games: of each that is asked for the highest that its visits of an
/// image have, which are given by [place](Image::place).
fn levels(images: &[Image<'_>], of_visits: &[Level], games: &[GameId], all: usize) -> Vec<Level> {
    let mut levels = vec![0; all];
    let blocks = levels.par_chunks_mut(BLOCK_GAMES as usize).enumerate();
    blocks.for_each(|(block, levels)| {
        for image in images {
            image.raise(levels, block, of_visits);
        }
    });
    if games.len() == all {
        return levels;
    }
    let mut asked = vec![0; all];
    for game in games {
        asked[game.0 as usize] = levels[game.0 as usize];
    }
    asked
}

/// Returns the places of the games of a block.
fn places((block, levels): (usize, &[Level])) -> impl Iterator<Item = Place> {
    let games = (block as u32 * BLOCK_GAMES..).zip(levels);
    games.map(|(game, &level)| Place { level, game })
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
            let place = image.place(visits);
            if self.ceilings.by_visits[place] < least - TOLERANCE {
                continue;
            }
            let mut timeline = timeline.clone();
            while let Some(stretch) = timeline.next_within(&ranges[place]) {
                if image.of_men(visits, stretch.counts) >= least {
                    until = until.max(stretch.end);
                }
            }
        }
        until
    }
}

/// The visits of one image of the position.
struct Image<'a> {
    likeness: &'a Likeness,
    /// The visits of a game that had all men on their squares.
    most: Visits,
    /// By game.
    visits: Vec<Visits>,
}

impl<'a> Image<'a> {
    fn new(sidecar: &Sidecar, likeness: &'a Likeness, games: usize) -> Image<'a> {
        let mut visits = vec![[0; 2]; games];
        let blocks = visits.par_chunks_mut(BLOCK_GAMES as usize);
        blocks
            .enumerate()
            .for_each(|(block, visits)| count_visits(visits, sidecar, block, likeness));
        Image {
            likeness,
            most: likeness.sizes(),
            visits,
        }
    }

    /// Returns the ceilings, by [place](Image::place).
    fn ceilings(&self) -> Vec<f64> {
        let ceiling = |[pawns, others]: Visits| self.likeness.ceiling(pawns.into(), others.into());
        self.all_visits().map(ceiling).collect()
    }

    /// Raises the levels of the games of a block to those that their visits have, which are given
    /// by [place](Image::place).
    fn raise(&self, levels: &mut [Level], block: usize, of_visits: &[Level]) {
        let visits = &self.visits[block * BLOCK_GAMES as usize..];
        for (level, &visits) in levels.iter_mut().zip(visits) {
            *level = of_visits[self.place(visits)].max(*level);
        }
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
        let mut range = CountRange::ANY;
        for man in Man::ALL {
            let (low, high) = self.likeness.numbers(man, least, visits);
            range.narrow(man, low, high);
        }
        range
    }

    /// Iterates over the visits that games can have, in the order of their places.
    fn all_visits(&self) -> impl Iterator<Item = Visits> {
        let [pawns, others] = self.most;
        (0..=pawns).flat_map(move |pawns| (0..=others).map(move |others| [pawns, others]))
    }

    #[inline]
    fn place(&self, visits: Visits) -> usize {
        // A damaged set may list a game twice.
        let kinds = [0, 1];
        let [pawns, others] = kinds.map(|kind| usize::from(visits[kind].min(self.most[kind])));
        pawns * (usize::from(self.most[1]) + 1) + others
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
