//! Games that begin as the lines of a file do.

use std::{
    collections::{HashMap, HashSet},
    fs,
};

use shakmaty::{Color, fen::Fen};
use tabiya::{
    Database, ErrorKind, GameId, LeftBy, NextMove, Query, Repertoire, RepertoireCheck,
    RepertoireReport, Search, Strategy, TreePosition, chess::Flow, format::GameText,
};

use crate::{
    lines::next_of,
    support::{
        ask,
        dice::Dice,
        game::PlainGame,
        naive::Known,
        pool::Pool,
        walk::{self, Node},
    },
};

/// Two openings, with a variation, and the first moves of another.
const LINES: &str = "[White \"?\"]

1. e4 e5 2. Nf3 (2. f4 exf4 3. Nf3 g5 4. Bc4) 2... Nc6 3. Bc4 Bc5 *

[White \"?\"]

1. e4 c5 2. Nf3 *
";

type Position = (String, Color);

fn places(known: &Known, main_line: bool) -> Vec<Position> {
    let nodes = known.nodes.iter();
    let nodes = nodes.filter(|node| node.in_main_line || !main_line);
    nodes
        .map(|node| (node.place.board.to_string(), node.place.turn))
        .collect()
}

fn games(database: &Database) -> Vec<Known> {
    let games = database.games();
    games
        .map(|id| Known::new(id, PlainGame::read(database, id).unwrap()))
        .collect()
}

#[test]
fn games_stay_in_a_repertoire_as_they_do_position_by_position() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("my lines.pgn");
    fs::write(&file, LINES).unwrap();
    let lines = games(&Database::open(&file).unwrap());
    let known: HashSet<Position> = lines.iter().flat_map(|game| places(game, false)).collect();
    let database = Database::open("fixtures/famous.si4").unwrap();
    let mut found = 0;
    for plies in [1, 2, 3, 4, 5, 6, 16] {
        for (word, side) in [
            ("repertoire", None),
            ("repertoire.white", Some(Color::White)),
            ("repertoire.black", Some(Color::Black)),
        ] {
            let stays = |game: &&Known| {
                let mut first = (1..=plies).zip(places(game, true).into_iter().skip(1));
                first.all(|(_, place)| side == Some(place.1) || known.contains(&place))
            };
            let wanted: Vec<u32> = games(&database)
                .iter()
                .filter(stays)
                .map(|game| game.id.number_in_part())
                .collect();
            let query = format!("{word}:\"{}\" repertoire.plies:{plies}", file.display());
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let numbers = ask::numbers(&database, &query, strategy, false);
                assert_eq!(numbers, wanted, "{query}");
            }
            found += wanted.len();
        }
    }
    assert!(found > 50, "{found}");
}

#[test]
fn a_repertoire_that_is_not_there_is_an_error_that_names_it() {
    let query: Query = "repertoire:\"no such file.pgn\"".parse().unwrap();
    assert!(query.names_files());
    let database = Database::open("fixtures/famous.si4").unwrap();
    let error = Search::new(&query).run(&database).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Io { .. }), "{error}");
    assert!(error.to_string().contains("no such file.pgn"), "{error}");
}

/// A file by hand: its positions, with the moves there and the positions after them.
type Lines = HashMap<Position, HashMap<NextMove, Position>>;

fn key_of(node: &Node) -> Position {
    (node.place.board.to_string(), node.place.turn)
}

fn key_of_fen(fen: &str) -> Position {
    let setup = fen.parse::<Fen>().unwrap().into_setup();
    (setup.board.to_string(), setup.turn)
}

fn lines_of(games: &[Vec<Node>]) -> Lines {
    let mut lines = Lines::new();
    for nodes in games {
        for node in nodes {
            lines.entry(key_of(node)).or_default();
            if let Some(parent) = node.parent {
                let before = lines.entry(key_of(&nodes[parent])).or_default();
                if next_of(node) != NextMove::Null {
                    before.insert(next_of(node), key_of(node));
                }
            }
        }
    }
    lines
}

