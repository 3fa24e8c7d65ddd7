//! What a sidecar knows of frequent positions: all their games, the plies, and what came next.

use std::{collections::BTreeMap, fmt::Write, fs, path::PathBuf};

use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, Setup, fen::Fen, san::SanPlus};
use tabiya::{
    Database, Flow, OpenOptions, Query, Search, Sidecar, Strategy, Tree, TreeOrder, TreePosition,
    TreeSearch, format::Overwrite,
};
use tempfile::TempDir;

use crate::support::{dice::Dice, shared};

/// Moves that lead to the same positions in many orders, and back to them.
const POPULAR: [&str; 18] = [
    "g1f3", "f3g1", "g8f6", "f6g8", "e2e4", "e7e5", "d2d4", "d7d5", "b1c3", "b8c6", "f1e2", "f8e7",
    "e1g1", "e8g8", "e1c1", "e8c8", "a7b8q", "g2h1n",
];

/// Starts of their own: one that games also come to from the standard start, some with castling
/// and promotions among their first moves, one of Chess960.
const STARTS: [&str; 4] = [
    "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1",
    "r3k2r/pppbqppp/2np1n2/2b1p3/2B1P3/2NP1N2/PPPBQPPP/R3K2R w KQkq - 0 1",
    "rnbqkbnr/Pppppp1p/8/8/8/8/1PPPPPpP/RNBQKB1R w KQkq - 0 1",
    "bnrkrqnb/pppppppp/8/8/8/8/PPPPPPPP/BNRKRQNB w ECec - 0 1",
];

/// Games with frequent positions, and where each position first comes.
struct Games {
    pgn: String,
    /// By position: games and plies.
    places: BTreeMap<String, Vec<(u32, u32)>>,
}

impl Games {
    fn new(count: u32, seed: u64) -> Games {
        let mut games = Games {
            pgn: String::new(),
            places: BTreeMap::new(),
        };
        let mut dice = Dice::new(seed);
        for game in 0..count {
            games.add(game, &mut dice);
        }
        games
    }

    fn add(&mut self, game: u32, dice: &mut Dice) {
        let start = dice.percent(15).then(|| *dice.pick(&STARTS));
        let setup = start.map_or_else(Setup::initial, |fen| {
            fen.parse::<Fen>().unwrap().into_setup()
        });
        let mode = match start {
            Some(fen) if fen.starts_with("bnrk") => CastlingMode::Chess960,
            _ => CastlingMode::Standard,
        };
        let mut position: Chess = setup.position(mode).unwrap();
        self.write_tags(start, mode, dice);
        let mut seen = vec![key(&position)];
        for _ in 0..dice.below(24) {
            let moves = position.legal_moves();
            let wanted = *dice.pick(&POPULAR);
            let is_wanted = |played: &shakmaty::Move| {
                played.to_uci(CastlingMode::Standard).to_string() == wanted
            };
            let popular = moves.iter().copied().find(is_wanted);
            let any = moves.get(dice.below(moves.len())).copied();
            let any = any.filter(|_| dice.percent(20));
            let Some(played) = popular.or(any) else {
                continue;
            };
            let san = SanPlus::from_move(position.clone(), played);
            write!(self.pgn, "{san} ").unwrap();
            // Now and then the same move is a variation too, which only variations may count.
            if dice.percent(4) {
                write!(self.pgn, "({san}) ").unwrap();
            }
            position.play_unchecked(played);
            seen.push(key(&position));
        }
        self.pgn.push_str("*\n\n");
        for (ply, key) in (0..).zip(seen) {
            let places = self.places.entry(key).or_default();
            if places.last().is_none_or(|&(last, _)| last != game) {
                places.push((game, ply));
            }
        }
    }

