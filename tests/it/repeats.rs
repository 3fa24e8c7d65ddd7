//! Which games repeat others is what comparing every two games by the rule gives.

use std::{cmp::Reverse, fs, path::Path};

use tabiya::{
    ConvertOptions, Database, Dedupe, ErrorKind, Flow, GameId, KeptFor, Located, Progress, Repeats,
    chess::{GameResult, PartialDate},
    convert,
    format::flag,
};

use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
    pool,
};

/// Spellings of some players.
const NAMES: [&str; 24] = [
    "Müller, Karsten",
    "Mueller, K",
    "Muller K.",
    "Karsten Müller",
    "MULLER,KLAUS",
    "GM Karsten Mueller",
    "Müller",
    "Carlsen, Magnus",
    "Magnus Carlsen",
    "Carlsen, M.",
    "Carlsen, Henrik",
    "Carlsen (NOR)",
    "Magnus, Carlsen",
    "?",
    "",
    "Fischer, RJ",
    "Fischer, Robert James",
    "R. Fischer",
    "Dr. Robert Fischer Jr.",
    "Jan van der Berg",
    "Van der Berg, J",
    "Stockfish 10",
    "Stockfish 1",
    "O'Kelly, A",
];

/// Returns surname and first names of each way to read a name, in small letters without accents.
fn readings(name: &str) -> Vec<(String, Vec<String>)> {
    let mut plain = name.to_lowercase();
    for (from, to) in [
        ("ü", "u"),
        ("u\u{308}", "u"),
        ("ø", "o"),
        ("ue", "u"),
        ("(nor)", ""),
        ("'", ""),
        (".", " "),
    ] {
        plain = plain.replace(from, to);
    }
    let words = |text: &str| -> Vec<String> {
        let words = text.split(' ').map(str::to_owned);
        words
            .filter(|word| !matches!(word.as_str(), "" | "?" | "gm" | "dr" | "jr"))
            .collect()
    };
    if let Some((surname, given)) = plain.split_once(',') {
        return vec![(words(surname).concat(), words(given))];
    }
    let words = words(&plain);
    let mut all = Vec::new();
    if !plain.contains(char::is_numeric) {
        for at in 1..words.len() {
            all.push((words[at..].concat(), words[..at].to_vec()));
            all.push((words[..at].concat(), words[at..].to_vec()));
        }
    }
    all.retain(|(surname, _)| surname.len() > 1);
    if !words.is_empty() {
        all.push((words.concat(), Vec::new()));
    }
    all
}

fn are_one_person(one: &str, other: &str) -> bool {
    let initials = |one: &[String], other: &[String]| {
        let word = one.concat();
        let firsts: String = other
            .iter()
            .filter_map(|name| name.chars().next())
            .collect();
        one.len() == 1 && (2..=3).contains(&word.len()) && firsts.starts_with(&word)
    };
    let fit = |one: &[String], other: &[String]| {
        let begins = |(one, other): (&String, &String)| {
            one.starts_with(other.as_str()) || other.starts_with(one.as_str())
        };
        one.iter().zip(other).all(begins)
            || begins((&one.concat(), &other.concat()))
            || initials(one, other)
            || initials(other, one)
    };
    readings(one).iter().any(|(surname, given)| {
        let others = readings(other);
        let mut others = others.iter();
        others.any(|(other, names)| surname == other && fit(given, names))
    })
}

fn dates_fit(one: PartialDate, other: PartialDate) -> bool {
    let parts = |date: PartialDate| {
        let year = date.year().unwrap_or_default();
        [year, date.month().into(), date.day().into()]
    };
    let pairs = parts(one).into_iter().zip(parts(other));
    let mut known = pairs.filter(|(one, other)| *one != 0 && *other != 0);
    known.all(|(one, other)| one == other)
}

/// Tells whether two games are the same, by the letter of the rule.
fn are_same(one: &PlainGame, other: &PlainGame, moves_only: bool) -> bool {
    let start = |game: &PlainGame| {
        let setup = game.start.clone().unwrap_or_default();
        (
            setup.board,
            setup.turn,
            setup.castling_rights,
            setup.ep_square,
        )
    };
    let (moves, others) = (one.main_line(), other.main_line());
    if start(one) != start(other) {
        return false;
    }
    if moves_only {
        return moves == others && moves.len() >= 40;
    }
    let begins = |short: &[_], long: &[_]| short.len() >= 20 && long.starts_with(short);
    let (first, second) = (&one.header, &other.header);
    let unknown = GameResult::Unknown;
    (moves == others || begins(&moves, &others) || begins(&others, &moves))
        && are_one_person(&first.white, &second.white)
        && are_one_person(&first.black, &second.black)
        && dates_fit(first.date, second.date)
        && (first.result == second.result || [first.result, second.result].contains(&unknown))
}

