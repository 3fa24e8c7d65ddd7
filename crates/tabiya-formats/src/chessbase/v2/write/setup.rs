//! Encodes start positions.

use shakmaty::{Role, Setup, Square};

use crate::{
    chessbase::common::write::setup::{is_chess960, start_number},
    chessbase::v2::{
        codes::{CASTLING, MOVES, START},
        men::{Homes, Men, STANDARD, STANDARD_HOMES, Side, WHITE},
        setup::{self, HEAD_WORDS, OTHER_START, RIGHTS},
    },
    error::{Error, Result},
    loss::{GameLosses, Loss},
};

/// The number of the usual start position in Chess960. Its games are no games of Chess960 here.
const USUAL: u16 = 518;

/// A game before its first move.
pub(super) struct Begun {
    pub(super) men: Men,
    pub(super) side: Side,
    pub(super) homes: Homes,
    pub(super) is_chess960: bool,
    /// The number of the start position in Chess960.
    pub(super) number: Option<u16>,
    /// Whether there is a start position of its own.
    pub(super) is_custom: bool,
    /// The first word of castling.
    pub(super) castling: u16,
}

/// Appends the words before the first move, and returns the position.
///
/// # Errors
/// `Unsupported` for a position that the format cannot hold.
pub(super) fn append(
    setup: Option<&Setup>,
    says_chess960: bool,
    words: &mut Vec<u16>,
    losses: &mut GameLosses,
) -> Result<Begun> {
    let mut begun = Begun {
        men: STANDARD,
        side: WHITE,
        homes: STANDARD_HOMES,
        is_chess960: false,
        number: None,
        is_custom: false,
        castling: CASTLING,
    };
    if let Some(setup) = setup {
        if setup.halfmoves > 0 {
            losses.add(Loss::HalfmoveClocksDropped);
        }
        let is_chess960 = says_chess960 || is_chess960(setup);
        let number = is_chess960.then(|| numbered(setup)).flatten();
        if number != Some(USUAL) {
            begun.is_chess960 = is_chess960;
            begun.number = number;
            begun.is_custom = true;
            words.push(START);
            append_start(setup, &mut begun, words, losses)?;
        }
    }
    words.push(MOVES);
    Ok(begun)
}

fn append_start(
    setup: &Setup,
    begun: &mut Begun,
    words: &mut Vec<u16>,
    losses: &mut GameLosses,
) -> Result<()> {
    let from = words.len();
    match begun.number {
        Some(number) => {
            words.push(number);
            begun.castling += 4 * (number + 1);
        }
        None => {
            words.extend(begun.is_chess960.then_some(OTHER_START));
            append_position(setup, begun.is_chess960, words, losses)?;
        }
    }
    // What a reader makes of it decides with which rooks kings castle.
    let unsupported = |what: crate::damage::Flaw| {
        let what = what.as_str();
        Error::unsupported(what)
    };
    let (read, homes) = setup::read(&words[from..], begun.is_chess960).map_err(unsupported)?;
    begun.men = Men::from_setup(&read).map_err(unsupported)?;
    begun.side = Side::from(read.turn.is_black()) * 6;
    begun.homes = homes;
    Ok(())
}

/// Returns the number of a start position of Chess960; `None` for a position that is another in any
/// way.
fn numbered(setup: &Setup) -> Option<u16> {
    let is_first = setup.fullmoves.get() == 1 && setup.ep_square.is_none();
    let has_rights = setup.castling_rights == setup.board.rooks();
    (is_first && has_rights)
        .then(|| start_number(setup))
        .flatten()
}

/// Appends the number of the first move, the castling rights, the file of an en-passant capture,
/// and the men.
fn append_position(
    setup: &Setup,
    is_chess960: bool,
    words: &mut Vec<u16>,
    losses: &mut GameLosses,
) -> Result<()> {
    /// Greater numbers are words with another meaning.
    const NUMBER_MAX: u32 = 0xff00;
    let mut head = [0; HEAD_WORDS];
    let number = setup.fullmoves.get();
    if number > NUMBER_MAX {
        losses.add(Loss::ClocksDropped);
    }
    head[0] = if number > NUMBER_MAX {
        1
    } else {
        number as u16
    };
    head[1] = rights(setup, is_chess960, losses) << 8 | u16::from(setup.turn.is_black());
    head[2] = setup.ep_square.map_or(0, |square| square.file() as u16 + 1);
    words.extend(head);
    let squares = (0..64).map(|at| Square::new(at % 8 * 8 + at / 8));
    for square in squares {
        let Some(piece) = setup.board.piece_at(square) else {
            continue;
        };
        let Some(word) = setup::placing(square, piece) else {
            debug_assert_eq!(piece.role, Role::Pawn);
            let what = "a start position with a pawn on the first or last rank";
            return Err(Error::unsupported(what));
        };
        words.push(word);
    }
    Ok(())
}

/// Returns the castling rights, one bit for each of [`RIGHTS`]. A right is told by the side only,
/// so that the rook must be the one that a reader takes.
fn rights(setup: &Setup, is_chess960: bool, losses: &mut GameLosses) -> u16 {
    let mut bits = 0;
    for rook in setup.castling_rights {
        let bit = (0..).zip(RIGHTS).find(|&(_, (color, king_side))| {
            setup::castling(setup, color, king_side, is_chess960) == Some(rook)
        });
        match bit {
            Some((bit, _)) => bits |= 1 << bit,
            None => losses.add(Loss::CastlingRightsDropped),
        }
    }
    bits
}
