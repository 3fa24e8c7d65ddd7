//! The position of a tree, from a FEN or from moves.

use shakmaty::{Chess, EnPassantMode, Position, Setup, san::SanPlus};

use crate::{
    line,
    query::{self, Fault, FenTest, Query},
};

/// The position of a tree: men and side to move. Positions are equal by whatever moves they were
/// made.
#[derive(Debug, Clone)]
pub struct TreePosition {
    setup: Setup,
    /// The moves to it from the standard start position, in SAN, if it was made of moves.
    moves: Vec<String>,
}

impl PartialEq for TreePosition {
    fn eq(&self, other: &TreePosition) -> bool {
        self.setup == other.setup
    }
}

impl Eq for TreePosition {}

impl Default for TreePosition {
    /// Returns the standard start position.
    fn default() -> TreePosition {
        TreePosition::new(Setup::initial())
    }
}

impl TreePosition {
    /// Creates a position, even one that the rules do not allow. Only men and side to move are
    /// used.
    #[must_use]
    pub fn new(setup: Setup) -> TreePosition {
        TreePosition {
            setup,
            moves: Vec::new(),
        }
    }

    /// Parses a FEN, of which only placement and side to move (White's if not given) are used.
    /// Underscores may replace the spaces.
    ///
    /// # Errors
    /// If the text is not a FEN.
    pub fn from_fen(fen: &str) -> Result<TreePosition, Fault> {
        query::setup(fen).map(TreePosition::new)
    }

    /// Plays moves from the standard start position: SAN separated by spaces, with or without move
    /// numbers and marks. An empty text is the start position.
    ///
    /// # Errors
    /// At the first word that is not a legal move.
    pub fn from_moves(moves: &str) -> Result<TreePosition, Fault> {
        let mut position = Chess::default();
        let mut sans = Vec::new();
        for (ply, word) in (1..).zip(line::words(moves)) {
            let san = word.trim_end_matches(['!', '?']);
            let played = san.parse::<SanPlus>().ok();
            let played = played.and_then(|san| san.san.to_move(&position).ok());
            match played {
                Some(played) => {
                    let san = SanPlus::from_move_and_play_unchecked(&mut position, played);
                    sans.push(san.to_string());
                }
                None => {
                    let start = word.as_ptr().addr() - moves.as_ptr().addr();
                    let excerpt = query::excerpt(word);
                    let message = format!("{excerpt} (half-move {ply}) is not a legal move there");
                    return Err(Fault::new(start..start + word.len(), message));
                }
            }
        }
        Ok(TreePosition {
            setup: position.to_setup(EnPassantMode::Legal),
            moves: sans,
        })
    }

    /// Returns the position.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the moves to it from the standard start position, in SAN; none if it was not made of
    /// moves.
    #[must_use]
    pub fn moves(&self) -> &[String] {
        &self.moves
    }

    /// Returns the query for the position.
    #[must_use]
    pub fn to_query(&self) -> Query {
        Query::from(self.to_test())
    }

    pub(in crate::report) fn to_test(&self) -> FenTest {
        FenTest {
            board: self.setup.board.clone(),
            turn: Some(self.setup.turn),
            castling: self.setup.castling_rights,
            en_passant: self.setup.ep_square,
        }
    }
}
