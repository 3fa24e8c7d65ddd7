//! A PGN file to which games are appended.

use super::input::text_to_convert;
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind, GamesFile,
    error::Result,
    output::{Destination, Output},
};

/// Games as text, which is UTF-8: of a file in another encoding all is written anew.
#[derive(Debug)]
pub struct TextFile {
    games: GamesFile,
    /// Whether the text that was there becomes another one.
    is_converted: bool,
}

impl Assemble for TextFile {
    type Layout = ();
    type GameMeta = ();

    fn suffixes((): ()) -> &'static [&'static str] {
        GamesFile::suffixes(())
    }

    fn kind((): ()) -> Option<FormatKind> {
        GamesFile::kind(())
    }

    fn games_max((): ()) -> u32 {
        GamesFile::games_max(())
    }

    fn create((): (), place: &Destination) -> Result<TextFile> {
        Ok(TextFile {
            games: GamesFile::create((), place)?,
            is_converted: false,
        })
    }

    fn resume((): (), place: &Destination, old: &Change) -> Result<(TextFile, u32)> {
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
                is_converted,
            },
            0,
        ))
    }

    fn is_converted(&self) -> bool {
        self.is_converted
    }

    fn append(&mut self, game: &EncodedGame, number: u32) -> Result<()> {
        self.games.append(game, number)
    }

    fn finish(self, games: u32, place: &Destination, ask: Ask<'_>) -> Result<Vec<Output>> {
        self.games.finish(games, place, ask)
    }
}
