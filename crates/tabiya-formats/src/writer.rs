//! One writer for the databases of all formats.
//!
//! A format brings two parts: an encoder ([`Encode`](super::Encode)) turns games into bytes, in any
//! order and on any thread, and what [assembles](Assemble) them appends these to the new files. The
//! rest is the same for all: numbers of games, limits, losses, and that nothing has the database's
//! name until all is complete.

use std::{io::Read, path::Path};

use tabiya_chess::Flow;

use super::{
    Ask, Change, FormatKind, Overwrite, Parts, Target, check_interrupt, has_database_name,
    loss::{GameLosses, Losses},
    output::{Destination, Output},
    suffix::has_suffix,
};
use crate::error::{Error, ErrorKind, Result};

/// A game as the bytes that are appended to the file of games, and what else the format stores of
/// it: everything except the numbers of its names and its offset.
#[derive(Debug, Clone)]
pub struct EncodedGame<R = ()> {
    pub(crate) bytes: Vec<u8>,
    pub(crate) losses: GameLosses,
    pub(crate) rest: R,
}

impl<R> EncodedGame<R> {
    /// Returns the bytes that the game takes in the file of games.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns what did not fit into the format.
    #[must_use]
    pub fn losses(&self) -> &GameLosses {
        &self.losses
    }
}

/// The files of a new database in one format.
pub trait Assemble: Sized {
    /// What a caller chooses about the files: an edition or a layout.
    type Layout: Copy + std::fmt::Debug;
    /// What the format stores of a game besides its bytes.
    type GameMeta: Send;

    /// Returns the suffixes of all files: index, games, then names; an empty one for the path
    /// itself.
    fn suffixes(layout: Self::Layout) -> &'static [&'static str];

    /// The format of the files; `None` if they are not opened as bytes in memory.
    fn kind(layout: Self::Layout) -> Option<FormatKind>;

    /// Maximum number of games.
    fn games_max(layout: Self::Layout) -> u32;

    /// Creates the files that are appended to.
    fn create(layout: Self::Layout, place: &Destination) -> Result<Self>;

    /// Creates files that are appended to those of a database, and returns the number of games that
    /// it has.
    ///
    /// # Errors
    /// `Unsupported` if the format cannot be appended to; `Corrupt` if its files are damaged.
    fn resume(layout: Self::Layout, place: &Destination, old: &Change) -> Result<(Self, u32)> {
        let _ = (layout, place);
        let what = "adding games to a database of this format";
        Err(Error::unsupported(what).at_path(&old.path("")))
    }

    /// Whether the bytes of the games that the database had are written anew.
    fn is_converted(&self) -> bool {
        false
    }

    /// Takes over what a database that is written anew says besides its games.
    fn keep(&mut self, old: &Change) -> Result<()> {
        let _ = old;
        Ok(())
    }

    /// Appends the game of this 1-based number. After any error but `Io` the files are as before,
    /// except for unused names.
    fn append(&mut self, game: &EncodedGame<Self::GameMeta>, number: u32) -> Result<()>;

    /// Writes a game in the place of that of this 1-based number, which the database had before
    /// this writer was made.
    ///
    /// # Errors
    /// `Unsupported` if the format cannot do that in place; those of [`append`](Assemble::append).
    fn replace(&mut self, game: &EncodedGame<Self::GameMeta>, number: u32) -> Result<()> {
        let _ = (game, number);
        Err(Error::unsupported("changing games of this format in place"))
    }

    /// Completes the files and returns all that change, the index last.
    fn finish(self, games: u32, place: &Destination, ask: Ask<'_>) -> Result<Vec<Output>>;
}

/// Totals of a written database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Number of games.
    pub games: u32,
    /// What did not fit into the format.
    pub losses: Losses,
}

/// Writes a new database.
///
/// No file with the database's name exists until [`finish`](Writer::finish) has succeeded; a
/// dropped writer leaves no files. Names are kept in memory, of `.sn5` up to a bound; games and
/// records are not.
#[derive(Debug)]
pub struct Writer<A: Assemble> {
    pub(crate) assembler: A,
    layout: A::Layout,
    place: Destination,
    written: Written,
    /// Of a database that exists and grows.
    change: Option<Change>,
    /// Number of games that are as they were, from the first on; all ones if all of those that were
    /// there are.
    untouched: u32,
    /// Number of games that were there, as far as the writer counts them.
    resumed: u32,
    /// Whether an output failed, so that the content of the files is unknown.
    is_broken: bool,
}

