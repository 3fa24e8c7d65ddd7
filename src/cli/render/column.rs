//! The columns of csv, which are the fields of jsonl, and their selection.

use std::str::FromStr;

use clap::{Args, ValueEnum};
use tabiya::query::{self, NumberField, SortField};

/// A column of csv, or field of jsonl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Column {
    /// The database, if there are several. Cannot be chosen.
    Database,
    Number,
    White,
    Black,
    WhiteElo,
    BlackElo,
    Event,
    Site,
    Round,
    Date,
    Result,
    Eco,
    /// The name of the opening.
    Opening,
    Plies,
    /// The ply of the match.
    Ply,
    /// How similar the position there is, with `--like`.
    Similarity,
    /// The moves up to the match, if it is in a variation.
    Line,
    IsoDate,
    Year,
    Month,
    Day,
    EventDate,
    /// The start position, if it is custom.
    Fen,
    San,
    Uci,
    Fens,
    Comments,
    /// Time left after each half-move.
    Clocks,
    /// The evaluation after each half-move.
    Evals,
    /// What games are sorted by, where no other column is the same.
    Sorted(SortField),
    /// The first half-move that cannot be read, from 1 on.
    DamagedFrom,
    Tag(String),
}

/// The columns by name, except tags. Those up to `opening` are the default.
const COLUMNS: [(&str, Column); 38] = [
    ("number", Column::Number),
    ("white", Column::White),
    ("black", Column::Black),
    ("whiteElo", Column::WhiteElo),
    ("blackElo", Column::BlackElo),
    ("event", Column::Event),
    ("site", Column::Site),
    ("round", Column::Round),
    ("date", Column::Date),
    ("result", Column::Result),
    ("eco", Column::Eco),
    ("plies", Column::Plies),
    ("ply", Column::Ply),
    ("line", Column::Line),
    ("isoDate", Column::IsoDate),
    ("year", Column::Year),
    ("month", Column::Month),
    ("day", Column::Day),
    ("opening", Column::Opening),
    ("eventDate", Column::EventDate),
    ("fen", Column::Fen),
    ("san", Column::San),
    ("uci", Column::Uci),
    ("fens", Column::Fens),
    ("comments", Column::Comments),
    ("clocks", Column::Clocks),
    ("evals", Column::Evals),
    ("similarity", Column::Similarity),
    ("damaged_from", Column::DamagedFrom),
    ("elo", Column::Sorted(SortField::Number(NumberField::Elo))),
    (
        "avgElo",
        Column::Sorted(SortField::Number(NumberField::AvgElo)),
    ),
    (
        "eloDiff",
        Column::Sorted(SortField::Number(NumberField::EloDiff)),
    ),
    ("winner", Column::Sorted(SortField::Decided(true))),
    ("loser", Column::Sorted(SortField::Decided(false))),
    (
        "moves",
        Column::Sorted(SortField::Number(NumberField::Moves)),
    ),
    (
        "variations",
        Column::Sorted(SortField::Number(NumberField::Variations)),
    ),
    ("nags", Column::Sorted(SortField::Number(NumberField::Nags))),
    (
        "commentCount",
        Column::Sorted(SortField::Number(NumberField::Comments)),
    ),
];

/// Number of default columns.
const DEFAULT: usize = 19;

/// The prefix of a tag's column.
const TAG: &str = "tag.";

impl Column {
    /// Returns its name; for a tag, as it was typed.
    pub(super) fn name(&self) -> String {
        let named = COLUMNS.iter().find(|(_, column)| column == self);
        match (self, named) {
            (Column::Tag(tag), _) => format!("{TAG}{tag}"),
            (_, Some((name, _))) => (*name).to_owned(),
            (_, None) => "database".to_owned(),
        }
    }
}

impl FromStr for Column {
    type Err = String;

    fn from_str(text: &str) -> Result<Column, String> {
        if let Some((prefix, tag)) = text.split_at_checked(TAG.len())
            && prefix.eq_ignore_ascii_case(TAG)
        {
            return match tag {
                "" => Err("the name of a tag is missing after `tag.`".to_owned()),
                tag => Ok(Column::Tag(tag.to_owned())),
            };
        }
        let mut named = COLUMNS.iter();
        if let Some((_, column)) = named.find(|(name, _)| name.eq_ignore_ascii_case(text)) {
            return Ok(column.clone());
        }
        let names = COLUMNS.map(|(name, _)| name);
        let all = names.join(", ");
        let meant = match query::nearest(text, names) {
            Some(name) => format!("did you mean `{name}`? "),
            None => String::new(),
        };
        Err(format!("no such column; {meant}there are {all}, tag.NAME"))
    }
}

