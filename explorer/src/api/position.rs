//! `/api/position`: what the rules of chess say about a position. No database is asked.

use axum::response::Response;
use serde::Serialize;
use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, Move, Position, Square, fen::Fen, san::SanPlus,
};

use tabiya::opening_of;

use super::{json, to_json};
use crate::{errors::Fault, params::Params};

#[derive(Debug, Serialize)]
struct Answer {
    fen: String,
    turn: &'static str,
    check: bool,
    /// Why no game goes on from here; null when it may.
    end: Option<&'static str>,
    /// The last name of an opening on the way of `play`; null if there is none.
    opening: Option<&'static str>,
    /// The moves of `play`.
    line: Vec<Row>,
    /// What may be played.
    moves: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    uci: String,
    san: String,
}

pub(super) async fn position(params: Params) -> Result<Response, Fault> {
    let mut line = Vec::new();
    let mut names = Vec::new();
    let position = params.position(|before, played| {
        names.push(name(before));
        line.push(row(before, played));
    })?;
    names.push(name(&position));
    let legal = position.legal_moves();
    let answer = Answer {
        fen: Fen::from_position(&position, EnPassantMode::Legal).to_string(),
        turn: position.turn().fold_wb("white", "black"),
        check: position.is_check(),
        end: end(&position),
        opening: names.into_iter().flatten().next_back(),
        line,
        moves: legal.iter().map(|&played| row(&position, played)).collect(),
    };
    Ok(json(to_json(&answer)?))
}

/// Returns the name of the opening that a position has.
fn name(position: &Chess) -> Option<&'static str> {
    opening_of(position.board(), position.turn())
}

fn row(before: &Chess, played: Move) -> Row {
    Row {
        uci: played.to_uci(writing(played)).to_string(),
        san: SanPlus::from_move(before.clone(), played).to_string(),
    }
}

/// Returns how a castling is written: as the king's way where kings and rooks always stand, as
/// the way to the rook in Chess960, where the king's way can be a move of its own.
fn writing(played: Move) -> CastlingMode {
    let usual = |color: Color| {
        let [king, queenside, kingside] = color.fold_wb(
            [Square::E1, Square::A1, Square::H1],
            [Square::E8, Square::A8, Square::H8],
        );
        matches!(played, Move::Castle { king: from, rook }
            if from == king && (rook == queenside || rook == kingside))
    };
    if played.is_castle() && !Color::ALL.into_iter().any(usual) {
        CastlingMode::Chess960
    } else {
        CastlingMode::Standard
    }
}

fn end(position: &Chess) -> Option<&'static str> {
    match position {
        mated if mated.is_checkmate() => Some("checkmate"),
        stuck if stuck.is_stalemate() => Some("stalemate"),
        bare if bare.is_insufficient_material() => Some("material"),
        _ => None,
    }
}
