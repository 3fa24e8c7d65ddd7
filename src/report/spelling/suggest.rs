//! Which names are probably spellings of another one, with what speaks for it.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use rayon::prelude::*;
use tabiya_chess::NameKind;
use tabiya_formats::{Header, NameSlot, View, error::Result};

use super::{
    candidates::{self, Pair},
    file::Spellings,
    likeness::Likeness,
};
use crate::{
    database::{Database, with_view},
    report::{names::NameRow, person},
};

/// A name that is probably a spelling of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct NameSuggestion {
    /// The name with its figures.
    pub from: NameRow,
    /// What it should be.
    pub to: String,
    /// The figures of that name; `None` if no game has it.
    pub known: Option<NameRow>,
    /// In what the names are alike.
    pub likeness: Likeness,
    /// How likely it is that they are one, from 1 to 100: an order, no probability.
    pub points: u8,
}

/// Fewest points of a suggestion.
const POINTS_MIN: i32 = 40;
/// Longest time from the first to the last game of one person.
const CAREER_YEARS_MAX: u16 = 75;
/// Greatest difference of the peak ratings of two spellings of one person, unless all letters are
/// the same.
const PEAKS_APART_MAX: u16 = 500;

impl Database {
    /// Returns the names of a kind that are probably spellings of another one, the most likely
    /// first. A name that is to change is nobody's right name, so that the order of changes does
    /// not matter.
    ///
    /// Names are alike in letters without accents, in the order of surname and first name, in
    /// initials, in first names of another transliteration, or in all letters but one. Years and
    /// ratings of the games of players speak for it or against it; two that played each other are
    /// never one, nor are Jr and Sr. Of initials that fit several people the likeliest is told,
    /// with fewer points. The right name is the one with more first names, otherwise the one with
    /// more games, and of as many games the first by the alphabet.
    ///
    /// One pass over the index for the figures and one for the games between pairs; memory is
    /// O(names), some 400 bytes each. Work runs in the caller's current rayon pool.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn suggest_names(&self, kind: NameKind) -> Result<Vec<NameSuggestion>> {
        let rows = self.named_rows(kind)?;
        let names: Vec<&str> = rows.iter().map(|row| row.name.as_str()).collect();
        let mut pairs = match kind {
            NameKind::Player => candidates::of_people(&names),
            _ => candidates::of_others(&names),
        };
        if kind == NameKind::Player {
            let met = self.opponents(&rows, &pairs);
            pairs.retain(|&(one, other, _)| !met.contains(&(one, other)));
        }
        Ok(settled(&rows, weighed(&rows, pairs, kind)))
    }

    /// Returns the names of a kind that a list of right spellings corrects, those of most games
    /// first.
    ///
    /// # Errors
    /// Those of [`name_count`](Database::name_count).
    pub fn correct_names(&self, kind: NameKind, list: &Spellings) -> Result<Vec<NameSuggestion>> {
        let rows = self.named_rows(kind)?;
        let by_name: HashMap<&str, &NameRow> =
            rows.iter().map(|row| (row.name.as_str(), row)).collect();
        let corrected = rows.par_iter().filter_map(|row| {
            let to = list.right(kind, &row.name)?;
            Some(NameSuggestion {
                from: row.clone(),
                known: by_name.get(to.as_str()).map(|&known| known.clone()),
                to,
                likeness: Likeness::Listed,
                points: Likeness::Listed.points() as u8,
            })
        });
        Ok(corrected.collect())
    }

    /// Returns the names that are known and have games, those of most games first. Names that are
    /// stored twice are there twice.
    fn named_rows(&self, kind: NameKind) -> Result<Vec<NameRow>> {
        let mut rows = self.find_names(kind, "")?;
        rows.retain(|row| row.name != "?");
        Ok(rows)
    }

    /// Returns the pairs that played each other.
    fn opponents(&self, rows: &[NameRow], pairs: &[Pair]) -> HashSet<(u32, u32)> {
        let places: HashMap<u32, u32> = (0..).zip(rows).map(|(at, row)| (row.id.0, at)).collect();
        let paired: HashSet<(u32, u32)> = pairs.iter().map(|&(one, two, _)| (one, two)).collect();
        with_view!(self.tags(), view => {
            let met = view.records().par_iter().filter_map(|record| {
                let place = |slot| places.get(&record.name(slot).0).copied();
                let white = place(NameSlot::White)?;
                let black = place(NameSlot::Black)?;
                let pair = (white.min(black), white.max(black));
                paired.contains(&pair).then_some(pair)
            });
            met.collect()
        })
    }
}

/// A pair with its points; the first is to be the second.
struct Weighed {
    from: u32,
    to: u32,
    likeness: Likeness,
    points: i32,
}

