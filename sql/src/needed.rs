//! The games that the other side of a join turns out to need.
//!
//! Once the smaller side of a join is known, DataFusion tells the scans of the other what their
//! rows must satisfy to be joined at all: limits, a list of keys or its table of them. What that
//! says of `db` and `game` is worked out before the first game is decoded: from a list by its keys,
//! otherwise for all games of a range. So
//! `games join moves using (db, game)` reads the moves of the games that are joined.
//!
//! Where the list has a ply beside the game, only these plies of the game are written.
//!
//! A game that is left out would be joined with nothing. Whatever else a condition asks is not
//! known of a game, counts as satisfied, and is left to the join.

use std::{ops::Range, sync::Arc};

use datafusion::{
    arrow::{
        array::{Array, AsArray, BooleanArray, Int64Array, RecordBatch},
        compute::{and_kleene, or_kleene},
        datatypes::{DataType, Field, Int32Type, Int64Type, Schema, SchemaRef},
    },
    error::Result,
    logical_expr::Operator,
    physical_expr::{
        PhysicalExpr, ScalarFunctionExpr,
        expressions::{
            BinaryExpr, CaseExpr, Column, DynamicFilterPhysicalExpr, InListExpr, Literal,
        },
        utils::{collect_columns, reassign_expr_columns},
    },
    physical_expr_common::physical_expr::snapshot_physical_expr,
    scalar::ScalarValue,
};
use tabiya::{GameId, GameSet};

use crate::{base::Base, plies::GamePlies, read::BLOCK_GAMES, tables::repeated};

/// The columns that are the same for all rows of a game and known before it is decoded.
const KEYS: [&str; 2] = ["db", "game"];

/// The column beside them that says which moves are needed.
const PLY: &str = "ply";

/// Games that are looked at together.
const GAMES: u32 = 16 * BLOCK_GAMES;

/// Conditions that become known while a query runs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needed(Vec<Arc<dyn PhysicalExpr>>);

impl Needed {
    /// Takes those conditions of which something may be known of a game.
    pub(crate) fn of<'e>(conditions: impl Iterator<Item = &'e Arc<dyn PhysicalExpr>>) -> Needed {
        let is_of_games = |condition: &&Arc<dyn PhysicalExpr>| {
            let columns = collect_columns(condition);
            let mut columns = columns.iter();
            condition
                .downcast_ref::<DynamicFilterPhysicalExpr>()
                .is_some()
                && columns.any(|column| is_key(column.name()))
        };
        Needed(conditions.filter(is_of_games).cloned().collect())
    }

    pub(crate) fn conditions(&self) -> &[Arc<dyn PhysicalExpr>] {
        &self.0
    }

    /// Returns what is known now of the games of a range, which are counted from 0.
    pub(crate) fn known(&self, base: &Base, range: &Range<u32>) -> Result<Known> {
        let (mut known, mut others) = (Known::default(), Vec::new());
        for condition in self.now()? {
            let Some(mut keys) = collected(&condition, base) else {
                others.push(condition);
                continue;
            };
            keys.retain(|(game, _)| range.contains(&game.0));
            let plies = keys.iter().map(|&(game, ply)| Some((game, ply?)));
            // Keys without a ply need all plies.
            if known.plies.is_none() {
                known.plies = plies.collect();
            }
            known.restrict(keys.into_iter().map(|(game, _)| game).collect());
        }
        if !others.is_empty()
            && let Some(games) = tested(&others, base, range)?
        {
            known.restrict(games);
        }
        Ok(known)
    }

    /// Returns the conditions as they are known now.
    fn now(&self) -> Result<Vec<Arc<dyn PhysicalExpr>>> {
        self.0.iter().cloned().map(snapshot_physical_expr).collect()
    }
}

