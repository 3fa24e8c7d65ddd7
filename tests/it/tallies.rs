//! Names, statistics and duplicates are what counting game by game gives.

use std::collections::BTreeMap;

use tabiya::{
    Database, Flow, GameId, GameSet, NameRow, Query, SamePlayers, Search, StatsOptions, Tally,
    chess::{
        NameKind,
        text::{Needle, fold_into},
    },
};

use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
    naive::RESULTS,
    pool::{self, Pool},
};

/// Returns the headers of all games. Names that stand for an unknown one are `?`.
fn headers(database: &Database) -> Vec<tabiya::format::GameHeader> {
    let games = database.games();
    let headers = games.map(|game| {
        let mut header = database.header(game).unwrap();
        let names = [
            &mut header.white,
            &mut header.black,
            &mut header.event,
            &mut header.site,
            &mut header.round,
        ];
        for name in names.into_iter().filter(|name| name.is_empty()) {
            "?".clone_into(name);
        }
        header
    });
    headers.collect()
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
            let needle = Needle::new(text);
            games.retain(|name, _| needle.is_in(name));
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

/// Returns a text in small letters without accents, and the words of it.
fn plain_words(text: &str) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut plain = Vec::new();
    fold_into(text.as_bytes(), &mut plain);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
    let words = plain.split(|byte| !is_part(byte));
    let words = words.filter(|word| !word.is_empty()).map(<[u8]>::to_vec);
    let words = words.collect();
    (plain, words)
}

#[test]
fn names_are_completed_by_the_beginnings_of_their_words_the_most_frequent_first() {
    let database = Pool::new(7, 300).database;
    let mut found = 0;
    for (kind, texts) in [
        (
            NameKind::Player,
            ["", "a", "M", "müll", "carlsen m", "m carlsen", "xyz"],
        ),
        (NameKind::Event, ["", "a", "O", "wor ch", "é", "-", "2"]),
    ] {
        let all = database.find_names(kind, "").unwrap();
        for text in texts {
            let (_, typed) = plain_words(text);
            let begins = |name: &str| {
                let (_, words) = plain_words(name);
                let has = |part: &Vec<u8>| words.iter().any(|word| word.starts_with(part));
                typed.iter().all(has)
            };
            let wanted: Vec<_> = all.iter().filter(|row| begins(&row.name)).collect();
            found += wanted.len();
            for limit in [0, 1, 3, usize::MAX] {
                let rows = database.complete_names(kind, text, limit).unwrap();
                assert_eq!(rows.len(), wanted.len().min(limit), "{text} {limit}");
                let figures = |row: &NameRow| (row.games, plain_words(&row.name).0);
                for (row, wanted) in rows.iter().zip(&wanted) {
                    assert_eq!(figures(row), figures(wanted), "{text} {limit}");
                }
            }
        }
    }
    assert!(found > 30, "{found}");
}

