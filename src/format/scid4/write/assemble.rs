//! Writes games, records and names to three outputs.

use std::{
    io::{Seek, SeekFrom, Write},
    path::Path,
};

use zerocopy::IntoBytes;

use super::{
    Losses, Properties, Summary,
    edition::Edition,
    encode::{EncodedGame, NAME_SLOTS},
    narrow::narrowed,
    roster::Roster,
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::{
        header::Header,
        outputs::Outputs,
        scid4::{MAGIC, Version, record5::Record5},
    },
};

/// No game crosses a multiple of this offset.
const BLOCK_BYTES: u64 = 131_072;
const DESCRIPTION_BYTES_MAX: usize = 107;
const LABEL_BYTES_MAX: usize = 8;
const VERSION: u16 = 400;

/// A database being written to any kind of output.
#[derive(Debug)]
pub(super) struct Assembler<W: Write> {
    edition: Edition,
    outputs: Outputs<W>,
    roster: Roster,
    properties: Properties,
    game_count: u32,
    games_bytes: u64,
    main_line_moves: u64,
    losses: Losses,
}

/// The outputs of a finished database.
#[derive(Debug)]
pub(super) struct Assembled<W> {
    pub(super) index: W,
    pub(super) games: W,
    pub(super) names: Vec<u8>,
    pub(super) summary: Summary,
}

impl<W: Write + Seek> Assembler<W> {
    pub(super) fn new(edition: Edition, path: &Path, index: W, games: W) -> Result<Assembler<W>> {
        let mut assembler = Assembler {
            edition,
            outputs: Outputs::new(path, index, games),
            roster: Roster::new(edition),
            properties: Properties::default(),
            game_count: 0,
            games_bytes: 0,
            main_line_moves: 0,
            losses: Losses::default(),
        };
        // The header is written last, when the number of games is known.
        let header = match edition {
            Edition::Si4 => vec![0; Version::Si4.header_bytes()],
            Edition::Si5 => Vec::new(),
        };
        assembler
            .outputs
            .write(|index, _| index.write_all(&header))?;
        Ok(assembler)
    }

    pub(super) fn set_properties(&mut self, properties: Properties) {
        self.properties = properties;
    }

    pub(super) fn game_count(&self) -> u32 {
        self.game_count
    }

    /// Appends a game. A `LimitExceeded` error leaves the database unchanged, except for unused
    /// names.
    pub(super) fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.outputs.check_unbroken()?;
        let number = self.game_count + 1;
        let limit =
            |what, limit| Error::new(ErrorKind::LimitExceeded { what, limit }).in_game(number);
        if game.edition != self.edition {
            let what = "a game encoded for another version of Scid's format";
            return Err(Error::new(ErrorKind::Unsupported { what }).in_game(number));
        }
        let games_max = self.edition.games_max();
        if number > games_max {
            return Err(limit("the number of games", games_max.into()));
        }
        let length = game.blob.len() as u64;
        let left = BLOCK_BYTES - self.games_bytes % BLOCK_BYTES;
        let padding = if length > left { left } else { 0 };
        let offset = self.games_bytes + padding;
        let games_bytes_max = self.edition.games_bytes_max();
        if offset + length > games_bytes_max {
            return Err(limit("the bytes of all games", games_bytes_max));
        }
        let mut record = game.record;
        record.set_place(offset, record.length_bytes());
        self.set_names(&mut record, game)
            .map_err(|error| error.in_game(number))?;
        // Scid fills the rest of a block with the beginning of the game that did not fit.
        let junk = game.blob.get(..padding as usize).unwrap_or_default();
        self.outputs.write(|index, games| {
            games.write_all(junk)?;
            games.write_all(&game.blob)?;
            match self.edition {
                Edition::Si4 => index.write_all(narrowed(&record).as_bytes()),
                Edition::Si5 => index.write_all(record.as_bytes()),
            }
        })?;

        self.game_count = number;
        self.games_bytes = offset + length;
        self.main_line_moves += u64::from(game.plies);
        self.losses.add(number, &game.losses);
        Ok(())
    }

    /// Sets a record's name IDs, assigning new ones as needed.
    fn set_names(&mut self, record: &mut Record5, game: &EncodedGame) -> Result<()> {
        let mut start = 0;
        for (index, slot) in NAME_SLOTS.into_iter().enumerate() {
            let end = usize::from(game.name_ends[index]);
            let name = game.names.get(start..end).unwrap_or_default();
            record.set_name(slot, self.roster.intern(slot.kind(), name)?);
            start = end;
        }
        Ok(())
    }

    /// Writes the header and returns the outputs.
    pub(super) fn finish(mut self) -> Result<Assembled<W>> {
        self.outputs.check_unbroken()?;
        let header = match self.edition {
            Edition::Si4 => self.header(),
            Edition::Si5 => {
                self.tell_properties();
                Vec::new()
            }
        };
        self.outputs.write(|index, _| {
            index.seek(SeekFrom::Start(0))?;
            index.write_all(&header)
        })?;
        let (index, games) = self.outputs.finish()?;
        Ok(Assembled {
            index,
            games,
            summary: Summary {
                games: self.game_count,
                main_line_moves: self.main_line_moves,
                games_bytes: self.games_bytes,
                names: self.roster.counts(),
                losses: self.losses,
            },
            names: self.roster.into_bytes(),
        })
    }

    /// Adds to the names all properties that differ from those of a new database.
    fn tell_properties(&mut self) {
        let new = Properties::default();
        let told = &self.properties;
        let number = |told: u32, new: u32| {
            if told == new {
                String::new()
            } else {
                told.to_string()
            }
        };
        let mut entries = vec![
            ("type".to_owned(), number(told.kind, new.kind)),
            ("description".to_owned(), told.description.clone()),
            ("autoload".to_owned(), number(told.autoload, new.autoload)),
        ];
        for (number, label) in (1..).zip(&told.flag_labels) {
            entries.push((format!("flag{number}"), label.clone()));
        }
        for (key, value) in entries.iter().filter(|(_, value)| !value.is_empty()) {
            self.roster.tell_about(key, value);
        }
    }

    /// Returns the header of a `.si4` index.
    fn header(&self) -> Vec<u8> {
        let Properties {
            description,
            kind,
            autoload,
            flag_labels,
        } = &self.properties;
        // A number too large for a game means the last game.
        let autoload_max = Edition::Si4.games_max() + 1;
        let mut header = Vec::with_capacity(Version::Si4.header_bytes());
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_be_bytes());
        header.extend_from_slice(&kind.to_be_bytes());
        header.extend_from_slice(&self.game_count.to_be_bytes()[1..]);
        header.extend_from_slice(&autoload_max.min(*autoload).to_be_bytes()[1..]);
        append_field(&mut header, description, DESCRIPTION_BYTES_MAX);
        for label in flag_labels {
            append_field(&mut header, label, LABEL_BYTES_MAX);
        }
        header
    }
}

/// Appends a text cut to `bytes_max`, padded with zeros to `bytes_max + 1`.
fn append_field(header: &mut Vec<u8>, text: &str, bytes_max: usize) {
    let text = text.split('\0').next().unwrap_or_default();
    let text = &text[..text.floor_char_boundary(bytes_max)];
    header.extend_from_slice(text.as_bytes());
    header.resize(header.len() + bytes_max + 1 - text.len(), 0);
}
