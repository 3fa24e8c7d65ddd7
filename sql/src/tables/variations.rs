//! One row a move of a variation.

use std::sync::Arc;

use datafusion::arrow::{
    array::{ArrayRef, Int32Builder, Int64Builder, StringViewArray, StringViewBuilder},
    datatypes::{DataType, Schema},
};
use shakmaty::{Move, Setup};
use tabiya::{Diagram, Flow, GameId, Point, chess::Start, format::Visitor};

use super::{place::Place, repeated, signed};
use crate::{
    base::Base,
    columns::{Column, DB, FEN, GAME, MOVE_NUMBER, SAN, UCI, always, maybe},
};

pub(super) const COLUMNS: &[Column] = &[
    DB,
    GAME,
    always(
        "variation",
        DataType::Int32,
        "The number of the variation in its game, in the order of the PGN text from 1",
    ),
    maybe(
        "parent",
        DataType::Int32,
        "The number of the variation in which it stands; null for the main line",
    ),
    always(
        "ply",
        DataType::Int32,
        "The number of the half-move, from 1 at the start of the game; the first of a variation \
         has that of the move which it replaces",
    ),
    MOVE_NUMBER,
    SAN,
    UCI,
    FEN,
    maybe(
        "comment",
        DataType::Utf8View,
        "The comments of the move, joined by spaces, with those before the first move at that one; \
         null if there are none",
    ),
];

/// Rows of moves.
#[derive(Debug)]
pub(super) struct Variations {
    place: Place,
    /// The main line, of which the board has played as many moves as variations needed.
    main: Vec<Option<Move>>,
    main_played: usize,
    main_point: Point,
    /// The variation that is being read, and those that it stands in.
    branches: Vec<Branch>,
    /// The number of the first move, and 1 if Black makes it.
    first: (u32, u32),
    number: i64,
    wants_fen: bool,
    rows: usize,
    game: Int64Builder,
    variation: Int32Builder,
    parent: Int32Builder,
    ply: Int32Builder,
    move_number: Int32Builder,
    texts: [StringViewBuilder; 3],
    /// By row; empty without a comment.
    comments: Vec<String>,
}

/// A variation while it is read.
#[derive(Debug)]
struct Branch {
    point: Point,
    /// The position before the last move, where other variations begin.
    before: Point,
    /// The row of its last move.
    row: Option<usize>,
    /// Comments before its first move.
    lead: String,
}

impl Variations {
    pub(super) fn new(schema: &Schema) -> Variations {
        Variations {
            place: Place::default(),
            main: Vec::new(),
            main_played: 0,
            main_point: Point::new(Setup::initial()),
            branches: Vec::new(),
            first: (1, 0),
            number: 0,
            wants_fen: schema.field_with_name("fen").is_ok(),
            rows: 0,
            game: Int64Builder::new(),
            variation: Int32Builder::new(),
            parent: Int32Builder::new(),
            ply: Int32Builder::new(),
            move_number: Int32Builder::new(),
            texts: [(); 3].map(|()| StringViewBuilder::new()),
            comments: Vec::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// Adds the variations of a game, or what there is of them before its damage.
    pub(super) fn push(&mut self, base: &Base, game: GameId) -> tabiya::Result<()> {
        self.place.reset();
        self.main.clear();
        self.branches.clear();
        self.number = base.database().number(game).into();
        let visited = base.database().visit(game, self);
        base.undamaged(visited).map(drop)
    }

    /// Returns the position before the last move of the line that is being read.
    fn before(&mut self) -> Point {
        if let Some(branch) = self.branches.last() {
            return branch.before.clone();
        }
        let moves_before = self.main.len().saturating_sub(1);
        while self.main_played < moves_before {
            self.main_point.follow(self.main[self.main_played]);
            self.main_played += 1;
        }
        self.main_point.clone()
    }

    pub(super) fn columns(&mut self, base: &Base, schema: &Schema) -> Vec<ArrayRef> {
        let rows = std::mem::take(&mut self.rows);
        let comments = std::mem::take(&mut self.comments);
        let column = |name: &str| -> ArrayRef {
            match name {
                "game" => Arc::new(self.game.finish()),
                "variation" => Arc::new(self.variation.finish()),
                "parent" => Arc::new(self.parent.finish()),
                "ply" => Arc::new(self.ply.finish()),
                "move_number" => Arc::new(self.move_number.finish()),
                "san" => Arc::new(self.texts[0].finish()),
                "uci" => Arc::new(self.texts[1].finish()),
                "fen" => Arc::new(self.texts[2].finish()),
                "comment" => {
                    let comments = comments.iter();
                    let comments = comments.map(|text| (!text.is_empty()).then_some(text));
                    Arc::new(comments.collect::<StringViewArray>())
                }
                _ => repeated(base.name(), rows),
            }
        };
        let names = schema.fields().iter().map(|field| field.name().as_str());
        let columns = names.map(column).collect();
        // Columns that nobody wanted have rows too.
        *self = Variations {
            main: std::mem::take(&mut self.main),
            ..Variations::new(schema)
        };
        columns
    }
}

impl Visitor for Variations {
    fn start(&mut self, start: Start<'_>) -> Flow {
        let setup = start.setup();
        self.first = (setup.fullmoves.get(), u32::from(setup.turn.is_black()));
        self.main_point = Point::new(setup);
        self.main_played = 0;
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.place.ply += 1;
        let Some(branch) = self.branches.last_mut() else {
            self.main.push(played);
            return Flow::Continue(());
        };
        branch.before.clone_from(&branch.point);
        let told = branch.point.play(played);
        branch.row = Some(self.rows);
        self.rows += 1;
        self.comments.push(std::mem::take(&mut branch.lead));
        self.game.append_value(self.number);
        self.variation.append_value(self.place.variation);
        self.parent.append_option(self.place.parent());
        self.ply.append_value(signed(self.place.ply));
        let (first, black) = self.first;
        let number = first.saturating_add((self.place.ply - 1 + black) / 2);
        self.move_number.append_value(signed(number));
        self.texts[0].append_value(&told.san);
        self.texts[1].append_value(&told.uci);
        if self.wants_fen {
            self.texts[2].append_value(Diagram::new(&branch.point.setup()).fen());
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let Some(branch) = self.branches.last_mut() else {
            return Flow::Continue(());
        };
        let comment = match branch.row.and_then(|row| self.comments.get_mut(row)) {
            Some(comment) => comment,
            None => &mut branch.lead,
        };
        if !comment.is_empty() {
            comment.push(' ');
        }
        comment.push_str(text);
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        let before = self.before();
        self.branches.push(Branch {
            point: before.clone(),
            before,
            row: None,
            lead: String::new(),
        });
        self.place.begin_variation();
        debug_assert_eq!(self.branches.len(), self.place.depth());
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.branches.pop();
        self.place.end_variation();
        Flow::Continue(())
    }
}
