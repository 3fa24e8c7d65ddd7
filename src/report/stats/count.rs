//! Sums over games.

use shakmaty::Color;
use tabiya_chess::{GameId, GameResult, NameId, Tally, tally::ratio};
use tabiya_formats::{Header, NameSlot};

use super::MeanRatings;

/// A sum for one name.
pub(super) trait Sum: Copy {
    /// Returns the number of games, each counted once.
    fn games(&self) -> u32;

    fn merge(&mut self, other: &Self);
}

impl Sum for Tally {
    fn games(&self) -> u32 {
        Tally::games(self)
    }

    fn merge(&mut self, other: &Tally) {
        Tally::merge(self, other);
    }
}

/// The games of one player.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PlayerSum {
    pub(super) as_white: Tally,
    pub(super) as_black: Tally,
    /// Games that are in both.
    pub(super) against_oneself: u32,
}

impl Sum for PlayerSum {
    fn games(&self) -> u32 {
        self.as_white.games() + self.as_black.games() - self.against_oneself
    }

    fn merge(&mut self, other: &PlayerSum) {
        self.as_white.merge(&other.as_white);
        self.as_black.merge(&other.as_black);
        self.against_oneself += other.against_oneself;
    }
}

/// Sums over some games. Lists grow as needed, except those by name: a name ID out of range, as in
/// damaged files, is not counted.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub(super) total: Tally,
    /// By year.
    pub(super) years: Vec<Tally>,
    /// By mean rating in hundreds.
    pub(super) ratings: Vec<Tally>,
    /// By opening code.
    pub(super) openings: Vec<Tally>,
    /// By number of plies.
    pub(super) plies: Vec<Tally>,
    /// Games whose records do not have their length; they are not in `plies` yet.
    pub(super) unmeasured: Vec<GameId>,
    /// Games whose length cannot be determined.
    pub(super) of_unknown_length: u32,
    /// By name.
    pub(super) players: Vec<PlayerSum>,
    /// By name.
    pub(super) events: Vec<Tally>,
    /// For White and Black: the sum of the ratings and their number.
    rated: [(u64, u64); 2],
}

impl Counts {
    /// Creates sums for this number of players and events.
    pub(super) fn new((players, events): (usize, usize)) -> Counts {
        Counts {
            players: vec![PlayerSum::default(); players],
            events: vec![Tally::default(); events],
            ..Counts::default()
        }
    }

    pub(super) fn add<R: Header>(&mut self, game: GameId, record: &R) {
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
        match record.plies().exact() {
            Some(plies) => self.add_length(plies, result),
            None => self.unmeasured.push(game),
        }
        let ratings = [Color::White, Color::Black].map(|color| record.rating_value(color));
        for ((sum, count), rating) in self.rated.iter_mut().zip(ratings) {
            *sum += u64::from(rating);
            *count += u64::from(rating > 0);
        }
        if ratings.iter().all(|&rating| rating > 0) {
            let class = ratings[0].midpoint(ratings[1]) / 100;
            at(&mut self.ratings, class).add(result);
        }
        self.add_players(
            record.name(NameSlot::White),
            record.name(NameSlot::Black),
            result,
        );
        let event = record.name(NameSlot::Event).index();
        if let Some(event) = self.events.get_mut(event) {
            event.add(result);
        }
    }

    /// Adds the length of a game.
    pub(super) fn add_length(&mut self, plies: u32, result: GameResult) {
        at(&mut self.plies, plies.min(u16::MAX.into()) as u16).add(result);
    }

    fn add_players(&mut self, white: NameId, black: NameId, result: GameResult) {
        if let Some(player) = self.players.get_mut(white.index()) {
            player.as_white.add(result);
            player.against_oneself += u32::from(white == black);
        }
        if let Some(player) = self.players.get_mut(black.index()) {
            player.as_black.add(result);
        }
    }

    pub(super) fn merge(mut self, other: Counts) -> Counts {
        self.total.merge(&other.total);
        merge(&mut self.years, &other.years);
        merge(&mut self.ratings, &other.ratings);
        merge(&mut self.openings, &other.openings);
        merge(&mut self.plies, &other.plies);
        merge(&mut self.events, &other.events);
        self.unmeasured.extend(other.unmeasured);
        self.of_unknown_length += other.of_unknown_length;
        for (sum, more) in self.players.iter_mut().zip(&other.players) {
            sum.merge(more);
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

/// Returns an element of a list, which grows if necessary.
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
