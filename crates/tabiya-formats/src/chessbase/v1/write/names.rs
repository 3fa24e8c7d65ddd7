//! The names that a game refers to: players, tournament, annotator, source and teams.

use tabiya_chess::PartialDate;

use super::{
    GameLosses, Loss,
    roster::{ANNOTATOR_BYTES, PLAYER_BYTES, SOURCE_BYTES, TEAM_BYTES, TOURNAMENT_BYTES},
    text::fill,
};
use crate::{
    chessbase::{
        common::{
            event_type::event_type_of,
            write::names::{EVENT_DATE, IMPLIED_TAGS, fitting, known, last_and_first},
        },
        v1::names::field,
    },
    game::GameHeader,
};

/// The name records that a game refers to, as stored in the name files.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub(super) white: [u8; PLAYER_BYTES],
    pub(super) black: [u8; PLAYER_BYTES],
    pub(super) tournament: [u8; TOURNAMENT_BYTES],
    /// The tournament's last day, packed, 0 for unknown. It is stored in a separate file.
    pub(super) end_date: u32,
    pub(super) annotator: [u8; ANNOTATOR_BYTES],
    pub(super) source: [u8; SOURCE_BYTES],
    /// White's and Black's team. Unlike other names, empty teams are not stored.
    pub(super) teams: [Option<[u8; TEAM_BYTES]>; 2],
    /// One bit per tag of [`FIELD_TAGS`] that has been seen.
    told: u16,
}

/// Tags that have one field each, in the names or in the record. A second tag of the same name is
/// dropped.
const FIELD_TAGS: [&str; 13] = [
    EVENT_DATE,
    "Annotator",
    "Source",
    "WhiteTeam",
    "BlackTeam",
    "EventEndDate",
    "EventType",
    "EventCategory",
    "EventRounds",
    "SourceDate",
    "ECOSub",
    "LineEvaluation",
    "Medals",
];
impl Names {
    /// Creates the names of a header. The rest comes as tags.
    pub(super) fn new(header: &GameHeader, losses: &mut GameLosses) -> Names {
        let mut names = Names {
            white: player(&header.white, losses),
            black: player(&header.black, losses),
            tournament: tournament(header, losses),
            end_date: 0,
            annotator: [0; ANNOTATOR_BYTES],
            source: [0; SOURCE_BYTES],
            teams: [None; 2],
            told: 0,
        };
        if !header.event_date.is_unknown() {
            names.is_first(EVENT_DATE);
        }
        names
    }

    /// Returns the tournament with what stands in a separate file: tournaments with other last days
    /// are others.
    pub(super) fn whole_tournament(&self) -> [u8; TOURNAMENT_BYTES + 4] {
        let mut whole = [0; TOURNAMENT_BYTES + 4];
        let (own, end) = whole.split_at_mut(TOURNAMENT_BYTES);
        own.copy_from_slice(&self.tournament);
        end.copy_from_slice(&self.end_date.to_le_bytes());
        whole
    }

    /// Records a tag. Returns whether its field is still free.
    pub(super) fn is_first(&mut self, name: &str) -> bool {
        let place = FIELD_TAGS.iter().position(|known| *known == name);
        let bit = place.map_or(0, |place| 1 << place);
        let is_first = self.told & bit == 0;
        self.told |= bit;
        is_first
    }

    /// Stores a tag if there is a field for it.
    pub(super) fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) {
        match name {
            "Annotator" => put(&mut self.annotator, field::ANNOTATOR_NAME, value, losses),
            "Source" => put(&mut self.source, field::SOURCE_TITLE, value, losses),
            "WhiteTeam" => put_team(&mut self.teams[0], value, losses),
            "BlackTeam" => put_team(&mut self.teams[1], value, losses),
            _ if IMPLIED_TAGS.contains(&name) || self.number_tag(name, value).is_some() => {}
            _ => losses.add(Loss::TagsDropped),
        }
    }

    /// Stores a tag whose field is a number, date or event type; `None` if there is no such field
    /// or the value is invalid.
    fn number_tag(&mut self, name: &str, value: &str) -> Option<()> {
        let number = || value.trim().parse::<u8>().ok();
        // A year that no record holds would leave a month and a day.
        let is_as_spelled = |date: &PartialDate| date.to_string() == value;
        let date = || value.parse::<PartialDate>().ok().filter(is_as_spelled);
        match name {
            // Readers report it as a tag if it is not in the header.
            EVENT_DATE => put_date(&mut self.tournament, field::TOURNAMENT_DATE, date()?),
            "EventEndDate" => self.end_date = date()?.packed(),
            "EventType" => self.tournament[field::TOURNAMENT_KIND] = event_type_of(value)?,
            "EventCategory" => self.tournament[field::TOURNAMENT_CATEGORY] = number()?,
            "EventRounds" => self.tournament[field::TOURNAMENT_ROUNDS] = number()?,
            "SourceDate" => put_date(&mut self.source, field::SOURCE_DATE, date()?),
            _ => return None,
        }
        Some(())
    }
}

fn player(name: &str, losses: &mut GameLosses) -> [u8; PLAYER_BYTES] {
    let (last, first) = last_and_first(name, losses);
    let mut player = [0; PLAYER_BYTES];
    put(&mut player, field::PLAYER_LAST, last, losses);
    put(&mut player, field::PLAYER_FIRST, first, losses);
    player
}

fn tournament(header: &GameHeader, losses: &mut GameLosses) -> [u8; TOURNAMENT_BYTES] {
    let mut tournament = [0; TOURNAMENT_BYTES];
    let (event, site) = (known(&header.event), known(&header.site));
    put(&mut tournament, field::TOURNAMENT_TITLE, event, losses);
    put(&mut tournament, field::TOURNAMENT_PLACE, site, losses);
    let date = fitting(header.event_date, losses);
    put_date(&mut tournament, field::TOURNAMENT_DATE, date);
    tournament
}

fn put_team(team: &mut Option<[u8; TEAM_BYTES]>, title: &str, losses: &mut GameLosses) {
    let mut record = [0; TEAM_BYTES];
    put(&mut record, field::TEAM_TITLE, title, losses);
    *team = (!title.is_empty()).then_some(record);
}

fn put(record: &mut [u8], (at, width): (usize, usize), text: &str, losses: &mut GameLosses) {
    fill(&mut record[at..at + width], text, losses);
}

fn put_date(record: &mut [u8], at: usize, date: PartialDate) {
    record[at..at + 4].copy_from_slice(&date.packed().to_le_bytes());
}
