//! What was probably meant by a query, to be shown with its answer.

use serde::Serialize;
use tabiya::{Hint, Query, Search};

use crate::{errors::Fault, limits::Ask, registry::DatabaseRef};

/// The greatest number of hints for a query, of each kind.
const HINTS_MAX: usize = 3;

/// A part of a query that probably means something else.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    /// Words of the query, in small letters, or one of its conditions.
    condition: String,
    /// What would ask for what was meant, as in a query.
    instead: Option<String>,
    /// Both as a sentence.
    text: String,
}

/// Returns hints for a query: for words that are looked for in names and are words of the game,
/// and if it has `found` nothing, for its conditions that no name in these databases satisfies.
///
/// # Errors
/// Those of a search.
pub(super) fn hints(
    query: &Query,
    found: bool,
    held: &[DatabaseRef],
    ask: &Ask,
) -> Result<Vec<Told>, Fault> {
    let advice = query.advice().into_iter().take(HINTS_MAX);
    let advice = advice.map(|advice| Told {
        text: advice.to_string(),
        condition: advice.words,
        instead: Some(advice.instead),
    });
    let mut told: Vec<Told> = advice.collect();
    if found {
        return Ok(told);
    }
    let mut all = Vec::new();
    for held in held {
        let search = Search::new(query);
        all.push(search.on_progress(|_| ask.flow()).hints(held)?);
        ask.check()?;
    }
    let hints = Hint::of_all(all).into_iter().take(HINTS_MAX);
    told.extend(hints.map(|hint| Told {
        text: hint.to_string(),
        condition: hint.clause,
        instead: hint.instead,
    }));
    Ok(told)
}
