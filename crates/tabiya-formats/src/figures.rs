//! Figures that opening statistics use: those of one game's header, and their sums.

use shakmaty::Color;

use super::Header;

/// Number of basic codes, A00 to E99.
pub const BASIC_CODES: usize = 500;
/// Number of Scid's codes for one basic code.
pub const SUBCODES: u16 = 131;

/// The figures of one game.
#[derive(Debug, Clone, Copy, Default)]
pub struct Figures {
    /// The code of the result, 0 to 3.
    result: u8,
    /// White's and Black's; 0 unless both are present.
    ratings: [u16; 2],
    /// 0 if unknown.
    year: u16,
    /// The basic opening code, 0 for A00; [`Figures::NO_CODE`] for none.
    code: u16,
}

impl Figures {
    const NO_CODE: u16 = u16::MAX;

    /// Returns the figures of a record.
    #[inline]
    pub fn of<R: Header>(record: &R) -> Figures {
        let ratings = [Color::White, Color::Black].map(|color| record.rating_value(color));
        let code = record.eco_code().checked_sub(1).map(|code| code / SUBCODES);
        Figures {
            result: record.result() as u8 & 3,
            ratings: match ratings {
                [0, _] | [_, 0] => [0; 2],
                both => both,
            },
            year: record.date().year().unwrap_or_default(),
            code: code
                .filter(|&code| usize::from(code) < BASIC_CODES)
                .unwrap_or(Figures::NO_CODE),
        }
    }

    /// Returns the basic opening code, below [`BASIC_CODES`].
    #[inline]
    pub fn code(&self) -> Option<u16> {
        Some(self.code).filter(|&code| code != Figures::NO_CODE)
    }
}

/// Sums of the figures of some games, without opening codes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FigureSums {
    /// Games by [`GameResult`](tabiya_chess::GameResult).
    pub results: [u64; 4],
    /// Games in which both sides have a rating.
    pub rated_games: u64,
    /// Sums over the rated games: White's and Black's.
    pub rating_sums: [u64; 2],
    /// Games with a year.
    pub dated_games: u64,
    /// Sum of the known years.
    pub year_sum: u64,
}

impl FigureSums {
    /// Number of sums.
    pub const NUMBERS: usize = 9;

    /// Adds the figures of a game.
    #[inline]
    pub fn add(&mut self, figures: &Figures) {
        self.results[usize::from(figures.result) & 3] += 1;
        self.rated_games += u64::from(figures.ratings[0] != 0);
        self.rating_sums[0] += u64::from(figures.ratings[0]);
        self.rating_sums[1] += u64::from(figures.ratings[1]);
        self.dated_games += u64::from(figures.year != 0);
        self.year_sum += u64::from(figures.year);
    }

    /// Adds other sums. Saturates, which only sums from damaged files can reach.
    pub fn merge(&mut self, other: &FigureSums) {
        let mut sums = self.numbers();
        for (sum, more) in sums.iter_mut().zip(other.numbers()) {
            *sum = sum.saturating_add(more);
        }
        *self = FigureSums::from_numbers(sums);
    }

    /// Returns all sums, in the order in which they are declared.
    pub fn numbers(&self) -> [u64; FigureSums::NUMBERS] {
        let [none, white, black, draw] = self.results;
        let [white_rating, black_rating] = self.rating_sums;
        [
            none,
            white,
            black,
            draw,
            self.rated_games,
            white_rating,
            black_rating,
            self.dated_games,
            self.year_sum,
        ]
    }

    /// Creates sums from what [`numbers`](FigureSums::numbers) returned.
    pub fn from_numbers(numbers: [u64; FigureSums::NUMBERS]) -> FigureSums {
        let [a, b, c, d, rated_games, white, black, dated_games, year_sum] = numbers;
        FigureSums {
            results: [a, b, c, d],
            rated_games,
            rating_sums: [white, black],
            dated_games,
            year_sum,
        }
    }
}
