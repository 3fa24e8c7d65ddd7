//! Trees of a few games, given move by move.

use super::*;
use shakmaty::{CastlingMode, Chess, Move, Position, Setup, san::San};
use tabiya_chess::{GameResult, PartialDate, Start};
use tabiya_formats::{
    Encode, GameHeader, Rating, Visitor,
    scid4::write::{Edition, Encoder, Writer},
};

/// One game: its moves (`--` is a null move), header and start.
struct Game {
    moves: &'static str,
    header: GameHeader,
    fen: Option<&'static str>,
}

fn game(moves: &'static str, result: GameResult, ratings: [u16; 2]) -> Game {
    let rating = |value: u16| {
        Some(Rating {
            value: tabiya_chess::Elo::new(value)?,
            kind: tabiya_chess::RatingKind::Elo,
        })
    };
    Game {
        moves,
        fen: None,
        header: GameHeader {
            result,
            white_rating: rating(ratings[0]),
            black_rating: rating(ratings[1]),
            ..GameHeader::default()
        },
    }
}

fn plain(moves: &'static str) -> Game {
    game(moves, GameResult::Unknown, [0, 0])
}

/// Parses moves; null moves are played by exchanging the side to move.
fn read(game: &Game) -> (Setup, Vec<Option<Move>>) {
    let fen = game.fen.map(|fen| TreePosition::from_fen(fen).unwrap());
    let setup = fen.unwrap_or_default().setup().clone();
    let mut position: Chess = setup.clone().position(CastlingMode::Standard).unwrap();
    let mut moves = Vec::new();
    for word in game.moves.split_whitespace() {
        let played = match word {
            "--" => {
                position = position.swap_turn().unwrap();
                None
            }
            word => {
                let played = word.parse::<San>().unwrap().to_move(&position).unwrap();
                position.play_unchecked(played);
                Some(played)
            }
        };
        moves.push(played);
    }
    (setup, moves)
}

fn parts(games: &[Game]) -> crate::Parts {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    let mut encoder = Encoder::new();
    for game in games {
        let (setup, moves) = read(game);
        encoder.begin(&game.header);
        let start = match game.fen {
            Some(_) => Start::Custom(&setup),
            None => Start::Standard,
        };
        assert!(encoder.start(start).is_continue());
        for played in moves {
            assert!(encoder.play(played).is_continue());
        }
        writer.append(&encoder.finish().unwrap()).unwrap();
    }
    writer.finish_in_memory().unwrap().0
}

fn database(games: &[Game]) -> Database {
    Database::from_bytes(parts(games)).unwrap()
}

fn tree(database: &Database, position: &str) -> Tree {
    let position = if position.contains('/') {
        TreePosition::from_fen(position)
    } else {
        TreePosition::from_moves(position)
    };
    TreeSearch::new(&position.unwrap()).run(database).unwrap()
}

/// Returns moves with their games, as `e4 2, d4 1`.
fn text(tree: &Tree) -> String {
    let rows = tree.rows().iter();
    let rows: Vec<String> = rows
        .map(|row| format!("{} {}", row.san, row.stats.games()))
        .collect();
    rows.join(", ")
}

#[test]
fn transpositions_and_games_that_end_are_counted() {
    let base = database(&[
        plain("e4 e5 Nf3 Nc6 Bb5"),
        plain("Nf3 Nc6 e4 e5 Bc4"),
        plain("Nf3 Nc6 e4 e5"),
        plain("e4 e5 Nf3"),
        plain(""),
    ]);
    assert_eq!(text(&tree(&base, "")), "Nf3 2, e4 2, [end] 1");
    let deep = tree(&base, "1. e4 e5 2. Nf3 Nc6");
    assert_eq!(text(&deep), "Bb5 1, Bc4 1, [end] 1");
    assert_eq!(deep.total().games(), 3);
    assert!(tree(&base, "a4").is_empty());
}

#[test]
fn only_the_first_occurrence_counts() {
    let base = database(&[plain("Nf3 Nf6 Ng1 Ng8 e4 e5"), plain("e4 e5 Nf3")]);
    assert_eq!(text(&tree(&base, "")), "Nf3 1, e4 1");
}

