//! Columns of headers: values side by side as bytes of this machine, which Python takes as arrays.

use std::{collections::HashMap, hash::Hash};

use pyo3::{exceptions::PyValueError, prelude::*, types::PyBytes};
use tabiya::{
    Database, GameId, HeaderKeys,
    chess::{Elo, NameId, text::fold_into},
    query::SortField,
};

use crate::work::read;

/// What is unknown of a field that is no column of headers: differences may be -1.
const UNKNOWN: i32 = i32::MIN;

/// Returns a column: numbers of 32 bits, below 0 for what is unknown, and for texts those of which
/// the numbers are indices. Also what games are sorted by.
pub(crate) fn column<'py>(
    py: Python<'py>,
    database: &Database,
    name: &str,
    games: &[u8],
) -> PyResult<(Bound<'py, PyBytes>, Option<Vec<String>>)> {
    let games: Vec<GameId> = game_ids(games).collect();
    let read = read(py, database, |database| match name {
        "date" => texts(database, &games, |keys| {
            (!keys.date.is_unknown()).then_some(keys.date)
        }),
        "event_date" => texts(database, &games, |keys| {
            (!keys.event_date.is_unknown()).then_some(keys.event_date)
        }),
        "result" => texts(database, &games, |keys| Some(keys.result.as_str())),
        "eco" => texts(database, &games, |keys| keys.eco),
        "year" => numbers(database, &games, |keys| keys.date.year().map(i32::from)),
        "month" => numbers(database, &games, |keys| part(keys.date.month())),
        "day" => numbers(database, &games, |keys| part(keys.date.day())),
        "white_elo" => numbers(database, &games, |keys| keys.white_rating.map(elo)),
        "black_elo" => numbers(database, &games, |keys| keys.black_rating.map(elo)),
        "plies" => each(&games, |game| {
            let plies = of_sound(database.plies(game))?;
            Ok(plies.map_or(-1, |plies| i32::try_from(plies).unwrap_or(i32::MAX)))
        }),
        "opening" => openings(database, &games),
        other => match SortField::find(other) {
            Some(field) if field.name_kind().is_some() => names(database, &games, field),
            Some(field) => each(&games, |game| {
                Ok(database.sort_number(field, game)?.unwrap_or(UNKNOWN))
            }),
            None => Ok(None),
        },
    })?;
    let Some((values, texts)) = read else {
        return Err(PyValueError::new_err(format!(
            "there is no column `{name}`"
        )));
    };
    Ok((PyBytes::new(py, &values), texts))
}

/// Returns the names of the fields of queries by which games can be sorted.
#[pyfunction]
pub(crate) fn sort_fields() -> Vec<&'static str> {
    SortField::all().map(SortField::name).collect()
}

/// Returns texts in the form in which they are sorted: without capitals and accents.
#[pyfunction]
pub(crate) fn folded(texts: Vec<String>) -> Vec<String> {
    let folded = texts.iter().map(|text| {
        let mut folded = Vec::with_capacity(text.len());
        fold_into(text.as_bytes(), &mut folded);
        String::from_utf8_lossy(&folded).into_owned()
    });
    folded.collect()
}

/// Returns nothing of a damaged game. Other errors are kept.
pub(crate) fn of_sound<T>(done: tabiya::Result<T>) -> tabiya::Result<Option<T>> {
    match done {
        Ok(value) => Ok(Some(value)),
        Err(error) if error.is_of_game() => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns games from unsigned numbers of 32 bits, which count from 0.
pub(crate) fn game_ids(bytes: &[u8]) -> impl Iterator<Item = GameId> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|bytes| GameId(u32::from_ne_bytes(*bytes)))
}

/// The bytes of numbers, and the texts that they are indices of.
type Column = Option<(Vec<u8>, Option<Vec<String>>)>;

fn elo(elo: Elo) -> i32 {
    i32::from(elo.get())
}

fn part(part: u8) -> Option<i32> {
    (part > 0).then_some(i32::from(part))
}

fn bytes(values: impl ExactSizeIterator<Item = i32>) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(4 * values.len());
    values.for_each(|value| bytes.extend_from_slice(&value.to_ne_bytes()));
    bytes
}

fn each(
    games: &[GameId],
    value: impl FnMut(GameId) -> tabiya::Result<i32>,
) -> tabiya::Result<Column> {
    let values = games.iter().copied().map(value);
    let values = values.collect::<tabiya::Result<Vec<i32>>>()?;
    Ok(Some((bytes(values.into_iter()), None)))
}

fn numbers(
    database: &Database,
    games: &[GameId],
    value: impl Fn(&HeaderKeys) -> Option<i32>,
) -> tabiya::Result<Column> {
    let values = database.keys_of(games.iter().copied(), value)?;
    let values = values.into_iter().map(|value| value.unwrap_or(-1));
    Ok(Some((bytes(values), None)))
}

/// Texts by keys, in the order in which they are first met.
struct Texts<K> {
    places: HashMap<K, i32>,
    texts: Vec<String>,
}

impl<K: Hash + Eq> Texts<K> {
    fn new() -> Texts<K> {
        Texts {
            places: HashMap::new(),
            texts: Vec::new(),
        }
    }

    /// Returns the place of the text of a key, which is asked for once; -1 if there is none.
    fn place(&mut self, key: K, text: impl FnOnce() -> Option<String>) -> i32 {
        *self.places.entry(key).or_insert_with(|| match text() {
            Some(text) => {
                self.texts.push(text);
                self.texts.len() as i32 - 1
            }
            None => -1,
        })
    }
}

fn names(database: &Database, games: &[GameId], field: SortField) -> tabiya::Result<Column> {
    let mut known: Texts<Option<NameId>> = Texts::new();
    let ids = database.keys_of(games.iter().copied(), |keys| keys.sort_name(field))?;
    let places = ids.into_iter().map(|id| {
        known.place(id, || {
            // As in headers, names of a file that cannot be read are unknown.
            let name = database.name_of(field.name_kind()?, id?).ok().flatten();
            name.filter(|name| !name.is_empty() && name != "?")
        })
    });
    Ok(Some((bytes(places), Some(known.texts))))
}

fn texts<K: Copy + Eq + Hash + ToString>(
    database: &Database,
    games: &[GameId],
    value: impl Fn(&HeaderKeys) -> Option<K>,
) -> tabiya::Result<Column> {
    let mut known: Texts<Option<K>> = Texts::new();
    let keys = database.keys_of(games.iter().copied(), value)?;
    let places = keys
        .into_iter()
        .map(|key| known.place(key, || key.map(|key| key.to_string())));
    Ok(Some((bytes(places), Some(known.texts))))
}

fn openings(database: &Database, games: &[GameId]) -> tabiya::Result<Column> {
    let mut known: Texts<Option<&'static str>> = Texts::new();
    let column = each(games, |game| {
        let name = of_sound(database.opening(game))?.flatten();
        Ok(known.place(name, || name.map(str::to_owned)))
    })?;
    Ok(column.map(|(bytes, _)| (bytes, Some(known.texts))))
}
