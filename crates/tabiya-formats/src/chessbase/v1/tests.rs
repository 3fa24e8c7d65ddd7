//! Hand-made games: every mode, the order of variations, the numbers of men, damage.

use super::flaws;
use shakmaty::{CastlingMode, Move};
use tabiya_chess::{Flow, Start, follow::Ignore};

use super::annotations::Annotations;
use super::{
    codes::{BRANCH, LINE_END, NULL, PADDING, WORD},
    stream::Parts,
    tables::{MODES, Width},
};
use crate::{Decoded, Scratch, Visitor, limits::VARIATION_DEPTH_MAX};

/// The first knight's step by one file and two ranks.
const FIRST_KNIGHT: u8 = 96;
/// The e-pawn's double step, for either side.
const KING_PAWN: u8 = 111 + 4 * 4 + 1;
/// The d-pawn's.
const QUEEN_PAWN: u8 = 111 + 4 * 3 + 1;
/// The c-pawn's.
const BISHOP_PAWN: u8 = 111 + 4 * 2 + 1;

/// A game being written.
struct Written {
    mode: u8,
    moves: u8,
    bytes: Vec<u8>,
}

impl Written {
    fn new(mode: u8) -> Written {
        let bytes = vec![mode, 0, 0, 0];
        Written {
            mode,
            moves: 0,
            bytes,
        }
    }

    fn push(&mut self, code: u8) {
        let encoding = &MODES[usize::from(self.mode)];
        self.bytes.push(encoding.byte(code, self.moves));
    }

    /// Appends one-byte codes.
    fn codes(mut self, codes: &[u8]) -> Written {
        for &code in codes {
            self.push(code);
            let is_move = !matches!(code, BRANCH | LINE_END | PADDING);
            self.moves = self.moves.wrapping_add(is_move.into());
        }
        self
    }

    /// Appends a two-byte move, its squares counted file by file.
    fn word(mut self, from: u16, to: u16, promotion: u16, flags: u16) -> Written {
        if MODES[usize::from(self.mode)].width == Width::Compact {
            self.push(WORD);
        }
        let word = flags << 14 | promotion << 12 | to << 6 | from;
        word.to_be_bytes()
            .into_iter()
            .for_each(|code| self.push(code));
        self.moves += 1;
        self
    }

    /// Sets the length and returns the bytes.
    fn done(mut self) -> Vec<u8> {
        let length = (self.bytes.len() as u32).to_be_bytes();
        self.bytes[1..4].copy_from_slice(&length[1..]);
        self.bytes
    }
}

/// Writes moves and variations as text.
#[derive(Default)]
struct Line(String);

impl Visitor for Line {
    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let played = played.map_or("--".to_owned(), |played| {
            played.to_uci(CastlingMode::Standard).to_string()
        });
        self.0 += &format!("{played} ");
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.0 += "( ";
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.0 += ") ";
        Flow::Continue(())
    }
}

fn told(bytes: &[u8]) -> Decoded<String> {
    let mut line = Line::default();
    Parts::new(bytes)?.visit(&mut Scratch::default(), &Annotations::NONE, &mut line)?;
    Ok(line.0.trim_end().to_owned())
}

fn plies(bytes: &[u8]) -> Decoded<u32> {
    Parts::new(bytes)?.main_line(&mut Scratch::default(), &mut Ignore)
}

/// Runs all decoders on a game that may be damaged.
fn touch_all(bytes: &[u8]) {
    let mut scratch = Scratch::default();
    if let Ok(parts) = Parts::new(bytes) {
        let _ = parts.main_line(&mut scratch, &mut Ignore);
        let _ = parts.tree(&mut scratch, &mut Ignore);
        let _ = parts.visit(&mut scratch, &Annotations::NONE, &mut Line::default());
    }
}

#[test]
fn variations_are_told_where_pgn_has_them() {
    // 1.e4 (1.d4 d5) (1.c4) 1...e5 (1...d5 2.Nc3 (2.c4)) 2.Nc3
    let codes = [
        &[BRANCH, KING_PAWN, BRANCH, KING_PAWN, FIRST_KNIGHT, LINE_END][..],
        &[
            QUEEN_PAWN,
            BRANCH,
            FIRST_KNIGHT,
            LINE_END,
            BISHOP_PAWN,
            LINE_END,
        ],
        &[BRANCH, QUEEN_PAWN, QUEEN_PAWN, LINE_END],
        &[BISHOP_PAWN, LINE_END],
    ];
    let game = Written::new(0).codes(&codes.concat()).done();
    let expected = "e2e4 ( d2d4 d7d5 ) ( c2c4 ) e7e5 ( d7d5 b1c3 ( c2c4 ) ) b1c3";
    assert_eq!(told(&game).unwrap(), expected);
    assert_eq!(plies(&game), Ok(3));
}