/// What is known of the games of a range.
#[derive(Debug, Default)]
pub(crate) struct Known {
    /// The games that are needed; `None` if all are.
    pub(crate) games: Option<GameSet>,
    /// The plies of each game whose moves are needed; `None` if nothing is said of plies.
    pub(crate) plies: Option<GamePlies>,
}

impl Known {
    fn restrict(&mut self, mut games: Vec<GameId>) {
        games.sort_unstable();
        games.dedup();
        let games: GameSet = games.into_iter().collect();
        self.games = Some(match &self.games {
            Some(known) => known.and(&games),
            None => games,
        });
    }
}

/// Returns the games of a range for which conditions that are no lists of keys can hold; `None` if
/// they can for all.
fn tested(
    conditions: &[Arc<dyn PhysicalExpr>],
    base: &Base,
    range: &Range<u32>,
) -> Result<Option<Vec<GameId>>> {
    let mut needed = Vec::new();
    for first in range.clone().step_by(GAMES as usize) {
        let block = first..range.end.min(first.saturating_add(GAMES));
        let keys = keys(base, &block)?;
        let mut mask = None;
        for condition in conditions {
            mask = both(mask, holds(condition, &keys)?)?;
        }
        let is_needed = |place: usize| match &mask {
            Some(mask) => mask.is_valid(place) && mask.value(place),
            None => true,
        };
        let games = block.enumerate().filter(|&(place, _)| is_needed(place));
        needed.extend(games.map(|(_, game)| GameId(game)));
    }
    Ok((needed.len() < range.len()).then_some(needed))
}

fn is_key(name: &str) -> bool {
    KEYS.contains(&name)
}

