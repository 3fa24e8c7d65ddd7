//! Converts any readable format to any writable one, in parallel and in constant memory.

mod source;
mod split;
mod target;

use std::path::{Path, PathBuf};

use tabiya_chess::{Flow, GameId};
use tabiya_formats::{
    Layout, Lost, Omit, Overwrite, check_interrupt,
    error::{Error, ErrorKind, Result},
    pgn::BytesRead,
    progress::Progress,
};

use self::source::{Opened, Picked, databases_of};
pub(crate) use self::{
    source::{Delivered, Found, Games, for_each_of},
    target::{RecordOutcome, write},
};
pub use self::{
    split::{Split, SplitBy},
    target::target_files,
};
use super::whole::harms;
use crate::{
    database::{Database, OpenOptions},
    limits::DAMAGED_LISTED_MAX,
    search::{Report, Search},
};

/// The result of a conversion.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Conversion {
    /// Games written, and texts that the target stores.
    pub games: u64,
    /// Games that do not match the [search](ConvertOptions::search).
    pub unmatched: u64,
    /// Of the games written, those that are damaged: what is sound of them was written.
    pub harmed: u64,
    /// The first of these, each with its location and what is wrong.
    pub harmed_games: Vec<Error>,
    /// Damaged games of which a [search](ConvertOptions::search) asked what is sound.
    pub searched_in_part: u64,
    /// The first of these.
    pub searched_in_part_games: Vec<Error>,
    /// Games that could not be read or that the target cannot store.
    pub skipped: u64,
    /// The first skipped games, each with its location and reason.
    pub skipped_games: Vec<Error>,
    /// What is wrong with files of the sources as a whole, cut or missing ones: games, names or
    /// annotations may be missing.
    pub source_faults: Vec<Error>,
    /// What the target could not store: parts of written games, and texts.
    pub losses: Vec<Lost>,
    /// Why the sidecar beside a database that was changed is not refreshed. The change is made; the
    /// sidecar is not used, and can be [made anew](crate::SidecarOptions).
    pub sidecar_fault: Option<Error>,
}

