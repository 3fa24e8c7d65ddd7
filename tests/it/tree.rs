//! The opening tree agrees with what Scid recorded, with counting by hand, and with itself
//! however games are found.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use shakmaty::{Board, Color, EnPassantMode, Position, Setup};
use tabiya::{
    Database, GameId, NextMove, Query, Strategy, Tree, TreePosition, TreeSearch, chess::GameResult,
    shakmaty::Move,
};

use crate::support::{
    game::{Event, PlainGame},
    pool::{OPENINGS, Pool},
    shared,
    walk::{self, Node},
};

fn tree(database: &Database, position: &TreePosition, strategy: Strategy) -> Tree {
    let tree = TreeSearch::new(position).strategy(strategy).run(database);
    tree.expect("the tree can be made")
}

/// Returns the games of a tree.
fn games(search: &TreeSearch<'_>, database: &Database) -> Vec<GameId> {
    let listed = search.run_with_games(database);
    let (tree, games) = listed.expect("the tree can be made");
    assert_eq!(tree.total().games(), games.len() as u64);
    games
}

// ---- recorded answers ----

/// Compares one recorded row; the text says what differs.
fn check_row(tree: &Tree, wanted: &Value) -> Result<(), String> {
    let name = wanted["san"].as_str().expect("a move");
    let plain = |san: &str| san.trim_end_matches(['+', '#']).to_owned();
    let row = tree
        .rows()
        .iter()
        .find(|row| plain(&row.san) == plain(name));
    let stats = &row.ok_or(format!("{name} is missing"))?.stats;
    let counts = [
        ("total", stats.games()),
        ("white", stats.white_wins()),
        ("draw", stats.draws()),
        ("black", stats.black_wins()),
        ("eloCount", stats.rated_games()),
    ];
    for (field, count) in counts {
        if wanted[field].as_u64() != Some(count) {
            return Err(format!("{name}: {field} is {count}, not {}", wanted[field]));
        }
    }
    let means = [
        ("avgElo", stats.average_rating()),
        ("perf", stats.performance()),
    ];
    for (field, mean) in means {
        // Scid says 0 for absent.
        let (mean, wanted) = (mean.unwrap_or(0.0), wanted[field].as_f64());
        if wanted.is_none_or(|wanted| (wanted - mean).abs() > 1e-6) {
            return Err(format!("{name}: {field} is {mean}, not {wanted:?}"));
        }
    }
    let side = stats.turn().fold_wb("W", "B");
    match wanted["side"].as_str() {
        // Where no move follows, Scid says White.
        Some(wanted) if name == "[end]" || wanted == side => Ok(()),
        wanted => Err(format!("{name}: the side is {side}, not {wanted:?}")),
    }
}

#[test]
fn every_recorded_row_is_counted() {
    let Some(path) = shared::path("truth/scid-tree-dev.jsonl") else {
        return;
    };
    let text = std::fs::read_to_string(path).expect("the recorded answers can be read");
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a recorded answer is JSON");
        let file = match case["db"].as_str() {
            Some("res") => "scid4/res/res_database.si4",
            Some("edge") => "scid4/edge/edge.si4",
            other => panic!("an unknown database {other:?}"),
        };
        let Some(database) = shared::database(file) else {
            return;
        };
        let fen = case["fen"].as_str().expect("a position");
        let position = TreePosition::from_fen(fen).expect("a position");
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let tree = tree(&database, &position, strategy);
            let rows = case["rows"].as_array().expect("rows");
            for row in rows {
                check_row(&tree, row).unwrap_or_else(|what| panic!("{fen}: {what}"));
            }
            assert_eq!(tree.rows().len(), rows.len(), "{fen}: {tree:?}");
        }
    }
}

// ---- counting by hand ----

/// A board and who is to move.
type Key = (Board, Color);

/// What the main line of a game does after the first occurrence of a position.
fn next_by_hand(game: &PlainGame, nodes: &[Node], key: &Key) -> Option<NextMove> {
    let mut line = nodes.iter().filter(|node| node.in_main_line);
    let first = line.position(|node| (&node.place.board, node.place.turn) == (&key.0, key.1))?;
    let mut depth = 0;
    let mut moves = game.events.iter().filter_map(|event| {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(played) if depth == 0 => return Some(*played),
            _ => {}
        }
        None
    });
    Some(match moves.nth(first) {
        None => NextMove::End,
        Some(None) => NextMove::Null,
        Some(Some(played)) => next_move(played),
    })
}

