//! Conditions of SQL as a query of tabiya.
//!
//! SQL knows true, false and null. So each condition is translated twice: into the games for which
//! it is true, and into those for which it is false; null is in neither, and `NOT` swaps the two.
//! A translation is *exact*, or it only leaves out games that certainly do not count: then the
//! condition is evaluated again on the rows.

use std::borrow::Cow;

use datafusion::{
    logical_expr::{BinaryExpr, Expr, Like, Operator, expr::InList},
    scalar::ScalarValue,
};

use crate::{tables::Table, values::whole};

/// Longest list of values that becomes a query.
const LIST_MAX: usize = 1000;
/// Longest query that is made, in bytes. The shortest condition has seven: so there are fewer than
/// a query can have.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 15;

/// Games, as a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pushed {
    pub(crate) games: Games,
    /// Whether it is exactly the games for which the condition is true (or false).
    pub(crate) is_exact: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Games {
    All,
    None,
    /// Query text that can stand beside other text.
    Of(String),
    /// Query texts between which `or` stands: in one row, since nested brackets have a limit.
    Any(String),
}

impl Games {
    fn and(self, other: Games) -> Games {
        match (self, other) {
            (Games::None, _) | (_, Games::None) => Games::None,
            (Games::All, games) | (games, Games::All) => games,
            (one, other) => Games::Of(format!("{} {}", one.beside(), other.beside())),
        }
    }

    fn or(self, other: Games) -> Games {
        match (self, other) {
            (Games::All, _) | (_, Games::All) => Games::All,
            (Games::None, games) | (games, Games::None) => games,
            (one, other) => Games::Any(format!("{} or {}", one.text(), other.text())),
        }
    }

    /// Returns the query: the empty one for all games, and for none, which is never run.
    pub(crate) fn text(&self) -> &str {
        match self {
            Games::All | Games::None => "",
            Games::Of(text) | Games::Any(text) => text,
        }
    }

    /// Returns the query as it can stand beside another.
    fn beside(&self) -> Cow<'_, str> {
        match self {
            Games::Any(text) => Cow::Owned(format!("({text})")),
            games => Cow::Borrowed(games.text()),
        }
    }
}

fn exactly(games: Games) -> Option<Pushed> {
    Some(Pushed {
        games,
        is_exact: true,
    })
}

fn at_most(games: Games) -> Option<Pushed> {
    Some(Pushed {
        games,
        is_exact: false,
    })
}

fn clause(text: String) -> Option<Pushed> {
    exactly(Games::Of(text))
}

/// Translates conditions for the rows of one table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pushdown<'a> {
    pub(crate) table: Table,
    /// The database whose rows are meant. Without it, what is asked of `db` is one condition more,
    /// so that the query for any database is no longer.
    pub(crate) db: Option<&'a str>,
    /// Whether the table's own query has a place in the game, which is the column `match_ply`.
    pub(crate) has_place: bool,
}

