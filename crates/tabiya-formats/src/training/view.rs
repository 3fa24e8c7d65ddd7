//! The games of a file, as searches and conversions read them.

use std::marker::PhantomData;

use tabiya_chess::{Flow, Follow, Rewind, Start, follow::break_if};

use super::{Record, TrainingFile};
use crate::{Decoded, Header as _, Scratch, View, Visitor};

/// A game that is read from its bytes.
pub trait Game<'a>: Sized {
    /// Reads what comes before the moves. The moves of a `sound` game are known to be legal.
    fn open(bytes: &'a [u8], sound: bool) -> Decoded<Self>;

    /// Plays the game to a follower; returns the number of plies played.
    fn follow<F: Follow>(&self, follow: &mut F) -> Decoded<u32>;

    /// Passes the game to a visitor, with scores as comments on their positions.
    fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Decoded<()>;
}

impl TrainingFile {
    /// Returns the games, which are read as the format says.
    pub(crate) fn games<'a, G: Game<'a>>(&'a self) -> Games<'a, G> {
        Games::new(&self.file.bytes, &self.records)
    }
}

/// The records of a file and its bytes.
#[derive(Debug)]
pub struct Games<'a, G> {
    bytes: &'a [u8],
    records: &'a [Record],
    game: PhantomData<fn() -> G>,
}

impl<G> Clone for Games<'_, G> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<G> Copy for Games<'_, G> {}

impl<'a, G: Game<'a>> Games<'a, G> {
    fn new(bytes: &'a [u8], records: &'a [Record]) -> Games<'a, G> {
        Games {
            bytes,
            records,
            game: PhantomData,
        }
    }

    fn game_bytes(&self, record: &Record) -> &'a [u8] {
        let start = usize::try_from(record.offset_bytes()).unwrap_or(usize::MAX);
        let game = self.bytes.get(start..).unwrap_or_default();
        game.get(..record.length_bytes() as usize).unwrap_or(game)
    }

    fn game(&self, record: &Record) -> Decoded<G> {
        G::open(self.game_bytes(record), record.is_sound())
    }
}

impl<'a, G: Game<'a>> View for Games<'a, G> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let bytes = self.game_bytes(record);
        bytes.first().copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.game(record)?.follow(follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.game(record)?.follow(follow).map(drop)
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        self.game(record)?.visit(visitor)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        let mut search = TagSearch { test, found: false };
        self.game(record)?.visit(&mut search)?;
        Ok(search.found)
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        CommentSearch::run(test, |search| self.game(record)?.visit(search))
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        tell(self.game_bytes(record));
    }
}

/// Searches for a tag.
struct TagSearch<'t> {
    test: &'t mut dyn FnMut(&str, &str) -> bool,
    found: bool,
}

impl Visitor for TagSearch<'_> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.found = (self.test)(name, value);
        break_if(self.found)
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Break(())
    }
}

/// Searches for a comment.
pub(crate) struct CommentSearch<'t> {
    test: &'t mut dyn FnMut(&str) -> bool,
    found: bool,
}

impl<'t> CommentSearch<'t> {
    /// Returns whether a comment that `visit` passes on has what is searched.
    pub(crate) fn run(
        test: &'t mut dyn FnMut(&str) -> bool,
        visit: impl FnOnce(&mut CommentSearch<'t>) -> Decoded<()>,
    ) -> Decoded<bool> {
        let mut search = CommentSearch { test, found: false };
        visit(&mut search)?;
        Ok(search.found)
    }
}

impl Visitor for CommentSearch<'_> {
    fn comment(&mut self, text: &str) -> Flow {
        self.found = (self.test)(text);
        break_if(self.found)
    }
}
