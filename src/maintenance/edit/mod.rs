//! Changes headers of games where they lie, and leaves games out.

mod game;

use std::{borrow::Cow, fmt, path::Path};

use shakmaty::Color;
use tabiya_chess::{Eco, Elo, Flow, GameId, GameResult, NameId, NameKind, PartialDate};
use tabiya_formats::{
    GameFilter, GameHeader, Header, NameSlot, Omit, Overwrite, Rating, View, check_interrupt,
    error::{Error, Result},
    progress::Progress,
};

use self::game::{Change, differences, name_of};
use super::{
    change::Sidecars,
    classify::{Classified, OPENING_TAG},
    convert::{Conversion, Delivered, Found, Games, for_each_of, write_changed},
    whole::open_sound,
};
use crate::{
    database::{Database, OpenOptions, with_view},
    filter::GameSet,
    search::Search,
};

/// What to change in the headers of games.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, Edit, Progress, Query, Search, convert, format::Overwrite};
///
/// # let folder = tempfile::tempdir()?;
/// let base = folder.path().join("base.si4");
/// convert(&["fixtures/famous.si4".into()], &base, Overwrite::Refuse, Progress::ignore)?;
/// let query: Query = "white:\"Morphy, Paul\"".parse()?;
/// let edit = Edit::new().set("white", "Morphy, Paul Charles")?.set("tag.Source", "checked")?;
/// let edited = edit.run(&base, Some(&Search::new(&query)), Progress::ignore)?;
/// assert!(edited.games > 0);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "an edit changes nothing until it is run"]
pub struct Edit {
    fields: Vec<Field>,
    /// Tags that are no fields of the header, and their new values.
    tags: Vec<(String, Option<String>)>,
    /// Whether the tag `Opening` gets the name of the opening by position.
    names_opening: bool,
}

/// The new value of one field.
#[derive(Debug, Clone)]
enum Field {
    Name(NameSlot, String),
    Date(PartialDate),
    EventDate(PartialDate),
    Result(GameResult),
    Eco(Option<Eco>),
    /// The code of the opening by position.
    OwnEco,
    Rating(Color, Option<Rating>),
    Mark {
        bit: u32,
        is_set: bool,
    },
    Rename {
        kind: NameKind,
        from: String,
        to: String,
    },
}

/// Why something cannot be changed so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditFault(String);

impl fmt::Display for EditFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for EditFault {}

/// One field of one game, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EditedField {
    /// The PGN tag, or a flag.
    pub field: String,
    /// What it said; `None` if that is not known without reading the game.
    pub before: Option<String>,
    /// What it says; empty if it is taken away.
    pub after: String,
}

/// The fields that [`Edit::set`] knows, besides `tag.NAME`.
const FIELDS: &str = "white, black, event, site, round, date, eventdate, result, eco, whiteelo, \
                      blackelo, opening=auto, tag.NAME";
/// The value that is found out from the moves.
const AUTO: &str = "auto";

impl Edit {
    /// Creates an edit that changes nothing.
    pub fn new() -> Edit {
        Edit::default()
    }

