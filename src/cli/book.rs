//! What an opening book has, beside the moves of a tree or alone.

use std::{ffi::OsString, path::Path};

use serde_json::Value;
use tabiya::{
    Book, BookFaults, BookFormat, BookMove, BookMoves, BookResults, NextMove, TreePosition, TreeRow,
};

use super::{
    columns::{Columns, or_empty},
    common::{LimitArgs, RowFormat},
    databases,
    failure::{Outcome, Usage},
    figures::{percent, percent_value},
    output::{self, Output},
    progress::Progress,
    render::Records,
};

/// Names of the machine-readable fields of a book beside a tree.
pub(crate) const BESIDE_NAMES: [&str; 7] = [
    "bookShare",
    "bookWeight",
    "bookGames",
    "bookScore",
    "bookAdvice",
    "bookNag",
    "bookPriority",
];

/// Names of the machine-readable fields of a book alone.
const NAMES: [&str; 14] = [
    "san", "uci", "weight", "learn", "priority", "games", "share", "white", "draw", "black",
    "score", "advice", "nag", "opening",
];

/// The moves of a book in a position.
pub(crate) struct Beside {
    found: BookMoves,
    format: BookFormat,
    /// The sum of what the moves weigh.
    total: u64,
}

impl Beside {
    /// Opens a book, and warns of what cannot be read of it.
    pub(crate) fn open(path: &Path, position: &TreePosition) -> anyhow::Result<Beside> {
        let mut progress = Progress::new("bytes");
        let options = databases::options();
        let book = options
            .on_progress(|at| progress.update(at))
            .open_book(path);
        progress.clear();
        let book: Book = book?;
        let found = position.book_moves(&book)?;
        warn_of(&book.faults(), "entries of the book without a place in it");
        warn_of(&found.faults, "entries of the book left out here");
        Ok(Beside {
            format: book.format(),
            total: found.moves.iter().map(BookMove::heft).sum(),
            found,
        })
    }

    /// Returns the rows of the moves, without games.
    pub(crate) fn rows(&self, position: &TreePosition) -> Vec<TreeRow> {
        let moves = self.found.moves.iter();
        let next = moves.map(|found| NextMove::from(found.played));
        next.map(|next| position.unplayed(next)).collect()
    }

    fn find(&self, next: NextMove) -> Option<&BookMove> {
        let mut moves = self.found.moves.iter();
        moves.find(|found| NextMove::from(found.played) == next)
    }

    fn share(&self, found: &BookMove) -> u32 {
        let doubled = 2 * u128::from(found.heft()) * 1000 + u128::from(self.total);
        let share = doubled.checked_div(2 * u128::from(self.total));
        share.map_or(0, |share| share as u32)
    }

    /// Returns the cells of a move: its share of the book, and the marks of its author.
    pub(crate) fn cells(&self, next: NextMove) -> [String; 2] {
        let Some(found) = self.find(next) else {
            return [String::new(), String::new()];
        };
        [percent(self.share(found)), mark(found)]
    }

    /// Returns the values of a move; nulls if the book does not have it.
    pub(crate) fn values(&self, next: NextMove) -> [Value; BESIDE_NAMES.len()] {
        let Some(found) = self.find(next) else {
            return BESIDE_NAMES.map(|_| Value::Null);
        };
        [
            percent_value(self.share(found)),
            found.weight.into(),
            found.results.map(|results| results.games).into(),
            score(found).map_or(Value::Null, percent_value),
            found.advice.map(|advice| advice.as_str()).into(),
            found.nag.into(),
            found.priority.into(),
        ]
    }
}

fn warn_of(faults: &BookFaults, what: &str) {
    if let Some(first) = &faults.first {
        output::warn(&format!("{first}; {what}: {}", faults.count));
    }
}

/// Returns the colour and the glyph of a move.
fn mark(found: &BookMove) -> String {
    let glyph = found.nag.map(|nag| match nag {
        1 => "!".to_owned(),
        2 => "?".to_owned(),
        3 => "!!".to_owned(),
        4 => "??".to_owned(),
        5 => "!?".to_owned(),
        6 => "?!".to_owned(),
        nag => format!("${nag}"),
    });
    let colour = found.advice.map(|advice| advice.as_str().to_owned());
    let marks: Vec<String> = colour.into_iter().chain(glyph).collect();
    marks.join(" ")
}

