//! Writes games, entries and names to their files.

use std::path::Path;

use zerocopy::{FromBytes, IntoBytes};

use super::{
    super::{
        flaws,
        layout::{self, Layout, MAGIC},
        record::{Long, Short, Untold},
    },
    encode::GameMeta,
    roster::Names,
};
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind, ScdbLayout,
    error::{Error, Result},
    output::{Destination, Output},
    source::Source,
    suffix::SCDB,
};

/// The files of a new database.
#[derive(Debug)]
pub struct Assembler {
    layout: ScdbLayout,
    index: Output,
    games: Output,
    players: Names,
    sites: Names,
    events: Names,
    /// The index and the games of a database that exists and grows.
    old: Option<(Source, Source)>,
}

impl Assemble for Assembler {
    type Layout = ScdbLayout;
    type GameMeta = GameMeta;

    fn suffixes(_: ScdbLayout) -> &'static [&'static str] {
        SCDB
    }

    fn kind(layout: ScdbLayout) -> Option<FormatKind> {
        Some(match layout {
            ScdbLayout::Reference => FormatKind::Scdb,
            ScdbLayout::Described => FormatKind::Scdb11,
        })
    }

    fn games_max(_: ScdbLayout) -> u32 {
        u32::MAX - 1
    }

    fn create(layout: ScdbLayout, place: &Destination) -> Result<Assembler> {
        let [index, games, ..] = *SCDB;
        let mut assembler = Assembler {
            layout,
            index: Output::new(place, index, 0)?,
            games: Output::new(place, games, 0)?,
            players: Names::new(b'n'),
            sites: Names::new(b's'),
            events: Names::new(b'e'),
            old: None,
        };
        assembler.index.append(&[MAGIC, &b"i"[..]].concat())?;
        assembler.index.append(match layout {
            // Version 0 and the number of the game to open first, 0 for the first.
            ScdbLayout::Reference => &[0; 9],
            ScdbLayout::Described => &[1],
        })?;
        assembler.games.append(&[MAGIC, &b"g"[..]].concat())?;
        Ok(assembler)
    }

    fn resume(layout: ScdbLayout, place: &Destination, old: &Change) -> Result<(Assembler, u32)> {
        let [index, games, players, sites, events] = *SCDB;
        let (records, bytes) = (old.read(index)?, old.read(games)?);
        let found = Layout::of(&records).unwrap_or(layout::REFERENCE);
        let stored = records.len().saturating_sub(found.header_bytes);
        if found != stored_as(layout) || stored % found.entry_bytes() > 0 {
            let what = flaws::INDEX_OF_OTHER_LENGTH;
            return Err(Error::corrupt(what).at_path(&old.path(index)));
        }
        let names = |suffix| {
            let names = Names::resume(&old.read(suffix)?);
            names.map_err(|error| error.at_path(&old.path(suffix)))
        };
        let assembler = Assembler {
            layout,
            index: Output::growing(place, index, records.len() as u64)?,
            games: Output::growing(place, games, bytes.len() as u64)?,
            players: names(players)?,
            sites: names(sites)?,
            events: names(events)?,
            old: Some((records, bytes)),
        };
        Ok((assembler, (stored / found.entry_bytes()) as u32))
    }

    fn append(&mut self, game: &EncodedGame<GameMeta>, _: u32) -> Result<()> {
        let entry = self.entry(game, self.games.length())?;
        self.games.append(&game.bytes)?;
        match self.layout {
            ScdbLayout::Reference => self.index.append(shortened(entry).as_bytes()),
            ScdbLayout::Described => self.index.append(entry.as_bytes()),
        }
    }

    fn replace(&mut self, game: &EncodedGame<GameMeta>, number: u32) -> Result<()> {
        let layout = stored_as(self.layout);
        let entries = u64::from(number - 1) * layout.entry_bytes() as u64;
        let place = layout.header_bytes as u64 + entries;
        let offset = self.offset_of_same(game, place as usize);
        let entry = self.entry(game, offset.unwrap_or(self.games.length()))?;
        if offset.is_none() {
            self.games.append(&game.bytes)?;
        }
        match self.layout {
            ScdbLayout::Reference => self.index.overwrite(place, shortened(entry).as_bytes()),
            ScdbLayout::Described => self.index.overwrite(place, entry.as_bytes()),
        }
    }

    fn finish(self, _: u32, place: &Destination, _: Ask<'_>) -> Result<Vec<Output>> {
        let [.., players, sites, events] = *SCDB;
        Ok(vec![
            self.games,
            self.players.into_output(place, players)?,
            self.sites.into_output(place, sites)?,
            self.events.into_output(place, events)?,
            self.index,
        ])
    }
}

impl Assembler {
    /// Returns the entry of a game whose bytes are at this offset.
    fn entry(&mut self, game: &EncodedGame<GameMeta>, offset: u64) -> Result<Long> {
        let mut record = game.rest.record;
        record.offset.set(offset);
        let [white, black, site, event] = &game.rest.names;
        record.white.set(self.players.reference(white)?);
        record.black.set(self.players.reference(black)?);
        record.site.set(self.sites.reference(site)?);
        record.event.set(self.events.reference(event)?);
        Ok(record)
    }

    /// Returns where the bytes of the game are whose entry lies at `place`, if they are those of
    /// this game.
    fn offset_of_same(&self, game: &EncodedGame<GameMeta>, place: usize) -> Option<u64> {
        let (index, games) = self.old.as_ref()?;
        let (entry, _) = Short::ref_from_prefix(index.get(place..)?).ok()?;
        let offset = entry.offset.get();
        let bytes = games.get(usize::try_from(offset).ok()?..)?;
        bytes.starts_with(&game.bytes).then_some(offset)
    }
}

fn shortened(entry: Long) -> Short {
    entry.with_totals(Untold::default())
}

/// Returns the layout of an index that is written in this one.
fn stored_as(layout: ScdbLayout) -> Layout {
    match layout {
        ScdbLayout::Reference => layout::REFERENCE,
        ScdbLayout::Described => layout::DESCRIBED,
    }
}

/// Returns the layout in which games can be added to an index.
///
/// # Errors
/// `Io`; `Unsupported` if no games can be written in it.
pub fn layout_of(index: &Path) -> Result<ScdbLayout> {
    let found = Layout::of(&Source::map(index)?);
    let known = [ScdbLayout::Reference, ScdbLayout::Described];
    let layout = known
        .into_iter()
        .find(|known| found == Some(stored_as(*known)));
    let what = "adding games to an index of this layout";
    layout.ok_or_else(|| Error::unsupported(what).at_path(index))
}
