//! From any readable format to any writable one, in parallel and in constant memory.

mod source;
mod target;

use std::path::{Path, PathBuf};

use self::source::Opened;
pub use self::target::target_files;
pub(crate) use self::{
    source::{Games, Replay, for_each_of, refuse_text},
    target::{Ledger, write},
};
use crate::{
    chess::Flow,
    error::{Error, ErrorKind, Result},
    format::{Lost, OpenOptions, Overwrite, go_on, monty::Layout, scdb::write::ScdbLayout},
    limits::DAMAGED_LISTED_MAX,
};

/// What a conversion did.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Conversion {
    /// Games written.
    pub games: u64,
    /// Games that could not be read or that the target cannot hold.
    pub skipped: u64,
    /// The first of them, each with its place and reason.
    pub skipped_games: Vec<Error>,
    /// What the target could not hold: of the games that were written, and texts that are none.
    pub losses: Vec<Lost>,
}

/// How far a conversion is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConvertProgress {
    /// Games looked at so far, skipped ones included.
    pub games: u64,
    /// Games to look at, when that is known beforehand.
    pub total: Option<u64>,
}

/// How a new file is written.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ConvertOptions {
    /// What to do when it is there already.
    pub overwrite: Overwrite,
    /// Which layout the index of a Simple Chess Database gets.
    pub scdb_layout: ScdbLayout,
    /// Which layout training data of Monty gets; `None` for that of the first source that is
    /// such data, or policy data.
    pub monty_layout: Option<Layout>,
    /// Whether nothing may be lost: the first game that cannot be read or that the target cannot
    /// hold wholly ends the conversion, and nothing is written.
    pub strict: bool,
    /// How sources are opened.
    pub opening: OpenOptions,
}

impl From<Overwrite> for ConvertOptions {
    fn from(overwrite: Overwrite) -> ConvertOptions {
        ConvertOptions {
            overwrite,
            ..ConvertOptions::default()
        }
    }
}

/// Converts databases and PGN files into one new file, whose name says its format: `.si4`,
/// `.si5`, `.cbh`, `.dci`, `.binpack` or `.pgn`. Games keep their order. The new file, and what
/// belongs to it, is written beside its place and renamed when complete: whatever fails and
/// whenever the process is killed, what was there before or the new file is there, whole. A file
/// with the suffix `.tabiya-commit` that a kill has left lists what
/// the next conversion to that place, or [`finish_replacement`](crate::finish_replacement), then
/// finishes.
///
/// `progress` is called now and then; `Break` from it ends the conversion and leaves nothing.
///
/// # Errors
/// What opening a source or writing the target may give; `Unfinished` when the work of a killed
/// process at the target's place cannot be finished; `Unsupported` for a target of another
/// format; `Changed` when another program changes a source; `Interrupted` after a `Break`. A
/// game that cannot be read is no error: it is counted and listed.
pub fn convert(
    sources: &[PathBuf],
    target: &Path,
    options: impl Into<ConvertOptions>,
    progress: &mut dyn FnMut(ConvertProgress) -> Flow,
) -> Result<Conversion> {
    let options = options.into();
    let opened: Vec<Opened> = sources
        .iter()
        .map(|path| Opened::new(path, &options.opening, progress))
        .collect::<Result<_>>()?;
    let mut account = Account {
        strict: options.strict,
        total: opened.iter().map(Opened::game_count).sum(),
        seen: 0,
        conversion: Conversion::default(),
        progress,
    };
    let losses = write(&opened, target, &options, &mut account)?;
    account.conversion.losses.extend(losses);
    Ok(account.conversion)
}

/// What became of the games so far.
struct Account<'p> {
    strict: bool,
    total: Option<u64>,
    seen: u64,
    conversion: Conversion,
    progress: &'p mut dyn FnMut(ConvertProgress) -> Flow,
}

impl Ledger<()> for Account<'_> {
    /// Only what concerns a game alone is passed over; a full disk ends the conversion.
    fn enter(&mut self, written: Result<()>, (): ()) -> Result<()> {
        self.seen += 1;
        match written {
            Ok(()) => self.conversion.games += 1,
            Err(error) if self.strict || matches!(error.kind(), ErrorKind::Io { .. }) => {
                return Err(error);
            }
            Err(error) if leave_out(&mut self.conversion.losses, &error) => {}
            Err(error) => {
                self.conversion.skipped += 1;
                if self.conversion.skipped_games.len() < DAMAGED_LISTED_MAX {
                    self.conversion.skipped_games.push(error);
                }
            }
        }
        go_on_now_and_then(self, self.seen)
    }

    fn ask(&mut self) -> Flow {
        (self.progress)(ConvertProgress {
            games: self.seen,
            total: self.total,
        })
    }

    fn refuses_losses(&self) -> bool {
        self.strict
    }
}

/// Counts something that is no game and has no place in any target; tells whether the error is
/// about such a thing.
pub(crate) fn leave_out(losses: &mut Vec<Lost>, error: &Error) -> bool {
    let ErrorKind::WouldLose { what } = *error.kind() else {
        return false;
    };
    Lost::add(losses, what, error.game().unwrap_or_default());
    true
}

/// Asks a ledger now and then whether to go on, by the number of games that it has.
///
/// # Errors
/// `Interrupted` after a `Break`.
pub(crate) fn go_on_now_and_then<N>(ledger: &mut impl Ledger<N>, games: u64) -> Result<()> {
    if games.is_multiple_of(1024) {
        go_on(&mut || ledger.ask())
    } else {
        Ok(())
    }
}
