//! How similar the positions of each game can be at most, from the sidecar.
//!
//! **Visits.** A man that stands on the same square in two positions has stood there in the game.
//! So a game that had only some of the wanted men on their squares, at whatever time, has no
//! position with more of them, and what [`Likeness::ceiling`] returns for their number is never
//! exceeded.
//!
//! **Timelines.** Between two changes of material all positions of a game have the same men. So
//! none of them exceeds what [`Likeness::ceilings_of`] returns for these men and the visits of the
//! game.
//!
//! **Pawns at home.** Those that left them do not come back, so the order in which they left bounds
//! the pawns in common, with the visits of the game: see [`AtHome`].

use rayon::prelude::*;
use shakmaty::Role;
use tabiya_chess::{Counts, GameId, HomePawns, Man, material::CountRange};

use crate::{
    pattern::{
        material::MaterialPhases,
        similar::{AtHome, LeastShare, Likeness, TOLERANCE},
    },
    sidecar::{BLOCK_GAMES, RequiredSets, Sidecar, Timeline, Timelines},
};

/// Upper bounds of the similarity of each game.
pub(super) struct Ceilings<'a> {
    sidecar: &'a Sidecar,
    images: Vec<Image<'a>>,
    /// The ceilings that visits give, by [place](Image::place).
    by_visits: Vec<f64>,
    /// The distinct ceilings, ascending.
    ceilings: Vec<f64>,
    /// By game: which of the ceilings it has, from 1 on; 0 for games that are not asked for.
    levels: Vec<Level>,
    /// By block and level: how many games of this level are before the block.
    ranks: Vec<Vec<usize>>,
    /// By level: number of games.
    numbers: Vec<usize>,
}

type Level = u16;

/// How many pawns and other men of a position have ever stood on their squares in a game.
type Visits = [u8; 2];

/// What is known of a game.
struct Known {
    visits: Visits,
    /// The order in which pawns left home.
    left: Option<HomePawns>,
}

/// A place in the list of all games, those with the highest ceilings first, equal ones by their
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct LevelPlace {
    level: Level,
    /// Number of games of this level that are before it.
    rank: usize,
}

impl LevelPlace {
    /// After all games that are asked for.
    pub(super) const END: LevelPlace = LevelPlace { level: 0, rank: 0 };

