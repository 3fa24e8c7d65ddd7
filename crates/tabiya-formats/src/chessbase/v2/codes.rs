//! The words of moves. A word names the man, where it comes from and goes to, and what it captures
//! and becomes.
//!
//! | first | words of |
//! |---|---|
//! | 0001, 09d9, 2bf9, 33d9, 40f9 | White's king, queen, knight, bishop, rook |
//! | 55f9, 5fd1, 81f1, 89d1, 96f1 | Black's |
//! | abf1, ae8d | White's pawn, Black's |
//! | b129 | castling: White long, short, Black long, short |
//! | b12d | the same for each of the 960 start positions of Chess960 |
//! | c02d | men of a start position, see [`setup`](super::setup) |
//!
//! A piece has six words for each square that it reaches on an empty board: a quiet move, and
//! captures of Q N B R P. They follow each other by origin (a1, a2, ... h8), direction and
//! distance. Pawns have words by file and rank: ahead, then the captures to the lower and to the
//! higher file.

use std::sync::LazyLock;

use shakmaty::Role;

use crate::chessbase::common::directions::{Direction, KING_STEPS, KNIGHT_STEPS, LINES};

/// A null move.
pub(super) const NULL: u16 = 0xfffa;
/// A start position follows.
pub(super) const START: u16 = 0xfffb;
/// Moves follow.
pub(super) const MOVES: u16 = 0xfffc;
/// The move just given has another alternative, which is stored later.
pub(super) const ALTERNATIVE: u16 = 0xfffd;
/// The line ends.
pub(super) const END: u16 = 0xffff;

/// The first word of castling; those of the start positions of Chess960 follow.
pub(super) const CASTLING: u16 = 0xb129;
/// The first word that is no move.
const FIRST_PLACEMENT: u16 = 0xc02d;

/// No man, as [`Move::man`] and [`Move::victim`].
pub(super) const NOBODY: u8 = 15;

/// A move word's meaning, packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Move(u32);

impl Move {
    /// A word without a meaning.
    const NONE: Move = Move(NOBODY as u32);
    const CASTLES: u32 = 1 << 24;
    const EN_PASSANT: u32 = 1 << 25;

    /// `becomes` is 0 for none.
    pub(super) const fn new(man: u8, from: u8, to: u8, victim: u8, becomes: u8) -> Move {
        let (man, victim, becomes) = (man as u32, victim as u32, becomes as u32);
        Move(man | victim << 4 | becomes << 8 | (from as u32) << 12 | (to as u32) << 18)
    }

    /// A pawn captures en passant.
    pub(super) const fn en_passant(man: u8, from: u8, to: u8) -> Move {
        let Move(meaning) = Move::new(man, from, to, NOBODY, 0);
        Move(meaning | Move::EN_PASSANT)
    }

    /// Returns the moving man as [`Man::index`](tabiya_chess::Man::index); [`NOBODY`] for a word
    /// without a meaning.
    #[inline(always)]
    pub(super) const fn man(self) -> u8 {
        self.0 as u8 & 15
    }

    /// Returns the man on the target before the move, [`NOBODY`] for none.
    #[inline(always)]
    pub(super) const fn victim(self) -> u8 {
        (self.0 >> 4) as u8 & 15
    }

    /// Returns the man that a pawn becomes; 0 for none.
    #[inline(always)]
    pub(super) const fn becomes(self) -> u8 {
        (self.0 >> 8) as u8 & 15
    }

    /// Returns the origin, 0 (a1), 1 (b1), ... 63 (h8).
    #[inline(always)]
    pub(super) const fn from(self) -> u8 {
        (self.0 >> 12) as u8 & 63
    }

    /// Returns the target, counted as the origin.
    #[inline(always)]
    pub(super) const fn to(self) -> u8 {
        (self.0 >> 18) as u8 & 63
    }

    /// Whether it is neither castling nor an en-passant capture.
    #[inline(always)]
    pub(super) const fn is_plain(self) -> bool {
        self.0 & (Move::CASTLES | Move::EN_PASSANT) == 0
    }

    /// Whether a pawn captures en passant.
    pub(super) const fn is_en_passant(self) -> bool {
        self.0 & Move::EN_PASSANT != 0
    }

    /// Returns on which side the king castles, `true` the king's; `None` for other moves.
    pub(super) const fn castling(self) -> Option<bool> {
        match self.0 & Move::CASTLES {
            0 => None,
            _ => Some(self.to() != 0),
        }
    }
}

/// The meanings of all words.
pub(super) struct Words {
    moves: [Move; 1 << 16],
    /// A bit for each word, set for captures: so few bytes that they stay near the processor.
    captures: [u64; 1 << 10],
}

impl Words {
    /// Returns the meaning of a word.
    #[inline(always)]
    pub(super) const fn get(&self, word: u16) -> Move {
        self.moves[word as usize]
    }

