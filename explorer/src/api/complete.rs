//! `/api/complete`: how the word of a query at the cursor may go on.

use std::{cmp::Reverse, collections::HashMap, sync::Arc};

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{
    chess::NameKind,
    query::{
        HeaderClause, OpeningTest, Query, TextField, TextTest,
        table::{FIELDS, Field, KEYWORDS, Level, find},
    },
};

use super::{
    json, openings, to_json,
    typing::{Typing, Word, typing},
};
use crate::{
    errors::Fault,
    params::{Params, checked_length},
    registry::DatabaseRef,
    state::Explorer,
};

/// Items of an answer that does not say how many.
const LIMIT: usize = 12;
const LIMIT_MAX: usize = 50;

/// Letters of a word without a field that may begin a name.
const NAME_LETTERS_MIN: usize = 2;

#[derive(Debug, Serialize)]
struct Answer {
    /// The part of the query that an item replaces, in bytes.
    start: usize,
    end: usize,
    items: Vec<Item>,
}

/// A way to go on.
#[derive(Debug, PartialEq, Eq, Serialize)]
struct Item {
    /// What stands in the query then.
    text: String,
    /// What it is called: the field, or the value alone.
    label: String,
    /// What it means, or how many games have it.
    detail: String,
}

/// What is asked.
#[derive(Debug, Clone)]
struct CompleteRequest {
    query: String,
    cursor: usize,
    limit: usize,
}

impl CompleteRequest {
    fn new(params: &Params) -> Result<CompleteRequest, Fault> {
        let query = params.text("q").unwrap_or_default().to_owned();
        checked_length(&query)?;
        let cursor = params.value("at")?.unwrap_or(query.len());
        if !query.is_char_boundary(cursor) {
            return Err(Fault::parameter(
                "at",
                "no place between characters of the query",
            ));
        }
        Ok(CompleteRequest {
            query,
            cursor,
            limit: params.value("limit")?.unwrap_or(LIMIT).min(LIMIT_MAX),
        })
    }

    fn answer(&self, held: &[DatabaseRef]) -> Result<Vec<u8>, Fault> {
        let typing = typing(&self.query, self.cursor);
        let mut items = items(&typing, held, self.limit)?;
        items.truncate(self.limit);
        to_json(&Answer {
            start: typing.start,
            end: typing.end,
            items,
        })
    }
}

pub(super) async fn complete(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let asked = CompleteRequest::new(&params)?;
    let found = explorer.look(params.databases(), move |held| asked.answer(held));
    Ok(json(found.await?))
}

fn items(typing: &Typing<'_>, held: &[DatabaseRef], limit: usize) -> Result<Vec<Item>, Fault> {
    match &typing.word {
        Word::Quoted => Ok(Vec::new()),
        Word::Clause(name, operator, value) => match find(name).filter(|field| may_ask(field)) {
            Some(field) => values(field, (name, operator), value, held, limit),
            None => Ok(Vec::new()),
        },
        Word::Bare(word) => {
            let mut items = words(word, typing.inside_at);
            if !typing.inside_at && word.chars().count() >= NAME_LETTERS_MIN {
                for (name, most) in [("player", 5), ("event", 3), ("opening", 3)] {
                    let most = most.min(limit);
                    let field = find(name).ok_or(Fault::Internal)?;
                    items.extend(values(field, (name, ":"), word, held, most)?);
                }
            }
            Ok(items)
        }
    }
}

/// Returns whether this server answers the field: it opens no files that queries name.
fn may_ask(field: &Field) -> bool {
    !field.example.contains("repertoire")
}

/// Returns the fields and keywords that a word begins.
fn words(word: &str, inside_at: bool) -> Vec<Item> {
    let begins = |name: &str| match name.len() {
        1 => name == word || word.is_empty(),
        _ => {
            let start = name.get(..word.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(word)) && name.len() > word.len()
        }
    };
    let fits = |field: &&Field| match field.level {
        Level::Position => true,
        Level::Modifier => inside_at,
        _ => !inside_at,
    };
    let fields = FIELDS.iter().filter(fits).filter(|field| may_ask(field));
    let fields = fields.filter(|field| begins(field.name)).map(|field| Item {
        text: match field.stem() {
            name if field.has_brackets() => format!("{name}("),
            // Any tag may follow the dot, and any zone.
            name if field.is_bare() || name != field.name => name.to_owned(),
            name => format!("{name}:"),
        },
        label: field.name.to_owned(),
        detail: field.meaning.to_owned(),
    });
    let keywords = KEYWORDS
        .iter()
        .filter(|name| !word.is_empty() && begins(name));
    let keywords = keywords.map(|&name| Item {
        text: if name == "at" {
            "at(".to_owned()
        } else {
            name.to_owned()
        },
        label: name.to_owned(),
        detail: meaning(name).to_owned(),
    });
    fields.chain(keywords).collect()
}

fn meaning(keyword: &str) -> &'static str {
    match keyword {
        "and" => "both conditions; the same as a space",
        "or" => "either condition",
        "not" => "the condition does not hold",
        "then" => "at a later position: at(...) then at(...)",
        "next" => "at the next position: at(...) next at(...)",
        _ => "one position that has all of this",
    }
}

