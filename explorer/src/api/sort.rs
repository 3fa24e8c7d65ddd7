//! The order of matches.

use std::{collections::HashMap, num::NonZeroU16};

use rayon::prelude::*;
use tabiya::{
    HeaderKeys,
    chess::{Eco, NameId},
    format::NameSlot,
};

use crate::{errors::Fault, registry::DatabaseRef, state::Hit};

/// By what games can be sorted.
const KEYS: [(&str, Key); 11] = [
    ("number", Key::Number),
    ("date", Key::Date),
    ("elo", Key::Elo),
    ("whiteelo", Key::WhiteElo),
    ("blackelo", Key::BlackElo),
    ("eco", Key::Eco),
    ("result", Key::Result),
    ("plies", Key::Plies),
    ("white", Key::Name(NameSlot::White)),
    ("black", Key::Name(NameSlot::Black)),
    ("event", Key::Name(NameSlot::Event)),
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    /// The databases' order, and the games' in them.
    Number,
    Date,
    Elo,
    WhiteElo,
    BlackElo,
    Eco,
    Result,
    /// Half-moves of the main line.
    Plies,
    Name(NameSlot),
}

/// A key and its direction. Games that are equal stay in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    key: Key,
    descending: bool,
}

impl Order {
    /// Reads `date` or `date:desc`; nothing is by number.
    pub(super) fn read(text: &str) -> Result<Order, Fault> {
        let (name, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let known = KEYS.iter().find(|(known, _)| *known == name);
        let key = match known {
            Some((_, key)) => *key,
            None if name.is_empty() => Key::Number,
            None => {
                let names: Vec<&str> = KEYS.iter().map(|(name, _)| *name).collect();
                let message = format!("`{name}` is none of {}", names.join(", "));
                return Err(Fault::parameter("sort", message));
            }
        };
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            _ => return Err(Fault::parameter("sort", "neither `asc` nor `desc`")),
        };
        Ok(Order { key, descending })
    }
}

/// Sorts matches, which come in the order of their numbers.
pub(super) fn sort(hits: &mut [Hit], order: &Order, held: &[DatabaseRef]) -> Result<(), Fault> {
    let values = match order.key {
        Key::Number if order.descending => {
            hits.reverse();
            return Ok(());
        }
        Key::Number => return Ok(()),
        Key::Name(slot) => ranks(hits, slot, held)?,
        // A damaged game has none and comes where unknown values do.
        Key::Plies => each(hits, held, |held, hit| {
            Ok(held
                .plies(hit.game)
                .map_or(0, |plies| plies.saturating_add(1)))
        })?,
        key => each(hits, held, |held, hit| Ok(key.value(&held.keys(hit.game)?)))?,
    };
    let directed = |value: u32| if order.descending { !value } else { value };
    let places = values.into_par_iter().enumerate();
    let mut places: Vec<(u32, usize)> = places
        .map(|(place, value)| (directed(value), place))
        .collect();
    places.par_sort_unstable();
    let sorted: Vec<Hit> = places.iter().map(|&(_, place)| hits[place]).collect();
    hits.copy_from_slice(&sorted);
    Ok(())
}

/// Finds something out about each match.
fn each<T: Send>(
    hits: &[Hit],
    held: &[DatabaseRef],
    of: impl Fn(&DatabaseRef, &Hit) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    let of_hit = |hit: &Hit| {
        let held = held.iter().find(|held| held.index == hit.database);
        of(held.ok_or(Fault::Internal)?, hit)
    };
    hits.par_iter().map(of_hit).collect()
}

impl Key {
    /// Returns what a game is sorted by; 0 where that is not known.
    fn value(self, keys: &HeaderKeys) -> u32 {
        let rating = |rating: Option<NonZeroU16>| rating.map_or(0, |rating| rating.get().into());
        let (white, black) = (rating(keys.white_rating), rating(keys.black_rating));
        match self {
            Key::Number | Key::Name(_) | Key::Plies => 0,
            Key::Date => keys.date.packed(),
            Key::Elo if white.min(black) == 0 => 0,
            Key::Elo => white + black,
            Key::WhiteElo => white,
            Key::BlackElo => black,
            Key::Eco => keys.eco.map_or(0, |eco: Eco| u32::from(eco.code())),
            Key::Result => keys.result as u32,
        }
    }
}

/// Returns for each match the place of its name among all names. Capitals do not count.
fn ranks(hits: &[Hit], slot: NameSlot, held: &[DatabaseRef]) -> Result<Vec<u32>, Fault> {
    let ids = each(hits, held, |held, hit| {
        Ok((held.index, held.keys(hit.game)?.name(slot)))
    })?;
    let mut ranks: HashMap<(u16, NameId), u32> = ids.iter().map(|&id| (id, 0)).collect();
    let mut names = Vec::with_capacity(ranks.len());
    for &(database, id) in ranks.keys() {
        let held = held.iter().find(|held| held.index == database);
        let name = held.ok_or(Fault::Internal)?.name_of(slot.kind(), id)?;
        names.push((name.unwrap_or_default().to_lowercase(), (database, id)));
    }
    names.par_sort_unstable();
    let same = names.chunk_by(|(one, _), (other, _)| one == other);
    for (rank, same) in (0..).zip(same) {
        ranks.extend(same.iter().map(|&(_, id)| (id, rank)));
    }
    Ok(ids.iter().map(|id| ranks[id]).collect())
}
