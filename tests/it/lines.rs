//! Lines agree with counting by hand at every position, and what is written of them is read again.

use std::collections::{BTreeMap, HashMap, VecDeque};

use shakmaty::{
    Board, Chess, Color, EnPassantMode, Position as _, Setup, Square, zobrist::Zobrist64,
};
use tabiya::{
    Database, LineGraph, Lines, NextMove, Query, Search, Strategy, TreePosition, TreeSearch,
};

use crate::support::{
    dice::Dice,
    pool::{OPENINGS, Pool},
    walk::{self, Node},
};

/// A board and who is to move.
type Key = (Board, Color);

/// A position of a graph: the ply, the games, and its moves with their games by result and whether
/// the position after it is in the graph.
type Told = (u32, u64, BTreeMap<String, ([u64; 4], Option<String>)>);

fn told_key(key: &Key) -> String {
    format!("{} {}", key.0, key.1)
}

/// What is asked of the lines.
#[derive(Debug, Clone)]
struct Asked {
    root: Setup,
    depth: u32,
    least: u64,
    share: f64,
    only: Option<Color>,
    query: Option<Query>,
    variations: bool,
}

impl Asked {
    fn random(dice: &mut Dice, walked: &[Vec<Node>]) -> Asked {
        let root = if dice.below(3) == 0 {
            let nodes = &walked[dice.below(walked.len())];
            let place = &nodes[dice.below(nodes.len())].place;
            let mut setup = Setup::empty();
            (setup.board, setup.turn) = (place.board.clone(), place.turn);
            setup
        } else {
            let words: Vec<&str> = OPENINGS[dice.below(OPENINGS.len())].split(' ').collect();
            let moves = words[..dice.below(words.len() + 1)].join(" ");
            TreePosition::from_moves(&moves).unwrap().setup().clone()
        };
        let queries = ["result:1-0", "elo>=2000 or result:draw", "-at(check)"];
        Asked {
            root,
            depth: 1 + dice.below(12) as u32,
            least: 1 + dice.below(4) as u64,
            share: [0.0, 0.0, 0.1, 0.4][dice.below(4)],
            only: [None, None, Some(Color::White), Some(Color::Black)][dice.below(4)],
            query: queries.get(dice.below(6)).map(|text| text.parse().unwrap()),
            variations: dice.below(3) == 0,
        }
    }

    fn graph(&self, databases: &[&Database], strategy: Strategy) -> LineGraph {
        let position = TreePosition::new(self.root.clone());
        let mut lines = Lines::new(&position)
            .depth(self.depth)
            .min_games(self.least)
            .min_share(self.share)
            .variations(self.variations)
            .strategy(strategy);
        if let Some(query) = &self.query {
            lines = lines.query(query);
        }
        if let Some(side) = self.only {
            lines = lines.only(side);
        }
        lines.run(databases).expect("the lines can be made")
    }

    /// Returns whether a game matches the query.
    fn matching(&self, pool: &Pool) -> Vec<bool> {
        let query = self.query.clone().unwrap_or(Query::All);
        let search = Search::new(&query)
            .strategy(Strategy::FullDecode)
            .variations(self.variations);
        let games = search.run(&pool.database).unwrap().games();
        pool.database
            .games()
            .map(|game| games.contains(game))
            .collect()
    }
}

/// The moves of a position by hand: the games by result, and the position after the move.
type Rows = HashMap<NextMove, ([u64; 4], Option<Key>)>;

/// The games that have a position, and its moves.
type Counted = (u64, Rows);

/// All games by hand.
struct ByHand<'a> {
    walked: &'a [Vec<Node>],
    results: Vec<usize>,
    matching: Vec<bool>,
    variations: bool,
    copies: u64,
}

pub(crate) fn next_of(node: &Node) -> NextMove {
    let Some(played) = node.moved else {
        return NextMove::Null;
    };
    let from = played.from().expect("no drops");
    let to = match played.castling_side() {
        Some(side) if from.file() == shakmaty::File::E => {
            Square::from_coords(side.king_to_file(), from.rank())
        }
        _ => played.to(),
    };
    NextMove::Move {
        from,
        to,
        promotion: played.promotion(),
    }
}

