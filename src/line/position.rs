//! Single positions of main lines.

use shakmaty::Setup;
use tabiya_chess::{GameId, diagram::Diagram};
use tabiya_formats::error::Result;

use super::{Excerpt, MainLine, Notation};
use crate::database::Database;

impl MainLine {
    /// Reads the position after so many half-moves of a game's main line, 0 being the start, as
    /// FEN, which must be among the notations; `None` if the game is shorter. Decodes no further.
    ///
    /// # Errors
    /// Those of [`read`](MainLine::read), for what stands before the position.
    pub fn position_after(
        &mut self,
        database: &Database,
        game: GameId,
        ply: u32,
    ) -> Result<Option<String>> {
        let excerpt = Excerpt {
            plies: ply.max(1)..=ply,
            ..Excerpt::default()
        };
        self.read_excerpt(database, game, &excerpt)?;
        let fen = match ply {
            0 => self
                .start_fen()
                .unwrap_or_else(|| Diagram::new(&Setup::initial()).fen()),
            _ => self.text(Notation::Fen).to_owned(),
        };
        Ok(Some(fen).filter(|fen| !fen.is_empty()))
    }
}
