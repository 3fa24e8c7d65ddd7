use shakmaty::{Chess, Move, Position, Role, Square};
use tabiya_chess::GameResult;

use super::*;
use crate::{
    chessbase::{v1, v2},
    game::{Encode, GameHeader, Visitor},
    loss::Loss,
    monty, scdb, scid4, viriformat,
};

/// An event of a game. Moves are the first of White and Black.
#[derive(Debug, Clone, Copy)]
enum Event {
    Play,
    Nag(u8),
    Void,
    Say(&'static str),
    Begin,
    End,
}
use Event::{Begin, End, Nag, Play, Say, Void};

/// Returns the move after `ply` plies: `e4` or `e5`, and then knights.
fn nth(ply: usize) -> Move {
    let normal = |role, from, to| Move::Normal {
        role,
        from,
        capture: None,
        to,
        promotion: None,
    };
    match ply {
        0 => normal(Role::Pawn, Square::E2, Square::E4),
        1 => normal(Role::Pawn, Square::E7, Square::E5),
        2 => normal(Role::Knight, Square::G1, Square::F3),
        _ => normal(Role::Knight, Square::B8, Square::C6),
    }
}

fn tell(events: &[Event], visitor: &mut impl Visitor) {
    let (mut ply, mut outer) = (0, Vec::new());
    for event in events {
        let _ = match *event {
            Play => {
                ply += 1;
                visitor.play(Some(nth(ply - 1)))
            }
            Nag(nag) => visitor.nag(nag),
            Void => visitor.void_nag(),
            Say(text) => visitor.comment(text),
            Begin => {
                outer.push(ply);
                ply -= 1;
                visitor.begin_variation()
            }
            End => {
                ply = outer.pop().unwrap();
                visitor.end_variation()
            }
        };
    }
}

/// Returns all losses of a game but those of its header and its scores.
fn losses<E: EncodeTree>(mut encoder: Collector<E>, events: &[Event]) -> Vec<(Loss, u32)> {
    encoder.begin(&GameHeader {
        result: GameResult::Draw,
        ..GameHeader::default()
    });
    tell(events, &mut encoder);
    let losses = encoder.finish().unwrap().losses;
    let others = [Loss::ScoresAssumed, Loss::CommentsDropped];
    let counted = Loss::ALL.iter().map(|&loss| (loss, losses.count(loss)));
    let counted = counted.filter(|(loss, count)| *count > 0 && !others.contains(loss));
    counted.collect()
}

/// Returns what a fate counts for something that moves as `moved`.
fn count(fate: Fate, moved: Option<Loss>) -> Vec<(Loss, u32)> {
    let loss = match fate {
        Fate::Stays => None,
        Fate::Waits => moved,
        Fate::Goes(loss) => Some(loss),
    };
    loss.map(|loss| (loss, 1)).into_iter().collect()
}

/// Compares what a format loses with the rows of its rules.
fn check<E: EncodeTree>(make: &dyn Fn() -> Collector<E>) {
    let losses = |events: &[Event]| losses(make(), events);
    let rules = E::RULES;
    let once = |loss: Option<Loss>| count(Fate::Waits, loss);
    let moved = Some(Loss::NagsMoved);
    assert_eq!(losses(&[Nag(1), Play]), count(rules.nags_of_game, moved));
    assert_eq!(losses(&[Play, Nag(1)]), count(rules.nags, moved));
    assert_eq!(losses(&[Play, Void]), once(rules.void_nags));
    assert_eq!(
        losses(&[Play, Say("a"), Say("b")]),
        once(rules.comments_joined)
    );
    let eight = [Nag(1); 8];
    let beyond = rules
        .nags_max
        .map(|(most, loss)| (loss, 8 - u32::from(most)));
    let many = [&[Play][..], &eight].concat();
    match rules.nags {
        Fate::Goes(loss) => assert_eq!(losses(&many), [(loss, 8)]),
        _ => assert_eq!(losses(&many), Vec::from_iter(beyond)),
    }
    if let Fate::Goes(loss) = rules.variations {
        let nested = [Play, Begin, Nag(1), Say("a"), Play, Begin, End, Void, End];
        return assert_eq!(losses(&nested), [(loss, 1)]);
    }
    assert_eq!(losses(&[Play, Begin, Play, End]), []);
    assert_eq!(
        losses(&[Play, Begin, Nag(1), Play, End]),
        count(rules.nags_of_variations, moved)
    );
    assert_eq!(
        losses(&[Play, Begin, Say("a"), Play, End]),
        count(rules.comments_of_variations, rules.comments_moved)
    );
    assert_eq!(
        losses(&[Play, Begin, End]),
        count(rules.empty_variations, None)
    );
    let mut dropped = once(rules.comments_moved);
    dropped.extend(once(rules.comments_of_no_move));
    dropped.extend(count(rules.empty_variations, None));
    assert_eq!(losses(&[Play, Begin, Say("a"), End]), dropped);
}

#[test]
fn formats_lose_what_their_rules_say() {
    check(&scid4::Encoder::new);
    check(&scdb::Encoder::new);
    check(&v1::Encoder::new);
    check(&v2::Encoder::new);
    check(&monty::encode::Encoder::new);
    check(&viriformat::Encoder::new);
}

/// Returns node and place of the comments and NAGs of a game.
fn places(rules: &Rules, events: &[Event]) -> Vec<(u32, Place)> {
    /// A visitor of the tree alone.
    struct Telling<'r>(GameTree, &'r Rules, GameLosses);
    impl Visitor for Telling<'_> {
        fn play(&mut self, played: Option<Move>) -> tabiya_chess::Flow {
            self.0.play(played, self.1, &mut self.2).unwrap();
            tabiya_chess::Flow::Continue(())
        }
        fn nag(&mut self, nag: u8) -> tabiya_chess::Flow {
            self.0.nag(nag, self.1, &mut self.2);
            tabiya_chess::Flow::Continue(())
        }
        fn comment(&mut self, text: &str) -> tabiya_chess::Flow {
            self.0.say(text, self.1, &mut self.2).unwrap();
            tabiya_chess::Flow::Continue(())
        }
        fn begin_variation(&mut self) -> tabiya_chess::Flow {
            self.0.begin_variation(self.1, &mut self.2).unwrap();
            tabiya_chess::Flow::Continue(())
        }
        fn end_variation(&mut self) -> tabiya_chess::Flow {
            self.0.end_variation(self.1, &mut self.2).unwrap();
            tabiya_chess::Flow::Continue(())
        }
    }
    let mut told = Telling(GameTree::default(), rules, GameLosses::default());
    tell(events, &mut told);
    told.0.end().unwrap();
    let notes = told.0.notes.iter();
    notes.map(|note| (note.node.0, note.place)).collect()
}

