//! The rules by which a game is played.

use shakmaty::{
    Bitboard, Castles, CastlingMode, Color, Rank, Role, Setup, Square,
    fen::{Fen, ParseFenError},
};

/// The meaning of a PGN tag `Variant`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Variant {
    /// The standard rules.
    Standard,
    /// Chess960.
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
    pub fn of_tag(value: &str) -> Variant {
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

/// Drops the castling rights of a start position that are not there, and returns the rules of the
/// game. `tagged` is what a tag says of them.
///
/// Rights that are all there are believed: if standard chess does not have one of them, the game is
/// Chess960. If a king or rook is missing for one, the rights are left over from an earlier
/// position, as those of many puzzles. Then only those of standard chess count, unless a tag says
/// that the game is Chess960.
pub fn settle_rights(setup: &mut Setup, tagged: Variant) -> CastlingMode {
    if setup.castling_rights.is_empty() {
        return CastlingMode::from_chess960(tagged == Variant::Chess960);
    }
    let of = |mode| Castles::from_setup(setup, mode).unwrap_or_else(|castles| castles);
    let usual = of(CastlingMode::Standard).castling_rights();
    let all = of(CastlingMode::Chess960).castling_rights();
    let is_believed = tagged == Variant::Chess960 || all == setup.castling_rights;
    setup.castling_rights = if is_believed { all } else { usual };
    let is_chess960 = tagged == Variant::Chess960 || setup.castling_rights != usual;
    CastlingMode::from_chess960(is_chess960)
}

/// Reads a start position that a database stores as FEN, with the castling rights that are there.
///
/// # Errors
/// If the text is not a FEN.
pub fn read_start(fen: &[u8]) -> Result<Setup, ParseFenError> {
    let mut setup = Fen::from_ascii(fen)?.into_setup();
    settle_rights(&mut setup, Variant::Standard);
    Ok(setup)
}

/// Whether a start position is one of Chess960: it has a castling right that standard chess does
/// not have, or all rights are standard but the men behind the pawns are in another order.
pub fn starts_chess960(setup: &Setup) -> bool {
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
    use shakmaty::Board;

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
    fn castling_rights_that_are_not_there_are_dropped() {
        for (fen, settled, is_chess960) in [
            // All are there.
            ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "KQkq", false),
            ("rnbnkqrb/8/8/8/8/8/8/RNBNKQRB w KQkq -", "KQkq", true),
            ("nbrkqrbn/8/8/8/8/8/8/NBRKQRBN w FCfc -", "KQkq", true),
            ("rr2k3/8/8/8/8/8/8/RR2K3 w Bb -", "Bb", true),
            ("r3k2r/8/8/8/8/8/8/R3K2R w HAha -", "KQkq", false),
            // Some are left over.
            ("2r1k2r/8/8/8/8/8/8/R1BR2K1 w K -", "-", false),
            ("2r1k2r/8/8/8/8/8/8/R1BR2K1 w KQkq -", "k", false),
            ("r4rk1/8/8/8/8/8/8/R4RK1 w KQkq -", "-", false),
            ("r5rk/8/8/8/8/8/8/7K w KQkq -", "-", false),
            ("r3k3/8/8/8/8/8/8/R3R1K1 w q -", "q", false),
            ("4k3/8/4r3/8/8/8/8/4K2R w KQkq -", "K", false),
            ("8/4k2r/8/8/8/8/8/4K2R w Kk -", "K", false),
        ] {
            assert_eq!(
                settled_of(fen, Variant::Standard),
                (settled.to_owned(), is_chess960)
            );
        }
        let fen = "r4rk1/8/8/8/8/8/8/R4RK1 w KQkq -";
        assert_eq!(settled_of(fen, Variant::Chess960), ("Qq".to_owned(), true));
    }

    /// Returns the rights that are left of a FEN, and whether it is Chess960.
    fn settled_of(fen: &str, tagged: Variant) -> (String, bool) {
        let mut setup = fen.parse::<Fen>().unwrap().into_setup();
        let mode = settle_rights(&mut setup, tagged);
        let text = Fen::try_from_setup(setup).unwrap().to_string();
        let rights = text.split(' ').nth(2).unwrap();
        (rights.to_owned(), mode.is_chess960())
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