/// What a game is worth.
fn score(game: &PlainGame) -> [usize; 4] {
    let header = &game.header;
    let annotations = game.events.iter().filter(|event| match event {
        Event::Nag(_) | Event::Comment(_) | Event::Begin => true,
        Event::Play(_) | Event::End => false,
    });
    let date = header.date;
    let names = [&header.event, &header.site, &header.round];
    let tags = [date.year().is_some(), date.month() > 0, date.day() > 0]
        .into_iter()
        .chain(names.map(|name| !matches!(name.as_str(), "" | "?")))
        .chain([header.result != GameResult::Unknown]);
    let rated = [header.white_rating.is_some(), header.black_rating.is_some()];
    [
        game.main_line().len(),
        annotations.count(),
        tags.filter(|known| *known).count(),
        rated.into_iter().filter(|known| *known).count(),
    ]
}

/// How a search is made.
#[derive(Debug, Clone, Copy)]
struct Way {
    moves_only: bool,
    keeps_first: bool,
    /// Number of databases that are searched, not only looked up.
    searched: usize,
}

/// Returns each game that repeats a better one, with that one, as comparing every two games gives.
fn naive(databases: &[&Database], way: Way) -> Vec<(Located, Located)> {
    let mut games = Vec::new();
    for (database, opened) in databases.iter().enumerate() {
        for game in opened.games() {
            let plain = PlainGame::read(opened, game).unwrap();
            if plain.header.marks & flag::DELETED == 0 {
                games.push((Located { database, game }, plain));
            }
        }
    }
    let is_known = |at: Located| at.database >= way.searched;
    games.sort_by_key(|(at, game)| {
        let worth = if way.keeps_first { [0; 4] } else { score(game) };
        (Reverse(is_known(*at)), Reverse(worth), *at)
    });
    let mut kept: Vec<&(Located, PlainGame)> = Vec::new();
    let mut repeats = Vec::new();
    for one in &games {
        let same = |(_, other): &&&(Located, PlainGame)| are_same(&one.1, other, way.moves_only);
        match kept.iter().find(same) {
            Some((better, _)) if !is_known(one.0) => repeats.push((one.0, *better)),
            _ => kept.push(one),
        }
    }
    repeats.sort_unstable();
    repeats
}

/// Makes games of which many are others, with all that may differ in copies.
fn copied_games(dice: &mut Dice, count: usize) -> Vec<PlainGame> {
    let mut games: Vec<PlainGame> = Vec::new();
    for _ in 0..count {
        let mut game = match games.len() {
            0 => pool::random_game(dice),
            known if dice.percent(60) => games[dice.below(known)].clone(),
            _ => pool::random_game(dice),
        };
        let header = &mut game.header;
        header.event_date = PartialDate::UNKNOWN;
        if dice.percent(60) {
            header.white = (*dice.pick(&NAMES)).to_owned();
            header.black = (*dice.pick(&NAMES)).to_owned();
        }
        match dice.below(7) {
            0 => header.date = PartialDate::UNKNOWN,
            1 => header.date = PartialDate::new(header.date.year().unwrap_or(2000), 0, 0),
            2 => header.result = GameResult::Unknown,
            3 => header.event = "Elsewhere".to_owned(),
            4 => header.white_rating = None,
            _ => {}
        }
        if dice.percent(30) {
            let moves = game.main_line();
            let kept = moves.len() - dice.below(moves.len().min(6) + 1);
            game.events = moves[..kept].iter().copied().map(Event::Play).collect();
        }
        games.push(game);
    }
    games
}

/// Writes games into a database of each format, and opens these.
fn in_every_format(folder: &Path, games: &[PlainGame]) -> Vec<Database> {
    let parts = pool::written(games);
    let source = folder.join("source.si4");
    let files = [
        ("si4", Some(parts.index)),
        ("sg4", parts.games),
        ("sn4", parts.names),
    ];
    for (suffix, bytes) in files {
        fs::write(source.with_extension(suffix), bytes.unwrap()).unwrap();
    }
    let mut all = vec![Database::read(&source).unwrap()];
    for name in ["a.si5", "b.cbh", "c.2cbh", "d.dci", "e.pgn"] {
        let target = folder.join(name);
        let sources = [source.clone()];
        convert(&sources, &target, ConvertOptions::new(), Progress::ignore).unwrap();
        all.push(Database::read(&target).unwrap());
    }
    all
}

