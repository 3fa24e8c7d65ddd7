//! Which men a condition is about: a set, and where they stand.

use std::fmt;

use super::{
    Fault, ManSet, Place, Relation, Standing,
    board::man_set,
    fault::excerpt,
    part::Part,
    value::{number, place},
};

/// Men of a set, anywhere or in one place: `N`, `Nd5`, `[QR]@7`, `a@e`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Designator {
    /// The men; [`ManSet::ANY`] for `?d5`, the square whatever stands there.
    pub men: ManSet,
    /// Where they stand; `None` for anywhere.
    pub place: Option<Place>,
}

impl fmt::Display for Designator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.men.fmt(f)?;
        self.place.map_or(Ok(()), |place| place.fmt(f))
    }
}

impl fmt::Display for Relation<Designator> {
    /// Prints the value of the clause, without quotes.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Relation::Attacks { by, on, times: 1 } => write!(f, "{by}>{on}"),
            Relation::Attacks { by, on, times } => write!(f, "{by}>{on}*{times}"),
            Relation::Ray([first, second, third]) => write!(f, "{first}>{second}>{third}"),
            Relation::Discovered([by, on]) => write!(f, "{by}>{on}"),
            Relation::Standing(_, men) => men.fmt(f),
        }
    }
}

/// Parses a designator. `?` and a square stand for the square itself.
fn designator(part: &Part<'_>) -> Result<Designator, Fault> {
    let part = part.trim();
    let end = match part.text.find(']') {
        Some(end) if part.text.starts_with('[') => end + 1,
        _ => part.text.chars().next().map_or(0, char::len_utf8),
    };
    let (set, rest) = (part.slice(0..end), part.slice(end..part.text.len()));
    if set.text.is_empty() {
        return Err(part.fault("expected men such as `N`, `Nd5`, `[QR]@7` or `a@e`, found nothing"));
    }
    let men = man_set(&set)?;
    if men.contains_empty() && men != ManSet::ANY {
        return Err(set.fault("an empty square is no man"));
    }
    let place = match rest.text {
        "" => None,
        _ => Some(place(&rest).ok_or_else(|| {
            let message = "expected a square, file or rank after the men, as `Nd5`, `P@e` or \
                           `k@8`, found ";
            rest.fault(format!("{message}{}", excerpt(rest.text)))
        })?),
    };
    Ok(Designator { men, place })
}

/// Parses men that are on the board.
fn men(part: &Part<'_>) -> Result<Designator, Fault> {
    let men = designator(part)?;
    if men.men == ManSet::ANY {
        let message = "`?` stands for a square, which only the second part of `attacks` takes";
        return Err(part.fault(message));
    }
    Ok(men)
}

/// Parses the value of `attacks`: `N>q`, `P>?d5`, `R>r*2`.
pub(super) fn attacks(part: &Part<'_>) -> Result<Relation<Designator>, Fault> {
    let Some((by, on)) = part.split_once(">") else {
        let message = "expected what attacks and what it attacks, as in `attacks:\"N>q\"`";
        return Err(part.fault(message));
    };
    let (on, times) = match on.split_once("*") {
        None => (on, 1),
        Some((on, times)) => {
            let times = times.trim();
            let count = number(&times, 1)?;
            let count = u8::try_from(count)
                .ok()
                .filter(|&count| count <= 32)
                .ok_or_else(|| times.fault("there are 32 men at most"))?;
            (on, count)
        }
    };
    let by = men(&by)?;
    let target = designator(&on)?;
    if target.men == ManSet::ANY && !matches!(target.place, Some(Place::Square(_))) {
        return Err(on.fault("`?` needs its square, as in `?d5`"));
    }
    Ok(Relation::Attacks {
        by,
        on: target,
        times,
    })
}

/// Parses the value of `ray`: `B>n>q`.
pub(super) fn ray(part: &Part<'_>) -> Result<Relation<Designator>, Fault> {
    let parts: Vec<Part<'_>> = part.split('>').collect();
    let [first, second, third] = parts.as_slice() else {
        let message = "expected three sets of men in a row, as in `ray:\"B>n>q\"`";
        return Err(part.fault(message));
    };
    Ok(Relation::Ray([men(first)?, men(second)?, men(third)?]))
}

/// Parses the value of `discovered`: `B>q`.
pub(super) fn discovered(part: &Part<'_>) -> Result<Relation<Designator>, Fault> {
    match part.split_once(">") {
        Some((by, on)) => Ok(Relation::Discovered([men(&by)?, men(&on)?])),
        None => {
            let message = "expected what attacks and what it attacks, as in `discovered:\"B>q\"`";
            Err(part.fault(message))
        }
    }
}

/// Parses the men of a word about how one man stands.
pub(super) fn standing(standing: Standing, part: &Part<'_>) -> Result<Relation<Designator>, Fault> {
    const PAWNS: u16 = 1 << 5 | 1 << 11;
    let men = men(part)?;
    if standing.is_of_pawns() && men.men.0 & !PAWNS != 0 {
        return Err(part.fault("only pawns are such: expected `P`, `p` or `[Pp]` and a place"));
    }
    Ok(Relation::Standing(standing, men))
}
