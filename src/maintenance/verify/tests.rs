use shakmaty::{CastlingMode, Chess, FromSetup, Move, Position, fen::Fen, san::San};
use tabiya_chess::Start;
use tabiya_formats::{
    Encode, GameHeader, Parts, Visitor,
    scid4::write::{Edition, EncodedGame, Encoder, Writer},
};

use super::*;

mod claims;
mod class;
mod damage;

const HEADER_BYTES: usize = 182;
const RECORD_BYTES: usize = 47;

/// Encodes a game: moves in SAN, "--", "(", ")", "$1" and "{word}".
fn game(name: &str, fen: &str, text: &str) -> EncodedGame {
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader {
        white: name.into(),
        event: format!("{name} open"),
        ..GameHeader::default()
    });
    let mut line = (Chess::default(), Chess::default());
    if !fen.is_empty() {
        let setup = fen.parse::<Fen>().unwrap().into_setup();
        let _ = encoder.start(Start::Custom(&setup));
        line.0 = Chess::from_setup(setup, CastlingMode::Standard).unwrap();
    }
    let mut outer = Vec::new();
    for word in text.split_whitespace() {
        let _ = match (word, word.strip_prefix('$'), word.strip_prefix('{')) {
            ("(", ..) => {
                outer.push(line.clone());
                line.0 = line.1.clone();
                encoder.begin_variation()
            }
            (")", ..) => {
                line = outer.pop().unwrap();
                encoder.end_variation()
            }
            (_, Some(nag), _) => encoder.nag(nag.parse().unwrap()),
            (_, _, Some(text)) => encoder.comment(text.trim_end_matches('}')),
            _ => {
                line.1 = line.0.clone();
                let played = (word != "--").then(|| san(&line.0, word));
                line.0 = match played {
                    Some(played) => line.0.play(played).unwrap(),
                    None => line.0.swap_turn().unwrap(),
                };
                encoder.play(played)
            }
        };
    }
    encoder.finish().unwrap()
}

fn san(position: &Chess, word: &str) -> Move {
    word.parse::<San>().unwrap().to_move(position).unwrap()
}

/// Three games with everything that a game can have.
fn sample() -> Parts {
    let ending = "4k3/P6p/8/8/8/8/8/R3K3 w Q - 5 40";
    parts(&[
        game(
            "Ann",
            "",
            "{start} e4 $1 e5 ( c5 {x} Nf3 ( -- d6 ) ) Qh5 Nc6 Qxf7",
        ),
        game("Bob", ending, "O-O-O h5 a8=R Kf7 ( Ke7 {y} $22 )"),
        game("Bob", "", "d4 d5 c4 e6 Nc3 Nf6"),
    ])
}

fn parts(games: &[EncodedGame]) -> Parts {
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    for game in games {
        writer.append(game).unwrap();
    }
    writer.finish_in_memory().unwrap().0
}

fn verify(parts: Parts) -> Verification {
    let database = Database::from_bytes(parts).unwrap();
    database.verify().unwrap()
}

/// Returns the faults of a sample in which a byte of a record was changed.
fn with_record(game: usize, offset: usize, change: impl Fn(u8) -> u8) -> Vec<String> {
    let mut parts = sample();
    let byte = &mut parts.index[HEADER_BYTES + game * RECORD_BYTES + offset];
    *byte = change(*byte);
    faults(&verify(parts))
}

fn faults(verification: &Verification) -> Vec<String> {
    assert_eq!(
        verification.damaged as usize,
        verification.damaged_games.len()
    );
    let fault = |error: &Error| format!("{}: {}", error.game().unwrap_or(0), error.kind());
    verification.damaged_games.iter().map(fault).collect()
}

#[test]
fn what_was_written_is_clean() {
    let verification = verify(sample());
    assert!(faults(&verification).is_empty());
    assert!(verification.notes.is_empty(), "{:?}", verification.notes);
    assert_eq!((verification.games, verification.main_line_moves), (3, 15));
    assert_eq!(verification.all_moves, 20);
}

