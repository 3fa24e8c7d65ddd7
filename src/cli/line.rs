//! The main line of a game: its moves in words, and the position after any of them.

use shakmaty::{Move, Setup};
use tabiya::{Database, Flow, GameId, chess::Start, format::Visitor};

use super::position::{Point, Written};

/// Follows a game's main line, to its end or to a ply.
#[derive(Debug)]
pub(crate) struct MainLine {
    /// The start position as FEN; `None` for the standard one.
    pub(crate) start: Option<String>,
    pub(crate) moves: Vec<Written>,
    /// The position after the moves.
    pub(crate) point: Point,
    ply_max: usize,
    depth: usize,
}

impl MainLine {
    /// Reads a game's main line until `ply_max` half-moves are played.
    pub(crate) fn read(
        database: &Database,
        game: GameId,
        ply_max: Option<u32>,
    ) -> tabiya::Result<MainLine> {
        let mut line = MainLine {
            start: None,
            moves: Vec::new(),
            point: Point::new(Setup::initial()),
            ply_max: ply_max.map_or(usize::MAX, |ply| ply as usize),
            depth: 0,
        };
        database.visit(game, &mut line)?;
        Ok(line)
    }
}

impl Visitor for MainLine {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.point = Point::new(start.setup());
        if let Start::Custom(_) = start {
            self.start = Some(self.point.fen());
        }
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        if self.moves.len() >= self.ply_max {
            return Flow::Break(());
        }
        self.moves.push(self.point.play(played));
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}
