//! How men stand to each other: attacks, rays, pins, and what pawns lack or have.
//!
//! What the words mean is told in `query/table/fields.rs` and, one by one, below. They ask neither
//! whose turn it is nor whether a man is pinned. En passant does not count as an attack.

use shakmaty::{Bitboard, Color, Role, Square, attacks};
use tabiya_chess::{
    Man,
    rays::{DIAGONAL, STRAIGHT, attacked},
};

use super::{
    boards::Boards,
    symmetry::{Men, Symmetry},
};

/// A condition on how men stand to each other. `M` says which men.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Relation<M> {
    /// `attacks`: some man of `on` is attacked by at least this number of men of `by`.
    Attacks {
        /// The men that attack.
        by: M,
        /// The men, or the square, that they attack.
        on: M,
        /// How many must attack the same one; at least 1.
        times: u8,
    },
    /// `ray`: from a man of the first kind, in a direction in which it moves, the first man met is
    /// of the second, and the next one behind it of the third.
    Ray([M; 3]),
    /// `discovered`: a sliding man of the first kind, of the side that has moved last, attacks a
    /// man of the second; neither of them has moved, and before the move it did not.
    Discovered([M; 2]),
    /// Some man stands so.
    Standing(Standing, M),
}

/// How one man stands to the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standing {
    /// A man of its own colour attacks its square.
    Defended,
    /// It is no king, and no man of its own colour attacks its square.
    Undefended,
    /// It is undefended, and a man of the other colour attacks its square.
    Hanging,
    /// If it were taken off, a sliding man of the other colour would attack its king that does not
    /// now.
    Pinned,
    /// It attacks two men of the other colour or more, each of which is the king, undefended, or
    /// worth more than itself.
    Fork,
    /// It is a queen, rook, bishop or knight of the side to move, which is not in check; it is in
    /// danger, and so it is after each of its moves, unless that captures a man worth as much or
    /// more. In danger: attacked by a man worth less, or attacked and not defended.
    Trapped,
    /// A pawn without pawns of the other colour ahead of it on its own or a neighbouring file.
    Passed,
    /// A pawn without pawns of its own colour on a neighbouring file.
    Isolated,
    /// A pawn with another one of its own colour on its file.
    Doubled,
    /// A pawn without pawns of its own colour level with it or behind it on a neighbouring file,
    /// and with the square ahead of it attacked by a pawn of the other colour.
    Backward,
    /// A pawn with one of its own colour on a neighbouring file, on the same rank or the next one
    /// ahead or behind.
    Connected,
}

/// Men of some kinds on some squares. With the bit [`EMPTY`] the squares themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Group {
    pub(crate) men: Men,
    pub(crate) squares: u64,
}

/// In [`Group::men`]: whatever stands there, or nothing.
pub(crate) const EMPTY: Men = 1 << 12;

impl<M> Relation<M> {
    /// Converts what says which men; `None` if `each` returns it for any.
    pub(crate) fn try_map<N>(&self, mut each: impl FnMut(&M) -> Option<N>) -> Option<Relation<N>> {
        Some(match self {
            Relation::Attacks { by, on, times } => Relation::Attacks {
                by: each(by)?,
                on: each(on)?,
                times: *times,
            },
            Relation::Ray([first, second, third]) => {
                Relation::Ray([each(first)?, each(second)?, each(third)?])
            }
            Relation::Discovered([by, on]) => Relation::Discovered([each(by)?, each(on)?]),
            Relation::Standing(standing, men) => Relation::Standing(*standing, each(men)?),
        })
    }
}

impl Group {
    fn image(&self, symmetry: Symmetry) -> Group {
        Group {
            men: symmetry.men(self.men),
            squares: symmetry.squares(self.squares),
        }
    }

    #[inline]
    fn on(&self, boards: &Boards) -> u64 {
        if self.men & EMPTY != 0 {
            return self.squares;
        }
        boards.union(self.men) & self.squares
    }
}

impl Relation<Group> {
    pub(super) fn image(&self, symmetry: Symmetry) -> Relation<Group> {
        let image = self.try_map(|group| Some(group.image(symmetry)));
        image.unwrap_or_else(|| self.clone())
    }

    /// Returns the men that it names. Some of each must be there wherever it holds.
    pub(super) fn groups(&self) -> Vec<Group> {
        let mut groups = Vec::new();
        let _ = self.try_map(|group| {
            groups.extend(Some(*group).filter(|group| group.men & EMPTY == 0));
            Some(())
        });
        groups
    }

