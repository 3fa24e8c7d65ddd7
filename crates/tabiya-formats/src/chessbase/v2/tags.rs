//! The PGN tags of a game beyond the common header fields. They have the same names as those of
//! `.cbh`.

use shakmaty::Color;
use tabiya_chess::{Flow, Medal, PartialDate};

use super::{ChessBase2, record::Record};
use crate::{Header as _, chessbase::common::event_type::event_type};

/// Callback for each tag, with name and value.
pub(super) type Each<'e> = dyn FnMut(&str, &str) -> Flow + 'e;

impl ChessBase2 {
    /// Calls `each` with all tags of a game, text or analysis.
    pub(super) fn tags(&self, record: &Record, is_chess960: bool, each: &mut Each<'_>) -> Flow {
        if is_chess960 {
            each("Variant", "Chess960")?;
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
        if let Some(board) = record.board() {
            each("Board", &board.to_string())?;
        }
        let ratings = [
            ("WhiteRatingList", Color::White),
            ("BlackRatingList", Color::Black),
        ];
        for (name, color) in ratings {
            if let Some(list) = record.rating_of(color).and_then(|rating| rating.list()) {
                each(name, &list)?;
            }
        }
        self.tournament_tags(record, each)?;
        self.names_tags(record, each)
    }

    fn tournament_tags(&self, record: &Record, each: &mut Each<'_>) -> Flow {
        let tournament = record.tournament();
        let names = self.names_file();
        let Some(tournament) = tournament.and_then(|number| names?.tournament(number)) else {
            return Flow::Continue(());
        };
        date("EventEndDate", tournament.end_date, each)?;
        text("EventType", Some(event_type(tournament.kind)), each)?;
        let numbers = [
            ("EventRounds", tournament.rounds),
            ("EventCategory", tournament.category),
        ];
        for (name, number) in numbers {
            if number != 0 {
                each(name, &number.to_string())?;
            }
        }
        Flow::Continue(())
    }

    fn names_tags(&self, record: &Record, each: &mut Each<'_>) -> Flow {
        let Some(names) = self.names_file() else {
            return Flow::Continue(());
        };
        text("Annotator", names.player(record.annotator()), each)?;
        if let Some(source) = names.source(record.source()) {
            text("Source", Some(source.title()), each)?;
            text("SourcePublisher", Some(source.publisher()), each)?;
            date("SourceDate", source.date, each)?;
        }
        let [white, black] = record.teams();
        for (name, team) in [("WhiteTeam", white), ("BlackTeam", black)] {
            text(name, team.and_then(|team| names.team(team)), each)?;
        }
        let fide = [("WhiteFideId", Color::White), ("BlackFideId", Color::Black)];
        for (name, color) in fide {
            let id = record
                .player(color)
                .and_then(|player| names.fide_id(player));
            text(name, id.map(|id| id.to_string()), each)?;
        }
        text("GameTitle", self.title(record), each)
    }

    /// Returns the title in the preferred language, or else the first.
    fn title(&self, record: &Record) -> Option<String> {
        let titles = self.names_file()?.titles(record.title())?;
        let preferred = |(language, _): &&(u8, String)| self.language.prefers(*language);
        let preferred = titles.iter().find(preferred).or_else(|| titles.first());
        preferred.map(|(_, title)| title.clone())
    }

    /// Calls `tell` with the tags whose number is stored but whose text cannot be read.
    pub(super) fn lost_tags(&self, record: &Record, tell: &mut dyn FnMut(&'static str)) {
        let Some(names) = self.names_file() else {
            return;
        };
        let [white, black] = record.teams();
        let is_lost = [
            ("Annotator", names.player(record.annotator()).is_none()),
            ("Source", names.source(record.source()).is_none()),
            (
                "WhiteTeam",
                white.is_some_and(|team| names.team(team).is_none()),
            ),
            (
                "BlackTeam",
                black.is_some_and(|team| names.team(team).is_none()),
            ),
            ("GameTitle", names.titles(record.title()).is_none()),
        ];
        let lost = is_lost.into_iter().filter(|&(_, is_lost)| is_lost);
        lost.for_each(|(name, _)| tell(name));
    }
}

fn text(name: &str, value: Option<String>, each: &mut Each<'_>) -> Flow {
    match value {
        Some(value) if !value.is_empty() => each(name, &value),
        _ => Flow::Continue(()),
    }
}

fn date(name: &str, date: PartialDate, each: &mut Each<'_>) -> Flow {
    if date.is_unknown() {
        Flow::Continue(())
    } else {
        each(name, &date.to_string())
    }
}
