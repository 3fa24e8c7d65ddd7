//! The names that a game refers to, as records of `.2lid`.

use tabiya_chess::PartialDate;

use super::{commands::append_counted, record::Field, roster::room};
use crate::{
    chessbase::common::{
        event_type::event_type_of,
        write::names::{EVENT_DATE, IMPLIED_TAGS, fitting, known, last_and_first},
    },
    chessbase::v2::names::Type,
    game::GameHeader,
    loss::{GameLosses, Loss},
};

/// What stands for a number that nobody has looked up.
const NOT_LOOKED_UP: i64 = -1;
/// The languages in which titles are written, by the numbers of nations.
const LANGUAGES: [i32; 7] = [42, 43, 49, 53, 70, 103, 117];
/// Bytes of a record besides its texts.
const PLAYER_BYTES: usize = 32;
const TOURNAMENT_BYTES: usize = 8 + TAIL_BYTES;
const SOURCE_BYTES: usize = 20;
const TEAM_BYTES: usize = 9;
const TITLE_BYTES: usize = 4 + 8 * LANGUAGES.len();

/// Bytes of a tournament after its texts.
const TAIL_BYTES: usize = 108;
/// Offsets in these.
mod tail {
    pub(super) const KIND: usize = 4;
    pub(super) const CATEGORY: usize = 8;
    pub(super) const ROUNDS: usize = 10;
    /// Bytes of unknown meaning, 7 in every new tournament.
    pub(super) const SEVENS: [usize; 3] = [34, 45, 56];
    pub(super) const END_DATE: usize = 60;
}

/// The names of a game.
#[derive(Debug, Default)]
pub(super) struct Names {
    players: [String; 2],
    fide_ids: [i64; 2],
    event: String,
    site: String,
    /// What a tournament has besides its texts.
    tail: Tail,
    annotator: String,
    source: String,
    publisher: String,
    source_date: PartialDate,
    teams: [String; 2],
    title: String,
    /// The titles in all languages of a text that has them so, as a record.
    titles: Option<Vec<u8>>,
    /// One bit per tag of [`FIELD_TAGS`] that has been seen.
    told: u32,
}

#[derive(Debug, Clone, Copy, Default)]
struct Tail {
    date: PartialDate,
    end_date: PartialDate,
    kind: u8,
    category: u8,
    rounds: u8,
}

/// Tags that have one field each. A second tag of the same name is dropped.
const FIELD_TAGS: [&str; 20] = [
    EVENT_DATE,
    "Annotator",
    "Source",
    "SourcePublisher",
    "SourceDate",
    "WhiteTeam",
    "BlackTeam",
    "EventEndDate",
    "EventType",
    "EventCategory",
    "EventRounds",
    "WhiteFideId",
    "BlackFideId",
    "GameTitle",
    "ECOSub",
    "LineEvaluation",
    "Medals",
    "Board",
    "WhiteRatingList",
    "BlackRatingList",
];

impl Names {
    /// Begins the names of a game with those of its header. The rest comes as tags.
    pub(super) fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        *self = Names {
            players: [header.white.clone(), header.black.clone()],
            fide_ids: [NOT_LOOKED_UP; 2],
            event: known(&header.event).to_owned(),
            site: known(&header.site).to_owned(),
            ..Names::default()
        };
        self.tail.date = fitting(header.event_date, losses);
        if !header.event_date.is_unknown() {
            self.is_first(EVENT_DATE);
        }
    }

    /// Takes the titles in all languages, as a record of `.2lid`, if there is room for it.
    pub(super) fn set_titles(&mut self, titles: &[u8]) {
        self.titles = (titles.len() <= room(Type::Tag)).then(|| titles.to_vec());
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
        let text = match name {
            "Annotator" => &mut self.annotator,
            "Source" => &mut self.source,
            "SourcePublisher" => &mut self.publisher,
            "WhiteTeam" => &mut self.teams[0],
            "BlackTeam" => &mut self.teams[1],
            "GameTitle" => &mut self.title,
            _ if IMPLIED_TAGS.contains(&name) || self.number_tag(name, value).is_some() => return,
            _ => return losses.add(Loss::TagsDropped),
        };
        value.clone_into(text);
    }

    /// Stores a tag whose field is a number, date or event type; `None` if there is no such field
    /// or the value would be read as another.
    fn number_tag(&mut self, name: &str, value: &str) -> Option<()> {
        let tail = &mut self.tail;
        match name {
            EVENT_DATE => tail.date = date(value)?,
            "EventEndDate" => tail.end_date = date(value)?,
            "SourceDate" => self.source_date = date(value)?,
            "EventType" => tail.kind = event_type_of(value)?,
            "EventCategory" => tail.category = number(value)? as u8,
            "EventRounds" => tail.rounds = number(value)? as u8,
            "WhiteFideId" => self.fide_ids[0] = fide_id(value)?,
            "BlackFideId" => self.fide_ids[1] = fide_id(value)?,
            _ => return None,
        }
        Some(())
    }

    /// Passes each name to `add`, as the bytes of its record.
    pub(super) fn each(&self, losses: &mut GameLosses, mut add: impl FnMut(Field, Type, &[u8])) {
        let mut record = Vec::new();
        let players = self.players.iter().zip(self.fide_ids);
        for (field, (name, fide_id)) in [Field::White, Field::Black].into_iter().zip(players) {
            player(name, fide_id, &mut record, losses);
            add(field, Type::Player, &record);
        }
        self.tournament(&mut record, losses);
        add(Field::Tournament, Type::Tournament, &record);
        annotator(&self.annotator, &mut record, losses);
        add(Field::Annotator, Type::Player, &record);
        self.source(&mut record, losses);
        add(Field::Source, Type::Source, &record);
        let teams = [Field::WhiteTeam, Field::BlackTeam]
            .into_iter()
            .zip(&self.teams);
        for (field, team) in teams.filter(|(_, team)| !team.is_empty()) {
            record.clear();
            texts(
                [team, ""],
                room(Type::Team) - TEAM_BYTES,
                &mut record,
                losses,
            );
            // Without the second text: number, season, year, nation.
            record.truncate(record.len() - 4);
            record.extend([0; 5]);
            add(field, Type::Team, &record);
        }
        title(&self.title, &mut record, losses);
        add(
            Field::Title,
            Type::Tag,
            self.titles.as_deref().unwrap_or(&record),
        );
    }

    fn tournament(&self, record: &mut Vec<u8>, losses: &mut GameLosses) {
        let Tail {
            date,
            end_date,
            kind,
            category,
            rounds,
        } = self.tail;
        record.clear();
        let most = room(Type::Tournament) - TOURNAMENT_BYTES;
        texts([&self.site, &self.event], most, record, losses);
        let mut tail = [0; TAIL_BYTES];
        tail[..4].copy_from_slice(&date.packed().to_le_bytes());
        tail[tail::KIND] = kind;
        tail[tail::CATEGORY] = category;
        tail[tail::ROUNDS] = rounds;
        tail::SEVENS.into_iter().for_each(|at| tail[at] = 7);
        tail[tail::END_DATE..][..4].copy_from_slice(&end_date.packed().to_le_bytes());
        record.extend(tail);
    }

    fn source(&self, record: &mut Vec<u8>, losses: &mut GameLosses) {
        record.clear();
        let most = room(Type::Source) - SOURCE_BYTES;
        texts([&self.source, &self.publisher], most, record, losses);
        // The day of publication comes first; version and quality last.
        record.extend([0; 4]);
        record.extend(self.source_date.packed().to_le_bytes());
        record.extend([0; 4]);
    }
}

