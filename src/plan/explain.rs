//! Explains the cost of a search: which games each clause leaves over.

use tabiya_formats::{Ask, error::Result, publish::check_interrupt};

use super::{Plan, Strategy};
use crate::{
    database::{Database, Needs, with_view},
    filter::headers,
    query::Query,
};

/// What the index proves about one clause of a query, alone.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct ExplainRow {
    /// The clause, including a `not` before it.
    pub clause: String,
    /// What answers it: fields of the index, names, decoding.
    pub served_by: String,
    /// Games that the index does not exclude.
    pub possible: u64,
    /// Games that satisfy the clause according to the index alone.
    pub certain: u64,
}

/// Returns a row for every clause, in the order of the query. One pass over the index for each.
pub(crate) fn rows(
    query: &Query,
    database: &Database,
    (strategy, variations): (Strategy, bool),
    ask: Ask<'_>,
) -> Result<Vec<ExplainRow>> {
    let mut clauses = Vec::new();
    collect(query, &mut clauses);
    let row = |clause: &Query| {
        check_interrupt(ask)?;
        let plan = Plan::new(clause, database, strategy, variations, ask)?;
        let opened = database.view(Needs::of(query), &mut |_| ask())?;
        let bounds = with_view!(opened, view => plan.bounds(view, (None, false), ask))?;
        let columns = plan.sidecar.as_ref().and_then(|sidecar| sidecar.columns(0));
        let in_columns = columns.is_some_and(|columns| headers::serve(&plan.node, columns));
        let served_by = plan.clauses.iter().map(|part| {
            if in_columns {
                "columns"
            } else {
                part.served_by
            }
        });
        let mut all: Vec<&str> = Vec::new();
        for by in served_by {
            if !all.contains(&by) {
                all.push(by);
            }
        }
        Ok(ExplainRow {
            clause: text(clause, &plan),
            served_by: all.join(", "),
            possible: bounds.possible.len(),
            certain: bounds.certain.len(),
        })
    };
    clauses.into_iter().map(row).collect()
}

/// Returns the text of the clause in the plan, including a `not` before it.
fn text(clause: &Query, plan: &Plan) -> String {
    match (clause, plan.clauses.first()) {
        (Query::Not(_), Some(part)) => format!("not {}", part.text),
        (_, Some(part)) => part.text.clone(),
        (_, None) => clause.to_string(),
    }
}

/// Collects the operands of `and` and `or`. A `not` stays with the clause it negates.
fn collect<'q>(query: &'q Query, clauses: &mut Vec<&'q Query>) {
    match query {
        Query::All => {}
        Query::And(queries) | Query::Or(queries) => {
            queries.iter().for_each(|query| collect(query, clauses));
        }
        Query::Not(inner) if matches!(**inner, Query::And(_) | Query::Or(_) | Query::Not(_)) => {
            collect(inner, clauses);
        }
        clause => clauses.push(clause),
    }
}