/// Returns `db` and `game` of some games.
fn keys(base: &Base, games: &Range<u32>) -> Result<RecordBatch> {
    let first = i64::from(base.games_before()) + 1;
    let numbers = games.clone().map(|game| first + i64::from(game));
    let [db, game] = KEYS;
    let schema: SchemaRef = Arc::new(Schema::new(vec![
        Field::new(db, DataType::Utf8View, false),
        Field::new(game, DataType::Int64, false),
    ]));
    let columns = vec![
        repeated(base.name(), games.len()),
        Arc::new(Int64Array::from_iter_values(numbers)) as _,
    ];
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// For each game: whether a condition that is no list of keys can hold for a row of it. `None` if
/// nothing is known.
fn holds(condition: &Arc<dyn PhysicalExpr>, keys: &RecordBatch) -> Result<Option<BooleanArray>> {
    let pair = condition.downcast_ref::<BinaryExpr>();
    let columns = collect_columns(condition);
    if columns.iter().all(|column| is_key(column.name())) {
        let condition = reassign_expr_columns(Arc::clone(condition), &keys.schema())?;
        let values = condition.evaluate(keys)?.into_array(keys.num_rows())?;
        return Ok(values.as_boolean_opt().cloned());
    }
    if let Some(pair) = pair {
        let sides = (holds(pair.left(), keys)?, holds(pair.right(), keys)?);
        return match (pair.op(), sides) {
            (Operator::And, (one, other)) => both(one, other),
            (Operator::Or, (Some(one), Some(other))) => Ok(Some(or_kleene(&one, &other)?)),
            _ => Ok(None),
        };
    }
    // A branch for each part of the other side, chosen by a hash of the whole key.
    let Some(case) = condition.downcast_ref::<CaseExpr>() else {
        return Ok(None);
    };
    let branches = case.when_then_expr().iter().map(|(_, then)| then);
    let mut any: Option<BooleanArray> = None;
    for branch in branches.chain(case.else_expr()) {
        let Some(branch) = holds(branch, keys)? else {
            return Ok(None);
        };
        any = Some(match any {
            Some(any) => or_kleene(&any, &branch)?,
            None => branch,
        });
    }
    Ok(any)
}

/// For each game: whether two conditions can hold.
fn both(one: Option<BooleanArray>, other: Option<BooleanArray>) -> Result<Option<BooleanArray>> {
    Ok(match (one, other) {
        (Some(one), Some(other)) => Some(and_kleene(&one, &other)?),
        (one, other) => one.or(other),
    })
}

/// Tells the games that the keys of a list have in a database, each with the ply that stands beside
/// it. `None` if the keys are of something else.
fn each_key(list: &InListExpr, name: &str, mut tell: impl FnMut(i64, Option<i32>)) -> Option<()> {
    if list.negated() {
        return None;
    }
    let parts = match list.expr().downcast_ref::<ScalarFunctionExpr>() {
        Some(key) if key.name() == "struct" => key.args(),
        _ => std::slice::from_ref(list.expr()),
    };
    let place = |name: &str| {
        parts.iter().position(|part| {
            let column = part.downcast_ref::<Column>();
            column.is_some_and(|column| column.name() == name)
        })
    };
    let [db, game] = KEYS.map(place);
    let (game, ply) = (game?, place(PLY));
    for value in list.list() {
        let value = value.downcast_ref::<Literal>()?.value();
        let single;
        let values = match value {
            ScalarValue::Struct(value) => value.columns(),
            value => {
                single = [value.to_array().ok()?];
                &single
            }
        };
        let number = values.get(game)?.as_primitive_opt::<Int64Type>()?;
        let names = match db {
            Some(db) => Some(values.get(db)?.as_string_view_opt()?),
            None => None,
        };
        let ply = match ply {
            Some(ply) => {
                let ply = values.get(ply)?.as_primitive_opt::<Int32Type>()?;
                // Nothing is equal to null.
                if ply.is_null(0) {
                    continue;
                }
                Some(ply.value(0))
            }
            None => None,
        };
        let is_here = names.is_none_or(|names| names.is_valid(0) && names.value(0) == name);
        if is_here && number.is_valid(0) {
            tell(number.value(0), ply);
        }
    }
    Some(())
}

/// Returns the games of a database that a condition lists, each with the ply that stands beside it.
/// `None` if it may hold for others. Takes time for each key and not for each game.
fn collected(condition: &Arc<dyn PhysicalExpr>, base: &Base) -> Option<Vec<(GameId, Option<u32>)>> {
    let mut found = Vec::new();
    collect(condition, base.name(), &mut found)?;
    let first = i64::from(base.games_before()) + 1;
    let keys = found.into_iter().filter_map(|(game, ply)| {
        let game = u32::try_from(game.checked_sub(first)?).ok()?;
        // No move has a ply below 0.
        let ply = ply.map(u32::try_from).transpose().ok()?;
        Some((GameId(game), ply))
    });
    Some(keys.collect())
}

/// Adds the keys for which a condition can hold. `None` if it may hold for others.
fn collect(
    condition: &Arc<dyn PhysicalExpr>,
    name: &str,
    found: &mut Vec<(i64, Option<i32>)>,
) -> Option<()> {
    if let Some(list) = condition.downcast_ref::<InListExpr>() {
        return each_key(list, name, |game, ply| found.push((game, ply)));
    }
    if let Some(pair) = condition.downcast_ref::<BinaryExpr>() {
        let before = found.len();
        return match pair.op() {
            Operator::And => collect(pair.right(), name, found).or_else(|| {
                found.truncate(before);
                collect(pair.left(), name, found)
            }),
            Operator::Or => {
                collect(pair.left(), name, found)?;
                collect(pair.right(), name, found)
            }
            _ => None,
        };
    }
    if let Some(literal) = condition.downcast_ref::<Literal>() {
        let is_false = *literal.value() == ScalarValue::Boolean(Some(false));
        return is_false.then_some(());
    }
    // A branch for each part of the other side, chosen by a hash of the whole key.
    let case = condition.downcast_ref::<CaseExpr>()?;
    let branches = case.when_then_expr().iter().map(|(_, then)| then);
    branches
        .chain(case.else_expr())
        .try_for_each(|branch| collect(branch, name, found))
}
