//! The options of commands that keep a database in order, and their help.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::common::{ContentArgs, RowFormat};

/// Games are the same when their players, dates and results may be the same and their moves are
/// equal, or at least 20 half-moves that begin the other's. Names are compared without capitals,
/// accents, titles and order; initials fit first names, and `ue` is `ü`. Both players must be
/// named. What is known of date and result must be equal. Games marked as deleted are no
/// duplicates.
///
/// Of such games one is written: the longer; else the one with more comments, variations and marks
/// of moves; else the one with more of date, event, site, round and result; else the one with more
/// ratings; else the first.
#[derive(Debug, Args)]
pub(crate) struct DedupeArgs {
    /// The databases, of which one is made: any of their files, or the stem that they share; `-` is
    /// PGN on standard input
    #[arg(value_name = "DB", required = true)]
    pub(crate) databases: Vec<PathBuf>,

    /// Write the games that are kept into NEW; the format is chosen by its suffix
    #[arg(long, short, value_name = "NEW")]
    pub(crate) output: Option<PathBuf>,

    /// Mark the games that are not kept as deleted, where they lie; `compact` leaves them out, and
    /// `undo` takes it back
    #[arg(long, conflicts_with_all = ["output", "dry_run", "force", "strict"])]
    pub(crate) mark: bool,

    /// Write nothing, and print the report
    #[arg(long, conflicts_with_all = ["output", "force", "strict"])]
    pub(crate) dry_run: bool,

    /// Leave out what these databases have too; none of their games is written
    #[arg(long, value_name = "DB", num_args = 1..)]
    pub(crate) against: Vec<PathBuf>,

    /// Only start and moves count: the same moves to the end, at least 40 half-moves
    #[arg(long)]
    pub(crate) moves_only: bool,

    /// Write into FILE each game that is left out, with the game that is kept, why, and in what
    /// they differ
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// How to print the report
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,

    /// Replace NEW, and FILE of the report, if they exist
    #[arg(long)]
    pub(crate) force: bool,

    /// Write nothing if a game is damaged or the new format cannot hold it whole
    #[arg(long)]
    pub(crate) strict: bool,

    #[command(flatten)]
    pub(crate) content: ContentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct RepairArgs {
    /// The damaged database: any of its files, or the stem that they share; `-` is PGN on standard
    /// input. Never written to
    #[arg(value_name = "SRC")]
    pub(crate) source: PathBuf,

    /// The new database; its name says the format, as for `convert`. Without it, only a replacement
    /// of SRC that a killed process has left unfinished is finished
    #[arg(value_name = "DST")]
    pub(crate) target: Option<PathBuf>,

    /// Replace DST if it exists
    #[arg(long)]
    pub(crate) force: bool,

    /// Write the report into a file and not to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// How to report what was lost
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub(crate) format: ReportFormat,
}

/// How a report of losses is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// One line per game, for people
    Text,
    /// One JSON object a line: one for each loss of a game, then one for each fault of the files
    Jsonl,
}
