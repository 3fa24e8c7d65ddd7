//! Sums and boards agree on every position of random games.

use shakmaty::{Chess, Color, EnPassantMode, Move, Position, Role};
use tabiya_chess::material::CountRange;

use super::*;
use crate::pattern::Boards;

/// Pseudo-random numbers that are the same on every machine.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        // Marsaglia's xorshift.
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn squares(&mut self) -> u64 {
        match self.below(4) {
            0 => 1 << self.below(64),
            1 => 0x0101_0101_0101_0101 << self.below(8),
            2 => 0xff << (8 * self.below(8)),
            _ => 1 << self.below(64) | 1 << self.below(64) | 1 << self.below(64),
        }
    }

    /// Returns a man. Pawns are more frequent, since most conclusions are about them.
    fn man(&mut self) -> Man {
        let index = [5, 11, self.below(12), self.below(12)][self.below(4) as usize];
        Man::ALL[index as usize]
    }

    fn men(&mut self) -> u16 {
        let men = 1 << self.man().index();
        match self.below(3) {
            0 => men | 1 << self.man().index(),
            _ => men,
        }
    }

    fn range(&mut self, least: i32, most: i32) -> (i32, i32) {
        let span = (most - least) as u64 + 1;
        let low = least + self.below(span) as i32;
        (low, low + self.below(4) as i32)
    }

    fn test(&mut self, at: &Board) -> Test {
        let pawns = |color: Color| {
            let pawns = at.pawns() & at.by_color(color);
            std::array::from_fn(|file| {
                let file = shakmaty::Bitboard::from(shakmaty::File::new(file as u32));
                (pawns & file).count() as u8
            })
        };
        let color = if self.below(2) == 0 {
            Color::White
        } else {
            Color::Black
        };
        match self.below(9) {
            0 | 1 => Test::Some {
                men: self.men(),
                squares: self.squares(),
            },
            2 => Test::All {
                men: 0xfff & !self.men(),
                squares: self.squares(),
            },
            3 => {
                let man = self.man();
                let squares = at.by_piece(man.into()).into();
                Test::Exactly { man, squares }
            }
            4 => {
                let (low, high) = self.range(2, 32);
                Test::Measure(Measure::Men, low, high)
            }
            5 => {
                let (low, high) = self.range(0, 5);
                Test::Measure(Measure::Minors(color), low, high)
            }
            6 => {
                let (low, high) = self.range(-12, 12);
                Test::Measure(Measure::Difference, low, high)
            }
            7 => Test::Files(pawns(Color::White), pawns(Color::Black)),
            _ => Test::Bishops {
                same: self.below(2) == 0,
            },
        }
    }

    fn game(&mut self) -> Vec<Chess> {
        let mut positions = vec![Chess::default()];
        while positions.len() < 160 {
            let mut position = positions[positions.len() - 1].clone();
            let moves = position.legal_moves();
            // Pawn moves and captures are made more frequent.
            let telling = |played: &&Move| played.role() == Role::Pawn || played.is_capture();
            let telling: Vec<&Move> = moves.iter().filter(telling).collect();
            let played = match (moves.len(), telling.len(), self.below(2)) {
                (0, ..) => break,
                (_, 1.., 0) => *telling[self.below(telling.len() as u64) as usize],
                (all, ..) => moves[self.below(all as u64) as usize],
            };
            position.play_unchecked(played);
            positions.push(position);
        }
        positions
    }
}

#[test]
fn sums_agree_with_boards_and_never_give_up_too_early() {
    let mut dice = Dice(20_261_121);
    let (mut compared, mut matched, mut given_up) = (0, 0, 0);
    for _ in 0..150 {
        let game = dice.game();
        for _ in 0..20 {
            let model = game[dice.below(game.len() as u64) as usize].board().clone();
            let terms = (0..=dice.below(3)).map(|_| {
                let test = dice.test(&model);
                Term::new(dice.below(3) == 0, test)
            });
            let pattern = Pattern::new(CountRange::ANY, None, (0, u32::MAX), terms.collect());
            let Some(weights) = SumWeights::new(&pattern) else {
                continue;
            };
            compared += 1;
            let mut may_come = true;
            for position in &game {
                let setup = position.to_setup(EnPassantMode::Always);
                let boards = Boards::new(&setup);
                let sum = weights.sum(&setup.board);
                let by_sum = weights.match_at(sum)
                    && pattern.counts.contains(boards.counts)
                    && !weights.pattern.impossible;
                assert_eq!(by_sum, pattern.matches(&boards), "{pattern:?} at {setup:?}");
                assert!(may_come || !by_sum, "{pattern:?} given up before {setup:?}");
                may_come &= weights.may_match_after(sum);
                matched += u32::from(by_sum);
            }
            given_up += u32::from(!may_come);
        }
    }
    let counts = (compared, matched, given_up);
    assert!(
        compared > 1000 && matched > 1000 && given_up > 100,
        "{counts:?}"
    );
}

#[test]
fn what_does_not_fit_into_one_word_is_left_to_boards() {
    let lane = |file: u64| {
        let squares = 0x0101_0101_0101_0101 << file | 0x0101_0101_0101_0101 << (7 - file);
        Term::new(false, Test::Some { men: 1, squares })
    };
    let pattern = |lanes| {
        let terms = (0..8).cycle().take(lanes).map(lane).collect();
        Pattern::new(CountRange::ANY, None, (0, u32::MAX), terms)
    };
    assert!(SumWeights::new(&pattern(8)).is_some());
    assert!(SumWeights::new(&pattern(16)).is_none());
}