impl ByHand<'_> {
    fn rows(&self, key: &Key) -> Counted {
        let (mut games, mut rows) = (0, Rows::new());
        for (number, nodes) in self.walked.iter().enumerate() {
            if !self.matching[number] {
                continue;
            }
            let is_here = |node: &Node| (&node.place.board, node.place.turn) == (&key.0, key.1);
            let at = (0..nodes.len())
                .filter(|&at| is_here(&nodes[at]) && (self.variations || nodes[at].in_main_line));
            let at: Vec<usize> = at
                .take(if self.variations { usize::MAX } else { 1 })
                .collect();
            let after = nodes.iter().filter(|node| {
                let is_told = self.variations || node.in_main_line;
                is_told && node.parent.is_some_and(|parent| at.contains(&parent))
            });
            games += u64::from(!at.is_empty()) * self.copies;
            let mut nexts: HashMap<NextMove, Option<Key>> = HashMap::new();
            for node in after {
                let place = &node.place;
                let after = node.moved.map(|_| (place.board.clone(), place.turn));
                nexts.insert(next_of(node), after);
            }
            if nexts.is_empty() && !at.is_empty() {
                nexts.insert(NextMove::End, None);
            }
            for (next, after) in nexts {
                let row = rows.entry(next).or_insert(([0; 4], after));
                row.0[self.results[number]] += self.copies;
            }
        }
        (games, rows)
    }

    fn graph(&self, asked: &Asked) -> BTreeMap<String, Told> {
        let root = (asked.root.board.clone(), asked.root.turn);
        let mut plies: HashMap<Key, u32> = HashMap::from([(root.clone(), 0)]);
        let mut queue = VecDeque::from([root]);
        let mut kept: Vec<(Key, u64, Rows)> = Vec::new();
        while let Some(key) = queue.pop_front() {
            let (total, mut rows) = self.rows(&key);
            let games = |row: &([u64; 4], Option<Key>)| row.0.iter().sum::<u64>();
            rows.retain(|next, row| {
                let games = games(row);
                let is_shared = games as f64 >= asked.share * total as f64;
                *next != NextMove::End && games >= asked.least && is_shared
            });
            let ply = plies[&key];
            for after in rows.values().filter_map(|(_, after)| after.as_ref()) {
                if ply + 1 < asked.depth && !plies.contains_key(after) {
                    plies.insert(after.clone(), ply + 1);
                    queue.push_back(after.clone());
                }
            }
            kept.push((key, total, rows));
        }
        let going_on: HashMap<Key, bool> = kept
            .iter()
            .map(|(key, _, rows)| (key.clone(), !rows.is_empty()))
            .collect();
        let root = told_key(&(asked.root.board.clone(), asked.root.turn));
        let told = kept.into_iter().map(|(key, total, rows)| {
            let is_cut = asked.only.is_some_and(|side| side != key.1);
            let rows = rows.into_iter().filter_map(|(next, (counts, after))| {
                let after = after.filter(|after| going_on.contains_key(after));
                let goes_on = after.as_ref().is_some_and(|after| going_on[after]);
                let after = after.as_ref().map(told_key);
                (!is_cut || goes_on).then(|| (format!("{next:?}"), (counts, after)))
            });
            (told_key(&key), (plies[&key], total, rows.collect()))
        });
        let mut told: BTreeMap<String, Told> = told.collect();
        if asked.only.is_some() {
            told.retain(|key, (_, _, rows)| *key == root || !rows.is_empty());
            let left: Vec<String> = told.keys().cloned().collect();
            let rows = told.values_mut().flat_map(|(_, _, rows)| rows.values_mut());
            rows.for_each(|(_, after)| *after = after.take().filter(|after| left.contains(after)));
        }
        told
    }
}

fn told(graph: &LineGraph) -> BTreeMap<String, Told> {
    let key = |number: usize| {
        let setup = graph.nodes()[number].setup();
        told_key(&(setup.board.clone(), setup.turn))
    };
    let nodes = graph.nodes().iter().enumerate().map(|(number, node)| {
        let rows = node.moves().iter().map(|played| {
            let stats = &played.row.stats;
            let known = [stats.white_wins(), stats.black_wins(), stats.draws()];
            let none = stats.games() - known.iter().sum::<u64>();
            let counts = [none, known[0], known[1], known[2]];
            (
                format!("{:?}", played.row.next),
                (counts, played.node.map(key)),
            )
        });
        (
            key(number),
            (node.ply(), node.total().games(), rows.collect()),
        )
    });
    nodes.collect()
}

