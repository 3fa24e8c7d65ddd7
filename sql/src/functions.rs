//! Tables that are named by a call: `games('a.si4', query => 'eco:B90')`.

use std::{fmt::Display, ops::RangeInclusive, str::FromStr, sync::Arc};

use datafusion::{
    catalog::TableProvider,
    common::DFSchema,
    datasource::provider_as_source,
    error::{DataFusionError, Result},
    logical_expr::{
        Expr, LogicalPlanBuilder,
        planner::{PlannedRelation, RelationPlanner, RelationPlannerContext, RelationPlanning},
    },
    scalar::ScalarValue,
    sql::sqlparser::ast::{FunctionArg, FunctionArgExpr, FunctionArgOperator, TableFactor},
};
use tabiya::{Query, limits::LINE_DEPTH_MAX};

use crate::{
    answers::{LinesQuestion, Question},
    bases::Bases,
    provider::{AnswerTable, ChessTable},
    source::{Origin, Source},
    tables::Table,
};

/// The functions, as DataFusion plans them.
#[derive(Debug)]
pub(crate) struct Functions {
    pub(crate) bases: Arc<Bases>,
}

/// What a name in front of brackets means.
enum Function {
    Rows(Table),
    Tree,
    Lines,
    Positions,
}

impl Function {
    fn named(name: &str) -> Option<Function> {
        match name {
            "tabiya" => Some(Function::Rows(Table::Games)),
            "tree" => Some(Function::Tree),
            "lines" => Some(Function::Lines),
            "positions" => Some(Function::Positions),
            _ => {
                let table = Table::ALL.into_iter().find(|table| table.name() == name);
                table.map(Function::Rows)
            }
        }
    }
}

/// The arguments of a call.
#[derive(Debug, Default)]
struct Arguments {
    texts: Vec<String>,
    named: Vec<(String, String)>,
}

impl Arguments {
    /// Takes a named argument.
    fn take(&mut self, name: &str) -> Option<String> {
        let place = self.named.iter().position(|(given, _)| given == name)?;
        Some(self.named.swap_remove(place).1)
    }

    fn query(&mut self) -> Result<Query> {
        let text = self.take("query").unwrap_or_default();
        text.parse()
            .map_err(|fault| plan_error(format!("query => '{text}': {fault}")))
    }

    /// Takes the position of a tree: a FEN, or moves.
    fn position(&mut self, function: &str) -> Result<(Option<String>, String)> {
        let (fen, moves) = (self.take("fen"), self.take("moves"));
        if fen.is_some() && moves.is_some() {
            return Err(plan_error(format!("{function}: either fen or moves")));
        }
        Ok((fen, moves.unwrap_or_default()))
    }

    /// Takes a number.
    fn number<N: FromStr + PartialOrd + Display>(
        &mut self,
        function: &str,
        name: &str,
        range: RangeInclusive<N>,
    ) -> Result<Option<N>> {
        let Some(text) = self.take(name) else {
            return Ok(None);
        };
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.map(Some).ok_or_else(|| {
            let (least, most) = (range.start(), range.end());
            plan_error(format!(
                "{function}: {name} => {text}: a number from {least} to {most} is needed"
            ))
        })
    }

    /// Checks that all named arguments were taken.
    fn finish(self, function: &str) -> Result<Vec<String>> {
        match self.named.first() {
            Some((name, _)) => Err(plan_error(format!(
                "{function}: no argument is named {name}"
            ))),
            None => Ok(self.texts),
        }
    }
}

fn plan_error(message: String) -> DataFusionError {
    DataFusionError::Plan(message)
}

