//! What the comments of main lines tell, game after game.

use std::ops::Range;

use shakmaty::Move;
use tabiya_chess::{Flow, GameId, Remark, Start};
use tabiya_formats::{Visitor, error::Result};

use crate::{database::Database, pattern::told_moves::ToldMoves};

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
    told: ToldMoves,
    /// By half-move: where its comments are in the text.
    places: Vec<Range<usize>>,
    text: String,
    /// The present nesting depth of variations.
    depth: usize,
}

impl Remarks {
    /// Reads a game, with all that is stored of it. After an error, what was before the damage is
    /// available.
    ///
    /// # Errors
    /// Those of [`Database::visit`].
    pub fn read(&mut self, database: &Database, game: GameId) -> Result<()> {
        self.places.clear();
        self.text.clear();
        self.depth = 0;
        self.told.begin(false);
        let read = database.visit(game, self);
        self.told.end();
        read
    }

    /// Reads what the comments of a game tell, without their texts where the sidecar knows it: then
    /// the game is not read.
    ///
    /// # Errors
    /// Those of [`Database::visit`].
    pub fn read_numbers(&mut self, database: &Database, game: GameId) -> Result<()> {
        let sidecar = database.sidecar();
        let known = sidecar.and_then(|sidecar| sidecar.told(game.0, &mut self.told));
        if known.is_none() {
            return self.read(database, game);
        }
        self.places.clear();
        self.text.clear();
        Ok(())
    }

    /// Returns what the comments after a half-move tell, which is counted from 1, and their text,
    /// joined by spaces; nothing where there are none. The time spent on a move is told by its
    /// comments or follows from the clocks. Of 0, the evaluation alone that those before the
    /// first move tell.
    #[must_use]
    pub fn after(&self, ply: u32) -> (Remark, &str) {
        let Some(place) = (ply as usize).checked_sub(1) else {
            let mut of_start = Remark::default();
            of_start.eval = self.told.of_start();
            return (of_start, "");
        };
        let told = self.told.moves().get(place);
        let text = self.places.get(place).map(|text| &self.text[text.clone()]);
        (
            told.map(|told| told.remark).unwrap_or_default(),
            text.unwrap_or_default(),
        )
    }
}

impl Visitor for Remarks {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.told.start(start)
    }

    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.told.tag(name, value)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth == 0 {
            let end = self.text.len();
            self.places.push(end..end);
        }
        self.told.play(played)
    }

    fn comment(&mut self, text: &str) -> Flow {
        if self.depth == 0
            && let Some(place) = self.places.last_mut()
        {
            if place.start < place.end {
                self.text.push(' ');
            }
            self.text.push_str(text);
            place.end = self.text.len();
        }
        self.told.comment(text)
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        self.told.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        self.told.end_variation()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_belong_to_the_half_move_before_them_and_variations_to_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        let moves = "{ first [%eval 0.31] } 1. e4 { one [%clk 0:01:00] } { two } e5 \
                     (1... c5 { no }) 2. Nf3 { [%eval -0.5] three } Nc6 {[%eval #-2]} *";
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
            assert_eq!(remarks.after(9).0, Remark::default());
            assert_eq!(remarks.after(0).0.eval.unwrap().pawns(), Some(0.31));
            let evals = [3, 4].map(|ply| remarks.after(ply).0.eval.unwrap());
            assert_eq!(evals.map(|eval| eval.pawns()), [Some(-0.5), None]);
            assert_eq!(evals.map(|eval| eval.mate_in()), [None, Some(-2)]);
        }
    }
}
