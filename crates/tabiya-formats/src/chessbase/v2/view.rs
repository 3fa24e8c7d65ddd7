//! The games of an open database, for searches.

use std::ops::Range;

use shakmaty::Move;
use tabiya_chess::{
    Flow, Follow, GameId, PartialDate, Rewind, Start, follow::break_if, requirements::Requirements,
};

use super::{
    ChessBase2, Companion,
    annotations::Annotations,
    flaws,
    frame::Frame,
    game::Game,
    layout::RECORD_BYTES,
    names::{Names, Type},
    record::{Kind, Record},
    scan::WordScan,
    text,
};
use crate::{
    Checked, Decoded, Fault, References, Scratch, View, Visitor, bytes::records_after, damage_at,
    error::Error,
};

impl ChessBase2 {
    pub(super) fn records(&self) -> &[Record] {
        records_after(&self.index.bytes, RECORD_BYTES, self.game_count)
    }

    /// Returns a view of the games.
    pub fn games(&self) -> Games<'_> {
        Games {
            database: self,
            records: self.records(),
            bytes: self.bytes(Companion::Games),
        }
    }
}

/// The records and game bytes of a database.
#[derive(Debug, Clone, Copy)]
pub struct Games<'a> {
    pub(super) database: &'a ChessBase2,
    pub(super) records: &'a [Record],
    /// Contents of the games file.
    pub(super) bytes: &'a [u8],
}

impl<'a> Games<'a> {
    /// Returns the bytes of a game or text.
    #[inline]
    pub(super) fn frame(&self, record: &Record) -> Decoded<Frame<'a>> {
        match record.described() {
            None => Err(damage_at(flaws::RECORD_KIND, 0)),
            Some(_) => Frame::new(self.bytes, record.offset()),
        }
    }

    #[inline]
    pub(super) fn game(&self, record: &Record) -> Decoded<Game<'a>> {
        Game::new(&self.frame(record)?)
    }

    /// Returns a game's annotations, empty if it has none.
    pub(super) fn annotations(&self, record: &Record) -> Annotations<'a> {
        let file = self.database.file(Companion::Annotations);
        match (file, record.annotations()) {
            (Some(file), Some(offset)) => {
                Annotations::new(&file.bytes, offset, self.database.language)
                    .with_charset(self.database.charset())
            }
            _ => Annotations::NONE,
        }
    }

    /// Returns what a text says: its titles and bodies as plain text.
    fn paragraphs(&self, record: &Record) -> Decoded<impl Iterator<Item = String> + use<'a>> {
        let bodies = text::bodies(&self.frame(record)?)?;
        let number = record.title();
        let names = self.database.names_file();
        let titles = names.and_then(|names: Names<'_>| names.titles(number));
        let titles = titles.unwrap_or_default().into_iter();
        let titles = titles.map(|(_, title)| title);
        let bodies = bodies.into_iter();
        let charset = self.database.charset();
        let bodies = bodies.map(move |body| text::plain(body, charset));
        Ok(titles.chain(bodies).filter(|text| !text.trim().is_empty()))
    }

    /// Reports a text to the visitor as comments at the start of a game without moves.
    fn visit_text<V: Visitor + ?Sized>(&self, record: &Record, visitor: &mut V) -> Decoded<()> {
        let mut told = self.paragraphs(record)?;
        let mut each = |name: &str, value: &str| visitor.tag(name, value);
        let mut flow = self.database.tags(record, false, &mut each);
        if flow.is_continue() {
            flow = visitor.start(Start::Standard);
        }
        let names = self.database.names_file();
        // Bytes that mean something else elsewhere are not passed on as they are.
        let names = names.filter(|names| {
            let is_usual = self.database.charset().encoding().is_none();
            is_usual || names.is_utf8(Type::Tag, record.title())
        });
        let title = names.and_then(|names| names.data(Type::Tag, record.title()));
        if let (Flow::Continue(()), Some(title)) = (flow, title) {
            flow = visitor.guiding_text(title, self.frame(record)?.content);
        }
        while let (Flow::Continue(()), Some(text)) = (flow, told.next()) {
            flow = visitor.comment(&text);
        }
        self.frame(record)?.check()
    }
}