fn pairs(found: &Repeats) -> Vec<(Located, Located)> {
    let pairs = found.repeats.iter();
    pairs.map(|repeat| (repeat.game, repeat.kept)).collect()
}

#[test]
fn repeats_are_what_comparing_every_two_games_gives() {
    let mut reasons = Vec::new();
    for seed in 0..6 {
        let folder = tempfile::tempdir().unwrap();
        let games = copied_games(&mut Dice::new(seed), 60);
        for database in in_every_format(folder.path(), &games) {
            for moves_only in [false, true] {
                let found = Dedupe::new().moves_only(moves_only).run(&[&database]);
                let found = found.unwrap();
                let way = Way {
                    moves_only,
                    keeps_first: false,
                    searched: 1,
                };
                let kind = database.kind();
                assert_eq!(pairs(&found), naive(&[&database], way), "{seed} {kind:?}");
                assert_eq!(found.damaged, 0);
                reasons.extend(found.repeats.iter().map(|repeat| repeat.reason));
            }
        }
    }
    let all = [
        KeptFor::Longer,
        KeptFor::Annotated,
        KeptFor::MoreTags,
        KeptFor::Rated,
        KeptFor::First,
    ];
    for reason in all {
        assert!(reasons.contains(&reason), "{reason:?}");
    }
}

#[test]
fn repeats_across_formats_are_found_as_in_one_database() {
    let mut found_some = 0;
    for seed in 10..14 {
        let folder = tempfile::tempdir().unwrap();
        let games = copied_games(&mut Dice::new(seed), 60);
        let (base, new) = games.split_at(40);
        let base = in_every_format(&folder.path().join("."), base);
        let second = tempfile::tempdir().unwrap();
        let new = in_every_format(second.path(), new);
        for (one, other) in base.iter().zip(new.iter().rev()) {
            for keeps_first in [false, true] {
                let way = |searched| Way {
                    moves_only: false,
                    keeps_first,
                    searched,
                };
                let search = Dedupe::new().keep_first(keeps_first);
                let found = search.run(&[one, other]).unwrap();
                assert_eq!(pairs(&found), naive(&[one, other], way(2)), "{seed}");
                let found = search.against(&[one]).run(&[other]).unwrap();
                assert_eq!(pairs(&found), naive(&[other, one], way(1)), "{seed}");
                let known = found.repeats.iter();
                let known = known.filter(|repeat| repeat.reason == KeptFor::Known);
                found_some += known
                    .inspect(|repeat| assert_eq!(repeat.kept.database, 1))
                    .count();
            }
        }
    }
    assert!(found_some > 20, "{found_some}");
}

/// A game of this many plies.
fn game(white: &str, date: &str, result: GameResult, plies: usize) -> PlainGame {
    let mut dice = Dice::new(3);
    let mut games = std::iter::from_fn(|| Some(pool::random_game(&mut dice)));
    let long = games.find(|game| game.main_line().len() > 50 && game.start.is_none());
    let mut game = long.unwrap();
    game.header.marks = 0;
    game.header.white = white.to_owned();
    game.header.black = "Black, Bo".to_owned();
    game.header.date = date.parse().unwrap();
    game.header.result = result;
    let moves = game.main_line();
    game.events = moves[..plies].iter().copied().map(Event::Play).collect();
    game
}

/// Tells whether two games are the same for the search.
fn is_found(one: PlainGame, other: PlainGame) -> bool {
    let database = Database::from_bytes(pool::written(&[one, other])).unwrap();
    !Dedupe::new().run(&[&database]).unwrap().repeats.is_empty()
}

#[test]
fn umlauts_order_titles_and_initials_hide_no_repeat() {
    let named = |name: &str| game(name, "2001.02.03", GameResult::WhiteWins, 40);
    for name in [
        "Mueller, Karsten",
        "Muller, K.",
        "Karsten Müller",
        "Müller K",
        "GM Karsten Mueller",
        "Dr. Müller",
        "MULLER,KARSTEN (GER)",
    ] {
        assert!(is_found(named("Müller, Karsten"), named(name)), "{name}");
    }
    for name in [
        "Müller, Hans",
        "Miller, Karsten",
        "?",
        "",
        "Karsten, Muller",
    ] {
        assert!(!is_found(named("Müller, Karsten"), named(name)), "{name}");
    }
    // No name is no evidence, not even for the same.
    assert!(!is_found(named("?"), named("?")));
}