fn main_line(nodes: &[Node]) -> Vec<&Node> {
    nodes.iter().filter(|node| node.in_main_line).collect()
}

/// How a game leaves a file by hand: the ply, the position before it and the move.
type Left<'a> = (Option<u32>, &'a Node, NextMove);

fn left<'a>(nodes: &'a [Node], lines: &Lines) -> Option<Left<'a>> {
    let main = main_line(nodes);
    let is_known = |node: &&Node| lines.contains_key(&key_of(node));
    let last = main.iter().rposition(is_known)?;
    Some(match main.get(last + 1) {
        Some(next) => (Some(last as u32 + 1), main[last], next_of(next)),
        None => (None, main[last], NextMove::End),
    })
}

/// Returns whose move leaves the file; `None` for nobody's.
fn leaver(left: &Left<'_>, lines: &Lines) -> Option<Color> {
    let has_moves = !lines[&key_of(left.1)].is_empty();
    (has_moves && left.2 != NextMove::End).then_some(left.1.place.turn)
}

/// A reply without an answer: the position after it, its games, and those of the position before.
type Gap = (String, u64, u64);

/// Returns the gaps of one side's lines by hand.
fn gaps(games: &[&Vec<Node>], lines: &Lines, color: Color, (least, share): (u64, f64)) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let lines_of_other = lines
        .iter()
        .filter(|(key, known)| key.1 != color && !known.is_empty());
    for (key, _) in lines_of_other {
        let mut replies: HashMap<NextMove, (Position, u64)> = HashMap::new();
        let mut total = 0;
        for nodes in games {
            let main = main_line(nodes);
            let Some(at) = main.iter().position(|node| key_of(node) == *key) else {
                continue;
            };
            total += 1;
            if let Some(next) = main.get(at + 1) {
                replies.entry(next_of(next)).or_insert((key_of(next), 0)).1 += 1;
            }
        }
        for (after, games) in replies.into_values() {
            let is_answered = lines.get(&after).is_some_and(|moves| !moves.is_empty());
            if !is_answered && games >= least && games as f64 >= share * total as f64 {
                gaps.push((format!("{after:?}"), games, total));
            }
        }
    }
    gaps.sort();
    gaps
}

fn gaps_of(report: &RepertoireReport) -> Vec<Gap> {
    let gaps = report.gaps().iter().map(|gap| {
        let after = key_of_fen(&gap.fen);
        (format!("{after:?}"), gap.stats.games(), gap.total.games())
    });
    let mut gaps: Vec<Gap> = gaps.collect();
    gaps.sort();
    gaps
}

fn pgn(database: &Database, game: GameId) -> String {
    let mut text = GameText::new(&database.header(game).unwrap());
    database.visit(game, &mut text).unwrap();
    text.finish().unwrap()
}

fn walked(pool: &Pool) -> Vec<Vec<Node>> {
    let games = pool.games.iter();
    games.map(|known| walk::positions(&known.game)).collect()
}

fn cases() -> u64 {
    let told = std::env::var("PROPTEST_CASES").ok();
    told.and_then(|cases| cases.parse().ok()).unwrap_or(60)
}