    /// Sets a field, by its PGN tag in any case, or any other tag as `tag.NAME`. An empty value
    /// takes it away. Dates are `2024.05.17`, `2024-05-17`, `17.05.2024`, `2024` and so on. `auto`
    /// for `eco` is the code of the last position of the main line that the table of openings has
    /// ([`openings`](crate::openings)), and for `opening` its name, in the tag `Opening`: games
    /// without such a position, or from another start position, keep what they have, and so do
    /// games with a finer code of the same opening, `B97a` for `B97`.
    ///
    /// # Errors
    /// If there is no such field, or the value is none for it.
    pub fn set(mut self, name: &str, value: &str) -> Result<Edit, EditFault> {
        let wrong = |what: &str| EditFault(format!("{value:?} is no {what}"));
        let is_none = matches!(value, "" | "?");
        let slot = |slot: &NameSlot| slot.as_str().eq_ignore_ascii_case(name);
        if let Some(slot) = NameSlot::ALL.into_iter().find(slot) {
            let value = if value.is_empty() { "?" } else { value };
            self.fields.push(Field::Name(slot, value.to_owned()));
            return Ok(self);
        }
        if let Some(tag) = name.strip_prefix("tag.").filter(|tag| !tag.is_empty()) {
            let value = Some(value.to_owned()).filter(|value| !value.is_empty());
            self.tags.push((tag.to_owned(), value));
            return Ok(self);
        }
        let date = || match value {
            "" => Ok(PartialDate::UNKNOWN),
            _ => {
                date_of(value).ok_or_else(|| wrong("clear date, such as 2024.05.17 or 2024.??.??"))
            }
        };
        let rating = || match value {
            "" | "0" | "?" => Ok(None),
            _ => {
                let number = value
                    .parse::<Elo>()
                    .ok()
                    .filter(|number| number.get() <= 4000);
                let value = number.ok_or_else(|| wrong("rating from 1 to 4000"))?;
                let kind = Default::default();
                Ok(Some(Rating { value, kind }))
            }
        };
        let field = match name.to_ascii_lowercase().as_str() {
            "date" => Field::Date(date()?),
            "eventdate" => Field::EventDate(date()?),
            "result" => {
                let value = if is_none { "*" } else { value };
                let result = value.parse();
                Field::Result(result.map_err(|_| wrong("result: 1-0, 0-1, 1/2-1/2 or *"))?)
            }
            "opening" if value == AUTO => {
                self.names_opening = true;
                return Ok(self);
            }
            "opening" => {
                let message = "opening=auto is the name by position; tag.Opening=NAME is any other";
                return Err(EditFault(message.to_owned()));
            }
            "eco" if value == AUTO => Field::OwnEco,
            "eco" if is_none => Field::Eco(None),
            "eco" => Field::Eco(Some(value.parse().map_err(|_| wrong("ECO code"))?)),
            "whiteelo" => Field::Rating(Color::White, rating()?),
            "blackelo" => Field::Rating(Color::Black, rating()?),
            _ => {
                let message = format!("{name:?} is none of {FIELDS}");
                return Err(EditFault(message));
            }
        };
        self.fields.push(field);
        Ok(self)
    }

    /// Sets or takes away a flag that users give, such as `deleted`.
    ///
    /// # Errors
    /// If there is no such flag.
    pub fn flag(mut self, name: &str, is_set: bool) -> Result<Edit, EditFault> {
        let mut marks = game::marks();
        let Some((bit, _)) = marks.find(|(_, known)| *known == name) else {
            let names: Vec<&str> = game::marks().map(|(_, name)| name).collect();
            let message = format!("{name:?} is none of the flags {}", names.join(", "));
            return Err(EditFault(message));
        };
        self.fields.push(Field::Mark { bit, is_set });
        Ok(self)
    }

    /// Gives all players, events, sites or rounds of exactly this name another.
    pub fn rename(mut self, kind: NameKind, from: &str, to: &str) -> Edit {
        let [from, to] = [from, to].map(str::to_owned);
        self.fields.push(Field::Rename { kind, from, to });
        self
    }

    /// Changes the games that a search finds, all if there is none, in the database at a path. In
    /// `.si4`, `.si5` and `.dci` only what differs is written; other formats are written anew.
    /// [`undo`](crate::undo) takes it back. A sidecar beside it is made anew.
    ///
    /// # Errors
    /// Those of [`add`](crate::add); `WouldLose` or `Corrupt` with the number of a game that the
    /// format cannot hold so, or that is damaged: nothing is changed then.
    pub fn run(
        &self,
        base: &Path,
        search: Option<&Search<'_>>,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Conversion> {
        let (database, games) = self.found(base, search, &mut progress)?;
        write(database, base, &games, Becomes::Edited(self), progress)
    }

