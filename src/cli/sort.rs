//! Sorts matches by fields of the index. Only games whose length is not stored there are decoded.
//!
//! Every key becomes one `u32` per game: names are ranked once, everything else is already a
//! number. Plain integers are then sorted, from the last key to the first, with 12 bytes per game
//! besides the [stored matches](Hits).

use std::{str::FromStr, sync::Arc};

use tabiya::{
    Database, GameId, HeaderKeys,
    chess::{GameResult, NameId, text::fold_into},
    format::NameSlot,
};

use super::{databases::Opened, hits::Hits, interrupt, render::plies};

/// Number of games between two checks for an interrupt.
const GAMES_PER_LOOK: usize = 1 << 14;

/// A key with its direction, such as `date:desc`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SortKey {
    key: Key,
    descending: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Number,
    Date,
    Year,
    EventDate,
    Name(NameSlot),
    Eco,
    Result,
    Plies,
    Moves,
    Elo,
    WhiteElo,
    BlackElo,
    Comments,
    Variations,
    Nags,
    /// How similar a position of the game is to that of the query. Only alone.
    Similarity,
}

/// The keys by name.
const KEYS: [(&str, Key); 21] = [
    ("number", Key::Number),
    ("date", Key::Date),
    ("year", Key::Year),
    ("eventdate", Key::EventDate),
    ("event", Key::Name(NameSlot::Event)),
    ("site", Key::Name(NameSlot::Site)),
    ("round", Key::Name(NameSlot::Round)),
    ("white", Key::Name(NameSlot::White)),
    ("black", Key::Name(NameSlot::Black)),
    ("eco", Key::Eco),
    ("result", Key::Result),
    ("plies", Key::Plies),
    ("moves", Key::Moves),
    ("elo", Key::Elo),
    ("avgelo", Key::Elo),
    ("whiteelo", Key::WhiteElo),
    ("blackelo", Key::BlackElo),
    ("comments", Key::Comments),
    ("variations", Key::Variations),
    ("nags", Key::Nags),
    ("similarity", Key::Similarity),
];

impl FromStr for SortKey {
    type Err = String;

    fn from_str(text: &str) -> Result<SortKey, String> {
        let (name, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let key = KEYS
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name));
        let Some(&(_, key)) = key else {
            let known: Vec<&str> = KEYS.iter().map(|(known, _)| *known).collect();
            return Err(format!("no such key; there are {}", known.join(", ")));
        };
        let descending = match direction {
            _ if direction.eq_ignore_ascii_case("desc") => true,
            _ if direction.eq_ignore_ascii_case("asc") => false,
            _ => return Err("`:desc` or `:asc` may follow the key".to_owned()),
        };
        Ok(SortKey { key, descending })
    }
}

