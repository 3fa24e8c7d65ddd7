//! Writes games, entries and names to their files.

use zerocopy::IntoBytes;

use super::{
    super::{layout::MAGIC, record::Untold},
    encode::GameMeta,
    roster::Names,
};
use crate::{
    Ask, Assemble, EncodedGame, FormatKind, ScdbLayout,
    error::Result,
    output::{Destination, Output},
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

    fn append(&mut self, game: &EncodedGame<GameMeta>, _: u32) -> Result<()> {
        let mut record = game.rest.record;
        record.offset.set(self.games.length());
        let [white, black, site, event] = &game.rest.names;
        record.white.set(self.players.reference(white)?);
        record.black.set(self.players.reference(black)?);
        record.site.set(self.sites.reference(site)?);
        record.event.set(self.events.reference(event)?);
        self.games.append(&game.bytes)?;
        match self.layout {
            ScdbLayout::Reference => {
                let short = record.with_totals(Untold::default());
                self.index.append(short.as_bytes())
            }
            ScdbLayout::Described => self.index.append(record.as_bytes()),
        }
    }

    fn finish(self, _: u32, place: &Destination, _: Ask<'_>) -> Result<Vec<Output>> {
        let [.., players, sites, events] = *SCDB;
        Ok(vec![
            self.games,
            Output::whole(place, players, &self.players.into_bytes())?,
            Output::whole(place, sites, &self.sites.into_bytes())?,
            Output::whole(place, events, &self.events.into_bytes())?,
            self.index,
        ])
    }
}
