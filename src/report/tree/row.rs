//! The rows of a tree and the statistics of their games.

use shakmaty::{Color, Role, Square};
use tabiya_chess::{Eco, GameResult};
use tabiya_formats::{
    Header,
    figures::{BASIC_CODES, FigureSums, Figures, SUBCODES},
};

use crate::sidecar::OpeningRow;

/// The next move of the games of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NextMove {
    /// A move; castling is the king's move, in Chess960 to the rook's square.
    Move {
        /// The square from which the man moves.
        from: Square,
        /// The square to which it moves.
        to: Square,
        /// The piece that a pawn becomes; `None` for all other moves.
        promotion: Option<Role>,
    },
    /// A null move.
    Null,
    /// No move: the games end in the position.
    End,
}

impl NextMove {
    /// Returns the move in UCI notation, `0000` for a null move; `None` if the games end.
    #[must_use]
    pub fn uci(self) -> Option<String> {
        match self {
            NextMove::Move {
                from,
                to,
                promotion,
            } => {
                let letter = promotion.map(|role| role.char().to_string());
                Some(format!("{from}{to}{}", letter.unwrap_or_default()))
            }
            NextMove::Null => Some("0000".to_owned()),
            NextMove::End => None,
        }
    }
}

/// One row of a tree.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct TreeRow {
    /// The next move of the games.
    #[cfg_attr(feature = "serde", serde(rename = "uci"))]
    pub next: NextMove,
    /// The same in SAN with `+` and `#`; as squares (`e1e5`) if the rules do not allow the move;
    /// `--` for a null move; `[end]` for games that end.
    pub san: String,
    /// The name of the opening that the position after the move has, if it has one of its own.
    pub opening: Option<&'static str>,
    /// The statistics of the games.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub stats: TreeStats,
}

/// Statistics from the headers of the games of a row, or of all rows.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Database, TreePosition, TreeSearch};
///
/// let database = Database::open("fixtures/famous.si4")?;
/// let tree = TreeSearch::new(&TreePosition::default()).run(&database)?;
/// for row in tree.rows() {
///     let stats = &row.stats;
///     println!("{} {} {:?}", row.san, stats.games(), stats.score_permille());
/// }
/// let games: u64 = tree.rows().iter().map(|row| row.stats.games()).sum();
/// assert_eq!(tree.total().games(), games);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TreeStats {
    turn: Color,
    sums: FigureSums,
    /// Games by basic opening code; `None` if they are not counted.
    codes: Option<Box<[u32; BASIC_CODES]>>,
}

impl TreeStats {
    /// Creates statistics without games. `turn` is the side to move in the position.
    pub(super) fn new(turn: Color) -> TreeStats {
        TreeStats {
            turn,
            sums: FigureSums::default(),
            codes: Some(Box::new([0; BASIC_CODES])),
        }
    }

    /// Creates statistics without opening codes.
    pub(in crate::report) fn of_sums(turn: Color, sums: FigureSums) -> TreeStats {
        TreeStats {
            turn,
            sums,
            codes: None,
        }
    }

    /// Returns the statistics stored in a sidecar.
    pub(super) fn ready(turn: Color, row: &OpeningRow) -> TreeStats {
        let mut stats = TreeStats::new(turn);
        stats.sums = row.sums;
        for &(code, games) in &row.codes {
            if let Some(count) = stats.count_of(code) {
                *count = games;
            }
        }
        stats
    }

    /// Returns the number of games with an opening code, if such are counted.
    #[inline]
    fn count_of(&mut self, code: u16) -> Option<&mut u32> {
        self.codes.as_mut()?.get_mut(usize::from(code))
    }

    /// Adds a game.
    #[inline]
    pub(super) fn add<R: Header>(&mut self, record: &R) {
        let figures = Figures::of(record);
        self.sums.add(&figures);
        if let Some(code) = figures.code()
            && let Some(count) = self.count_of(code)
        {
            *count += 1;
        }
    }

    /// Adds the games of another row of the same position.
    pub(super) fn merge(&mut self, other: &TreeStats) {
        self.sums.merge(&other.sums);
        let codes = self.codes.iter_mut().zip(&other.codes);
        for (sum, count) in codes.flat_map(|(sums, counts)| sums.iter_mut().zip(counts.iter())) {
            *sum = sum.saturating_add(*count);
        }
    }

    /// Returns the sum of the ratings of the side to move, and that of the other side.
    fn rating_sums(&self) -> (u64, u64) {
        let [white, black] = self.sums.rating_sums;
        self.turn.fold_wb((white, black), (black, white))
    }

    /// Returns the number of games.
    #[must_use]
    pub fn games(&self) -> u64 {
        self.sums.results.iter().sum()
    }

    /// Returns how many games White won.
    #[must_use]
    pub fn white_wins(&self) -> u64 {
        self.sums.results[GameResult::WhiteWins as usize]
    }

    /// Returns how many games were drawn.
    #[must_use]
    pub fn draws(&self) -> u64 {
        self.sums.results[GameResult::Draw as usize]
    }

