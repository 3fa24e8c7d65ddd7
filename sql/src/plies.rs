//! The plies of moves that conditions of SQL can hold for.
//!
//! As everywhere in pushdown, each condition is translated twice: into the plies for which it can
//! be true, and into those for which it can be false. Plies may be among them for which it is
//! neither, and no other may be left out: the condition is evaluated again on the rows.

use std::fmt;

use datafusion::{
    logical_expr::{BinaryExpr, Expr, Operator},
    scalar::ScalarValue,
};
use serde::{Deserialize, Serialize};
use tabiya::GameId;

use crate::values::whole;

/// Plies of each game, counted from 1: a range, and perhaps the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plies {
    first: u32,
    /// Below `first` if the range is empty.
    end: u32,
    last: bool,
}

impl Plies {
    pub(crate) const ALL: Plies = Plies::within(1, u32::MAX);
    pub(crate) const NONE: Plies = Plies::within(1, 0);
    const LAST: Plies = Plies {
        last: true,
        ..Plies::NONE
    };

    /// Returns the plies from one to another.
    pub(crate) const fn within(first: u32, end: u32) -> Plies {
        Plies {
            first,
            end,
            last: false,
        }
    }

    /// Returns the plies for which all conditions can be true.
    pub(crate) fn of(conditions: &[Expr]) -> Plies {
        let asked = conditions.iter().map(|condition| asked(condition, true));
        asked.fold(Plies::ALL, Plies::and)
    }

    /// Returns at least the plies that both have.
    pub(crate) fn and(self, other: Plies) -> Plies {
        Plies {
            first: self.first.max(other.first),
            end: self.end.min(other.end),
            last: self.last || other.last,
        }
        .plain()
    }

    /// Returns at least the plies that any has.
    pub(crate) fn or(self, other: Plies) -> Plies {
        let last = self.last || other.last;
        let (first, end) = match (self.has_range(), other.has_range()) {
            (true, true) => (self.first.min(other.first), self.end.max(other.end)),
            (true, false) => (self.first, self.end),
            _ => (other.first, other.end),
        };
        Plies { first, end, last }.plain()
    }

    /// Returns the same plies, written in one way.
    fn plain(self) -> Plies {
        match self {
            plies if !plies.has_range() => Plies {
                last: plies.last,
                ..Plies::NONE
            },
            // The last is among them.
            Plies {
                first: 1,
                end: u32::MAX,
                ..
            } => Plies::ALL,
            plies => plies,
        }
    }

    fn has_range(self) -> bool {
        self.first <= self.end
    }

    /// Returns whether no ply is wanted.
    pub(crate) fn is_empty(self) -> bool {
        !self.has_range() && !self.last
    }

    /// Returns about how many of the plies of a game these are.
    pub(crate) fn of_game(self, plies: usize) -> usize {
        let range = if self.has_range() {
            (self.end - self.first) as usize + 1
        } else {
            0
        };
        range.saturating_add(self.last.into()).min(plies)
    }

    /// Makes it the part of a main line that is read.
    pub(crate) fn set(self, excerpt: &mut tabiya::Excerpt) {
        excerpt.plies = self.first..=self.end;
        excerpt.last = self.last;
    }
}

impl fmt::Display for Plies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let end = (self.end < u32::MAX).then_some(self.end);
        match (self.has_range(), self.last) {
            (false, false) => return f.write_str("none"),
            (false, true) => return f.write_str("last"),
            _ => write!(f, "{}..", self.first)?,
        }
        if let Some(end) = end {
            write!(f, "{end}")?;
        }
        f.write_str(if self.last { ",last" } else { "" })
    }
}

/// The plies of some games, for each from the least to the greatest that is wanted.
#[derive(Debug, Default)]
pub(crate) struct GamePlies(Vec<(GameId, Plies)>);

impl GamePlies {
    /// Returns the plies of a game: none if it is not among these.
    pub(crate) fn of(&self, game: GameId) -> Plies {
        let place = self.0.binary_search_by_key(&game, |(game, _)| *game);
        place.map_or(Plies::NONE, |place| self.0[place].1)
    }
}

impl FromIterator<(GameId, u32)> for GamePlies {
    fn from_iter<I: IntoIterator<Item = (GameId, u32)>>(plies: I) -> GamePlies {
        let plies = plies.into_iter();
        let mut games: Vec<_> = plies
            .map(|(game, ply)| (game, Plies::within(ply, ply)))
            .collect();
        games.sort_unstable_by_key(|(game, _)| *game);
        games.dedup_by(|(game, plies), (kept, all)| {
            let is_same = game == kept;
            if is_same {
                *all = all.or(*plies);
            }
            is_same
        });
        GamePlies(games)
    }
}

