//! Writes games, entries and names to their outputs.

use std::{io::Write, path::Path};

use zerocopy::IntoBytes;

use super::{
    super::{layout::MAGIC, record::Untold},
    Losses, ScdbLayout, Summary,
    encode::EncodedGame,
    names::Names,
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::outputs::Outputs,
};

/// A database being written to any kind of output.
#[derive(Debug)]
pub(super) struct Assembler<W: Write> {
    layout: ScdbLayout,
    outputs: Outputs<W>,
    players: Names,
    sites: Names,
    events: Names,
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
    /// Players, sites, events.
    pub(super) names: [Vec<u8>; 3],
    pub(super) summary: Summary,
}

impl<W: Write> Assembler<W> {
    pub(super) fn new(layout: ScdbLayout, path: &Path, index: W, games: W) -> Result<Assembler<W>> {
        let mut assembler = Assembler {
            layout,
            outputs: Outputs::new(path, index, games),
            players: Names::new(b'n'),
            sites: Names::new(b's'),
            events: Names::new(b'e'),
            game_count: 0,
            games_bytes: 0,
            main_line_moves: 0,
            losses: Losses::default(),
        };
        let mut index_header = [MAGIC, &b"i"[..]].concat();
        match layout {
            // Version 0 and the number of the game to open first, 0 for the first.
            ScdbLayout::Reference => index_header.extend_from_slice(&[0; 9]),
            ScdbLayout::Described => index_header.push(1),
        }
        let games_header = [MAGIC, &b"g"[..]].concat();
        assembler.games_bytes = games_header.len() as u64;
        assembler.outputs.write(|index, games| {
            index.write_all(&index_header)?;
            games.write_all(&games_header)
        })?;
        Ok(assembler)
    }

    pub(super) fn game_count(&self) -> u32 {
        self.game_count
    }

    /// Appends a game. A `LimitExceeded` error leaves the database unchanged, except for unused
    /// names.
    pub(super) fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.outputs.check_unbroken()?;
        let limit = u32::MAX - 1;
        if self.game_count >= limit {
            let (what, limit) = ("the number of games", limit.into());
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        let number = self.game_count + 1;
        let mut record = game.record;
        record.offset.set(self.games_bytes);
        let [white, black, site, event] = &game.names;
        let in_game = |error: Error| error.in_game(number);
        record
            .white
            .set(self.players.reference(white).map_err(in_game)?);
        record
            .black
            .set(self.players.reference(black).map_err(in_game)?);
        record
            .site
            .set(self.sites.reference(site).map_err(in_game)?);
        record
            .event
            .set(self.events.reference(event).map_err(in_game)?);
        self.outputs.write(|index, games| {
            games.write_all(&game.bytes)?;
            match self.layout {
                ScdbLayout::Reference => {
                    let short = record.with_totals(Untold::default());
                    index.write_all(short.as_bytes())
                }
                ScdbLayout::Described => index.write_all(record.as_bytes()),
            }
        })?;

        self.game_count = number;
        self.games_bytes += game.bytes.len() as u64;
        self.main_line_moves += u64::from(game.plies);
        self.losses.add(number, &game.losses);
        Ok(())
    }

    /// Finishes and returns the outputs.
    pub(super) fn finish(self) -> Result<Assembled<W>> {
        self.outputs.check_unbroken()?;
        let (index, games) = self.outputs.finish()?;
        let names = [self.players, self.sites, self.events];
        Ok(Assembled {
            index,
            games,
            summary: Summary {
                games: self.game_count,
                main_line_moves: self.main_line_moves,
                games_bytes: self.games_bytes,
                names: names.each_ref().map(Names::count),
                losses: self.losses,
            },
            names: names.map(Names::into_bytes),
        })
    }
}