impl SortKey {
    pub(crate) fn is_similarity(&self) -> bool {
        self.key == Key::Similarity
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
        for SortKey { key, descending } in keys.iter().rev() {
            let ranks = match key {
                Key::Name(slot) => Some((*slot, Ranks::new(*slot, hits, databases)?)),
                _ => None,
            };
            for entries in entries.chunks_mut(GAMES_PER_LOOK) {
                interrupt::check()?;
                for entry in entries {
                    let place = place(*entry);
                    let (number, game) = (hits.database(place), hits.game(place));
                    let database = &databases[number].database;
                    let value = match &ranks {
                        Some((slot, ranks)) => ranks.of(number, database.keys(game)?.name(*slot)),
                        None => value(*key, database, game)?,
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

/// Returns the value of a key; 0 if it is missing.
fn value(key: Key, database: &Database, game: GameId) -> tabiya::Result<u32> {
    let facts = || database.facts(game);
    let keys = || database.keys(game);
    let rating = |rating: Option<tabiya::chess::Elo>| rating.map_or(0, |elo| elo.get().into());
    Ok(match key {
        Key::Number => database.number(game),
        Key::Date => keys()?.date.packed(),
        Key::Year => keys()?.date.year().unwrap_or_default().into(),
        Key::EventDate => keys()?.event_date.packed(),
        Key::Eco => keys()?.eco.map_or(0, |eco| eco.code().into()),
        Key::Result => match keys()?.result {
            GameResult::Unknown => 0,
            GameResult::BlackWins => 1,
            GameResult::Draw => 2,
            GameResult::WhiteWins => 3,
        },
        Key::Plies => plies(database, game)?,
        Key::Moves => plies(database, game)?.div_ceil(2),
        Key::Elo => elo_sum(&keys()?),
        Key::WhiteElo => rating(keys()?.white_rating),
        Key::BlackElo => rating(keys()?.black_rating),
        Key::Comments => facts()?.comment_count.at_least,
        Key::Variations => facts()?.variation_count.at_least,
        Key::Nags => facts()?.nag_count.at_least,
        // Names are ranked separately, and similarities compared elsewhere.
        Key::Name(_) | Key::Similarity => 0,
    })
}

/// Returns the sum of both ratings, which sorts like their mean; 0 unless both are present.
fn elo_sum(keys: &HeaderKeys) -> u32 {
    match (keys.white_rating, keys.black_rating) {
        (Some(white), Some(black)) => u32::from(white.get()) + u32::from(black.get()),
        _ => 0,
    }
}

/// The ranks of the names of matches, over all databases: by database and ID.
struct Ranks(Vec<Vec<u32>>);

impl Ranks {
    fn new(slot: NameSlot, hits: &Hits, databases: &[Arc<Opened>]) -> anyhow::Result<Ranks> {
        let mut ranks: Vec<Vec<u32>> = Vec::with_capacity(databases.len());
        for opened in databases {
            let names = opened.database.name_ids(slot.kind())?;
            ranks.push(vec![0; names]);
        }
        for place in hits.places() {
            if place.is_multiple_of(GAMES_PER_LOOK) {
                interrupt::check()?;
            }
            let number = hits.database(place);
            let id = databases[number]
                .database
                .keys(hits.game(place))?
                .name(slot);
            if let Some(rank) = ranks[number].get_mut(id.index()) {
                *rank = 1;
            }
        }
        // An ID without a name sorts like the empty name, which comes first.
        let mut names = vec![(collated("", slot), None)];
        for (number, opened) in databases.iter().enumerate() {
            let used = ranks[number].iter().zip((0..).map(NameId));
            for id in used.filter(|(rank, _)| **rank != 0).map(|(_, id)| id) {
                let name = opened.database.name_of(slot.kind(), id)?;
                names.push((
                    collated(&name.unwrap_or_default(), slot),
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

    fn of(&self, database: usize, id: NameId) -> u32 {
        self.0[database]
            .get(id.index())
            .copied()
            .unwrap_or_default()
    }
}

/// Returns the sort text of a name: capitals and accents are ignored, and numbers in rounds are
/// compared by value, so that 2 comes before 10.
fn collated(name: &str, slot: NameSlot) -> String {
    const DIGITS: usize = 10;
    let mut folded = Vec::with_capacity(name.len());
    fold_into(name.as_bytes(), &mut folded);
    let folded = String::from_utf8_lossy(&folded).into_owned();
    if slot != NameSlot::Round {
        return folded;
    }
    let mut padded = String::with_capacity(2 * DIGITS);
    let mut digits = 0;
    for character in folded.chars().chain(['\0']) {
        if character.is_ascii_digit() {
            digits += 1;
        } else if digits > 0 {
            let start = padded.len() - digits;
            let zeros = "0".repeat(DIGITS.saturating_sub(digits));
            padded.insert_str(start, &zeros);
            digits = 0;
        }
        padded.push(character);
    }
    padded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_with_their_direction() {
        let key = |text: &str| text.parse::<SortKey>();
        assert!(key("Date:DESC").is_ok_and(|key| key.descending));
        assert!(key("white").is_ok_and(|key| !key.descending));
        assert!(key("whit").is_err() && key("date:down").is_err());
    }

    #[test]
    fn rounds_sort_as_numbers_and_names_without_capitals_and_accents() {
        let round = |text: &str| collated(text, NameSlot::Round);
        assert!(round("2") < round("10"));
        assert!(round("2.3") < round("2.12"));
        assert!(round("2") < round("2.1"));
        assert!(round("10") < round("?"));
        let name = |text: &str| collated(text, NameSlot::White);
        assert_eq!(name("Müller"), name("muller"));
    }
}