impl Conversion {
    /// Begins with what is wrong with sources as a whole.
    ///
    /// # Errors
    /// The first of these, if nothing may be lost.
    fn of_sources<'d>(
        sources: impl IntoIterator<Item = &'d Database>,
        strict: bool,
    ) -> Result<Conversion> {
        let mut source_faults: Vec<Error> = sources.into_iter().flat_map(harms).collect();
        if strict && !source_faults.is_empty() {
            return Err(source_faults.swap_remove(0));
        }
        Ok(Conversion {
            source_faults,
            ..Conversion::default()
        })
    }

    /// Adds what became of other games.
    fn add(&mut self, other: Conversion) {
        fn extend(listed: &mut Vec<Error>, others: Vec<Error>) {
            let room = DAMAGED_LISTED_MAX.saturating_sub(listed.len());
            listed.extend(others.into_iter().take(room));
        }
        self.games += other.games;
        self.unmatched += other.unmatched;
        self.harmed += other.harmed;
        self.searched_in_part += other.searched_in_part;
        self.skipped += other.skipped;
        extend(&mut self.harmed_games, other.harmed_games);
        extend(
            &mut self.searched_in_part_games,
            other.searched_in_part_games,
        );
        extend(&mut self.skipped_games, other.skipped_games);
        for fault in other.source_faults {
            let text = fault.to_string();
            if self
                .source_faults
                .iter()
                .all(|known| known.to_string() != text)
            {
                self.source_faults.push(fault);
            }
        }
        for lost in other.losses {
            let mut known = self.losses.iter_mut();
            match known.find(|known| known.what == lost.what) {
                Some(known) => known.count += lost.count,
                None => self.losses.push(lost),
            }
        }
    }

    fn add_harmed(&mut self, harm: Option<Error>) {
        self.harmed += u64::from(harm.is_some());
        if self.harmed_games.len() < DAMAGED_LISTED_MAX {
            self.harmed_games.extend(harm);
        }
    }
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
    search: Option<Search<'static>>,
    leave: Omit,
    /// Whether games get the codes of their positions.
    classify: bool,
    /// Greatest number of games written.
    limit: Option<u64>,
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

    /// Whether nothing may be lost: a source of which a file is cut or missing, and the first game
    /// that is damaged or that the target cannot store completely, end the conversion, and nothing
    /// is written.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// How sources are opened.
    pub fn opening(mut self, opening: OpenOptions) -> Self {
        self.opening = opening;
        self
    }

    /// Returns how sources are opened.
    pub(crate) fn opening_of_sources(&self) -> &OpenOptions {
        &self.opening
    }

    /// Writes only the games that this search finds, all of them: a limit of the search is ignored.
    ///
    /// PGN is then opened as a database, with what that needs of memory.
    ///
    /// ```
    /// use tabiya::{ConvertOptions, Query, Search};
    ///
    /// let query: Query = "white:morphy result:1-0".parse()?;
    /// let options = ConvertOptions::new().search(Search::new(&query)).limit(100);
    /// # Ok::<(), tabiya::query::Fault>(())
    /// ```
    pub fn search(mut self, search: Search<'_>) -> Self {
        self.search = Some(search.into_owned());
        self
    }

    /// Whether comments are written, which is the default. Those left out are no loss.
    pub fn comments(mut self, comments: bool) -> Self {
        self.leave.comments = !comments;
        self
    }

    /// Whether variations are written, which is the default. Those left out are no loss.
    pub fn variations(mut self, variations: bool) -> Self {
        self.leave.variations = !variations;
        self
    }

    /// Whether NAGs are written, which is the default. Those left out are no loss.
    pub fn nags(mut self, nags: bool) -> Self {
        self.leave.nags = !nags;
        self
    }

    /// Leaves commands such as `[%clk 0:05]` out of comments, except those of these names, which
    /// are written even if [comments](ConvertOptions::comments) are not. They are no loss.
    ///
    /// ```
    /// let options = tabiya::ConvertOptions::new().drop_commands(["clk", "eval"]);
    /// ```
    pub fn drop_commands<N: Into<String>>(mut self, kept: impl IntoIterator<Item = N>) -> Self {
        self.leave.commands = true;
        self.leave.kept_commands = kept.into_iter().map(Into::into).collect();
        self
    }

    /// Whether games get the ECO code of the last position of their main line that the table of
    /// openings has ([`openings`](crate::openings)), instead of their own. Games without such a
    /// position, or from another start position, keep theirs, and so do games with a finer code of
    /// the same opening, `B97a` for `B97`.
    pub fn classify(mut self, classify: bool) -> Self {
        self.classify = classify;
        self
    }

    /// Ends the conversion after this many written games.
    pub fn limit(mut self, games: u64) -> Self {
        self.limit = Some(games);
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
/// Its suffix selects the format: `.si4`, `.si5`, `.cbh`, `.2cbh`, `.dci`, `.binpack`, `.vf`
/// (or `.viribin`) or `.pgn`.
/// Games keep their order. The new file and its companion files are written to temporary files and
/// renamed when complete: after any failure, or if the process is killed, either the previous files
/// or the new ones are complete. A killed process may leave a file with the suffix
/// `.tabiya-commit`, which lists the pending renames; the next conversion to this target, or
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
/// Those of opening a source and writing the target; `LimitExceeded` if the target cannot number
/// more games or names; `Unfinished` if the interrupted work of a killed process at the target
/// cannot be finished; `Unsupported` for a target of another format; `Changed` if another program
/// changes a source; `Interrupted` if `progress` breaks. Damage is not an error: of a source with a
/// file that is cut or missing, what is there is written, and damaged games are counted and listed.
/// What is sound of one is written, and a comment where something is missing; it is left out if no
/// half-move can be read.
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
    let databases = opened.iter().filter_map(Opened::database);
    let mut account = Outcomes {
        strict: options.strict,
        total: total(&opened, &options),
        read: opened.iter().filter_map(Opened::bytes_read).collect(),
        seen: 0,
        conversion: Conversion::of_sources(databases, options.strict)?,
        progress: &mut progress,
    };
    let losses = write(&opened, target, &options, &mut account)?;
    account.conversion.losses.extend(losses);
    Ok(account.conversion)
}