#[test]
fn odd_trees_are_told_as_far_as_they_mean_something() {
    let told_codes = |codes: &[u8]| told(&Written::new(0).codes(codes).done());
    // Two branches at once: the inner one is taken first.
    let twice = [BRANCH, BRANCH, KING_PAWN, LINE_END, QUEEN_PAWN, LINE_END];
    let twice = [&twice[..], &[BISHOP_PAWN, LINE_END]].concat();
    assert_eq!(told_codes(&twice).unwrap(), "e2e4 ( d2d4 ) ( c2c4 )");
    // A branch without a first alternative, and one without a second.
    let first = [KING_PAWN, BRANCH, LINE_END, KING_PAWN, LINE_END];
    assert_eq!(told_codes(&first).unwrap(), "e2e4 e7e5");
    assert_eq!(
        told_codes(&[BRANCH, KING_PAWN, LINE_END, LINE_END]).unwrap(),
        "e2e4 ( )"
    );
    // Cut short, the main line is still reported.
    let mut line = Line::default();
    let cut = Written::new(0).codes(&[BRANCH, KING_PAWN, LINE_END]).done();
    let parts = Parts::new(&cut).unwrap();
    let fault = parts.visit(&mut Scratch::default(), &Annotations::NONE, &mut line);
    assert_eq!((line.0.trim_end(), fault.is_err()), ("e2e4 (", true));
}

#[test]
fn branches_inside_each_other_are_followed_to_the_limit_and_no_deeper() {
    let nested = |depth: usize| {
        let ways = [QUEEN_PAWN, LINE_END].repeat(depth);
        let codes = [vec![BRANCH; depth], vec![KING_PAWN, LINE_END], ways].concat();
        Written::new(0).codes(&codes).done()
    };
    let line = told(&nested(VARIATION_DEPTH_MAX)).unwrap();
    assert_eq!(line.matches("d2d4").count(), VARIATION_DEPTH_MAX);
    let damage = told(&nested(VARIATION_DEPTH_MAX + 1)).unwrap_err();
    assert_eq!(damage.what, flaws::NESTED_TOO_DEEP);
    assert!(told(&nested(1_000_000)).is_err());
}

#[test]
fn compact_modes_differ_in_table_counter_and_order_of_numbers_only() {
    for mode in [0, 2, 4, 6, 8, 9, 10, 11] {
        let reversed = MODES[usize::from(mode)].reversed;
        let codes = [FIRST_KNIGHT, NULL, PADDING, FIRST_KNIGHT, LINE_END];
        let game = Written::new(mode).codes(&codes).done();
        let expected = if reversed {
            "g1h3 -- h3a5"
        } else {
            "b1c3 -- c3d5"
        };
        assert_eq!(told(&game).unwrap(), expected, "{mode}");
        assert_eq!(plies(&game), Ok(3));
    }
}

#[test]
fn simple_modes_have_no_codes_but_the_same_trees() {
    const ENDS: u16 = 1;
    const BRANCHES: u16 = 2;
    for mode in [1, 3, 5, 7] {
        let order = |from: u16, to: u16| {
            if MODES[usize::from(mode)].reversed {
                (to, from)
            } else {
                (from, to)
            }
        };
        let mut game = Written::new(mode);
        // e2e4 (d2d4), then a null move and the king's pawn's second step.
        let moves = [
            (33, 35, BRANCHES),
            (0, 0, 0),
            (35, 36, ENDS),
            (25, 27, ENDS),
        ];
        for (from, to, flags) in moves {
            let (from, to) = order(from, to);
            game = game.word(from, to, 0, flags);
        }
        let game = game.done();
        assert_eq!(told(&game).unwrap(), "e2e4 ( d2d4 ) -- e4e5", "{mode}");
        assert_eq!(plies(&game), Ok(3));
        assert_eq!(told(&Written::new(mode).done()).unwrap(), "");
    }
}

#[test]
fn the_counter_wraps_after_256_moves() {
    let mut codes = Vec::from([NULL; 600]);
    codes.push(LINE_END);
    for mode in [0, 4] {
        assert_eq!(plies(&Written::new(mode).codes(&codes).done()), Ok(600));
    }
}

#[test]
fn moves_that_cannot_be_are_damage_at_their_offset() {
    let fault = |codes: &[u8]| plies(&Written::new(0).codes(codes).done()).unwrap_err();
    // King e1-d2 onto its own pawn; the third queen; an unused code.
    for code in [8, 171, 240] {
        assert_eq!(
            fault(&[KING_PAWN, KING_PAWN, code, LINE_END]).at,
            6,
            "{code}"
        );
    }
    // The white rook a1-a8 captures through, then the next one takes the king.
    let rook_up = [39 + 6, NULL, 39 + 7 + 3];
    assert_eq!(fault(&rook_up).what, flaws::KING_CAPTURED);
    let unread = |mode: u8| plies(&[mode, 0, 0, 4]);
    assert_eq!(unread(12).unwrap_err().what, flaws::OTHER_VARIANT);
    assert_eq!(unread(63).unwrap_err().what, flaws::ILLEGAL_START);
    assert_eq!(unread(0), Ok(0));
}

#[test]
fn no_damage_makes_a_decoder_panic_or_hang() {
    let codes = [
        &[BRANCH, KING_PAWN, BRANCH, KING_PAWN, FIRST_KNIGHT, LINE_END][..],
        &[QUEEN_PAWN, 9, LINE_END, BRANCH, QUEEN_PAWN, 10, LINE_END],
        &[BISHOP_PAWN, LINE_END],
    ];
    let game = Written::new(0).codes(&codes.concat()).word(33, 35, 0, 0);
    let game = game.done();
    for length in 0..game.len() {
        touch_all(&game[..length]);
    }
    for at in 0..game.len() {
        for byte in 0..=255 {
            let mut damaged = game.clone();
            damaged[at] = byte;
            // The old move bytes may now be a start position.
            damaged.resize(80, byte);
            touch_all(&damaged);
        }
    }
}