#[test]
fn events_sites_and_rounds_are_counted_too() {
    let database = Pool::new(9, 80).database;
    for (kind, name) in [
        (NameKind::Event, "?"),
        (NameKind::Site, "?"),
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
            let options = StatsOptions::new().eco_depth(depth).top(3);
            let stats = database.stats(&games, &options).unwrap();
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
                let is_oneself = header.white == header.black;
                *players.entry(header.white).or_default() += 1;
                if !is_oneself {
                    *players.entry(header.black).or_default() += 1;
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
    let stats = database
        .stats(&GameSet::all(50), &StatsOptions::default())
        .unwrap();
    assert_eq!(stats.total.games(), 5);
}

/// Random games, many of which repeat another one, whole or in part, under a header that may
/// differ.
fn repeated_games(dice: &mut Dice) -> Vec<PlainGame> {
    let mut games: Vec<PlainGame> = Vec::new();
    for _ in 0..60 {
        let mut game = pool::random_game(dice);
        if let Some(old) = games.get(dice.below(2 * games.len().max(1))).cloned() {
            let moves = old.main_line();
            let kept = if dice.percent(50) {
                moves.len()
            } else {
                dice.below(moves.len() + 1)
            };
            game.start = old.start;
            game.events = moves[..kept].iter().copied().map(Event::Play).collect();
            if dice.percent(80) {
                game.header = old.header;
            }
        }
        games.push(game);
    }
    games
}

/// Tells whether two games are duplicates, by the letter of the definition.
fn are_duplicates(one: &PlainGame, other: &PlainGame) -> bool {
    let key = |game: &PlainGame| {
        let header = &game.header;
        let players = (header.white.clone(), header.black.clone());
        let start = game.start.clone().unwrap_or_default();
        let start = (
            start.board,
            start.turn,
            start.castling_rights,
            start.ep_square,
        );
        (players, header.date.year(), header.result, start)
    };
    let (moves, more) = (one.main_line(), other.main_line());
    let (short, long) = if moves.len() <= more.len() {
        (moves, more)
    } else {
        (more, moves)
    };
    let is_named = |name: &str| !matches!(name, "" | "?");
    let may_go_on = short.len() >= 20 && is_named(&one.header.white) && is_named(&one.header.black);
    key(one) == key(other) && (short == long || may_go_on && long.starts_with(&short))
}

/// Returns the groups that comparing every two games gives.
fn naive_groups(games: &[PlainGame]) -> Vec<Vec<GameId>> {
    let mut groups: Vec<usize> = (0..games.len()).collect();
    for one in 0..games.len() {
        for other in 0..one {
            if are_duplicates(&games[one], &games[other]) {
                let (from, to) = (groups[one], groups[other]);
                let both = groups.iter_mut().filter(|group| **group == from);
                both.for_each(|group| *group = to);
            }
        }
    }
    let mut by_group: BTreeMap<usize, Vec<GameId>> = BTreeMap::new();
    for (game, group) in (0..).zip(groups) {
        by_group.entry(group).or_default().push(GameId(game));
    }
    let mut groups: Vec<_> = by_group.into_values().collect();
    groups.retain(|games| games.len() > 1);
    groups.sort_unstable();
    groups
}

#[test]
fn duplicates_are_what_comparing_every_two_games_gives() {
    let (mut found_some, mut begun) = (0, 0);
    for seed in 0..20 {
        let games = repeated_games(&mut Dice::new(seed));
        let database = Database::from_bytes(pool::written(&games)).unwrap();
        let found = database.duplicates(SamePlayers::Exact).unwrap();
        assert_eq!(found.damaged, 0);
        for group in &found.groups {
            let length = |game: &GameId| games[game.index()].main_line().len();
            let least = group.games.iter().map(length).min();
            let most = group.games.iter().map(length).max();
            assert_eq!(Some(length(&group.shortest)), least);
            assert_eq!(group.is_whole, least == most);
            begun += usize::from(!group.is_whole);
        }
        let found: Vec<_> = found.groups.into_iter().map(|group| group.games).collect();
        assert_eq!(found, naive_groups(&games), "seed {seed}");
        found_some += found.len();
    }
    assert!(found_some > 50 && begun > 5, "{found_some} {begun}");
}

#[test]
fn a_beginning_needs_moves_and_names_to_be_a_duplicate() {
    let base = {
        let mut games = std::iter::from_fn({
            let mut dice = Dice::new(3);
            move || Some(pool::random_game(&mut dice))
        });
        games
            .find(|game| game.main_line().len() > 24 && game.start.is_none())
            .unwrap()
    };
    let moves = base.main_line();
    let named = |white: &str, plies: usize| {
        let mut game = base.clone();
        game.header.white = white.to_owned();
        game.header.black = "Black, B".to_owned();
        game.events = moves[..plies].iter().copied().map(Event::Play).collect();
        game
    };
    let mut own_start = named("White, W", 0);
    let start = "4k3/8/8/8/8/8/8/4K2R w K - 0 1".parse::<shakmaty::fen::Fen>();
    own_start.start = Some(start.unwrap().into_setup());
    let games = [
        named("White, W", 24),
        named("White, W", 20),
        named("White, W", 19),
        named("White, W", 0),
        named("White, W", 0),
        own_start,
        named("?", 24),
        named("?", 20),
        named("?", 20),
    ];
    let database = Database::from_bytes(pool::written(&games)).unwrap();
    let found = database.duplicates(SamePlayers::Exact).unwrap();
    let groups = found.groups.iter();
    let groups: Vec<(Vec<u32>, bool)> = groups
        .map(|group| {
            (
                group.games.iter().map(|game| game.0).collect(),
                group.is_whole,
            )
        })
        .collect();
    assert_eq!(
        groups,
        [(vec![0, 1], false), (vec![3, 4], true), (vec![7, 8], true)]
    );
}

#[test]
fn spelling_joins_players_and_damage_is_listed() {
    let mut games = vec![pool::random_game(&mut Dice::new(5)); 4];
    for (game, (white, black)) in games.iter_mut().zip([
        ("Müller, Karsten", "Carlsen, M."),
        ("MULLER,K", "carlsen M"),
        ("Müller, Hans", "Carlsen, M."),
        ("Müller, Karsten", "Carlsen, Magnus"),
    ]) {
        game.header.white = white.to_owned();
        game.header.black = black.to_owned();
    }
    let mut parts = pool::written(&games);
    let database = Database::from_bytes(parts.clone()).unwrap();
    let groups = |same| {
        let found = database.duplicates(same).unwrap();
        let groups = found.groups.into_iter();
        groups.map(|group| group.games).collect::<Vec<_>>()
    };
    assert!(groups(SamePlayers::Exact).is_empty());
    assert_eq!(groups(SamePlayers::Spelling), [[0, 1, 3].map(GameId)]);
    let stopped = database
        .on_progress(|_| Flow::Break(()))
        .duplicates(SamePlayers::Spelling);
    assert!(stopped.is_err());
    parts.games = Some(Vec::new());
    let database = Database::from_bytes(parts).unwrap();
    let found = database.duplicates(SamePlayers::Spelling).unwrap();
    let damaged = (found.damaged, found.damaged_games.len());
    assert_eq!((found.groups.len(), damaged), (0, (3, 3)));
}