    #[inline]
    fn is_before(self, other: LevelPlace) -> bool {
        self.level > other.level || self.level == other.level && self.rank < other.rank
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
        let levels = levels(&images, &of_visits, games, all as usize);
        let (ranks, numbers) = ranks(&levels, ceilings.len());
        Ceilings {
            sidecar,
            images,
            by_visits,
            ceilings,
            levels,
            ranks,
            numbers,
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
        let limits = self.images.iter().map(|image| Limits {
            shares: image.shares(least),
            ranges: image.ranges(least),
        });
        NearStretches {
            ceilings: self,
            limits: limits.collect(),
        }
    }

    /// Returns the place of the first game.
    pub(super) fn first(&self) -> LevelPlace {
        LevelPlace {
            level: self.ceilings.len() as Level,
            rank: 0,
        }
    }

    /// Advances a place by `count` games. Returns those whose ceiling reaches what `needed`
    /// returns, in the order of games.
    pub(super) fn take(
        &self,
        place: &mut LevelPlace,
        count: usize,
        needed: impl Fn(GameId) -> f64 + Sync,
    ) -> Vec<GameId> {
        let from = *place;
        *place = self.after(from, count);
        let to = *place;
        let blocks = self.levels.par_chunks(BLOCK_GAMES as usize).enumerate();
        let taken = blocks.map(|(block, levels)| {
            let mut ranks = [from, to].map(|end| self.ranks[block][usize::from(end.level)]);
            let mut taken = Vec::new();
            for (game, &level) in (block as u32 * BLOCK_GAMES..).zip(levels) {
                if level > from.level || level < to.level {
                    continue;
                }
                let mut place = LevelPlace { level, rank: 0 };
                // Within the other levels, ranks do not matter.
                for (end, rank) in [from, to].iter().zip(&mut ranks) {
                    if level == end.level {
                        place.rank = *rank;
                        *rank += 1;
                    }
                }
                let is_taken = !place.is_before(from) && place.is_before(to);
                if is_taken && self.allows(GameId(game), needed(GameId(game))) {
                    taken.push(GameId(game));
                }
            }
            taken
        });
        taken.collect::<Vec<_>>().concat()
    }

    /// Returns the place after `count` games, from a place on.
    fn after(&self, from: LevelPlace, count: usize) -> LevelPlace {
        let mut rank = from.rank + count;
        for level in (1..=from.level).rev() {
            let games = self.numbers[usize::from(level)];
            if rank < games {
                return LevelPlace { level, rank };
            }
            rank -= games;
        }
        LevelPlace::END
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

/// Returns, by block and level, how many games of a level are before a block, and the number of all
/// games of each level.
fn ranks(levels: &[Level], highest: usize) -> (Vec<Vec<usize>>, Vec<usize>) {
    let blocks = levels.par_chunks(BLOCK_GAMES as usize).map(|levels| {
        let mut numbers = vec![0; highest + 1];
        levels
            .iter()
            .for_each(|&level| numbers[usize::from(level)] += 1);
        numbers
    });
    let blocks: Vec<Vec<usize>> = blocks.collect();
    let mut all = vec![0; highest + 1];
    let mut ranks = Vec::new();
    for numbers in blocks {
        ranks.push(all.clone());
        all.iter_mut()
            .zip(numbers)
            .for_each(|(all, number)| *all += number);
    }
    (ranks, all)
}

/// Finds the parts of games whose material allows a similarity.
pub(super) struct NearStretches<'a> {
    ceilings: &'a Ceilings<'a>,
    /// By image.
    limits: Vec<Limits>,
}

/// What a position needs to be as similar to an image as asked for.
struct Limits {
    /// By the visits of men that are not pawns: the J of the pawns.
    shares: Vec<LeastShare>,
    /// By [place](Image::place): the numbers of men.
    ranges: Vec<CountRange>,
}

impl<'a> NearStretches<'a> {
    /// Returns the ply after the last position of a game that may have a similarity, which is at
    /// least the one that was given before; 0 if none may. `left` is the order in which pawns left
    /// home, if it is known. `timelines` keeps those of the last game and its neighbours.
    pub(super) fn until(
        &self,
        game: GameId,
        least: f64,
        left: Option<HomePawns>,
        timelines: &mut Option<Timelines<'a>>,
    ) -> u32 {
        // Of a game that could not be decoded, which has none, the record may tell of other moves.
        let Some(timeline) = self.timeline(game, timelines) else {
            return u32::MAX;
        };
        let mut until = 0;
        for (image, limits) in self.ceilings.images.iter().zip(&self.limits) {
            let visits = image.visits_of(game);
            if self.ceilings.by_visits[image.place(visits)] < least - TOLERANCE {
                continue;
            }
            let known = Known { visits, left };
            let Some(common) = image.most_common(&known, limits) else {
                continue;
            };
            let mut timeline = timeline.clone();
            let range = &limits.ranges[image.place(common)];
            while let Some(stretch) = timeline.next_within(range) {
                if image.may_come(&known, common, stretch.counts, least) {
                    until = until.max(stretch.end);
                }
            }
        }
        until
    }

    #[inline]
    fn timeline(&self, game: GameId, all: &mut Option<Timelines<'a>>) -> Option<Timeline<'a>> {
        let known = all.take().filter(|known| known.has(game.0));
        *all = known.or_else(|| self.ceilings.sidecar.timelines(game.0));
        all.as_ref()?.of(game.0)
    }
}

/// The visits of one image of the position.
struct Image<'a> {
    likeness: &'a Likeness,
    at_home: AtHome,
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
            at_home: AtHome::new(likeness),
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

    /// Returns how many men a position that is as similar as asked for has in common at most;
    /// `None` if the game has no such position.
    #[inline]
    fn most_common(&self, game: &Known, limits: &Limits) -> Option<Visits> {
        let [pawns, others] = game.visits;
        let Some(left) = game.left else {
            return Some([pawns, others]);
        };
        let share = limits.shares[usize::from(others.min(self.most[1]))];
        let all = Counts::STANDARD.pawns();
        let pawns = self.at_home.most_common(left, pawns, all, share)?;
        Some([pawns, others])
    }

    /// Returns whether a position of a game with these men, of which at most `common` are in
    /// common, may have a similarity.
    #[inline]
    fn may_come(&self, game: &Known, common: Visits, counts: Counts, least: f64) -> bool {
        let [pawns, others] = common.map(i32::from);
        let [of_pawns, rest] = self.likeness.ceilings_of(counts, pawns, others);
        of_pawns + rest + TOLERANCE >= least
            && game.left.is_none_or(|left| {
                let share = LeastShare::of_pawns(least, rest);
                let most = (self.at_home).most_common(left, game.visits[0], counts.pawns(), share);
                most.is_some()
            })
    }

    /// Returns, by the visits of other men, the J that pawns need for this similarity.
    fn shares(&self, least: f64) -> Vec<LeastShare> {
        let rest = |others: u8| self.likeness.ceiling_of_rest(others.into());
        let share = |others| LeastShare::of_pawns(least, rest(others));
        (0..=self.most[1]).map(share).collect()
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
        match sidecar.candidates(block, &RequiredSets::visit(man, square)) {
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