/// Gives pairs their points, and leaves those that are likely, the most likely first.
fn weighed(rows: &[NameRow], pairs: Vec<Pair>, kind: NameKind) -> Vec<Weighed> {
    let mut weighed: Vec<Weighed> = pairs
        .into_par_iter()
        .filter_map(|pair| weigh(rows, pair, kind))
        .collect();
    // Initials that fit several people say less.
    let is_vague =
        |pair: &Weighed| matches!(pair.likeness, Likeness::Initials | Likeness::FirstNames);
    let mut fitting: HashMap<u32, HashSet<Vec<String>>> = HashMap::new();
    for pair in weighed.iter().filter(|pair| is_vague(pair)) {
        let people = fitting.entry(pair.from).or_default();
        people.insert(words(&rows[pair.to as usize]));
    }
    for pair in weighed.iter_mut().filter(|pair| is_vague(pair)) {
        pair.points -= 15 * (fitting[&pair.from].len().min(5) as i32 - 1);
    }
    weighed.retain(|pair| pair.points >= POINTS_MIN);
    weighed.par_sort_unstable_by_key(|pair| {
        let games = rows[pair.from as usize].games;
        (
            Reverse(pair.points),
            pair.likeness,
            Reverse(games),
            pair.from,
            pair.to,
        )
    });
    weighed
}

fn weigh(rows: &[NameRow], pair: Pair, kind: NameKind) -> Option<Weighed> {
    let (one, other, likeness) = pair;
    let (first, second) = (&rows[one as usize], &rows[other as usize]);
    if first.name == second.name {
        return None;
    }
    let mut points = likeness.points();
    // A world championship goes on for longer than people do.
    if kind == NameKind::Player {
        points += by_years(first, second)? + by_ratings(first, second, likeness)?;
    }
    let is_better = match likeness {
        Likeness::Order => first.name.contains(',') >= second.name.contains(','),
        Likeness::Initials | Likeness::FirstNames => letters(first) >= letters(second),
        // Rows come by games, so the first has more.
        _ => true,
    };
    let (from, to) = if is_better {
        (other, one)
    } else {
        (one, other)
    };
    Some(Weighed {
        from,
        to,
        likeness,
        points: points.clamp(1, 99),
    })
}

/// Returns the words of a name in alphabetical order, the same in whatever order they stand.
fn words(row: &NameRow) -> Vec<String> {
    let readings = person::readings(row.name.as_bytes());
    let first = readings.into_iter().next();
    let mut words: Vec<String> = first.map_or_else(Vec::new, |reading| {
        let given = reading.given.split(' ').map(str::to_owned);
        given.chain([reading.surname]).collect()
    });
    words.sort_unstable();
    words
}

/// Returns how many letters surname and first names have.
fn letters(row: &NameRow) -> usize {
    let readings = person::readings(row.name.as_bytes());
    let first = readings.first();
    first.map_or(0, |reading| reading.surname.len() + reading.given.len())
}

/// Returns what the years of two names say; `None` if no person plays for so long.
fn by_years(one: &NameRow, other: &NameRow) -> Option<i32> {
    let (Some((begin, end)), Some((other_begin, other_end))) = (one.years, other.years) else {
        return Some(0);
    };
    if end.max(other_end) - begin.min(other_begin) > CAREER_YEARS_MAX {
        return None;
    }
    let apart = begin.max(other_begin).saturating_sub(end.min(other_end));
    Some(match apart {
        0..=2 => 5,
        3..=10 => 0,
        11..=20 => -10,
        _ => -20,
    })
}

/// Returns what the highest ratings of two names say; `None` if they are too far apart.
fn by_ratings(one: &NameRow, other: &NameRow, likeness: Likeness) -> Option<i32> {
    let (Some(peak), Some(other_peak)) = (one.peak, other.peak) else {
        return Some(0);
    };
    let apart = u16::from(peak).abs_diff(other_peak.into());
    Some(match apart {
        0..=60 => 15,
        61..=150 => 5,
        151..=300 => -5,
        _ if apart <= PEAKS_APART_MAX || likeness == Likeness::Letters => -25,
        _ => return None,
    })
}

/// Makes one suggestion for each name that is to change, with a right name that is not.
fn settled(rows: &[NameRow], weighed: Vec<Weighed>) -> Vec<NameSuggestion> {
    let mut changed: HashMap<u32, u32> = HashMap::new();
    let end = |changed: &HashMap<u32, u32>, mut place: u32| {
        while let Some(&next) = changed.get(&place) {
            place = next;
        }
        place
    };
    // Junior and Senior do not become one by way of the name without either.
    let generation = |place: u32| person::generation(&rows[place as usize].name);
    let mut generations: HashMap<u32, &str> = HashMap::new();
    let mut chosen = Vec::new();
    for pair in weighed {
        let to = end(&changed, pair.to);
        if changed.contains_key(&pair.from) || to == pair.from {
            continue;
        }
        let of = |place| generations.get(&place).copied().or(generation(place));
        match (of(pair.from), of(to)) {
            (Some(one), Some(other)) if one != other => continue,
            (one, other) => generations.extend(one.or(other).map(|one| (to, one))),
        }
        changed.insert(pair.from, pair.to);
        chosen.push(pair);
    }
    let suggestion = |pair: Weighed| {
        let to = &rows[end(&changed, pair.to) as usize];
        NameSuggestion {
            from: rows[pair.from as usize].clone(),
            to: to.name.clone(),
            known: Some(to.clone()),
            likeness: pair.likeness,
            points: pair.points as u8,
        }
    };
    chosen.into_iter().map(suggestion).collect()
}
