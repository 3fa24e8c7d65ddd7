//! The formats of chess databases. All have the same shape: records as slices, games decoded on
//! demand.
//!
//! Internal to `tabiya`, which exports what its users need; anything else may change at any time.
//!
//! What all formats share is here and in `game` and `header`. The bytes of a file are described in
//! the module of its format, and nowhere else. Formats know nothing of queries.
//!
//! Games come and go as events: whatever reads a game passes it to a [`Visitor`]; [`GameText`] is a
//! visitor that writes PGN. Other formats are written by encoders, which are visitors too.

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "internal, and documented with its private items"
)]
#![cfg_attr(
    not(all(
        feature = "chessbase",
        feature = "jose",
        feature = "scdb",
        feature = "training"
    )),
    allow(dead_code, reason = "formats share more than one of them needs")
)]

pub mod book;
pub mod bytes;
pub mod check;
#[cfg(feature = "chessbase")]
pub mod chessbase;
pub mod damage;
pub mod encoding;
pub mod error;
mod facts;
pub mod figures;
pub mod file;
pub mod flaws;
pub mod game;
mod game_filter;
pub mod header;
pub mod indexed;
mod interner;
#[cfg(feature = "jose")]
pub mod jose;
mod language;
mod layout;
pub mod limits;
mod lists;
pub mod loss;
#[cfg(feature = "training")]
pub mod monty;
pub mod names;
mod open;
mod output;
pub mod pgn;
pub mod progress;
pub mod publish;
mod recorder;
pub mod salvage;
#[cfg(feature = "scdb")]
pub mod scdb;
pub mod scid4;
pub mod sound;
pub mod source;
#[cfg(feature = "training")]
pub mod stockfish;
mod stored_lines;
mod suffix;
#[cfg(feature = "training")]
pub mod training;
mod tree;
mod turns;
#[cfg(feature = "training")]
pub mod viriformat;
pub mod visible;
mod walk;
pub mod writer;

use std::{hash::Hash, ops::Range};

use shakmaty::{Move, Setup};
use tabiya_chess::{
    Flow, Follow, GameId, PartialDate, Rewind,
    requirements::{KingPlaces, Requirements},
};

pub use self::{
    check::{Checked, Fault},
    encoding::TextEncoding,
    file::{Access, File},
    game::{Encode, GameHeader, Rating, Visitor},
    game_filter::{GameFilter, Omit},
    header::{Extent, Header, NameSlot, RecordFacts, flag},
    indexed::{
        StoredIndex,
        stored::{Run, Runs},
    },
    language::{Language, ParseLanguageError},
    layout::{Layout, MontyLayout, ScdbLayout},
    loss::Lost,
    open::{
        EntryState, FindIndex, FormatKind, IndexedPart, OpenSettings, Opened, SET_SUFFIX, SUPPORT,
        Store, Support, WindowEntry, database_suffixes, databases_named, has_database_name,
        is_database_entry, is_set, left_out, may_belong_to_database, source_files,
        stands_for_database, window_entries,
    },
    pgn::GameText,
    publish::{
        Ask, Overwrite, Target, Temporary,
        before::Stamp,
        change::{Change, ChangedFile, Content, FileChange, LastChange, Patch, last_change, undo},
        check_interrupt, finish_replacement, write_file,
    },
    recorder::Recorder,
    salvage::GameDamage,
    source::Source,
    tree::{Collector, EncodeTree, Fate, GameTree, Rules},
    turns::{Remaining, TimeSlice, Window, run_ordered, task_items},
    writer::{Assemble, EncodedGame, GamesFile, Writer, Written},
};
use crate::{damage::Flaw, error::Error, progress::Progress};

/// Progress callback of opening; `Break` cancels it.
pub type Report<'p> = &'p mut dyn FnMut(Progress) -> Flow;

/// One more than an offset of annotations, and one more than the numbers of an annotator, a source,
/// a team and a title; 0 for none.
pub type References = [u64; 5];

/// What is wrong with a game's bytes, and where. Small, for inner loops; converted to an [`Error`]
/// once per game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// What is wrong.
    pub what: Flaw,
    /// Offset in bytes from the start of the game.
    pub at: u32,
}

