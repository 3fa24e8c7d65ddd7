//! Names, statistics and duplicates are what counting game by game gives.

use std::collections::BTreeMap;

use tabiya::{
    Database, GameId, GameSet, Query, Search, StatsOptions, Tally,
    chess::{NameKind, text::Needle},
};

use crate::support::{naive::RESULTS, pool::Pool};

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

/// Returns the games of a tally as results: unknown, White, Black, drawn.
fn results(tally: &Tally) -> [u32; 4] {
    RESULTS.map(|result| tally.count(result))
}

fn rows<K: Ord>(rows: BTreeMap<K, Tally>) -> BTreeMap<K, [u32; 4]> {
    let rows = rows.into_iter();
    rows.map(|(key, tally)| (key, results(&tally))).collect()
}

fn plies(database: &Database, game: GameId) -> u32 {
    database.plies(game).unwrap()
}

fn median(sorted: &[u32]) -> Option<f64> {
    let middle = [sorted.len().checked_sub(1)? / 2, sorted.len() / 2];
    Some(f64::from(sorted[middle[0]] + sorted[middle[1]]) / 2.0)
}

#[test]
fn statistics_are_what_counting_game_by_game_gives() {
    for seed in 0..4 {
        let database = Pool::new(seed, 150).database;
        for (depth, text) in (1..).zip(["", "player:muller", "result:1-0", "check", "elo>9000"]) {
            let query: Query = text.parse().unwrap();
            let games = Search::new(&query).run(&database).unwrap().games();
            let options = StatsOptions {
                eco_depth: depth,
                top: 3,
            };
            let stats = database.stats(&games, &options);
            let mut total = [0; 4];
            let mut years: BTreeMap<u16, [u32; 4]> = BTreeMap::new();
            let mut classes: BTreeMap<u16, [u32; 4]> = BTreeMap::new();
            let mut codes: BTreeMap<String, [u32; 4]> = BTreeMap::new();
            let mut tens: BTreeMap<u32, [u32; 4]> = BTreeMap::new();
            let mut lengths = Vec::new();
            let mut players: BTreeMap<String, u32> = BTreeMap::new();
            for game in games.iter() {
                let header = database.header(game).unwrap();
                let place = RESULTS
                    .iter()
                    .position(|result| *result == header.result)
                    .unwrap();
                total[place] += 1;
                if let Some(year) = header.date.year() {
                    years.entry(year).or_default()[place] += 1;
                }
                if let (Some(white), Some(black)) = (header.white_rating, header.black_rating) {
                    let mean = (white.value.get() + black.value.get()) / 2;
                    classes.entry(mean / 100 * 100).or_default()[place] += 1;
                }
                if let Some(eco) = header.eco {
                    let code: String = eco.to_string().chars().take(depth).collect();
                    codes.entry(code).or_default()[place] += 1;
                }
                let plies = plies(&database, game);
                tens.entry(plies.div_ceil(2) / 10 * 10).or_default()[place] += 1;
                lengths.push(plies);
                for name in [header.white, header.black] {
                    *players.entry(name).or_default() += 1;
                }
            }
            lengths.sort_unstable();
            assert_eq!(results(&stats.total), total);
            assert_eq!(rows(stats.years), years);
            assert_eq!(rows(stats.ratings), classes);
            assert_eq!(rows(stats.openings), codes);
            assert_eq!(rows(stats.lengths.by_ten_moves), tens);
            assert_eq!(stats.lengths.median_plies, median(&lengths));
            let mean = f64::from(lengths.iter().sum::<u32>()) / lengths.len() as f64;
            assert_eq!(
                stats.lengths.mean_plies,
                (!lengths.is_empty()).then_some(mean)
            );
            players.retain(|name, _| !matches!(name.as_str(), "" | "?"));
            let mut top: Vec<u32> = players.values().copied().collect();
            top.sort_unstable_by(|one, other| other.cmp(one));
            top.truncate(3);
            let found: Vec<u32> = stats
                .players
                .iter()
                .map(tabiya::PlayerStats::games)
                .collect();
            assert_eq!(found, top);
            for player in &stats.players {
                assert_eq!(player.games(), players[&player.name]);
            }
        }
    }
}

#[test]
fn games_that_are_not_there_count_nowhere() {
    let database = Pool::new(1, 5).database;
    let stats = database.stats(&GameSet::all(50), &StatsOptions::default());
    assert_eq!(stats.total.games(), 5);
}