impl View for Games<'_> {
    type Record = Record;

    fn records(&self) -> &[Record] {
        self.records
    }

    fn touch(&self, record: &Record) -> u8 {
        let offset = usize::try_from(record.offset()).unwrap_or(usize::MAX);
        self.bytes.get(offset).copied().unwrap_or_default()
    }

    /// Texts have no positions, not even a start position.
    fn follow_main_line<F: Follow>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        if record.is_text() {
            Ok(0)
        } else {
            self.game(record)?.main_line(scratch, follow)
        }
    }

    /// Like [`follow_main_line`](View::follow_main_line), visits no positions of a text.
    fn follow_tree<F: Rewind>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        if record.is_text() {
            Ok(())
        } else {
            self.game(record)?.tree(scratch, follow)
        }
    }

    /// Checks the record's checksum and length too, after everything has been told.
    fn visit<V: Visitor + ?Sized>(
        &self,
        record: &Record,
        scratch: &mut Scratch,
        visitor: &mut V,
    ) -> Decoded<()> {
        if record.is_text() {
            return self.visit_text(record, visitor);
        }
        let game = self.game(record);
        let is_chess960 = game.as_ref().is_ok_and(Game::is_chess960);
        let mut each = |name: &str, value: &str| visitor.tag(name, value);
        if self
            .database
            .tags(record, is_chess960, &mut each)
            .is_break()
        {
            return Ok(());
        }
        let annotations = self.annotations(record);
        if game?.visit(scratch, &annotations, visitor)?.is_break() {
            return Ok(());
        }
        self.frame(record)?.check()
    }

    fn any_tag(&self, record: &Record, test: &mut dyn FnMut(&str, &str) -> bool) -> Decoded<bool> {
        let game = match record.described() {
            Some(Kind::Text) | None => None,
            Some(_) => self.game(record).ok(),
        };
        let is_chess960 = game.is_some_and(|game| game.is_chess960());
        let mut each = |name: &str, value: &str| break_if(test(name, value));
        Ok(self
            .database
            .tags(record, is_chess960, &mut each)
            .is_break())
    }

    fn any_comment(&self, record: &Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        if record.is_text() {
            Ok(self.paragraphs(record)?.any(|text| test(&text)))
        } else {
            Ok(self.annotations(record).any_comment(test))
        }
    }

    /// Returns the date stored with the tournament.
    fn event_date(&self, record: &Record) -> PartialDate {
        let names = self.database.names_file();
        let tournament = names.and_then(|names| names.tournament(record.tournament()?));
        tournament.map_or(PartialDate::UNKNOWN, |tournament| tournament.date)
    }

    fn is_blank(&self, record: &Record) -> bool {
        !record.is_written()
    }

    fn lost_tags(&self, record: &Record, tell: &mut dyn FnMut(&'static str)) {
        self.database.lost_tags(record, tell);
    }

    fn fault_beside(&self, record: &Record) -> Option<Error> {
        self.annotations_error(record)
    }

    #[inline]
    fn references(&self, record: &Record) -> References {
        let after = |number: i64| u64::try_from(number).map_or(0, |number| number + 1);
        let [white, black] = record.teams();
        [
            record.annotations().map_or(0, after),
            after(record.annotator()),
            after(record.source()),
            white.max(black).map_or(0, after),
            after(record.title()),
        ]
    }

    fn referable(&self) -> References {
        let names = self.database.names_file();
        let count = |kind| names.map_or(0, |names| names.count(kind)) as u64;
        [
            self.database.bytes(Companion::Annotations).len() as u64,
            count(Type::Player),
            count(Type::Source),
            count(Type::Team),
            count(Type::Tag),
        ]
    }

    fn check(&self, record: &Record, scratch: &mut Scratch) -> Result<Checked, Fault> {
        self.check_game(record, scratch)
    }

    fn place(&self, record: &Record) -> Range<u64> {
        let offset = u64::try_from(record.offset()).unwrap_or_default();
        let length = self.frame(record).map_or(0, |frame| frame.bytes());
        offset..offset.saturating_add(length)
    }

    /// They are in a file of their own.
    fn has_comments_in_sources(&self) -> bool {
        false
    }

    /// Texts have no source bytes.
    fn sources(&self, record: &Record, tell: &mut dyn FnMut(&[u8])) {
        if record.is_text() {
            return;
        }
        if let Ok(frame) = self.frame(record) {
            tell(&frame.tag.to_le_bytes());
            tell(frame.content);
        }
    }

    /// Checks the words of each game with a [`WordScan`].
    fn prefilter(&self, requirements: &Requirements, first: GameId, lanes: u64) -> u64 {
        let Some(scan) = WordScan::new(requirements) else {
            return lanes;
        };
        let (mut games, mut count) = ([GameId(0); 64], 0);
        for lane in (0..64).filter(|lane| lanes >> lane & 1 != 0) {
            games[count] = GameId(first.0.saturating_add(lane));
            count += 1;
        }
        let mut may_match = lanes;
        let _ = self.for_each_touched(&games[..count], |id, record| {
            let game = Some(record).filter(|record| !record.is_text());
            let game = game.and_then(|record| self.game(record).ok());
            if game.is_some_and(|game| !scan.may_match(&game)) {
                may_match &= !(1 << (id.0 - first.0));
            }
            Flow::Continue(())
        });
        may_match
    }

    fn stored_line(&self, _: u8) -> Option<&'static [Move]> {
        None
    }
}
