//! Options that all commands have, or several of them in the same form.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use tabiya::{ConvertOptions, Language, OpenOptions, chess::Color, format::TextEncoding};

use super::failure::Usage;

/// The most rows.
#[derive(Debug, Clone, Args)]
pub(crate) struct LimitArgs {
    /// Print, or write, at most N of what is found
    #[arg(long, short = 'n', value_name = "N")]
    pub(crate) limit: Option<u64>,
}

impl LimitArgs {
    /// Returns how many rows are printed of this number.
    pub(crate) fn of(&self, all: usize) -> usize {
        let limit = self.limit.and_then(|limit| usize::try_from(limit).ok());
        limit.unwrap_or(all).min(all)
    }
}

/// What of games is written to a new database.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "What is written of each game")]
pub(crate) struct ContentArgs {
    /// Leave comments out, but for commands that --keep names
    #[arg(long)]
    no_comments: bool,

    /// Leave variations out
    #[arg(long)]
    no_variations: bool,

    /// Leave marks such as `!` and `$14` out
    #[arg(long)]
    no_nags: bool,

    /// Leave commands in comments out, such as `[%clk 0:05]`; words stay
    #[arg(long)]
    drop_commands: bool,

    /// Of commands in comments keep only these, such as `clk,eval`
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    keep: Vec<String>,

    /// Give games the ECO code of the last position that the table of openings has
    ///
    /// Games without such a position, or from another start position, keep their code, and so do
    /// games with a finer code of the same opening, `B97a` for `B97`.
    #[arg(long)]
    eco: bool,
}

impl ContentArgs {
    /// Adds what the arguments say.
    pub(crate) fn apply(&self, options: ConvertOptions) -> ConvertOptions {
        let options = options
            .comments(!self.no_comments)
            .variations(!self.no_variations)
            .nags(!self.no_nags)
            .classify(self.eco);
        if self.drop_commands || !self.keep.is_empty() {
            options.drop_commands(&self.keep)
        } else {
            options
        }
    }

    /// Refuses these options where no games are written.
    pub(crate) fn refuse_without(&self, output: Option<&PathBuf>) -> Result<(), Usage> {
        let given = [
            ("no-comments", self.no_comments),
            ("no-variations", self.no_variations),
            ("no-nags", self.no_nags),
            ("drop-commands", self.drop_commands),
            ("keep", !self.keep.is_empty()),
            ("eco", self.eco),
        ];
        match given.iter().find(|(_, is_given)| *is_given) {
            Some((name, _)) if output.is_none() => {
                let message = format!("--{name} is for games that are written: --output is needed");
                Err(Usage(message))
            }
            _ => Ok(()),
        }
    }
}

/// One of the two sides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SideName {
    White,
    Black,
}

impl SideName {
    pub(crate) fn color(self) -> Color {
        match self {
            SideName::White => Color::White,
            SideName::Black => Color::Black,
        }
    }
}

/// Reads a percentage, with or without its sign.
pub(crate) fn percentage(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.trim_end_matches('%').parse().ok();
    let number = number.filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 100 is needed".to_owned())
}

/// How rows that are no games are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum RowFormat {
    /// Columns for people
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object a line
    Jsonl,
}

/// How databases are opened.
#[derive(Debug, Args)]
pub(crate) struct OpeningArgs {
    /// Tell comments in this language where there are several: `en`, `German`, `all`
    #[arg(
        long,
        global = true,
        value_name = "LANG",
        default_value_t,
        help_heading = "Databases"
    )]
    pub(crate) language: Language,
    /// Read names and other texts in this encoding, whatever their bytes suggest:
    /// `windows-1251`, `koi8-r`, `cp437`
    #[arg(long, global = true, value_name = "NAME", help_heading = "Databases")]
    pub(crate) encoding: Option<TextEncoding>,
    /// The password of an archive in cipher (.cbz)
    #[arg(long, global = true, value_name = "WORD", help_heading = "Databases")]
    pub(crate) password: Option<String>,
    /// Leave sidecars (`NAME.tabiya`) alone; answers are the same without
    #[arg(long, global = true, help_heading = "Databases")]
    pub(crate) no_sidecar: bool,
    /// Read whole files into memory instead of mapping them: for databases that another program
    /// may shorten meanwhile
    #[arg(long, global = true, help_heading = "Databases")]
    pub(crate) in_memory: bool,
    /// Read compressed PGN in parts if it is longer, of that many bytes at most
    #[arg(long, global = true, value_name = "BYTES", hide = true)]
    pub(crate) unpacked_bytes_max: Option<u64>,
    /// Run on N threads; as many as there are processors unless given
    #[arg(
        long,
        global = true,
        value_name = "N",
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub(crate) threads: Option<u16>,
}

impl OpeningArgs {
    /// Returns what the arguments say.
    pub(crate) fn options(self) -> OpenOptions {
        let options = OpenOptions::new()
            .language(self.language)
            .in_memory(self.in_memory)
            .sidecar(!self.no_sidecar)
            .standard_input(true);
        let options = match self.encoding {
            Some(encoding) => options.encoding(encoding),
            None => options,
        };
        let options = match self.unpacked_bytes_max {
            Some(bytes) => options.unpacked_bytes_max(bytes),
            None => options,
        };
        match self.password {
            Some(password) => options.password(password),
            None => options,
        }
    }
}