#[test]
fn late_comments_stay_or_go_to_the_next_move() {
    let events = [Play, Begin, Play, End, Say("late"), Play];
    let go_on = |end: &[Event]| [&events[..5], end].concat();
    for rules in [Rules::SCID, Rules::SCDB] {
        assert_eq!(places(&rules, &events), [(1, Place::Here)]);
    }
    for rules in [Rules::CHESSBASE, Rules::CHESSBASE2] {
        assert_eq!(places(&rules, &events), [(5, Place::Next)]);
        // No move comes before the next variation, or the end.
        assert_eq!(places(&rules, &go_on(&[])), [(1, Place::Kept)]);
        let another = go_on(&[Begin, Play, End, Play]);
        assert_eq!(places(&rules, &another), [(1, Place::Kept)]);
    }
}

#[test]
fn notes_of_one_node_come_together() {
    let mut encoder = scid4::Encoder::new();
    encoder.begin(&GameHeader::default());
    tell(
        &[Play, Nag(1), Begin, Nag(2), Play, End, Nag(3), Play, Nag(4)],
        &mut encoder,
    );
    let bytes = encoder.finish().unwrap().bytes;
    let nags = bytes.windows(2).filter(|pair| pair[0] == 11);
    let nags: Vec<u8> = nags.map(|pair| pair[1]).collect();
    assert_eq!(nags, [1, 3, 2, 4]);
}

#[test]
fn a_game_that_is_too_long_breaks_while_it_arrives() {
    let mut encoder = scid4::Encoder::new();
    encoder.begin(&GameHeader::default());
    let moves = std::iter::repeat_with(|| encoder.play(None));
    let told = moves.take(200_000).take_while(|flow| flow.is_continue());
    assert_eq!(told.count(), 131_071);
    assert!(encoder.finish().unwrap_err().is_limit());
    encoder.begin(&GameHeader::default());
    let text = "x".repeat(1 << 16);
    assert!(encoder.comment(&text).is_continue());
    assert!(encoder.comment(&text).is_break());
}

#[test]
fn brackets_that_do_not_match_are_errors() {
    let finish = |events: &[fn(&mut scid4::Encoder)]| {
        let mut encoder = scid4::Encoder::new();
        encoder.begin(&GameHeader::default());
        events.iter().for_each(|event| event(&mut encoder));
        encoder.finish().unwrap_err().to_string()
    };
    let first = |encoder: &mut scid4::Encoder| {
        let _ = encoder.play(Some(Chess::default().legal_moves()[0]));
    };
    let begin = |encoder: &mut scid4::Encoder| {
        let _ = encoder.begin_variation();
    };
    let end = |encoder: &mut scid4::Encoder| {
        let _ = encoder.end_variation();
    };
    assert!(finish(&[begin]).contains(flaws::VARIATION_OF_NO_MOVE.as_str()));
    assert!(finish(&[first, begin, begin]).contains(flaws::VARIATION_OF_NO_MOVE.as_str()));
    assert!(finish(&[first, begin]).contains(flaws::VARIATION_ENDLESS.as_str()));
    assert!(finish(&[first, end]).contains(flaws::VARIATION_NEVER_BEGAN.as_str()));
}
