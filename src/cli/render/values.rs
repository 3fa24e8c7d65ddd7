//! The values in the columns of csv and jsonl.

use tabiya::{
    Error, HeaderKeys, ListStyle, MainLine, Match, Notation, Result,
    chess::{NameId, NameKind, PartialDate},
    format::{GameHeader, NameSlot, Rating},
    query::{NumberField, SortField},
};

use super::{
    aside::Aside,
    cells::{Cells, Syntax},
    column::Column,
    jsonl::json_text,
    row::{line_in_variation, opening, plies},
};
use crate::cli::databases::Opened;

/// A column with its JSON name.
pub(super) struct Field {
    pub(super) column: Column,
    name: String,
}

impl Field {
    pub(super) fn new(column: Column) -> Field {
        let name = format!("{}:", json_text(&column.name().into()));
        Field { column, name }
    }
}

/// Formats rows one by one. There is one per thread.
pub(super) struct Values<'f> {
    syntax: Syntax,
    fields: &'f [Field],
    /// The main line, if moves, positions or the start are wanted.
    line: Option<MainLine>,
    aside: Aside<'f>,
    /// Whether tags, comments or what they tell are wanted.
    visits: bool,
}

impl<'f> Values<'f> {
    pub(super) fn new(syntax: Syntax, fields: &'f [Field]) -> Values<'f> {
        let joint = match syntax {
            Syntax::Csv => ListStyle::Words,
            Syntax::Json => ListStyle::Json,
        };
        let columns = || fields.iter().map(|field| &field.column);
        let notations: Vec<Notation> = columns().filter_map(notation).collect();
        let has_line = !notations.is_empty() || columns().any(|column| *column == Column::Fen);
        let tags: Vec<&str> = columns().filter_map(tag).collect();
        let has = |wanted| columns().any(|column| *column == wanted);
        let comments = has(Column::Comments);
        let remarks = has(Column::Clocks) || has(Column::Evals);
        Values {
            syntax,
            fields,
            line: has_line.then(|| MainLine::new(joint, &notations)),
            visits: comments || remarks || !tags.is_empty() || has(Column::DamagedFrom),
            aside: Aside::new(tags, comments, remarks).with_damage(has(Column::DamagedFrom)),
        }
    }

    /// Appends the row of a game, with everything that can be read of it. Faults of the game are
    /// added to `faults`.
    pub(super) fn row(
        &mut self,
        opened: &Opened,
        hit: Match,
        rows: &mut Vec<u8>,
        faults: &mut Vec<Error>,
    ) -> Result<()> {
        let database = &opened.database;
        let read = match &mut self.line {
            Some(line) => line.read(database, hit.game),
            None => Ok(()),
        };
        let visited = if self.visits {
            self.aside.visit(database, hit.game)
        } else {
            Ok(None)
        };
        let is_read = self.line.is_some() && read.is_ok();
        let damaged_from = visited.as_ref().ok().and_then(Option::as_ref);
        let damaged_from = damaged_from.map(|damage| damage.plies.saturating_add(1));
        // Both report the same fault.
        let visited = visited.and_then(|damage| damage.map_or(Ok(()), |damage| Err(damage.cause)));
        match read.and(visited) {
            Err(error) if error.game().is_some() => faults.push(error),
            done => done?,
        }
        let keys = database.keys(hit.game)?;
        let game = Game {
            opened,
            hit,
            keys: &keys,
            line: self.line.as_ref(),
            is_read,
            damaged_from,
            aside: &self.aside,
        };
        let mut cells = Cells::new(self.syntax, rows);
        let mut tags = self.aside.values.iter();
        for field in self.fields {
            cells.name(&field.name);
            match &field.column {
                Column::Tag(name) => game.tag(name, tags.next(), &mut cells)?,
                column => game.cell(column, &mut cells)?,
            }
        }
        cells.end();
        Ok(())
    }
}

fn notation(column: &Column) -> Option<Notation> {
    match column {
        Column::San => Some(Notation::San),
        Column::Uci => Some(Notation::Uci),
        Column::Fens => Some(Notation::Fen),
        _ => None,
    }
}

fn tag(column: &Column) -> Option<&str> {
    match column {
        Column::Tag(name) => Some(name),
        _ => None,
    }
}

/// One game and the data read from it.
struct Game<'a> {
    opened: &'a Opened,
    hit: Match,
    keys: &'a HeaderKeys,
    line: Option<&'a MainLine>,
    /// Whether the main line was read to its end.
    is_read: bool,
    /// The first half-move that is not sound, from 1 on.
    damaged_from: Option<u32>,
    aside: &'a Aside<'a>,
}

