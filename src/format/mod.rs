//! The formats, siblings of one shape: records as slices, games decoded on demand.
//!
//! What all formats share stands here and in [`game`] and [`header`]; what a file holds byte by
//! byte stands in its format's module, and nowhere else. Formats know nothing of queries.

pub(crate) mod check;
pub mod chessbase;
pub(crate) mod claims;
mod facts;
pub(crate) mod figures;
pub(crate) mod file;
pub(crate) mod flaws;
pub mod game;
pub mod header;
mod indexed;
pub mod jose;
pub mod loss;
pub mod monty;
pub(crate) mod names;
mod opened;
mod options;
mod outputs;
mod paths;
pub mod pgn;
pub(crate) mod publish;
mod recorder;
pub(crate) mod salvage;
pub mod scdb;
pub mod scid4;
#[cfg(test)]
pub(crate) mod slow;
mod suffix;
mod table;
mod turns;
mod walk;

use std::{hash::Hash, ops::Range};

use shakmaty::{Move, Setup};

pub(crate) use self::{
    check::{Checked, Fault},
    file::{Access, File},
    opened::Store,
    outputs::GamesFile,
    publish::{Ask, Target, Temporary, go_on},
    recorder::Recorder,
    table::{Opened, with_view},
    turns::{Left, Turn, Window, in_turns, task_items},
};
pub use self::{
    chessbase::annotations::{Language, ParseLanguageError},
    game::{GameHeader, Rating, Visitor},
    header::{Header, NameSlot},
    loss::Lost,
    options::OpenOptions,
    paths::{database_suffixes, has_database_name, source_files, stands_for_database},
    publish::{Overwrite, finish_replacement},
    table::{FormatKind, SUPPORT, Support},
};
use crate::{
    chess::{Flow, Follow, GameId, PartialDate, Rewind},
    damage::Flaw,
    error::Error,
    pattern::{KingPlaces, Pattern},
};

/// How far opening a file is that must be read through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenProgress {
    /// Bytes looked at so far.
    pub done: u64,
    /// All bytes.
    pub total: u64,
}

/// Who is told how far opening is; `Break` ends it.
pub(crate) type Report<'p> = &'p mut dyn FnMut(OpenProgress) -> Flow;

/// What is wrong with a game's bytes, and where. Small, for inner loops; it becomes an
/// [`Error`] once a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Damage {
    pub(crate) what: Flaw,
    /// Offset in bytes from the start of the game.
    pub(crate) at: u32,
}

/// The result of decoding a game, or the first thing that is wrong with it.
pub(crate) type Decoded<T> = std::result::Result<T, Damage>;

/// Memory that decoding reuses from game to game. One for each thread.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    /// The start position of the game being decoded, if it has its own.
    pub(crate) setup: Option<Setup>,
    /// The moves of the game being decoded, if they had to be rewritten.
    pub(crate) moves: Vec<u8>,
}

/// The games of an open database in one format: what searches are compiled against.
pub(crate) trait View: Copy + Send + Sync {
    /// The index record. Its hash is over all that it holds.
    type Record: Header + Hash;

    /// Returns the records, one a game.
    fn records(&self) -> &[Self::Record];

    /// Reads one byte of a game, so that several games' first bytes can be on their way from
    /// memory at once.
    fn touch(&self, record: &Self::Record) -> u8;

    /// Calls `each` with games in turn until it breaks, having touched a few of them at a time
    /// before: their ways from memory overlap.
    fn for_each_touched(
        &self,
        games: &[GameId],
        mut each: impl FnMut(GameId, &Self::Record) -> Flow,
    ) -> Flow {
        const TOUCH_GAMES: usize = 16;
        for games in games.chunks(TOUCH_GAMES) {
            let records = games.iter().map(|game| &self.records()[game.index()]);
            let touched = records
                .clone()
                .fold(0, |sum: u8, record| sum.wrapping_add(self.touch(record)));
            std::hint::black_box(touched);
            for (&game, record) in games.iter().zip(records) {
                each(game, record)?;
            }
        }
        Flow::Continue(())
    }

