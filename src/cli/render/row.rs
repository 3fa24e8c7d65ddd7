//! The printed values of a match.

use tabiya::{Database, GameId, LineEnd, Match, format::GameHeader};

use crate::cli::databases::Opened;

/// A match with its header.
#[derive(Debug)]
pub(crate) struct Row<'a> {
    /// The label of the database, if there are several.
    pub(crate) database: Option<&'a str>,
    pub(crate) number: u32,
    pub(crate) header: GameHeader,
    pub(crate) plies: u32,
    /// The ply of the match.
    pub(crate) ply: Option<u32>,
    /// The moves from the start of the game to the match, if it is in a variation.
    pub(crate) line: Option<String>,
}

impl<'a> Row<'a> {
    pub(crate) fn new(opened: &'a Opened, hit: Match, several: bool) -> tabiya::Result<Row<'a>> {
        Ok(Row {
            database: several.then_some(opened.label.as_str()),
            number: opened.database.number(hit.game),
            header: opened.database.header(hit.game)?,
            plies: plies(&opened.database, hit.game)?,
            ply: hit.ply,
            line: line_in_variation(&opened.database, hit)?,
        })
    }

    /// Returns the date; `None` if it is wholly unknown.
    pub(crate) fn date(&self) -> Option<String> {
        let date = self.header.date;
        (!date.is_unknown()).then(|| date.to_string())
    }

    pub(crate) fn white_elo(&self) -> Option<u16> {
        self.header.white_rating.map(|rating| rating.value.get())
    }

    pub(crate) fn black_elo(&self) -> Option<u16> {
        self.header.black_rating.map(|rating| rating.value.get())
    }

    pub(crate) fn eco(&self) -> Option<String> {
        self.header.eco.map(|eco| eco.to_string())
    }
}

/// Returns the moves up to a match in a variation; `None` in the main line.
pub(super) fn line_in_variation(database: &Database, hit: Match) -> tabiya::Result<Option<String>> {
    match hit.variation.map(LineEnd::Move) {
        Some(end) => Ok(database.line(hit.game, end)?.map(|line| line.san())),
        None => Ok(None),
    }
}

/// Returns the name of a game's opening; `None` also if the game cannot be read.
pub(crate) fn opening(database: &Database, game: GameId) -> Option<&'static str> {
    database.opening(game).ok().flatten()
}

/// Returns the length of a game, or its lower bound in the index if the game cannot be read.
pub(crate) fn plies(database: &Database, game: GameId) -> tabiya::Result<u32> {
    match database.plies(game) {
        Ok(plies) => Ok(plies),
        Err(_) => Ok(database.facts(game)?.plies.at_least),
    }
}