    /// Tells what [`run`](Edit::run) would change, game by game, and changes nothing.
    ///
    /// # Errors
    /// Those of the search.
    pub fn preview(
        &self,
        base: &Path,
        search: Option<&Search<'_>>,
        mut progress: impl FnMut(Progress) -> Flow,
        mut take: impl FnMut(u32, Vec<EditedField>) -> Flow,
    ) -> Result<u64> {
        let (database, games) = self.found(base, search, &mut progress)?;
        for game in games.iter() {
            let change = Change::of(self, &database, game)?;
            let mut fields = differences(&change.before, &change.after);
            if let Some((before, after)) = change.opening {
                fields.push(EditedField {
                    field: OPENING_TAG.to_owned(),
                    before: Some(before),
                    after: after.to_owned(),
                });
            }
            fields.extend(self.tags.iter().map(|(name, value)| EditedField {
                field: name.clone(),
                before: None,
                after: value.clone().unwrap_or_default(),
            }));
            if take(database.number(game), fields).is_break() {
                break;
            }
        }
        Ok(games.len())
    }

    /// Opens the database, and returns the games in which something changes.
    fn found(
        &self,
        base: &Path,
        search: Option<&Search<'_>>,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<(Database, GameSet)> {
        let database = open_sound(base, search, progress)?;
        let found = match search {
            Some(search) => matching(&database, search, progress)?,
            None => match self.renamed(&database)? {
                Some(games) => games,
                None => GameSet::all(database.len()),
            },
        };
        let mut games = GameSet::default();
        let (mut seen, all) = (0, Some(found.len()));
        let changes = |game| match Change::of(self, &database, game) {
            Ok(change) => Ok(change.is_any().then_some(game)),
            Err(error) => {
                let number = database.number(game);
                Err(error.at_path(database.path()).in_game(number))
            }
        };
        for_each_of(&database, &found, changes, |changed| {
            let Some(changed) = changed else {
                return check_interrupt(&mut || progress(Progress::new(seen, all, None)));
            };
            seen += 1;
            games.add_last(changed?.map(|game: GameId| game.0));
            Ok(())
        })?;
        Ok((database, games))
    }

    /// Returns the games of a database that have a name which is to be given another, if nothing
    /// else is to change.
    fn renamed(&self, database: &Database) -> Result<Option<GameSet>> {
        let mut slots = Vec::new();
        for field in &self.fields {
            let Field::Rename { kind, from, .. } = field else {
                return Ok(None);
            };
            let names = database.names(*kind)?;
            let ids = (0..names.ids() as u32).map(NameId);
            let ids: Vec<NameId> = ids
                .filter(|id| names.get(*id) == Some(from.as_bytes()))
                .collect();
            let of_kind = NameSlot::ALL
                .into_iter()
                .filter(|slot| slot.kind() == *kind);
            slots.extend(of_kind.map(|slot| (slot, ids.clone())));
        }
        if !self.tags.is_empty() || self.names_opening {
            return Ok(None);
        }
        let mut games = GameSet::default();
        with_view!(database.tags(), view => {
            for (game, record) in (0..).zip(view.records()) {
                let has = |(slot, ids): &(NameSlot, Vec<NameId>)| ids.contains(&record.name(*slot));
                if slots.iter().any(has) {
                    games.add_last([game]);
                }
            }
        });
        Ok(Some(games))
    }

    /// Returns the tags that are told instead of others of the same names. A field may also be told
    /// as a tag, if its value was none for the field.
    fn told_tags(&self) -> Vec<(String, Option<String>)> {
        let of_field = |field: &Field| match field {
            Field::Name(slot, _) => Some(slot.as_str()),
            Field::Date(_) => Some("Date"),
            Field::EventDate(_) => Some("EventDate"),
            Field::Result(_) => Some("Result"),
            Field::Eco(_) => Some("ECO"),
            // Only of games that have a code by position.
            Field::OwnEco => None,
            Field::Rating(Color::White, _) => Some("WhiteElo"),
            Field::Rating(Color::Black, _) => Some("BlackElo"),
            Field::Mark { .. } | Field::Rename { .. } => None,
        };
        let fields = self.fields.iter().filter_map(of_field);
        let without_value = fields.map(|name| (name.to_owned(), None));
        self.tags.iter().cloned().chain(without_value).collect()
    }

