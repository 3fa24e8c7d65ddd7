//! Writes single games, byte for byte as the reference program does.

pub mod encode;

use shakmaty::{Chess, Move, Position};
use tabiya_chess::{GameResult, Start};

use super::{Layout, Score, codes, flaws, header::Head, named_visits};
use crate::error::{Error, ErrorKind, Result};

/// Writes one game.
#[derive(Debug, Clone)]
pub struct GameWriter {
    layout: Layout,
    bytes: Vec<u8>,
    position: Chess,
}

impl GameWriter {
    /// Begins a game.
    ///
    /// # Errors
    /// `Unsupported` if there is no result or the rules do not allow the start position.
    pub fn new(layout: Layout, start: Start<'_>, result: GameResult) -> Result<GameWriter> {
        let unsupported = |what| Error::unsupported(what);
        let result = match result {
            GameResult::BlackWins => 0,
            GameResult::Draw => 1,
            GameResult::WhiteWins => 2,
            GameResult::Unknown => {
                return Err(unsupported("a game without a result in Monty data"));
            }
        };
        let head = Head::of(&start.setup(), result);
        let mut bytes = Vec::new();
        head.write_to(layout, &mut bytes);
        let position = head.position();
        let what = "this start position in Monty data";
        Ok(GameWriter {
            layout,
            bytes,
            position: position.map_err(|_| unsupported(what))?,
        })
    }

    /// Appends a move. `visits` must cover all legal moves, in any order, or be empty; value data
    /// ignores it.
    ///
    /// # Errors
    /// `IllegalMove`; `Corrupt` if the visits are not those of the legal moves.
    pub fn play(&mut self, played: Move, score: Score, visits: &[(Move, u8)]) -> Result<()> {
        if !self.position.is_legal(played) {
            return Err(Error::new(ErrorKind::IllegalMove(played.to_string())));
        }
        let turn = self.position.turn();
        self.bytes
            .extend_from_slice(&codes::encode(played).to_le_bytes());
        match self.layout {
            Layout::Policy => {
                self.bytes
                    .extend_from_slice(&score.policy(turn).to_le_bytes());
                self.append_visits(visits)?;
            }
            Layout::Value | Layout::OldValue => {
                self.bytes
                    .extend_from_slice(&score.centipawns(turn).to_le_bytes());
            }
        }
        self.position.play_unchecked(played);
        Ok(())
    }

    fn append_visits(&mut self, visits: &[(Move, u8)]) -> Result<()> {
        let mut visits: Vec<(u16, u8)> = visits
            .iter()
            .map(|&(played, visits)| (codes::encode(played), visits))
            .collect();
        visits.sort_unstable();
        let legal = self.position.legal_moves();
        let mut codes: Vec<u16> = legal.iter().map(|&played| codes::encode(played)).collect();
        codes.sort_unstable();
        let are_all = visits.iter().map(|visit| visit.0).eq(codes);
        if !visits.is_empty() && !are_all {
            return Err(Error::corrupt(flaws::VISITS_OF_OTHER_MOVES));
        }
        self.bytes.push(visits.len() as u8);
        self.bytes.extend(visits.iter().map(|visit| visit.1));
        Ok(())
    }

    /// Pairs visits in the order of the moves' codes with the legal moves.
    pub fn named(&self, visits: &[u8]) -> Vec<(Move, u8)> {
        named_visits(&self.position, visits)
    }

    /// Returns the game's bytes.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        let end: &[u8] = match self.layout {
            Layout::Policy => &[0; 2],
            Layout::Value | Layout::OldValue => &[0; 4],
        };
        self.bytes.extend_from_slice(end);
        self.bytes
    }
}
