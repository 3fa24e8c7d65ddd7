//! Which names are suggested as spellings of another one, rule by rule.

use tabiya::{
    Database, Likeness, NameSuggestion, Spellings,
    chess::{GameResult, NameKind, RatingKind},
    format::{GameHeader, Rating},
};

use crate::support::{game::PlainGame, pool};

/// A name with years and highest rating; 0 for none.
type Player<'a> = (&'a str, [u16; 2], u16);

/// A database in which each player has a game in each of two years, against nobody.
fn of_players(players: &[Player<'_>]) -> Database {
    let mut games = Vec::new();
    for (name, years, elo) in players {
        for year in years {
            let value = std::num::NonZeroU16::new(*elo);
            games.push(PlainGame {
                header: GameHeader {
                    white: (*name).to_owned(),
                    black: "?".to_owned(),
                    date: format!("{year:04}").parse().unwrap(),
                    result: GameResult::Draw,
                    white_rating: value.map(|value| Rating {
                        value,
                        kind: RatingKind::Elo,
                    }),
                    ..GameHeader::default()
                },
                ..PlainGame::default()
            });
        }
    }
    Database::from_bytes(pool::written(&games)).unwrap()
}

fn suggested(players: &[Player<'_>]) -> Vec<NameSuggestion> {
    of_players(players).suggest_names(NameKind::Player).unwrap()
}

/// Returns the suggestion for two names of the same years and ratings.
fn for_two(one: &str, other: &str) -> Option<(String, String, Likeness)> {
    let found = suggested(&[(one, [2000, 2001], 2400), (other, [2000, 2001], 2400)]);
    let first = found.into_iter().next();
    first.map(|row| (row.from.name, row.to, row.likeness))
}

#[test]
fn each_likeness_of_two_names_is_told() {
    for (one, other, likeness) in [
        ("Müller, Karsten", "Mueller, Karsten", Likeness::Letters),
        ("MULLER,KARSTEN", "Müller, Karsten", Likeness::Letters),
        ("Müller, Karsten GM", "Müller, Karsten", Likeness::Letters),
        ("Karsten Müller", "Müller, Karsten", Likeness::Order),
        ("Chao, Li", "Li, Chao", Likeness::Turned),
        (
            "Fischer, Robert",
            "Fischer, Robert James",
            Likeness::FirstNames,
        ),
        ("Fischer, R", "Fischer, Robert James", Likeness::Initials),
        ("Fischer, RJ", "Fischer, Robert James", Likeness::Initials),
        (
            "Spelman, Jonathan",
            "Speelman, Jonathan",
            Likeness::OneLetter,
        ),
        (
            "Speelman, Jonahtan",
            "Speelman, Jonathan",
            Likeness::OneLetter,
        ),
    ] {
        let found = for_two(one, other).map(|(.., likeness)| likeness);
        assert_eq!(found, Some(likeness), "{one}, {other}");
    }
}

#[test]
fn transliterations_and_letters_of_first_names_are_told() {
    for (one, other, likeness) in [
        ("Tal, Mikhail", "Tal, Mihail", Likeness::Transliteration),
        ("Tal, Mikhail", "Tal, Mikhael", Likeness::OneLetter),
        (
            "Karpov, Anatoly",
            "Karpov, Anatolij",
            Likeness::Transliteration,
        ),
        (
            "Karpov, Anatoly Y",
            "Karpov, Anatolij",
            Likeness::Transliteration,
        ),
        (
            "Averbakh, Yuri",
            "Averbakh, Jurij",
            Likeness::Transliteration,
        ),
    ] {
        let found = for_two(one, other).map(|(.., likeness)| likeness);
        assert_eq!(found, Some(likeness), "{one}, {other}");
    }
}

#[test]
fn a_father_and_his_son_never_become_one() {
    assert_eq!(for_two("Byrne, Robert Jr", "Byrne, Robert Sr"), None);
    let found = suggested(&[
        ("Byrne, Robert", [2000, 2001], 2400),
        ("Byrne, Robert Jr", [2000, 2001], 2400),
        ("Byrne, Robert Sr.", [2000, 2001], 2400),
    ]);
    assert_eq!(found.len(), 1, "{found:?}");
}

#[test]
fn of_equal_names_the_first_by_the_alphabet_is_right() {
    for names in [
        ["Tal, Mikhail", "Tal, Mihail"],
        ["Tal, Mihail", "Tal, Mikhail"],
    ] {
        let [one, other] = names;
        let (from, to, _) = for_two(one, other).unwrap();
        assert_eq!((&*from, &*to), ("Tal, Mikhail", "Tal, Mihail"));
    }
    let found = suggested(&[
        ("Tal, Mihail", [1960, 1961], 0),
        ("Tal, Mikhail", [1960, 1961], 0),
        ("Tal, Mikhail", [1962, 1963], 0),
    ]);
    assert_eq!(found[0].to, "Tal, Mikhail");
}

#[test]
fn events_of_a_century_are_one_and_groups_are_not() {
    let named = |(event, year): (&str, u16)| PlainGame {
        header: GameHeader {
            event: event.to_owned(),
            date: format!("{year}").parse().unwrap(),
            ..GameHeader::default()
        },
        ..PlainGame::default()
    };
    let events = [
        ("World Championship", 1886),
        ("World Championship", 2023),
        ("World Championsip", 1972),
        ("Wijk aan Zee A", 2001),
        ("Wijk aan Zee B", 2001),
        ("Memorial Tournament II", 2001),
        ("Memorial Tournament III", 2002),
    ];
    let database = Database::from_bytes(pool::written(&events.map(named))).unwrap();
    let found = database.suggest_names(NameKind::Event).unwrap();
    let told: Vec<_> = found
        .iter()
        .map(|row| (&*row.from.name, &*row.to))
        .collect();
    assert_eq!(told, [("World Championsip", "World Championship")]);
}

#[test]
fn different_people_are_not_suggested() {
    for (one, other) in [
        ("Müller, Karsten", "Müller, Hans"),
        ("Ivanov, A", "Ivanov, B"),
        ("Ivanov", "Ivanov, Boris"),
        ("Li, Chao1", "Li, Chao2"),
        ("Stockfish 10", "Stockfish 11"),
        ("Short, N", "Sport, N"),
    ] {
        assert_eq!(for_two(one, other), None, "{one}, {other}");
    }
}

#[test]
fn the_fuller_name_is_right_and_else_the_more_frequent() {
    let to = |one, other| for_two(one, other).unwrap().1;
    assert_eq!(to("Fischer, R", "Fischer, Robert"), "Fischer, Robert");
    assert_eq!(to("Fischer, Robert", "Fischer, R"), "Fischer, Robert");
    assert_eq!(to("Karsten Müller", "Müller, Karsten"), "Müller, Karsten");
    let found = suggested(&[
        ("Mueller, Karsten", [2000, 2001], 0),
        ("Müller, Karsten", [2000, 2001], 0),
        ("Müller, Karsten", [2002, 2003], 0),
    ]);
    assert_eq!(found[0].to, "Müller, Karsten");
    assert_eq!(
        (found[0].from.games, found[0].known.as_ref().unwrap().games),
        (2, 4)
    );
}

#[test]
fn years_and_ratings_speak_for_and_against() {
    let points = |years, elo| {
        let found = suggested(&[
            ("Fischer, Robert", [1960, 1972], 2700),
            ("Fischer, R", years, elo),
        ]);
        found.first().map(|row| row.points)
    };
    let near = points([1961, 1970], 2690).unwrap();
    assert!(near > points([1961, 1970], 0).unwrap());
    assert!(points([1961, 1970], 0) > points([1961, 1970], 2500));
    assert_eq!(points([1961, 1970], 2100), None);
    assert_eq!(points([2040, 2041], 0), None);
}

#[test]
fn initials_of_several_people_are_less_likely() {
    let points = |others: &[&str]| {
        let mut players = vec![("Ivanov, A", [2000, 2001], 2400)];
        players.extend(others.iter().map(|&name| (name, [2000, 2001], 2400)));
        let found = suggested(&players);
        found.iter().map(|row| row.points).max()
    };
    assert!(points(&["Ivanov, Alexey"]) > points(&["Ivanov, Alexey", "Ivanov, Andrey"]));
}

#[test]
fn who_played_each_other_is_not_one() {
    let game = PlainGame {
        header: GameHeader {
            white: "Polgar, S".to_owned(),
            black: "Polgar, Sofia".to_owned(),
            ..GameHeader::default()
        },
        ..PlainGame::default()
    };
    let database = Database::from_bytes(pool::written(&[game])).unwrap();
    assert_eq!(database.suggest_names(NameKind::Player).unwrap(), []);
}

#[test]
fn a_name_to_change_is_nobodys_right_name() {
    let found = suggested(&[
        ("Fischer, R", [1960, 1961], 0),
        ("Fischer, Robert", [1960, 1961], 0),
        ("Fischer, Robert James", [1960, 1961], 0),
        ("Robert James Fischer", [1960, 1961], 0),
        ("FISCHER, Robert James", [1960, 1961], 0),
    ]);
    assert!(found.len() >= 3, "{found:?}");
    for row in &found {
        assert!(
            found.iter().all(|other| other.from.name != row.to),
            "{row:?}"
        );
    }
}

#[test]
fn events_sites_and_rounds_are_compared_by_their_letters() {
    let named = |event: &str| PlainGame {
        header: GameHeader {
            event: event.to_owned(),
            ..GameHeader::default()
        },
        ..PlainGame::default()
    };
    let events = [
        "Wijk aan Zee",
        "wijk-aan-zee",
        "Wijk aan Zeee",
        "Open 2001",
        "Open 2002",
    ];
    let games = events.map(named);
    let database = Database::from_bytes(pool::written(&games)).unwrap();
    let found = database.suggest_names(NameKind::Event).unwrap();
    let told: Vec<_> = found.iter().map(|row| row.likeness).collect();
    assert_eq!(told, [Likeness::Letters, Likeness::OneLetter]);
    let list = Spellings::parse("@EVENT \"\"\nTata Steel\n = Wijk aan Zee\n").unwrap();
    let found = database.correct_names(NameKind::Event, &list).unwrap();
    let told = (found.len(), found[0].to.as_str(), found[0].likeness);
    assert_eq!(told, (1, "Tata Steel", Likeness::Listed));
}
