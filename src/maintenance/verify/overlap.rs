//! Finds games that share bytes with others, without a list of all games.
//!
//! In the order of their bytes, a game that begins before the greatest end so far shares bytes.
//! Records may be in any order, so games are sorted, one range of the file at a time.

use std::ops::Range;

use rayon::prelude::*;
use roaring::RoaringBitmap;
use tabiya_chess::{Flow, GameId};
use tabiya_formats::{View, check_interrupt, error::Result};

/// Number of games that are sorted together: 16 bytes each.
const SORTED_GAMES: usize = 1 << 20;
/// Approximate number of passes over the records. For larger databases more games are sorted
/// together.
const PASSES: usize = 64;
/// Number of parts of a range in which too many games begin.
const PARTS: u64 = 256;

/// Returns the games that share bytes with another game. Uses 16 MiB while it runs, and a quarter
/// of a byte for each game.
///
/// # Errors
/// `Interrupted` if `ask` breaks.
pub(super) fn overlapping<V: View>(
    view: V,
    ask: &mut dyn FnMut() -> Flow,
) -> Result<RoaringBitmap> {
    let games = view.game_count();
    overlapping_sorting(view, SORTED_GAMES.max(games / PASSES), ask)
}

fn overlapping_sorting<V: View>(
    view: V,
    sorted_games: usize,
    ask: &mut dyn FnMut() -> Flow,
) -> Result<RoaringBitmap> {
    let starts = view
        .records()
        .par_iter()
        .map(|record| view.place(record).start);
    let end = starts.max().map_or(0, |last| last.saturating_add(1));
    let mut sweep = Sweep {
        view,
        sorted_games,
        farthest: 0..0,
        overlapping: RoaringBitmap::new(),
        ask,
    };
    sweep.range(0..end, view.game_count())?;
    Ok(sweep.overlapping)
}

/// Visits the games in the order of their bytes.
struct Sweep<'a, V> {
    view: V,
    sorted_games: usize,
    /// The bytes of the game with the greatest end so far.
    farthest: Range<u64>,
    overlapping: RoaringBitmap,
    ask: &'a mut dyn FnMut() -> Flow,
}

impl<V: View> Sweep<'_, V> {
    /// Visits the games that begin in a range; `games` is their number.
    fn range(&mut self, range: Range<u64>, games: usize) -> Result<()> {
        check_interrupt(self.ask)?;
        if range.end - range.start <= 1 {
            // All begin at the same byte, so they are already in order.
            let view = self.view;
            let begin = |game: &GameId| start(view, *game) == range.start;
            all_games(view)
                .filter(begin)
                .for_each(|game| self.meet(game));
        } else if games <= self.sorted_games {
            self.sorted(&range);
        } else {
            for (part, games) in self.parts(&range) {
                self.range(part, games)?;
            }
        }
        Ok(())
    }

    fn sorted(&mut self, range: &Range<u64>) {
        let view = self.view;
        let mut starts: Vec<(u64, GameId)> = view
            .records()
            .par_iter()
            .enumerate()
            .map(|(game, record)| (view.place(record).start, GameId(game as u32)))
            .filter(|(start, _)| range.contains(start))
            .collect();
        starts.par_sort_unstable();
        starts.iter().for_each(|&(_, game)| self.meet(game));
    }

    /// Splits a range into parts and joins neighbours that can be sorted together. Returns each
    /// with the number of games that begin in it.
    fn parts(&self, range: &Range<u64>) -> Vec<(Range<u64>, usize)> {
        let part_bytes = (range.end - range.start).div_ceil(PARTS);
        let mut counts = vec![0; PARTS as usize];
        for game in all_games(self.view) {
            let start = start(self.view, game);
            if range.contains(&start) {
                counts[((start - range.start) / part_bytes) as usize] += 1;
            }
        }
        let mut parts: Vec<(Range<u64>, usize)> = Vec::new();
        for (part, games) in (0..PARTS).zip(counts) {
            let begin = range.start.saturating_add(part * part_bytes);
            let end = range.end.min(begin.saturating_add(part_bytes));
            match parts.last_mut() {
                Some((last, sum)) if *sum + games <= self.sorted_games => {
                    last.end = end;
                    *sum += games;
                }
                _ => parts.push((begin..end, games)),
            }
        }
        parts.retain(|&(_, games)| games > 0);
        parts
    }

    fn meet(&mut self, game: GameId) {
        let place = self.view.place(self.view.record(game));
        if place.is_empty() {
            return;
        }
        if place.start < self.farthest.end && self.farthest != place {
            self.overlapping.insert(game.0);
        }
        if place.end > self.farthest.end {
            self.farthest = place;
        }
    }
}

fn all_games<V: View>(view: V) -> impl Iterator<Item = GameId> {
    (0..view.game_count() as u32).map(GameId)
}

fn start<V: View>(view: V, game: GameId) -> u64 {
    view.place(view.record(game)).start
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{Database, with_view};
    use tabiya_formats::Parts;

    const HEADER_BYTES: usize = 182;
    const RECORD_BYTES: usize = 47;

    /// A database of records that only have the locations of their games.
    fn database(places: &[(u32, u16)]) -> Database {
        let mut index = include_bytes!("../../../fixtures/famous.si4")[..HEADER_BYTES].to_vec();
        index[14..17].copy_from_slice(&(places.len() as u32).to_be_bytes()[1..]);
        for (start, length) in places {
            index.extend(start.to_be_bytes());
            index.extend(length.to_be_bytes());
            index.extend([0; RECORD_BYTES - 6]);
        }
        let mut parts = Parts::new(index);
        parts.games = Some(Vec::new());
        Database::from_bytes(parts).unwrap()
    }

    #[test]
    fn games_sorted_by_parts_overlap_as_when_sorted_together() {
        let mut places = Vec::new();
        let mut dice: u32 = 1;
        for game in 0..2000 {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            // Most begin at a few offsets, some far away.
            let start = match game % 4 {
                0 => 7,
                1 => dice >> 20,
                2 => dice >> 12,
                _ => dice,
            };
            places.push((start, (dice >> 24) as u16 % 100));
        }
        let database = database(&places);
        let with = |sorted_games| {
            let ask = &mut || Flow::Continue(());
            with_view!(database.tags(), view => overlapping_sorting(view, sorted_games, ask))
                .unwrap()
        };
        let together = with(places.len());
        assert!(together.len() > 100 && together.len() < 1900);
        for sorted_games in [1, 2, 10, 100, 600, 1999] {
            assert_eq!(with(sorted_games), together, "{sorted_games}");
        }
    }

    #[test]
    fn a_break_ends_the_search_for_overlaps() {
        let database = database(&[(1, 2), (3, 4)]);
        let ask = &mut || Flow::Break(());
        let ended = with_view!(database.tags(), view => overlapping(view, ask)).unwrap_err();
        assert!(matches!(
            ended.kind(),
            tabiya_formats::error::ErrorKind::Interrupted
        ));
    }
}
