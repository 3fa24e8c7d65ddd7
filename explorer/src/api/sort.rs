//! The order of matches.

use std::collections::HashMap;

use rayon::prelude::*;
use tabiya::{
    chess::{NameId, NameKind},
    query::{NumberField, SortField},
};

use crate::{errors::Fault, registry::DatabaseRef, state::Hit};

/// The databases' order, and the games' in them.
const NUMBER: SortField = SortField::Number(NumberField::Number);

/// A field and its direction. Games that are equal stay in the order of their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Order {
    field: SortField,
    descending: bool,
}

impl Order {
    /// Reads `date` or `date:desc`; nothing is by number.
    pub(super) fn read(text: &str) -> Result<Order, Fault> {
        let (name, direction) = text.split_once(':').unwrap_or((text, "asc"));
        let field = match SortField::find(name) {
            Some(field) => field,
            None if name.is_empty() => NUMBER,
            None => {
                let names: Vec<&str> = SortField::all().map(SortField::name).collect();
                let message = format!("`{name}` is none of {}", names.join(", "));
                return Err(Fault::parameter("sort", message));
            }
        };
        let descending = match direction {
            "asc" => false,
            "desc" => true,
            _ => return Err(Fault::parameter("sort", "neither `asc` nor `desc`")),
        };
        Ok(Order { field, descending })
    }
}

/// Sorts matches, which come in the order of their numbers.
pub(super) fn sort(hits: &mut [Hit], order: &Order, held: &[DatabaseRef]) -> Result<(), Fault> {
    let values = match (order.field, order.field.name_kind()) {
        (NUMBER, _) if order.descending => {
            hits.reverse();
            return Ok(());
        }
        (NUMBER, _) => return Ok(()),
        (field, Some(kind)) => ranks(hits, field, kind, held)?,
        (field, None) => each(hits, held, |held, hit| {
            Ok(SortField::rank(held.sort_number(field, hit.game)?))
        })?,
    };
    let directed = |value: u32| if order.descending { !value } else { value };
    let places = values.into_par_iter().enumerate();
    let mut places: Vec<(u32, usize)> = places
        .map(|(place, value)| (directed(value), place))
        .collect();
    places.par_sort_unstable();
    let sorted: Vec<Hit> = places.iter().map(|&(_, place)| hits[place]).collect();
    hits.copy_from_slice(&sorted);
    Ok(())
}

/// Finds something out about each match.
fn each<T: Send>(
    hits: &[Hit],
    held: &[DatabaseRef],
    of: impl Fn(&DatabaseRef, &Hit) -> Result<T, Fault> + Sync,
) -> Result<Vec<T>, Fault> {
    let of_hit = |hit: &Hit| {
        let held = held.iter().find(|held| held.index == hit.database);
        of(held.ok_or(Fault::Internal)?, hit)
    };
    hits.par_iter().map(of_hit).collect()
}

/// Returns for each match the place of its name among all names; 0 for one without a name.
fn ranks(
    hits: &[Hit],
    field: SortField,
    kind: NameKind,
    held: &[DatabaseRef],
) -> Result<Vec<u32>, Fault> {
    let ids = each(hits, held, |held, hit| {
        let name = held.keys(hit.game)?.sort_name(field);
        Ok(name.map(|id| (held.index, id)))
    })?;
    let mut ranks: HashMap<(u16, NameId), u32> = ids.iter().flatten().map(|&id| (id, 0)).collect();
    let mut names = Vec::with_capacity(ranks.len());
    for &(database, id) in ranks.keys() {
        let held = held.iter().find(|held| held.index == database);
        let name = held.ok_or(Fault::Internal)?.name_of(kind, id)?;
        let text = field.sort_text(&name.unwrap_or_default());
        if !text.is_empty() {
            names.push((text, (database, id)));
        }
    }
    names.par_sort_unstable();
    let same = names.chunk_by(|(one, _), (other, _)| one == other);
    for (rank, same) in (1..).zip(same) {
        ranks.extend(same.iter().map(|&(_, id)| (id, rank)));
    }
    let rank = |id: &Option<_>| id.map_or(0, |id| ranks[&id]);
    Ok(ids.iter().map(rank).collect())
}