fn cases() -> u64 {
    let told = std::env::var("PROPTEST_CASES").ok();
    told.and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

#[test]
fn lines_equal_counting_by_hand_at_every_position() {
    let mut lines = 0;
    for number in 0..cases() {
        let mut dice = Dice::new(0x11e5_0000 + number);
        let pool = Pool::new(0x11e5_0000 + number / 10, 40);
        let walked: Vec<_> = pool
            .games
            .iter()
            .map(|known| walk::positions(&known.game))
            .collect();
        let asked = Asked::random(&mut dice, &walked);
        let strategy = [Strategy::Auto, Strategy::FullDecode][dice.below(2)];
        let bases = [&pool.database, &pool.indexed];
        let bases: &[&Database] = match dice.below(3) {
            0 => &bases[..1],
            1 => &bases[1..],
            _ => &bases,
        };
        let results = pool
            .games
            .iter()
            .map(|known| known.game.header.result as usize);
        let by_hand = ByHand {
            walked: &walked,
            results: results.collect(),
            matching: asked.matching(&pool),
            variations: asked.variations,
            copies: bases.len() as u64,
        };
        let graph = asked.graph(bases, strategy);
        assert_eq!(
            told(&graph),
            by_hand.graph(&asked),
            "case {number}: {asked:?}"
        );
        lines += graph.nodes().len();
    }
    assert!(lines as u64 > 3 * cases(), "{lines}");
}

fn famous() -> Database {
    Database::open("fixtures/famous.si4").unwrap()
}

#[test]
fn a_sidecar_and_the_games_tell_the_same_lines() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4"] {
        let name = format!("famous.{suffix}");
        std::fs::copy(format!("fixtures/{name}"), folder.path().join(name)).unwrap();
    }
    let path = folder.path().join("famous.si4");
    tabiya::Sidecar::build(&Database::open(&path).unwrap()).unwrap();
    let beside = Database::open(&path).unwrap();
    let position = TreePosition::default();
    let lines = Lines::new(&position).depth(6).min_games(20);
    let [stored, played] = [&beside, &famous()].map(|base| lines.run(&[base]).unwrap());
    assert!(told(&stored) == told(&played));
    assert_eq!((stored.report().decoded, stored.report().matched), (0, 84));
    assert!(stored.nodes().len() > 2);
}

#[test]
fn totals_of_positions_are_those_of_their_trees() {
    let (base, position) = (famous(), TreePosition::from_moves("1.e4 e5").unwrap());
    let graph = Lines::new(&position)
        .depth(5)
        .min_games(2)
        .run(&[&base])
        .unwrap();
    for node in graph.nodes() {
        let position = TreePosition::new(node.setup().clone());
        let tree = TreeSearch::new(&position).run(&base).unwrap();
        assert_eq!(node.total().games(), tree.total().games());
        assert_eq!(node.total().average_rating(), tree.total().average_rating());
    }
}

/// Reads PGN of lines as a database.
fn reread(pgn: &str) -> Database {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines.pgn");
    std::fs::write(&path, pgn).unwrap();
    Database::read(&path).unwrap()
}

/// The moves of each position of a graph.
fn moves(graph: &LineGraph) -> BTreeMap<String, Vec<String>> {
    let nodes = graph.nodes().iter().filter(|node| !node.moves().is_empty());
    let moves = nodes.map(|node| {
        let setup = node.setup();
        let mut sans: Vec<String> = node
            .moves()
            .iter()
            .map(|played| played.row.san.clone())
            .collect();
        sans.sort();
        (told_key(&(setup.board.clone(), setup.turn)), sans)
    });
    moves.collect()
}

#[test]
fn pgn_of_lines_has_their_positions_and_moves() {
    let base = famous();
    let fen = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    let positions = [
        TreePosition::default(),
        TreePosition::from_moves("1.e4 e5 2.Nf3").unwrap(),
        TreePosition::from_fen(fen).unwrap(),
    ];
    for position in &positions {
        let graph = Lines::new(position)
            .depth(9)
            .min_games(2)
            .run(&[&base])
            .unwrap();
        for pgn in [graph.to_pgn(), graph.to_pgn_lines()] {
            assert!(pgn.lines().all(|line| line.len() <= 80), "{pgn}");
            let read = reread(&pgn);
            let again = Lines::new(position).depth(9).min_games(1).variations(true);
            assert_eq!(moves(&again.run(&[&read]).unwrap()), moves(&graph));
        }
    }
}

/// Reads games of PGN and returns their lines to 12 half-moves.
fn lines_of(games: &str) -> LineGraph {
    let position = TreePosition::default();
    let lines = Lines::new(&position).depth(12).min_games(1);
    lines.run(&[&reread(games)]).unwrap()
}

