//! Copying games from any format that can be read to one that can be written.

use std::{
    io::BufWriter,
    path::{Path, PathBuf},
};

use rayon::prelude::*;
use tabiya::{
    Database, Error, ErrorKind, Flow, GameId, Progress, Result,
    format::{
        GameHeader, Visitor,
        pgn::{self, GameText, Input},
    },
};
use tempfile::NamedTempFile;

use super::{databases, failure::Usage};

/// What came of a conversion.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    /// Games written.
    pub(crate) games: u64,
    /// Games that could not be read, each with the reason.
    pub(crate) damaged: Vec<Error>,
    /// What the target could not hold, and in how many games.
    pub(crate) losses: Vec<(String, u64)>,
}

/// Games that are read and made ready together, on all threads.
const WAVE_GAMES: u32 = 4096;

/// The formats that can be written, by the ends of their names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TargetKind {
    Pgn,
    Scid4,
}

fn target_kind(target: &Path) -> Option<TargetKind> {
    let suffix = target.extension()?.to_string_lossy().to_ascii_lowercase();
    match suffix.as_str() {
        "pgn" => Some(TargetKind::Pgn),
        "si4" => Some(TargetKind::Scid4),
        _ => None,
    }
}

/// Returns the files that writing to this path creates; `None` when no format is written there.
pub(crate) fn target_files(target: &Path) -> Option<Vec<PathBuf>> {
    Some(match target_kind(target)? {
        TargetKind::Pgn => vec![target.to_owned()],
        TargetKind::Scid4 => ["si4", "sg4", "sn4"]
            .map(|suffix| target.with_extension(suffix))
            .into(),
    })
}

/// Converts `sources`, in this order, to `target`, which is replaced if it exists. Nothing is
/// to be seen of the target until it is complete.
pub(crate) fn convert(
    sources: &[PathBuf],
    target: &Path,
    progress: impl FnMut(Progress) -> Flow,
) -> anyhow::Result<Converted> {
    let sources: Vec<Source> = sources
        .iter()
        .map(|path| Source::open(path))
        .collect::<anyhow::Result<_>>()?;
    match target_kind(target) {
        Some(TargetKind::Pgn) => copy(&sources, PgnFile::create(target)?, progress),
        // MERGE: `impl Target` for the writer of Scid databases: `make` runs an `Encoder`,
        // `take` appends, `finish` publishes and lists the losses.
        Some(TargetKind::Scid4) | None => {
            let message = format!("{}: writing this is not supported yet", target.display());
            Err(Usage(message).into())
        }
    }
}

/// Somewhere to read games from.
enum Source {
    Base(Box<Database>),
    Pgn(Input),
}

impl Source {
    fn open(path: &Path) -> anyhow::Result<Source> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let name = name.to_ascii_lowercase();
        let endings = [".pgn", ".pgn.gz", ".pgn.bz2", ".pgn.zst"];
        Ok(match endings.iter().any(|ending| name.ends_with(ending)) {
            true => Source::Pgn(Input::open(path)?),
            false => Source::Base(Box::new(databases::open(path)?)),
        })
    }
}

/// Tells a game to a visitor.
type Tell<'t> = &'t dyn Fn(&mut dyn Visitor) -> Result<()>;

/// Somewhere to write games to.
trait Target {
    /// A game made ready to be written.
    type Made: Send;

    /// Makes a game ready, on any thread.
    fn make(header: &GameHeader, tell: Tell<'_>) -> Result<Self::Made>;

    /// Writes a game.
    fn take(&mut self, made: Self::Made) -> Result<()>;

    /// Completes the target; returns what it could not hold and in how many games.
    fn finish(self) -> anyhow::Result<Vec<(String, u64)>>;
}

/// Copies all games. The first source's games come first.
fn copy<T: Target>(
    sources: &[Source],
    mut target: T,
    mut progress: impl FnMut(Progress) -> Flow,
) -> anyhow::Result<Converted> {
    let mut converted = Converted::default();
    // How many games a PGN file holds, nobody knows before its end.
    let total = sources
        .iter()
        .map(|source| match source {
            Source::Base(database) => Some(u64::from(database.len())),
            Source::Pgn(_) => None,
        })
        .sum::<Option<u64>>()
        .unwrap_or_default();
    let mut done = 0;
    let mut deliver = |made: Result<T::Made>| {
        match made {
            Ok(made) => {
                target.take(made)?;
                converted.games += 1;
            }
            Err(error) if is_about_one_game(&error) => converted.damaged.push(error),
            Err(error) => return Err(error),
        }
        done += 1;
        if done % u64::from(WAVE_GAMES) == 0 && progress(Progress { done, total }).is_break() {
            return Err(Error::interrupted());
        }
        Ok(())
    };
    for source in sources {
        match source {
            Source::Base(database) => copy_base::<T>(database, &mut deliver)?,
            Source::Pgn(input) => pgn::for_each_game(
                input,
                |game| T::make(game.header(), &|visitor| game.replay(visitor)),
                |_, made| deliver(made),
            )?,
        }
    }
    converted.losses = target.finish()?;
    Ok(converted)
}

/// Tells whether the other games can be had all the same.
fn is_about_one_game(error: &Error) -> bool {
    error.game().is_some() || matches!(error.kind(), ErrorKind::LimitExceeded { .. })
}

/// Reads the games of a database on all threads and delivers them in order.
fn copy_base<T: Target>(
    database: &Database,
    deliver: &mut impl FnMut(Result<T::Made>) -> Result<()>,
) -> Result<()> {
    let mut first = 0;
    while first < database.len() {
        let behind = database.len().min(first + WAVE_GAMES);
        let wave: Vec<Result<T::Made>> = (first..behind)
            .into_par_iter()
            .map(|index| {
                let game = GameId(index);
                let header = database.header(game)?;
                T::make(&header, &|visitor| database.visit(game, visitor))
            })
            .collect();
        wave.into_iter().try_for_each(&mut *deliver)?;
        first = behind;
    }
    Ok(())
}

/// A PGN file that gets its name when it is complete.
struct PgnFile {
    writer: pgn::Writer<BufWriter<NamedTempFile>>,
    path: PathBuf,
}

impl PgnFile {
    fn create(path: &Path) -> anyhow::Result<PgnFile> {
        let directory = match path.parent() {
            Some(parent) if parent != Path::new("") => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        #[cfg(unix)]
        {
            // As for any new file: what the user's mask allows.
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(0o666));
        }
        Ok(PgnFile {
            writer: pgn::Writer::new(BufWriter::new(builder.tempfile_in(directory)?)),
            path: path.to_owned(),
        })
    }
}

impl Target for PgnFile {
    type Made = String;

    fn make(header: &GameHeader, tell: Tell<'_>) -> Result<String> {
        let mut text = GameText::new(header);
        tell(&mut text)?;
        text.finish()
    }

    fn take(&mut self, made: String) -> Result<()> {
        self.writer.write_text(&made)
    }

    fn finish(self) -> anyhow::Result<Vec<(String, u64)>> {
        let file = self.writer.finish()?.into_inner()?;
        file.persist(&self.path)?;
        Ok(Vec::new())
    }
}
