//! Writes games, records and names to their files.

use tabiya_chess::NameKind;
use zerocopy::{FromBytes, IntoBytes};

use super::{
    Properties,
    edition::Edition,
    encode::{GameMeta, NAME_SLOTS},
    narrow::narrowed,
    roster::Roster,
};
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind,
    bytes::Cursor,
    error::{Error, Result},
    header::Header,
    output::{Destination, Output},
    scid4::{MAGIC, Version, flaws, names5, record::Record, record5::Record5},
    source::Source,
};

/// No game crosses a multiple of this offset.
const BLOCK_BYTES: u64 = 131_072;
const DESCRIPTION_BYTES_MAX: usize = 107;
const LABEL_BYTES_MAX: usize = 8;
const VERSION: u16 = 400;
/// Where the header has the number of games, in three bytes.
const GAME_COUNT_AT: usize = 14;

/// The files of a new database.
#[derive(Debug)]
pub struct Assembler {
    edition: Edition,
    index: Output,
    games: Output,
    roster: Roster,
    properties: Properties,
    /// The header of the `.si4` index in whose place this one is written, for its properties.
    old_header: Option<Vec<u8>>,
    /// Of a database that exists and grows: its properties stay.
    old: Option<Old>,
}

/// The records and the games before the change.
#[derive(Debug)]
struct Old {
    index: Source,
    games: Source,
}

impl Assemble for Assembler {
    type Layout = Edition;
    type GameMeta = GameMeta;

    fn suffixes(edition: Edition) -> &'static [&'static str] {
        edition.suffixes()
    }

    fn kind(edition: Edition) -> Option<FormatKind> {
        Some(match edition {
            Edition::Si4 => FormatKind::Scid4,
            Edition::Si5 => FormatKind::Scid5,
        })
    }

    fn games_max(edition: Edition) -> u32 {
        edition.games_max()
    }

    fn create(edition: Edition, place: &Destination) -> Result<Assembler> {
        let [index, games, _] = *edition.suffixes();
        // The header is written last, when the number of games is known.
        let header_bytes = match edition {
            Edition::Si4 => Version::Si4.header_bytes(),
            Edition::Si5 => 0,
        };
        Ok(Assembler {
            edition,
            index: Output::new(place, index, header_bytes)?,
            games: Output::new(place, games, 0)?,
            roster: Roster::new(edition, place)?,
            properties: Properties::default(),
            old_header: None,
            old: None,
        })
    }

    fn resume(edition: Edition, place: &Destination, old: &Change) -> Result<(Assembler, u32)> {
        let [index, games, names] = *edition.suffixes();
        let (records, bytes) = (old.read(index)?, old.read(games)?);
        let version = version_of(edition);
        let stored = records.len().saturating_sub(version.header_bytes());
        let record_bytes = version.record_bytes();
        let count = match edition {
            Edition::Si4 => records
                .get(GAME_COUNT_AT..)
                .and_then(|count| Cursor::new(count).u24_be()),
            Edition::Si5 => u32::try_from(stored / record_bytes).ok(),
        };
        let count = count.unwrap_or_default();
        if stored != count as usize * record_bytes {
            let what = flaws::INDEX_OF_OTHER_LENGTH;
            return Err(Error::corrupt(what).at_path(&old.path(index)));
        }
        let roster = Roster::resume(edition, place, &old.read(names)?);
        let assembler = Assembler {
            edition,
            index: Output::growing(place, index, records.len() as u64)?,
            games: Output::growing(place, games, bytes.len() as u64)?,
            roster: roster.map_err(|error| error.at_path(&old.path(names)))?,
            properties: Properties::default(),
            old_header: None,
            old: Some(Old {
                index: records,
                games: bytes,
            }),
        };
        Ok((assembler, count))
    }

    fn keep(&mut self, old: &Change) -> Result<()> {
        let [index, _, names] = *self.edition.suffixes();
        match self.edition {
            Edition::Si4 => {
                let header = old.read(index)?;
                let header = header.get(..self.version().header_bytes());
                self.old_header = header.map(<[u8]>::to_vec);
                Ok(())
            }
            Edition::Si5 => {
                let mut told = Ok(());
                names5::each_property(&old.read(names)?, |property| {
                    if told.is_ok() {
                        told = self.roster.tell_about(property);
                    }
                });
                told
            }
        }
    }

    fn append(&mut self, game: &EncodedGame<GameMeta>, _: u32) -> Result<()> {
        self.check_edition(game)?;
        let (offset, padding) = self.room_for(game)?;
        let mut record = game.rest.record;
        record.set_place(offset, record.length_bytes());
        self.set_names(&mut record, game, Roster::intern)?;
        self.append_bytes(game, padding)?;
        match self.edition {
            Edition::Si4 => self.index.append(narrowed(&record).as_bytes()),
            Edition::Si5 => self.index.append(record.as_bytes()),
        }
    }

    fn replace(&mut self, game: &EncodedGame<GameMeta>, number: u32) -> Result<()> {
        self.check_edition(game)?;
        let mut record = game.rest.record;
        self.set_names(&mut record, game, Roster::find_or_intern)?;
        let place = u64::from(number - 1) * self.version().record_bytes() as u64;
        let place = self.version().header_bytes() as u64 + place;
        let offset = match self.offset_of_same(game, place as usize) {
            Some(offset) => offset,
            None => {
                let (offset, padding) = self.room_for(game)?;
                self.append_bytes(game, padding)?;
                offset
            }
        };
        record.set_place(offset, record.length_bytes());
        match self.edition {
            Edition::Si4 => self.index.overwrite(place, narrowed(&record).as_bytes()),
            Edition::Si5 => self.index.overwrite(place, record.as_bytes()),
        }
    }

    fn finish(mut self, games: u32, place: &Destination, _: Ask<'_>) -> Result<Vec<Output>> {
        match self.edition {
            _ if self.old.is_some() => {
                let count = games.to_be_bytes();
                if self.edition == Edition::Si4 {
                    self.index.overwrite(GAME_COUNT_AT as u64, &count[1..])?;
                }
            }
            Edition::Si4 => self.index.set_header(&self.header(games))?,
            Edition::Si5 => self.tell_properties()?,
        }
        let mut files = vec![self.games];
        if self.old.is_none() || self.roster.has_changed() {
            files.push(self.roster.into_output(place)?);
        }
        files.push(self.index);
        Ok(files)
    }
}