/// Writes games of open databases to one new file, in the order in which they are given.
///
/// Otherwise like [`convert`]; the options about searching and opening do not matter.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{ConvertOptions, Database, GameId, Progress, convert_games};
///
/// # let folder = tempfile::tempdir()?;
/// let database = Database::open("fixtures/famous.si4")?;
/// let games = [(&database, GameId(2)), (&database, GameId(0))];
/// let target = folder.path().join("two.si5");
/// let converted = convert_games(&games, &target, ConvertOptions::new(), Progress::ignore)?;
/// assert_eq!(converted.games, 2);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of [`convert`]. A game that does not exist or cannot be read is skipped.
pub fn convert_games(
    games: &[(&Database, GameId)],
    target: &Path,
    options: impl Into<ConvertOptions>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let options = options.into();
    let total = (games.len() as u64).min(options.limit.unwrap_or(u64::MAX));
    let mut account = Outcomes {
        strict: options.strict,
        total: Some(total),
        read: Vec::new(),
        seen: 0,
        conversion: Conversion::of_sources(databases_of(games), options.strict)?,
        progress: &mut progress,
    };
    let losses = write(&[Picked(games)], target, &options, &mut account)?;
    account.conversion.losses.extend(losses);
    Ok(account.conversion)
}

/// Writes games to a database that exists: what changes of it, or all anew. Nothing may be lost.
pub(crate) fn write_changed<S: Games>(
    source: S,
    target: &Path,
    overwrite: Overwrite,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let options = ConvertOptions::from(overwrite).strict(true);
    let mut account = Outcomes {
        strict: true,
        total: None,
        read: Vec::new(),
        seen: 0,
        conversion: Conversion::default(),
        progress,
    };
    write(&[source], target, &options, &mut account)?;
    Ok(account.conversion)
}

/// Returns the number of games to go through, if it is known.
fn total(opened: &[Opened<'_>], options: &ConvertOptions) -> Option<u64> {
    let games: Option<u64> = opened.iter().map(Opened::game_count).sum();
    let limit = options.limit.unwrap_or(u64::MAX);
    games.map(|games| games.min(limit))
}

/// The results so far.
struct Outcomes<'p> {
    strict: bool,
    total: Option<u64>,
    /// Of each source that is PGN.
    read: Vec<BytesRead>,
    seen: u64,
    conversion: Conversion,
    progress: &'p mut dyn FnMut(Progress) -> Flow,
}

impl<N> RecordOutcome<N> for Outcomes<'_> {
    /// Errors of a single game are skipped; others, such as a full disk, end the conversion.
    fn record(&mut self, written: Result<Option<Error>>, _: N) -> Result<()> {
        self.seen += 1;
        match written {
            Ok(harm) => {
                self.conversion.games += 1;
                self.conversion.add_harmed(harm);
            }
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
        check_interrupt_at_intervals::<N>(self, self.seen)
    }

    fn ask(&mut self) -> Flow {
        let files = self.read.iter().map(BytesRead::of_all);
        let file_bytes = files.reduce(|sum, file| (sum.0 + file.0, sum.1 + file.1));
        (self.progress)(Progress::new(self.seen, self.total, file_bytes))
    }

    fn refuses_losses(&self) -> bool {
        self.strict
    }

    /// Damaged games of which nobody knows whether they match are skipped.
    fn searched(&mut self, report: Report) -> Result<()> {
        self.conversion.unmatched += report.games - report.matched - report.damaged;
        self.conversion.skipped += report.damaged;
        let mut damaged = report.harmed_games.iter().chain(&report.damaged_games);
        if let Some(damaged) = damaged.next().filter(|_| self.strict) {
            return Err(damaged.clone());
        }
        self.conversion.searched_in_part += report.harmed;
        let listed = &mut self.conversion.searched_in_part_games;
        let room = DAMAGED_LISTED_MAX.saturating_sub(listed.len());
        listed.extend(report.harmed_games.into_iter().take(room));
        for damaged in report.damaged_games {
            if self.conversion.skipped_games.len() < DAMAGED_LISTED_MAX {
                self.conversion.skipped_games.push(damaged);
            }
        }
        Ok(())
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

/// Asks whether to continue, after every 1024 games.
///
/// # Errors
/// `Interrupted` if it breaks.
pub(crate) fn check_interrupt_at_intervals<N>(
    outcome: &mut impl RecordOutcome<N>,
    games: u64,
) -> Result<()> {
    if games.is_multiple_of(1024) {
        check_interrupt(&mut || outcome.ask())
    } else {
        Ok(())
    }
}