    /// Returns the number of captures among some words.
    #[inline]
    pub(super) fn captures(&self, words: &[[u8; 2]]) -> u32 {
        let is_capture = |&word: &[u8; 2]| {
            let word = u16::from_le_bytes(word);
            (self.captures[usize::from(word >> 6)] >> (word & 63) & 1) as u32
        };
        words.iter().map(is_capture).sum()
    }
}

/// Returns the table, which is made at the first call.
pub(super) fn words() -> &'static Words {
    static WORDS: LazyLock<Box<Words>> = LazyLock::new(|| {
        let mut words = Box::new(Words {
            moves: [Move::NONE; 1 << 16],
            captures: [0; 1 << 10],
        });
        fill(&mut words);
        words
    });
    &WORDS
}

/// Returns the word of a move other than castling; `None` if there is none.
pub(super) fn word_of(meaning: Move) -> Option<u16> {
    /// By man, origin and target: the first word.
    static FIRST: LazyLock<Vec<u16>> = LazyLock::new(|| {
        let mut first = vec![0; 1 << 16];
        for word in (1..CASTLING).rev() {
            first[key(words().get(word))] = word;
        }
        first
    });
    /// The most words that a man has for an origin and a target.
    const ALIKE: u16 = 16;
    let first = FIRST[key(meaning)];
    let mut alike = first..first.saturating_add(ALIKE);
    alike.find(|&word| word > 0 && words().get(word) == meaning)
}

const fn key(meaning: Move) -> usize {
    (meaning.man() as usize) << 12 | (meaning.from() as usize) << 6 | meaning.to() as usize
}

/// Returns the man of a role, as [`Man::index`](tabiya_chess::Man::index), of the side whose king
/// has this number.
pub(super) fn man_of(role: Role, side: u8) -> u8 {
    let kind = match role {
        Role::King => KING,
        Role::Queen => QUEEN,
        Role::Rook => ROOK,
        Role::Bishop => BISHOP,
        Role::Knight => KNIGHT,
        Role::Pawn => PAWN,
    };
    kind + side
}

/// Men in the order of [`Man::index`](tabiya_chess::Man::index), without their colour.
const KING: u8 = 0;
const QUEEN: u8 = 1;
const ROOK: u8 = 2;
const BISHOP: u8 = 3;
const KNIGHT: u8 = 4;
const PAWN: u8 = 5;
const BLACK: u8 = 6;
/// Pieces in the order of their words.
const PIECES: [u8; 5] = [KING, QUEEN, KNIGHT, BISHOP, ROOK];
/// What is captured, in the order of words.
const CAPTURED: [u8; 5] = [QUEEN, KNIGHT, BISHOP, ROOK, PAWN];
/// What a pawn becomes, in the order of words.
const PROMOTIONS: [u8; 4] = [QUEEN, KNIGHT, BISHOP, ROOK];

/// Returns the directions of a piece and how far it goes.
const fn reach(kind: u8) -> (&'static [Direction], i8) {
    let (bishop, rook) = LINES.split_at(4);
    match kind {
        KING => (&KING_STEPS, 1),
        KNIGHT => (&KNIGHT_STEPS, 1),
        BISHOP => (bishop, 7),
        ROOK => (rook, 7),
        _ => (&LINES, 7),
    }
}

/// Returns the square with these coordinates, if it is on the board.
fn square(file: i8, rank: i8) -> Option<u8> {
    let is_there = (0..8).contains(&file) && (0..8).contains(&rank);
    is_there.then_some((rank << 3 | file) as u8)
}

/// Adds the words in their order.
struct Adding<'w> {
    words: &'w mut Words,
    next: u16,
}

