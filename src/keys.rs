//! Headers with name IDs: for sorting and grouping games without looking up names.

use shakmaty::Color;
use tabiya_chess::{
    Eco, Elo, GameId, GameResult, NameId, PartialDate,
    opening_names::{self, OpeningNumber, OpeningSeeker},
};
use tabiya_formats::{
    Damage, Header, NameSlot, View,
    error::Result,
    header::flag,
    sound::{PlyCount, Sound},
};

use crate::{
    database::{Database, with_view},
    sidecar::{BLOCK_GAMES, UNKNOWN_OPENING},
};

/// A game's header with name IDs instead of names.
///
/// Equal IDs mean equal names within one database; their order has no meaning.
/// [`Database::name_of`] converts them to text.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, GameId, chess::NameKind};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let keys = database.keys(GameId(0))?;
/// let white = database.name_of(NameKind::Player, keys.white)?;
/// assert_eq!(white, Some(database.header(GameId(0))?.white));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct HeaderKeys {
    /// PGN `White`.
    pub white: NameId,
    /// PGN `Black`.
    pub black: NameId,
    /// PGN `Event`.
    pub event: NameId,
    /// PGN `Site`.
    pub site: NameId,
    /// PGN `Round`.
    pub round: NameId,
    /// PGN `Date`.
    pub date: PartialDate,
    /// PGN `EventDate`.
    pub event_date: PartialDate,
    /// White's rating, in any rating system.
    pub white_rating: Option<Elo>,
    /// Black's rating, in any rating system.
    pub black_rating: Option<Elo>,
    /// PGN `ECO`.
    pub eco: Option<Eco>,
    /// PGN `Result`.
    pub result: GameResult,
    /// The marks of [`GameHeader::marks`](tabiya_formats::GameHeader::marks).
    pub marks: u32,
}

impl HeaderKeys {
    fn of<V: View>(view: V, record: &V::Record) -> HeaderKeys {
        HeaderKeys {
            white: record.name(NameSlot::White),
            black: record.name(NameSlot::Black),
            event: record.name(NameSlot::Event),
            site: record.name(NameSlot::Site),
            round: record.name(NameSlot::Round),
            date: record.date(),
            event_date: view.event_date(record),
            white_rating: record.rating(Color::White),
            black_rating: record.rating(Color::Black),
            eco: record.eco(),
            result: record.result(),
            marks: record.flags() & flag::MARKS,
        }
    }

    /// Returns the ID of a name.
    #[must_use]
    pub const fn name(&self, slot: NameSlot) -> NameId {
        match slot {
            NameSlot::White => self.white,
            NameSlot::Black => self.black,
            NameSlot::Event => self.event,
            NameSlot::Site => self.site,
            NameSlot::Round => self.round,
        }
    }
}

impl Database {
    /// Returns a game's header without looking up its names.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn keys(&self, game: GameId) -> Result<HeaderKeys> {
        self.check(game)?;
        Ok(with_view!(self.tags(), view => HeaderKeys::of(view, view.record(game))))
    }

    /// Returns the number of plies in the main line: from the index if it is exact there, otherwise
    /// by decoding the game.
    ///
    /// # Errors
    /// `NoSuchGame`; if the game must be decoded, `Missing` without a games file and `Corrupt` if
    /// no half-move can be read. Of a damaged game, what is sound counts.
    pub fn plies(&self, game: GameId) -> Result<u32> {
        self.check(game)?;
        with_view!(self.tags(), view => {
            let record = view.record(game);
            if let Some(plies) = record.plies().exact() {
                return Ok(plies);
            }
            self.require_games()?;
            let mut plies = PlyCount::default();
            Sound::default()
                .main_line(view, record, &mut plies)
                .map_err(|damage| self.damaged(game, record, damage))?;
            Ok(plies.0)
        })
    }

    /// Returns the name of a game's opening, as `opening` in queries means it: from the sidecar if
    /// it has it, otherwise by decoding up to 40 plies. `None` for a game without one.
    ///
    /// # Errors
    /// `NoSuchGame`; if the game must be decoded, `Missing` without a games file and `Corrupt` if
    /// no half-move can be read. Of a damaged game, what is sound counts.
    pub fn opening(&self, game: GameId) -> Result<Option<&'static str>> {
        self.check(game)?;
        with_view!(self.tags(), view => {
            let record = view.record(game);
            let number = match self.told_opening(game) {
                Some(number) => number,
                None => {
                    self.require_games()?;
                    sought(view, record, &mut Sound::default())
                        .map_err(|damage| self.damaged(game, record, damage))?
                }
            };
            Ok(opening_names::name(number))
        })
    }

    /// Returns the number of a game's opening, if the sidecar has it.
    pub(crate) fn told_opening(&self, game: GameId) -> Option<OpeningNumber> {
        let block = (game.0 / BLOCK_GAMES) as usize;
        let numbers = self.sidecar()?.opening_names(block)?;
        let number = numbers.get((game.0 % BLOCK_GAMES) as usize)?.get();
        (number != UNKNOWN_OPENING).then_some(number)
    }
}

/// Returns the number of a game's opening, by decoding it.
pub(crate) fn sought<V: View>(
    view: V,
    record: &V::Record,
    sound: &mut Sound,
) -> std::result::Result<OpeningNumber, Damage> {
    let mut seeker = OpeningSeeker::at_start();
    sound.main_line(view, record, &mut seeker)?;
    Ok(seeker.number())
}
