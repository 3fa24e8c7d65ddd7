//! Headers with name IDs: for sorting and grouping games without looking up names.

use shakmaty::Color;
use tabiya_chess::{
    Eco, Elo, GameId, GameResult, NameId, PartialDate,
    opening_names::{self, OpeningNumber, OpeningSeeker},
};
use tabiya_formats::{Damage, Header, NameSlot, View, error::Result, header::flag, sound::Sound};

use crate::{
    database::{Database, with_view},
    query::{DateField, NumberField, SortField},
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
    // So that `keys_of` reads no field that is not asked for.
    #[inline(always)]
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

    /// Returns the name by which the game is sorted; `None` if it has none, as a drawn game has no
    /// winner, and for a field that holds no names.
    #[must_use]
    pub fn sort_name(&self, field: SortField) -> Option<NameId> {
        let of = |color| match color {
            Color::White => self.white,
            Color::Black => self.black,
        };
        Some(match field {
            SortField::Player(color) => of(color),
            SortField::Decided(won) => match self.result {
                GameResult::WhiteWins => of(Color::from_white(won)),
                GameResult::BlackWins => of(Color::from_black(won)),
                GameResult::Draw | GameResult::Unknown => return None,
            },
            SortField::Event => self.event,
            SortField::Site => self.site,
            SortField::Round => self.round,
            SortField::Number(_) | SortField::Date(_) | SortField::Eco | SortField::Result => {
                return None;
            }
        })
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

    /// Returns something of the header of each game: what [`Database::keys`] of one game after the
    /// other gives, sooner, and the sooner the less of it `of` looks at.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn keys_of<T>(
        &self,
        games: impl ExactSizeIterator<Item = GameId>,
        of: impl Fn(&HeaderKeys) -> T,
    ) -> Result<Vec<T>> {
        let (mut values, end) = (Vec::with_capacity(games.len()), self.len());
        with_view!(self.tags(), view => {
            for game in games {
                if game.0 >= end {
                    self.check(game)?;
                }
                values.push(of(&HeaderKeys::of(view, view.record(game))));
            }
        });
        Ok(values)
    }

    /// Returns the number by which a game is sorted; `None` if it has none, and for a field that
    /// holds names. `avgelo` is the sum of both ratings, a date is
    /// [packed](PartialDate::packed), and results ascend from unknown over 0-1 and a draw to 1-0.
    /// A number that the index does not tell is the least that it may be; only the length of a game
    /// is decoded then.
    ///
    /// # Errors
    /// `NoSuchGame`.
    pub fn sort_number(&self, field: SortField, game: GameId) -> Result<Option<i32>> {
        let keys = self.keys(game)?;
        let date = match field {
            SortField::Number(number) => return self.number_by(number, game, &keys),
            SortField::Date(DateField::Date) => keys.date,
            SortField::Date(DateField::EventDate) => keys.event_date,
            SortField::Eco => return Ok(keys.eco.map(|eco| eco.code().into())),
            SortField::Result => {
                return Ok(Some(match keys.result {
                    GameResult::Unknown => 0,
                    GameResult::BlackWins => 1,
                    GameResult::Draw => 2,
                    GameResult::WhiteWins => 3,
                }));
            }
            _ => return Ok(None),
        };
        let known = Some(date).filter(|date| !date.is_unknown());
        Ok(known.map(|date| date.packed().cast_signed()))
    }

    fn number_by(
        &self,
        field: NumberField,
        game: GameId,
        keys: &HeaderKeys,
    ) -> Result<Option<i32>> {
        let rating = |rating: Option<Elo>| rating.map(|elo| i32::from(elo.get()));
        let (white, black) = (rating(keys.white_rating), rating(keys.black_rating));
        let both = white.zip(black);
        let plies = || match self.plies(game) {
            Ok(plies) => Ok(plies),
            Err(_) => Ok(self.facts(game)?.plies.at_least),
        };
        let number = match field {
            NumberField::Elo => return Ok(both.map(|(white, black)| white.min(black))),
            NumberField::AvgElo => return Ok(both.map(|(white, black)| white + black)),
            NumberField::EloDiff => return Ok(both.map(|(white, black)| white - black)),
            NumberField::WhiteElo => return Ok(white),
            NumberField::BlackElo => return Ok(black),
            NumberField::Year => return Ok(keys.date.year().map(i32::from)),
            NumberField::Weekday => return Ok(keys.date.weekday().map(i32::from)),
            NumberField::Plies => plies()?,
            NumberField::Moves => plies()?.div_ceil(2),
            NumberField::Comments => self.facts(game)?.comment_count.at_least,
            NumberField::Variations => self.facts(game)?.variation_count.at_least,
            NumberField::Nags => self.facts(game)?.nag_count.at_least,
            NumberField::Number => self.number(game),
        };
        Ok(Some(i32::try_from(number).unwrap_or(i32::MAX)))
    }

    /// Returns the number of plies in the main line: from the index if it is exact there, otherwise
    /// by decoding the game. As `plies` in queries, that of a damaged game is in the limits that
    /// the index states.
    ///
    /// # Errors
    /// `NoSuchGame`; if the game must be decoded, `Missing` without a games file and `Corrupt` if
    /// no half-move can be read.
    pub fn plies(&self, game: GameId) -> Result<u32> {
        self.check(game)?;
        with_view!(self.tags(), view => {
            let record = view.record(game);
            if let Some(plies) = record.plies().exact() {
                return Ok(plies);
            }
            self.require_games()?;
            Sound::default()
                .plies(view, record)
                .map_err(|damage| self.damaged(game, record, damage))
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