impl Pushdown<'_> {
    /// Returns the games for which all conditions are true.
    pub(crate) fn games(self, filters: &[Expr]) -> Games {
        let asked = filters.iter().filter_map(|filter| self.asked(filter, true));
        asked.fold(Games::All, |all, asked| all.and(asked.games))
    }

    /// Returns the games for which a condition is true, or false, as a query within the limits of
    /// queries; `None` if nothing is known.
    pub(crate) fn asked(self, filter: &Expr, when: bool) -> Option<Pushed> {
        let asked = self.translated(filter, when)?;
        (asked.games.text().len() <= TEXT_BYTES_MAX).then_some(asked)
    }

    fn translated(self, filter: &Expr, when: bool) -> Option<Pushed> {
        match filter {
            Expr::Literal(ScalarValue::Boolean(value), _) => exactly(match value {
                Some(value) if *value == when => Games::All,
                _ => Games::None,
            }),
            Expr::Not(inner) => self.asked(inner, !when),
            Expr::BinaryExpr(BinaryExpr { left, op, right }) => match op {
                Operator::And | Operator::Or => {
                    let (one, other) = (self.asked(left, when), self.asked(right, when));
                    joined(one, other, (*op == Operator::And) == when)
                }
                op => match (&**left, &**right) {
                    (Expr::Column(column), Expr::Literal(value, _)) => {
                        self.compared(&column.name, *op, value, when)
                    }
                    (Expr::Literal(value, _), Expr::Column(column)) => {
                        self.compared(&column.name, op.swap()?, value, when)
                    }
                    _ => None,
                },
            },
            Expr::Between(between) => {
                let (Expr::Column(column), Expr::Literal(low, _), Expr::Literal(high, _)) =
                    (&*between.expr, &*between.low, &*between.high)
                else {
                    return None;
                };
                let when = when != between.negated;
                let low = self.compared(&column.name, Operator::GtEq, low, when);
                let high = self.compared(&column.name, Operator::LtEq, high, when);
                joined(low, high, when)
            }
            Expr::InList(InList {
                expr,
                list,
                negated,
            }) => {
                let Expr::Column(column) = &**expr else {
                    return None;
                };
                self.listed(&column.name, list, when != *negated)
            }
            Expr::IsNull(inner) | Expr::IsNotNull(inner) => {
                let Expr::Column(column) = &**inner else {
                    return None;
                };
                let asks_null = matches!(filter, Expr::IsNull(_));
                self.unknown(&column.name, asks_null == when)
            }
            Expr::Like(like) => self.like(like, when != like.negated),
            Expr::ScalarFunction(call) if call.name() == crate::matches::NAME => {
                let [
                    Expr::Column(db),
                    Expr::Column(game),
                    Expr::Literal(query, _),
                ] = call.args.as_slice()
                else {
                    return None;
                };
                let text = query.try_as_str()??;
                let is_ours = when && db.name == "db" && game.name == "game";
                // Anything that is not a query is left to the function, which tells why.
                let query: tabiya::Query = text.parse().ok()?;
                // Another place would change `match_ply`, and `repertoire.plies` is about all of a
                // query.
                let stands_alone = self.has_place && query.asks_for_positions()
                    || query.to_string().contains("repertoire");
                if is_ours && query != tabiya::Query::All && !stands_alone {
                    clause(format!("({text})"))
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    fn listed(self, column: &str, list: &[Expr], is_in: bool) -> Option<Pushed> {
        if list.len() > LIST_MAX {
            return None;
        }
        let operator = if is_in { Operator::Eq } else { Operator::NotEq };
        let mut all = exactly(if is_in { Games::None } else { Games::All });
        for value in list {
            let Expr::Literal(value, _) = value else {
                return None;
            };
            let one = self.compared(column, operator, value, true);
            all = joined(all, one, !is_in);
        }
        all
    }

    /// Returns the games whose column compares so with a value, or does not and is not null.
    fn compared(
        self,
        column: &str,
        operator: Operator,
        value: &ScalarValue,
        when: bool,
    ) -> Option<Pushed> {
        let operator = if when { operator } else { operator.negate()? };
        if value.is_null() {
            return exactly(Games::None);
        }
        match (column, self.table) {
            ("db", _) => {
                let value = value.try_as_str()??;
                let Some(db) = self.db else {
                    return clause("number:1..".to_owned());
                };
                let holds = match operator {
                    Operator::Eq => db == value,
                    Operator::NotEq => db != value,
                    Operator::Lt => db < value,
                    Operator::LtEq => db <= value,
                    Operator::Gt => db > value,
                    Operator::GtEq => db >= value,
                    _ => return None,
                };
                exactly(if holds { Games::All } else { Games::None })
            }
            ("game", _) => number("number", operator, value, 0),
            (_, table) if table != Table::Games => None,
            ("white" | "black" | "event" | "site" | "round", _) => {
                named(column, operator, value.try_as_str()??)
            }
            ("year", _) => number("year", operator, value, 1),
            ("white_elo", _) => number("whiteelo", operator, value, 1),
            ("black_elo", _) => number("blackelo", operator, value, 1),
            ("plies", _) => number("plies", operator, value, 0),
            ("date", _) => dated(operator, value),
            ("result", _) => resulted(operator, value.try_as_str()??),
            ("eco", _) => coded(operator, value.try_as_str()??),
            _ => None,
        }
    }

    /// Returns the games whose column is null, or is not.
    fn unknown(self, column: &str, is_null: bool) -> Option<Pushed> {
        if ["db", "game"].contains(&column) {
            return exactly(if is_null { Games::None } else { Games::All });
        }
        if self.table != Table::Games {
            return None;
        }
        let text = match column {
            "result" => return exactly(if is_null { Games::None } else { Games::All }),
            "white" | "black" | "event" | "site" | "round" => {
                format!("({column}=\"?\" or {column}=\"\")")
            }
            "year" => "year=0".to_owned(),
            "white_elo" => "whiteelo=0".to_owned(),
            "black_elo" => "blackelo=0".to_owned(),
            "eco" => "eco:none".to_owned(),
            _ => return None,
        };
        clause(if is_null { text } else { format!("not {text}") })
    }

    fn like(self, like: &Like, when: bool) -> Option<Pushed> {
        let (Expr::Column(column), Expr::Literal(pattern, _)) = (&*like.expr, &*like.pattern)
        else {
            return None;
        };
        let pattern = pattern.try_as_str()??;
        if self.table != Table::Games || like.escape_char.is_some() || pattern.contains('\\') {
            return None;
        }
        match column.name.as_str() {
            "eco" if !like.case_insensitive => {
                let prefix = pattern.strip_suffix('%')?;
                let clauses = if is_code(prefix) {
                    format!("eco:{prefix}")
                } else {
                    return None;
                };
                clause(if when {
                    clauses
                } else {
                    format!("not {clauses} not eco:none")
                })
            }
            // The query finds the longest piece anywhere. It folds case and accents, and not as SQL
            // does beyond ASCII, where `ilike` also takes U+017F for an `s`.
            name @ ("white" | "black" | "event" | "site" | "round") if when => {
                let is_other = |letter: char| match letter {
                    's' | 'S' => like.case_insensitive,
                    letter => matches!(letter, '%' | '_') || !letter.is_ascii(),
                };
                let longest = pattern.split(is_other).max_by_key(|piece| piece.len())?;
                if longest.trim().is_empty() {
                    return None;
                }
                at_most(Games::Of(format!("{name}:{}", quoted(longest)?)))
            }
            _ => None,
        }
    }
}

/// Joins two conditions, of which all must hold, or any.
fn joined(one: Option<Pushed>, other: Option<Pushed>, all: bool) -> Option<Pushed> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Pushed {
            is_exact: one.is_exact && other.is_exact,
            games: if all {
                one.games.and(other.games)
            } else {
                one.games.or(other.games)
            },
        }),
        // What is known of one still limits the games that can satisfy both.
        (Some(known), None) | (None, Some(known)) if all => at_most(known.games),
        _ => None,
    }
}

