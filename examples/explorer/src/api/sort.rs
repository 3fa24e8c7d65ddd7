//! The order of matches.

use std::{cmp::Reverse, collections::HashMap};

use tabiya::{
    HeaderKeys,
    chess::{Eco, NameId, NameKind},
    format::NameSlot,
};

use crate::{
    errors::Fault,
    state::{Held, Hit},
};

/// By what games can be sorted.
const KEYS: [(&str, Key); 10] = [
    ("number", Key::Number),
    ("date", Key::Date),
    ("elo", Key::Elo),
    ("whiteelo", Key::WhiteElo),
    ("blackelo", Key::BlackElo),
    ("eco", Key::Eco),
    ("result", Key::Result),
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

/// What a game is sorted by: a number or a text.
type Value = (u32, String);

/// Sorts matches, which come in the order of their numbers.
pub(super) fn sort(hits: &mut [Hit], order: &Order, held: &[Held]) -> Result<(), Fault> {
    if order.key == Key::Number {
        if order.descending {
            hits.reverse();
        }
        return Ok(());
    }
    let mut names = Names::default();
    let mut valued: Vec<(Value, Hit)> = Vec::with_capacity(hits.len());
    for hit in hits.iter() {
        let held = held.iter().find(|held| held.index == hit.database);
        let held = held.ok_or(Fault::Internal)?;
        let keys = held.keys(hit.found.game)?;
        valued.push((order.key.value(&keys, held, &mut names)?, *hit));
    }
    match order.descending {
        true => valued.sort_by(|(one, _), (other, _)| Reverse(one).cmp(&Reverse(other))),
        false => valued.sort_by(|(one, _), (other, _)| one.cmp(other)),
    }
    for (place, (_, hit)) in hits.iter_mut().zip(valued) {
        *place = hit;
    }
    Ok(())
}

impl Key {
    fn value(self, keys: &HeaderKeys, held: &Held, names: &mut Names) -> Result<Value, Fault> {
        let white = keys
            .white_rating
            .map_or(0, |rating| u32::from(rating.get()));
        let black = keys
            .black_rating
            .map_or(0, |rating| u32::from(rating.get()));
        let number = match self {
            Key::Number => 0,
            Key::Date => keys.date.packed(),
            Key::Elo if white.min(black) == 0 => 0,
            Key::Elo => white + black,
            Key::WhiteElo => white,
            Key::BlackElo => black,
            Key::Eco => keys.eco.map_or(0, |eco: Eco| u32::from(eco.code())),
            Key::Result => keys.result as u32,
            Key::Name(slot) => return Ok((0, names.get(held, slot, keys.name(slot))?)),
        };
        Ok((number, String::new()))
    }
}

/// Names that were looked up already.
#[derive(Debug, Default)]
struct Names(HashMap<(u16, u32), String>);

impl Names {
    fn get(&mut self, held: &Held, slot: NameSlot, id: NameId) -> Result<String, Fault> {
        if let Some(name) = self.0.get(&(held.index, id.0)) {
            return Ok(name.clone());
        }
        let kind: NameKind = slot.kind();
        let name = held.name_of(kind, id)?.unwrap_or_default().to_lowercase();
        self.0.insert((held.index, id.0), name.clone());
        Ok(name)
    }
}
