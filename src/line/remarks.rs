//! What the comments of main lines tell, game after game.

use std::ops::Range;

use shakmaty::{Color, Move};
use tabiya_chess::{Flow, GameId, Remark, Start};
use tabiya_formats::{Visitor, error::Result};

use crate::database::Database;

/// Reads the comments of main lines and what they tell of clocks and evaluations, one game after
/// the other, without allocating for each. Those of variations are skipped. Use one per thread.
///
/// ```
/// use tabiya::{Database, GameId, Remarks};
///
/// # fn main() -> tabiya::Result<()> {
/// let database = Database::open("fixtures/famous.si4")?;
/// let mut remarks = Remarks::default();
/// remarks.read(&database, GameId(0))?;
/// let (remark, text) = remarks.after(1);
/// println!("{:?} {:?} {text}", remark.clock, remark.eval);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Default)]
pub struct Remarks {
    /// By half-move: what its comments tell, and where their text is.
    moves: Vec<(Remark, Range<usize>)>,
    text: String,
    /// The present nesting depth of variations.
    depth: usize,
    /// The side to make the first move.
    first: Option<Color>,
}

impl Remarks {
    /// Reads a game, with all that is stored of it. After an error, what was before the damage is
    /// available.
    ///
    /// # Errors
    /// Those of [`Database::visit`].
    pub fn read(&mut self, database: &Database, game: GameId) -> Result<()> {
        self.moves.clear();
        self.text.clear();
        (self.depth, self.first) = (0, None);
        database.visit(game, self)
    }

    /// Returns what the comments after a half-move tell, which is counted from 1, and their text,
    /// joined by spaces; nothing where there are none.
    #[must_use]
    pub fn after(&self, ply: u32) -> (Remark, &str) {
        let place = (ply as usize).checked_sub(1);
        match place.and_then(|place| self.moves.get(place)) {
            Some((remark, text)) => (*remark, &self.text[text.clone()]),
            None => (Remark::default(), ""),
        }
    }
}

impl Visitor for Remarks {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.first = Some(start.setup().turn);
        Flow::Continue(())
    }

    fn play(&mut self, _: Option<Move>) -> Flow {
        if self.depth == 0 {
            let end = self.text.len();
            self.moves.push((Remark::default(), end..end));
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let is_first = !self.moves.len().is_multiple_of(2);
        let mover = self
            .first
            .map(|first| if is_first { first } else { first.other() });
        if self.depth == 0
            && let Some((remark, place)) = self.moves.last_mut()
        {
            remark.read(text, mover);
            if place.start < place.end {
                self.text.push(' ');
            }
            self.text.push_str(text);
            place.end = self.text.len();
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_the_half_move_before_them_and_variations_to_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        let moves = "{ first } 1. e4 { one [%clk 0:01:00] } { two } e5 (1... c5 { no }) \
                     2. Nf3 { [%eval -0.5] three } Nc6 {[%eval #-2]} *";
        std::fs::write(&path, format!("[White \"A\"]\n\n{moves}\n")).unwrap();
        let database = crate::OpenOptions::new().open(&path).unwrap();
        let mut remarks = Remarks::default();
        for _ in 0..2 {
            remarks.read(&database, GameId(0)).unwrap();
            let texts: Vec<String> = (0..6)
                .map(|ply| {
                    remarks
                        .after(ply)
                        .1
                        .split_whitespace()
                        .collect::<Vec<_>>()
                        .join(" ")
                })
                .collect();
            let expected = [
                "",
                "one [%clk 0:01:00] two",
                "",
                "[%eval -0.5] three",
                "[%eval #-2]",
                "",
            ];
            assert_eq!(texts, expected);
            assert_eq!(remarks.after(1).0.clock.unwrap().thousandths(), 60_000);
            let evals = [3, 4].map(|ply| remarks.after(ply).0.eval.unwrap());
            assert_eq!(evals.map(|eval| eval.pawns()), [Some(-0.5), None]);
            assert_eq!(evals.map(|eval| eval.mate_in()), [None, Some(-2)]);
        }
    }
}