/// Returns how a comparison is written in a query.
fn sign(operator: Operator) -> Option<&'static str> {
    Some(match operator {
        Operator::Eq => "=",
        Operator::Lt => "<",
        Operator::LtEq => "<=",
        Operator::Gt => ">",
        Operator::GtEq => ">=",
        _ => return None,
    })
}

/// Compares with a whole number, which must be at least `least`: below, `0` would mean what is
/// unknown.
fn number(field: &str, operator: Operator, value: &ScalarValue, least: i64) -> Option<Pushed> {
    let value = whole(value)?;
    if value < least || value > i64::from(i32::MAX) {
        return None;
    }
    if operator == Operator::NotEq {
        return clause(format!("({field}<{value} or {field}>{value})"));
    }
    clause(format!("{field}{}{value}", sign(operator)?))
}

/// Returns a text as it is written in a query.
fn quoted(text: &str) -> Option<String> {
    let is_plain =
        !text.chars().any(char::is_control) && text.len() <= tabiya::limits::QUERY_TEXT_BYTES_MAX;
    is_plain.then(|| {
        let mut quoted = String::from("\"");
        for letter in text.chars() {
            // A star would stand for any letters.
            if matches!(letter, '\\' | '"' | '*') {
                quoted.push('\\');
            }
            quoted.push(letter);
        }
        quoted + "\""
    })
}

fn named(field: &str, operator: Operator, name: &str) -> Option<Pushed> {
    let is_known = crate::base::is_known(name);
    let text = quoted(name)?;
    match operator {
        Operator::Eq if is_known => clause(format!("{field}={text}")),
        Operator::Eq => exactly(Games::None),
        Operator::NotEq if is_known => clause(format!(
            "not {field}={text} not {field}=\"?\" not {field}=\"\""
        )),
        Operator::NotEq => clause(format!("not {field}=\"?\" not {field}=\"\"")),
        _ => None,
    }
}

/// Dates that lack a month or day are null in SQL and have a place in the order of queries.
fn dated(operator: Operator, value: &ScalarValue) -> Option<Pushed> {
    let ScalarValue::Date32(Some(days)) = value else {
        return None;
    };
    let date = datafusion::arrow::array::types::Date32Type::to_naive_date_opt(*days)?;
    let date = date.format("%Y.%m.%d").to_string();
    if date.len() != 10 {
        return None;
    }
    match operator {
        Operator::Eq => clause(format!("date={date}")),
        Operator::NotEq => None,
        operator => at_most(Games::Of(format!("date{}{date}", sign(operator)?))),
    }
}

