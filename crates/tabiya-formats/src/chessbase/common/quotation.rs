//! What quotations of both versions do with the game that they quote.

use std::fmt;

use shakmaty::{CastlingSide, Chess, Move, Position, Role, Square};
use tabiya_chess::{Elo, RatingKind};

use crate::{Rating, Visitor, pgn::GameText};

/// Ignores everything: for whether the moves are legal.
pub(crate) struct Deaf;

impl Visitor for Deaf {}

/// Returns the rating of a player.
pub(crate) fn elo(value: u16) -> Option<Rating> {
    let kind = RatingKind::Elo;
    Elo::new(value).map(|value| Rating { value, kind })
}

/// Plays a move given by squares, if it is legal. The role counts only if a pawn promotes.
pub(crate) fn play(
    position: &mut Chess,
    from: Square,
    to: Square,
    promotion: Role,
) -> Option<Move> {
    let role = position.board().role_at(from)?;
    let is_meant = |&&legal: &&Move| {
        let becomes = legal.promotion();
        legal.from() == Some(from) && becomes.is_none_or(|becomes| becomes == promotion)
    };
    let candidates = position.san_candidates(role, to);
    let castling = || {
        let side = CastlingSide::from_king_side(to > from);
        let castles = role == Role::King && to == side.king_to(position.turn());
        castles.then(|| position.castling_moves(side).first().copied())?
    };
    let found = candidates
        .iter()
        .find(is_meant)
        .copied()
        .or_else(castling)?;
    position.play_unchecked(found);
    Some(found)
}

/// Writes a game as PGN on one line.
pub(crate) fn on_one_line(game: GameText, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let text = game.finish().map_err(|_| fmt::Error)?;
    let mut lines = text.lines().filter(|line| !line.is_empty());
    f.write_str(lines.next().unwrap_or_default())?;
    lines.try_for_each(|line| write!(f, " {line}"))
}
