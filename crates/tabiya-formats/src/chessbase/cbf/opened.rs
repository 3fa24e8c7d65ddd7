//! A database: an index in memory; games are decoded from their file.

use std::path::Path;

use tabiya_chess::NameKind;

use super::{
    layout::{GAMES, INDEX, Places},
    survey::survey,
};
use crate::{
    File, FormatKind, OpenSettings, Report, Store, TextEncoding,
    encoding::Charset,
    error::{Error, Result},
    file,
    indexed::Index,
    names::NameList,
    suffix::companion_path,
};

/// The usual code page of texts.
const CODE_PAGE: &str = "ibm850";

/// An open database of ChessBase 1 to 5.
#[derive(Debug)]
pub struct CbfBase {
    /// `None` if it is missing.
    places: Option<File>,
    pub(super) file: File,
    pub(super) index: Index,
    pub(super) charset: Charset,
    /// The encoding that somebody said.
    said: Option<TextEncoding>,
}

/// Opens a database by its index, and reads all its games once. Without the index its games are
/// found by their lengths, which is noted; when salvaging also if they are more than the index
/// has. Also returns notes about the index.
///
/// # Errors
/// `Io` or `Missing` for the games; `Truncated` for an index without a count; `LimitExceeded`;
/// `Interrupted` after a `Break` from `progress`.
pub(crate) fn open(
    path: &Path,
    options: &OpenSettings,
    progress: Report<'_>,
) -> Result<(CbfBase, Vec<Error>)> {
    let opened = File::open(path, options.access);
    let games = File::open(&companion_path(path, GAMES), options.access);
    let (index, games) = match (opened, games) {
        (Ok(index), Ok(games)) => (Some(index), games),
        (Ok(index), Err(_)) => return Err(file::without(&index.path, GAMES, "the games")),
        (Err(error), Err(_)) => return Err(error),
        (Err(error), Ok(_)) if path.exists() => return Err(error),
        (Err(_), Ok(games)) => (None, games),
    };
    let mut notes = Vec::new();
    let mut places = match &index {
        None => {
            notes.push(file::without(&games.path, INDEX, "the index"));
            None
        }
        Some(index) => {
            let read = Places::read(&index.bytes, &games.bytes);
            let mut read = read.map_err(|error| error.at_path(&index.path))?;
            let note = read.flaw.take();
            notes.extend(note.map(|note| note.at_path(&index.path)));
            Some(read)
        }
    };
    if places.is_none() || options.salvage {
        let mut found = Places::find(&games.bytes);
        let known = places.as_ref().map(|places| places.offsets.len());
        if known.is_none_or(|known| found.offsets.len() > known) {
            let note = found.flaw.take();
            notes.extend(note.map(|note| note.at_path(&games.path)));
            places = Some(found);
        }
    }
    let dos = Charset::default().or(CODE_PAGE.parse().ok());
    let charset = dos.or(options.encoding);
    let offsets = places.unwrap_or_default().offsets;
    let base = CbfBase {
        index: survey(&games.bytes, &offsets, charset, progress)?,
        places: index,
        file: games,
        charset,
        said: options.encoding,
    };
    Ok((base, notes))
}

impl Store for CbfBase {
    fn kind(&self) -> FormatKind {
        FormatKind::Cbf
    }

    fn game_count(&self) -> u32 {
        self.index.game_count()
    }

    fn encoding(&self) -> Option<TextEncoding> {
        self.said
    }

    fn files(&self) -> Vec<&File> {
        self.places.iter().chain([&self.file]).collect()
    }

    fn names(&self, kind: NameKind) -> Result<&NameList> {
        Ok(self.index.names(kind))
    }

    fn games_path(&self) -> &Path {
        &self.file.path
    }
}