impl Game<'_> {
    fn cell(&self, column: &Column, cells: &mut Cells<'_>) -> Result<()> {
        let (database, keys, game) = (&self.opened.database, self.keys, self.hit.game);
        let date = keys.date;
        let elo = |rating: Option<tabiya::chess::Elo>| rating.map(|elo| u32::from(elo.get()));
        match column {
            Column::Database => cells.text(&self.opened.label),
            Column::Number => cells.number(Some(database.number(game))),
            Column::White => self.name(NameSlot::White, cells),
            Column::Black => self.name(NameSlot::Black, cells),
            Column::Event => self.name(NameSlot::Event, cells),
            Column::Site => self.name(NameSlot::Site, cells),
            Column::Round => self.name(NameSlot::Round, cells),
            Column::WhiteElo => cells.number(elo(keys.white_rating)),
            Column::BlackElo => cells.number(elo(keys.black_rating)),
            Column::Date => date_cell(date, cells),
            Column::EventDate => date_cell(keys.event_date, cells),
            Column::IsoDate => iso_date(date, cells),
            Column::Year => cells.number(date.year().map(u32::from)),
            Column::Month => cells.number(part(date.month())),
            Column::Day => cells.number(part(date.day())),
            Column::Result => cells.text(keys.result.as_str()),
            Column::Eco => match keys.eco {
                Some(eco) => cells.plain(format_args!("{eco}")),
                None => cells.absent(),
            },
            Column::Opening => match opening(database, game) {
                Some(name) => cells.text(name),
                None => cells.absent(),
            },
            Column::Plies => cells.number(Some(match self.line.filter(|_| self.is_read) {
                Some(line) => line.plies(),
                None => plies(database, game)?,
            })),
            Column::Sorted(field) => self.sorted(*field, cells)?,
            Column::DamagedFrom => cells.number(self.damaged_from),
            Column::Ply => cells.number(self.hit.ply),
            Column::Similarity => match self.hit.similarity {
                Some(similarity) => cells.plain(format_args!("{similarity}")),
                None => cells.absent(),
            },
            Column::Line => match line_in_variation(database, self.hit)? {
                Some(line) => cells.text(&line),
                None => cells.absent(),
            },
            Column::Fen => match self.line.and_then(MainLine::start_fen) {
                Some(fen) => cells.text(&fen),
                None => cells.absent(),
            },
            Column::San | Column::Uci | Column::Fens => {
                let texts = self.line.zip(notation(column));
                cells.list(texts.map_or(b"", |(line, notation)| line.bytes(notation)));
            }
            Column::Comments => {
                let comments = self.aside.comments.as_deref();
                cells.list(comments.unwrap_or_default().as_bytes());
            }
            Column::Clocks => list_cell(self.aside.clocks(), cells),
            Column::Evals => list_cell(self.aside.evals(), cells),
            // Tags are written by `tag`.
            Column::Tag(_) => cells.absent(),
        }
        Ok(())
    }

    /// Writes what the game is sorted by; a sum of both ratings as their mean.
    fn sorted(&self, field: SortField, cells: &mut Cells<'_>) -> Result<()> {
        if let Some(kind) = field.name_kind() {
            match self.keys.sort_name(field) {
                Some(id) => self.text(kind, id, cells),
                None => cells.absent(),
            }
            return Ok(());
        }
        match self.opened.database.sort_number(field, self.hit.game)? {
            Some(sum) if field == SortField::Number(NumberField::AvgElo) => {
                cells.decimal(f64::from(sum) / 2.0);
            }
            Some(number) => cells.decimal(number.into()),
            None => cells.absent(),
        }
        Ok(())
    }

    fn name(&self, slot: NameSlot, cells: &mut Cells<'_>) {
        self.text(slot.kind(), self.keys.name(slot), cells);
    }

    fn text(&self, kind: NameKind, id: NameId, cells: &mut Cells<'_>) {
        let name = self.opened.database.name_text(kind, id);
        // Unreadable names are reported once for all games.
        match name.ok().flatten() {
            Some(name) => cells.text(&name),
            None => cells.absent(),
        }
    }

    /// Writes a tag: from the game, otherwise from its header.
    fn tag(&self, name: &str, told: Option<&Option<String>>, cells: &mut Cells<'_>) -> Result<()> {
        let header = || self.opened.database.header(self.hit.game);
        match told {
            Some(Some(value)) => cells.text(value),
            _ if name.eq_ignore_ascii_case("FEN") => {
                cells.text(self.aside.start.as_deref().unwrap_or_default());
            }
            _ if name.eq_ignore_ascii_case("SetUp") => {
                cells.text(self.aside.start.as_ref().map_or("", |_| "1"));
            }
            _ => cells.text(&tag_of_header(&header()?, name).unwrap_or_default()),
        }
        Ok(())
    }
}

