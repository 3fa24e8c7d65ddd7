//! The games of an open file, whose text is parsed in place.

use std::ops::Range;

use tabiya_chess::{Follow, GameId, Rewind, Start, requirements::KingPlaces, text::decode};

use super::{
    PgnFile, flaws,
    frame_text::GameBytes,
    game::{Board, Game, Lines, Played, comments, moves_from, play_moves, results_differ},
    place::GamePlace,
    relay::{AllLines, MainLine},
};
use crate::{
    Damage, Decoded, Fault, Header, Scratch, Store, View, Visitor,
    check::{Checked, check_moves},
    error::{Error, ErrorKind},
    header::flag,
    indexed::Record,
    limits::PGN_GAME_BYTES_MAX,
    lists::Telling,
    scid4::Blob,
};

impl PgnFile {
    /// Returns the games.
    pub fn games(&self) -> Games<'_> {
        Games { pgn: self }
    }
}

/// The games of an open PGN file.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    pgn: &'a PgnFile,
}

impl<'a> Games<'a> {
    fn text_of(&self, record: &Record) -> Decoded<GameBytes<'a>> {
        let what = if record.length_bytes() as usize > PGN_GAME_BYTES_MAX {
            flaws::GAME_TOO_LONG
        } else if let Some(text) = self.pgn.game_text(record) {
            let Some(list) = self.pgn.list() else {
                return Ok(text);
            };
            let mut told = Vec::new();
            match list.tell(&text, Telling::All, &mut told) {
                Ok(()) => return Ok(GameBytes::Own(told)),
                Err(flaw) => flaw,
            }
        } else {
            flaws::FRAME_UNREADABLE
        };
        Err(damage(ErrorKind::Corrupt { what }, 0))
    }

    /// Returns the damage at an offset of a game's text. Of an item in a list only its begin is
    /// known.
    fn damage(&self, kind: ErrorKind, offset: usize) -> Damage {
        let in_file = self.pgn.list().is_none();
        damage(kind, if in_file { offset as u64 } else { 0 })
    }

    fn parse<'t>(&self, text: &'t [u8]) -> Decoded<Game<'t>> {
        let offset = |error: &Error| error.offset().unwrap_or(0) as usize;
        Game::parse(text, GamePlace::NOWHERE)
            .map_err(|error| self.damage(error.kind().clone(), offset(&error)))
    }

    /// Returns a game's main line, if the index has it.
    #[inline]
    fn line(&self, record: &Record) -> Option<Blob<'a>> {
        Blob::new(self.pgn.line(record)).ok()
    }

    /// Plays a game without visiting its tags. Only games with their own start position require
    /// parsing the tags, which allocates.
    fn play<V: Visitor>(&self, record: &Record, lines: Lines, visitor: &mut V) -> Decoded<()> {
        let text = &self.text_of(record)?;
        let has_start = record.flags() & flag::UNPROVED != 0;
        let played: Played = if has_start {
            self.parse(text)?.play(lines, visitor)
        } else if visitor.start(Start::Standard).is_break() {
            Ok(())
        } else {
            play_moves(text, moves_from(text), Board::standard(), lines, visitor)
        };
        played.map_err(|(kind, offset)| self.damage(kind, offset))
    }
}

fn damage(kind: ErrorKind, offset: u64) -> Damage {
    Damage {
        what: match kind {
            ErrorKind::Corrupt { what } => what,
            ErrorKind::Unsupported { .. } => flaws::OTHER_VARIANT,
            ErrorKind::IllegalMove(_) => flaws::UNREADABLE_MOVE,
            _ => flaws::NESTED_TOO_DEEP,
        },
        at: u32::try_from(offset).unwrap_or(u32::MAX),
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.pgn.records_in(0..self.game_count())
    }

    fn records_in(&self, games: Range<usize>) -> &[Record] {
        self.pgn.records_in(games)
    }

    fn game_count(&self) -> usize {
        self.pgn.game_count() as usize
    }

    fn record(&self, game: GameId) -> &Record {
        let records = self.pgn.records_in(game.index()..game.index() + 1);
        records.first().unwrap_or(&Record::UNKNOWN)
    }

    fn touch(&self, record: &Record) -> u8 {
        let line = self.pgn.line(record).first();
        line.copied().unwrap_or_default()
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        if let Some(line) = self.line(record) {
            return line.main_line(scratch, follow);
        }
        let mut line = MainLine::new(follow);
        self.play(record, Lines::Main, &mut line)?;
        Ok(line.plies)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        _: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.play(record, Lines::All, &mut AllLines::new(follow))
    }

    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        _: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        let text = self.text_of(record)?;
        let game = self.parse(&text)?;
        for (name, value) in game.tags() {
            if visitor.tag(&name, &value).is_break() {
                return Ok(());
            }
        }
        game.play(Lines::All, visitor)
            .map_err(|(kind, offset)| self.damage(kind, offset))
    }

    fn skim<V: Visitor + ?Sized>(&self, record: &Record, visitor: &mut V) -> Option<()> {
        let plies = record.plies();
        let is_sound = record.flags() & flag::UNREAD == 0 && plies.at_least == plies.at_most;
        let text = self.text_of(record).ok().filter(|_| is_sound)?;
        self.parse(&text).ok()?.skim(plies.at_most, visitor)
    }

    fn check(&self, record: &Record, scratch: &mut Scratch) -> Result<Checked, Fault> {
        let mut checked = check_moves(*self, record, scratch)?;
        if self
            .text_of(record)
            .is_ok_and(|text| results_differ(&text[..]))
        {
            checked.oddity.get_or_insert(flaws::RESULTS_DIFFER);
        }
        Ok(checked)
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        if let Some(list) = self.pgn.list()
            && let Some(item) = self.pgn.game_text(record)
            && let Some(passes) = list.any_tag(&item, test)
        {
            return Ok(passes);
        }
        let text = self.text_of(record)?;
        let game = Game::without_start(&text, GamePlace::NOWHERE);
        Ok(game.tags().any(|(name, value)| test(&name, &value)))
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        let text = self.text_of(record)?;
        Ok(comments(&text).any(|comment| test(&decode(comment))))
    }

    fn prefilter_kings(&self, record: &Record, places: &KingPlaces) -> bool {
        // The line has no variations.
        let line = self.line(record);
        let line = line.filter(|_| record.variation_count().at_most == 0);
        line.is_none_or(|line| line.prefilter_kings(places))
    }

    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        let line = self.pgn.line(record);
        tell(line);
        // Of text that cannot be unpacked, nothing is known.
        if line.is_empty() || record.comment_count().at_most != 0 {
            tell(&self.pgn.game_text(record).unwrap_or_default());
        }
    }
}
