//! A PGN file to which games are appended.

use super::{input::text_to_convert, packing::Packing};
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind, GamesFile,
    error::{Error, Result},
    loss::GameLosses,
    output::{Destination, Output},
};

/// Bytes of text that are packed together. Readers unpack such parts on all processors, and an
/// index finds a game by its part.
const PART_BYTES: usize = 1 << 21;

/// Games as text, which is UTF-8: of a file in another encoding all is written anew.
#[derive(Debug)]
pub struct TextFile {
    games: GamesFile,
    packing: Packing,
    /// Text that is to be packed.
    waiting: Vec<u8>,
    /// Whether the text that was there becomes another one.
    is_converted: bool,
}

impl Assemble for TextFile {
    type Layout = Packing;
    type GameMeta = ();

    fn suffixes(_: Packing) -> &'static [&'static str] {
        GamesFile::suffixes(())
    }

    fn kind(_: Packing) -> Option<FormatKind> {
        GamesFile::kind(())
    }

    fn games_max(_: Packing) -> u32 {
        GamesFile::games_max(())
    }

    fn create(packing: Packing, place: &Destination) -> Result<TextFile> {
        Ok(TextFile {
            games: GamesFile::create((), place)?,
            packing,
            waiting: Vec::new(),
            is_converted: false,
        })
    }

    /// Packed text is refused.
    fn resume(_: Packing, place: &Destination, old: &Change) -> Result<(TextFile, u32)> {
        let (text, path) = (old.read("")?, old.path(""));
        let converted = text_to_convert(&text).map_err(|error| error.at_path(&path))?;
        let is_converted = converted.is_some();
        let games = match converted {
            Some(converted) => GamesFile::of_text(converted, place, &path)?,
            None => GamesFile::resume((), place, old)?.0,
        };
        Ok((
            TextFile {
                games,
                packing: Packing::Plain,
                waiting: Vec::new(),
                is_converted,
            },
            0,
        ))
    }

    fn is_converted(&self) -> bool {
        self.is_converted
    }

    fn append(&mut self, game: &EncodedGame, number: u32) -> Result<()> {
        if self.packing == Packing::Plain {
            return self.games.append(game, number);
        }
        self.waiting.extend_from_slice(&game.bytes);
        if self.waiting.len() >= PART_BYTES {
            self.pack(number)?;
        }
        Ok(())
    }

    fn finish(mut self, games: u32, place: &Destination, ask: Ask<'_>) -> Result<Vec<Output>> {
        if self.packing != Packing::Plain {
            // Of no games an empty part, so that the file is what its name says.
            self.pack(games)?;
        }
        self.games.finish(games, place, ask)
    }
}

impl TextFile {
    /// Writes what waits.
    fn pack(&mut self, number: u32) -> Result<()> {
        let packed = self.packing.pack(std::mem::take(&mut self.waiting));
        let part = EncodedGame {
            bytes: packed.map_err(|cause| Error::io_unnamed("pack", cause))?,
            losses: GameLosses::default(),
            rest: (),
        };
        self.games.append(&part, number)
    }
}
