//! Sorting matches by what the index holds, without decoding games.
//!
//! Every key becomes one `u32` a game: names are ranked once, everything else is a number
//! already. Sorting is then a matter of plain integers, from the last key to the first.

use std::str::FromStr;

use tabiya::{
    Database, HeaderKeys, Match,
    chess::{GameResult, NameId, text::fold_into},
    format::NameSlot,
};

use super::databases::Opened;

/// A match and the database it is in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// Index in the list of open databases.
    pub(crate) database: u32,
    pub(crate) hit: Match,
}

/// A key with its direction, as typed: `date:desc`.
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
}

/// The keys by the names that people type.
const KEYS: [(&str, Key); 19] = [
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
    ("whiteelo", Key::WhiteElo),
    ("blackelo", Key::BlackElo),
    ("comments", Key::Comments),
    ("variations", Key::Variations),
    ("nags", Key::Nags),
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

/// Sorts matches by several keys, the first counting most. Equal ones keep their order.
pub(crate) fn sort(
    hits: &mut Vec<Hit>,
    keys: &[SortKey],
    databases: &[Opened],
) -> tabiya::Result<()> {
    for SortKey { key, descending } in keys.iter().rev() {
        let column = column(*key, hits, databases)?;
        // The place in the low half keeps equal games in their order.
        let mut order: Vec<u64> = (0u64..)
            .zip(&column)
            .map(|(place, &value)| {
                let value = if *descending { !value } else { value };
                u64::from(value) << 32 | place
            })
            .collect();
        order.sort_unstable();
        let place = |entry: u64| (entry & u64::from(u32::MAX)) as usize;
        *hits = order.into_iter().map(|entry| hits[place(entry)]).collect();
    }
    Ok(())
}

/// Returns the value of a key for every match. What is absent is 0.
fn column(key: Key, hits: &[Hit], databases: &[Opened]) -> tabiya::Result<Vec<u32>> {
    if let Key::Name(slot) = key {
        return name_column(slot, hits, databases);
    }
    hits.iter()
        .map(|hit| value(key, &databases[hit.database as usize].database, hit.hit))
        .collect()
}

fn value(key: Key, database: &Database, hit: Match) -> tabiya::Result<u32> {
    let facts = || database.facts(hit.game);
    let keys = || database.keys(hit.game);
    let rating = |rating: Option<tabiya::chess::Elo>| rating.map_or(0, |elo| elo.get().into());
    Ok(match key {
        Key::Number => hit.game.number(),
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
        Key::Plies => facts()?.plies.at_least,
        Key::Moves => facts()?.plies.at_least.div_ceil(2),
        Key::Elo => elo_sum(&keys()?),
        Key::WhiteElo => rating(keys()?.white_rating),
        Key::BlackElo => rating(keys()?.black_rating),
        Key::Comments => facts()?.comment_count.at_least,
        Key::Variations => facts()?.variation_count.at_least,
        Key::Nags => facts()?.nag_count.at_least,
        // Names are ranked together, by `name_column`.
        Key::Name(_) => 0,
    })
}

/// Returns both ratings together, which sort as their mean; 0 unless both are there.
fn elo_sum(keys: &HeaderKeys) -> u32 {
    match (keys.white_rating, keys.black_rating) {
        (Some(white), Some(black)) => u32::from(white.get()) + u32::from(black.get()),
        _ => 0,
    }
}

/// Ranks the names that the matches have, over all databases, and returns the ranks by match.
fn name_column(slot: NameSlot, hits: &[Hit], databases: &[Opened]) -> tabiya::Result<Vec<u32>> {
    let mut ids: Vec<(u32, NameId)> = hits
        .iter()
        .map(|hit| {
            let database = &databases[hit.database as usize].database;
            Ok((hit.database, database.keys(hit.hit.game)?.name(slot)))
        })
        .collect::<tabiya::Result<_>>()?;
    let all = ids.clone();
    ids.sort_unstable();
    ids.dedup();
    let mut names: Vec<(String, usize)> = Vec::with_capacity(ids.len());
    for (place, &(database, id)) in ids.iter().enumerate() {
        let name = databases[database as usize]
            .database
            .name_of(slot.kind(), id)?;
        names.push((collated(&name.unwrap_or_default(), slot), place));
    }
    names.sort_unstable();
    let mut ranks = vec![0; ids.len()];
    let (mut rank, mut previous) = (0, None);
    for (name, place) in &names {
        if previous.is_some_and(|previous| previous != name) {
            rank += 1;
        }
        previous = Some(name);
        ranks[*place] = rank;
    }
    Ok(all
        .iter()
        .map(|entry| ids.binary_search(entry).map_or(0, |place| ranks[place]))
        .collect())
}

/// Returns the text that a name sorts as: capitals and accents do not count, and in rounds
/// numbers are numbers, so that 2 comes before 10.
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
