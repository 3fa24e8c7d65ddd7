//! The moves of all lines of a game, with what is said of them.

use shakmaty::{Move, Setup};
use tabiya_chess::{Flow, GameId, Start, diagram::Diagram};
use tabiya_formats::{GameDamage, Visitor, error::Result};

use super::Point;
use crate::database::Database;

/// The moves of all lines of a game: depth first, as a PGN file has them, in one list. Each names
/// the move that it follows, so that nothing is nested, however deep variations go.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct AllLines {
    /// Comments before the first move, joined by spaces.
    pub comment: Option<String>,
    /// The moves.
    pub moves: Vec<NotedMove>,
    /// Why there are no more of them; `None` if the game is sound.
    pub damage: Option<GameDamage>,
}

/// A move in one of the lines of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NotedMove {
    /// The place in the list, from 0, of the move that it follows; `None` at the start of the game.
    pub after: Option<usize>,
    /// Variations that it is in, one inside the other; 0 in the main line.
    pub depth: u16,
    /// Of its variation the number in the game, from 1 in the order of their beginnings; `None` in
    /// the main line.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub variation: Option<u32>,
    /// The variation that its variation stands in; `None` in the main line and in variations of it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub parent: Option<u32>,
    /// Half-moves from the start of the game up to this one.
    pub ply: u32,
    /// The move in long algebraic notation; `0000` is a null move.
    pub uci: String,
    /// The move in standard algebraic notation; `--` is a null move. As `uci` from a move on that
    /// the rules do not allow.
    pub san: String,
    /// The position after the move as FEN, if positions are wanted; `None` from a move on that the
    /// rules do not allow.
    pub fen: Option<String>,
    /// Numeric annotation glyphs, in their order.
    pub nags: Vec<u8>,
    /// What a variation begins with, before this move.
    pub before: Option<String>,
    /// Comments after it, joined by spaces.
    pub comment: Option<String>,
}

impl Database {
    /// Returns the moves of all lines of a game, with positions or not; of a damaged one those that
    /// can be read. O(moves of all lines).
    ///
    /// ```
    /// # fn main() -> tabiya::Result<()> {
    /// use tabiya::{Database, GameId};
    ///
    /// let database = Database::open("fixtures/famous.si4")?;
    /// let lines = database.all_lines(GameId(0), false)?;
    /// let main_line = lines.moves.iter().filter(|noted| noted.depth == 0);
    /// println!("{} of {} moves", main_line.count(), lines.moves.len());
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`Database::visit_sound`].
    pub fn all_lines(&self, game: GameId, positions: bool) -> Result<AllLines> {
        let mut writer = Writer {
            lines: AllLines {
                comment: None,
                moves: Vec::new(),
                damage: None,
            },
            wants_positions: positions,
            now: LinePlace::new(Setup::initial()),
            before: LinePlace::new(Setup::initial()),
            waiting: Vec::new(),
            variations: 0,
            lead: None,
            begins: true,
        };
        writer.lines.damage = self.visit_sound(game, &mut writer)?;
        Ok(writer.lines)
    }
}

/// A place in a line.
#[derive(Debug, Clone)]
struct LinePlace {
    /// The last move before it.
    last: Option<usize>,
    variation: Option<u32>,
    ply: u32,
    point: Point,
}

impl LinePlace {
    fn new(start: Setup) -> LinePlace {
        LinePlace {
            last: None,
            variation: None,
            ply: 0,
            point: Point::new(start),
        }
    }
}

/// Writes moves down as they are told.
struct Writer {
    lines: AllLines,
    wants_positions: bool,
    now: LinePlace,
    /// Before the last move, where variations of it begin.
    before: LinePlace,
    /// The same of the lines that go on after the variations being told.
    waiting: Vec<(LinePlace, LinePlace)>,
    /// Variations that have begun.
    variations: u32,
    /// What was said at the beginning of a variation.
    lead: Option<String>,
    /// Whether no move was told yet in this line.
    begins: bool,
}