/// Writes an array of JSON.
fn list_cell(list: Option<String>, cells: &mut Cells<'_>) {
    match list {
        Some(list) => cells.list(list.as_bytes()),
        None => cells.absent(),
    }
}

/// Returns a part of a date; `None` if it is unknown.
fn part(part: u8) -> Option<u32> {
    Some(u32::from(part)).filter(|&part| part != 0)
}

/// Writes a date as in PGN.
fn date_cell(date: PartialDate, cells: &mut Cells<'_>) {
    if date.is_unknown() {
        cells.absent()
    } else {
        cells.plain(format_args!("{date}"))
    }
}

/// Writes a date as in ISO 8601, as far as it is known and valid: `2010`, `2010-05`, `2010-05-17`.
fn iso_date(date: PartialDate, cells: &mut Cells<'_>) {
    let Some(year) = date.year() else {
        return cells.absent();
    };
    let (month, day) = (date.month(), date.day());
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u8::from(is_leap),
        _ => 0,
    };
    if days == 0 {
        cells.plain(format_args!("{year:04}"));
    } else if (1..=days).contains(&day) {
        cells.plain(format_args!("{year:04}-{month:02}-{day:02}"));
    } else {
        cells.plain(format_args!("{year:04}-{month:02}"));
    }
}

/// Returns a tag of a header; `None` if it is unknown.
fn tag_of_header(header: &GameHeader, name: &str) -> Option<String> {
    let date = |date: PartialDate| (!date.is_unknown()).then(|| date.to_string());
    let rating = |colour: &str, rating: Option<Rating>| {
        let rating = rating?;
        let is_meant = name
            .split_at_checked(colour.len())
            .is_some_and(|(prefix, rest)| {
                prefix.eq_ignore_ascii_case(colour)
                    && rest.eq_ignore_ascii_case(rating.kind.tag_suffix())
            });
        is_meant.then(|| rating.value.to_string())
    };
    match name.to_ascii_lowercase().as_str() {
        "event" => Some(header.event.clone()),
        "site" => Some(header.site.clone()),
        "round" => Some(header.round.clone()),
        "white" => Some(header.white.clone()),
        "black" => Some(header.black.clone()),
        "result" => Some(header.result.as_str().to_owned()),
        "date" => date(header.date),
        "eventdate" => date(header.event_date),
        "eco" => header.eco.map(|eco| eco.to_string()),
        _ => rating("White", header.white_rating).or_else(|| rating("Black", header.black_rating)),
    }
}
