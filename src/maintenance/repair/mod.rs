//! Writes every readable game of a damaged database to a new one.

mod game;

use std::{
    fs,
    path::{Path, PathBuf},
};

use tabiya_chess::{Flow, GameId};
use tabiya_formats::{
    GameHeader, Layout, Lost, MontyLayout, Overwrite,
    error::{Error, ErrorKind, Result},
    progress::Progress,
};

pub use self::game::{GameLoss, RepairedGame};
use crate::database::OpenOptions;
use crate::{
    database::Database,
    filter::GameSet,
    maintenance::{
        convert::{
            ConvertOptions, Delivered, Found, Games, RecordOutcome, check_interrupt_at_intervals,
            for_each_of, leave_out, target_files, write,
        },
        verify::file_notes,
    },
};

/// Options for reading a damaged database and writing the new one.
#[derive(Debug, Clone, Default)]
#[must_use = "options repair nothing by themselves"]
pub struct RepairOptions {
    writing: ConvertOptions,
    opening: OpenOptions,
}

impl RepairOptions {
    /// Creates the defaults: no file is replaced.
    pub fn new() -> RepairOptions {
        RepairOptions::default()
    }

    /// What to do if the new database already exists.
    pub fn overwrite(mut self, overwrite: Overwrite) -> Self {
        self.writing = self.writing.overwrite(overwrite);
        self
    }

    /// The layout of the new database, as for [`ConvertOptions::layout`].
    pub fn layout(mut self, layout: impl Into<Layout>) -> Self {
        self.writing = self.writing.layout(layout);
        self
    }

    /// How the source is opened; [`OpenOptions::salvage`] is always set and sidecars are never
    /// used.
    pub fn opening(mut self, opening: OpenOptions) -> Self {
        self.opening = opening;
        self
    }
}

impl From<Overwrite> for RepairOptions {
    fn from(overwrite: Overwrite) -> RepairOptions {
        RepairOptions::new().overwrite(overwrite)
    }
}

/// The result of a repair.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Repair {
    /// Games in the source; the sum of the next three. A text that the new format stores is one. If
    /// the source is too damaged to separate games, each stretch of bytes without a readable game
    /// counts as one.
    pub games: u64,
    /// Games written without known losses.
    pub sound: u64,
    /// Games written with a loss or a doubt.
    pub harmed: u64,
    /// Games that could not be written at all.
    pub lost: u64,
    /// ChessBase texts, and games whose records say that they are texts, which the new format
    /// cannot store.
    pub texts: u64,
    /// Faults of whole source files.
    pub notes: Vec<Error>,
    /// What the new format cannot store of the written games, and texts that are not games.
    pub losses: Vec<Lost>,
}