impl<A: Assemble> Writer<A> {
    /// Prepares to write a database. The path may name any of its files or their stem. The new
    /// files are written to the same directory under temporary names.
    ///
    /// # Errors
    /// `Io` if a file already exists and must not be replaced, or if no file can be created;
    /// `Unsupported` for a path with the suffix of another format; `Unfinished` or `Corrupt` if the
    /// work of a killed process at this path cannot be finished.
    pub fn create(
        path: impl AsRef<Path>,
        layout: A::Layout,
        overwrite: Overwrite,
    ) -> Result<Writer<A>> {
        let (path, suffixes) = (path.as_ref(), A::suffixes(layout));
        if has_database_name(path) && !has_suffix(path, suffixes) && suffixes != [""] {
            let what = "writing a database under the name of another format";
            return Err(Error::unsupported(what).at_path(path));
        }
        let target = Target::for_path(path, suffixes, overwrite)?;
        Writer::at(Destination::Folder(target), layout)
    }

    /// Prepares to write a database into memory.
    ///
    /// # Errors
    /// Currently never fails.
    pub fn in_memory(layout: A::Layout) -> Result<Writer<A>> {
        Writer::at(Destination::Memory, layout)
    }

    /// Prepares to append games to a database, which nobody else can write meanwhile. The path may
    /// name any of its files or their stem. Until [`finish`](Writer::finish) nothing of it changes,
    /// and then all at once; [`undo`](crate::publish::change::undo()) takes it back.
    ///
    /// # Errors
    /// `Io` if there is no database, or its folder cannot be written; `Unfinished` if another
    /// process is writing it; `Unsupported` if the format cannot be appended to; `Corrupt` if its
    /// files are damaged.
    pub fn extend(path: impl AsRef<Path>, layout: A::Layout) -> Result<Writer<A>> {
        let change = Change::begin(path.as_ref(), A::suffixes(layout))?;
        let place = Destination::Folder(change.target());
        let (assembler, games) = A::resume(layout, &place, &change)?;
        Ok(Writer {
            assembler,
            layout,
            place,
            written: Written {
                games,
                ..Written::default()
            },
            change: Some(change),
            untouched: u32::MAX,
            resumed: games,
            is_broken: false,
        })
    }

    /// Prepares to write a database anew in the place of one that exists, so that it can be taken
    /// back as after [`extend`](Writer::extend), whose errors it has.
    pub fn rewrite(path: impl AsRef<Path>, layout: A::Layout) -> Result<Writer<A>> {
        let change = Change::begin(path.as_ref(), A::suffixes(layout))?;
        let place = Destination::Folder(change.target());
        let mut writer = Writer::<A>::at(place, layout)?;
        writer.assembler.keep(&change)?;
        writer.change = Some(change);
        Ok(writer)
    }

    fn at(place: Destination, layout: A::Layout) -> Result<Writer<A>> {
        Ok(Writer {
            assembler: A::create(layout, &place)?,
            layout,
            place,
            written: Written::default(),
            change: None,
            untouched: 0,
            resumed: 0,
            is_broken: false,
        })
    }