    /// Returns what asking costs, on the scale of terms.
    pub(super) fn cost(&self) -> u8 {
        match self {
            Relation::Standing(standing, _) if standing.is_of_pawns() => 1,
            Relation::Standing(Standing::Hanging | Standing::Fork, _) => 3,
            Relation::Standing(Standing::Trapped, _) => 5,
            _ => 2,
        }
    }

    pub(super) fn holds(&self, boards: &Boards) -> bool {
        match self {
            Relation::Attacks { by, on, times } => {
                let attackers = Attackers::new(boards, by.on(boards));
                squares(on.on(boards)).any(|square| {
                    let count = attackers.of(square).count_ones();
                    count >= u32::from(*times)
                })
            }
            Relation::Ray([first, second, third]) => {
                let (second, third) = (second.on(boards), third.on(boards));
                let mut sliders = boards.sliders(first.on(boards));
                sliders.any(|(slider, line)| {
                    squares(u64::from(line) & third)
                        .any(|last| boards.only_man_between(slider, last) & second != 0)
                })
            }
            Relation::Discovered([by, on]) => boards.discovers(by.on(boards), on.on(boards)),
            Relation::Standing(standing, group) => Color::ALL.into_iter().any(|color| {
                let men = group.men & color.fold_wb(0x3f, 0xfc0);
                men != 0 && {
                    let men = boards.union(men) & group.squares;
                    men != 0 && standing.holds_for(boards, men, color)
                }
            }),
        }
    }
}

impl Standing {
    /// Returns whether the word is about pawns alone.
    pub(crate) const fn is_of_pawns(self) -> bool {
        matches!(
            self,
            Standing::Passed
                | Standing::Isolated
                | Standing::Doubled
                | Standing::Backward
                | Standing::Connected
        )
    }

    /// Returns whether one of some men of a colour stands so.
    fn holds_for(self, boards: &Boards, men: u64, color: Color) -> bool {
        let own = || Attackers::new(boards, boards.side(color));
        let pieces = men & !boards.of(Man::new(color, Role::King));
        match self {
            Standing::Defended => {
                let own = own();
                squares(men).any(|square| own.attack(square))
            }
            Standing::Undefended => {
                let own = own();
                squares(pieces).any(|square| !own.attack(square))
            }
            Standing::Hanging => {
                let theirs = Attackers::new(boards, boards.side(color.other()));
                let mut own_men = None;
                squares(pieces)
                    .filter(|&square| theirs.attack(square))
                    .any(|square| !own_men.get_or_insert_with(own).attack(square))
            }
            Standing::Pinned => boards.pins(color, pieces),
            Standing::Fork => boards.forks(color, men),
            Standing::Trapped => color == boards.turn && boards.traps(pieces),
            _ => self.holds_for_pawns(men, boards.pawns(color), boards.pawns(color.other()), color),
        }
    }

    /// The same for words about pawns. Black's are turned, so that all pawns move up.
    fn holds_for_pawns(self, men: u64, own: u64, theirs: u64, color: Color) -> bool {
        let up = |squares: u64| color.fold_wb(squares, squares.swap_bytes());
        let (men, own, theirs) = (up(men) & up(own), up(own), up(theirs));
        let found = match self {
            Standing::Passed => !beside_and_on(filled_down(theirs >> 8)),
            Standing::Isolated => !beside(filled_down(filled_up(own))),
            // On the same file ahead, or behind.
            Standing::Doubled => filled_up(own << 8) | filled_down(own >> 8),
            Standing::Backward => {
                // A pawn on a neighbouring file is level with the squares from its own on up.
                let supported = beside(filled_up(own));
                let attacked = beside(theirs >> 8);
                !supported & attacked >> 8
            }
            Standing::Connected => beside(own | own << 8 | own >> 8),
            _ => 0,
        };
        men & found != 0
    }
}

const FILE_A: u64 = 0x0101_0101_0101_0101;
const FILE_H: u64 = FILE_A << 7;

/// Returns the squares to the left and right of some.
const fn beside(squares: u64) -> u64 {
    (squares & !FILE_A) >> 1 | (squares & !FILE_H) << 1
}

const fn beside_and_on(squares: u64) -> u64 {
    squares | beside(squares)
}

/// Returns some squares and all that are ahead of them.
const fn filled_up(squares: u64) -> u64 {
    let squares = squares | squares << 8;
    let squares = squares | squares << 16;
    squares | squares << 32
}

/// Returns some squares and all that are behind them.
const fn filled_down(squares: u64) -> u64 {
    let squares = squares | squares >> 8;
    let squares = squares | squares >> 16;
    squares | squares >> 32
}