#[test]
fn a_record_that_contradicts_its_game_is_found() {
    let cases = [
        (
            0,
            37,
            "1: damaged: the index says another number of half-moves",
        ),
        (0, 36, "1: damaged: the index says another final material"),
        (1, 36, "2: damaged: the index says another final material"),
        (
            0,
            38,
            "1: damaged: the index says otherwise about the home pawns",
        ),
        (
            2,
            39,
            "3: damaged: the index says otherwise about the home pawns",
        ),
        (
            1,
            8,
            "2: damaged: the index says otherwise about an own start position",
        ),
        (0, 21, "1: damaged: the index says another number of NAGs"),
        (
            0,
            22,
            "1: damaged: the index says another number of variations",
        ),
    ];
    for (game, offset, fault) in cases {
        assert_eq!(with_record(game, offset, |byte| byte ^ 1), [fault]);
    }
    assert_eq!(
        with_record(0, 22, |byte| byte ^ 0x10),
        ["1: damaged: the index says another number of comments"]
    );
    assert_eq!(
        with_record(1, 8, |byte| byte & !4),
        ["2: damaged: the index says that there is no such promotion"]
    );
    assert_eq!(
        with_record(2, 33, |_| 106),
        ["3: damaged: the index says an opening line that the game does not begin with"]
    );
    // A true line that is not the longest, no line, the value that is never written, a user flag,
    // and trailing bits after the home pawns.
    assert!(with_record(2, 33, |_| 15).is_empty());
    assert!(with_record(2, 33, |_| 0).is_empty());
    assert!(with_record(2, 33, |_| 255).is_empty());
    assert!(with_record(0, 8, |byte| byte ^ 8).is_empty());
    assert!(with_record(0, 46, |_| 0xff).is_empty());
}

#[test]
fn promotions_that_are_only_claimed_are_noted() {
    let mut parts = sample();
    parts.index[HEADER_BYTES + 8] |= 2;
    let verification = verify(parts);
    assert_eq!(verification.damaged, 0);
    assert_eq!(verification.notes[0].game(), Some(1));
}

#[test]
fn names_and_places_out_of_range_are_found() {
    let name = "2: damaged: the index says a name that does not exist";
    for offset in [11, 13, 16, 18, 20] {
        assert_eq!(with_record(1, offset, |_| 99), [name]);
    }
    let beyond = "3: damaged: the game lies beyond the end of the games file";
    assert_eq!(with_record(2, 5, |_| 255), [beyond]);
    assert_eq!(with_record(2, 0, |_| 255), [beyond]);
}

#[test]
fn games_may_be_the_same_bytes_but_not_share_some() {
    let twice = game("Ann", "", "e4 e5");
    let mut parts = parts(&[twice.clone(), twice]);
    let place = HEADER_BYTES..HEADER_BYTES + 6;
    parts.index.copy_within(place, HEADER_BYTES + RECORD_BYTES);
    assert_eq!(verify(parts).damaged, 0);
    // The second game begins one byte earlier, inside the first game.
    let overlapping = with_record(1, 3, |byte| byte - 1);
    assert_eq!(overlapping.len(), 1);
    assert!(overlapping[0].starts_with("2: "));
    let mut parts = sample();
    // One byte less than the whole game: it shares bytes and has no end.
    parts.index[HEADER_BYTES + RECORD_BYTES + 5] -= 1;
    parts
        .index
        .copy_within(HEADER_BYTES..HEADER_BYTES + 4, HEADER_BYTES + RECORD_BYTES);
    assert_eq!(verify(parts).damaged, 1);
}

#[test]
fn overlap_is_told_when_nothing_else_is_wrong() {
    let first = game("Ann", "", "e4 e5");
    let mut parts = parts(&[first.clone(), first.clone()]);
    // Make the first game end with the first byte of the second as a comment.
    let games = parts.games.as_mut().unwrap();
    assert_eq!(games.len(), 2 * first.as_bytes().len());
    games[4] = 12;
    parts.index[HEADER_BYTES + 5] += 1;
    parts.index[HEADER_BYTES + 22] = 0x10;
    let bytes = parts.games.as_mut().unwrap();
    bytes[3..6].copy_from_slice(&[12, 15, 0]);
    parts.index[HEADER_BYTES + 37] = 1;
    parts.index[HEADER_BYTES + 38] = 1;
    parts.index[HEADER_BYTES + 39] = 0xb0;
    parts.index[HEADER_BYTES + 33] = 106;
    let verification = verify(parts);
    assert_eq!(
        faults(&verification),
        ["2: damaged: the game shares bytes with another one"]
    );
}