    fn write_tags(&mut self, start: Option<&str>, mode: CastlingMode, dice: &mut Dice) {
        let mut tag = |name: &str, value: String| {
            writeln!(self.pgn, "[{name} \"{value}\"]").unwrap();
        };
        let results = ["1-0", "0-1", "1/2-1/2", "*"];
        tag("Event", format!("Open {}", dice.below(3)));
        tag("White", format!("Player {}", dice.below(9)));
        tag(
            "Date",
            ["1999.01.02", "2004.??.??", "????.??.??"][dice.below(3)].into(),
        );
        tag("Result", results[dice.below(4)].into());
        tag("ECO", ["A00", "C50", "C55b", "E99"][dice.below(4)].into());
        if dice.percent(70) {
            tag("WhiteElo", dice.between(1900, 2700).to_string());
        }
        if dice.percent(70) {
            tag("BlackElo", dice.between(1900, 2700).to_string());
        }
        if let Some(fen) = start {
            tag("FEN", fen.into());
            tag("SetUp", "1".into());
        }
        if mode == CastlingMode::Chess960 {
            tag("Variant", "Chess960".into());
        }
        self.pgn.push('\n');
    }
}

/// Men and side to move.
fn key(position: &Chess) -> String {
    let setup = position.to_setup(EnPassantMode::Legal);
    format!("{} {}", setup.board, setup.turn.char())
}

/// A database with a sidecar in a folder of its own.
struct Base {
    _folder: TempDir,
    path: PathBuf,
}

impl Base {
    fn new(pgn: &str, target: &str) -> Base {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("source.pgn");
        fs::write(&source, pgn).unwrap();
        let path = folder.path().join(target);
        if path.extension().is_some_and(|suffix| suffix == "pgn") {
            fs::rename(source, &path).unwrap();
            return Base::of(folder, path);
        }
        let go_on = &mut |_| Flow::Continue(());
        tabiya::convert(&[source], &path, Overwrite::Refuse, go_on).unwrap();
        Base::of(folder, path)
    }

    fn of(folder: TempDir, path: PathBuf) -> Base {
        let base = Base {
            _folder: folder,
            path,
        };
        base.build();
        base
    }

    fn build(&self) {
        let database = self.without();
        Sidecar::build(&database).unwrap();
    }

    fn with(&self) -> Database {
        let database = Database::open(&self.path).unwrap();
        assert!(database.sidecar().is_some(), "{:?}", database.notes());
        database
    }

    fn without(&self) -> Database {
        OpenOptions::new().sidecar(false).open(&self.path).unwrap()
    }

    fn sidecar(&self) -> PathBuf {
        self.path.with_extension("tabiya")
    }
}

fn found(query: &str, database: &Database) -> Vec<(u32, Option<u32>)> {
    let query: Query = query.parse().unwrap();
    let matches = Search::new(&query).run(database).unwrap();
    matches.iter().map(|hit| (hit.game.0, hit.ply)).collect()
}

/// With so many games a position is one of the frequent ones of a small database,
const FREQUENT: usize = 8;
/// if it has so many men.
const MEN: usize = 26;

fn is_frequent(key: &str, places: &[(u32, u32)]) -> bool {
    let placement = key.split(' ').next().unwrap_or_default();
    let men = placement.chars().filter(|letter| letter.is_alphabetic());
    places.len() >= FREQUENT && men.count() >= MEN
}

#[test]
fn games_and_plies_of_all_positions_are_those_of_a_plain_replay() {
    let games = Games::new(400, 5);
    // Every format keeps all games but those of Chess960; this one keeps these too.
    let base = Base::new(&games.pgn, "games.pgn");
    let database = base.with();
    let (mut frequent, mut at_other_plies) = (0, 0);
    for (number, (key, places)) in games.places.iter().enumerate() {
        if places.len() < FREQUENT && number % 16 != 0 {
            continue;
        }
        let query: Query = format!("fen:\"{key}\"").parse().unwrap();
        let found = Search::new(&query).run(&database).unwrap();
        let hits: Vec<_> = found
            .iter()
            .map(|hit| (hit.game.0, hit.ply.unwrap()))
            .collect();
        assert_eq!(&hits, places, "{key}");
        if is_frequent(key, places) {
            assert_eq!(found.report().decoded, 0, "{key}");
            let rows = Search::new(&query).explain_clauses(&database).unwrap();
            assert_eq!(rows[0].served_by, "games of frequent positions, decoding");
            assert_eq!(rows[0].certain, places.len() as u64);
            frequent += 1;
            at_other_plies += u32::from(places.iter().any(|place| place.1 != places[0].1));
        }
    }
    assert!(frequent > 15, "{frequent}");
    assert!(at_other_plies > 2, "{at_other_plies}");
}