/// Returns the squares from which a pawn attacks two of some squares.
const fn between_two(squares: u64, color: Color) -> u64 {
    match color {
        Color::White => squares >> 7 & !FILE_A & squares >> 9 & !FILE_H,
        Color::Black => squares << 9 & !FILE_A & squares << 7 & !FILE_H,
    }
}

fn squares(set: u64) -> impl Iterator<Item = Square> {
    Bitboard(set).into_iter()
}

/// Some men of a position, by how they attack.
pub(super) struct Attackers {
    white_pawns: u64,
    black_pawns: u64,
    knights: u64,
    kings: u64,
    diagonal: u64,
    straight: u64,
    occupied: u64,
}

impl Attackers {
    /// Returns those of the men on some squares.
    #[inline]
    pub(super) fn new(boards: &Boards, among: u64) -> Attackers {
        let both = |role| {
            let of = |color| boards.of(Man::new(color, role));
            (of(Color::White) | of(Color::Black)) & among
        };
        let queens = both(Role::Queen);
        Attackers {
            white_pawns: boards.pawns(Color::White) & among,
            black_pawns: boards.pawns(Color::Black) & among,
            knights: both(Role::Knight),
            kings: both(Role::King),
            diagonal: both(Role::Bishop) | queens,
            straight: both(Role::Rook) | queens,
            occupied: boards.occupied(),
        }
    }

    /// Returns those that stand where they attack a square without looking at what is in between.
    #[inline]
    fn near(&self, square: Square) -> u64 {
        let pawns = |by: Color| u64::from(attacks::pawn_attacks(by.other(), square));
        pawns(Color::White) & self.white_pawns
            | pawns(Color::Black) & self.black_pawns
            | u64::from(attacks::knight_attacks(square)) & self.knights
            | u64::from(attacks::king_attacks(square)) & self.kings
    }

    /// Returns the sliding ones that attack a square if nothing is in between.
    #[inline]
    fn far(&self, square: Square) -> u64 {
        u64::from(DIAGONAL[square as usize]) & self.diagonal
            | u64::from(STRAIGHT[square as usize]) & self.straight
    }

    #[inline]
    fn sees(&self, slider: Square, square: Square) -> bool {
        u64::from(attacks::between(slider, square)) & self.occupied == 0
    }

    /// Returns whether any of them attacks a square.
    #[inline]
    pub(super) fn attack(&self, square: Square) -> bool {
        self.near(square) != 0 || squares(self.far(square)).any(|slider| self.sees(slider, square))
    }

    /// Returns those that attack a square.
    #[inline]
    pub(super) fn of(&self, square: Square) -> u64 {
        let seeing = squares(self.far(square)).filter(|&slider| self.sees(slider, square));
        seeing.fold(self.near(square), |all, slider| all | 1 << slider as u32)
    }
}

impl Boards {
    /// Returns the sliding men on some squares, each with the squares that it attacks on an empty
    /// board.
    pub(super) fn sliders(&self, among: u64) -> impl Iterator<Item = (Square, Bitboard)> {
        let both =
            |role| self.of(Man::new(Color::White, role)) | self.of(Man::new(Color::Black, role));
        let (rooks, bishops, queens) = (both(Role::Rook), both(Role::Bishop), both(Role::Queen));
        squares(among & (rooks | bishops | queens)).map(move |square| {
            let mut line = Bitboard::EMPTY;
            if (rooks | queens) >> square as u32 & 1 == 1 {
                line |= STRAIGHT[square as usize];
            }
            if (bishops | queens) >> square as u32 & 1 == 1 {
                line |= DIAGONAL[square as usize];
            }
            (square, line)
        })
    }

    /// Returns the square of the only man between two squares; no square if there is none or more.
    fn only_man_between(&self, one: Square, other: Square) -> u64 {
        let men = u64::from(attacks::between(one, other)) & self.occupied();
        if men.is_power_of_two() { men } else { 0 }
    }

    /// Returns whether one of a colour's men shields its king.
    fn pins(&self, color: Color, men: u64) -> bool {
        let king = Bitboard(self.of(Man::new(color, Role::King))).first();
        king.is_some_and(|king| {
            let far = Attackers::new(self, self.side(color.other())).far(king);
            squares(far).any(|slider| self.only_man_between(king, slider) & men != 0)
        })
    }