/// Writes every readable game of a damaged database to a new one.
///
/// The suffix of the new one selects the format as for [`convert`](crate::convert()). Games keep
/// their order. The source is never changed; the
/// new files are written to temporary files and renamed when complete.
///
/// The source is opened with [`OpenOptions::salvage`]. A game whose own record and own bytes in the
/// games file are undamaged is written with all its moves, whatever else is damaged. A game that is
/// damaged in the middle is written up to that point, with variations closed and a comment at its
/// end, if at least one ply can be read. If only a variation is damaged, the main line continues to
/// its end.
///
/// `on_loss` is called on this thread, in the order of the games, for every text and every game
/// that is not sound. These reports are not stored, so that memory does not grow with the damage.
/// `progress` is called at intervals, also while the source is opened. If either breaks, the repair
/// ends and leaves no files.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::path::Path;
/// use tabiya::{Flow, Progress, format::Overwrite, repair};
///
/// # let folder = tempfile::tempdir()?;
/// let (source, target) = (Path::new("fixtures/famous.si4"), folder.path().join("new.si4"));
/// let report = |game: &tabiya::RepairedGame| {
///     println!("{}: {:?}", game.number, game.losses);
///     Flow::Continue(())
/// };
/// let repaired = repair(source, &target, Overwrite::Refuse, report, Progress::ignore)?;
/// assert_eq!((repaired.sound, repaired.harmed, repaired.lost), (91, 0, 0));
/// # Ok(())
/// # }
/// ```
///
/// Costs about three times as much as converting: O(bytes of all files), and every game is checked
/// as by [`verify`](Database::verify).
///
/// # Errors
/// `Io` if the source cannot be opened or the target not be written; `UnknownFormat` if the format
/// of the source cannot be detected; `Unsupported` for a target of another format, and for one that
/// is the source; `Missing` if the games file is missing; `Unfinished` if a replacement of the
/// source was interrupted, which [`finish_replacement`](crate::finish_replacement) finishes;
/// `Interrupted` if a callback breaks. Damage is not an error here.
pub fn repair(
    source: &Path,
    target: &Path,
    options: impl Into<RepairOptions>,
    mut on_loss: impl FnMut(&RepairedGame) -> Flow,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Repair> {
    let RepairOptions { writing, opening } = options.into();
    let opening = opening.salvage(true).sidecar(false);
    let database = opening.on_progress(&mut progress).open(source)?;
    database.require_games()?;
    refuse_itself(source, &database, target)?;
    let mut account = Outcomes {
        on_loss: &mut on_loss,
        progress: &mut progress,
        total: database.len().into(),
        repair: Repair {
            notes: file_notes(&database),
            ..Repair::default()
        },
    };
    let losses = write(&[Salvaged(database)], target, &writing, &mut account)?;
    account.repair.losses.extend(losses);
    Ok(account.repair)
}

/// Rejects a target that would overwrite a file of the source.
fn refuse_itself(source: &Path, database: &Database, target: &Path) -> Result<()> {
    let read: Vec<PathBuf> = database.files().into_iter().map(|(path, _)| path).collect();
    let read = read.iter().map(PathBuf::as_path).chain([source]);
    let read: Vec<PathBuf> = read
        .filter_map(|path| fs::canonicalize(path).ok())
        .collect();
    let written = target_files(target).unwrap_or_default();
    let is_read = |path: &PathBuf| fs::canonicalize(path).is_ok_and(|path| read.contains(&path));
    match written.iter().find(|path| is_read(path)) {
        None => Ok(()),
        Some(path) => {
            let what = "writing over the database that is repaired";
            Err(Error::unsupported(what).at_path(path))
        }
    }
}

/// A damaged database as a source of games.
struct Salvaged(Database);

/// Data recorded about a game besides its encoding.
struct Note {
    number: u32,
    header: GameHeader,
    losses: Vec<GameLoss>,
}

impl Games for Salvaged {
    type Note = Note;

    fn monty_layout(&self) -> Option<MontyLayout> {
        self.0.training_layout()
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(Found<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Delivered<T, Note>) -> Result<()>,
    ) -> Result<()> {
        let database = &self.0;
        let one = |game: GameId| {
            let header = database.header(game)?;
            let losses = std::cell::RefCell::default();
            let made = make(Found {
                header: &header,
                is_text: !database.is_game(game)?,
                replay: &|visitor| {
                    losses.replace(game::tell(database, game, visitor)?);
                    // The losses say what is wrong.
                    Ok(None)
                },
            });
            // Errors from encoding have no location yet.
            let made = made.map_err(|error| {
                error
                    .at_path(database.path())
                    .in_game(database.number(game))
            });
            let losses = losses.into_inner();
            let note = Note {
                number: database.number(game),
                header,
                losses,
            };
            Ok((made, note))
        };
        let games = GameSet::all(database.len());
        for_each_of(
            database,
            &games,
            one,
            |told: Option<Result<_>>| match told {
                None => deliver(Delivered::Pause),
                Some(told) => told.and_then(|(made, note)| deliver(Delivered::Game(made, note))),
            },
        )
    }
}

/// The results so far.
struct Outcomes<'a> {
    on_loss: &'a mut dyn FnMut(&RepairedGame) -> Flow,
    progress: &'a mut dyn FnMut(Progress) -> Flow,
    total: u64,
    repair: Repair,
}

impl RecordOutcome<Note> for Outcomes<'_> {
    /// Errors of a single game are recorded; others, such as a full disk, end the repair.
    fn record(&mut self, written: Result<Option<Error>>, note: Note) -> Result<()> {
        let repair = &mut self.repair;
        let is_text = matches!(&written, Err(error) if leave_out(&mut repair.losses, error));
        repair.games += u64::from(!is_text);
        let mut told = RepairedGame {
            number: note.number,
            new_number: None,
            header: note.header,
            losses: note.losses,
        };
        match written {
            Ok(_) if told.losses.is_empty() => repair.sound += 1,
            Ok(_) => {
                repair.harmed += 1;
                told.new_number = u32::try_from(repair.sound + repair.harmed).ok();
            }
            Err(error) if matches!(error.kind(), ErrorKind::Io { .. }) => return Err(error),
            Err(error) => {
                repair.texts += u64::from(is_text);
                repair.lost += u64::from(!is_text);
                told.losses = vec![GameLoss::Game(error)];
            }
        }
        if !told.losses.is_empty() && (self.on_loss)(&told).is_break() {
            return Err(Error::interrupted());
        }
        let games = repair.games;
        check_interrupt_at_intervals(self, games)
    }

    fn ask(&mut self) -> Flow {
        (self.progress)(Progress::of(self.repair.games, self.total))
    }
}