impl Adding<'_> {
    fn add(&mut self, meaning: Move) {
        let word = self.next;
        self.words.moves[usize::from(word)] = meaning;
        let is_capture = meaning.victim() != NOBODY || meaning.is_en_passant();
        self.words.captures[usize::from(word >> 6)] |= u64::from(is_capture) << (word & 63);
        self.next += 1;
    }

    fn piece(&mut self, kind: u8, own: u8) {
        let (directions, reach) = reach(kind);
        for origin in 0..64 {
            let (file, rank) = (origin >> 3, origin & 7);
            for &(files, ranks) in directions {
                let ways = (1..=reach).map(|far| square(file + far * files, rank + far * ranks));
                for to in ways.flatten() {
                    let from = (rank << 3 | file) as u8;
                    self.add(Move::new(kind + own, from, to, NOBODY, 0));
                    for victim in CAPTURED.map(|victim| victim + BLACK - own) {
                        self.add(Move::new(kind + own, from, to, victim, 0));
                    }
                }
            }
        }
    }

    fn pawns(&mut self, own: u8) {
        let forward = if own == 0 { 1 } else { -1 };
        let from_own_side = |rank| if own == 0 { rank } else { 7 - rank };
        for (file, rank) in (0..8).flat_map(|file| (1..7).map(move |rank| (file, rank))) {
            let from = (rank << 3 | file) as u8;
            let is_last = from_own_side(rank) == 6;
            let ahead = |ranks: i8| square(file, rank + ranks * forward).unwrap_or_default();
            if from_own_side(rank) == 1 {
                self.add(Move::new(PAWN + own, from, ahead(2), NOBODY, 0));
            }
            if is_last {
                for becomes in PROMOTIONS {
                    self.add(Move::new(PAWN + own, from, ahead(1), NOBODY, becomes + own));
                }
            } else {
                self.add(Move::new(PAWN + own, from, ahead(1), NOBODY, 0));
            }
            let targets = [-1, 1].map(|files| square(file + files, rank + forward));
            for to in targets.into_iter().flatten() {
                self.pawn_captures(own, from, to, is_last, from_own_side(rank) == 4);
            }
        }
    }

    fn pawn_captures(&mut self, own: u8, from: u8, to: u8, is_last: bool, may_pass: bool) {
        let enemy = BLACK - own;
        if is_last {
            // No pawn stands on the last rank.
            for victim in &CAPTURED[..4] {
                for becomes in PROMOTIONS {
                    self.add(Move::new(
                        PAWN + own,
                        from,
                        to,
                        victim + enemy,
                        becomes + own,
                    ));
                }
            }
            return;
        }
        for victim in CAPTURED {
            self.add(Move::new(PAWN + own, from, to, victim + enemy, 0));
        }
        if may_pass {
            self.add(Move::en_passant(PAWN + own, from, to));
        }
    }
}

fn fill(words: &mut Words) {
    let mut adding = Adding { words, next: 1 };
    for own in [0, BLACK] {
        for kind in PIECES {
            adding.piece(kind, own);
        }
    }
    adding.pawns(0);
    adding.pawns(BLACK);
    debug_assert_eq!(adding.next, CASTLING);
    while adding.next < FIRST_PLACEMENT {
        for (king, side) in [(KING, 0), (KING, 1), (KING + BLACK, 0), (KING + BLACK, 1)] {
            let Move(meaning) = Move::new(king, 0, side, NOBODY, 0);
            adding.add(Move(meaning | Move::CASTLES));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_block_begins_with_its_word() {
        const FIRST: [u16; 12] = [
            0x0001, 0x09d9, 0x2bf9, 0x33d9, 0x40f9, 0x55f9, 0x5fd1, 0x81f1, 0x89d1, 0x96f1, 0xabf1,
            0xae8d,
        ];
        const MEN: [u8; 12] = [0, 1, 4, 3, 2, 6, 7, 10, 9, 8, 5, 11];
        let ends = FIRST[1..].iter().chain(&[CASTLING]);
        for ((&first, &end), man) in FIRST.iter().zip(ends).zip(MEN) {
            for word in first..end {
                assert_eq!(words().get(word).man(), man, "{word:04x}");
            }
        }
        assert_eq!(words().get(0), Move::NONE);
        assert_eq!(words().get(FIRST_PLACEMENT), Move::NONE);
        assert_eq!(words().get(FIRST_PLACEMENT - 1).castling(), Some(true));
    }

    #[test]
    fn every_meaning_has_its_word() {
        for word in 1..CASTLING {
            assert_eq!(word_of(words().get(word)), Some(word));
        }
        assert_eq!(word_of(Move::new(KING, 0, 63, NOBODY, 0)), None);
        assert_eq!(word_of(Move::new(PAWN, 8, 16, QUEEN, 0)), None);
    }

    #[test]
    fn words_that_take_a_man_are_counted() {
        for word in 0..=u16::MAX {
            let of = words().get(word);
            let takes = of.victim() != NOBODY || of.is_en_passant();
            let is_capture = of.man() != NOBODY && takes;
            let others = [NULL, END].map(u16::to_le_bytes);
            let among = [others[0], word.to_le_bytes(), others[1]];
            assert_eq!(
                words().captures(&among),
                u32::from(is_capture),
                "{word:04x}"
            );
        }
    }

    #[test]
    fn every_word_of_a_man_is_that_of_the_published_table() {
        // Fowler, Noll, Vo: of the word, the man, origin, target, victim, promotion, en passant.
        const TABLE: u64 = 0x8ca1_14be_f5f8_ee5a;
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for word in 1..CASTLING {
            let of = words().get(word);
            let [low, high] = word.to_le_bytes();
            let en_passant = of.is_en_passant().into();
            let squares = [of.man(), of.from(), of.to(), of.victim(), of.becomes()];
            for byte in [low, high].into_iter().chain(squares).chain([en_passant]) {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
            }
        }
        assert_eq!(hash, TABLE);
    }
}