#[test]
fn dates_and_results_may_be_unknown_but_not_others() {
    let won = GameResult::WhiteWins;
    let dated = |date: &str| game("White, W", date, won, 40);
    for date in ["2001.02.03", "2001.02", "2001", "????.02.03", "????.??.??"] {
        assert!(is_found(dated("2001.02.03"), dated(date)), "{date}");
    }
    for date in ["2001.02.04", "2001.03.03", "2002.02.03", "2002"] {
        assert!(!is_found(dated("2001.02.03"), dated(date)), "{date}");
    }
    let ended = |result| game("White, W", "2001.02.03", result, 40);
    assert!(is_found(ended(won), ended(GameResult::Unknown)));
    assert!(!is_found(ended(won), ended(GameResult::Draw)));
}

#[test]
fn a_beginning_of_twenty_plies_is_the_same_game_and_a_shorter_is_not() {
    let long = |plies| game("White, W", "2001.02.03", GameResult::Draw, plies);
    assert!(is_found(long(20), long(21)) && is_found(long(50), long(20)));
    assert!(!is_found(long(19), long(21)) && !is_found(long(0), long(40)));
    assert!(is_found(long(19), long(19)) && is_found(long(0), long(0)));
}

#[test]
fn moves_alone_are_the_same_only_from_forty_plies_and_to_the_end() {
    let played = |name: &str, plies| game(name, "2001.02.03", GameResult::Draw, plies);
    let is_found = |one, other| {
        let database = Database::from_bytes(pool::written(&[one, other])).unwrap();
        let found = Dedupe::new().moves_only(true).run(&[&database]);
        !found.unwrap().repeats.is_empty()
    };
    assert!(is_found(played("A, A", 40), played("?", 40)));
    assert!(!is_found(played("A, A", 39), played("A, A", 39)));
    assert!(!is_found(played("A, A", 40), played("A, A", 41)));
}

#[test]
fn the_better_game_is_kept_and_says_why() {
    let plain = game("White, W", "2001", GameResult::Draw, 40);
    let mut annotated = plain.clone();
    annotated.events.push(Event::Comment("good".to_owned()));
    let longer = game("White, W", "2001", GameResult::Draw, 41);
    let dated = game("White, W", "2001.02.03", GameResult::Draw, 40);
    let why = |one: &PlainGame, other: &PlainGame| {
        let games = [one.clone(), other.clone()];
        let database = Database::from_bytes(pool::written(&games)).unwrap();
        let found = Dedupe::new().run(&[&database]).unwrap().repeats;
        (found[0].kept.game, found[0].reason)
    };
    assert_eq!(why(&annotated, &longer), (GameId(1), KeptFor::Longer));
    assert_eq!(why(&dated, &annotated), (GameId(1), KeptFor::Annotated));
    assert_eq!(why(&plain, &dated), (GameId(1), KeptFor::MoreTags));
    assert_eq!(why(&plain, &plain), (GameId(0), KeptFor::First));
}

#[test]
fn deleted_games_hide_no_game_and_a_callback_ends_the_search() {
    let one = game("White, W", "2001", GameResult::Draw, 40);
    let mut deleted = one.clone();
    deleted.header.marks = flag::DELETED;
    assert!(!is_found(deleted, one.clone()));
    let database = Database::from_bytes(pool::written(&[one.clone(), one])).unwrap();
    let stopped = Dedupe::new()
        .on_progress(|_| Flow::Break(()))
        .run(&[&database]);
    assert!(matches!(
        stopped.unwrap_err().kind(),
        ErrorKind::Interrupted
    ));
}

#[test]
fn damaged_games_repeat_nothing_and_are_listed() {
    let one = game("White, W", "2001", GameResult::Draw, 40);
    let mut parts = pool::written(&[one.clone(), one]);
    parts.games = Some(Vec::new());
    let database = Database::from_bytes(parts).unwrap();
    let found = Dedupe::new().run(&[&database]).unwrap();
    let listed = (
        found.repeats.len(),
        found.damaged,
        found.damaged_games.len(),
    );
    assert_eq!(listed, (0, 2, 2));
}
