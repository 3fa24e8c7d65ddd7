//! The PGN tags of a game beyond the common header fields. Tags that ChessBase writes into PGN have
//! the same names here.

use tabiya_chess::{Flow, Medal, PartialDate};

use super::{
    ChessBase, Companion,
    names::{self, Fields, field},
    record::Record,
    stream::Parts,
};
use crate::chessbase::common::event_type::event_type;

/// Callback for each tag, with name and value.
pub(super) type Each<'e> = dyn FnMut(&str, &str) -> Flow + 'e;

impl ChessBase {
    /// Calls `each` with all tags of a game or text. `parts` is its move data, if readable.
    pub(super) fn tags(
        &self,
        game: usize,
        record: &Record,
        parts: Option<&Parts<'_>>,
        each: &mut Each<'_>,
    ) -> Flow {
        if let Some(variant) = parts.and_then(Parts::variant) {
            each("Variant", variant)?;
        }
        if let Some(subdivision) = record.opening().subdivision() {
            each("ECOSub", &subdivision)?;
        }
        if let Some(verdict) = record.verdict() {
            each("LineEvaluation", &format!("${verdict}"))?;
        }
        if record.medals() != 0 {
            each("Medals", &Medal::names(record.medals()))?;
        }
        self.tournament_tags(record.tournament().index(), each)?;
        let annotator = self.entity(Companion::Annotators, record.annotator().index());
        self.text_tag("Annotator", annotator, field::ANNOTATOR_NAME, each)?;
        if let Some(source) = self.entity(Companion::Sources, record.source().index()) {
            self.text_tag("Source", Some(source), field::SOURCE_TITLE, each)?;
            date_tag("SourceDate", source.date(field::SOURCE_DATE), each)?;
        }
        self.extended_tags(game, each)
    }

    fn tournament_tags(&self, number: usize, each: &mut Each<'_>) -> Flow {
        let Some(tournament) = self.entity(Companion::Tournaments, number) else {
            return Flow::Continue(());
        };
        let last_day = names::end_date(self.bytes(Companion::TournamentDetails), number);
        date_tag("EventEndDate", last_day, each)?;
        let kind = event_type(tournament.byte(field::TOURNAMENT_KIND));
        if !kind.is_empty() {
            each("EventType", &kind)?;
        }
        let numbers = [
            ("EventRounds", field::TOURNAMENT_ROUNDS),
            ("EventCategory", field::TOURNAMENT_CATEGORY),
        ];
        for (name, at) in numbers {
            match tournament.byte(at) {
                0 => {}
                number => each(name, &number.to_string())?,
            }
        }
        Flow::Continue(())
    }

    /// Calls `each` with the tags from the `.cbj` and `.flags` files and the files that `.cbj`
    /// refers to.
    fn extended_tags(&self, game: usize, each: &mut Each<'_>) -> Flow {
        let extended = self.extended();
        let teams = ["WhiteTeam", "BlackTeam"]
            .into_iter()
            .zip(extended.teams(game));
        for (name, team) in teams {
            let team = team.and_then(|team| self.entity(Companion::Teams, team));
            self.text_tag(name, team, field::TEAM_TITLE, each)?;
        }
        let title = extended.game_tag(game);
        let title = title.and_then(|title| self.entity(Companion::GameTags, title));
        self.text_tag("GameTitle", title, field::GAME_TAG_TITLE, each)?;
        if self.is_top_game(game) {
            each("TopGame", "1")
        } else {
            Flow::Continue(())
        }
    }

    fn text_tag(
        &self,
        name: &str,
        fields: Option<Fields<'_>>,
        text: field::Text,
        each: &mut Each<'_>,
    ) -> Flow {
        match fields.map(|fields| fields.text(text, self.charset())) {
            Some(text) if !text.is_empty() => each(name, &text),
            _ => Flow::Continue(()),
        }
    }

    /// Returns the tags whose ID is stored but whose text is unreadable, though their file exists.
    /// Such a tag may have been empty: only the file defines what its ID means.
    pub(super) fn lost_tags(
        &self,
        game: usize,
        record: &Record,
    ) -> impl Iterator<Item = &'static str> {
        let [white, black] = self.extended().teams(game);
        let title = self.extended().game_tag(game);
        let numbers = [
            (
                "Annotator",
                Companion::Annotators,
                Some(record.annotator().index()),
            ),
            ("Source", Companion::Sources, Some(record.source().index())),
            ("WhiteTeam", Companion::Teams, white),
            ("BlackTeam", Companion::Teams, black),
            ("GameTitle", Companion::GameTags, title),
        ];
        let is_lost = |companion, number| {
            let is_there = !self.bytes(companion).is_empty();
            is_there && self.entity(companion, number).is_none()
        };
        let lost = numbers.into_iter().filter(move |&(_, companion, number)| {
            number.is_some_and(|number| is_lost(companion, number))
        });
        lost.map(|(name, ..)| name)
    }

    /// Returns an entity; `None` if it or its file is missing.
    pub(super) fn entity(&self, companion: Companion, number: usize) -> Option<Fields<'_>> {
        self.entities(companion).ok()?.get(number)
    }

    /// Whether the `.flags` file marks a game as a top game. The file has a big-endian header of
    /// magic, number of words and bits per game, then the bits, from the lowest of each byte up.
    /// Game 1 comes after one unused group of bits. The lowest bit of a game marks a top game.
    fn is_top_game(&self, game: usize) -> bool {
        const MAGIC: [u8; 4] = [0x0f, 0x01, 0x0b, 0x09];
        let Some((&[magic @ .., _, _, _, _, b3, b2, b1, width], bits)) =
            self.bytes(Companion::TopGames).split_first_chunk::<12>()
        else {
            return false;
        };
        let bit = (game + 1).checked_mul(usize::from(width));
        let byte = bit.and_then(|bit| bits.get(bit / 8));
        let is_set = |byte: &u8| byte >> (bit.unwrap_or_default() % 8) & 1 == 1;
        magic == MAGIC && [b3, b2, b1] == [0; 3] && width > 0 && byte.is_some_and(is_set)
    }
}

fn date_tag(name: &str, date: PartialDate, each: &mut Each<'_>) -> Flow {
    if date.is_unknown() {
        Flow::Continue(())
    } else {
        each(name, &date.to_string())
    }
}
