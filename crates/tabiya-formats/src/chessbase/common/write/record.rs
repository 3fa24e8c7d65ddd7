//! What the header of a game becomes in the records of both versions.

use shakmaty::{Color, Role};
use tabiya_chess::{Counts, Eco, GameResult, Man};

use crate::{
    chessbase::common::record::{ECO_CODES, SUBDIVISIONS},
    game::GameHeader,
    header::flag,
    loss::{GameLosses, Loss},
};

/// The result code of a game without a result.
pub(crate) const NO_RESULT: u8 = 3;

/// Maps Scid's marks, by letter, to medals. Brilliancy becomes best game and blunder tactical
/// blunder; novelty, pawn structure, tactics, endgame and user mark exist in both. The others have
/// no medal.
const MEDALS: [(u8, u16); 7] = [
    (b'!', 1 << 0),
    (b'N', 1 << 3),
    (b'P', 1 << 4),
    (b'T', 1 << 6),
    (b'E', 1 << 12),
    (b'?', 1 << 13),
    (b'U', 1 << 15),
];

/// Returns the code of a result.
pub(crate) fn result(result: GameResult) -> u8 {
    match result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => NO_RESULT,
    }
}

/// Returns the word of an opening with the subdivision that a tag names, if it is one of this
/// opening.
pub(crate) fn subdivided(opening: u16, value: &str) -> Option<u16> {
    let (basic, sub) = value.split_once('/')?;
    let (basic, sub) = (basic.parse::<Eco>().ok()?, sub.parse::<u16>().ok()?);
    let word = opening_word(basic);
    let is_part = word == opening && sub < SUBDIVISIONS;
    is_part.then_some(word + sub)
}

pub(crate) fn opening(header: &GameHeader, losses: &mut GameLosses) -> u16 {
    let Some(eco) = header.eco else {
        return 0;
    };
    if eco != eco.basic() {
        losses.add(Loss::EcoRefinementsDropped);
    }
    opening_word(eco)
}

fn opening_word(eco: Eco) -> u16 {
    ((eco.code() - 1) / ECO_CODES + 1) * SUBDIVISIONS
}

pub(crate) fn medals(marks: u32, losses: &mut GameLosses) -> u16 {
    let mut medals = 0;
    let letters = (3..).zip(flag::MARK_LETTERS);
    for (_, letter) in letters.filter(|&(bit, _)| marks >> bit & 1 == 1) {
        match MEDALS.iter().find(|(known, _)| known == letter) {
            Some((_, medal)) => {
                medals |= medal;
                losses.add(Loss::MarksToMedals);
            }
            None if *letter != b'D' => losses.add(Loss::MarksDropped),
            None => {}
        }
    }
    medals
}

/// Packs one side's men other than the king: rooks, bishops, knights and queens in three bits each,
/// then pawns in four.
pub(crate) fn material(counts: Counts, color: Color) -> u32 {
    let count = |role, max: u8| u32::from(counts.get(Man::new(color, role)).min(max));
    count(Role::Rook, 7)
        | count(Role::Bishop, 7) << 3
        | count(Role::Knight, 7) << 6
        | count(Role::Queen, 7) << 9
        | count(Role::Pawn, 15) << 12
}
