//! Adding up games.

use shakmaty::Color;

use super::MeanRatings;
use crate::{
    chess::{NameId, Tally, tally::ratio},
    format::{Header, NameSlot},
};

/// Sums over some games. Lists grow when a larger place is needed, names excepted: a name out
/// of range, as in damaged files, counts nowhere.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) total: Tally,
    /// By year.
    pub(super) years: Vec<Tally>,
    /// By hundreds of the mean rating.
    pub(super) ratings: Vec<Tally>,
    /// By opening code.
    pub(super) openings: Vec<Tally>,
    /// By half-moves.
    pub(super) plies: Vec<Tally>,
    /// By name: as White, as Black.
    pub(super) players: Vec<[Tally; 2]>,
    /// By name.
    pub(super) events: Vec<Tally>,
    /// Of White and of Black: the sum of the ratings and how many there are.
    rated: [(u64, u64); 2],
}

impl Counts {
    /// Prepares to count this many players and events.
    pub(super) fn new((players, events): (usize, usize)) -> Counts {
        Counts {
            players: vec![<[Tally; 2]>::default(); players],
            events: vec![Tally::default(); events],
            ..Counts::default()
        }
    }

    pub(super) fn add<R: Header>(&mut self, record: &R) {
        if !record.is_game() {
            return;
        }
        let result = record.result();
        self.total.add(result);
        if let Some(year) = record.date().year() {
            at(&mut self.years, year).add(result);
        }
        if let Some(eco) = record.eco() {
            at(&mut self.openings, eco.code()).add(result);
        }
        at(
            &mut self.plies,
            record.plies().at_least.min(u16::MAX.into()) as u16,
        )
        .add(result);
        let ratings = [Color::White, Color::Black].map(|color| record.rating_value(color));
        for ((sum, count), rating) in self.rated.iter_mut().zip(ratings) {
            *sum += u64::from(rating);
            *count += u64::from(rating > 0);
        }
        if ratings.iter().all(|&rating| rating > 0) {
            let class = ratings[0].midpoint(ratings[1]) / 100;
            at(&mut self.ratings, class).add(result);
        }
        let player = |id: NameId, players: &mut [[Tally; 2]], side: usize| {
            if let Some(player) = players.get_mut(id.index()) {
                player[side].add(result);
            }
        };
        player(record.name(NameSlot::White), &mut self.players, 0);
        player(record.name(NameSlot::Black), &mut self.players, 1);
        let event = record.name(NameSlot::Event).index();
        if let Some(event) = self.events.get_mut(event) {
            event.add(result);
        }
    }

    pub(super) fn merge(mut self, other: Counts) -> Counts {
        self.total.merge(&other.total);
        merge(&mut self.years, &other.years);
        merge(&mut self.ratings, &other.ratings);
        merge(&mut self.openings, &other.openings);
        merge(&mut self.plies, &other.plies);
        merge(&mut self.events, &other.events);
        for (sums, more) in self.players.iter_mut().zip(&other.players) {
            for (sum, more) in sums.iter_mut().zip(more) {
                sum.merge(more);
            }
        }
        for ((sum, count), (more, many)) in self.rated.iter_mut().zip(other.rated) {
            *sum += more;
            *count += many;
        }
        self
    }

    pub(super) fn mean_ratings(&self) -> MeanRatings {
        let [white, black] = self.rated;
        MeanRatings {
            white: ratio(white.0, white.1),
            black: ratio(black.0, black.1),
            all: ratio(white.0 + black.0, white.1 + black.1),
        }
    }
}

/// Returns a place of a list, which grows to have it.
fn at(tallies: &mut Vec<Tally>, place: u16) -> &mut Tally {
    let place = usize::from(place);
    if place >= tallies.len() {
        tallies.resize(place + 1, Tally::default());
    }
    &mut tallies[place]
}

fn merge(sums: &mut Vec<Tally>, more: &[Tally]) {
    if sums.len() < more.len() {
        sums.resize(more.len(), Tally::default());
    }
    for (sum, more) in sums.iter_mut().zip(more) {
        sum.merge(more);
    }
}