/// Returns the plies for which a condition can be true, or false.
fn asked(condition: &Expr, when: bool) -> Plies {
    let column = |expr: &Expr| matches!(expr, Expr::Column(column) if column.name == "ply");
    match condition {
        Expr::Literal(ScalarValue::Boolean(value), _) if *value != Some(when) => Plies::NONE,
        Expr::Not(inner) => asked(inner, !when),
        Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
            Operator::And | Operator::Or => {
                let (one, other) = (asked(left, when), asked(right, when));
                if (*op == Operator::And) == when {
                    one.and(other)
                } else {
                    one.or(other)
                }
            }
            op if column(left) => compared(*op, right, when),
            op if column(right) => op.swap().map_or(Plies::ALL, |op| compared(op, left, when)),
            _ => Plies::ALL,
        },
        Expr::Between(between) if column(&between.expr) => {
            let when = when != between.negated;
            let low = compared(Operator::GtEq, &between.low, when);
            let high = compared(Operator::LtEq, &between.high, when);
            if when { low.and(high) } else { low.or(high) }
        }
        Expr::InList(list) if column(&list.expr) && when != list.negated => {
            let any = list.list.iter();
            let any = any.map(|value| compared(Operator::Eq, value, true));
            any.fold(Plies::NONE, Plies::or)
        }
        // A ply is never null.
        Expr::IsNull(inner) if column(inner) && when => Plies::NONE,
        Expr::IsNotNull(inner) if column(inner) && !when => Plies::NONE,
        _ => Plies::ALL,
    }
}

/// Returns the plies that compare so with a number or the last ply, or do not; with null, none.
fn compared(operator: Operator, other: &Expr, when: bool) -> Plies {
    let operator = if when {
        Some(operator)
    } else {
        operator.negate()
    };
    match (operator, other) {
        (Some(Operator::Eq | Operator::GtEq), Expr::Column(column)) if column.name == "last" => {
            Plies::LAST
        }
        (Some(Operator::Gt), Expr::Column(column)) if column.name == "last" => Plies::NONE,
        (Some(operator), Expr::Literal(value, _)) => {
            if value.is_null() {
                return Plies::NONE;
            }
            let Some(value) = whole(value) else {
                return Plies::ALL;
            };
            match operator {
                Operator::Eq => between(value, value),
                Operator::Lt => between(1, value.saturating_sub(1)),
                Operator::LtEq => between(1, value),
                Operator::Gt => between(value.saturating_add(1), i64::MAX),
                Operator::GtEq => between(value, i64::MAX),
                _ => Plies::ALL,
            }
        }
        _ => Plies::ALL,
    }
}

fn between(low: i64, high: i64) -> Plies {
    let most = i64::from(u32::MAX);
    if low > most || high < 1 {
        return Plies::NONE;
    }
    let bound = |value: i64| u32::try_from(value.clamp(1, most)).unwrap_or(u32::MAX);
    Plies::within(bound(low), bound(high)).plain()
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::{col, lit};

    use super::*;

    fn text(condition: Expr) -> String {
        Plies::of(&[condition]).to_string()
    }

    #[test]
    fn comparisons_lists_and_ranges_limit_plies() {
        let ply = || col("ply");
        let last = || col("last");
        for (condition, plies) in [
            (ply().eq(lit(7)), "7..7"),
            (ply().lt_eq(lit(20)), "1..20"),
            (lit(20_i64).gt(ply()), "1..19"),
            (ply().between(lit(5), lit(9)), "5..9"),
            (ply().in_list(vec![lit(3), lit(8)], false), "3..8"),
            (ply().gt(lit(10)), "11.."),
            (ply().eq(last()), "last"),
            (last().lt_eq(ply()), "last"),
            (ply().gt(last()), "none"),
            (ply().lt(last()), "1.."),
            (ply().lt(lit(3)).or(ply().eq(last())), "1..2,last"),
            (ply().gt(lit(3)).and(ply().eq(last())), "last"),
            (ply().lt(lit(0)), "none"),
            (ply().eq(lit(5_000_000_000_i64)), "none"),
            (ply().not_eq(lit(5)), "1.."),
            (ply().lt(lit(2.5)), "1.."),
        ] {
            assert_eq!(text(condition.clone()), plies, "{condition}");
        }
    }

    #[test]
    fn plies_of_a_game_are_those_of_all_its_keys() {
        let keys = [(7, 30), (2, 5), (7, 12), (9, 1)];
        let keys = keys.map(|(game, ply)| (GameId(game), ply));
        let plies: GamePlies = keys.into_iter().collect();
        let told = [2, 7, 8, 9].map(|game| plies.of(GameId(game)).to_string());
        assert_eq!(told, ["5..5", "12..30", "none", "1..1"]);
    }

    #[test]
    fn not_or_and_null_leave_no_right_ply_out() {
        let ply = || col("ply");
        let null = || lit(ScalarValue::Int32(None));
        let other = || col("san").eq(lit("e4"));
        for (condition, plies) in [
            (!ply().gt(lit(20)), "1..20"),
            (!ply().not_eq(col("last")), "last"),
            (!ply().between(lit(5), lit(9)), "1.."),
            (!(ply().gt(lit(20)).or(ply().lt(lit(3)))), "3..20"),
            (!(ply().gt(lit(20)).and(ply().gt(lit(30)))), "1..30"),
            (ply().eq(null()), "none"),
            (!ply().eq(null()), "none"),
            (ply().eq(null()).or(ply().eq(lit(4))), "4..4"),
            (ply().in_list(vec![lit(3), null()], false), "3..3"),
            (ply().in_list(vec![lit(3), null()], true), "1.."),
            (ply().is_null(), "none"),
            (!ply().is_not_null(), "none"),
            (ply().is_not_null(), "1.."),
            (other().or(ply().eq(lit(4))), "1.."),
            (other().and(ply().eq(lit(4))), "4..4"),
            (!(other().or(ply().gt(lit(4)))), "1..4"),
            (!(other().and(ply().gt(lit(4)))), "1.."),
        ] {
            assert_eq!(text(condition.clone()), plies, "{condition}");
        }
    }
}
