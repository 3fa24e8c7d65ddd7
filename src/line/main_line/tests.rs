use shakmaty::{
    Chess, EnPassantMode, Position as _, Role, Square, fen::Fen, san::SanPlus, uci::UciMove,
};
use tabiya_chess::light::Meaning;

use super::*;
use crate::line::LineEnd;

/// Pseudo-random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// Positions in which much can go wrong: pins, many queens, en passant, Chess960.
const STARTS: [&str; 14] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "1QQ1Q3/Q7/8/8/K7/7p/4q1pp/q1q1q1bk w - - 0 1",
    "N1N1N3/8/2N1N3/7n/k7/7K/1n1n1n2/n7 w - - 98 40",
    "4k3/R6R/8/3R4/3r4/8/r6r/4K3 w - - 0 1",
    "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1",
    "rkr5/pppppppp/8/8/8/8/PPPPPPPP/5RKR w HFca - 0 1",
    "1rk1r3/2p5/8/8/8/8/8/2R1K1R1 w GCeb - 0 1",
    "r1r1k2r/8/8/8/8/8/8/R1R1KR1R w CHch - 0 1",
    "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
    "k7/P1P3P1/8/1pPpP3/2PpPp2/7K/1p1p2p1/8 b - e3 0 1",
    "7k/5Q2/6K1/8/8/8/8/8 w - - 0 1",
];

fn position(fen: &str) -> (Chess, CastlingMode) {
    let setup = fen.parse::<Fen>().unwrap().into_setup();
    let mode = CastlingMode::detect(&setup);
    (forgiving_position(setup, mode).expect(fen), mode)
}

#[test]
fn the_light_standard_position_is_that_of_chess() {
    assert_eq!(Light::STANDARD, Light::new(&Chess::new()));
}

#[test]
fn the_light_board_writes_all_moves_as_shakmaty_does() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut mates, mut told_apart, mut castled) = (0, 0, 0);
    for fen in STARTS {
        let (start, mode) = position(fen);
        for _ in 0..10 {
            let mut now = start.clone();
            let mut light = Light::new(&now);
            for _ in 0..90 {
                let moves = now.legal_moves();
                let Some(&played) = moves.get(dice.below(moves.len().max(1))) else {
                    break;
                };
                for &other in &moves {
                    let mut trial = light;
                    let word = trial.play(other).unwrap();
                    let mut after = now.clone();
                    let san = SanPlus::from_move_and_play_unchecked(&mut after, other);
                    let mut meant = light;
                    let meaning = Meaning::of(san.san).unwrap();
                    assert_eq!(meant.play_meant(meaning), Some(other), "{now:?} {san}");
                    assert_eq!(meant, trial, "{now:?} {san}");
                    let san = san.to_string();
                    let text = text_of(word);
                    let is_mate = san.ends_with('#');
                    assert_eq!(text, san.replace('#', "+"), "{now:?}");
                    assert_eq!(trial.is_check(), after.is_check(), "{now:?} {san}");
                    let short = text_of(uci(other, mode));
                    assert_eq!(short, UciMove::from_move(other, mode).to_string());
                    mates += u32::from(is_mate);
                    castled += u32::from(san.starts_with('O'));
                    told_apart += u32::from(san.len() > 4 && san.starts_with(['Q', 'N', 'R']));
                }
                assert!(light.play(played).is_some());
                now.play_unchecked(played);
                let mut told = Vec::new();
                push_fen(&light, &mut told);
                let fen = Fen::from_position(&now, EnPassantMode::Legal).to_string();
                assert_eq!(String::from_utf8(told).unwrap(), fen);
                assert_eq!(light.setup(), now.to_setup(EnPassantMode::Always));
            }
        }
    }
    assert!(mates > 20 && told_apart > 1000 && castled > 50);
}

fn text_of(word: Word) -> String {
    let mut text = Vec::new();
    word.append_to(&mut text);
    String::from_utf8(text).unwrap()
}

#[test]
fn the_light_board_refuses_every_move_that_is_not_legal() {
    let mut dice = Dice(77);
    for fen in STARTS {
        let mut now = position(fen).0;
        for _ in 0..60 {
            let legal = now.legal_moves();
            if legal.is_empty() {
                break;
            }
            let light = Light::new(&now);
            let mut tried = 0;
            for from in now.us() {
                for to in Square::ALL {
                    let role = now.board().role_at(from).unwrap();
                    let capture = now.board().role_at(to);
                    for promotion in [None, Some(Role::Queen), Some(Role::King)] {
                        let normal = Move::Normal {
                            role,
                            from,
                            capture,
                            to,
                            promotion,
                        };
                        let castle = Move::Castle {
                            king: from,
                            rook: to,
                        };
                        for played in [normal, castle, Move::EnPassant { from, to }] {
                            let mut trial = light;
                            let is_played = trial.play(played).is_some();
                            assert_eq!(is_played, legal.contains(&played), "{now:?} {played:?}");
                            tried += 1;
                        }
                    }
                }
            }
            assert!(tried > 100);
            let played = legal[dice.below(legal.len())];
            now.play_unchecked(played);
        }
    }
}