#[test]
fn pgn_of_lines_leaves_out_what_is_illegal_there() {
    // The first way to the position has lost the right to capture, or to castle.
    let captured = "1. e4 e6 2. Nf3 Be7 3. a3 Bf8 4. h3 d6 5. e5 d5 6. c3 *\n\n\
                    1. e4 e6 2. Nf3 Be7 3. a3 Bd6 4. h3 Bf8 5. e5 d5 6. exd6 cxd6 *\n\n";
    let castled = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nf6 4. Ke2 d6 5. Ke1 Be6 6. a3 *\n\n\
                   1. e4 e5 2. Nf3 Nc6 3. Bd3 d6 4. Be2 Nf6 5. Bc4 Be6 6. O-O *\n\n";
    for (games, san) in [(captured, "exd6"), (castled, "O-O")] {
        let twice = format!(
            "{}{games}",
            games.lines().next().unwrap().to_owned() + "\n\n"
        );
        let graph = lines_of(&twice);
        let all = graph.nodes().iter().flat_map(|node| node.moves());
        let illegal = all
            .filter(|played| !played.is_legal)
            .map(|played| &*played.row.san);
        assert_eq!(illegal.collect::<Vec<_>>(), [san]);
        for pgn in [graph.to_pgn(), graph.to_pgn_lines()] {
            assert!(!pgn.contains(san), "{pgn}");
            assert_eq!(reread(&pgn).verify().unwrap().damaged, 0, "{pgn}");
        }
    }
}

#[test]
fn a_first_position_without_rights_takes_those_of_men_at_home() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w";
    let positions = [
        TreePosition::default(),
        TreePosition::from_fen(fen).unwrap(),
    ];
    let books = positions.map(|position| {
        let graph = Lines::new(&position)
            .min_games(2)
            .run(&[&famous()])
            .unwrap();
        graph.to_polyglot()
    });
    assert_eq!(books[0], books[1]);
}

#[test]
fn a_book_of_games_without_results_counts_games() {
    let book = lines_of("1. e4 e5 *\n\n1. e4 c5 *\n\n1. d4 *\n\n").to_polyglot();
    let weights = book
        .chunks_exact(16)
        .map(|entry| entry[11])
        .collect::<Vec<_>>();
    let mut sorted = weights.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [1, 1, 1, 2]);
}

#[test]
fn games_with_several_lines_are_counted_once() {
    let base = reread("1. e4 (1. d4 d5) 1... e5 (1... c5) *\n\n");
    let position = TreePosition::default();
    let graph = Lines::new(&position)
        .variations(true)
        .min_games(1)
        .run(&[&base])
        .unwrap();
    assert_eq!(
        (graph.report().matched, graph.root().total().games()),
        (1, 1)
    );
    assert_eq!(graph.root().moves().len(), 2);
}

#[test]
fn a_book_has_the_published_keys_and_points_as_weights() {
    let (base, position) = (famous(), TreePosition::default());
    let graph = Lines::new(&position)
        .depth(4)
        .min_games(1)
        .run(&[&base])
        .unwrap();
    let book = graph.to_polyglot();
    let entries: Vec<(u64, u16, u16)> = book
        .chunks_exact(16)
        .map(|entry| {
            let number = |range: std::ops::Range<usize>| {
                entry[range]
                    .iter()
                    .fold(0, |number, &byte| number << 8 | u64::from(byte))
            };
            assert_eq!(number(12..16), 0);
            (number(0..8), number(8..10) as u16, number(10..12) as u16)
        })
        .collect();
    assert!(entries.is_sorted_by_key(|&(key, _, weight)| (key, u16::MAX - weight)));
    // The key of the start position is an example of the format's description.
    let root: Vec<_> = entries
        .iter()
        .filter(|entry| entry.0 == 0x463b_9618_1691_fc9c)
        .collect();
    let e4 = graph
        .root()
        .moves()
        .iter()
        .find(|played| played.row.san == "e4")
        .unwrap();
    let weight = 2 * e4.row.stats.white_wins() + e4.row.stats.draws();
    let coded = Square::E4 as u16 | (Square::E2 as u16) << 6;
    assert!(
        root.contains(&&(root[0].0, coded, weight as u16)),
        "{root:?}"
    );
    let keys = graph.nodes().iter().map(|node| {
        let position: Chess = node
            .setup()
            .clone()
            .position(shakmaty::CastlingMode::Standard)
            .unwrap();
        position
            .zobrist_hash::<Zobrist64>(EnPassantMode::PseudoLegal)
            .0
    });
    let keys: Vec<u64> = keys.collect();
    assert!(entries.iter().all(|entry| keys.contains(&entry.0)));
    let white = Lines::new(&position)
        .depth(4)
        .min_games(1)
        .only(Color::White);
    let white = white.run(&[&base]).unwrap().to_polyglot();
    assert!(!white.is_empty() && white.len() < book.len());
}