/// Plies are in a range or not, rights count, variations count: never is anything lost or wrong.
#[test]
fn further_conditions_give_the_same_with_and_without_a_sidecar() {
    let games = Games::new(300, 6);
    for target in ["games.si4", "games.cbh"] {
        let base = Base::new(&games.pgn, target);
        let (with, without) = (base.with(), base.without());
        for key in games
            .places
            .iter()
            .filter(|(_, places)| places.len() >= FREQUENT)
        {
            let key = key.0;
            for query in [
                format!("at(fen:\"{key}\" ply:3..6)"),
                format!("at(fen:\"{key}\" ply:4..)"),
                format!("at(fen:\"{key} KQkq - 0 1\" rights)"),
                format!("at(fen:\"{key}\" -piece:Nf3)"),
                format!("at(fen:\"{key}\" for:2)"),
                format!("at(fen:\"{key}\" flip)"),
                format!("-fen:\"{key}\" result:1-0"),
                format!("fen:\"{key}\" or at(piece:Nc3 piece:nc6)"),
                format!("at(fen:\"{key}\") then at(piece:Be2)"),
            ] {
                let query: Query = query.parse().unwrap();
                for variations in [false, true] {
                    let search = Search::new(&query).variations(variations);
                    let hits = search.run(&with).unwrap();
                    let same = search.run(&without).unwrap();
                    assert_eq!(hits.as_slice(), same.as_slice(), "{query}");
                    let count = search.count(&with).unwrap().matched;
                    assert_eq!(count, hits.len() as u64, "{query}");
                }
            }
        }
    }
}

/// Everything that a tree tells but how it was made.
fn told(tree: &Tree) -> String {
    format!(
        "{:?} {:?} {}",
        tree.rows(),
        tree.total(),
        tree.report().matched
    )
}

#[test]
fn trees_are_the_same_with_and_without_a_sidecar() {
    let games = Games::new(400, 7);
    for target in ["games.si4", "games.pgn"] {
        same_trees(&games, &Base::new(&games.pgn, target));
    }
}

fn same_trees(games: &Games, base: &Base) {
    let (with, without) = (base.with(), base.without());
    let query: Query = "result:1-0 or at(piece:Nf3 piece:nc6)".parse().unwrap();
    let mut ready = 0;
    for (key, places) in &games.places {
        if places.len() < FREQUENT / 2 {
            continue;
        }
        let position = TreePosition::from_fen(key).unwrap();
        let plain = TreeSearch::new(&position);
        for order in [
            TreeOrder::Games,
            TreeOrder::Score,
            TreeOrder::Rating,
            TreeOrder::Name,
        ] {
            let search = plain.clone().order(order);
            let tree = search.run(&with).unwrap();
            assert_eq!(told(&tree), told(&search.run(&without).unwrap()), "{key}");
            ready += u32::from(tree.report().decoded == 0);
        }
        let full = plain.clone().strategy(Strategy::FullDecode);
        assert_eq!(
            told(&full.run(&with).unwrap()),
            told(&plain.run(&with).unwrap())
        );
        for variations in [false, true] {
            let some = plain.clone().query(&query).variations(variations);
            assert_eq!(
                told(&some.run(&with).unwrap()),
                told(&some.run(&without).unwrap())
            );
        }
    }
    assert!(ready > 50, "{ready}");
}