impl Visitor for Writer {
    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = LinePlace::new(start.setup());
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.before.clone_from(&self.now);
        let told = self.now.point.play(played);
        self.now.ply += 1;
        self.now.last = Some(self.lines.moves.len());
        self.begins = false;
        let point = &self.now.point;
        let has_position = self.wants_positions && point.is_legal();
        let parent = self.waiting.last().and_then(|(line, _)| line.variation);
        self.lines.moves.push(NotedMove {
            after: self.before.last,
            depth: u16::try_from(self.waiting.len()).unwrap_or(u16::MAX),
            variation: self.now.variation,
            parent,
            ply: self.now.ply,
            uci: told.uci,
            san: told.san,
            fen: has_position.then(|| Diagram::new(&point.setup()).fen()),
            nags: Vec::new(),
            before: self.lead.take(),
            comment: None,
        });
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        let last = self.now.last.filter(|_| !self.begins);
        if let Some(noted) = last.and_then(|last| self.lines.moves.get_mut(last)) {
            noted.nags.push(nag);
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let last = self
            .now
            .last
            .and_then(|last| self.lines.moves.get_mut(last));
        let place = match (self.begins, last) {
            (false, Some(noted)) => &mut noted.comment,
            _ if self.waiting.is_empty() => &mut self.lines.comment,
            _ => &mut self.lead,
        };
        match place {
            Some(comment) => comment.extend([" ", text.trim()]),
            None => *place = Some(text.trim().to_owned()),
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.variations += 1;
        let mut before = self.before.clone();
        before.variation = Some(self.variations);
        let now = std::mem::replace(&mut self.now, before);
        self.waiting.push((now, self.before.clone()));
        self.begins = true;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        if let Some((now, before)) = self.waiting.pop() {
            (self.now, self.before) = (now, before);
        }
        self.lead = None;
        self.begins = false;
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_move_says_what_it_follows_and_which_variation_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.pgn");
        let moves = "{ intro } 1. e4 e5 (1... c5 $1 { Sicilian } 2. Nf3 (2. Nc3 $3) 2... d6) \
                     ({ lead } 1... e6) { later } 2. Nf3 $2 *";
        std::fs::write(&path, format!("[White \"A\"]\n\n{moves}\n")).unwrap();
        let database = Database::open(&path).unwrap();
        let lines = database.all_lines(GameId(0), true).unwrap();
        assert_eq!(lines.comment.as_deref(), Some("intro"));
        assert!(lines.damage.is_none());
        let told: Vec<_> = lines
            .moves
            .iter()
            .map(|noted| {
                let place = (noted.after, noted.ply, noted.depth);
                (noted.san.as_str(), place, noted.variation, noted.parent)
            })
            .collect();
        let expected = [
            ("e4", (None, 1, 0), None, None),
            ("e5", (Some(0), 2, 0), None, None),
            ("c5", (Some(0), 2, 1), Some(1), None),
            ("Nf3", (Some(2), 3, 1), Some(1), None),
            ("Nc3", (Some(2), 3, 2), Some(2), Some(1)),
            ("d6", (Some(3), 4, 1), Some(1), None),
            ("e6", (Some(0), 2, 1), Some(3), None),
            ("Nf3", (Some(1), 3, 0), None, None),
        ];
        assert_eq!(told, expected);
        let nags: Vec<_> = lines
            .moves
            .iter()
            .map(|noted| noted.nags.as_slice())
            .collect();
        assert_eq!(nags, [&[][..], &[], &[1], &[], &[3], &[], &[], &[2]]);
        let said = |place: usize| {
            let noted: &NotedMove = &lines.moves[place];
            (noted.before.as_deref(), noted.comment.as_deref())
        };
        assert_eq!(said(1), (None, Some("later")));
        assert_eq!(said(2), (None, Some("Sicilian")));
        assert_eq!(said(6), (Some("lead"), None));
        assert!(
            lines
                .moves
                .iter()
                .all(|noted| noted.fen.as_ref().is_some_and(|fen| fen.contains('/')))
        );
        let plain = database.all_lines(GameId(0), false).unwrap();
        assert!(plain.moves.iter().all(|noted| noted.fen.is_none()));
    }
}
