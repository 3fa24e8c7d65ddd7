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

/// Puts the first matches into their places, at least so many. They come in the order of their
/// numbers. Returns how many are in their places.
pub(super) fn sort(
    hits: &mut [Hit],
    order: &Order,
    first: usize,
    held: &[DatabaseRef],
) -> Result<usize, Fault> {
    let values = match (order.field, order.field.name_kind()) {
        (NUMBER, _) if order.descending => {
            hits.reverse();
            return Ok(hits.len());
        }
        (NUMBER, _) => return Ok(hits.len()),
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
    let first = first.min(places.len());
    // To sort all for a page of twenty would take most of its time.
    if first < places.len() {
        places.select_nth_unstable(first);
    }
    places[..first].par_sort_unstable();
    let sorted: Vec<Hit> = places.iter().map(|&(_, place)| hits[place]).collect();
    hits.copy_from_slice(&sorted);
    Ok(first)
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::Parser;
    use tabiya::chess::GameId;

    use super::*;
    use crate::{options::Options, state::Explorer};

    #[test]
    fn the_first_matches_are_those_of_all_that_are_sorted() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let path = root.join("../fixtures/famous.si4");
        let options = Options::parse_from(["tabiya-explorer".as_ref(), path.as_os_str()]);
        let explorer = Explorer::open(&options).expect("a database");
        let held = explorer.held(&[]).expect("databases");
        let hit = |game| Hit {
            database: held[0].index,
            game: GameId(game),
        };
        let games: Vec<Hit> = (0..held[0].len()).map(hit).collect();
        let numbers = |hits: &[Hit]| hits.iter().map(|hit| hit.game).collect::<Vec<_>>();
        for order in ["avgelo:desc", "date", "white", "result:desc", ":desc", ""] {
            let order = Order::read(order).expect("an order");
            let mut all = games.clone();
            assert_eq!(sort(&mut all, &order, usize::MAX, &held), Ok(games.len()));
            for first in [0, 1, 7, games.len() - 1, games.len(), games.len() + 1] {
                let mut some = games.clone();
                let sorted = sort(&mut some, &order, first, &held).expect("an order");
                assert!(sorted >= first.min(games.len()), "{order:?} {first}");
                assert_eq!(numbers(&some[..sorted]), numbers(&all[..sorted]));
                let mut left = numbers(&some);
                left.sort_unstable();
                assert_eq!(left, numbers(&games), "{order:?} {first}");
            }
        }
    }
}