fn next_move(played: Move) -> NextMove {
    let from = played.from().expect("no drops");
    let to = match played.castling_side() {
        Some(side) => shakmaty::Square::from_coords(side.king_to_file(), from.rank()),
        None => played.to(),
    };
    NextMove::Move {
        from,
        to,
        promotion: played.promotion(),
    }
}

/// Every field that a tree counts, in an order of its own.
fn counted(tree: &Tree) -> BTreeMap<String, (String, [u64; 5], String)> {
    let rows = tree.rows().iter().map(|row| {
        let stats = &row.stats;
        let counts = [
            stats.games(),
            stats.white_wins(),
            stats.draws(),
            stats.black_wins(),
            stats.rated_games(),
        ];
        let means = (stats.average_rating(), stats.average_year(), stats.eco());
        let entry = (row.san.clone(), counts, format!("{means:?}"));
        (format!("{:?}", row.next), entry)
    });
    rows.collect()
}

/// Returns all positions of all games.
fn walked(pool: &Pool) -> Vec<Vec<Node>> {
    let games = pool.games.iter();
    games.map(|known| walk::positions(&known.game)).collect()
}

/// Positions of the openings that random games begin with, and some positions of the games.
fn positions(games: &[Vec<Node>]) -> Vec<Setup> {
    let mut all = Vec::new();
    for opening in OPENINGS {
        let words: Vec<&str> = opening.split(' ').collect();
        for plies in 0..=words.len() {
            let position = TreePosition::from_moves(&words[..plies].join(" "));
            all.push(position.expect("an opening").setup().clone());
        }
    }
    for nodes in games {
        for node in nodes.iter().step_by(29) {
            let mut setup = Setup::empty();
            setup.board = node.place.board.clone();
            setup.turn = node.place.turn;
            all.push(setup);
        }
    }
    all
}

#[test]
fn stored_lines_full_decode_and_counting_by_hand_agree_on_random_games() {
    for seed in 1..=2 {
        let pool = Pool::new(0x7ee_0000 + seed, 50);
        let walked = walked(&pool);
        for setup in positions(&walked) {
            let position = TreePosition::new(setup);
            let indexed = tree(&pool.database, &position, Strategy::Auto);
            let full = tree(&pool.database, &position, Strategy::FullDecode);
            assert_eq!(counted(&indexed), counted(&full), "{position:?}");
            let beside = tree(&pool.indexed, &position, Strategy::Auto);
            assert_eq!(counted(&beside), counted(&full), "{position:?}");
            let setup = position.setup();
            let key = (setup.board.clone(), setup.turn);
            let mut by_hand: BTreeMap<String, [u64; 4]> = BTreeMap::new();
            let (mut listed, mut nexts) = (Vec::new(), Vec::new());
            for (number, (known, nodes)) in (0..).zip(pool.games.iter().zip(&walked)) {
                let next = next_by_hand(&known.game, nodes, &key);
                nexts.push(next);
                if let Some(next) = next {
                    let counts = by_hand.entry(format!("{next:?}")).or_default();
                    counts[known.game.header.result as usize] += 1;
                    listed.push(GameId(number));
                }
            }
            for database in [&pool.database, &pool.indexed] {
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    let search = TreeSearch::new(&position).strategy(strategy);
                    assert_eq!(games(&search, database), listed, "{position:?}");
                }
                let all: Vec<GameId> = database.games().collect();
                let search = TreeSearch::new(&position);
                let found = search
                    .next_moves(database, &all)
                    .expect("games are decoded");
                assert_eq!(found, nexts, "{position:?}");
            }
            let wanted: BTreeMap<String, [u64; 3]> = by_hand
                .into_iter()
                .map(|(next, counts)| {
                    let of = |result: GameResult| counts[result as usize];
                    let white = of(GameResult::WhiteWins);
                    let all = counts.iter().sum();
                    (next, [all, white, of(GameResult::Draw)])
                })
                .collect();
            let found: BTreeMap<String, [u64; 3]> = counted(&indexed)
                .into_iter()
                .map(|(next, (_, [all, white, draws, ..], _))| (next, [all, white, draws]))
                .collect();
            assert_eq!(found, wanted, "{position:?}");
        }
    }
}