    /// Whether the positions of games matter.
    fn asks_positions(&self) -> bool {
        let asks = |field: &Field| matches!(field, Field::OwnEco);
        self.names_opening || self.fields.iter().any(asks)
    }

    fn apply(&self, header: &mut GameHeader, opening: &Classified) {
        for field in &self.fields {
            match field {
                Field::Name(slot, value) => value.clone_into(name_of(header, *slot)),
                Field::Date(date) => header.date = *date,
                Field::EventDate(date) => header.event_date = *date,
                Field::Result(result) => header.result = *result,
                Field::Eco(eco) => header.eco = *eco,
                Field::OwnEco => opening.set_code(header),
                Field::Rating(Color::White, rating) => header.white_rating = *rating,
                Field::Rating(Color::Black, rating) => header.black_rating = *rating,
                Field::Mark { bit, is_set: true } => header.marks |= bit,
                Field::Mark { bit, is_set: false } => header.marks &= !bit,
                Field::Rename { kind, from, to } => {
                    for slot in NameSlot::ALL
                        .into_iter()
                        .filter(|slot| slot.kind() == *kind)
                    {
                        let name = name_of(header, slot);
                        if name == from {
                            to.clone_into(name);
                        }
                    }
                }
            }
        }
    }
}

/// Reads a date as people write it, with the year first or last; `None` if it is none, or some of
/// its numbers may be a day or a month, as in `02/03/2024`, or can be neither.
fn date_of(text: &str) -> Option<PartialDate> {
    let date = PartialDate::of_tag(text)?;
    let parts = text.split(['.', '-', '/']);
    let is_number = |part: &&str| part.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
    let known = [date.year().is_some(), date.month() > 0, date.day() > 0];
    let known = known.into_iter().filter(|&is_known| is_known).count();
    (parts.filter(is_number).count() == known).then_some(date)
}

/// Leaves the games that a search finds out of the database at a path, which is written anew.
/// [`undo`](crate::undo) takes it back. A sidecar beside it is made anew.
///
/// # Errors
/// Those of [`Edit::run`].
pub fn purge(
    base: &Path,
    search: &Search<'_>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let database = open_sound(base, Some(search), &mut progress)?;
    let gone = matching(&database, search, &mut progress)?;
    write(database, base, &gone, Becomes::Nothing, progress)
}

/// Puts the only game of another database or PGN file in the place of the game of a number, from
/// 1, in the database at a path. [`undo`](crate::undo) takes it back. A sidecar beside it is made
/// anew. One game is written.
///
/// # Errors
/// Those of [`Edit::run`] and of opening the other; `NoSuchGame` if there is none of this number,
/// or none in the other; `Unsupported` if the other has several.
pub fn replace(
    base: &Path,
    number: u32,
    source: &Path,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let database = open_sound(base, None, &mut progress)?;
    let game = database.game(number)?;
    let options = OpenOptions::new().standard_input(true);
    let other = options.on_progress(&mut progress).open(source)?;
    let first = other.game(1)?;
    if other.len() > 1 {
        return Err(Error::unsupported("replacing a game by several").at_path(source));
    }
    let replaced = GameSet::from_iter([game]);
    let becomes = Becomes::Another(&other, first);
    write(database, base, &replaced, becomes, progress)
}

/// Whether a database has records that are changed without writing the games anew.
fn has_records(base: &Path) -> bool {
    let suffix = base.extension().unwrap_or_default();
    ["si4", "si5", "dci"]
        .iter()
        .any(|known| suffix.eq_ignore_ascii_case(known))
}

