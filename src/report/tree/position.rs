//! The position of a tree, from a FEN or from moves.

use shakmaty::{Chess, EnPassantMode, Position, Setup, san::SanPlus};

use crate::{
    line,
    query::{self, Fault, FenTest, Query},
};

/// The position of a tree: men and side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreePosition(Setup);

impl Default for TreePosition {
    /// Returns the standard start position.
    fn default() -> TreePosition {
        TreePosition(Setup::initial())
    }
}

impl TreePosition {
    /// Creates a position, even one that the rules do not allow. Only men and side to move are
    /// used.
    #[must_use]
    pub fn new(setup: Setup) -> TreePosition {
        TreePosition(setup)
    }

    /// Parses a FEN, of which only placement and side to move (White's if not given) are used.
    /// Underscores may replace the spaces.
    ///
    /// # Errors
    /// If the text is not a FEN.
    pub fn from_fen(fen: &str) -> Result<TreePosition, Fault> {
        query::setup(fen).map(TreePosition)
    }

    /// Plays moves from the standard start position: SAN separated by spaces, with or without move
    /// numbers and marks. An empty text is the start position.
    ///
    /// # Errors
    /// At the first word that is not a legal move.
    pub fn from_moves(moves: &str) -> Result<TreePosition, Fault> {
        let mut position = Chess::default();
        for (ply, word) in (1..).zip(line::words(moves)) {
            let san = word.trim_end_matches(['!', '?']);
            let played = san.parse::<SanPlus>().ok();
            let played = played.and_then(|san| san.san.to_move(&position).ok());
            match played {
                Some(played) => position.play_unchecked(played),
                None => {
                    let start = word.as_ptr().addr() - moves.as_ptr().addr();
                    let excerpt = query::excerpt(word);
                    let message = format!("{excerpt} (half-move {ply}) is not a legal move there");
                    return Err(Fault::new(start..start + word.len(), message));
                }
            }
        }
        Ok(TreePosition(position.to_setup(EnPassantMode::Legal)))
    }

    /// Returns the position.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.0
    }

    /// Returns the query for the position.
    #[must_use]
    pub fn to_query(&self) -> Query {
        let test = FenTest {
            board: self.0.board.clone(),
            turn: Some(self.0.turn),
            castling: self.0.castling_rights,
            en_passant: self.0.ep_square,
        };
        Query::from(test)
    }
}