/// How moves are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum MovesAs {
    /// As people write them: `Nf3`
    San,
    /// As engines write them: `g1f3`
    Uci,
}

/// What `search` tells of each game as csv or jsonl.
#[derive(Debug, Clone, Args)]
pub(crate) struct ColumnArgs {
    /// Print these columns of csv and jsonl, in this order: `white,black,isoDate,tag.Annotator`
    ///
    /// Columns: number, white, black, whiteElo, blackElo, event, site, round, date (as PGN has
    /// it: 2010.05.??), result, eco, plies, ply (where the query matched), line (the moves to
    /// there if that is in a variation), isoDate (2010-05; 2010-05-17 when all is known), year,
    /// month, day, opening (its name), which are printed unless others are chosen; eventDate;
    /// fen (the start position unless it is the standard one); san, uci, fens, comments (see
    /// --moves, --fens, --comments); clocks and evals (an array of JSON with a value for each
    /// half-move: seconds left, and pawns or a mate as "#3", from the comments of servers);
    /// similarity (see --like); damaged_from (the first half-move that cannot be read, from 1
    /// on, or of which a variation cannot; what is before it and after such a variation is
    /// printed); elo (the lower of both ratings, as in queries), avgElo, eloDiff, winner, loser,
    /// moves, variations, nags, commentCount; tag.NAME (any PGN tag). What is unknown is empty in
    /// csv and null in jsonl.
    /// Example:
    ///
    ///   tabiya search base.si4 eco:B90 --format csv --columns white,black,year,tag.Opening
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        conflicts_with_all = ["count", "positions"],
        help_heading = "Columns of csv and jsonl",
        verbatim_doc_comment
    )]
    pub(crate) columns: Vec<Column>,

    /// Add the moves of the main line to csv or jsonl
    ///
    /// The column `san` or `uci` has them, an array in jsonl, with spaces between them in csv;
    /// the column `fen` has the start position unless it is the standard one. A damaged game
    /// has its moves up to the damage, and a line on standard error. A null move is `--` or
    /// `0000`. Example:
    ///
    ///   tabiya search base.si4 --format jsonl --moves san > games.jsonl
    #[arg(
        long,
        value_name = "NOTATION",
        value_enum,
        conflicts_with_all = ["count", "positions"],
        help_heading = "Columns of csv and jsonl",
        verbatim_doc_comment
    )]
    pub(crate) moves: Option<MovesAs>,

    /// Add the comments of the main line to csv or jsonl
    ///
    /// The column `comments` has them as an array of JSON: {"ply":3,"text":"..."}, where ply is
    /// that of the move before the comment, and 0 before the first move.
    #[arg(
        long,
        conflicts_with_all = ["count", "positions"],
        help_heading = "Columns of csv and jsonl",
        verbatim_doc_comment
    )]
    pub(crate) comments: bool,

    /// Add the position after every half-move of the main line as FEN to csv or jsonl
    ///
    /// The column `fens` has them, an array in jsonl, with semicolons between them in csv; the
    /// column `fen` has the start position unless it is the standard one.
    #[arg(
        long,
        conflicts_with_all = ["count", "positions"],
        help_heading = "Columns of csv and jsonl",
        verbatim_doc_comment
    )]
    pub(crate) fens: bool,
}

impl ColumnArgs {
    /// Returns the first option that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let given = [
            (!self.columns.is_empty(), "--columns"),
            (self.moves.is_some(), "--moves"),
            (self.comments, "--comments"),
            (self.fens, "--fens"),
        ];
        let mut given = given.into_iter().filter(|(is_given, _)| *is_given);
        given.next().map(|(_, option)| option)
    }

    /// Returns the columns to print: the chosen ones, then those added by other options.
    pub(crate) fn chosen(&self) -> Vec<Column> {
        let mut all = self.columns.clone();
        if all.is_empty() {
            let shown = &COLUMNS[..DEFAULT];
            all.extend(shown.iter().map(|(_, column)| column.clone()));
        }
        let moves = self.moves.map(|moves| match moves {
            MovesAs::San => Column::San,
            MovesAs::Uci => Column::Uci,
        });
        let fens = self.fens.then_some(Column::Fens);
        let start = moves.as_ref().or(fens.as_ref()).map(|_| Column::Fen);
        let comments = self.comments.then_some(Column::Comments);
        for column in [start, moves, comments, fens].into_iter().flatten() {
            if !all.contains(&column) {
                all.push(column);
            }
        }
        all
    }
}
