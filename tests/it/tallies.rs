//! Names, statistics and duplicates are what counting game by game gives.

use std::collections::BTreeMap;

use tabiya::{
    Database, GameId,
    chess::{NameKind, text::Needle},
};

use crate::support::pool::Pool;

/// Returns the headers of all games.
fn headers(database: &Database) -> Vec<tabiya::format::GameHeader> {
    let games = (0..database.len()).map(GameId);
    games.map(|game| database.header(game).unwrap()).collect()
}

#[test]
fn names_are_counted_as_game_by_game() {
    for seed in 0..4 {
        let database = Pool::new(seed, 60).database;
        for text in ["", "muller", "Müller", "carlsen", "?", "nobody"] {
            let mut games: BTreeMap<String, u32> = BTreeMap::new();
            let mut peaks: BTreeMap<String, u16> = BTreeMap::new();
            let mut years: BTreeMap<String, Vec<u16>> = BTreeMap::new();
            for header in headers(&database) {
                for (name, rating) in [
                    (&header.white, header.white_rating),
                    (&header.black, header.black_rating),
                ] {
                    let peak = peaks.entry(name.clone()).or_default();
                    *peak = (*peak).max(rating.map_or(0, |rating| rating.value.get()));
                    years
                        .entry(name.clone())
                        .or_default()
                        .extend(header.date.year());
                }
                *games.entry(header.white.clone()).or_default() += 1;
                if header.white != header.black {
                    *games.entry(header.black).or_default() += 1;
                }
            }
            games.retain(|name, _| Needle::new(text).is_in(name));
            let rows = database.find_names(NameKind::Player, text).unwrap();
            assert!(rows.is_sorted_by(|one, next| one.games >= next.games));
            assert_eq!(rows.len(), games.len(), "{text}");
            for row in rows {
                assert_eq!(row.games, games[&row.name]);
                assert_eq!(row.peak.map_or(0, |peak| peak.get()), peaks[&row.name]);
                let years = &years[&row.name];
                let range = years.iter().min().copied().zip(years.iter().max().copied());
                assert_eq!(row.years, range);
            }
        }
    }
}

#[test]
fn events_sites_and_rounds_are_counted_too() {
    let database = Pool::new(9, 80).database;
    for (kind, name) in [
        (NameKind::Event, "?"),
        (NameKind::Site, ""),
        (NameKind::Round, "2.1"),
    ] {
        let count = |header: &tabiya::format::GameHeader| match kind {
            NameKind::Event => header.event == name,
            NameKind::Site => header.site == name,
            _ => header.round == name,
        };
        let games = headers(&database)
            .iter()
            .filter(|header| count(header))
            .count();
        let rows = database.find_names(kind, "").unwrap();
        let row = rows.iter().find(|row| row.name == name).unwrap();
        assert_eq!(
            (row.games as usize, row.as_white, row.peak),
            (games, 0, None)
        );
    }
}