/// What all lines of a game do after a position, each move once.
fn all_nexts_by_hand(nodes: &[Node], key: &Key) -> BTreeSet<String> {
    let has = |node: &Node| (&node.place.board, node.place.turn) == (&key.0, key.1);
    let after = nodes
        .iter()
        .filter(|node| node.parent.is_some_and(|before| has(&nodes[before])));
    let next = |node: &Node| node.moved.map_or(NextMove::Null, next_move);
    let mut all: BTreeSet<String> = after.map(|node| format!("{:?}", next(node))).collect();
    if all.is_empty() && nodes.iter().any(has) {
        all.insert(format!("{:?}", NextMove::End));
    }
    all
}

#[test]
fn a_tree_of_all_lines_is_that_counted_by_hand() {
    let pool = Pool::new(0x7ee_5555, 60);
    let walked = walked(&pool);
    let mut beside_main_lines = 0;
    for setup in positions(&walked) {
        let position = TreePosition::new(setup);
        let key = (position.setup().board.clone(), position.setup().turn);
        let mut by_hand: BTreeMap<String, u64> = BTreeMap::new();
        let mut reaching = Vec::new();
        for (number, nodes) in (0..).zip(&walked) {
            let nexts = all_nexts_by_hand(nodes, &key);
            if !nexts.is_empty() {
                reaching.push(GameId(number));
            }
            for next in nexts {
                *by_hand.entry(next).or_default() += 1;
            }
        }
        for database in [&pool.database, &pool.indexed] {
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let search = TreeSearch::new(&position).strategy(strategy);
                let search = search.variations(true);
                assert_eq!(games(&search, database), reaching, "{position:?}");
                let tree = search.run(database).expect("the tree can be made");
                let rows = tree.rows().iter();
                let found = rows.map(|row| (format!("{:?}", row.next), row.stats.games()));
                assert_eq!(found.collect::<BTreeMap<_, _>>(), by_hand, "{position:?}");
            }
        }
        beside_main_lines += usize::from(by_hand.values().sum::<u64>() > reaching.len() as u64);
    }
    assert!(beside_main_lines > 5, "{beside_main_lines}");
}

#[test]
fn a_query_leaves_the_games_that_match() {
    let pool = Pool::new(0x7ee_9999, 80);
    let walked = walked(&pool);
    for text in ["result:1-0", "elo>=2000 or result:draw", "-at(check)"] {
        let query: Query = text.parse().expect("a query");
        let found = tabiya::Search::new(&query).run(&pool.database);
        let found = found.expect("the search runs");
        for moves in ["", "e4", "e4 e5 Nf3", "d4 Nf6 c4 g6"] {
            let position = TreePosition::from_moves(moves).expect("moves");
            let setup = position.setup();
            let key = (setup.board.clone(), setup.turn);
            let matching = found.iter().map(|hit| hit.game);
            let reaching = matching.filter(|game| {
                let index = game.index();
                next_by_hand(&pool.games[index].game, &walked[index], &key).is_some()
            });
            let reaching: Vec<GameId> = reaching.collect();
            for database in [&pool.database, &pool.indexed] {
                let search = TreeSearch::new(&position).query(&query);
                assert_eq!(games(&search, database), reaching, "{text} {moves}");
            }
        }
    }
}

#[test]
fn a_position_beyond_half_move_255_has_its_true_next_move() {
    let mut position = shakmaty::Chess::default();
    let mut events = Vec::new();
    let mut play = |word: &str| {
        let san: shakmaty::san::San = word.parse().expect("a move");
        let played = san.to_move(&position).expect("a legal move");
        position.play_unchecked(played);
        events.push(Event::Play(Some(played)));
        position.to_setup(EnPassantMode::Legal)
    };
    for _ in 0..150 {
        for word in ["Nf3", "Nf6", "Ng1", "Ng8"] {
            play(word);
        }
    }
    let late = play("a3");
    play("h6");
    let pool = Pool::of(vec![PlainGame {
        events,
        ..PlainGame::default()
    }]);
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        let tree = tree(&pool.database, &TreePosition::new(late.clone()), strategy);
        let names: Vec<&str> = tree.rows().iter().map(|row| row.san.as_str()).collect();
        assert_eq!(names, ["h6"]);
    }
}

#[test]
fn positions_are_equal_by_whatever_moves_they_were_made() {
    let [one, other] = ["1.d4 Nf6 2.c4", "1.c4 Nf6 2.d4"].map(TreePosition::from_moves);
    assert_eq!(one, other);
}