#[test]
fn games_leave_a_repertoire_where_they_do_by_hand() {
    let (mut found, mut holes) = ([0; 4], 0);
    for number in 0..cases() {
        let seed = 0x5e9e_0000 + number / 6;
        let mut dice = Dice::new(0x5e9e_1000 + number);
        let pool = Pool::new(seed, 40);
        let own = Pool::new(seed + dice.below(2) as u64, 6);
        let (games, lines) = (walked(&pool), lines_of(&walked(&own)));
        let color = [Color::White, Color::Black][dice.below(2)];
        let limits = (1 + dice.below(3) as u64, [0.0, 0.2, 0.5][dice.below(3)]);
        let repertoire = Repertoire::of(&[&own.database]).unwrap();
        assert_eq!(repertoire.positions(), lines.len());
        let query: Query = ["", "result:1-0", "-at(check)"][dice.below(3)]
            .parse()
            .unwrap();
        let database = [&pool.database, &pool.indexed][dice.below(2)];
        let matching = Search::new(&query).run(database).unwrap().games();
        let report = RepertoireCheck::new(&repertoire, color)
            .query(&query)
            .gap_share(limits.1)
            .min_games(limits.0)
            .run(&[database])
            .unwrap();
        let asked = database
            .games()
            .zip(&games)
            .filter(|(game, _)| matching.contains(*game));
        let asked: Vec<_> = asked.collect();
        let by_hand = asked.iter().filter_map(|(game, nodes)| {
            let left = left(nodes, &lines)?;
            let by = match leaver(&left, &lines) {
                Some(side) if side == color => LeftBy::Me,
                Some(_) => LeftBy::Opponent,
                None if left.0.is_none() => LeftBy::GameEnds,
                None => LeftBy::FileEnds,
            };
            Some((*game, left.0, by, left.2, key_of(left.1)))
        });
        let by_hand: Vec<_> = by_hand.collect();
        let mut at_place = vec![0; report.places().len()];
        let told = report.games().iter().map(|leaving| {
            at_place[leaving.place] += 1;
            let place = &report.places()[leaving.place];
            let key = key_of_fen(&place.fen);
            assert_eq!(place.answers.len(), lines[&key].len());
            (leaving.game, leaving.ply, place.left, leaving.next, key)
        });
        assert_eq!(told.collect::<Vec<_>>(), by_hand, "case {number}");
        let counts = report.places().iter().map(|place| place.stats.games());
        assert_eq!(counts.collect::<Vec<_>>(), at_place, "case {number}");
        assert_eq!(report.outside(), (asked.len() - by_hand.len()) as u64);
        for (_, _, by, _, _) in &by_hand {
            found[*by as usize] += 1;
        }
        let asked: Vec<&Vec<Node>> = asked.into_iter().map(|(_, nodes)| nodes).collect();
        let gaps = gaps(&asked, &lines, color, limits);
        assert_eq!(gaps_of(&report), gaps, "case {number}");
        holes += gaps.len() as u64;
    }
    assert!(found.iter().all(|&games| games > cases() / 4), "{found:?}");
    assert!(holes > cases() / 2, "{holes}");
}

#[test]
fn words_about_leaving_find_the_games_that_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("lines.pgn");
    let [white, black] = [Some(Color::White), Some(Color::Black)];
    let mut found = [0; 2];
    for seed in 0x1ea_0000..0x1ea_0005 {
        let (pool, own) = (Pool::new(seed, 40), Pool::new(seed, 5));
        let texts = own.database.games().map(|game| pgn(&own.database, game));
        fs::write(&file, texts.collect::<Vec<_>>().join("\n")).unwrap();
        let read = games(&Database::open(&file).unwrap());
        let read = read.iter().map(|known| walk::positions(&known.game));
        let (games, lines) = (walked(&pool), lines_of(&read.collect::<Vec<_>>()));
        for (word, by) in [
            ("repertoire.white:FILE left:me", Some(white)),
            ("left:opponent repertoire.white:FILE", Some(black)),
            ("repertoire.black:FILE left:me", Some(black)),
            ("repertoire:FILE left:white", Some(white)),
            ("repertoire:FILE left:nobody", Some(None)),
            ("repertoire:FILE repertoire.ply:3..9", None),
            (
                "-(repertoire:FILE repertoire.ply<3) repertoire.ply<=9",
                None,
            ),
        ] {
            let query = word.replace("FILE", &format!("\"{}\"", file.display()));
            let wanted = (1..).zip(&games).filter(|(_, nodes)| {
                let Some(left) = left(nodes, &lines) else {
                    return false;
                };
                match by {
                    Some(side) => leaver(&left, &lines) == side,
                    None => left.0.is_some_and(|ply| (3..=9).contains(&ply)),
                }
            });
            let wanted: Vec<u32> = wanted.map(|(number, _)| number).collect();
            for database in [&pool.database, &pool.indexed] {
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    let numbers = ask::numbers(database, &query, strategy, false);
                    assert_eq!(numbers, wanted, "{query}");
                }
            }
            found[usize::from(by.is_none())] += wanted.len();
        }
    }
    assert!(found.iter().all(|&games| games > 20), "{found:?}");
}