impl Assembler {
    fn version(&self) -> Version {
        version_of(self.edition)
    }

    fn check_edition(&self, game: &EncodedGame<GameMeta>) -> Result<()> {
        if game.rest.edition == self.edition {
            return Ok(());
        }
        let what = "a game encoded for another version of Scid's format";
        Err(Error::unsupported(what))
    }

    /// Returns the offset at which a game is appended, and the number of bytes before it that fill
    /// a block.
    fn room_for(&self, game: &EncodedGame<GameMeta>) -> Result<(u64, u64)> {
        let length = game.bytes.len() as u64;
        let left = BLOCK_BYTES - self.games.length() % BLOCK_BYTES;
        let padding = if length > left { left } else { 0 };
        let offset = self.games.length() + padding;
        let limit = self.edition.games_bytes_max();
        if offset + length > limit {
            let what = "the bytes of all games";
            return Err(Error::limit(what, limit));
        }
        Ok((offset, padding))
    }

    fn append_bytes(&mut self, game: &EncodedGame<GameMeta>, padding: u64) -> Result<()> {
        // Scid fills the rest of a block with the beginning of the game that did not fit.
        let junk = game.bytes.get(..padding as usize).unwrap_or_default();
        self.games.append(junk)?;
        self.games.append(&game.bytes)
    }

    /// Returns where the bytes of the game are whose record lies at `place`, if they are those of
    /// this game.
    fn offset_of_same(&self, game: &EncodedGame<GameMeta>, place: usize) -> Option<u64> {
        let old = self.old.as_ref()?;
        let record = old.index.get(place..)?;
        let (offset, length) = match self.edition {
            Edition::Si4 => place_of(Record::ref_from_prefix(record).ok()?.0),
            Edition::Si5 => place_of(Record5::ref_from_prefix(record).ok()?.0),
        };
        let bytes = old.games.get(usize::try_from(offset).ok()?..)?;
        (bytes.get(..length as usize)? == game.bytes).then_some(offset)
    }

    pub(super) fn set_properties(&mut self, properties: Properties) {
        self.properties = properties;
    }

    /// Sets a record's name IDs, which `number` finds or assigns.
    fn set_names(
        &mut self,
        record: &mut Record5,
        game: &EncodedGame<GameMeta>,
        number: impl Fn(&mut Roster, NameKind, &[u8]) -> Result<u32>,
    ) -> Result<()> {
        let mut start = 0;
        for (index, slot) in NAME_SLOTS.into_iter().enumerate() {
            let end = usize::from(game.rest.name_ends[index]);
            let name = game.rest.names.get(start..end).unwrap_or_default();
            record.set_name(slot, number(&mut self.roster, slot.kind(), name)?);
            start = end;
        }
        Ok(())
    }

    /// Adds to the names all properties that differ from those of a new database.
    fn tell_properties(&mut self) -> Result<()> {
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
            self.roster.tell_about(format!("{key}{value}").as_bytes())?;
        }
        Ok(())
    }

    /// Returns the header of a `.si4` index.
    fn header(&self, games: u32) -> Vec<u8> {
        let Properties {
            description,
            kind,
            autoload,
            flag_labels,
        } = &self.properties;
        if let Some(old) = &self.old_header {
            let mut header = old.clone();
            header[GAME_COUNT_AT..GAME_COUNT_AT + 3].copy_from_slice(&games.to_be_bytes()[1..]);
            return header;
        }
        // A number too large for a game means the last game.
        let autoload_max = Edition::Si4.games_max() + 1;
        let mut header = Vec::with_capacity(Version::Si4.header_bytes());
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_be_bytes());
        header.extend_from_slice(&kind.to_be_bytes());
        header.extend_from_slice(&games.to_be_bytes()[1..]);
        header.extend_from_slice(&autoload_max.min(*autoload).to_be_bytes()[1..]);
        append_field(&mut header, description, DESCRIPTION_BYTES_MAX);
        for label in flag_labels {
            append_field(&mut header, label, LABEL_BYTES_MAX);
        }
        header
    }
}

fn version_of(edition: Edition) -> Version {
    match edition {
        Edition::Si4 => Version::Si4,
        Edition::Si5 => Version::Si5,
    }
}

/// Returns the offset and the length of a game.
fn place_of(record: &impl Header) -> (u64, u32) {
    (record.offset_bytes(), record.length_bytes())
}

/// Appends a text cut to `bytes_max`, padded with zeros to `bytes_max + 1`.
fn append_field(header: &mut Vec<u8>, text: &str, bytes_max: usize) {
    let text = text.split('\0').next().unwrap_or_default();
    let text = &text[..text.floor_char_boundary(bytes_max)];
    header.extend_from_slice(text.as_bytes());
    header.resize(header.len() + bytes_max + 1 - text.len(), 0);
}
