//! What the headers of two games say about whether they are the same, and which is the better.

use shakmaty::Color;
use tabiya_chess::{Flow, GameId, GameResult, NameId, PartialDate};
use tabiya_formats::{Header, NameSlot, Scratch, View, Visitor, header::flag, names::NameList};

use super::repeat::KeptFor;
use crate::{
    database::{Database, with_view},
    filter::names::is_absent,
};

/// What a record says about whether two games are the same.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    /// White and Black.
    pub(super) players: [NameId; 2],
    date: PartialDate,
    result: GameResult,
    /// Whether it is a game, and not marked as deleted.
    pub(super) counts: bool,
}

impl Entry {
    pub(super) fn new<R: Header>(record: &R) -> Entry {
        Entry {
            players: [NameSlot::White, NameSlot::Black].map(|slot| record.name(slot)),
            date: record.date(),
            result: record.result(),
            counts: record.is_game() && record.flags() & flag::DELETED == 0,
        }
    }

    pub(super) fn of(database: &Database, game: GameId) -> Entry {
        with_view!(database.tags(), view => Entry::new(view.record(game)))
    }

    /// Returns whether date and result may be the same.
    pub(super) fn may_be(&self, other: &Entry) -> bool {
        let unknown = GameResult::Unknown;
        let results =
            self.result == other.result || self.result == unknown || other.result == unknown;
        results && dates_fit(self.date, other.date)
    }
}

/// Returns whether the parts that are known of both dates are equal.
fn dates_fit(one: PartialDate, other: PartialDate) -> bool {
    let fits = |one: u16, other: u16| one == other || one == 0 || other == 0;
    let year = |date: PartialDate| date.year().unwrap_or_default();
    fits(year(one), year(other))
        && fits(one.month().into(), other.month().into())
        && fits(one.day().into(), other.day().into())
}

/// How much a game has, the most important first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Score {
    plies: u32,
    annotations: u32,
    /// Known parts of the date, names besides the players, and the result.
    tags: u32,
    ratings: u32,
}

impl Score {
    /// Returns the score of a game whose main line has this many plies.
    pub(super) fn of(database: &Database, game: GameId, plies: usize) -> Score {
        let names = |kind| database.names(kind).ok();
        let lists = [NameSlot::Event, NameSlot::Site, NameSlot::Round]
            .map(|slot| (slot, names(slot.kind())));
        with_view!(database.tags(), view => score_of(view, game, plies, &lists))
    }

    /// Returns in what this score is better than another; `None` in nothing.
    pub(super) fn better_in(&self, other: &Score) -> Option<KeptFor> {
        let parts = [
            (self.plies, other.plies, KeptFor::Longer),
            (self.annotations, other.annotations, KeptFor::Annotated),
            (self.tags, other.tags, KeptFor::MoreTags),
            (self.ratings, other.ratings, KeptFor::Rated),
        ];
        let (one, other, reason) = parts.into_iter().find(|(one, other, _)| one != other)?;
        (one > other).then_some(reason)
    }
}

fn score_of<V: View>(
    view: V,
    game: GameId,
    plies: usize,
    lists: &[(NameSlot, Option<&NameList>); 3],
) -> Score {
    let record = view.record(game);
    let mut annotations = Annotations(0);
    // What is behind damage does not count.
    let _ = view.visit(record, &mut Scratch::default(), &mut annotations);
    let date = record.date();
    let dated = [date.year().is_some(), date.month() > 0, date.day() > 0];
    let named = lists.iter().map(|(slot, names)| {
        let name = names.and_then(|names| names.get(record.name(*slot)));
        name.is_some_and(|name| !is_absent(name))
    });
    let result = record.result() != GameResult::Unknown;
    let tags = dated.into_iter().chain(named).chain([result]);
    let rated = [Color::White, Color::Black].map(|color| record.rating(color).is_some());
    let count = |known: &mut dyn Iterator<Item = bool>| known.filter(|known| *known).count() as u32;
    Score {
        plies: plies as u32,
        annotations: annotations.0,
        tags: count(&mut tags.into_iter()),
        ratings: count(&mut rated.into_iter()),
    }
}

/// Counts comments, variations and marks of moves.
struct Annotations(u32);

impl Annotations {
    fn add(&mut self) -> Flow {
        self.0 = self.0.saturating_add(1);
        Flow::Continue(())
    }
}

impl Visitor for Annotations {
    fn comment(&mut self, _: &str) -> Flow {
        self.add()
    }

    fn nag(&mut self, _: u8) -> Flow {
        self.add()
    }

    fn begin_variation(&mut self) -> Flow {
        self.add()
    }
}
