//! Converts any readable format to any writable one, in parallel and in constant memory.

mod source;
mod target;

use std::path::{Path, PathBuf};

use self::source::{Choice, Opened};
pub use self::target::target_files;
pub(crate) use self::{
    source::{Games, Replay, for_each_of, refuse_text},
    target::{Ledger, write},
};
use crate::{
    chess::Flow,
    error::{Error, ErrorKind, Result},
    format::{Layout, Lost, OpenOptions, Overwrite, Without, go_on},
    limits::DAMAGED_LISTED_MAX,
    progress::Progress,
    query::Query,
    search::Report,
};

/// The result of a conversion.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Conversion {
    /// Games written.
    pub games: u64,
    /// Games that could not be read or that the target cannot store.
    pub skipped: u64,
    /// The first skipped games, each with its location and reason.
    pub skipped_games: Vec<Error>,
    /// What the target could not store: parts of written games, and texts that are not games.
    pub losses: Vec<Lost>,
}

/// Options for writing a new file.
///
/// ```
/// use tabiya::{ConvertOptions, format::{Overwrite, ScdbLayout}};
///
/// let options = ConvertOptions::new()
///     .overwrite(Overwrite::Replace)
///     .layout(ScdbLayout::Described)
///     .strict(true);
/// ```
#[derive(Debug, Clone, Default)]
#[must_use = "options convert nothing by themselves"]
pub struct ConvertOptions {
    overwrite: Overwrite,
    layout: Option<Layout>,
    strict: bool,
    opening: OpenOptions,
    choice: Option<Choice>,
    limit: Option<u64>,
    without: Without,
}

impl ConvertOptions {
    /// Creates the defaults: no file is replaced, and what the target cannot hold is left out.
    pub fn new() -> ConvertOptions {
        ConvertOptions::default()
    }

    /// What to do if the new file already exists.
    pub fn overwrite(mut self, overwrite: Overwrite) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// The layout of the new file; ignored if its format does not have it. Without one, `.dci` gets
    /// its default, and `.binpack` the layout of the first source with such data, or else policy
    /// data.
    pub fn layout(mut self, layout: impl Into<Layout>) -> Self {
        self.layout = Some(layout.into());
        self
    }

    /// Whether nothing may be lost: the first game that cannot be read, or that the target cannot
    /// store completely, ends the conversion, and nothing is written.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Writes only the games that match a query. `in_variations` says whether conditions on
    /// positions search variations too. A PGN source is then opened as a database, and its sidecar
    /// is used.
    pub fn query(mut self, query: Query, in_variations: bool) -> Self {
        self.choice = Some(Choice {
            query,
            in_variations,
        });
        self
    }

    /// Stops after this many written games.
    pub fn limit(mut self, games: u64) -> Self {
        self.limit = Some(games);
        self
    }

    /// Whether comments are written, and with them clocks, evaluations and the like. What is left
    /// out on purpose does not count as lost.
    pub fn comments(mut self, comments: bool) -> Self {
        self.without.comments = !comments;
        self
    }

    /// Whether variations are written. What is left out on purpose does not count as lost.
    pub fn variations(mut self, variations: bool) -> Self {
        self.without.variations = !variations;
        self
    }

    /// How sources are opened.
    pub fn opening(mut self, opening: OpenOptions) -> Self {
        self.opening = opening;
        self
    }
}

impl From<Overwrite> for ConvertOptions {
    fn from(overwrite: Overwrite) -> ConvertOptions {
        ConvertOptions::new().overwrite(overwrite)
    }
}

/// Converts databases and PGN files to one new file.
///
/// Its suffix selects the format: `.si4`, `.si5`, `.cbh`, `.dci`, `.binpack` or `.pgn`. Games keep
/// their order. The new file and its companion files are written to temporary files and renamed
/// when complete: after any failure, or if the process is killed, either the previous files or the
/// new ones are complete. A killed
/// process may leave a file with the suffix `.tabiya-commit`, which lists the pending
/// renames; the next conversion to this target, or
/// [`finish_replacement`](crate::finish_replacement), finishes them.
///
/// `progress` is called at intervals; if it breaks, the conversion ends and leaves no files.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{Progress, convert, format::Overwrite};
///
/// # let folder = tempfile::tempdir()?;
/// let target = folder.path().join("famous.pgn");
/// let sources = ["fixtures/famous.si4".into()];
/// let converted = convert(&sources, &target, Overwrite::Refuse, Progress::ignore)?;
/// assert_eq!((converted.games, converted.skipped), (91, 0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of opening a source and writing the target; `Unfinished` if the interrupted work of a
/// killed process at the target cannot be finished; `Unsupported` for a target of another format;
/// `Changed` if another program changes a source; `Interrupted` if `progress` breaks. A game that
/// cannot be read is not an error: it is counted and listed.
pub fn convert(
    sources: &[PathBuf],
    target: &Path,
    options: impl Into<ConvertOptions>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let options = options.into();
    let opened: Vec<Opened> = sources
        .iter()
        .map(|path| Opened::new(path, &options, &mut progress))
        .collect::<Result<_>>()?;
    let total: Option<u64> = opened.iter().map(Opened::game_count).sum();
    let mut account = Account {
        strict: options.strict,
        total: total.map(|total| total.min(options.limit.unwrap_or(u64::MAX))),
        limit: options.limit,
        seen: 0,
        conversion: Conversion::default(),
        progress: &mut progress,
    };
    for chosen in opened.iter().filter_map(Opened::chosen) {
        account.add_undecided(&chosen.report)?;
    }
    let losses = write(&opened, target, &options, &mut account)?;
    account.conversion.losses.extend(losses);
    Ok(account.conversion)
}

/// The results so far.
struct Account<'p> {
    strict: bool,
    limit: Option<u64>,
    total: Option<u64>,
    seen: u64,
    conversion: Conversion,
    progress: &'p mut dyn FnMut(Progress) -> Flow,
}

impl Account<'_> {
    /// Records the games of which a search could not tell whether they match.
    fn add_undecided(&mut self, report: &Report) -> Result<()> {
        if let Some(first) = report.damaged_games.first()
            && self.strict
        {
            return Err(first.clone());
        }
        self.conversion.skipped += report.damaged;
        let listed = &mut self.conversion.skipped_games;
        let room = DAMAGED_LISTED_MAX.saturating_sub(listed.len());
        listed.extend(report.damaged_games.iter().take(room).cloned());
        Ok(())
    }
}

impl Ledger<()> for Account<'_> {
    /// Errors of a single game are skipped; others, such as a full disk, end the conversion.
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
        (self.progress)(Progress {
            done: self.seen,
            total: self.total,
        })
    }

    fn refuses_losses(&self) -> bool {
        self.strict
    }

    fn has_enough(&self) -> bool {
        self.limit
            .is_some_and(|limit| self.conversion.games >= limit)
    }
}

/// Records a text that is not a game and that no target can store. Returns whether the error is
/// about such a text.
pub(crate) fn leave_out(losses: &mut Vec<Lost>, error: &Error) -> bool {
    let ErrorKind::WouldLose { what } = *error.kind() else {
        return false;
    };
    Lost::add(losses, what, error.game().unwrap_or_default());
    true
}

/// Asks a ledger at intervals whether to continue, by the number of its games.
///
/// # Errors
/// `Interrupted` if it breaks.
pub(crate) fn go_on_now_and_then<N>(ledger: &mut impl Ledger<N>, games: u64) -> Result<()> {
    if games.is_multiple_of(1024) {
        go_on(&mut || ledger.ask())
    } else {
        Ok(())
    }
}