fn score(found: &BookMove) -> Option<u32> {
    found.results.and_then(BookResults::score_permille)
}

/// Returns the book that the words of a command name instead of a database.
pub(crate) fn alone(words: &[OsString]) -> Option<&Path> {
    let path = words.first().map(Path::new)?;
    Book::is_book(path).then_some(path)
}

/// Refuses a book among the words of a query, which stands there by mistake.
pub(crate) fn refuse_in_query(words: &[OsString]) -> Result<(), Usage> {
    let mut paths = words.iter().map(Path::new);
    match paths.find(|path| Book::is_book(path)) {
        Some(book) => Err(Usage(format!(
            "{} is an opening book: `--book` shows it beside the games",
            book.display()
        ))),
        None => Ok(()),
    }
}

/// Prints the moves of a book alone.
pub(crate) fn run_alone(
    path: &Path,
    position: &TreePosition,
    (format, most): (RowFormat, &LimitArgs),
    out: &mut Output,
) -> anyhow::Result<Outcome> {
    let beside = Beside::open(path, position)?;
    let rows = beside.rows(position);
    let moves = beside.found.moves.iter().zip(&rows);
    let moves: Vec<(&BookMove, &TreeRow)> = moves.take(most.of(rows.len())).collect();
    match format {
        _ if moves.is_empty() => {}
        RowFormat::Table => table(&beside, &moves).print(out)?,
        RowFormat::Csv => records(&beside, &moves, Records::csv(&NAMES, out)?)?,
        RowFormat::Jsonl => records(&beside, &moves, Records::Jsonl(out))?,
    }
    out.finish()?;
    let counted = output::counted(rows.len() as u64, "move");
    output::summarize(&format!("{counted}, {}", beside.format));
    Ok(Outcome::of_matches(!rows.is_empty()))
}

/// Returns the rows, with what books of this format have.
fn table(beside: &Beside, moves: &[(&BookMove, &TreeRow)]) -> Columns {
    let mut columns = Columns::new(match beside.format {
        BookFormat::Arena => &[
            "move",
            "#priority",
            "#games",
            "#share",
            "#white",
            "#draw",
            "#black",
            "#score",
            "opening",
        ],
        BookFormat::ChessBase => &[
            "move", "mark", "#games", "#share", "#white", "#draw", "#black", "#score", "opening",
        ],
        _ => &["move", "#weight", "#share", "opening"],
    });
    for &(found, row) in moves {
        let mut cells = vec![row.san.clone()];
        match beside.format {
            BookFormat::Arena => cells.push(or_empty(found.priority)),
            BookFormat::ChessBase => cells.push(mark(found)),
            _ => cells.push(or_empty(found.weight)),
        }
        let share = percent(beside.share(found));
        if beside.format == BookFormat::Polyglot {
            cells.push(share);
        } else {
            let number = |of: fn(BookResults) -> u32| or_empty(found.results.map(of));
            cells.extend([
                number(|results| results.games),
                share,
                number(|results| results.white),
                number(|results| results.draws),
                number(|results| results.black),
                or_empty(score(found).map(percent)),
            ]);
        }
        cells.push(or_empty(row.opening));
        columns.row(cells);
    }
    columns
}

fn records(
    beside: &Beside,
    moves: &[(&BookMove, &TreeRow)],
    mut records: Records<'_>,
) -> anyhow::Result<()> {
    for &(found, row) in moves {
        let number = |of: fn(BookResults) -> u32| Value::from(found.results.map(of));
        let values = [
            row.san.as_str().into(),
            row.next.uci().into(),
            found.weight.into(),
            found.learn.into(),
            found.priority.into(),
            number(|results| results.games),
            percent_value(beside.share(found)),
            number(|results| results.white),
            number(|results| results.draws),
            number(|results| results.black),
            score(found).map_or(Value::Null, percent_value),
            found.advice.map(|advice| advice.as_str()).into(),
            found.nag.into(),
            row.opening.into(),
        ];
        let fields: Vec<_> = NAMES.into_iter().zip(values).collect();
        records.row(&fields)?;
    }
    Ok(())
}
