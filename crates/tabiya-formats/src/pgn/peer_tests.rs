//! Random PGN, oddly spelled and damaged, read by this reader and by another one.

use std::ops::ControlFlow;

use pgn_reader::{SanPlus, Skip};
use shakmaty::{CastlingSide, Chess, Move, Position, uci::UciMove};

use super::testing::{Dice, Event, GameEvents, read};

const TAGS: &str = "[White \"Ann\"]\n[Event \"?\"]\n\n";

/// Returns the main line of a game.
fn main_line(told: &GameEvents) -> Vec<String> {
    let mut depth = 0;
    let mut moves = Vec::new();
    for event in &told.events {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(played) if depth == 0 => moves.push(uci(*played)),
            _ => {}
        }
    }
    moves
}

fn uci(played: Option<Move>) -> String {
    let null = || "0000".to_owned();
    played.map_or_else(null, |played| UciMove::from_chess960(played).to_string())
}

/// The main line that the other reader finds, with the moves of shakmaty.
#[derive(Default)]
struct Peer {
    position: Chess,
    moves: Vec<String>,
    is_legal: bool,
}

impl pgn_reader::Visitor for Peer {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<()> {
        self.is_legal = true;
        ControlFlow::Continue(())
    }

    fn san(&mut self, (): &mut (), plus: SanPlus) -> ControlFlow<()> {
        match plus.san.to_move(&self.position) {
            Ok(played) => {
                self.position.play_unchecked(played);
                self.moves.push(uci(Some(played)));
            }
            Err(_) => self.is_legal = false,
        }
        ControlFlow::Continue(())
    }

    fn begin_variation(&mut self, (): &mut ()) -> ControlFlow<(), Skip> {
        ControlFlow::Continue(Skip(true))
    }

    fn end_game(&mut self, (): ()) {}
}

/// Returns the main line of the first game, if this reader reads it whole, and how many games it
/// sees.
fn ours(text: &str) -> (Option<Vec<String>>, usize) {
    let games = read(text.as_bytes());
    let first = games.first().and_then(|(_, told)| told.as_ref().ok());
    (first.map(main_line), games.len())
}

/// Returns the main line of the first game, if the other reader reads it whole.
fn theirs(text: &str) -> Option<Vec<String>> {
    let mut peer = Peer::default();
    let mut reader = pgn_reader::Reader::new(text.as_bytes());
    let read = reader.read_game(&mut peer);
    (read.is_ok() && peer.is_legal).then_some(peer.moves)
}

/// Spells a move in one of the ways that both readers know.
fn spelled(dice: &mut Dice, position: &Chess, played: Move) -> String {
    let mut word = match played {
        Move::Castle { .. } if dice.below(4) == 0 => match played.castling_side() {
            Some(CastlingSide::QueenSide) => "0-0-0".to_owned(),
            _ => "0-0".to_owned(),
        },
        _ => SanPlus::from_move(position.clone(), played).to_string(),
    };
    match dice.below(12) {
        // Signs of check are often missing or wrong.
        0 => word = word.trim_end_matches(['+', '#']).to_owned(),
        1 if !word.ends_with(['+', '#']) => word.push('+'),
        2 => word.push_str(["!", "?", "!!", "??", "!?", "?!"][dice.below(6)]),
        // Superfluous file and rank.
        3 => {
            if let (Some(from), true) = (played.from(), played.role() != shakmaty::Role::Pawn)
                && !played.is_castle()
            {
                let sign = if played.is_capture() { "x" } else { "" };
                word = format!("{}{from}{sign}{}", played.role().upper_char(), played.to());
            }
        }
        _ => {}
    }
    word
}