#[test]
fn words_about_leaving_need_one_repertoire() {
    for (query, part) in [
        ("left:me", "repertoire.white:"),
        ("repertoire.ply:3 player:tal", "repertoire.white:"),
        ("repertoire:\"a.pgn\" left:me", "whose"),
        ("repertoire:a.pgn repertoire:b.pgn left:white", "several"),
        (
            "repertoire.white:a.pgn or repertoire.black:a.pgn left:me",
            "several",
        ),
        ("repertoire.white:a.pgn left:he", "there is no left"),
    ] {
        let fault = query.parse::<Query>().unwrap_err();
        assert!(fault.to_string().contains(part), "{query}: {fault}");
    }
    for query in [
        "repertoire.white:\"a.pgn\" left:me",
        "repertoire:\"a.pgn\" repertoire.ply:..9 left:nobody",
        "not repertoire.black:\"a.pgn\" or repertoire.black:\"a.pgn\" left:opponent",
    ] {
        let parsed: Query = query.parse().unwrap();
        assert_eq!(parsed.to_string().parse::<Query>().unwrap(), parsed);
        assert!(parsed.names_files());
    }
}

/// Reads a file with these games as a repertoire, and other games beside it for White.
fn beside(lines: &str, games: &str) -> RepertoireReport {
    let folder = tempfile::tempdir().unwrap();
    let read = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        Database::read(&path).unwrap()
    };
    let repertoire = Repertoire::of(&[read("lines.pgn", lines)]).unwrap();
    let check = RepertoireCheck::new(&repertoire, Color::White).min_games(1);
    check.run(&[read("games.pgn", games)]).unwrap()
}

fn texts(lines: &[tabiya::RepertoireLine]) -> Vec<(&str, u64)> {
    let lines = lines.iter();
    lines.map(|line| (line.line.as_str(), line.lines)).collect()
}

#[test]
fn lines_that_transpose_are_played_whatever_moves_lead_there() {
    let report = beside(
        "1. d4 d5 2. c4 e6 *\n\n1. c4 e6 2. d4 d5 *\n\n",
        "1. c4 e6 2. d4 d5 3. Nc3 *\n\n1. c4 e6 2. d4 d5 3. Nf3 *\n\n",
    );
    assert_eq!(texts(report.lines()), [("1.c4 e6 2.d4 d5", 1)]);
    assert_eq!(texts(report.unplayed()), [("1.d4", 1)]);
    let both = "1. d4 d5 2. c4 e6 3. Nc3 Nf6 (3... Be7) *\n\n1. c4 e6 2. d4 d5 *\n\n";
    let report = beside(both, "1. c4 e6 2. d4 d5 3. Nc3 Nf6 *\n\n");
    assert_eq!(texts(report.lines()), [("1.d4 d5 2.c4 e6 3.Nc3 Nf6", 1)]);
    let unplayed = [("1.d4", 1), ("1.d4 d5 2.c4 e6 3.Nc3 Be7", 1)];
    assert_eq!(texts(report.unplayed()), unplayed);
}

#[test]
fn null_moves_of_a_repertoire_are_no_replies() {
    let report = beside("1. e4 (1. e4 -- 2. d4) 1... e5 *\n\n", "1. e4 c5 *\n\n");
    assert_eq!(report.places()[0].answers, ["1...e5"]);
    let report = beside("1. e4 -- 2. d4 *\n\n", "1. e4 c5 *\n\n");
    assert_eq!(report.places()[0].left, LeftBy::FileEnds);
    assert!(report.gaps().is_empty());
}

#[test]
fn chapters_that_begin_inside_others_are_told_once() {
    let inner = "[SetUp \"1\"]\n[FEN \"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\"]                 \n\n3. Bc4 Bc5 *\n\n";
    let outer = "[SetUp \"1\"]\n[FEN \"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2\"]                 \n\n2... Nc6 *\n\n";
    let report = beside(
        &format!("{inner}{outer}"),
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 *\n\n",
    );
    assert_eq!(texts(report.lines()), [("2...Nc6 3.Bc4 Bc5", 1)]);
    assert_eq!(report.to_pgn().matches("[Event ").count(), 1);
}