/// Returns the values of a field that go on with what is typed.
fn values(
    field: &Field,
    (name, operator): (&str, &str),
    typed: &str,
    held: &[DatabaseRef],
    limit: usize,
) -> Result<Vec<Item>, Fault> {
    if !field.choices.is_empty() {
        let begins = |choice: &str| choice.to_lowercase().starts_with(&typed.to_lowercase());
        let choices = field.choices.iter().filter(|choice| begins(choice));
        let choices = choices.filter(|choice| **choice != typed);
        return Ok(choices
            .map(|choice| Item {
                text: format!("{name}{operator}{choice}"),
                label: (*choice).to_owned(),
                detail: String::new(),
            })
            .collect());
    }
    let Some(test) = test(operator) else {
        return Ok(Vec::new());
    };
    let (kind, text_field) = match field.name {
        "white" => (NameKind::Player, TextField::White),
        "black" => (NameKind::Player, TextField::Black),
        "player" => (NameKind::Player, TextField::Player),
        "event" => (NameKind::Event, TextField::Event),
        "site" => (NameKind::Site, TextField::Site),
        "round" => (NameKind::Round, TextField::Round),
        "opening" => return Ok(opening_names(typed, test, limit)),
        _ => return Ok(Vec::new()),
    };
    let names = names(held, kind, typed, limit)?;
    let item = |(label, games): (String, u64)| Item {
        text: Query::Header(HeaderClause::Text(text_field.clone(), test(label.clone())))
            .to_string(),
        label,
        detail: if games == 1 {
            "1 game".to_owned()
        } else {
            format!("{games} games")
        },
    };
    Ok(names.into_iter().map(item).collect())
}

/// Returns the test of an operator, for texts.
fn test(operator: &str) -> Option<fn(String) -> TextTest> {
    match operator {
        ":" => Some(TextTest::Contains),
        "=" => Some(TextTest::Equals),
        "!=" => Some(TextTest::Differs),
        _ => None,
    }
}

/// Returns the most frequent names that go on with a text, over all databases.
fn names(
    held: &[DatabaseRef],
    kind: NameKind,
    text: &str,
    limit: usize,
) -> Result<Vec<(String, u64)>, Fault> {
    let mut games: HashMap<String, u64> = HashMap::new();
    for held in held {
        // Some formats have no names of this kind, and files of names can be missing.
        let Ok(rows) = held.complete_names(kind, text, limit.saturating_add(1)) else {
            continue;
        };
        for row in rows {
            *games.entry(row.name).or_default() += u64::from(row.games);
        }
    }
    let mut names: Vec<(String, u64)> = games.into_iter().collect();
    names.retain(|(name, _)| !matches!(&**name, "" | "?" | "-"));
    names
        .sort_unstable_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
    names.truncate(limit);
    Ok(names)
}

/// Returns names of openings, those of short lines first, each once.
fn opening_names(text: &str, test: fn(String) -> TextTest, limit: usize) -> Vec<Item> {
    let mut items: Vec<Item> = Vec::new();
    for opening in openings::named(text, usize::MAX) {
        if items.len() == limit {
            break;
        }
        if items.iter().any(|item| item.label == opening.name) {
            continue;
        }
        let test = OpeningTest::Name(test(opening.name.to_owned()));
        items.push(Item {
            text: Query::Header(HeaderClause::Opening(test)).to_string(),
            label: opening.name.to_owned(),
            detail: opening.eco.to_string(),
        });
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(query: &str) -> Vec<Item> {
        items(&typing(query, query.len()), &[], 50).expect("items")
    }

    #[test]
    fn fields_fit_where_they_are_typed_and_their_texts_can_be_gone_on_with() {
        let labels = |query: &str| {
            of(query)
                .into_iter()
                .map(|item| item.label)
                .collect::<Vec<_>>()
        };
        assert_eq!(labels("pla")[..2], ["player", "played"]);
        assert!(labels("at(fl").contains(&"flip".to_owned()));
        assert!(!labels("fl").contains(&"flip".to_owned()));
        assert!(!labels("at(whi").contains(&"white".to_owned()));
        assert_eq!(labels("rep"), ["repetition"]);
        assert_eq!(of("las")[0].text, "last(");
        assert_eq!(labels("structure:hang"), ["hanging-pawns"]);
        assert_eq!(labels("result:1-")[0], "1-0");
        assert!(labels("opening:najd").contains(&"Sicilian Defense: Najdorf Variation".to_owned()));
        assert_eq!(labels("nothing:x"), Vec::<String>::new());
        assert!(labels("").len() > 40);
    }

    #[test]
    fn every_opening_and_every_choice_makes_a_query() {
        assert!(of("left:").is_empty());
        let fields = FIELDS.iter().filter(|field| may_ask(field));
        for field in fields.filter(|field| !field.choices.is_empty()) {
            let at = if field.level == Level::Modifier {
                "at("
            } else {
                ""
            };
            let items = of(&format!("{at}{}:", field.name));
            assert!(!items.is_empty(), "{}", field.name);
            for item in items {
                assert!(item.text.parse::<Query>().is_ok(), "{}", item.text);
            }
        }
        for item in opening_names("", TextTest::Equals, usize::MAX) {
            let query: Query = item.text.parse().expect("a query");
            assert_eq!(query.to_string(), item.text);
        }
    }
}
