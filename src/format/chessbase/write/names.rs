//! What a game refers to: players, tournament, annotator, source and teams.

use super::{
    entities::{ANNOTATOR_BYTES, PLAYER_BYTES, SOURCE_BYTES, TEAM_BYTES, TOURNAMENT_BYTES},
    loss::{GameLosses, Loss},
    text::fill,
};
use crate::{chess::PartialDate, format::game::GameHeader};

/// The records that a game refers to, as they stand in the files of names.
#[derive(Debug, Clone, Copy)]
pub(super) struct Names {
    pub(super) white: [u8; PLAYER_BYTES],
    pub(super) black: [u8; PLAYER_BYTES],
    pub(super) tournament: [u8; TOURNAMENT_BYTES],
    pub(super) annotator: [u8; ANNOTATOR_BYTES],
    pub(super) source: [u8; SOURCE_BYTES],
    /// White's and Black's. All other names are there even if empty; teams are not.
    pub(super) teams: [Option<[u8; TEAM_BYTES]>; 2],
}

/// Tags that say how a game relates to the other bytes of a game. They need no place.
const IMPLIED_TAGS: [&str; 4] = ["SetUp", "FEN", "PlyCount", "Variant"];

impl Names {
    /// Takes the names of a header. The rest comes as tags.
    pub(super) fn new(header: &GameHeader, losses: &mut GameLosses) -> Names {
        Names {
            white: player(&header.white, losses),
            black: player(&header.black, losses),
            tournament: tournament(header, losses),
            annotator: [0; ANNOTATOR_BYTES],
            source: [0; SOURCE_BYTES],
            teams: [None; 2],
        }
    }

    /// Takes a tag if there is a field for it.
    pub(super) fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) {
        let number = || value.trim().parse::<u8>().ok();
        let date = || value.parse::<PartialDate>().ok();
        let taken = match name {
            "Annotator" => Some(fill(&mut self.annotator, value, losses)),
            "Source" => Some(fill(&mut self.source[..25], value, losses)),
            "SourceDate" => date().map(|date| put_date(&mut self.source[41..45], date)),
            "WhiteTeam" => Some(put_team(&mut self.teams[0], value, losses)),
            "BlackTeam" => Some(put_team(&mut self.teams[1], value, losses)),
            "EventRounds" => number().map(|number| self.tournament[80] = number),
            "EventCategory" => number().map(|number| self.tournament[78] = number),
            "EventType" => event_type(value).map(|code| self.tournament[74] = code),
            // Readers tell it so when it is not in the header.
            "EventDate" => date().map(|date| put_date(&mut self.tournament[70..74], date)),
            _ => IMPLIED_TAGS.contains(&name).then_some(()),
        };
        if taken.is_none() {
            losses.add(Loss::TagsDropped);
        }
    }
}

/// Returns what a name says; `?` says nothing.
fn known(name: &str) -> &str {
    if name == "?" { "" } else { name }
}

fn player(name: &str, losses: &mut GameLosses) -> [u8; PLAYER_BYTES] {
    let name = known(name);
    let (last, first) = name.split_once(',').unwrap_or((name, ""));
    let first = first.trim();
    let is_usual = match first {
        "" => last == name,
        _ => {
            name.strip_prefix(last)
                .and_then(|rest| rest.strip_prefix(", "))
                == Some(first)
        }
    };
    if !is_usual {
        losses.add(Loss::NamesRespelled);
    }
    let mut player = [0; PLAYER_BYTES];
    let (last_field, first_field) = player.split_at_mut(30);
    fill(last_field, last, losses);
    fill(first_field, first, losses);
    player
}

fn tournament(header: &GameHeader, losses: &mut GameLosses) -> [u8; TOURNAMENT_BYTES] {
    let mut tournament = [0; TOURNAMENT_BYTES];
    fill(&mut tournament[..40], known(&header.event), losses);
    fill(&mut tournament[40..70], known(&header.site), losses);
    let date = fitting(header.event_date, losses);
    put_date(&mut tournament[70..74], date);
    tournament
}

/// Reads words for a tournament's kind, as in `swiss` and `tourn (rapid)`: bits 0 to 4 its kind,
/// bits 5 to 7 blitz, rapid, by post.
fn event_type(words: &str) -> Option<u8> {
    const KINDS: [&str; 9] = [
        "", "game", "match", "tourn", "swiss", "team", "k.o.", "simul", "schev",
    ];
    const SPEEDS: [&str; 3] = ["blitz", "rapid", "corr"];
    let speed = |word: &str| (5..).zip(SPEEDS).find(|&(_, known)| known == word);
    if let Some((bit, _)) = speed(words) {
        return Some(1 << bit);
    }
    let (kind, bits) = match words
        .strip_suffix(')')
        .and_then(|words| words.split_once(" ("))
    {
        Some((kind, word)) => (kind, 1 << speed(word)?.0),
        None => (words, 0),
    };
    let code = KINDS.iter().position(|&known| known == kind)?;
    Some(code as u8 | bits)
}

fn put_team(team: &mut Option<[u8; TEAM_BYTES]>, title: &str, losses: &mut GameLosses) {
    let mut record = [0; TEAM_BYTES];
    fill(&mut record[..45], title, losses);
    *team = (!title.is_empty()).then_some(record);
}

fn put_date(field: &mut [u8], date: PartialDate) {
    field.copy_from_slice(&date.packed().to_le_bytes());
}

/// Returns a date without the parts that are too large for their bits: twelve for the year,
/// four for the month, five for the day.
pub(super) fn fitting(date: PartialDate, losses: &mut GameLosses) -> PartialDate {
    let fitting = PartialDate::new(
        date.year().filter(|&year| year < 1 << 12).unwrap_or(0),
        Some(date.month())
            .filter(|&month| month < 1 << 4)
            .unwrap_or(0),
        Some(date.day()).filter(|&day| day < 1 << 5).unwrap_or(0),
    );
    if fitting != date {
        losses.add(Loss::DatesReduced);
    }
    fitting
}
