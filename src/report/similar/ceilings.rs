//! How similar the positions of each game can be at most, from the sidecar's visit sets.
//!
//! A man that stands on the same square in two positions has stood there in the game. So a game
//! that had only some of the wanted men on their squares, at whatever time, has no position with
//! more of them, and what [`Likeness::ceiling`] returns for so many is never exceeded.

use rayon::prelude::*;
use shakmaty::Role;

use crate::{
    chess::GameId,
    pattern::similar::{Likeness, TOLERANCE},
    sidecar::{BLOCK_GAMES, Sidecar, Wanted},
};

/// Ceilings are kept in units of one part of this.
const UNITS: f64 = 60_000.0;

/// An upper bound of the similarity of each game.
pub(super) struct Ceilings(Vec<u16>);

impl Ceilings {
    /// Asks the sidecar. Reads one set of games for each man of the positions, in every block.
    pub(super) fn new(sidecar: &Sidecar, images: &[Likeness], games: u32) -> Ceilings {
        let mut ceilings = vec![0; games as usize];
        let blocks = ceilings.par_chunks_mut(BLOCK_GAMES as usize);
        blocks.enumerate().for_each(|(block, ceilings)| {
            let mut counts = Counts::new(ceilings.len());
            for image in images {
                counts.fill(sidecar, block, image);
                for (ceiling, &(pawns, others)) in ceilings.iter_mut().zip(&counts.0) {
                    let units = image.ceiling(pawns.into(), others.into()) * UNITS;
                    *ceiling = (*ceiling).max(units.ceil() as u16);
                }
            }
        });
        Ceilings(ceilings)
    }

    /// Returns whether a game may have a position of at least this similarity.
    #[inline]
    pub(super) fn allows(&self, game: GameId, least: f64) -> bool {
        f64::from(self.of(game)) >= (least - TOLERANCE) * UNITS
    }

    /// Splits off all but `count` games with the highest ceilings, of equal ones the first.
    /// Both parts stay in the order of games.
    pub(super) fn without_highest(&self, games: &mut Vec<GameId>, count: usize) -> Vec<GameId> {
        let (least, mut ties) = self.cutoff(games, count);
        let mut rest = Vec::new();
        games.retain(|&game| {
            let ceiling = self.of(game);
            let is_kept = ceiling > least || ceiling == least && ties > 0;
            ties -= usize::from(is_kept && ceiling == least);
            if !is_kept {
                rest.push(game);
            }
            is_kept
        });
        rest
    }

    /// Returns the lowest ceiling among `count` games with the highest, and how many of these have
    /// it.
    fn cutoff(&self, games: &[GameId], count: usize) -> (u16, usize) {
        let mut numbers = vec![0_usize; usize::from(u16::MAX) + 1];
        games
            .iter()
            .for_each(|&game| numbers[usize::from(self.of(game))] += 1);
        let mut left = count;
        for (ceiling, &number) in (0..=u16::MAX).zip(&numbers).rev() {
            if number >= left {
                return (ceiling, left);
            }
            left -= number;
        }
        (0, left)
    }

    fn of(&self, game: GameId) -> u16 {
        self.0.get(game.0 as usize).copied().unwrap_or(u16::MAX)
    }
}

/// For each game of a block, how many pawns and other men of a position have ever stood on their
/// squares.
struct Counts(Vec<(u8, u8)>);

impl Counts {
    fn new(games: usize) -> Counts {
        Counts(vec![(0, 0); games])
    }

    fn fill(&mut self, sidecar: &Sidecar, block: usize, image: &Likeness) {
        self.0.fill((0, 0));
        let (mut pawns, mut others) = (0, 0);
        for (man, square) in image.placed() {
            let is_pawn = man.role() == Role::Pawn;
            match sidecar.candidates(block, &Wanted::visit(man, square)) {
                Some(games) => games.for_each(|game| {
                    if let Some((pawns, others)) = self.0.get_mut(usize::from(game)) {
                        *(if is_pawn { pawns } else { others }) += 1;
                    }
                }),
                None if is_pawn => pawns += 1,
                None => others += 1,
            }
        }
        // Sets that cannot be read, or that most games are in, exclude none.
        for count in &mut self.0 {
            *count = (count.0 + pawns, count.1 + others);
        }
    }
}