    /// Plays the main line until the follower has seen enough; returns the plies played. The
    /// follower forgets the game before first, so that it tells nothing of it when this one has
    /// no position.
    #[inline]
    fn main_line<F: Follow>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        follow.forget();
        self.follow_main_line(record, scratch, follow)
    }

    /// Plays all lines, depth first, until the follower has seen enough. As in
    /// [`main_line`](View::main_line), it forgets the game before.
    #[inline]
    fn tree<F: Rewind>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        follow.forget();
        self.follow_tree(record, scratch, follow)
    }

    /// How a format plays a main line, for [`main_line`](View::main_line) alone.
    fn follow_main_line<F: Follow>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32>;

    /// How a format plays all lines, for [`tree`](View::tree) alone.
    fn follow_tree<F: Rewind>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()>;

    /// Tells a visitor everything about a game but its header.
    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()>;

    /// Tells whether a tag outside the index passes the test (name, value).
    fn any_tag(
        &self,
        record: &Self::Record,
        test: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Decoded<bool>;

    /// Returns the date on which a game's event began.
    fn event_date(&self, record: &Self::Record) -> PartialDate {
        record.event_date()
    }

    /// Tells whether a comment passes the test.
    fn any_comment(
        &self,
        record: &Self::Record,
        test: &mut dyn FnMut(&str) -> bool,
    ) -> Decoded<bool>;

    /// Tells whether a record is zeros only, as damage leaves it, though it reads as a game.
    fn is_blank(&self, record: &Self::Record) -> bool {
        let _ = record;
        false
    }

    /// Tells whether a name reads as unknown because it cannot be had, where its number does not
    /// tell.
    fn lacks_name(&self, record: &Self::Record, slot: NameSlot) -> bool {
        let _ = (record, slot);
        false
    }

    /// Tells the tags of which a game has a number and whose texts cannot be had.
    fn lost_tags(&self, record: &Self::Record, tell: &mut dyn FnMut(&'static str)) {
        let _ = (record, tell);
    }

    /// Returns what is wrong with what belongs to a game and stands in another file than its
    /// moves. [`visit`](View::visit) passes over it.
    fn fault_beside(&self, record: &Self::Record) -> Option<Error> {
        let _ = record;
        None
    }

    /// Decodes a game wholly and checks its bytes, its moves and its record. Names are not
    /// looked at.
    fn check(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
    ) -> std::result::Result<Checked, Fault>;

    /// Returns where a game lies in the games file, in bytes; empty when it has none.
    fn place(&self, record: &Self::Record) -> Range<u64> {
        let offset = record.offset_bytes();
        offset..offset + u64::from(record.length_bytes())
    }

    /// Tells the bytes that a game's main line is played from, besides its record: as long as
    /// the same is told, the same is played. What lies beyond the end of a file is not told.
    fn sources(&self, record: &Self::Record, tell: &mut dyn FnMut(&[u8]));

    /// Takes games out of up to 64 lanes, of which the first is `first`, whose main lines
    /// cannot have a position that matches: by what the format stores about them besides the
    /// record. Sound for main lines, silent about variations.
    fn may_hold(&self, pattern: &Pattern, first: GameId, lanes: u64) -> u64 {
        let _ = (pattern, first);
        lanes
    }

    /// Tells whether the kings of a game may come to some of these places, in whichever line, as
    /// far as that can be told without playing it. A damaged game may do anything.
    fn kings_may_come(&self, record: &Self::Record, places: &KingPlaces) -> bool {
        let _ = (record, places);
        true
    }

    /// Returns the moves that every game with this stored-line code begins with.
    fn stored_line(&self, code: u8) -> Option<&'static [Move]>;
}

/// The files of one database as bytes in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parts {
    /// What they are; `None` when the first bytes of the index say it. Those of Scid 5 do not.
    pub format: Option<FormatKind>,
    /// The index (`.si5`, `.si4`, `.si3`, `.dci`).
    pub index: Vec<u8>,
    /// The games (`.sg5`, `.sg4`, `.sg3`, `.dcg`).
    pub games: Option<Vec<u8>>,
    /// The names (`.sn5`, `.sn4`, `.sn3`), or the players (`.dcn`).
    pub names: Option<Vec<u8>>,
    /// The sites (`.dcs`).
    pub sites: Option<Vec<u8>>,
    /// The events (`.dce`).
    pub events: Option<Vec<u8>>,
}

/// The files of one database. Only the index must be there.
#[derive(Debug)]
pub(crate) struct Files {
    pub(crate) index: File,
    pub(crate) games: Option<File>,
    /// All names, or those of the players.
    pub(crate) names: Option<File>,
    pub(crate) sites: Option<File>,
    pub(crate) events: Option<File>,
}

impl Files {
    /// Returns the files that are there, the index first.
    pub(crate) fn all(&self) -> Vec<&File> {
        let companions = [&self.games, &self.names, &self.sites, &self.events];
        let companions = companions.into_iter().flatten();
        [&self.index].into_iter().chain(companions).collect()
    }

    /// Returns the error for a companion file that is not at hand.
    pub(crate) fn missing(&self, what: &'static str, suffix: &str) -> Error {
        file::without(&self.index.path, suffix, what)
    }
}
