//! Stores matches until all are found.

use std::{ops::Range, sync::Arc};

use tabiya::{Database, Flow, GameId, Match, MoveId, Report, Search};

use super::{
    databases::{self, Opened, Source},
    interrupt,
    progress::Progress,
};

/// Matches of several databases, in order: 4 bytes each, 8 with a ply.
#[derive(Debug, Default)]
pub(crate) struct Hits {
    /// The index after the last match of each database.
    ends: Vec<usize>,
    games: Vec<GameId>,
    /// By index; [`NO_PLY`], or no entry after the last match with a ply.
    plies: Vec<u32>,
    /// The indices of matches in variations, ascending, with their moves.
    variations: Vec<(usize, MoveId)>,
}

/// No game is this long.
const NO_PLY: u32 = u32::MAX;

/// Opens databases whole and finds all matches of a search in them; adds a report of each. Without
/// a search all games match, and texts too.
pub(crate) fn all(
    sources: &[Source],
    search: Option<&Search<'_>>,
    reports: &mut Vec<Report>,
) -> anyhow::Result<(Vec<Arc<Opened>>, Hits)> {
    let databases = databases::require_whole(sources)?;
    let databases = databases.into_iter().cloned().collect();
    let mut hits = Hits::default();
    let mut progress = Progress::new("games");
    for source in sources {
        let mut report = Report::default();
        for opened in source.opened()? {
            if let Some(search) = search {
                let search = search.clone();
                let found = search.on_progress(|at| progress.update(at)).for_each(
                    &opened.database,
                    |hit: Match| {
                        hits.push(hit);
                        Flow::Continue(())
                    },
                )?;
                report.add(found);
                // The first games of a partial search are not the first of all.
                interrupt::check()?;
            } else {
                opened
                    .database
                    .games()
                    .for_each(|game| hits.push(game.into()));
            }
            hits.end_database();
        }
        if search.is_some() {
            reports.push(report);
        }
    }
    progress.clear();
    Ok((databases, hits))
}

impl Hits {
    /// Returns the games at these places.
    pub(crate) fn games<'d>(
        &self,
        places: impl Iterator<Item = usize>,
        databases: &'d [Arc<Opened>],
    ) -> Vec<(&'d Database, GameId)> {
        let game = |place| (&databases[self.database(place)].database, self.game(place));
        places.map(game).collect()
    }

    /// Adds a match of the present database.
    pub(crate) fn push(&mut self, hit: Match) {
        let place = self.games.len();
        self.games.push(hit.game);
        if let Some(ply) = hit.ply {
            self.plies.resize(place, NO_PLY);
            self.plies.push(ply);
        }
        if let Some(variation) = hit.variation {
            self.variations.push((place, variation));
        }
    }

    /// Ends the present database; the next match belongs to the next one.
    pub(crate) fn end_database(&mut self) {
        self.ends.push(self.games.len());
    }

    pub(crate) fn places(&self) -> Range<usize> {
        0..self.games.len()
    }

    /// Returns the number of a match's database.
    pub(crate) fn database(&self, place: usize) -> usize {
        self.ends.partition_point(|&end| end <= place)
    }

    pub(crate) fn game(&self, place: usize) -> GameId {
        self.games[place]
    }

    pub(crate) fn hit(&self, place: usize) -> Match {
        let ply = self.plies.get(place).copied();
        let variation = self
            .variations
            .binary_search_by_key(&place, |&(place, _)| place);
        let mut hit = Match::from(self.games[place]);
        hit.ply = ply.filter(|&ply| ply != NO_PLY);
        hit.variation = variation.ok().map(|at| self.variations[at].1);
        hit
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_given_back_as_they_came() {
        let variation = tabiya::Database::open("fixtures/famous.si4")
            .ok()
            .and_then(|database| {
                let query: tabiya::Query = "at(ply:20)".parse().ok()?;
                let found = tabiya::Search::new(&query)
                    .variations(true)
                    .run(&database)
                    .ok()?;
                found.iter().find_map(|hit| hit.variation)
            });
        let hit = |game, ply, variation| {
            let mut hit = Match::from(GameId(game));
            (hit.ply, hit.variation) = (ply, variation);
            hit
        };
        let all = [
            hit(3, None, None),
            hit(4, Some(7), variation),
            hit(0, Some(0), None),
            hit(9, None, None),
        ];
        let mut hits = Hits::default();
        for (number, &hit) in all.iter().enumerate() {
            hits.push(hit);
            if number == 1 {
                hits.end_database();
                hits.end_database();
            }
        }
        hits.end_database();
        let kept: Vec<Match> = hits.places().map(|place| hits.hit(place)).collect();
        assert_eq!(kept, all);
        let databases: Vec<usize> = hits.places().map(|place| hits.database(place)).collect();
        assert_eq!(databases, [0, 0, 2, 2]);
    }
}