/// Returns the damage at an offset in bytes from the start of a game.
pub fn damage_at(what: Flaw, at: usize) -> Damage {
    Damage {
        what,
        at: u32::try_from(at).unwrap_or(u32::MAX),
    }
}

/// The result of decoding a game, or the first damage in it.
pub type Decoded<T> = std::result::Result<T, Damage>;

/// Memory that decoding reuses from game to game. One per thread.
#[derive(Debug, Default)]
pub struct Scratch {
    /// The start position of the game being decoded, if it has its own.
    pub(crate) setup: Option<Setup>,
    /// The moves of the game being decoded, if they had to be converted.
    pub(crate) moves: Vec<u8>,
}

/// The games of an open database in one format. Searches are compiled for each.
pub trait View: Copy + Send + Sync {
    /// The index record. Its hash covers everything that it holds.
    type Record: Header + Hash;

    /// Returns the records, one per game.
    fn records(&self) -> &[Self::Record];

    /// Returns the number of games.
    fn game_count(&self) -> usize {
        self.records().len()
    }

    /// Returns the records of games that follow each other. Where records are compared with
    /// checksums before their first use, these are only some.
    fn records_in(&self, games: Range<usize>) -> &[Self::Record] {
        &self.records()[games]
    }

    /// Returns the record of a game.
    fn record(&self, game: GameId) -> &Self::Record {
        &self.records()[game.index()]
    }

    /// Reads one byte of a game, so that the first bytes of several games can be fetched from
    /// memory at once.
    fn touch(&self, record: &Self::Record) -> u8;

    /// Calls `each` with the games in order until it breaks. Touches a few games at a time first,
    /// so that their memory accesses overlap.
    fn for_each_touched(
        &self,
        games: &[GameId],
        mut each: impl FnMut(GameId, &Self::Record) -> Flow,
    ) -> Flow {
        const TOUCH_GAMES: usize = 16;
        for games in games.chunks(TOUCH_GAMES) {
            let records = games.iter().map(|&game| self.record(game));
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

    /// Plays the main line until the follower has seen enough; returns the number of plies played.
    /// First resets the follower, so that nothing of the previous game is left if this one has no
    /// position.
    #[inline]
    fn main_line<F: Follow>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        follow.reset();
        self.follow_main_line(record, scratch, follow)
    }

    /// Plays all lines, depth first, until the follower has seen enough. Resets the follower first,
    /// like [`main_line`](View::main_line).
    #[inline]
    fn tree<F: Rewind>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        follow.reset();
        self.follow_tree(record, scratch, follow)
    }

    /// Plays a main line in the way of the format. Only for [`main_line`](View::main_line).
    fn follow_main_line<F: Follow>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32>;

    /// Plays all lines in the way of the format. Only for [`tree`](View::tree).
    fn follow_tree<F: Rewind>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()>;

    /// Passes everything about a game except its header to a visitor.
    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()>;

    /// Passes the tags, the start, the half-moves of the main line, all as null moves, and their
    /// comments to a visitor, in their order and faster than [`visit`](View::visit). `None` if
    /// that cannot be done; the visitor may have received a part of them.
    fn skim<V: Visitor + ?Sized>(&self, record: &Self::Record, visitor: &mut V) -> Option<()> {
        let _ = (record, visitor);
        None
    }

    /// Whether comments are among the bytes that [`sources`](View::sources) tells.
    fn has_comments_in_sources(&self) -> bool {
        true
    }

