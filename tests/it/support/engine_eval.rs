//! What an engine thought of the positions of a game, read from what the game tells as comments.

use shakmaty::{CastlingSide, Chess, Color, Move, Position, Role, Square, san::SanPlus};

/// What is stored of one position.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct EngineEval {
    /// The expectation of the side to move, 0 to 1.
    pub(crate) score: f64,
    /// Every legal move with its visits, 255 for the most visited; empty when not stored.
    pub(crate) visits: Vec<(String, u8)>,
}

impl EngineEval {
    /// Reads a comment that stands before a move made in this position.
    pub(crate) fn read(comment: &str, turn: Color, position: Option<&Chess>) -> Option<EngineEval> {
        let said = |name: &str| {
            let (_, rest) = comment.split_once(name)?;
            Some(rest.split_once(']')?.0.to_owned())
        };
        let number = |name| said(name).map(|text| text.parse::<f64>().expect("a number"));
        let score = match number("[%score ") {
            // Stored as one of 65 536 numbers.
            Some(score) => (score * 65_535.0).round() / 65_535.0,
            None => {
                let pawns = number("[%eval ")?;
                let own = (pawns * 100.0).round() * if turn.is_white() { 1.0 } else { -1.0 };
                1.0 / (1.0 + (-own / 400.0).exp())
            }
        };
        let digits = said("[%visits ").unwrap_or_default();
        let visits = (0..digits.len() / 2)
            .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("two digits"));
        let visits: Vec<u8> = visits.collect();
        let visits = match position {
            Some(position) if !visits.is_empty() => {
                let names = in_order_of_codes(position);
                assert_eq!(names.len(), visits.len());
                names.into_iter().zip(visits).collect()
            }
            _ => Vec::new(),
        };
        Some(EngineEval { score, visits })
    }

    /// The most visited move's share of all visits.
    pub(crate) fn focus(&self) -> Option<f64> {
        let all: f64 = self
            .visits
            .iter()
            .map(|(_, visits)| f64::from(*visits))
            .sum();
        (all > 0.0).then(|| self.most() / all)
    }

    /// A move's visits as a share of those of the most visited move.
    pub(crate) fn share(&self, visits: u8) -> f64 {
        f64::from(visits) / self.most()
    }

    fn most(&self) -> f64 {
        let visits = self.visits.iter().map(|(_, visits)| *visits);
        visits.max().unwrap_or(0).into()
    }

    /// The same with other names of the moves.
    pub(crate) fn renamed(&self, name: impl Fn(&str) -> String) -> EngineEval {
        let mut renamed = self.clone();
        for (san, _) in &mut renamed.visits {
            *san = name(san);
        }
        renamed
    }
}

/// All legal moves, sorted by where they come from, where they go to, and what they become.
fn in_order_of_codes(position: &Chess) -> Vec<String> {
    let squares = |played: &Move| -> (Square, Square) {
        let from = played.from().expect("a man that stands somewhere");
        match *played {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                (from, Square::from_coords(side.king_to_file(), king.rank()))
            }
            _ => (from, played.to()),
        }
    };
    let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    let promotion = |played: &Move| {
        roles
            .iter()
            .position(|role| played.promotion() == Some(*role))
    };
    let mut moves: Vec<Move> = position.legal_moves().into_iter().collect();
    moves.sort_by_key(|played| (squares(played), promotion(played)));
    let san = |played| SanPlus::from_move(position.clone(), played).to_string();
    moves.into_iter().map(san).collect()
}