fn every_main_line_is_that_of_line(database: &Database, step: usize) -> usize {
    let all = [Notation::San, Notation::Uci, Notation::Fen];
    let mut words = MainLine::new(ListStyle::Words, &all);
    let mut json = MainLine::new(ListStyle::Json, &all);
    let mut moves = 0;
    for game in (0..database.len()).step_by(step).map(GameId) {
        let Ok(line) = database.line(game, LineEnd::Last) else {
            assert!(words.read(database, game).is_err(), "game {}", game.0);
            continue;
        };
        let Some(line) = line else { continue };
        words.read(database, game).unwrap();
        json.read(database, game).unwrap();
        let uci: Vec<&str> = line.moves.iter().map(|played| &*played.uci).collect();
        let san: Vec<&str> = line.moves.iter().map(|played| &*played.san).collect();
        assert_eq!(words.text(Notation::San), line.san(), "game {}", game.0);
        assert_eq!(words.text(Notation::Uci), uci.join(" "), "game {}", game.0);
        assert_eq!(words.plies() as usize, line.moves.len());
        let start = line.start.as_ref().map(|start| Diagram::new(start).fen());
        assert_eq!(words.start_fen(), start);
        let last = words.text(Notation::Fen).rsplit(';').next().unwrap();
        if !line.moves.is_empty() {
            assert_eq!(last, Diagram::new(&line.end).fen(), "game {}", game.0);
        }
        let array = if san.is_empty() {
            "[]".to_owned()
        } else {
            format!("[\"{}\"]", san.join("\",\""))
        };
        assert_eq!(json.text(Notation::San), array);
        let fens = json.text(Notation::Fen).matches('"').count() / 2;
        assert_eq!(fens, line.moves.len());
        moves += san.len();
    }
    moves
}

#[test]
fn every_main_line_of_the_fixtures_is_that_of_line() {
    for suffix in ["si4", "cbh", "pgn"] {
        let path = format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR"));
        let database = Database::open(path).unwrap();
        assert!(every_main_line_is_that_of_line(&database, 1) > 200);
    }
}

/// Games that leave the rules, or start outside them.
const ODD: &str = r#"[Event "mate, then on"]
[Result "*"]

1. f3 e5 2. g4 Qh4# *

[Event "null moves"]
[Result "*"]

1. e4 -- 2. d4 d5 3. Bb5+ -- *

[Event "Chess960"]
[Variant "Chess960"]
[SetUp "1"]
[FEN "nrkbbrqn/pppppppp/8/8/8/8/PPPPPPPP/NRKBBRQN w FBfb - 0 1"]
[Result "*"]

1. f4 f5 2. g3 g6 3. Bf2 Bf7 4. Qg2 Qg7 *

[Event "sixty queens"]
[SetUp "1"]
[FEN "QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/pp1QQQQQ/kb1K4 w - - 0 1"]
[Result "*"]

1. Ke1 *

[Event "a rook that checks"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/8/4K2R w K - 0 1"]
[Result "*"]

1. O-O Kd7 2. Rf7+ *
"#;

#[test]
fn odd_games_are_written_as_line_does_and_mate_is_marked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.pgn");
    std::fs::write(&path, ODD).unwrap();
    let database = Database::open(&path).unwrap();
    assert_eq!(database.len(), 5);
    assert_eq!(every_main_line_is_that_of_line(&database, 1), 22);
    let mut line = MainLine::new(ListStyle::Words, &[Notation::San]);
    line.read(&database, GameId(0)).unwrap();
    assert_eq!(line.text(Notation::San), "f3 e5 g4 Qh4#");
    assert_eq!(line.text(Notation::Uci), "");
}

#[test]
fn an_excerpt_is_what_the_whole_text_has_of_these_plies() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("odd.pgn");
    // The last game has a move that nobody can make.
    let damaged = "\n[Event \"damaged\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Ke5 Nf6 *\n";
    std::fs::write(&path, format!("{ODD}{damaged}")).unwrap();
    let famous = ["si4", "cbh", "pgn"]
        .map(|suffix| format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR")));
    let paths = famous.into_iter().map(std::path::PathBuf::from);
    let all = [Notation::San, Notation::Uci, Notation::Fen];
    let mut whole = MainLine::new(ListStyle::Words, &all);
    let mut part = MainLine::new(ListStyle::Words, &all);
    let mut dice = Dice(4711);
    for path in paths.chain([path]) {
        let database = Database::open(path).unwrap();
        for game in (0..database.len()).map(GameId).cycle().take(400) {
            let is_damaged = whole.read(&database, game).is_err();
            let plies = whole.plies();
            let mut ply = || dice.below(plies as usize + 4) as u32;
            let excerpt = Excerpt {
                plies: ply()..=ply(),
                last: ply() % 2 == 0,
                counts_all: ply() % 2 == 0,
            };
            let follows_all = excerpt.last || excerpt.counts_all;
            let read = part.read_excerpt(&database, game, &excerpt);
            assert!(read.is_ok() || is_damaged, "{game:?} {excerpt:?}");
            let decoded = if follows_all {
                plies
            } else {
                plies.min(*excerpt.plies.end())
            };
            assert_eq!(part.plies(), decoded, "{game:?} {excerpt:?}");
            let is_told = |ply: &u32| excerpt.plies.contains(ply) || excerpt.last && *ply == plies;
            let told: Vec<u32> = (1..=plies).filter(is_told).collect();
            assert_eq!(
                part.told().collect::<Vec<_>>(),
                told,
                "{game:?} {excerpt:?}"
            );
            for (notation, between) in all.into_iter().zip([" ", " ", ";"]) {
                let words: Vec<&str> = whole.text(notation).split(between).collect();
                let words = told.iter().map(|&ply| words[ply as usize - 1]);
                let expected = words.collect::<Vec<_>>().join(between);
                assert_eq!(part.text(notation), expected, "{game:?} {excerpt:?}");
            }
        }
    }
}
