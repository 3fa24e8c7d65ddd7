//! Where games leave what was known: the recorded answers, and a search game by game.

use std::{collections::HashSet, fs, path::Path};

use serde_json::{Value, json};
use shakmaty::Color;
use tabiya::{ConvertOptions, Database, Flow, LineEnd, Novelties, Novelty, Query, Search};

use crate::support::{game::PlainGame, naive::Known, shared};

fn found(games: &Database, bases: &[Database], variations: bool) -> Vec<Novelty> {
    let novelties = Novelties::new().variations(variations);
    novelties.run(games, bases).unwrap().0
}

type Position = (String, Color);

/// The date and the positions of the main line, or of all lines, of each game.
fn courses(database: &Database, variations: bool) -> Vec<(u32, Vec<Position>)> {
    let games = database.games();
    games
        .map(|id| {
            let known = Known::new(id, PlainGame::read(database, id).unwrap());
            let main = known.nodes.iter();
            let main = main.filter(|node| variations || node.in_main_line);
            let places = main.map(|node| (node.place.board.to_string(), node.place.turn));
            (known.game.header.date.packed(), places.collect())
        })
        .collect()
}

/// Game, ply, earlier games, and the latest of these: its base and number.
type Remaining = (u32, u32, u32, Option<(usize, u32)>);

/// Looks through all bases for each game on its own.
fn searched(games: &Database, bases: &[Database], variations: bool) -> Vec<Remaining> {
    let bases: Vec<_> = bases.iter().map(|base| courses(base, variations)).collect();
    let had: Vec<Vec<HashSet<&Position>>> = bases
        .iter()
        .map(|games| {
            games
                .iter()
                .map(|(_, places)| places.iter().collect())
                .collect()
        })
        .collect();
    let mut novelties = Vec::new();
    for (number, (date, places)) in (1..).zip(courses(games, false)) {
        let earlier = |place: Option<&Position>| {
            let mut found = Vec::new();
            for (base, games) in bases.iter().enumerate() {
                for (game, (other, _)) in games.iter().enumerate() {
                    let has = place.is_none_or(|place| had[base][game].contains(place));
                    if *other < date && has {
                        found.push((*other, base, game as u32 + 1));
                    }
                }
            }
            found.sort_unstable();
            found
        };
        if date == 0 || earlier(None).is_empty() {
            continue;
        }
        let ply = places
            .iter()
            .position(|place| earlier(Some(place)).is_empty());
        let Some(ply) = ply else { continue };
        let before = match ply.checked_sub(1) {
            Some(before) => earlier(Some(&places[before])),
            None => Vec::new(),
        };
        let latest = before.last().map(|&(_, base, game)| (base, game));
        novelties.push((number, ply as u32, before.len() as u32, latest));
    }
    novelties
}

#[test]
fn novelties_are_those_of_a_search_game_by_game() {
    let folder = tempfile::tempdir().unwrap();
    let all = Path::new("fixtures/famous.si4");
    // The same games with custom starts, and in two bases.
    let part = |query: &str| {
        let target = folder.path().join(format!("{}.si4", query.len()));
        let query: Query = query.parse().unwrap();
        let options = ConvertOptions::default().search(Search::new(&query));
        tabiya::convert(&[all.to_owned()], &target, options, &mut |_| {
            Flow::Continue(())
        })
        .unwrap();
        Database::open(&target).unwrap()
    };
    let games = Database::open(all).unwrap();
    let bases = [part("year:..1857"), part("year:1858.. or result:1-0")];
    let whole = [Database::open(all).unwrap()];
    let lines = [Database::open("fixtures/lines/white.pgn").unwrap()];
    let mut count = 0;
    for bases in [&bases[..], &bases[..1], &whole[..], &lines[..]] {
        let [main, all] = [false, true].map(|variations| {
            let found = found(&games, bases, variations);
            let told = found.iter().map(|one| {
                let latest = one.latest.map(|(base, game)| (base, game.number_in_part()));
                (one.game.number_in_part(), one.ply, one.before, latest)
            });
            let told: Vec<_> = told.collect();
            assert_eq!(told, searched(&games, bases, variations));
            told
        });
        count += main.len();
        // Games reach variations of these.
        assert!(main != all || bases[0].path() != lines[0].path());
    }
    assert!(count > 20, "{count}");
}

#[test]
fn novelties_give_the_recorded_answers() {
    let Some(file) = shared::packed("truth/novelty-dev.json") else {
        return;
    };
    let (Some(games), Some(kingbase)) = (
        shared::database("scid4/res/res_database.si4"),
        shared::packed("scid4/kingbase/kingbase.si4"),
    ) else {
        return;
    };
    let recorded: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, query) in [("base10000", "number:..10000"), ("elite", "elo>=2690")] {
        let base = folder.path().join(format!("{name}.si4"));
        let query: Query = query.parse().unwrap();
        let options = ConvertOptions::default().search(Search::new(&query));
        let sources = [kingbase.clone()];
        tabiya::convert(&sources, &base, options, &mut |_| Flow::Continue(())).unwrap();
        let base = Database::open(&base).unwrap();
        let rest = &recorded[format!("{name}_rest")];
        assert_eq!(rest["base_games"], base.len());
        let rows: Vec<Value> = found(&games, &[base], false)
            .iter()
            .map(|one| row(&games, one))
            .collect();
        let wanted = recorded[name].as_array().unwrap();
        assert!(wanted.len() > 400);
        for row in wanted {
            assert!(rows.contains(row), "{name}: {row}");
        }
        let mut others = 0;
        for list in ["no_earlier_game_at_all", "undated", "never_leaves"] {
            for number in rest[list].as_array().unwrap() {
                assert!(
                    rows.iter().all(|row| row[0] != *number),
                    "{name}: {list}: {number}"
                );
                others += 1;
            }
        }
        assert_eq!(rows.len() + others, games.len() as usize, "{name}");
    }
}

/// Returns a novelty as it is recorded.
fn row(games: &Database, one: &Novelty) -> Value {
    let line = games
        .line(one.game, LineEnd::Ply(one.ply))
        .unwrap()
        .unwrap();
    let san = line.moves.last().map(|last| last.san.clone());
    let latest = one.latest.map(|(_, game)| game.number_in_part());
    json!([one.game.number_in_part(), one.ply, san, one.before, latest])
}