/// Trees of all games cannot be kept ready when some games cannot be told; nor is anything
/// certain of these.
#[test]
fn damaged_games_are_found_and_told_as_without_a_sidecar() {
    let games = Games::new(300, 8);
    let base = Base::new(&games.pgn, "games.si4");
    let path = base.path.with_extension("sg4");
    let mut bytes = fs::read(&path).unwrap();
    let length = bytes.len();
    for at in [length / 3, length / 2] {
        bytes[at..at + 150].fill(0x0b);
    }
    fs::write(&path, bytes).unwrap();
    base.build();
    let (with, without) = (base.with(), base.without());
    let mut damaged = 0;
    for (key, _) in games
        .places
        .iter()
        .filter(|(_, places)| places.len() >= FREQUENT)
    {
        let query: Query = format!("fen:\"{key}\"").parse().unwrap();
        let [found, same] = [&with, &without].map(|base| Search::new(&query).run(base).unwrap());
        assert_eq!(found.as_slice(), same.as_slice(), "{key}");
        let position = TreePosition::from_fen(key).unwrap();
        let [tree, same] =
            [&with, &without].map(|base| TreeSearch::new(&position).run(base).unwrap());
        assert_eq!(told(&tree), told(&same), "{key}");
        damaged += found.report().damaged + tree.report().damaged;
    }
    assert!(damaged > 0);
}

#[test]
fn a_damaged_sidecar_changes_no_game_ply_or_tree() {
    let games = Games::new(60, 9);
    let base = Base::new(&games.pgn, "games.si4");
    let asked: Vec<String> = games
        .places
        .iter()
        .filter(|(_, places)| places.len() >= 2 * FREQUENT)
        .map(|(key, _)| key.clone())
        .collect();
    assert!(!asked.is_empty());
    let answers = |database: &Database| -> Vec<String> {
        let answer = |key: &String| {
            let position = TreePosition::from_fen(key).unwrap();
            let tree = TreeSearch::new(&position).run(database).unwrap();
            format!(
                "{:?} {}",
                found(&format!("fen:\"{key}\""), database),
                told(&tree)
            )
        };
        asked.iter().take(3).map(answer).collect()
    };
    let (right, sound) = (answers(&base.with()), fs::read(base.sidecar()).unwrap());
    for at in (0..sound.len()).step_by(211) {
        let mut bytes = sound.clone();
        bytes[at..(at + 3).min(sound.len())].fill(0x5a);
        fs::write(base.sidecar(), bytes).unwrap();
        assert!(
            answers(&Database::open(&base.path).unwrap()) == right,
            "{at}"
        );
    }
}

#[test]
fn the_smallest_databases_give_the_same_with_a_sidecar() {
    for count in [0, 1, 7, 8, 65] {
        let games = Games::new(count, 10);
        let base = Base::new(&games.pgn, "games.si4");
        let (with, without) = (base.with(), base.without());
        for key in games.places.keys() {
            let query = format!("fen:\"{key}\"");
            assert_eq!(found(&query, &with), found(&query, &without));
        }
    }
}

#[test]
fn a_sidecar_does_not_depend_on_the_number_of_threads() {
    let games = Games::new(300, 11);
    let base = Base::new(&games.pgn, "games.si4");
    let files = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| base.build());
        fs::read(base.sidecar()).unwrap()
    });
    assert!(files[0] == files[1]);
}

/// More than one block; positions that are popular, that come by many orders of moves, and rare.
#[test]
fn positions_of_a_large_database_have_the_same_games_and_trees() {
    let Some((folder, path)) = shared::copy_of_kingbase() else {
        return;
    };
    let base = Base::of(folder, path);
    let (with, without) = (base.with(), base.without());
    for moves in [
        "",
        "e4",
        "d4 Nf6 c4 e6 Nc3",
        "Nf3 d5 g3 Nf6 Bg2 e6 O-O",
        "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7",
    ] {
        let position = TreePosition::from_moves(moves).unwrap();
        let [tree, same] =
            [&with, &without].map(|base| TreeSearch::new(&position).run(base).unwrap());
        assert!(tree.report().decoded < 1000, "{moves}");
        assert!(told(&tree) == told(&same), "{moves}");
        let query = position.to_query();
        let [found, same] = [&with, &without].map(|base| Search::new(&query).run(base).unwrap());
        assert!(found.as_slice() == same.as_slice(), "{moves}");
        assert_eq!(found.report().decoded, 0, "{moves}");
        assert_eq!(found.len() as u64, tree.total().games());
    }
}
