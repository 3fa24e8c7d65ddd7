//! Where games are in a text, and what follows the text.

use memchr::memchr_iter;

/// The place of a game in its file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GamePlace {
    /// The 1-based number of the game in the file, broken games included.
    pub number: u32,
    /// The 1-based line of its first tag or move.
    pub line: u64,
    /// The offset in bytes of its first tag or move, in the text after decompression.
    pub offset_bytes: u64,
}

impl GamePlace {
    /// A place that makes the offsets of errors relative to the game.
    pub(super) const NOWHERE: GamePlace = GamePlace {
        number: 0,
        line: 0,
        offset_bytes: 0,
    };
}

/// Counts games and lines of the text.
#[derive(Debug)]
pub(super) struct Counter {
    games: u32,
    /// Lines before `counted`.
    lines: u64,
    /// Offset in the current text up to which lines are counted.
    counted: usize,
    /// Offset of the current text in the file.
    offset_bytes: u64,
}

impl Counter {
    pub(super) fn new() -> Counter {
        Counter {
            games: 0,
            lines: 0,
            counted: 0,
            offset_bytes: 0,
        }
    }

    fn count_to(&mut self, text: &[u8], at: usize) {
        let new = text.get(self.counted..at).unwrap_or_default();
        self.lines += memchr_iter(b'\n', new).count() as u64;
        self.counted = at.max(self.counted);
    }

    /// Goes on after so many games, lines and bytes.
    pub(super) fn after(before: GamePlace) -> Counter {
        Counter {
            games: before.number,
            lines: before.line,
            counted: 0,
            offset_bytes: before.offset_bytes,
        }
    }

    /// Returns the number of games, and of lines and bytes up to the text.
    pub(super) fn before(&self) -> GamePlace {
        GamePlace {
            number: self.games,
            line: self.lines,
            offset_bytes: self.offset_bytes,
        }
    }

    /// Counts games that follow each other.
    pub(super) fn add_games(&mut self, games: u32) {
        self.games = self.games.saturating_add(games);
    }

    /// Counts a game and returns its place.
    pub(super) fn place(&mut self, text: &[u8], at: usize) -> GamePlace {
        self.count_to(text, at);
        self.games = self.games.saturating_add(1);
        GamePlace {
            number: self.games,
            line: self.lines + 1,
            offset_bytes: self.offset_bytes + at as u64,
        }
    }

    /// Adjusts the counts before the text up to `at` is dropped.
    pub(super) fn drop_before(&mut self, text: &[u8], at: usize) {
        self.count_to(text, at);
        self.counted -= at;
        self.offset_bytes += at as u64;
    }
}

/// What follows a text.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(super) enum Following {
    #[default]
    Nothing,
    /// More text.
    More,
    /// Text that cannot be read.
    Lost,
}