#[test]
fn special_moves_have_their_names() {
    let game = |fen, moves| Game {
        fen: Some(fen),
        ..plain(moves)
    };
    let castling = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
    let passing = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    let promoting = "7k/P7/8/8/8/8/8/K7 w - - 0 1";
    let base = database(&[
        game(castling, "O-O Kd7"),
        game(castling, "O-O-O"),
        game(castling, "Kf1"),
        game(castling, "-- Ke7"),
        game(passing, "exd6"),
        game(promoting, "a8=Q+"),
        game(promoting, "a8=N"),
    ]);
    // Rights are ignored, both for finding and for naming.
    let castled = tree(&base, "r3k2r/8/8/8/8/8/8/R3K2R w - - 0 1");
    assert_eq!(text(&castled), "-- 1, Kf1 1, O-O 1, O-O-O 1");
    let passed = tree(&base, "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1");
    assert_eq!(text(&passed), "exd6 1");
    assert_eq!(text(&tree(&base, promoting)), "a8=N 1, a8=Q+ 1");
    assert!(tree(&base, "7k/P7/8/8/8/8/8/K7 b - - 0 1").is_empty());
}

#[test]
fn scores_ratings_and_years_are_worked_out_as_in_scid() {
    use GameResult::{BlackWins, Draw, Unknown, WhiteWins};
    let mut games = [
        game("e4 c5", WhiteWins, [2400, 2300]),
        game("e4 c5", Draw, [2501, 2400]),
        game("e4 c5", Unknown, [0, 2600]),
        game("e4 e5", BlackWins, [0, 0]),
    ];
    games[0].header.date = PartialDate::new(1990, 0, 0);
    games[1].header.date = PartialDate::new(1995, 5, 0);
    games[0].header.eco = Some("B20a".parse().unwrap());
    games[1].header.eco = Some("B20".parse().unwrap());
    games[2].header.eco = Some("B01".parse().unwrap());
    let base = database(&games);
    let black = tree(&base, "e4");
    let sicilian = &black.rows()[0].stats;
    assert_eq!((sicilian.games(), sicilian.rated_games()), (3, 2));
    assert_eq!(sicilian.score_permille(), Some(750));
    assert_eq!(sicilian.draw_permille(), 333);
    assert_eq!(sicilian.average_rating(), Some(2350.0));
    assert_eq!(sicilian.performance(), Some(2450.5 - 193.0));
    assert_eq!(sicilian.average_year(), Some(1992.5));
    assert_eq!(
        sicilian.eco().map(|eco| eco.to_string()).as_deref(),
        Some("B20")
    );
    assert_eq!(sicilian.average_opponent_rating(), Some(2450.5));
    let openings = sicilian.openings();
    let openings: Vec<String> = openings
        .map(|(eco, games)| format!("{eco} {games}"))
        .collect();
    assert_eq!(openings, ["B01 1", "B20 2"]);
    let open = &black.rows()[1].stats;
    assert_eq!((open.average_rating(), open.performance()), (None, None));
    assert_eq!((open.average_year(), open.eco()), (None, None));
    let white = tree(&base, "");
    assert_eq!(white.total().average_rating(), Some(2450.5));
    assert_eq!(white.total().score_permille(), Some(500));
    assert_eq!(white.total().performance(), Some(2350.0));
}

#[test]
fn rows_are_sorted_for_the_side_to_move() {
    use GameResult::{BlackWins, WhiteWins};
    let base = database(&[
        game("e4 e5", WhiteWins, [2000, 2100]),
        game("e4 e5", WhiteWins, [2000, 2100]),
        game("e4 c5", BlackWins, [2000, 2200]),
        game("e4 a6", BlackWins, [0, 0]),
    ]);
    let position = TreePosition::from_moves("e4").unwrap();
    let sorted = |order| text(&TreeSearch::new(&position).order(order).run(&base).unwrap());
    assert_eq!(sorted(TreeOrder::Games), "e5 2, a6 1, c5 1");
    assert_eq!(sorted(TreeOrder::Score), "a6 1, c5 1, e5 2");
    assert_eq!(sorted(TreeOrder::Rating), "c5 1, e5 2, a6 1");
    assert_eq!(sorted(TreeOrder::Name), "a6 1, c5 1, e5 2");
}

