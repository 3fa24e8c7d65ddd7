//! The options of commands that keep a database in order, and their help.

use std::path::PathBuf;

use clap::Args;

use super::common::RowFormat;

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
    #[arg(long, short, value_name = "NEW", required_unless_present = "dry_run")]
    pub(crate) output: Option<PathBuf>,

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
}