    /// Returns how many games Black won.
    #[must_use]
    pub fn black_wins(&self) -> u64 {
        self.sums.results[GameResult::BlackWins as usize]
    }

    /// Returns the side to move in the position, to which ratings and performance refer.
    #[must_use]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// Returns the score from White's view in thousandths, rounded half up; `None` without results.
    #[must_use]
    pub fn score_permille(&self) -> Option<u32> {
        self.score_in(1000)
    }

    /// Returns the share of draws in all games, including unfinished ones, in thousandths, rounded
    /// half up; 0 without games.
    #[must_use]
    pub fn draw_permille(&self) -> u32 {
        rounded(1000 * self.draws(), self.games()).unwrap_or_default()
    }

    /// Returns the share of these games in `all`, in thousandths, rounded half up; 0 if `all` has
    /// none.
    #[must_use]
    pub fn share_permille(&self, all: &TreeStats) -> u32 {
        rounded(1000 * self.games(), all.games()).unwrap_or_default()
    }

    /// Returns White's score as a part of `whole`, which must be even.
    fn score_in(&self, whole: u64) -> Option<u32> {
        let decided = self.white_wins() + self.draws() + self.black_wins();
        let points = whole * self.white_wins() + whole / 2 * self.draws();
        rounded(points, decided)
    }

    /// Returns the number of games in which both sides have a rating.
    #[must_use]
    pub fn rated_games(&self) -> u64 {
        self.sums.rated_games
    }

    /// Returns the mean rating of the side to move over the [rated
    /// games](TreeStats::rated_games); `None` if there are none.
    #[must_use]
    pub fn average_rating(&self) -> Option<f64> {
        mean(self.rating_sums().0, self.sums.rated_games)
    }

    /// Returns the mean rating of the other side over the same games; `None` if there are none.
    #[must_use]
    pub fn average_opponent_rating(&self) -> Option<f64> {
        mean(self.rating_sums().1, self.sums.rated_games)
    }

    /// Returns the performance of the side to move: the mean rating of its opponents over the
    /// [rated games](TreeStats::rated_games), plus the difference in FIDE's table for the score,
    /// rounded to whole percent. The score is that of all games of the row with a result, as in
    /// Scid. `None` without rated games or without results. Not meaningful for few games.
    #[must_use]
    pub fn performance(&self) -> Option<f64> {
        let white = self.score_in(100)?;
        let percent = self.turn.fold_wb(white, 100 - white);
        let opponents = self.average_opponent_rating()?;
        Some(opponents + f64::from(rating_difference(percent)))
    }

    /// Returns the mean year over games with a year; `None` if there are none.
    #[must_use]
    pub fn average_year(&self) -> Option<f64> {
        mean(self.sums.year_sum, self.sums.dated_games)
    }

    /// Returns the opening codes in the headers of the games, without refinements (`B90`, not
    /// `B90a`), ascending, each with its number of games. Games without a code are left out.
    pub fn openings(&self) -> impl Iterator<Item = (Eco, u64)> {
        let codes = (0u16..).zip(self.codes.iter().flat_map(|codes| codes.iter()));
        let used = codes.filter(|(_, games)| **games > 0);
        used.filter_map(|(code, &games)| {
            Some((Eco::from_code(code * SUBCODES + 1)?, u64::from(games)))
        })
    }

    /// Returns the most common opening code in the headers of the games, without refinements
    /// (`B90`, not `B90a`); the lower one if several are equally common. `None` if no game has a
    /// code.
    #[must_use]
    pub fn eco(&self) -> Option<Eco> {
        let most = |&(eco, games): &(Eco, u64)| (games, std::cmp::Reverse(eco));
        Some(self.openings().max_by_key(most)?.0)
    }
}

/// Divides and rounds half up; `None` for division by 0.
fn rounded(part: u64, whole: u64) -> Option<u32> {
    let doubled = (2 * part).saturating_add(whole);
    doubled.checked_div(2 * whole).map(|share| share as u32)
}

fn mean(sum: u64, count: u64) -> Option<f64> {
    (count > 0).then(|| sum as f64 / count as f64)
}

/// Returns the rating difference for a score in percent: the table of FIDE's rating regulations,
/// 8.1.1.
fn rating_difference(percent: u32) -> i32 {
    /// For 50 to 100 percent.
    const ABOVE_HALF: [i16; 51] = [
        0, 7, 14, 21, 29, 36, 43, 50, 57, 65, 72, 80, 87, 95, 102, 110, 117, 125, 133, 141, 149,
        158, 166, 175, 184, 193, 202, 211, 220, 230, 240, 251, 262, 273, 284, 296, 309, 322, 336,
        351, 366, 383, 401, 422, 444, 470, 501, 538, 589, 677, 800,
    ];
    let points = |percent: u32| i32::from(ABOVE_HALF[percent.min(50) as usize]);
    match percent.checked_sub(50) {
        Some(above) => points(above),
        None => -points(50 - percent),
    }
}
