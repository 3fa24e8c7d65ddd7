//! One row a move of the main line.

use std::{collections::HashSet, sync::Arc};

use datafusion::arrow::{
    array::{ArrayRef, Float64Builder, Int32Builder, Int64Builder, StringViewBuilder},
    datatypes::{DataType, Schema},
};
use tabiya::{
    Excerpt, GameId, ListStyle, MainLine, Notation, Remarks,
    chess::{Evaluation, Seconds},
};

use super::{repeated, signed};
use crate::{
    base::Base,
    columns::{Column, DB, FEN, GAME, MOVE_NUMBER, SAN, UCI, always, maybe},
    plies::Plies,
};

pub(super) const COLUMNS: &[Column] = &[
    DB,
    GAME,
    always(
        "ply",
        DataType::Int32,
        "The number of the half-move, from 1",
    ),
    always(
        "last",
        DataType::Int32,
        "The number of the last half-move of the main line: of a damaged game, of the last before \
         the damage",
    ),
    MOVE_NUMBER,
    SAN,
    UCI,
    FEN,
    maybe(
        "clock",
        DataType::Float64,
        "Seconds left after the move, from a comment `[%clk]`; null without one",
    ),
    maybe(
        "eval",
        DataType::Float64,
        "Pawns for White, from a comment `[%eval]`; null without one, and for a mate",
    ),
    maybe(
        "mate",
        DataType::Int32,
        "Moves to a mate, below 0 if Black mates, from a comment `[%eval]`; null without one",
    ),
    maybe(
        "comment",
        DataType::Utf8View,
        "The comments of the move, joined by spaces; null if there are none",
    ),
];

/// Rows of moves. Columns that are not wanted stay empty.
#[derive(Debug)]
pub(super) struct Moves {
    line: MainLine,
    excerpt: Excerpt,
    wanted: HashSet<String>,
    remarks: Remarks,
    rows: usize,
    game: Int64Builder,
    ply: Int32Builder,
    last: Int32Builder,
    move_number: Int32Builder,
    texts: [StringViewBuilder; 3],
    clock: Float64Builder,
    eval: Float64Builder,
    mate: Int32Builder,
    comment: StringViewBuilder,
}

/// The columns that are text of the line, in the order of `Moves::texts`.
const NOTATIONS: [(&str, Notation, char); 3] = [
    ("san", Notation::San, ' '),
    ("uci", Notation::Uci, ' '),
    ("fen", Notation::Fen, ';'),
];

impl Moves {
    pub(super) fn new(schema: &Schema) -> Moves {
        let names = schema.fields().iter().map(|field| field.name().clone());
        let wanted: HashSet<String> = names.collect();
        let notations = NOTATIONS.iter().filter(|(name, ..)| wanted.contains(*name));
        let notations: Vec<Notation> = notations.map(|(_, notation, _)| *notation).collect();
        let mut excerpt = Excerpt::default();
        excerpt.counts_all = wanted.contains("last");
        Moves {
            line: MainLine::new(ListStyle::Words, &notations),
            excerpt,
            wanted,
            remarks: Remarks::default(),
            rows: 0,
            game: Int64Builder::new(),
            ply: Int32Builder::new(),
            last: Int32Builder::new(),
            move_number: Int32Builder::new(),
            texts: [(); 3].map(|()| StringViewBuilder::new()),
            clock: Float64Builder::new(),
            eval: Float64Builder::new(),
            mate: Int32Builder::new(),
            comment: StringViewBuilder::new(),
        }
    }

    /// Restricts it to some plies.
    pub(super) fn restrict(&mut self, plies: Plies) {
        plies.set(&mut self.excerpt);
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    fn wants(&self, name: &str) -> bool {
        self.wanted.contains(name)
    }

    /// Adds the moves of a game, or those before its damage.
    pub(super) fn push(&mut self, base: &Base, game: GameId) -> tabiya::Result<()> {
        let read = self.line.read_excerpt(base.database(), game, &self.excerpt);
        base.undamaged(read)?;
        // Those before the damage, if there is any.
        let told = || self.line.told();
        let rows = told().count();
        self.rows += rows;
        if self.wants("game") {
            let number = base.database().number(game).into();
            self.game.append_value_n(number, rows);
        }
        if self.wants("ply") {
            told().for_each(|ply| self.ply.append_value(signed(ply)));
        }
        if self.wants("last") {
            self.last.append_value_n(signed(self.line.plies()), rows);
        }
        if self.wants("move_number") {
            let (first, black) = first_move(self.line.start_fen().as_deref());
            let numbers = told().map(|ply| first.saturating_add((ply - 1 + black) / 2));
            numbers.for_each(|number| self.move_number.append_value(signed(number)));
        }
        for ((name, notation, between), column) in NOTATIONS.iter().zip(&mut self.texts) {
            if self.wanted.contains(*name) {
                let words = self.line.text(*notation).split(*between);
                words.take(rows).for_each(|word| column.append_value(word));
            }
        }
        if ["clock", "eval", "mate", "comment"]
            .iter()
            .any(|name| self.wants(name))
        {
            // Nothing is read for games without rows.
            if rows > 0 {
                self.push_remarks(base, game)?;
            }
        }
        Ok(())
    }

    fn push_remarks(&mut self, base: &Base, game: GameId) -> tabiya::Result<()> {
        let (wants_clock, wants_comment) = (self.wants("clock"), self.wants("comment"));
        let read = if wants_comment {
            self.remarks.read(base.database(), game)
        } else {
            self.remarks.read_numbers(base.database(), game)
        };
        match read {
            Err(error) if !error.is_of_game() => return Err(error),
            // The line has told of the damage.
            _ => {}
        }
        let (wants_eval, wants_mate) = (self.wants("eval"), self.wants("mate"));
        for ply in self.line.told() {
            let (remark, comment) = self.remarks.after(ply);
            if wants_clock {
                self.clock.append_option(remark.clock.map(Seconds::seconds));
            }
            if wants_eval {
                self.eval
                    .append_option(remark.eval.and_then(Evaluation::pawns));
            }
            if wants_mate {
                let mate = remark.eval.and_then(Evaluation::mate_in);
                self.mate.append_option(mate);
            }
            if wants_comment {
                let comment = (!comment.is_empty()).then_some(comment);
                self.comment.append_option(comment);
            }
        }
        Ok(())
    }

    pub(super) fn columns(&mut self, base: &Base, schema: &Schema) -> Vec<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let column = |name: &str| -> ArrayRef {
            match name {
                "game" => Arc::new(self.game.finish()),
                "ply" => Arc::new(self.ply.finish()),
                "last" => Arc::new(self.last.finish()),
                "move_number" => Arc::new(self.move_number.finish()),
                "san" => Arc::new(self.texts[0].finish()),
                "uci" => Arc::new(self.texts[1].finish()),
                "fen" => Arc::new(self.texts[2].finish()),
                "clock" => Arc::new(self.clock.finish()),
                "eval" => Arc::new(self.eval.finish()),
                "mate" => Arc::new(self.mate.finish()),
                "comment" => Arc::new(self.comment.finish()),
                _ => repeated(base.name(), rows),
            }
        };
        let names = schema.fields().iter().map(|field| field.name().as_str());
        names.map(column).collect()
    }
}

/// Returns the number of the first move, and 1 if Black makes it.
fn first_move(start: Option<&str>) -> (u32, u32) {
    let mut words = start.unwrap_or_default().split(' ').skip(1);
    let black = u32::from(words.next() == Some("b"));
    let number = words.last().and_then(|word| word.parse().ok());
    (number.unwrap_or(1), black)
}
