//! The small tables that are an answer about all databases together: `tree`, `lines`, `positions`.

use std::{fmt, sync::Arc};

use datafusion::{
    arrow::{
        array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray},
        datatypes::{DataType, SchemaRef},
    },
    error::{DataFusionError, Result},
};
use serde::{Deserialize, Serialize};
use tabiya::{
    Database, Flow, LineGraph, Lines, MovePlace, Positions, Progress, Query, TreePosition,
    TreeSearch, chess::GameResult,
};

use crate::{
    columns::{self, AVERAGE_ELO, BLACK, Column, DRAWS, GAMES, OPENING, SAN, WHITE, always, maybe},
    errors::external,
    source::Source,
};

/// What is asked. Texts, because plans carry it to other processes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) enum Question {
    /// The moves played in a position, which is a FEN or comes from moves.
    Tree { fen: Option<String>, moves: String },
    /// The lines played from a position.
    Lines(LinesQuestion),
    /// How often positions were reached.
    Positions { fens: Vec<String> },
}

/// From where lines are asked, and how many: what is `None` is as in the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LinesQuestion {
    pub(crate) fen: Option<String>,
    pub(crate) moves: String,
    pub(crate) depth: Option<u32>,
    pub(crate) min_games: Option<u64>,
    /// In percent.
    pub(crate) min_share: Option<f64>,
}

impl LinesQuestion {
    fn position(&self) -> Result<TreePosition> {
        position("lines", self.fen.as_deref(), &self.moves)
    }

    fn columns(
        &self,
        sources: &[Source],
        go_on: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Vec<ArrayRef>> {
        let position = self.position()?;
        let mut lines = Lines::new(&position);
        // All have the same query.
        if let Some(source) = sources.first() {
            lines = lines.query(&source.query);
        }
        if let Some(depth) = self.depth {
            lines = lines.depth(depth);
        }
        if let Some(games) = self.min_games {
            lines = lines.min_games(games);
        }
        if let Some(percent) = self.min_share {
            lines = lines.min_share(percent / 100.0);
        }
        let bases = sources.iter().map(|source| source.origin.base());
        let bases = bases.collect::<Result<Vec<_>>>()?;
        let bases: Vec<&Database> = bases.iter().map(|base| base.database()).collect();
        let graph = lines.on_progress(go_on).run(&bases).map_err(external)?;
        Ok(lines_columns(&graph))
    }
}

impl fmt::Display for LinesQuestion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fen {
            Some(fen) => write!(f, "lines of fen={fen}")?,
            None => write!(f, "lines of moves={}", self.moves)?,
        }
        if let Some(depth) = self.depth {
            write!(f, ", depth={depth}")?;
        }
        if let Some(games) = self.min_games {
            write!(f, ", min_games={games}")?;
        }
        match self.min_share {
            Some(percent) => write!(f, ", min_share={percent}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Tree { fen: Some(fen), .. } => write!(f, "tree of fen={fen}"),
            Question::Tree { moves, .. } => write!(f, "tree of moves={moves}"),
            Question::Lines(lines) => lines.fmt(f),
            Question::Positions { fens } => write!(f, "positions={}", fens.join(", ")),
        }
    }
}

fn plan_error(message: String) -> DataFusionError {
    DataFusionError::Plan(message)
}

impl Question {
    /// Checks positions and moves.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Question::Tree { fen, moves } => position("tree", fen.as_deref(), moves).map(drop),
            Question::Lines(lines) => lines.position().map(drop),
            Question::Positions { fens } => wanted(fens).map(drop),
        }
    }

    /// Returns the columns.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self {
            Question::Tree { .. } => columns::schema(TREE),
            Question::Lines(_) => columns::schema(LINES),
            Question::Positions { .. } => columns::schema(POSITIONS),
        }
    }

    /// Returns all rows, which are incomplete if `go_on` breaks.
    pub(crate) fn answer(
        &self,
        sources: &[Source],
        go_on: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<RecordBatch> {
        let columns = match self {
            Question::Tree { fen, moves } => {
                let position = position("tree", fen.as_deref(), moves)?;
                let mut all: Option<tabiya::Tree> = None;
                for source in sources {
                    let search = TreeSearch::new(&position).query(&source.query);
                    let base = source.origin.base()?;
                    let tree = search
                        .on_progress(&mut *go_on)
                        .run(base.database())
                        .map_err(external)?;
                    match &mut all {
                        Some(all) => all.add(tree),
                        None => all = Some(tree),
                    }
                }
                all.as_ref().map(tree_columns)
            }
            Question::Lines(lines) => Some(lines.columns(sources, go_on)?),
            Question::Positions { fens } => Some(positions_columns(fens, sources, go_on)?),
        };
        Ok(match columns {
            Some(columns) => RecordBatch::try_new(self.schema(), columns)?,
            None => RecordBatch::new_empty(self.schema()),
        })
    }
}

fn position(function: &str, fen: Option<&str>, moves: &str) -> Result<TreePosition> {
    let position = match fen {
        Some(fen) => TreePosition::from_fen(fen),
        None => TreePosition::from_moves(moves),
    };
    position.map_err(|fault| plan_error(format!("{function}: {fault}")))
}

fn wanted(fens: &[String]) -> Result<Vec<tabiya::WantedPosition>> {
    let wanted = fens.iter().map(|text| {
        let fen = text
            .parse()
            .map_err(|fault| plan_error(format!("`{text}`: {fault}")))?;
        Ok(tabiya::WantedPosition::new(fen))
    });
    wanted.collect()
}

