//! What games tell besides headers and moves: tags, comments, clocks, evaluations.

use super::jsonl::json_text;
use tabiya::{
    Database, Flow, GameId, Result,
    chess::{Evaluation, Remark, Start},
    format::{GameDamage, Visitor},
    shakmaty::{Color, Move},
};

/// The data of a game besides its moves.
pub(crate) struct Aside<'f> {
    tags: Vec<&'f str>,
    /// By tag.
    pub(super) values: Vec<Option<String>>,
    /// A JSON array, if comments are wanted.
    pub(super) comments: Option<String>,
    /// What the comments tell, by half-move, if it is wanted.
    remarks: Option<Vec<Remark>>,
    /// The start position, if it is custom.
    pub(super) start: Option<String>,
    /// Moves of the main line so far.
    ply: u32,
    /// The side that has made the last of these moves.
    mover: Option<Color>,
    /// The present nesting depth of variations.
    depth: usize,
    /// Whether the moves are read whatever else is wanted, so that their damage is found.
    reads_moves: bool,
}

impl<'f> Aside<'f> {
    /// Creates a reader of these tags, of comments, and of what comments tell.
    pub(crate) fn new(tags: Vec<&'f str>, comments: bool, remarks: bool) -> Aside<'f> {
        Aside {
            values: vec![None; tags.len()],
            tags,
            comments: comments.then(String::new),
            remarks: remarks.then(Vec::new),
            start: None,
            ply: 0,
            mover: None,
            depth: 0,
            reads_moves: false,
        }
    }

    /// Reads the moves whatever else is wanted.
    pub(super) fn with_damage(mut self, wanted: bool) -> Aside<'f> {
        self.reads_moves = wanted;
        self
    }

    /// Returns an array of JSON with the seconds left after each half-move; `None` if no comment
    /// tells of a clock.
    pub(crate) fn clocks(&self) -> Option<String> {
        self.list(|remark, list| match remark.clock {
            Some(clock) => list.push_str(&clock.to_string()),
            None => list.push_str("null"),
        })
    }

    /// Returns an array of JSON with the evaluation after each half-move; `None` if there is none.
    pub(crate) fn evals(&self) -> Option<String> {
        self.list(|remark, list| match remark.eval {
            Some(eval) => push_eval(eval, list),
            None => list.push_str("null"),
        })
    }

    fn list(&self, push: impl Fn(&Remark, &mut String)) -> Option<String> {
        let mut list = String::new();
        for remark in self.remarks.iter().flatten() {
            list.push(if list.is_empty() { '[' } else { ',' });
            push(remark, &mut list);
        }
        list.push(']');
        list.bytes()
            .any(|byte| byte.is_ascii_digit())
            .then_some(list)
    }

    /// Reads what is sound of a game. Returns its damage.
    ///
    /// # Errors
    /// Those of [`Database::visit_sound`].
    pub(crate) fn visit(
        &mut self,
        database: &Database,
        game: GameId,
    ) -> Result<Option<GameDamage>> {
        self.values.fill(None);
        (self.start, self.ply, self.depth) = (None, 0, 0);
        if let Some(comments) = &mut self.comments {
            comments.clear();
            comments.push('[');
        }
        if let Some(remarks) = &mut self.remarks {
            remarks.clear();
        }
        let done = database.visit_sound(game, self);
        if let Some(comments) = &mut self.comments {
            comments.push(']');
        }
        done
    }
}

impl Visitor for Aside<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        for (tag, kept) in self.tags.iter().zip(&mut self.values) {
            if kept.is_none() && tag.eq_ignore_ascii_case(name) {
                *kept = Some(value.to_owned());
            }
        }
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        // Before the first move the other side has moved.
        self.mover = Some(start.setup().turn.other());
        if let Start::Custom(setup) = start {
            self.start = Some(tabiya::Diagram::new(setup).fen());
        }
        match (&self.comments, &self.remarks) {
            (None, None) if !self.reads_moves => Flow::Break(()),
            _ => Flow::Continue(()),
        }
    }

    fn play(&mut self, _: Option<Move>) -> Flow {
        if self.depth == 0 {
            self.ply += 1;
            self.mover = self.mover.map(Color::other);
            if let Some(remarks) = &mut self.remarks {
                remarks.push(Remark::default());
            }
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        if let Some(comments) = self.comments.as_mut().filter(|_| self.depth == 0) {
            if comments.len() > 1 {
                comments.push(',');
            }
            let text = json_text(&text.into());
            comments.push_str(&format!("{{\"ply\":{},\"text\":{text}}}", self.ply));
        }
        let last = self.remarks.as_mut().and_then(|remarks| remarks.last_mut());
        if let Some(remark) = last.filter(|_| self.depth == 0) {
            remark.read(text, self.mover);
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

/// Appends an evaluation to an array of JSON: a number of pawns, or a mate as text.
fn push_eval(eval: Evaluation, list: &mut String) {
    let text = eval.to_string();
    if text.starts_with('#') {
        list.push_str(&format!("\"{text}\""));
    } else {
        list.push_str(&text);
    }
}