#[test]
fn shares_are_rounded_half_up_and_absent_without_results() {
    use GameResult::{BlackWins, Draw, Unknown, WhiteWins};
    let mut games = vec![game("e4", Draw, [2000, 2000])];
    games.extend((0..2).map(|_| game("e4", BlackWins, [2000, 2000])));
    games.extend((0..3).map(|_| game("d4", Unknown, [2000, 2000])));
    games.push(game("c4", WhiteWins, [0, 0]));
    let base = database(&games);
    let tree = tree(&base, "");
    let of = |san: &str| &tree.rows().iter().find(|row| row.san == san).unwrap().stats;
    // A sixth is 16.67 %, a third 33.33 %, three sevenths 42.86 %.
    assert_eq!(of("e4").score_permille(), Some(167));
    assert_eq!(of("e4").draw_permille(), 333);
    assert_eq!(of("e4").share_permille(tree.total()), 429);
    assert_eq!(
        (of("d4").score_permille(), of("d4").performance()),
        (None, None)
    );
    // Best scores first; rows without a score last.
    let position = TreePosition::default();
    let sorted = TreeSearch::new(&position)
        .order(TreeOrder::Score)
        .run(&base);
    assert_eq!(text(&sorted.unwrap()), "c4 1, e4 3, d4 3");
}

#[test]
fn trees_of_several_databases_add_up() {
    use GameResult::{BlackWins, WhiteWins};
    let one = [plain("e4 e5"), game("d4", WhiteWins, [2000, 2100])];
    let other = [game("d4 d5", BlackWins, [2200, 2100]), plain("c4")];
    let both = database(&one.into_iter().chain(other).collect::<Vec<_>>());
    let whole = tree(&both, "");
    let one = [plain("e4 e5"), game("d4", WhiteWins, [2000, 2100])];
    let other = [game("d4 d5", BlackWins, [2200, 2100]), plain("c4")];
    let mut sum = tree(&database(&one), "");
    sum.add(tree(&database(&other), ""));
    assert_eq!(sum.rows(), whole.rows());
    assert_eq!(sum.total(), whole.total());
    assert_eq!((sum.report().games, sum.report().matched), (4, 4));
}

#[test]
fn a_damaged_game_is_counted_and_left_out() {
    let mut files = parts(&[plain("a3 a6"), plain("h3 h6")]);
    // The first game: flags, end of tags, then its moves. No king can move like this from e1.
    let bytes = files.games.as_mut().unwrap();
    let first_move = bytes.iter().position(|&byte| byte != 0).unwrap();
    bytes[first_move] = 0x5f;
    let base = Database::from_bytes(files).unwrap();
    let tree = tree(&base, "");
    assert_eq!(text(&tree), "h3 1");
    assert_eq!((tree.report().damaged, tree.report().matched), (1, 1));
    assert_eq!(tree.report().damaged_games.len(), 1);
}

#[test]
fn without_a_games_file_only_stored_lines_answer() {
    let games = [plain("e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6")];
    let mut files = parts(&games);
    files.games = None;
    let base = Database::from_bytes(files).unwrap();
    assert_eq!(text(&tree(&base, "e4 e5")), "Nf3 1");
    let position = TreePosition::default();
    let full = TreeSearch::new(&position).strategy(Strategy::FullDecode);
    assert!(full.run(&base).is_err());
}

#[test]
fn who_breaks_is_told_so() {
    let base = database(&[plain("e4")]);
    let position = TreePosition::default();
    let stopped = TreeSearch::new(&position)
        .on_progress(|_| Flow::Break(()))
        .run(&base);
    let kind = stopped.map(drop).map_err(|error| error.kind().clone());
    assert_eq!(kind, Err(crate::ErrorKind::Interrupted));
}

#[test]
fn positions_are_read_with_numbers_marks_and_underscores() {
    let moves = |text| TreePosition::from_moves(text);
    let italian = moves("e4 e5 Nf3 Nc6 Bc4").unwrap();
    for text in [
        "1.e4 e5 2.Nf3 Nc6 3.Bc4",
        "1. e4! 1... e5 2 Nf3 2...Nc6?! 3. Bc4",
    ] {
        assert_eq!(moves(text).as_ref(), Ok(&italian), "{text}");
    }
    let fault = moves("e4 e5 Ke3").unwrap_err();
    assert_eq!(
        fault.to_string(),
        "at byte 6: `Ke3` (half-move 3) is not a legal move there"
    );
    assert_eq!(fault.end, 9);
    assert!(moves("e4 x").is_err());
    let fen = |text| TreePosition::from_fen(text);
    assert_eq!(fen("8/8/8/8/8/8/8/8_b"), fen("8/8/8/8/8/8/8/8 b - - 0 1"));
    assert!(fen("8/8").is_err() && fen("").is_err());
}
