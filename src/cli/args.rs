//! The command line: commands, options and their help.
//!
//! One file because it is the text of the help, in the order in which it is printed.

use std::{ffi::OsString, path::PathBuf};

use clap::{Args, Parser, Subcommand, ValueEnum};
use tabiya::SplitBy;

pub(crate) use super::common::RowFormat;
use super::{
    change::{AddArgs, EditArgs, NewArgs, ReplaceArgs, UndoArgs},
    common::{ContentArgs, LimitArgs, OpeningArgs},
    help,
    keeping::{DedupeArgs, RepairArgs},
    lines::LinesArgs,
    query::QueryArgs,
    remove::{CompactArgs, RemoveArgs},
    render::{ColumnArgs, SearchFormat},
    repertoire::RepertoireArgs,
    report::ReportArgs,
    running::RunArgs,
    sort::SortKey,
    tree::TreeArgs,
};

/// Query the chess databases people already own, where they lie.
#[derive(Debug, Parser)]
#[command(name = "tabiya", version, max_term_width = 100, after_help = help::EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    #[command(flatten)]
    pub(crate) opening: OpeningArgs,
    /// Do not print the summary on standard error
    #[arg(long, short, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Describe a database: games, players, dates, ratings, results, damage; or list a folder
    Info(InfoArgs),
    /// Find the games that match a query
    #[command(
        before_long_help = help::EXAMPLES,
        after_help = "`tabiya search --help` teaches the query language.",
        after_long_help = help::query_language(),
        mut_arg("words", help::words_of_search),
        mut_arg("more", |words| words.index(2))
    )]
    Search(SearchArgs),
    /// Count what was played in a position, with results and ratings
    #[command(
        after_help = help::TREE,
        mut_arg("words", help::words_of_search),
        mut_arg("more", |words| words.index(2))
    )]
    Tree(TreeArgs),
    /// Tell the lines that games play from a position: as text, PGN, graph or opening book
    #[command(
        after_help = help::LINES,
        mut_arg("words", help::words_of_search),
        mut_arg("more", |words| words.index(2))
    )]
    Lines(LinesArgs),
    /// Compare games with your lines: where they leave them, by whose move, and what is missing
    #[command(
        after_help = help::REPERTOIRE,
        mut_arg("words", help::words_of_search),
        mut_arg("more", |words| words.index(2))
    )]
    Repertoire(RepertoireArgs),
    /// Write what games tell about a player or an opening as a page, every figure with its query
    Report(ReportArgs),
    /// Print games as PGN, as JSON or as a board
    Show(ShowArgs),
    /// Tell how a query is answered: what the index decides and what must be decoded
    Explain(ExplainArgs),
    /// Count the games that match: results, years, ratings, openings, lengths, players
    #[command(
        mut_arg("words", help::words_of_search),
        mut_arg("more", |words| words.index(2))
    )]
    Stats(StatsArgs),
    /// List players, events, sites or rounds with their games, years and ratings
    Names(NamesArgs),
    /// Find where games leave what earlier games of a base had
    Novelty(NoveltyArgs),
    /// Find games that are in a database more than once
    Duplicates(DuplicatesArgs),
    /// Write databases anew without the worse of games that they have more than once
    Dedupe(DedupeArgs),
    /// Make or refresh the sidecar that searches for positions use, NAME.tabiya
    #[command(after_help = help::INDEX)]
    Index(IndexArgs),
    /// Decode every game and list the damaged ones
    Verify(VerifyArgs),
    /// Convert databases from any format that can be read to any that can be written
    #[command(override_usage = "tabiya convert [OPTIONS] <SRC>... <DST>")]
    Convert(ConvertArgs),
    /// Make a database without games
    New(NewArgs),
    /// Add games to a database where it lies: the games that are there are not written again
    #[command(after_help = help::CHANGE)]
    Add(AddArgs),
    /// Change players, dates, flags and other tags of games where they lie
    #[command(after_help = help::CHANGE)]
    Edit(EditArgs),
    /// Put another game in the place of one
    Replace(ReplaceArgs),
    /// Mark games as deleted, or leave them out
    Remove(RemoveArgs),
    /// Write a database anew without the games that are marked as deleted
    Compact(CompactArgs),
    /// Take the last change of a database back
    Undo(UndoArgs),
    /// Save every readable game of a damaged database into a new one
    #[command(after_help = help::REPAIR)]
    Repair(RepairArgs),
    /// Show databases in the browser: board, moves, games, charts
    #[command(
        after_help = help::EXPLORE,
        help_template = help::WITHOUT_OPTIONS,
        override_usage = "tabiya explore [OPTIONS] [DB]..."
    )]
    Explore(ExploreArgs),
    /// Print the completions for a shell
    #[command(after_help = help::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print a manual page, in the form that `man` reads
    Man(ManArgs),
}