#[test]
fn moves_of_a_repertoire_are_those_that_its_files_have() {
    let file = Database::open("fixtures/lines/white.pgn").unwrap();
    let repertoire = Repertoire::of(&[file]).unwrap();
    let moves = |moves: &str| {
        let position = TreePosition::from_moves(moves).unwrap();
        let moves = repertoire.moves(&position)?;
        let told = moves
            .into_iter()
            .map(|played| format!("{} {}", played.san, played.next.uci().unwrap()));
        Some(told.collect::<Vec<_>>())
    };
    let replies = ["Nc6 b8c6", "d6 d7d6", "Nf6 g8f6"].map(str::to_owned);
    assert_eq!(moves("e4 e5 Nf3"), Some(replies.to_vec()));
    // By other moves, at the end of a line, and outside.
    assert_eq!(moves("Nf3 e5 e4"), Some(replies.to_vec()));
    assert_eq!(moves("e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 d4"), Some(Vec::new()));
    assert_eq!(moves("d4"), None);
    // As the report has them.
    let base = [Database::open("fixtures/famous.si4").unwrap()];
    let report = RepertoireCheck::new(&repertoire, Color::White).run(&base);
    for place in report.unwrap().places() {
        let position = TreePosition::from_fen(&place.fen).unwrap();
        let moves = repertoire.moves(&position).unwrap();
        assert_eq!(moves.len(), place.answers.len(), "{}", place.line);
        for (played, answer) in moves.iter().zip(&place.answers) {
            assert!(answer.ends_with(&format!(".{}", played.san)), "{answer}");
        }
    }
}

#[test]
fn a_repertoire_with_too_many_positions_is_refused() {
    let file = [Database::open("fixtures/lines/white.pgn").unwrap()];
    let all = Repertoire::of(&file).unwrap().positions();
    let read = |positions| Repertoire::read_at_most(&file, positions, |_| Flow::Continue(()));
    assert_eq!(read(all).unwrap().positions(), all);
    for positions in [0, 1, all - 1] {
        let error = read(positions).unwrap_err();
        let limit = positions as u64;
        assert!(
            matches!(error.kind(), ErrorKind::LimitExceeded { limit: told, .. } if *told == limit),
            "{error}"
        );
    }
}

#[test]
fn the_page_of_a_repertoire_has_every_place_and_gap_as_text() {
    let file = Database::open("fixtures/lines/white.pgn").unwrap();
    let repertoire = Repertoire::of(&[file]).unwrap();
    let base = [Database::open("fixtures/famous.si4").unwrap()];
    for color in Color::ALL {
        let check = RepertoireCheck::new(&repertoire, color).min_games(1);
        let report = check.run(&base).unwrap();
        let evil = "<script>alert(1)</script>";
        let page = report.to_html(evil, evil, Some("/?db=<b>&fen="));
        assert_eq!(page.matches("<script").count(), 0);
        assert_eq!(page.matches("<b>").count(), 0);
        assert_eq!(page.matches("&lt;script&gt;").count(), 3);
        for place in report.places().iter().take(100) {
            let row = format!(">{}</a></td><td class=\"t\">", place.line);
            let row = if place.line.is_empty() {
                ">the start</a>"
            } else {
                &row
            };
            assert!(page.contains(row), "{row}");
        }
        for gap in report.gaps().iter().take(100) {
            let place = page.find(&format!(">{}</a></td>", gap.line));
            let row = &page[place.expect("a row")..];
            let row = &row[..row.find("</tr>").unwrap()];
            assert!(
                row.contains(&format!("<td>{}</td>", gap.stats.games())),
                "{row}"
            );
        }
        assert!(page.contains("fen=rnbqkbnr%2F") && page.contains("db=&lt;b&gt;&amp;fen="));
        // Without an address nothing leads anywhere.
        assert!(!report.to_html("", "", None).contains("href"));
    }
}