/// The columns of `tree`.
pub(crate) const TREE: &[Column] = &[
    maybe(
        "san",
        DataType::Utf8View,
        "The next move in standard algebraic notation; null for the games that end here",
    ),
    maybe(
        "uci",
        DataType::Utf8View,
        "The same in long algebraic notation; null for a null move, and like `san`",
    ),
    GAMES,
    WHITE,
    DRAWS,
    BLACK,
    AVERAGE_ELO,
    maybe(
        "performance",
        DataType::Float64,
        "Their performance; null if no rating of an opponent is known",
    ),
    maybe(
        "average_year",
        DataType::Float64,
        "The mean year of the games; null if none is known",
    ),
    maybe(
        "eco",
        DataType::Utf8View,
        "The most frequent code of these games; null if none has one",
    ),
    OPENING,
];

/// There are never more games than a number holds.
fn signed(number: u64) -> Option<i64> {
    i64::try_from(number).ok()
}

fn tree_columns(tree: &tabiya::Tree) -> Vec<ArrayRef> {
    use tabiya::{TreeRow, TreeStats};
    let rows = tree.rows();
    let texts = |of: &dyn Fn(&TreeRow) -> Option<String>| -> ArrayRef {
        Arc::new(rows.iter().map(of).collect::<StringViewArray>())
    };
    let counts = |of: fn(&TreeStats) -> u64| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| signed(of(&row.stats)))
                .collect::<Int64Array>(),
        )
    };
    let means = |of: fn(&TreeStats) -> Option<f64>| -> ArrayRef {
        Arc::new(
            rows.iter()
                .map(|row| of(&row.stats))
                .collect::<Float64Array>(),
        )
    };
    vec![
        texts(&|row| Some(row.san.clone())),
        texts(&|row| row.next.uci()),
        counts(TreeStats::games),
        counts(TreeStats::white_wins),
        counts(TreeStats::draws),
        counts(TreeStats::black_wins),
        means(TreeStats::average_rating),
        means(TreeStats::performance),
        means(TreeStats::average_year),
        texts(&|row| row.stats.eco().map(|eco| eco.to_string())),
        texts(&|row| row.opening.map(str::to_owned)),
    ]
}

/// The columns of `lines`.
pub(crate) const LINES: &[Column] = &[
    always(
        "line",
        DataType::Utf8View,
        "The moves from the position on, as a key of the move",
    ),
    always("depth", DataType::Int64, "How many half-moves these are"),
    SAN,
    maybe(
        "uci",
        DataType::Utf8View,
        "The move in long algebraic notation; null for a null move",
    ),
    GAMES,
    WHITE,
    DRAWS,
    BLACK,
    AVERAGE_ELO,
    OPENING,
    maybe(
        "same_as",
        DataType::Utf8View,
        "The line that comes to the same position and tells what follows; null if this one does",
    ),
];

/// Returns a row for each move: what follows a position is told where a line first comes to it.
fn lines_columns(graph: &LineGraph) -> Vec<ArrayRef> {
    let moves = graph.in_order();
    let row = |at: &MovePlace| &graph.nodes()[at.node].moves()[at.number].row;
    let texts = |of: &dyn Fn(&MovePlace) -> Option<String>| -> ArrayRef {
        Arc::new(moves.iter().map(of).collect::<StringViewArray>())
    };
    let numbers = |of: &dyn Fn(&MovePlace) -> u64| -> ArrayRef {
        let numbers = moves.iter().map(|at| signed(of(at)));
        Arc::new(numbers.collect::<Int64Array>())
    };
    let ratings = moves.iter().map(|at| row(at).stats.average_rating());
    vec![
        texts(&|at| Some(graph.line_with(at.node, at.number))),
        numbers(&|at| at.depth.into()),
        texts(&|at| Some(row(at).san.clone())),
        texts(&|at| row(at).next.uci()),
        numbers(&|at| row(at).stats.games()),
        numbers(&|at| row(at).stats.white_wins()),
        numbers(&|at| row(at).stats.draws()),
        numbers(&|at| row(at).stats.black_wins()),
        Arc::new(ratings.collect::<Float64Array>()),
        texts(&|at| row(at).opening.map(str::to_owned)),
        texts(&|at| graph.same_as(at.node, at.number)),
    ]
}

/// The columns of `positions`.
pub(crate) const POSITIONS: &[Column] = &[
    always(
        "fen",
        DataType::Utf8View,
        "The position, as it was asked for",
    ),
    always("games", DataType::Int64, "Games in which it was reached"),
    WHITE,
    DRAWS,
    BLACK,
];

fn positions_columns(
    fens: &[String],
    sources: &[Source],
    go_on: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Vec<ArrayRef>> {
    let wanted = wanted(fens)?;
    let mut sums = vec![[0_u64; 4]; fens.len()];
    for source in sources {
        let mut positions = Positions::new(wanted.clone());
        if source.query != Query::All {
            positions = positions.query(&source.query);
        }
        let base = source.origin.base()?;
        let counts = positions
            .on_progress(&mut *go_on)
            .run(base.database())
            .map_err(external)?;
        for (sum, row) in sums.iter_mut().zip(counts.rows()) {
            let of = |result| u64::from(row.tally.count(result));
            sum[0] += u64::from(row.tally.games());
            sum[1] += of(GameResult::WhiteWins);
            sum[2] += of(GameResult::Draw);
            sum[3] += of(GameResult::BlackWins);
        }
    }
    let count = |place: usize| -> ArrayRef {
        Arc::new(
            sums.iter()
                .map(|sum| signed(sum[place]))
                .collect::<Int64Array>(),
        )
    };
    let mut columns: Vec<ArrayRef> = vec![Arc::new(StringViewArray::from_iter_values(fens))];
    columns.extend((0..4).map(count));
    Ok(columns)
}