impl Command {
    /// Returns all lists of databases, besides the words that begin with some and sources that a
    /// target follows.
    pub(crate) fn several_databases(&mut self) -> Vec<&mut Vec<PathBuf>> {
        match self {
            Command::Add(args) => vec![&mut args.sources],
            Command::Dedupe(args) => vec![&mut args.databases, &mut args.against],
            Command::Duplicates(args) => vec![&mut args.across],
            Command::Novelty(args) => vec![&mut args.against],
            Command::Repertoire(args) => vec![&mut args.file],
            _ => Vec::new(),
        }
    }

    /// Whether a sidecar makes the command faster. The others decode every game anyway.
    pub(crate) fn uses_sidecar(&self) -> bool {
        match self {
            Command::Verify(_) | Command::Duplicates(_) | Command::Repair(_) => false,
            Command::Dedupe(_) | Command::Novelty(_) | Command::Explore(_) => false,
            Command::Convert(args) => args.query.is_some(),
            Command::Add(args) => args.query.is_some(),
            Command::Undo(_) | Command::Compact(_) | Command::New(_) => false,
            _ => true,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct InfoArgs {
    /// The database: any of its files, or the stem that they share; or a folder or a list
    /// (`.tabiyaset`) of databases; `-` is PGN on standard input
    #[arg(value_name = "DB", required_unless_present = "formats")]
    pub(crate) database: Option<PathBuf>,

    /// Tell what can be done with the database too
    #[arg(long, hide = true)]
    pub(crate) what_next: bool,

    /// List all formats: what is read, what is written, and what that was compared with
    #[arg(long, conflicts_with = "database")]
    pub(crate) formats: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Its words begin with the databases.
    #[command(flatten)]
    pub(crate) query: QueryArgs,

    /// How to print the games
    #[arg(long, value_enum, default_value_t = SearchFormat::Table)]
    pub(crate) format: SearchFormat,

    #[command(flatten)]
    pub(crate) columns: ColumnArgs,

    /// Count the games that have each position of a file (`-`: standard input)
    ///
    /// Each line is a FEN or an EPD, of which the operation `id "..."` gives a name; empty lines
    /// and lines that begin with `#` are passed over. All positions, at most 65 536, are counted
    /// in one pass; a query chooses among the games. Prints a line for each position: games,
    /// White's wins, draws, Black's wins, White's score in percent; as table, csv or jsonl.
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["count", "limit", "offset", "sort", "explain"],
        verbatim_doc_comment
    )]
    pub(crate) positions: Option<PathBuf>,

    /// List the games whose positions are most similar to a FEN, the most similar first
    ///
    /// `ply` is where a game is most similar; the column `similarity` of csv and jsonl tells how
    /// much, 0 to 1. A query chooses among the games. Without --limit: 50 games. Example:
    ///
    ///   tabiya search base.si4 --like 'r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NB1N2/PP3PPP/R1BQ1RK1'
    #[arg(
        long,
        value_name = "FEN",
        conflicts_with_all = ["count", "positions", "sort", "explain"],
        verbatim_doc_comment
    )]
    pub(crate) like: Option<String>,

    /// Print only how many games match; with several databases `name:count` for each
    #[arg(long)]
    pub(crate) count: bool,

    #[command(flatten)]
    pub(crate) most: LimitArgs,

    /// Leave out the first N games
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) offset: u64,

    /// Write the games into a new database, as `convert --query` does; its name says the format
    #[arg(
        long,
        short,
        value_name = "DST",
        conflicts_with_all = ["format", "positions", "count", "explain"]
    )]
    pub(crate) output: Option<PathBuf>,

    /// Replace DST if it exists
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    /// Sort by KEY, upwards or with `:desc` downwards; several keys as a list or repeated
    ///
    /// Keys are the fields of queries that have one value for each game: number, date, year,
    /// eventdate, event, site, round, white, black, winner, loser, eco, result, plies, moves,
    /// elo (the lower of both ratings), avgelo, elodiff, whiteelo, blackelo, comments,
    /// variations, nags; and similarity, alone, for a query with one `similar`, the most
    /// similar first. What is absent comes first. Games that are equal stay in their order.
    /// Decoded are only games whose length the index does not tell.
    #[arg(
        long,
        value_name = "KEY[:desc]",
        value_delimiter = ',',
        verbatim_doc_comment
    )]
    pub(crate) sort: Vec<SortKey>,

    #[command(flatten)]
    pub(crate) run: RunArgs,

    /// Afterwards tell on standard error what each clause left over
    #[arg(long)]
    pub(crate) explain: bool,

    #[command(flatten)]
    pub(crate) content: ContentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    /// The database: any of its files, or the stem that they share; `-` is PGN on standard input
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Game numbers from 1 on, and ranges `3..7`, `3..`, `..7`; `-` reads them from standard input
    #[arg(value_name = "NUMBER", required = true)]
    pub(crate) numbers: Vec<String>,

    /// How to print the games
    #[arg(long, value_enum, default_value_t = ShowFormat::Pgn)]
    pub(crate) format: ShowFormat,

    /// Show this position of the main line, 0 being the start
    ///
    /// `board` and `svg` draw the last position unless a place is given. `pgn` marks the place
    /// with the glyph $220, which asks for a diagram; `jsonl` adds `ply`, `line` and `position`.
    #[arg(long, value_name = "N", verbatim_doc_comment)]
    pub(crate) ply: Option<u32>,

    /// Show the position after these moves, in the main line or in a variation
    ///
    /// The moves are those from the start of the game, as `search --format jsonl` gives them in
    /// the field `line`: "d4 Nf6 c4" or "1.d4 Nf6 2.c4".
    #[arg(long, value_name = "MOVES", conflicts_with = "ply")]
    pub(crate) line: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ShowFormat {
    /// The whole game, variations and comments included
    Pgn,
    /// One JSON object a line: the header and the moves of the main line
    Jsonl,
    /// A position, seen from White's side, and its FEN
    Board,
    /// A position as a picture with the last move highlighted; of one game only
    Svg,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// The database: any of its files, or the stem that they share; `-` is PGN on standard input
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    #[command(flatten)]
    pub(crate) query: QueryArgs,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct StatsArgs {
    /// Its words begin with the databases.
    #[command(flatten)]
    pub(crate) query: QueryArgs,

    /// Characters of the opening codes that games are grouped by, 1 to 5
    #[arg(
        long,
        value_name = "N",
        default_value_t = 1,
        value_parser = clap::value_parser!(u8).range(1..=5)
    )]
    pub(crate) eco_depth: u8,

    /// List openings by name too, as many as players. Without a sidecar every game is decoded
    #[arg(long)]
    pub(crate) openings: bool,

    /// List at most N players and N events
    #[arg(
        long,
        short = 'n',
        visible_alias = "limit",
        value_name = "N",
        default_value_t = 10
    )]
    pub(crate) top: usize,

    /// How to print the numbers
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,

    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Args)]