impl Functions {
    /// `games('a.si4', 'b.*', query => ...)`, and so for the other tables.
    fn rows(
        &self,
        table: Table,
        function: &str,
        mut arguments: Arguments,
    ) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let bases = self.bases.named(&arguments.finish(function)?)?;
        let table = ChessTable::new(table, bases)
            .query(query)
            .pushdown(self.bases.pushdown);
        Ok(Arc::new(table))
    }

    /// `tree('a.si4', moves => 'e4 e5', query => ...)` or with `fen`: one row a next move.
    fn tree(&self, mut arguments: Arguments) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let (fen, moves) = arguments.position("tree")?;
        let paths = arguments.finish("tree")?;
        self.answer(Question::Tree { fen, moves }, &paths, &query)
    }

    /// `lines('a.si4', moves => 'e4 e5', depth => 12, min_games => 50, min_share => 5)`, also with
    /// `fen` and `query`: one row a move of the lines.
    fn lines(&self, mut arguments: Arguments) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let (fen, moves) = arguments.position("lines")?;
        let question = LinesQuestion {
            fen,
            moves,
            depth: arguments.number("lines", "depth", 1..=LINE_DEPTH_MAX)?,
            min_games: arguments.number("lines", "min_games", 1..=u64::MAX)?,
            min_share: arguments.number("lines", "min_share", 0.0..=100.0)?,
        };
        let paths = arguments.finish("lines")?;
        self.answer(Question::Lines(question), &paths, &query)
    }

    /// `positions('FEN', ..., db => 'a.si4')`: one row a position.
    fn positions(&self, mut arguments: Arguments) -> Result<Arc<dyn TableProvider>> {
        let query = arguments.query()?;
        let paths: Vec<String> = arguments.take("db").into_iter().collect();
        let fens = arguments.finish("positions")?;
        self.answer(Question::Positions { fens }, &paths, &query)
    }

    fn answer(
        &self,
        question: Question,
        paths: &[String],
        query: &Query,
    ) -> Result<Arc<dyn TableProvider>> {
        question.check()?;
        let bases = self.bases.named(paths)?;
        let sources = bases.into_iter().map(|base| Source {
            origin: Origin::Open(base),
            query: query.clone(),
        });
        let sources = sources.collect();
        Ok(Arc::new(AnswerTable { question, sources }))
    }
}

impl RelationPlanner for Functions {
    fn plan_relation(
        &self,
        relation: TableFactor,
        context: &mut dyn RelationPlannerContext,
    ) -> Result<RelationPlanning> {
        let (name, given, alias) = match &relation {
            TableFactor::Table {
                name,
                args: Some(args),
                alias,
                ..
            } => (name, &args.args, alias),
            TableFactor::Function {
                name, args, alias, ..
            } => (name, args, alias),
            _ => return Ok(RelationPlanning::Original(Box::new(relation))),
        };
        let function = name.to_string().to_lowercase();
        let Some(kind) = Function::named(&function) else {
            return Ok(RelationPlanning::Original(Box::new(relation)));
        };
        let arguments = read(&function, given, context)?;
        let table = match kind {
            Function::Rows(table) => self.rows(table, &function, arguments)?,
            Function::Tree => self.tree(arguments)?,
            Function::Lines => self.lines(arguments)?,
            Function::Positions => self.positions(arguments)?,
        };
        let scan = LogicalPlanBuilder::scan(function, provider_as_source(table), None)?;
        let planned = PlannedRelation::new(scan.build()?, alias.clone());
        Ok(RelationPlanning::Planned(Box::new(planned)))
    }
}

/// Reads arguments: texts, and named ones that may be numbers.
fn read(
    function: &str,
    given: &[FunctionArg],
    context: &mut dyn RelationPlannerContext,
) -> Result<Arguments> {
    let mut arguments = Arguments::default();
    for given in given {
        let (name, value) = match given {
            FunctionArg::Unnamed(value) => (None, value),
            FunctionArg::Named {
                name,
                arg,
                operator: FunctionArgOperator::RightArrow,
            } => (Some(context.normalize_ident(name.clone())), arg),
            _ => return Err(plan_error(format!("{function}: write name => 'value'"))),
        };
        let FunctionArgExpr::Expr(value) = value else {
            return Err(plan_error(format!(
                "{function}: the argument {value} is no text"
            )));
        };
        let value = match context.sql_to_expr(value.clone(), &DFSchema::empty())? {
            Expr::Literal(ScalarValue::Utf8(Some(text)) | ScalarValue::Utf8View(Some(text)), _) => {
                text
            }
            Expr::Literal(ScalarValue::Int64(Some(number)), _) if name.is_some() => {
                number.to_string()
            }
            Expr::Literal(ScalarValue::Float64(Some(number)), _) if name.is_some() => {
                number.to_string()
            }
            other => {
                return Err(plan_error(format!(
                    "{function}: the argument {other} is no text"
                )));
            }
        };
        match name {
            Some(name) => arguments.named.push((name, value)),
            None => arguments.texts.push(value),
        }
    }
    Ok(arguments)
}
