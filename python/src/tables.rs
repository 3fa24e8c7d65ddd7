//! Columns of headers: values side by side as bytes of this machine, which Python takes as arrays.

use std::collections::HashMap;

use pyo3::{
    exceptions::PyValueError,
    prelude::*,
    types::{PyBytes, PyDict},
};
use tabiya::{
    Database, GameId, HeaderKeys,
    chess::{Elo, NameId},
    format::NameSlot,
};

use crate::errors;

/// Returns a column as a dict: `values`, numbers of 32 bits with -1 for what is unknown, and for
/// texts `texts`, of which the values are indices.
pub(crate) fn column<'py>(
    py: Python<'py>,
    database: &Database,
    name: &str,
    games: &[u8],
) -> PyResult<Bound<'py, PyDict>> {
    let games: Vec<GameId> = game_ids(games).collect();
    let read = || match name {
        "white" => names(database, &games, NameSlot::White),
        "black" => names(database, &games, NameSlot::Black),
        "event" => names(database, &games, NameSlot::Event),
        "site" => names(database, &games, NameSlot::Site),
        "round" => names(database, &games, NameSlot::Round),
        "date" => texts(database, &games, |keys| {
            (!keys.date.is_unknown()).then(|| keys.date.to_string())
        }),
        "result" => texts(database, &games, |keys| {
            Some(keys.result.as_str().to_owned())
        }),
        "eco" => texts(database, &games, |keys| keys.eco.map(|eco| eco.to_string())),
        "year" => numbers(database, &games, |keys| keys.date.year().map(i32::from)),
        "month" => numbers(database, &games, |keys| part(keys.date.month())),
        "day" => numbers(database, &games, |keys| part(keys.date.day())),
        "white_elo" => numbers(database, &games, |keys| keys.white_rating.map(elo)),
        "black_elo" => numbers(database, &games, |keys| keys.black_rating.map(elo)),
        "plies" => each(&games, |game| {
            Ok(i32::try_from(database.plies(game)?).unwrap_or(i32::MAX))
        }),
        "opening" => openings(database, &games),
        _ => Ok(None),
    };
    let read = py
        .detach(read)
        .map_err(|error| errors::of_error(py, &error))?;
    let Some((values, texts)) = read else {
        return Err(PyValueError::new_err(format!(
            "there is no column `{name}`"
        )));
    };
    let told = PyDict::new(py);
    told.set_item("values", PyBytes::new(py, &values))?;
    told.set_item("texts", texts)?;
    Ok(told)
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

fn each(
    games: &[GameId],
    mut value: impl FnMut(GameId) -> tabiya::Result<i32>,
) -> tabiya::Result<Column> {
    let mut bytes = Vec::with_capacity(4 * games.len());
    for &game in games {
        bytes.extend_from_slice(&value(game)?.to_ne_bytes());
    }
    Ok(Some((bytes, None)))
}

fn numbers(
    database: &Database,
    games: &[GameId],
    value: impl Fn(&HeaderKeys) -> Option<i32>,
) -> tabiya::Result<Column> {
    each(games, |game| Ok(value(&database.keys(game)?).unwrap_or(-1)))
}

/// Texts by keys, in the order in which they are first met.
struct Texts<K> {
    places: HashMap<K, i32>,
    texts: Vec<String>,
}

impl<K: std::hash::Hash + Eq> Texts<K> {
    fn new() -> Texts<K> {
        Texts {
            places: HashMap::new(),
            texts: Vec::new(),
        }
    }

    /// Returns the place of the text of a key, which is asked for once; -1 if there is none.
    fn place(
        &mut self,
        key: K,
        text: impl FnOnce() -> tabiya::Result<Option<String>>,
    ) -> tabiya::Result<i32> {
        if let Some(&place) = self.places.get(&key) {
            return Ok(place);
        }
        let place = match text()? {
            Some(text) => {
                self.texts.push(text);
                self.texts.len() as i32 - 1
            }
            None => -1,
        };
        self.places.insert(key, place);
        Ok(place)
    }
}

fn names(database: &Database, games: &[GameId], slot: NameSlot) -> tabiya::Result<Column> {
    let mut known: Texts<NameId> = Texts::new();
    let column = each(games, |game| {
        let id = database.keys(game)?.name(slot);
        known.place(id, || {
            let name = database.name_of(slot.kind(), id)?;
            Ok(name.filter(|name| !name.is_empty() && name != "?"))
        })
    })?;
    Ok(column.map(|(bytes, _)| (bytes, Some(known.texts))))
}

fn texts(
    database: &Database,
    games: &[GameId],
    value: impl Fn(&HeaderKeys) -> Option<String>,
) -> tabiya::Result<Column> {
    let mut known: Texts<Option<String>> = Texts::new();
    let column = each(games, |game| {
        let text = value(&database.keys(game)?);
        known.place(text.clone(), || Ok(text))
    })?;
    Ok(column.map(|(bytes, _)| (bytes, Some(known.texts))))
}

fn openings(database: &Database, games: &[GameId]) -> tabiya::Result<Column> {
    let mut known: Texts<Option<&'static str>> = Texts::new();
    let column = each(games, |game| {
        // A damaged game has no opening.
        let name = database.opening(game).ok().flatten();
        known.place(name, || Ok(name.map(str::to_owned)))
    })?;
    Ok(column.map(|(bytes, _)| (bytes, Some(known.texts))))
}