/// Returns all games that a search finds.
fn matching(
    database: &Database,
    search: &Search<'_>,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<GameSet> {
    let mut games = GameSet::default();
    let search = search.clone().limit(u64::MAX);
    let report = search.for_all_games(database, |game| games.add_last([game.0]), progress)?;
    // Of a game that cannot be read nobody knows whether it is meant.
    let mut unknown = report.damaged_games.into_iter();
    unknown.next().map_or(Ok(games), Err)
}

/// What becomes of games.
enum Becomes<'e> {
    /// The same with another header.
    Edited(&'e Edit),
    /// This one.
    Another(&'e Database, GameId),
    Nothing,
}

/// Writes to a database what becomes of some of its games, in place if it can be done, and makes
/// its sidecar anew.
fn write(
    database: Database,
    base: &Path,
    changed: &GameSet,
    becomes: Becomes<'_>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    if changed.is_empty() {
        return Ok(Conversion::default());
    }
    let all = || GameSet::all(database.len());
    let (games, overwrite) = match becomes {
        Becomes::Nothing => (all().without(changed), Overwrite::Rewrite),
        _ if has_records(base) => (changed.clone(), Overwrite::Append),
        _ => (all(), Overwrite::Rewrite),
    };
    let tags = match becomes {
        Becomes::Edited(edit) => edit.told_tags(),
        _ => Vec::new(),
    };
    let edited = Edited {
        database: &database,
        games,
        changed,
        becomes,
        tags,
        in_place: overwrite == Overwrite::Append,
    };
    let sidecars = Sidecars::of(base);
    let mut written = write_changed(edited, base, overwrite, &mut progress)?;
    drop(database);
    written.sidecar_fault = sidecars.refresh(base, progress).err();
    written.games = changed.len();
    Ok(written)
}

/// Games of a database, some of which are changed.
struct Edited<'e> {
    database: &'e Database,
    /// Those that are written.
    games: GameSet,
    /// Those of them that are changed.
    changed: &'e GameSet,
    becomes: Becomes<'e>,
    /// See [`Edit::told_tags`].
    tags: Vec<(String, Option<String>)>,
    /// Whether each is written in its own place.
    in_place: bool,
}

impl Games for Edited<'_> {
    /// The number of the game in whose place it is written.
    type Note = Option<u32>;

    fn place(note: &Option<u32>) -> Option<u32> {
        *note
    }

    fn monty_layout(&self) -> Option<tabiya_formats::MontyLayout> {
        None
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(Found<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Delivered<T, Option<u32>>) -> Result<()>,
    ) -> Result<()> {
        let number = |game: GameId| self.database.number(game);
        let one = |game: GameId| {
            let made = self.make_one(game, &make);
            let made =
                made.map_err(|error| error.at_path(self.database.path()).in_game(number(game)));
            (made, self.in_place.then_some(number(game)))
        };
        for_each_of(self.database, &self.games, one, |made| match made {
            None => deliver(Delivered::Pause),
            Some((made, note)) => deliver(Delivered::Game(made, note)),
        })
    }
}

impl Edited<'_> {
    fn make_one<T>(&self, game: GameId, make: &impl Fn(Found<'_>) -> Result<T>) -> Result<T> {
        let is_changed = self.changed.contains(game);
        let (database, game) = match self.becomes {
            Becomes::Another(other, first) if is_changed => (other, first),
            _ => (self.database, game),
        };
        let is_text = !database.is_game(game)?;
        let mut tags = Cow::Borrowed(&self.tags);
        let header = match self.becomes {
            Becomes::Edited(edit) if is_changed => {
                let change = Change::of(edit, database, game)?;
                if edit.asks_positions() {
                    change.add_tags(edit, tags.to_mut());
                }
                change.after
            }
            _ => database.header(game)?,
        };
        make(Found {
            header: &header,
            is_text,
            replay: &|visitor| {
                if !is_changed {
                    return database.visit_sound(game, visitor);
                }
                let all = Omit::default();
                let filter = GameFilter::new(visitor, &all);
                let mut filter = filter.with_tags(&tags);
                database.visit_sound(game, &mut filter)
            },
        })
    }
}
