//! The rules by which a game is played.

use shakmaty::{Bitboard, CastlingMode, Color, Rank, Role, Setup, Square};

/// The meaning of a PGN tag `Variant`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Variant {
    Standard,
    Chess960,
    /// Other rules, or an unknown name.
    Other,
}

/// Words in names of standard chess, from any start position.
const STANDARD: [&str; 14] = [
    "standard",
    "normal",
    "orthodox",
    "regular",
    "classical",
    "rapid",
    "blitz",
    "bullet",
    "from",
    "position",
    "setup",
    "chess",
    "variant",
    "none",
];
/// Words that make a name mean Chess960.
const CHESS960: [&str; 7] = [
    "960",
    "fischerandom",
    "fischerrandom",
    "fischer",
    "freestyle",
    "wildfr",
    "frc",
];

impl Variant {
    /// Parses the value of a `Variant` tag: its words, ignoring case and everything between them. A
    /// value without words means standard chess.
    pub(crate) fn of_tag(value: &str) -> Variant {
        let letters = value.chars().filter(|letter| letter.is_alphanumeric());
        let letters: String = letters.map(|letter| letter.to_ascii_lowercase()).collect();
        let mut rest = letters.as_str();
        let mut variant = Variant::Standard;
        while !rest.is_empty() {
            let strip = |words: &[&str]| words.iter().find_map(|word| rest.strip_prefix(word));
            if let Some(after) = strip(&CHESS960) {
                variant = Variant::Chess960;
                rest = after;
            } else if let Some(after) = strip(&STANDARD) {
                rest = after;
            } else {
                return Variant::Other;
            }
        }
        variant
    }
}

/// Whether a start position is one of Chess960: it has a castling right that standard chess does
/// not have, or all rights are standard but the men behind the pawns are in another order.
pub(crate) fn starts_chess960(setup: &Setup) -> bool {
    CastlingMode::detect(setup).is_chess960()
        || setup.turn == Color::White
            && setup.castling_rights == Bitboard::CORNERS
            && is_array(setup)
            && setup.board != shakmaty::Board::default()
}

/// Whether the men are placed as at the start of a Chess960 game whose king and rooks are on their
/// standard squares.
fn is_array(setup: &Setup) -> bool {
    let board = &setup.board;
    let home = Bitboard::from(Rank::First) | Bitboard::from(Rank::Second);
    let count = |role: Role| (board.by_role(role) & Rank::First).count();
    let is_mirrored = |role: Role| board.by_role(role).flip_vertical() == board.by_role(role);
    let bishops = board.bishops() & Rank::First;
    board.white() == home
        && board.black() == home.flip_vertical()
        && board.pawns() == Bitboard::from(Rank::Second) | Bitboard::from(Rank::Seventh)
        && board.king_of(Color::White) == Some(Square::E1)
        && Role::ALL.into_iter().all(is_mirrored)
        && [Role::Rook, Role::Knight, Role::Bishop].map(count) == [2; 3]
        && count(Role::Queen) == 1
        && board.rooks() == Bitboard::CORNERS
        && (bishops & Bitboard::DARK_SQUARES).count() == 1
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, fen::Fen};

    use super::*;

    #[test]
    fn a_variant_is_known_by_its_usual_spellings() {
        for value in [
            "",
            "?",
            "-",
            "Standard",
            "normal",
            "From Position",
            "fromPosition",
            "Chess",
            "Standard chess",
            "Orthodox",
            "setup chess",
        ] {
            assert_eq!(Variant::of_tag(value), Variant::Standard, "{value}");
        }
        for value in [
            "Chess960",
            "chess 960",
            "Chess-960",
            "Fischerandom",
            "FischerRandom",
            "Fischer Random Chess",
            "Fischer Random / Chess960",
            "freestyle chess",
            "wild/fr",
            "FRC",
            "960",
        ] {
            assert_eq!(Variant::of_tag(value), Variant::Chess960, "{value}");
        }
        for value in [
            "Atomic",
            "Crazyhouse",
            "Crazyhouse960",
            "Antichess",
            "suicide",
            "King of the Hill",
            "Three-check",
            "Horde",
            "Racing Kings",
            "Ruy Lopez",
            "Шахматы",
        ] {
            assert_eq!(Variant::of_tag(value), Variant::Other, "{value}");
        }
    }

    #[test]
    fn all_arrays_but_the_standard_one_are_of_chess960() {
        let found = (0..960).filter(|&number| {
            let setup = Setup {
                board: Board::chess960(number),
                ..Setup::initial()
            };
            let rooks = setup.board.rooks();
            starts_chess960(&Setup {
                castling_rights: rooks,
                ..setup
            })
        });
        assert_eq!(found.count(), 959);
    }

    #[test]
    fn a_position_that_is_no_array_is_not_of_chess960() {
        for fen in [
            "rbnqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RBNQKBNR w KQkq - 0 1",
            "rnqbkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNQBKBNR b KQkq - 0 1",
            "rnqbkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNQBKBNR w KQk - 0 1",
            "rnqbkbnr/pppppppp/8/8/8/4P3/PPPP1PPP/RNQBKBNR w KQkq - 0 1",
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNQBKBNR w KQkq - 0 1",
            "rbbqknnr/pppppppp/8/8/8/8/PPPPPPPP/RBBQKNNR w KQkq - 0 1",
            "rqnqkbbr/pppppppp/8/8/8/8/PPPPPPPP/RQNQKBBR w KQkq - 0 1",
        ] {
            let is_array = fen.starts_with("rbbq");
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            assert_eq!(starts_chess960(&setup), is_array, "{fen}");
        }
    }
}