#[test]
fn illegal_moves_are_found_in_every_line() {
    // Byte 0x67 is g1-f3.
    let legal = game("Ann", "", "e4 e5 ( d5 Nf3 ) Bc4 a6 Bxf7");
    let at = |byte| {
        legal
            .as_bytes()
            .iter()
            .position(|&have| have == byte)
            .unwrap()
    };
    let find = |offset: usize, byte: u8| {
        let mut parts = parts(std::slice::from_ref(&legal));
        parts.games.as_mut().unwrap()[offset] = byte;
        faults(&verify(parts))
    };
    // The queen's rook jumps over its pawn; then the king captures its own pawn.
    let jump = find(at(0x67), 0x1b);
    assert_eq!(jump, ["1: illegal move 2. Ra1-a4 in a variation"]);
    let last = legal.as_bytes().len() - 2;
    assert_eq!(
        find(last, 0x1b),
        ["1: illegal move 3. Ra1-a4 in the main line"]
    );
    let own = find(last, 0x06);
    assert_eq!(own, ["1: damaged: a man captures one of its own side"]);
}

#[test]
fn comments_must_be_as_many_as_their_places() {
    let two = game("Ann", "", "e4 {one} e5 {two}");
    let mut fewer = parts(std::slice::from_ref(&two));
    let length = two.as_bytes().len();
    fewer.games.as_mut().unwrap()[length - 5] = b'-';
    assert_eq!(faults(&verify(fewer)), ["1: damaged: a comment is missing"]);
    let mut open = parts(std::slice::from_ref(&two));
    open.games.as_mut().unwrap()[length - 1] = b'-';
    assert_eq!(faults(&verify(open)), ["1: damaged: a comment is missing"]);
    let mut more = parts(std::slice::from_ref(&two));
    more.games.as_mut().unwrap()[length - 3] = 0;
    let verification = verify(more);
    assert_eq!((verification.damaged, verification.notes.len()), (0, 1));
}

#[test]
fn the_material_of_a_bare_start_position_is_not_relied_upon() {
    let bare = game("Ann", "8/8/8/4k3/8/8/4P3/4K3 w - - 0 1", "");
    let mut parts = parts(&[bare]);
    let material = HEADER_BYTES + 34;
    parts.index[material..material + 3].copy_from_slice(&[0x6a, 0x86, 0xa8]);
    let database = Database::from_bytes(parts).unwrap();
    assert_eq!(database.verify().unwrap().damaged, 0);
    let query: crate::Query = "material:KPvK".parse().unwrap();
    assert_eq!(crate::Search::new(&query).run(&database).unwrap().len(), 1);
}

#[test]
fn start_positions_outside_the_rules_are_checked_by_the_format_only() {
    // The side that is not to move is in check.
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader::default());
    let setup = "4k3/8/8/8/8/8/8/K3R3 w - - 0 1"
        .parse::<Fen>()
        .unwrap()
        .into_setup();
    let _ = encoder.start(Start::Custom(&setup));
    let played = Move::Normal {
        role: shakmaty::Role::Rook,
        from: shakmaty::Square::E1,
        capture: None,
        to: shakmaty::Square::E7,
        promotion: None,
    };
    let _ = encoder.play(Some(played));
    let verification = verify(parts(&[encoder.finish().unwrap()]));
    assert_eq!((verification.damaged, verification.notes.len()), (0, 1));
    assert_eq!(verification.all_moves, 1);
}

#[test]
fn verifying_can_be_stopped() {
    let database = Database::from_bytes(sample()).unwrap();
    let stopped = database.on_progress(|_| Flow::Break(())).verify();
    assert_eq!(stopped.unwrap_err().kind(), &ErrorKind::Interrupted);
    let mut parts = sample();
    parts.games = None;
    let database = Database::from_bytes(parts).unwrap();
    let missing = database.verify();
    assert!(matches!(
        missing.unwrap_err().kind(),
        ErrorKind::Missing { .. }
    ));
}

#[test]
fn a_check_of_all_games_ends_soon_whatever_a_game_costs() {
    let database = Database::open("fixtures/famous.si4").unwrap();
    crate::slow::ends_soon(0, |games, ask| {
        let progress = &mut |_| ask();
        let checked =
            with_view!(database.tags(), view => super::verify(&database, games.of(view), progress));
        assert!(checked.is_ok_and(|found| found.games == 91) || ask().is_break());
    });
}