pub(crate) struct NamesArgs {
    /// The database: any of its files, or the stem that they share; `-` is PGN on standard input
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// What the names contain; capitals and missing accents do not count. With `*` for any
    /// letters, what the whole names are. All names unless given
    #[arg(value_name = "TEXT")]
    pub(crate) text: Vec<String>,

    /// Which names
    #[arg(long, value_enum, default_value_t = NamesKind::Player)]
    pub(crate) kind: NamesKind,

    /// What comes first; equal ones come by games, then by name
    #[arg(long, value_enum, default_value_t = NamesSort::Games)]
    pub(crate) sort: NamesSort,

    /// List names that are probably spellings of another one, the most likely first
    ///
    /// Alike are names that differ in accents, order, initials, titles, transliteration or one
    /// letter. Years and ratings count too, and who played each other is not the same, nor are Jr
    /// and Sr. `to` is the fuller name, else the one with more games, else the first by the
    /// alphabet; `points` puts them in order.
    /// Nothing is changed: `--format csv` is a list to check, whose first columns are kind, from
    /// and to.
    #[arg(long, conflicts_with = "sort")]
    pub(crate) suggest: bool,

    /// List names that FILE, a list of right spellings in the form of Scid's spelling.ssp,
    /// corrects; with `--suggest` both
    #[arg(long, value_name = "FILE", conflicts_with = "sort")]
    pub(crate) spelling: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) most: LimitArgs,

    /// How to print the names
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesKind {
    /// White and Black alike
    Player,
    Event,
    Site,
    Round,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum NamesSort {
    /// Most games
    Games,
    /// The alphabet
    Name,
    /// Highest peak rating
    #[value(alias = "elo", alias = "avgelo")]
    Rating,
    /// Most recent last year
    Year,
}

/// Of each game the first position (men and side to move) of the main line that no earlier game of
/// the bases had; a game of the same date is not earlier. `before` is how many earlier games had
/// the position before it, `latest` the number of the latest of these. Left out are games without
/// a date or without an earlier game. The exit code is 1 when no game leaves the bases.
#[derive(Debug, Args)]
pub(crate) struct NoveltyArgs {
    /// The games: any file of their database, or its stem; `-` is PGN on standard input
    #[arg(value_name = "GAMES")]
    pub(crate) database: PathBuf,

    #[command(flatten)]
    pub(crate) query: QueryArgs,

    /// The databases in which earlier games are looked for
    #[arg(long, value_name = "DB", required = true, num_args = 1..)]
    pub(crate) against: Vec<PathBuf>,

    /// Take what variations of these databases have for known too, as in files of opening lines;
    /// look for positions of the query in variations too
    #[arg(long)]
    pub(crate) variations: bool,

    #[command(flatten)]
    pub(crate) most: LimitArgs,

    /// How to print the games
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

/// Duplicates have the same players, year, result, start and moves. A game of at least 20
/// half-moves between named players also repeats one that goes on where it ends: then the column
/// `same` tells how many half-moves are the same. Nothing is changed.
#[derive(Debug, Args)]
pub(crate) struct DuplicatesArgs {
    /// The database: any of its files, or the stem that they share; `-` is PGN on standard input
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Players are the same when surname and first initial are; capitals and accents do not
    /// count
    #[arg(long)]
    pub(crate) spelling: bool,

    /// Look through these databases too, by the rule of `dedupe`; a column names the database of
    /// each game, and the game that `dedupe` would keep comes first
    #[arg(long, value_name = "DB", num_args = 1.., conflicts_with = "spelling")]
    pub(crate) across: Vec<PathBuf>,

    /// Only start and moves count: the same moves to the end, at least 40 half-moves
    #[arg(long, conflicts_with = "spelling")]
    pub(crate) moves_only: bool,

    #[command(flatten)]
    pub(crate) most: LimitArgs,

    /// How to print the groups: a row for each game, or an object for each group
    #[arg(long, value_enum, default_value_t = RowFormat::Table)]
    pub(crate) format: RowFormat,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArgs {
    /// The database: any of its files, or the stem that they share; or a list (`.tabiyaset`)
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,

    /// Also copy what header queries scan, as columns: 27 bytes a game
    #[arg(long)]
    pub(crate) columns: bool,
}

#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// The database: any of its files, or the stem that they share; or a list (`.tabiyaset`); `-`
    /// is PGN on standard input
    #[arg(value_name = "DB")]
    pub(crate) database: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// What to read, and last what to write; formats are chosen by the file names
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<PathBuf>,

    /// Replace DST if it exists; the old one stays until the new one is complete
    #[arg(long)]
    pub(crate) force: bool,

    /// Write nothing if anything would be lost or left out
    #[arg(long)]
    pub(crate) strict: bool,

    /// Write only the games that match a query
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: Option<OsString>,

    #[command(flatten)]
    pub(crate) most: LimitArgs,

    /// Write the games in the order of KEY, as `search --sort` has it; several keys as a list
    #[arg(long, value_name = "KEY[:desc]", value_delimiter = ',')]
    pub(crate) sort: Vec<SortKey>,

    /// Write a database for each event, year, player or eco, or for every so many games
    ///
    /// `out.pgn` becomes `out-2013.pgn`, `out-2014.pgn` and so on: letters, digits and hyphens
    /// of a name stay, and where names become the same, a number follows. With `player` a game
    /// goes to both players. If one of the files exists, nothing is written without --force.
    /// Each database is complete or not there; those that are complete stay if the rest fails.
    #[arg(
        long,
        value_name = "event|year|player|eco|N",
        conflicts_with = "strict",
        verbatim_doc_comment
    )]
    pub(crate) split: Option<SplitBy>,

    /// The layout of DST where its format has several: of a `.dci` index (1.0 unless given), or
    /// of `.binpack` (as SRC has it, else policy data)
    #[arg(long, value_enum)]
    pub(crate) layout: Option<LayoutName>,

    #[command(flatten)]
    pub(crate) content: ContentArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LayoutName {
    /// `.dci`: entries of 39 bytes, as programs read them
    #[value(name = "1.0")]
    Reference,
    /// `.dci`: entries of 61 bytes, with half-moves, final material and pawn moves
    #[value(name = "1.1")]
    Described,
    /// `.binpack`: moves with expectations and visits
    Policy,
    /// `.binpack`: moves with centipawns
    Value,
    /// `.binpack`: the same as before November 2024
    OldValue,
}

#[derive(Debug, Args)]
pub(crate) struct ExploreArgs {
    /// Databases, folders of databases and options, as `tabiya-explorer --help` lists them; without
    /// any the usual folders
    #[arg(
        value_name = "DB",
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_hint = clap::ValueHint::AnyPath
    )]
    pub(crate) arguments: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManArgs {
    /// The command that the page is about; the program as a whole unless given
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Option<String>,
}