fn resulted(operator: Operator, value: &str) -> Option<Pushed> {
    let is_result = ["1-0", "0-1", "1/2-1/2", "*"].contains(&value);
    match operator {
        Operator::Eq if !is_result => exactly(Games::None),
        Operator::NotEq if !is_result => exactly(Games::All),
        Operator::Eq => clause(format!("result:{value}")),
        Operator::NotEq => clause(format!("not result:{value}")),
        _ => None,
    }
}

/// Codes are compared as texts, which is their order if the other is a whole code.
fn coded(operator: Operator, value: &str) -> Option<Pushed> {
    if value.len() != 3 || !is_code(value) {
        return None;
    }
    clause(match operator {
        Operator::Eq => format!("eco:{value}"),
        Operator::NotEq => format!("not eco:{value} not eco:none"),
        Operator::GtEq => format!("eco:{value}..E99"),
        Operator::LtEq => format!("eco:A00..{value}"),
        Operator::Gt => format!("eco:{value}..E99 not eco:{value}"),
        Operator::Lt => format!("eco:A00..{value} not eco:{value}"),
        _ => return None,
    })
}

/// Returns whether a text is a code, or the beginning of one.
fn is_code(text: &str) -> bool {
    let mut bytes = text.bytes();
    matches!(bytes.next(), Some(b'A'..=b'E'))
        && text.len() <= 3
        && bytes.all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use datafusion::prelude::{col, lit};

    use super::*;

    fn text(filter: Expr) -> Option<(String, bool)> {
        let pushdown = Pushdown {
            table: Table::Games,
            db: Some("a"),
            has_place: false,
        };
        let asked = pushdown.asked(&filter, true)?;
        let text = match asked.games {
            Games::All => "all".to_owned(),
            Games::None => "none".to_owned(),
            games => games.text().to_owned(),
        };
        Some((text, asked.is_exact))
    }

    fn exact(text: &str) -> Option<(String, bool)> {
        Some((text.to_owned(), true))
    }

    #[test]
    fn null_is_neither_true_nor_false() {
        assert_eq!(
            text(col("white_elo").gt(lit(2500_u16))),
            exact("whiteelo>2500")
        );
        assert_eq!(
            text(!col("white_elo").gt(lit(2500_u16))),
            exact("whiteelo<=2500")
        );
        assert_eq!(
            text(!(col("year").eq(lit(2000_u16)).or(col("eco").eq(lit("B90"))))),
            exact("(year<2000 or year>2000) not eco:B90 not eco:none")
        );
        let null = ScalarValue::Utf8View(None);
        assert_eq!(text(col("white").eq(lit(null.clone()))), exact("none"));
        assert_eq!(text(!col("white").eq(lit(null))), exact("none"));
    }

    #[test]
    fn what_has_no_translation_limits_nothing_or_is_asked_again() {
        assert_eq!(text(col("month").eq(lit(5_u8))), None);
        let both = col("month")
            .eq(lit(5_u8))
            .and(col("year").eq(lit(2000_u16)));
        assert_eq!(text(both.clone()), Some(("year=2000".to_owned(), false)));
        assert_eq!(text(!both), None);
        assert_eq!(text(col("white_elo").lt_eq(lit(0_u16))), None);
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(
            text(col("white").eq(lit("a\"b\\"))),
            exact("white=\"a\\\"b\\\\\"")
        );
        assert_eq!(
            text(col("white").eq(lit("tal,*"))),
            exact("white=\"tal,\\*\"")
        );
        assert_eq!(text(col("white").eq(lit("a\nb"))), None);
        assert_eq!(
            text(col("white").like(lit("Car%sen_M%"))),
            Some(("white:\"sen\"".to_owned(), false))
        );
        assert_eq!(
            text(col("white").like(lit("%a*b%"))),
            Some(("white:\"a\\*b\"".to_owned(), false))
        );
        assert_eq!(
            text(col("white").like(lit("%Mašsen%"))),
            Some(("white:\"sen\"".to_owned(), false))
        );
        assert_eq!(
            text(col("white").ilike(lit("Carlsen%"))),
            Some(("white:\"Carl\"".to_owned(), false))
        );
        assert_eq!(text(col("white").like(lit("Таль%"))), None);
        assert_eq!(text(col("eco").like(lit("B9%"))), exact("eco:B9"));
        assert_eq!(text(col("db").eq(lit("b"))), exact("none"));
    }
}