fn player(name: &str, fide_id: i64, record: &mut Vec<u8>, losses: &mut GameLosses) {
    let (last, first) = last_and_first(name, losses);
    player_record([last, first], fide_id, record, losses);
}

/// Annotators are players; a name that is not spelled as those of players is one text.
fn annotator(name: &str, record: &mut Vec<u8>, losses: &mut GameLosses) {
    let parts = name.split_once(", ");
    let parts = parts.filter(|(last, first)| !last.contains(',') && is_plain(first));
    let (last, first) = parts.unwrap_or((name, ""));
    player_record([last, first], NOT_LOOKED_UP, record, losses);
}

fn is_plain(first: &str) -> bool {
    !first.is_empty() && first.trim() == first
}

fn player_record(names: [&str; 2], fide_id: i64, record: &mut Vec<u8>, losses: &mut GameLosses) {
    record.clear();
    texts(names, room(Type::Player) - PLAYER_BYTES, record, losses);
    record.extend([0; 8]);
    record.extend((NOT_LOOKED_UP as i32).to_le_bytes());
    record.extend(8_i32.to_le_bytes());
    record.extend(fide_id.to_le_bytes());
}

/// A title is written as English, since which language it has is not told; the other languages have
/// none.
fn title(title: &str, record: &mut Vec<u8>, losses: &mut GameLosses) {
    record.clear();
    if title.is_empty() {
        return record.extend([0; 4]);
    }
    record.extend((LANGUAGES.len() as i32).to_le_bytes());
    let title = cut(title, room(Type::Tag) - TITLE_BYTES, losses);
    for language in LANGUAGES {
        record.extend(language.to_le_bytes());
        let title = if language == LANGUAGES[0] { title } else { "" };
        append_counted(title.as_bytes(), record);
    }
}

/// Appends two texts that have room for this number of bytes together.
fn texts(texts: [&str; 2], most: usize, record: &mut Vec<u8>, losses: &mut GameLosses) {
    let mut left = most;
    for text in texts {
        let text = cut(text, left, losses);
        left -= text.len();
        append_counted(text.as_bytes(), record);
    }
}

fn cut<'t>(text: &'t str, most: usize, losses: &mut GameLosses) -> &'t str {
    if text.len() > most {
        losses.add(Loss::NamesCutToFields);
    }
    &text[..text.floor_char_boundary(most)]
}

/// Parses a date that is read as it is spelled.
fn date(value: &str) -> Option<PartialDate> {
    let date = value.parse::<PartialDate>().ok()?;
    let fits = fitting(date, &mut GameLosses::default()) == date;
    (fits && !date.is_unknown() && date.to_string() == value).then_some(date)
}

/// Parses a number from 1 on that is read as it is spelled.
fn number(value: &str) -> Option<i64> {
    let number = value.parse::<u8>().ok()?;
    (number > 0 && number.to_string() == value).then_some(number.into())
}

fn fide_id(value: &str) -> Option<i64> {
    let id = value.parse::<i64>().ok()?;
    (id > 0 && id.to_string() == value).then_some(id)
}
