//! What an edit changes in one game.

use tabiya_chess::GameId;
use tabiya_formats::{GameHeader, NameSlot, Rating, View, error::Result, header::flag};

use super::{
    super::classify::{Classified, OPENING_TAG},
    Edit, EditedField, Field,
};
use crate::{
    database::{Database, with_view},
    query::Flag,
};

/// What an edit changes in one game.
pub(super) struct Change {
    pub(super) before: GameHeader,
    pub(super) after: GameHeader,
    /// What the tag `Opening` says and is to say, if that differs.
    pub(super) opening: Option<(String, &'static str)>,
    /// Whether the code is that of a position.
    has_own_code: bool,
    /// Whether some tag is to be another, or cannot be read.
    has_other_tags: bool,
}

impl Change {
    pub(super) fn of(edit: &Edit, database: &Database, game: GameId) -> Result<Change> {
        let before = database.header(game)?;
        let opening = if edit.asks_positions() && database.is_game(game)? {
            Classified::of(|visitor| database.visit_sound(game, visitor))?
        } else {
            Classified::default()
        };
        let mut after = before.clone();
        edit.apply(&mut after, &opening);
        let told = opening.told.unwrap_or_default();
        let name = opening.name.filter(|name| *name != told);
        Ok(Change {
            before,
            after,
            opening: name.filter(|_| edit.names_opening).map(|name| (told, name)),
            has_own_code: opening.eco.is_some(),
            has_other_tags: lacks_tags(&edit.tags, database, game),
        })
    }

    pub(super) fn is_any(&self) -> bool {
        self.after != self.before || self.opening.is_some() || self.has_other_tags
    }

    /// Adds to the tags that are told instead of others.
    pub(super) fn add_tags(&self, edit: &Edit, tags: &mut Vec<(String, Option<String>)>) {
        let has_code = edit
            .fields
            .iter()
            .any(|field| matches!(field, Field::OwnEco));
        if has_code && self.has_own_code {
            tags.push(("ECO".to_owned(), None));
        }
        if let Some((_, name)) = self.opening {
            tags.push((OPENING_TAG.to_owned(), Some(name.to_owned())));
        }
    }
}

/// Whether a game has not each of these tags with its value, and those without a value not at all.
fn lacks_tags(tags: &[(String, Option<String>)], database: &Database, game: GameId) -> bool {
    if tags.is_empty() {
        return false;
    }
    let mut found: Vec<(String, String)> = Vec::new();
    let mut note = |name: &str, value: &str| {
        if tags.iter().any(|(wanted, _)| wanted == name) {
            found.push((name.to_owned(), value.to_owned()));
        }
        false
    };
    let read = with_view!(database.tags(), view => view.any_tag(view.record(game), &mut note));
    let differs = |(name, value): &(String, Option<String>)| {
        let held = found.iter().filter(|(found, _)| found == name);
        !held.map(|(_, held)| held).eq(value)
    };
    read.is_err() || tags.iter().any(differs)
}

pub(super) fn name_of(header: &mut GameHeader, slot: NameSlot) -> &mut String {
    match slot {
        NameSlot::White => &mut header.white,
        NameSlot::Black => &mut header.black,
        NameSlot::Event => &mut header.event,
        NameSlot::Site => &mut header.site,
        NameSlot::Round => &mut header.round,
    }
}

/// Returns the fields that differ, with the words by which queries and [`Edit::set`] know them.
pub(super) fn differences(before: &GameHeader, after: &GameHeader) -> Vec<EditedField> {
    let rating = |rating: &Option<Rating>| rating.map_or(String::new(), |it| it.value.to_string());
    let eco = |header: &GameHeader| header.eco.map_or(String::new(), |eco| eco.to_string());
    let fields = |header: &GameHeader| {
        [
            ("White", header.white.clone()),
            ("Black", header.black.clone()),
            ("Event", header.event.clone()),
            ("Site", header.site.clone()),
            ("Round", header.round.clone()),
            ("Date", header.date.to_string()),
            ("EventDate", header.event_date.to_string()),
            ("Result", header.result.as_str().to_owned()),
            ("ECO", eco(header)),
            ("WhiteElo", rating(&header.white_rating)),
            ("BlackElo", rating(&header.black_rating)),
            ("flags", flags(header.marks)),
        ]
    };
    let pairs = fields(before).into_iter().zip(fields(after));
    let different = pairs.filter(|((_, before), (_, after))| before != after);
    different
        .map(|((field, before), (_, after))| EditedField {
            field: field.to_owned(),
            before: Some(before),
            after,
        })
        .collect()
}

/// Returns the names of flags.
fn flags(set: u32) -> String {
    let set = marks().filter(|(bit, _)| set & bit != 0);
    let names: Vec<&str> = set.map(|(_, name)| name).collect();
    names.join(" ")
}

/// Iterates over the flags that users give, each with its bit.
pub(super) fn marks() -> impl Iterator<Item = (u32, &'static str)> {
    let named = Flag::ALL
        .into_iter()
        .map(|flag| (2 << flag as u32, flag.name()));
    named.filter(|(bit, _)| bit & flag::MARKS != 0)
}