    /// Whether a tag outside the index passes the test (name, value).
    fn any_tag(
        &self,
        record: &Self::Record,
        test: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Decoded<bool>;

    /// Returns the date on which a game's event began.
    fn event_date(&self, record: &Self::Record) -> PartialDate {
        record.event_date()
    }

    /// Whether a comment passes the test.
    fn any_comment(
        &self,
        record: &Self::Record,
        test: &mut dyn FnMut(&str) -> bool,
    ) -> Decoded<bool>;

    /// Whether a record is all zeros, as damage leaves it, though it reads as a game.
    fn is_blank(&self, record: &Self::Record) -> bool {
        let _ = record;
        false
    }

    /// Whether a missing name was lost although its ID looks valid.
    fn lacks_name(&self, record: &Self::Record, slot: NameSlot) -> bool {
        let _ = (record, slot);
        false
    }

    /// Reports tags whose ID is stored but whose text is unreadable.
    fn lost_tags(&self, record: &Self::Record, tell: &mut dyn FnMut(&'static str)) {
        let _ = (record, tell);
    }

    /// Returns the damage in the game's data outside the games file. [`visit`](View::visit) ignores
    /// it.
    fn fault_beside(&self, record: &Self::Record) -> Option<Error> {
        let _ = record;
        None
    }

    /// Returns what a record refers to in files other than that of the games, besides the names of
    /// its [header](Header::name): what is appended there must not become a part of its game.
    fn references(&self, record: &Self::Record) -> References {
        let _ = record;
        [0; 5]
    }

    /// Returns how far [references](View::references) may reach; all ones where nobody knows.
    fn referable(&self) -> References {
        [u64::MAX; 5]
    }

    /// Decodes a game completely and checks its bytes, its moves and its record. Does not check
    /// names.
    fn check(
        &self,
        record: &Self::Record,
        scratch: &mut Scratch,
    ) -> std::result::Result<Checked, Fault> {
        check::check_moves(*self, record, scratch)
    }

    /// Returns the byte range of a game in the games file; empty if it has none.
    fn place(&self, record: &Self::Record) -> Range<u64> {
        let offset = record.offset_bytes();
        offset..offset + u64::from(record.length_bytes())
    }

    /// Passes to `tell` the bytes from which a game's main line is played, besides its record. The
    /// same bytes give the same main line. Bytes beyond the end of a file are left out.
    fn sources(&self, record: &Self::Record, tell: &mut dyn FnMut(&[u8]));

    /// Filters up to 64 games, the first of which is `first`: removes those whose main lines cannot
    /// have a matching position, judged by data that the format stores besides the record. Holds
    /// for main lines only, not for variations.
    fn prefilter(&self, requirements: &Requirements, first: GameId, lanes: u64) -> u64 {
        let _ = (requirements, first);
        lanes
    }

    /// Whether the kings of a game may reach any of these places in any line, as far as can be seen
    /// without playing it. A damaged game may reach all.
    fn prefilter_kings(&self, record: &Self::Record, places: &KingPlaces) -> bool {
        let _ = (record, places);
        true
    }

    /// Returns the moves with which every game with this stored-line code begins. Formats whose
    /// records store no code return `None`.
    fn stored_line(&self, code: u8) -> Option<&'static [Move]> {
        stored_lines::line(code).map(|line| line.moves.as_slice())
    }
}

/// The files of one database as bytes in memory.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parts {
    /// Their format; `None` if the first bytes of the index identify it. Those of Scid 5 and of
    /// PGN do not.
    pub format: Option<FormatKind>,
    /// The index (`.si5`, `.si4`, `.si3`, `.dci`), or the text of PGN.
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

impl Parts {
    /// Creates the parts of a database of which there is only the index.
    #[must_use]
    pub fn new(index: Vec<u8>) -> Parts {
        Parts {
            index,
            ..Parts::default()
        }
    }
}

/// The files of one database. Only the index is required.
#[derive(Debug)]
pub struct Files {
    /// The index.
    pub index: File,
    /// The games.
    pub games: Option<File>,
    /// All names, or those of the players.
    pub names: Option<File>,
    /// The sites.
    pub sites: Option<File>,
    /// The events.
    pub events: Option<File>,
}

impl Files {
    /// Returns the existing files, the index first.
    pub(crate) fn all(&self) -> Vec<&File> {
        let companions = [&self.games, &self.names, &self.sites, &self.events];
        let companions = companions.into_iter().flatten();
        [&self.index].into_iter().chain(companions).collect()
    }

    /// Returns the error for an unavailable companion file.
    pub(crate) fn missing(&self, what: &'static str, suffix: &str) -> Error {
        file::without(&self.index.path, suffix, what)
    }
}