    /// Returns the number of games appended so far.
    #[must_use]
    pub fn game_count(&self) -> u32 {
        self.written.games
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`, after which this writer cannot be used any more. `LimitExceeded` with the game's
    /// number if there would be more games, bytes or names than the format can number;
    /// `Unsupported` for a game encoded for another edition. The game is then not appended, but
    /// others can be.
    pub fn append(&mut self, game: &EncodedGame<A::GameMeta>) -> Result<()> {
        self.check_unbroken()?;
        let games_max = A::games_max(self.layout);
        let number = self.written.games.saturating_add(1);
        let appended = if self.written.games >= games_max {
            let (what, limit) = ("the number of games", games_max.into());
            Err(Error::limit(what, limit))
        } else {
            self.assembler.append(game, number)
        };
        appended.map_err(|error| {
            self.is_broken = matches!(error.kind(), ErrorKind::Io { .. });
            if self.is_broken {
                error
            } else {
                error.in_game(number)
            }
        })?;
        self.written.games = number;
        self.written.losses.add(number, &game.losses);
        Ok(())
    }

    /// Writes a game in the place of that of this 1-based number, which the
    /// [extended](Writer::extend) database had before.
    ///
    /// # Errors
    /// Those of [`append`](Writer::append); `Unsupported` if the format cannot do that.
    pub fn replace(&mut self, number: u32, game: &EncodedGame<A::GameMeta>) -> Result<()> {
        self.check_unbroken()?;
        self.untouched = self.untouched.min(number.saturating_sub(1));
        let replaced = self.assembler.replace(game, number);
        self.is_broken =
            matches!(&replaced, Err(error) if matches!(error.kind(), ErrorKind::Io { .. }));
        replaced.map_err(|error| error.in_game(number))?;
        self.written.losses.add(number, &game.losses);
        Ok(())
    }

    /// Writes everything to disk and gives the files their names, the index last. A database that
    /// gets no games stays as it is, and so does what takes its last change back.
    ///
    /// # Errors
    /// `Io`; no new database exists then.
    pub fn finish(self) -> Result<Written> {
        self.finish_asking(&mut || Flow::Continue(()))
    }

    /// As [`finish`](Writer::finish), unless `ask` cancels it.
    pub fn finish_asking(self, ask: Ask<'_>) -> Result<Written> {
        self.check_unbroken()?;
        let is_same = self.untouched == u32::MAX && self.written.games == self.resumed;
        if self.change.is_some() && is_same {
            return Ok(self.written);
        }
        let untouched = if self.assembler.is_converted() {
            0
        } else {
            self.untouched
        };
        let files = self
            .assembler
            .finish(self.written.games, &self.place, ask)?;
        if let Some(change) = self.change {
            check_interrupt(ask)?;
            let files = files.into_iter().map(Output::into_changed);
            change.finish(untouched, files.collect::<Result<_>>()?)?;
        } else if let Destination::Folder(target) = &self.place {
            let files = files.into_iter().map(Output::into_file);
            target.publish(files.collect::<Result<_>>()?, ask)?;
        }
        Ok(self.written)
    }

    /// Returns the files of a database in memory, which
    /// `Database::from_bytes` opens.
    ///
    /// # Errors
    /// Currently never fails for a writer into memory. From a writer of files it returns none.
    pub fn finish_in_memory(self) -> Result<(Parts, Written)> {
        let layout = self.layout;
        let go_on = &mut || Flow::Continue(());
        let mut files = self
            .assembler
            .finish(self.written.games, &self.place, go_on)?;
        let mut file = |nth: usize| {
            let suffix = A::suffixes(layout).get(nth)?;
            let place = files.iter().position(|file| file.suffix == *suffix)?;
            Some(files.swap_remove(place).into_bytes())
        };
        let parts = Parts {
            format: A::kind(layout),
            index: file(0).transpose()?.unwrap_or_default(),
            games: file(1).transpose()?,
            names: file(2).transpose()?,
            sites: file(3).transpose()?,
            events: file(4).transpose()?,
        };
        Ok((parts, self.written))
    }

    fn check_unbroken(&self) -> Result<()> {
        if self.is_broken {
            let cause = std::io::Error::other("an earlier write failed");
            Err(Error::io("write", &self.place.path(""), cause))
        } else {
            Ok(())
        }
    }
}

/// A file whose games follow each other without an index, such as PGN.
#[derive(Debug)]
pub struct GamesFile(Output);

/// Bytes of a text that are copied together.
const COPY_BYTES: usize = 1 << 16;
/// Bytes at the end of a text that decide what separates it from the next game.
const END_BYTES: usize = 3;

impl GamesFile {
    /// Writes a text, and what separates it from the next game.
    pub(crate) fn of_text(
        mut text: impl Read,
        place: &Destination,
        path: &Path,
    ) -> Result<GamesFile> {
        let mut file = Output::new(place, "", 0)?;
        let (mut buffer, mut end) = (vec![0; COPY_BYTES], Vec::new());
        loop {
            let read = text.read(&mut buffer);
            let read = read.map_err(|cause| Error::io("read", path, cause))?;
            if read == 0 {
                break;
            }
            file.append(&buffer[..read])?;
            end.extend_from_slice(&buffer[read.saturating_sub(END_BYTES)..read]);
            end.drain(..end.len().saturating_sub(END_BYTES));
        }
        file.append(separator(&end))?;
        Ok(GamesFile(file))
    }
}

/// Returns what stands between the end of a text and the next game.
fn separator(text: &[u8]) -> &'static [u8] {
    match text {
        [] | [.., b'\n', b'\n'] | [.., b'\n', b'\r', b'\n'] => b"",
        [.., b'\n'] => b"\n",
        _ => b"\n\n",
    }
}

impl Assemble for GamesFile {
    type Layout = ();
    type GameMeta = ();

    fn suffixes((): ()) -> &'static [&'static str] {
        &[""]
    }

    fn kind((): ()) -> Option<FormatKind> {
        None
    }

    fn games_max((): ()) -> u32 {
        u32::MAX
    }

    fn create((): (), place: &Destination) -> Result<GamesFile> {
        Output::new(place, "", 0).map(GamesFile)
    }

    fn resume((): (), place: &Destination, old: &Change) -> Result<(GamesFile, u32)> {
        let text = old.read("")?;
        let mut file = Output::growing(place, "", text.len() as u64)?;
        // An empty line, as between all games.
        file.append(separator(&text))?;
        Ok((GamesFile(file), 0))
    }

    fn append(&mut self, game: &EncodedGame, _: u32) -> Result<()> {
        self.0.append(&game.bytes)
    }

    fn finish(self, _: u32, _: &Destination, _: Ask<'_>) -> Result<Vec<Output>> {
        Ok(vec![self.0])
    }
}
