//! A database of generated games, and positions from it.

use std::path::{Path, PathBuf};

use shakmaty::{Chess, EnPassantMode, Move, Position, fen::Fen};
use tabiya::{Database, Flow, GameId, format::Visitor};

use crate::made::{self, Outcome};

/// Writes a database of `games` games and returns its path.
pub(crate) fn write(folder: &Path, name: &str, games: u64, seed: u64) -> Outcome<PathBuf> {
    let path = folder.join(name).with_extension("si4");
    made::from_seed(&path, games, seed)?;
    Ok(path)
}

/// Returns the position of a game after this number of plies, or its last one, as FEN.
pub(crate) fn position_after(database: &Database, game: GameId, plies: usize) -> Outcome<String> {
    struct Player {
        position: Chess,
        left: usize,
    }
    impl Visitor for Player {
        fn play(&mut self, played: Option<Move>) -> Flow {
            if let Some(played) = played {
                self.position.play_unchecked(played);
            }
            self.left -= 1;
            if self.left == 0 {
                Flow::Break(())
            } else {
                Flow::Continue(())
            }
        }
    }
    let mut player = Player {
        position: Chess::default(),
        left: plies,
    };
    database.visit(game, &mut player)?;
    let setup = player.position.to_setup(EnPassantMode::Legal);
    let fen = Fen::try_from_setup(setup).map_err(|_| "a position that no FEN can tell")?;
    Ok(fen.to_string())
}