/// Writes a random game. Returns its text and its main line.
fn random_text(dice: &mut Dice, plies: usize) -> (String, Vec<String>) {
    let mut text = TAGS.to_owned();
    let (mut position, mut moves) = (Chess::default(), Vec::new());
    for ply in 0..plies {
        let legal = position.legal_moves();
        if legal.is_empty() {
            break;
        }
        let rare: Vec<Move> = legal
            .iter()
            .copied()
            .filter(|played| played.is_castle() || played.is_en_passant() || played.is_promotion())
            .collect();
        let played = match dice.below(2) {
            0 if !rare.is_empty() => *dice.pick(&rare),
            _ => *dice.pick(&legal),
        };
        match dice.below(6) {
            0 => {}
            1 => text += &format!("{}.", ply / 2 + 1),
            2 => text += &format!("{}...", ply / 2 + 1),
            _ if ply % 2 == 0 => text += &format!("{}. ", ply / 2 + 1),
            _ => {}
        }
        text += &spelled(dice, &position, played);
        text += *dice.pick(&[" ", "\n", "  ", "\n ", "\t", " \n"]);
        let alternative = SanPlus::from_move(position.clone(), *dice.pick(&legal));
        match dice.below(24) {
            0 => text += "{a comment (of) 1. e4 [%clk 0:01:00]} ",
            1 => text += "; the rest of the line { ( Nf3\n",
            2 => text += &format!("({alternative} $2 {{why}}) "),
            3 => text += &format!("( {alternative} )\n"),
            4 => text += "$14 ",
            5 => text += "$6\n$139 ",
            _ => {}
        }
        position.play_unchecked(played);
        moves.push(uci(Some(played)));
    }
    text += *dice.pick(&["1-0", "0-1", "1/2-1/2", "*", ""]);
    text += "\n\n";
    (text, moves)
}

#[test]
fn odd_spellings_give_the_same_games_as_by_another_reader() {
    for seed in 1..=40 {
        let mut dice = Dice(seed * 0x9e37_79b9);
        for _ in 0..25 {
            let plies = dice.below(100);
            let (text, moves) = random_text(&mut dice, plies);
            assert_eq!(
                theirs(&text).as_ref(),
                Some(&moves),
                "the other reader: {text}"
            );
            assert_eq!(ours(&text), (Some(moves), 1), "{text}");
        }
    }
}

/// Whether the second list is the first without some of its moves.
fn lacks_only_some(all: &[String], some: &[String]) -> bool {
    let mut rest = all.iter();
    some.iter().all(|one| rest.any(|other| one == other))
}

/// The other reader skips what it does not know, and ends a game at an empty line; see the tests
/// below. So it may find fewer moves, but never another one.
#[test]
fn damaged_games_that_are_read_whole_have_the_moves_that_another_reader_finds() {
    let (mut same, mut refused) = (0, 0);
    for seed in 1..=40 {
        let mut dice = Dice(seed * 0x51_7cc1_b727);
        for _ in 0..50 {
            let plies = 1 + dice.below(12);
            let (text, _) = random_text(&mut dice, plies);
            let mut bytes = text.into_bytes();
            for _ in 0..=dice.below(3) {
                let at = TAGS.len() + dice.below(bytes.len() - TAGS.len());
                let byte = *dice.pick(b" \nNxe5+O0-.({})[]$!;%1=*q");
                match dice.below(3) {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ => drop(bytes.remove(at)),
                }
            }
            let text = String::from_utf8(bytes).unwrap();
            match (ours(&text), theirs(&text)) {
                ((Some(ours), 1), Some(theirs)) => {
                    assert!(
                        lacks_only_some(&ours, &theirs),
                        "{ours:?} {theirs:?}: {text}"
                    );
                    same += usize::from(ours == theirs);
                }
                ((None, _), Some(_)) => refused += 1,
                _ => {}
            }
        }
    }
    assert!(
        same > 500 && refused > 100,
        "{same} the same, {refused} refused"
    );
}

/// Returns what both readers find in a movetext.
fn both(movetext: &str) -> [Option<Vec<String>>; 2] {
    let text = format!("{TAGS}{movetext}\n\n");
    [ours(&text).0, theirs(&text)]
}

fn moves(moves: &str) -> Option<Vec<String>> {
    Some(moves.split(' ').map(str::to_owned).collect())
}

/// PGN ends a game with its result. Many programs write empty lines between moves.
#[test]
fn an_empty_line_does_not_end_a_game_as_for_another_reader() {
    let found = both("1. e4 e5\n\n2. Nf3 Nc6 1-0");
    assert_eq!(found, [moves("e2e4 e7e5 g1f3 b8c6"), moves("e2e4 e7e5")]);
}

/// A game with a lost move would be another game.
#[test]
fn a_word_that_is_no_move_is_damage_and_not_skipped_as_by_another_reader() {
    let found = both("1. e4 xyz e5 2. Nf3 1-0");
    assert_eq!(found, [None, moves("e2e4 e7e5 g1f3")]);
}

/// Dashes, and glyphs before a move, mean no other move.
#[test]
fn spellings_are_forgiven_that_another_reader_skips() {
    let found = both("1. e2-e4 e5- 2. =Nf3 Nb8-c6 1-0");
    assert_eq!(found, [moves("e2e4 e7e5 g1f3 b8c6"), Some(Vec::new())]);
}