    /// Returns whether one of a colour's men attacks two men or more, each of which is the king,
    /// undefended or worth more.
    fn forks(&self, color: Color, men: u64) -> bool {
        let enemies = self.side(color.other());
        let pawns = self.pawns(color);
        let men = men & !pawns | men & pawns & between_two(enemies, color);
        if men == 0 {
            return false;
        }
        Color::fold_wb(color, 0..6, 6..12)
            .filter_map(Man::from_index)
            .any(|man| squares(self.of(man) & men).any(|from| self.is_fork(man, from, enemies)))
    }

    fn is_fork(&self, man: Man, from: Square, enemies: u64) -> bool {
        let near = u64::from(attacked(man.color(), man.role(), from)) & enemies;
        // Few men attack two on an empty board already.
        if near.count_ones() < 2 {
            return false;
        }
        let victims = match man.role() {
            Role::Pawn | Role::Knight | Role::King => near,
            _ => {
                let occupied = Bitboard(self.occupied());
                near & u64::from(attacks::attacks(from, man.into(), occupied))
            }
        };
        let precious = victims & self.worth_more_than(man);
        let mut missing = 2_u32.saturating_sub(precious.count_ones());
        if missing == 0 || victims.count_ones() < 2 {
            return missing == 0;
        }
        let defenders = Attackers::new(self, enemies);
        for square in squares(victims & !precious) {
            missing -= u32::from(!defenders.attack(square));
            if missing == 0 {
                return true;
            }
        }
        false
    }

    /// Returns the men of the other colour that are worth more than a man, by P 1, N 3, B 3, R 5,
    /// Q 9 and the king above all.
    fn worth_more_than(&self, man: Man) -> u64 {
        let of = |role| self.of(Man::new(man.color().other(), role));
        let royal = of(Role::King);
        match man.role() {
            Role::Queen | Role::King => royal,
            Role::Rook => royal | of(Role::Queen),
            Role::Knight | Role::Bishop => royal | of(Role::Queen) | of(Role::Rook),
            Role::Pawn => {
                let minor = of(Role::Bishop) | of(Role::Knight);
                royal | of(Role::Queen) | of(Role::Rook) | minor
            }
        }
    }

    /// Returns whether two men or more give check to the side to move.
    pub(super) fn is_double_check(&self) -> bool {
        self.checkers().count_ones() >= 2
    }

    /// Returns whether a man gives check that did not move with the last move.
    pub(super) fn is_discovered_check(&self) -> bool {
        let Some((last, (_, to))) = self.last().and_then(|last| Some((last, last.moved?))) else {
            return false;
        };
        let rook = last.rook.map_or(0, |(_, to)| 1 << to.square_index());
        self.checkers() & !(1 << to.square_index() | rook) != 0
    }

    /// Returns whether the side to move is checkmated by a knight alone, and its king has its own
    /// men on all squares around it.
    pub(super) fn is_smothered_mate(&self) -> bool {
        let knights = self.of(Man::new(self.turn.other(), Role::Knight));
        let king = Bitboard(self.of(Man::new(self.turn, Role::King))).first();
        king.is_some_and(|king| {
            let around = u64::from(attacks::king_attacks(king));
            around & !self.side(self.turn) == 0
                && {
                    let checkers = self.checkers();
                    checkers.is_power_of_two() && checkers & knights != 0
                }
                && self.is_mate()
        })
    }

    /// Returns whether the side to move is checkmated by a rook or queen on its first rank, where
    /// its king stands behind its own men.
    pub(super) fn is_back_rank_mate(&self) -> bool {
        let rank = u64::from(Bitboard::from(self.turn.backrank()));
        let second = u64::from(Bitboard::from(
            self.turn
                .fold_wb(shakmaty::Rank::Second, shakmaty::Rank::Seventh),
        ));
        let king = Bitboard(self.of(Man::new(self.turn, Role::King)) & rank).first();
        king.is_some_and(|king| {
            let ahead = u64::from(attacks::king_attacks(king)) & second;
            let of = |role| self.of(Man::new(self.turn.other(), role));
            let heavy = (of(Role::Rook) | of(Role::Queen)) & rank;
            ahead & !self.side(self.turn) == 0
                && heavy != 0
                && self.checkers() & heavy != 0
                && self.is_mate()
        })
    }

    /// Returns the men that give check to the side to move.
    fn checkers(&self) -> u64 {
        let king = Bitboard(self.of(Man::new(self.turn, Role::King))).first();
        let theirs = self.side(self.turn.other());
        let theirs = theirs & !self.of(Man::new(self.turn.other(), Role::King));
        king.map_or(0, |king| Attackers::new(self, theirs).of(king))
    }
}
