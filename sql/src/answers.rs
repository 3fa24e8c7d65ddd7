//! The small tables that are an answer about all databases together: `tree` and `positions`.

use std::{fmt, sync::Arc};

use datafusion::{
    arrow::{
        array::{ArrayRef, Float64Array, Int64Array, RecordBatch, StringViewArray},
        datatypes::{DataType, Field, Schema, SchemaRef},
    },
    error::{DataFusionError, Result},
};
use serde::{Deserialize, Serialize};
use tabiya::{Flow, Positions, Progress, Query, TreePosition, TreeSearch, chess::GameResult};

use crate::{errors::external, source::Source};

/// What is asked. Texts, because plans carry it to other processes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Question {
    /// The moves played in a position, which is a FEN or comes from moves.
    Tree { fen: Option<String>, moves: String },
    /// How often positions were reached.
    Positions { fens: Vec<String> },
}

impl fmt::Display for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Question::Tree { fen: Some(fen), .. } => write!(f, "tree of fen={fen}"),
            Question::Tree { moves, .. } => write!(f, "tree of moves={moves}"),
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
            Question::Tree { fen, moves } => tree_position(fen.as_deref(), moves).map(drop),
            Question::Positions { fens } => wanted(fens).map(drop),
        }
    }

    /// Returns the columns.
    pub(crate) fn schema(&self) -> SchemaRef {
        match self {
            Question::Tree { .. } => tree_schema(),
            Question::Positions { .. } => positions_schema(),
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
                let position = tree_position(fen.as_deref(), moves)?;
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
            Question::Positions { fens } => Some(positions_columns(fens, sources, go_on)?),
        };
        Ok(match columns {
            Some(columns) => RecordBatch::try_new(self.schema(), columns)?,
            None => RecordBatch::new_empty(self.schema()),
        })
    }
}

fn tree_position(fen: Option<&str>, moves: &str) -> Result<TreePosition> {
    let position = match fen {
        Some(fen) => TreePosition::from_fen(fen),
        None => TreePosition::from_moves(moves),
    };
    position.map_err(|fault| plan_error(format!("tree: {fault}")))
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

fn tree_schema() -> SchemaRef {
    let count = |name: &str| Field::new(name, DataType::Int64, false);
    let mean = |name: &str| Field::new(name, DataType::Float64, true);
    let text = |name: &str| Field::new(name, DataType::Utf8View, true);
    Arc::new(Schema::new(vec![
        text("san"),
        text("uci"),
        count("games"),
        count("white"),
        count("draws"),
        count("black"),
        mean("average_elo"),
        mean("performance"),
        mean("average_year"),
        text("eco"),
        text("opening"),
    ]))
}

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

fn positions_schema() -> SchemaRef {
    let count = |name: &str| Field::new(name, DataType::Int64, false);
    Arc::new(Schema::new(vec![
        Field::new("fen", DataType::Utf8View, false),
        count("games"),
        count("white"),
        count("draws"),
        count("black"),
    ]))
}

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
