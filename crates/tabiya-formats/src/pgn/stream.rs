//! PGN text that is read bit by bit and cut between games.

use std::io::Read;

use memchr::memmem;

use super::{
    lex::{Lexer, TAG_NAME_BYTES_MAX, starts_game},
    own_text::OwnText,
    place::{Counter, Following, GamePlace},
};
use crate::error::{Error, Result};

/// Bytes kept of skipped text, so that the start of a game is found across two reads.
const OVERLAP_BYTES: usize = 2 * TAG_NAME_BYTES_MAX;

/// Text that has been read and not yet been used.
#[derive(Debug)]
pub(super) struct Stream {
    pending: OwnText,
    /// Bytes of text that are looked through at a time.
    usual_bytes: usize,
    end: StreamEnd,
    /// Whether reading is inside a game that is too long.
    skipping: bool,
}

/// Whether a stream has been read to its end.
#[derive(Debug)]
pub(super) enum StreamEnd {
    More,
    Reached,
    Failed(Error),
}

/// Where the text of a stream comes from.
pub(super) trait MoreText {
    /// Adds text to what is pending, at least up to `wanted` bytes unless the text ends.
    ///
    /// # Errors
    /// `Interrupted` if nobody waits for it any more.
    fn add_to(&mut self, pending: &mut OwnText, wanted: usize) -> Result<StreamEnd>;
}

/// What comes next in a stream.
#[derive(Debug)]
pub(super) enum Cut<T> {
    /// Text that begins with whole games up to an offset, and what was found about them.
    Games(OwnText, usize, T),
    /// A game that is too long, which is left out.
    TooLong(GamePlace),
    /// Nothing yet: a game that is too long goes on.
    Nothing,
}

impl<R: Read + ?Sized> MoreText for R {
    fn add_to(&mut self, pending: &mut OwnText, wanted: usize) -> Result<StreamEnd> {
        let missing = wanted.saturating_sub(pending.len());
        let read = pending.append(&mut { self }, missing);
        Ok(match read {
            Ok(read) if read < missing => StreamEnd::Reached,
            Ok(_) => StreamEnd::More,
            Err(cause) => StreamEnd::Failed(Error::io_unnamed("decompress", cause)),
        })
    }
}

impl Stream {
    pub(super) fn new(usual_bytes: usize) -> Stream {
        Stream {
            pending: OwnText::default(),
            usual_bytes,
            end: StreamEnd::More,
            skipping: false,
        }
    }

    /// Returns the next text that begins with whole games, `None` at the end. `find` counts the
    /// whole games of a text and returns where they end, `None` if there are none.
    ///
    /// # Errors
    /// If reading fails, after the games before that, and those of `find`.
    pub(super) fn next<T>(
        &mut self,
        source: &mut (impl MoreText + ?Sized),
        counter: &mut Counter,
        game_bytes_max: usize,
        mut find: impl FnMut(&[u8], Following, &mut Counter) -> Result<Option<(usize, T)>>,
    ) -> Result<Option<Cut<T>>> {
        if self.skipping {
            self.skip(source, counter)?;
            return Ok(Some(Cut::Nothing));
        }
        let mut wanted = self.usual_bytes;
        loop {
            self.fill(source, wanted)?;
            if let Some((rest, found)) = find(&self.pending, self.following(), counter)? {
                counter.drop_before(&self.pending, rest);
                let pending = OwnText::from(self.pending[rest..].to_vec());
                let text = std::mem::replace(&mut self.pending, pending);
                return Ok(Some(Cut::Games(text, rest, found)));
            }
            match std::mem::replace(&mut self.end, StreamEnd::Reached) {
                StreamEnd::More => self.end = StreamEnd::More,
                StreamEnd::Reached => return Ok(None),
                StreamEnd::Failed(error) => {
                    self.pending = OwnText::default();
                    return Err(error);
                }
            }
            if self.pending.len() > game_bytes_max {
                return Ok(Some(Cut::TooLong(self.give_up(counter))));
            }
            // Doubling keeps the total cost of rescanning the same text linear.
            wanted = (self.pending.len() * 2).clamp(wanted, wanted.max(game_bytes_max + 1));
        }
    }

    /// Returns whether the text that comes next is inside a game that is too long.
    pub(super) fn is_skipping(&self) -> bool {
        self.skipping
    }

    /// Tells of a failure at the next call again.
    pub(super) fn fail_again(&mut self, error: Error) {
        self.end = StreamEnd::Failed(error);
    }

    /// Returns what follows the pending text.
    fn following(&self) -> Following {
        match self.end {
            StreamEnd::Reached => Following::Nothing,
            StreamEnd::More => Following::More,
            StreamEnd::Failed(_) => Following::Lost,
        }
    }

    /// Reads until `wanted` bytes are pending or the text ends.
    fn fill(&mut self, source: &mut (impl MoreText + ?Sized), wanted: usize) -> Result<()> {
        if self.pending.len() < wanted
            && let StreamEnd::More = self.end
        {
            self.end = source.add_to(&mut self.pending, wanted)?;
        }
        Ok(())
    }

    /// Begins to skip the pending game, and returns its place.
    fn give_up(&mut self, counter: &mut Counter) -> GamePlace {
        let mut lexer = Lexer::at(&self.pending, 0);
        lexer.next();
        let start = lexer.start();
        self.skipping = true;
        counter.place(&self.pending, start)
    }

    /// Drops text up to the next certain start of a game, or all that is pending. Ignores comments
    /// and brackets, since an unclosed one may have caused the length.
    fn skip(&mut self, source: &mut (impl MoreText + ?Sized), counter: &mut Counter) -> Result<()> {
        let mut lines = memmem::find_iter(&self.pending, b"\n[").map(|line_end| line_end + 1);
        let found = lines.find(|&at| starts_game(&self.pending, at));
        let is_last = !matches!(self.end, StreamEnd::More);
        let keep_from = match found {
            Some(at) => at,
            None if is_last => self.pending.len(),
            None => self.pending.len().saturating_sub(OVERLAP_BYTES),
        };
        counter.drop_before(&self.pending, keep_from);
        self.pending = OwnText::from(self.pending[keep_from..].to_vec());
        self.skipping = found.is_none() && !is_last;
        if self.skipping {
            self.fill(source, self.usual_bytes)?;
        }
        Ok(())
    }
}
