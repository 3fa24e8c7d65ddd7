//! Sorts matches by fields of the index. Only games whose length is not stored there are decoded.
//!
//! Every key becomes one `u32` per game: names are ranked once, everything else is already a
//! number. Plain integers are then sorted, from the last key to the first, with 12 bytes per game
//! besides the [stored matches](Hits).

use std::{str::FromStr, sync::Arc};

use tabiya::{
    chess::{NameId, NameKind},
    query::SortField,
};

use super::{databases::Opened, hits::Hits, interrupt};

/// Number of games between two checks for an interrupt.
const GAMES_PER_LOOK: usize = 1 << 14;

/// A key with its direction, such as `date:desc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortKey {
    /// `None` for how similar a position of the game is to that of the query, which goes alone.
    field: Option<SortField>,
    descending: bool,
}

/// The key that is no field.
const SIMILARITY: &str = "similarity";

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<SortKey, String> {
        let (name, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let field = SortField::find(name);
        if field.is_none() && !name.eq_ignore_ascii_case(SIMILARITY) {
            let known = SortField::all().map(SortField::name).chain([SIMILARITY]);
            let known: Vec<&str> = known.collect();
            return Err(format!("no such key; there are {}", known.join(", ")));
        }
        let descending = match direction {
            _ if direction.eq_ignore_ascii_case("desc") => true,
            _ if direction.eq_ignore_ascii_case("asc") => false,
            _ => return Err("`:desc` or `:asc` may follow the key".to_owned()),
        };
        Ok(SortKey { field, descending })
    }
}

impl SortKey {
    pub(crate) fn is_similarity(&self) -> bool {
        self.field.is_none()
    }
}

/// The sorted indices of matches. Each is in the low half of its entry.
pub(crate) struct Order(Vec<u64>);

impl Order {
    /// Sorts matches by several keys, the first being the most significant. Equal ones keep their
    /// order.
    pub(crate) fn new(
        hits: &Hits,
        keys: &[SortKey],
        databases: &[Arc<Opened>],
    ) -> anyhow::Result<Order> {
        let mut entries: Vec<u64> = hits.places().map(|place| place as u64).collect();
        for SortKey { field, descending } in keys.iter().rev() {
            // Similarities are compared elsewhere.
            let Some(field) = *field else { continue };
            let ranks = match field.name_kind() {
                Some(kind) => Some(Ranks::new(field, kind, hits, databases)?),
                None => None,
            };
            for entries in entries.chunks_mut(GAMES_PER_LOOK) {
                interrupt::check()?;
                for entry in entries {
                    let place = place(*entry);
                    let (number, game) = (hits.database(place), hits.game(place));
                    let database = &databases[number].database;
                    let value = match &ranks {
                        Some(ranks) => ranks.of(number, database.keys(game)?.sort_name(field)),
                        None => SortField::rank(database.sort_number(field, game)?),
                    };
                    let value = if *descending { !value } else { value };
                    *entry = u64::from(value) << 32 | place as u64;
                }
            }
            entries.sort_by_key(|entry| entry >> 32);
        }
        Ok(Order(entries))
    }

    /// Returns an iterator over the indices in sorted order.
    pub(crate) fn places(&self) -> impl Iterator<Item = usize> {
        self.0.iter().map(|&entry| place(entry))
    }
}

fn place(entry: u64) -> usize {
    (entry & u64::from(u32::MAX)) as usize
}

/// The ranks of the names of matches, over all databases: by database and ID.
struct Ranks(Vec<Vec<u32>>);

impl Ranks {
    fn new(
        field: SortField,
        kind: NameKind,
        hits: &Hits,
        databases: &[Arc<Opened>],
    ) -> anyhow::Result<Ranks> {
        let mut ranks: Vec<Vec<u32>> = Vec::with_capacity(databases.len());
        for opened in databases {
            let names = opened.database.name_ids(kind)?;
            ranks.push(vec![0; names]);
        }
        for place in hits.places() {
            if place.is_multiple_of(GAMES_PER_LOOK) {
                interrupt::check()?;
            }
            let number = hits.database(place);
            let keys = databases[number].database.keys(hits.game(place))?;
            let id = keys.sort_name(field);
            if let Some(rank) = id.and_then(|id| ranks[number].get_mut(id.index())) {
                *rank = 1;
            }
        }
        // A game without a name sorts like the empty name, which comes first.
        let mut names = vec![(field.sort_text(""), None)];
        for (number, opened) in databases.iter().enumerate() {
            let used = ranks[number].iter().zip((0..).map(NameId));
            for id in used.filter(|(rank, _)| **rank != 0).map(|(_, id)| id) {
                let name = opened.database.name_of(kind, id)?;
                names.push((
                    field.sort_text(&name.unwrap_or_default()),
                    Some((number, id)),
                ));
            }
        }
        names.sort_unstable();
        for (rank, equal) in (0..).zip(names.chunk_by(|(one, _), (other, _)| one == other)) {
            for (number, id) in equal.iter().filter_map(|(_, owner)| *owner) {
                ranks[number][id.index()] = rank;
            }
        }
        Ok(Ranks(ranks))
    }

    fn of(&self, database: usize, id: Option<NameId>) -> u32 {
        let rank = id.and_then(|id| self.0[database].get(id.index()));
        rank.copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_with_their_direction() {
        let key = |text: &str| text.parse::<SortKey>();
        assert!(key("Date:DESC").is_ok_and(|key| key.descending));
        assert!(key("white").is_ok_and(|key| !key.descending));
        assert!(key("Similarity").is_ok_and(|key| key.is_similarity()));
        assert!(key("whit").is_err() && key("date:down").is_err());
    }
}
