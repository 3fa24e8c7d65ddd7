//! Lists of games that are written in other ways than PGN: puzzles, positions, games as JSON.
//!
//! A list is text. [`List::next_item`] finds its items, each of which is a game, and [`List::tell`]
//! tells an item as PGN, from which `pgn/` reads the game as it reads any. So an item is told again
//! whenever something is asked of its game, and its [index](crate::StoredIndex) is that of PGN,
//! with the places of items.
//!
//! An item that cannot be told is a damaged game; those after it are found all the same.

mod chess_com;
mod flaws;
mod json;
mod lichess;
mod positions;
mod puzzles;
mod tags;
#[cfg(test)]
mod tests;

use std::{ops::Range, path::Path};

use memchr::{memchr, memrchr};

use crate::{FormatKind, damage::Flaw, limits::LIST_ITEM_BYTES_MAX, suffix::has_end};

/// What the items of a list are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    /// Rows of puzzles by Lichess.
    Puzzles,
    /// Lines with a position each, in EPD or FEN.
    Positions,
    /// Objects with a game each, by Lichess or Chess.com.
    Json,
}

/// How much of an item is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Telling {
    /// At least what a record says without moves.
    Header,
    /// At least what a record says.
    Record,
    All,
}

/// Returns the ends of the names of files with these suffixes, plain or packed.
macro_rules! ends {
    ($($suffix:literal),+) => {
        &[$(
            $suffix,
            concat!($suffix, ".gz"),
            concat!($suffix, ".zst"),
            concat!($suffix, ".bz2"),
            concat!($suffix, ".xz"),
        )+]
    };
}

/// Ends of the names of lists of puzzles.
pub(crate) const PUZZLES: &[&str] = ends!["csv"];
/// Ends of the names of lists of positions.
pub(crate) const POSITIONS: &[&str] = ends!["epd", "fen"];
/// Ends of the names of files of games as JSON.
pub(crate) const JSON: &[&str] = ends!["json", "ndjson", "jsonl"];

/// What precedes UTF-8 text that some programs write.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl List {
    /// Returns what a file is by its name. Ignores case. Does not access files.
    pub(crate) fn of_name(path: &Path) -> Option<List> {
        let is = |ends: &[&str]| ends.iter().any(|end| has_end(path, end));
        let lists = [
            (PUZZLES, List::Puzzles),
            (POSITIONS, List::Positions),
            (JSON, List::Json),
        ];
        let mut named = lists.into_iter().filter(|(ends, _)| is(ends));
        named.next().map(|(_, list)| list)
    }

    /// Returns its format.
    pub(crate) fn kind(self) -> FormatKind {
        match self {
            List::Puzzles => FormatKind::Puzzles,
            List::Positions => FormatKind::Positions,
            List::Json => FormatKind::Json,
        }
    }

    /// Returns why a text that begins so is no such list: none of its items is a game. Files of
    /// many kinds have the suffixes of lists. An empty text may be one.
    pub(crate) fn refusal(self, head: &[u8]) -> Option<Flaw> {
        let (is_game, flaw): (fn(&[u8]) -> bool, Flaw) = match self {
            List::Puzzles => (puzzles::is_puzzle, flaws::NO_PUZZLES),
            List::Positions => (positions::is_position, flaws::NO_POSITIONS),
            List::Json => (json::is_game, flaws::NO_GAMES),
        };
        let mut from = 0;
        while let Some(item) = self.next_item(head, from) {
            from = item.end;
            // One that the head cuts off may be.
            if from == head.len() || head.get(item).is_some_and(is_game) {
                return None;
            }
        }
        (from > 0).then_some(flaw)
    }

    /// Returns where the first item is that begins at an offset or behind it. Lines that hold none
    /// are skipped. O(bytes up to its end).
    pub(crate) fn next_item(self, text: &[u8], from: usize) -> Option<Range<usize>> {
        match self {
            List::Puzzles => next_line(text, from, puzzles::is_title),
            List::Positions => next_line(text, from, |line| line.first() == Some(&b'#')),
            List::Json => json::next_object(text, from),
        }
    }

    /// Returns where an item seems to begin, at an offset or behind it.
    pub(crate) fn likely_item(self, text: &[u8], from: usize) -> Option<usize> {
        match self {
            List::Puzzles | List::Positions => line_end(text, from).map(|end| end + 1),
            List::Json => json::likely_object(text, from),
        }
    }

    /// Returns where the whole items of a text end, whose rest is lost. Half a line may look like a
    /// whole one; half an object does not.
    pub(crate) fn whole_items_end(self, text: &[u8]) -> usize {
        match self {
            List::Puzzles | List::Positions => memrchr(b'\n', text).map_or(0, |end| end + 1),
            List::Json => text.len(),
        }
    }

    /// Returns the FEN of an item, if that and the event are all that its record says without
    /// moves, and the event is that of every item.
    pub(crate) fn start_alone(self, item: &[u8]) -> Option<&[u8]> {
        match self {
            List::Puzzles => puzzles::start(item),
            List::Positions | List::Json => None,
        }
    }

    /// Tests the tags of an item outside its record, if that can be done without telling it.
    pub(crate) fn any_tag(
        self,
        item: &[u8],
        test: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Option<bool> {
        (self == List::Puzzles).then(|| puzzles::any_tag(item, test))?
    }

    /// Appends the PGN text of an item's game. It takes at most some twenty times as many bytes.
    ///
    /// # Errors
    /// Why the item is no game. What has been appended then is of no use.
    pub(crate) fn tell(self, item: &[u8], telling: Telling, pgn: &mut Vec<u8>) -> Result<(), Flaw> {
        if item.len() > LIST_ITEM_BYTES_MAX {
            return Err(flaws::ITEM_TOO_LONG);
        }
        match self {
            List::Puzzles => puzzles::tell(item, telling, pgn),
            List::Positions => {
                positions::tell(item, pgn);
                Ok(())
            }
            List::Json => json::tell(item, pgn),
        }
    }
}

/// Returns the next line that is not empty and does not fit, without its end.
fn next_line(
    text: &[u8],
    mut from: usize,
    is_skipped: impl Fn(&[u8]) -> bool,
) -> Option<Range<usize>> {
    if from == 0 && text.starts_with(BYTE_ORDER_MARK) {
        from = BYTE_ORDER_MARK.len();
    }
    while from < text.len() {
        let end = line_end(text, from).unwrap_or(text.len());
        let line = text.get(from..end)?;
        let indented = line.len() - line.trim_ascii_start().len();
        let trimmed = line.trim_ascii();
        if !trimmed.is_empty() && !is_skipped(trimmed) {
            let start = from + indented;
            return Some(start..start + trimmed.len());
        }
        from = end + 1;
    }
    None
}

fn line_end(text: &[u8], from: usize) -> Option<usize> {
    memchr(b'\n', text.get(from..)?).map(|length| from + length)
}
