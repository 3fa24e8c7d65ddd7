//! Surveys the items of a list, which are told as PGN, some at a time.

use std::ops::Range;

use memchr::memchr_iter;
use tabiya_chess::{Start, variant::Variant};

use super::{
    super::{
        game::{Game, start_of_fen},
        place::GamePlace,
    },
    Depth, Part, Reader, Scope,
    alone::add_alone,
};
use crate::{
    GameHeader, Visitor as _,
    error::Result,
    indexed::{Builder, Survey},
    limits::LIST_ITEM_BYTES_MAX,
    lists::{List, Telling},
};

/// Bytes of PGN that are told before they are read, unless one item has more.
const TOLD_BYTES: usize = 1 << 18;

/// Reads the items that begin in a range.
pub(super) fn read(list: List, text: &[u8], scope: Scope, range: Range<usize>) -> Result<Part> {
    let telling = match scope.depth {
        Depth::Tags => Telling::Header,
        Depth::All => Telling::Record,
    };
    let mut builder = Builder::default();
    let (mut at, mut told) = (range.start, Told::default());
    let mut starts = Starts {
        header: None,
        survey: Survey::new(),
    };
    while at < range.end && !scope.games.is_reached(&builder)? {
        if telling == Telling::Header {
            at = starts.add(list, text, at..range.end, &mut builder)?;
        }
        at = told.tell((list, telling), text, at..range.end);
        told.survey(scope, &mut builder)?;
    }
    let whole = text.get(range.start..at).unwrap_or_default();
    Ok(Part {
        builder,
        range,
        end: at,
        lines: memchr_iter(b'\n', whole).count() as u64,
    })
}

/// Surveys items of which only the start differs, without telling them.
struct Starts {
    /// What is the same of all.
    header: Option<GameHeader>,
    survey: Survey,
}

impl Starts {
    /// Adds items that begin in a range, up to the first that must be told. Returns where to go on.
    fn add(
        &mut self,
        list: List,
        text: &[u8],
        range: Range<usize>,
        builder: &mut Builder,
    ) -> Result<usize> {
        let mut at = range.start;
        while let Some(item) = list
            .next_item(text, at)
            .filter(|item| item.start < range.end)
            && item.len() <= LIST_ITEM_BYTES_MAX
            && let Some(fen) = list.start_alone(&text[item.clone()])
        {
            let header = self.header.get_or_insert_with(|| {
                let mut told = Vec::new();
                let _ = list.tell(&text[item.clone()], Telling::Header, &mut told);
                Game::without_start(&told, GamePlace::NOWHERE)
                    .header()
                    .clone()
            });
            self.survey.begin();
            if let Ok((setup, ..)) = start_of_fen(fen, Variant::Standard) {
                let _ = self.survey.start(Start::Custom(&setup));
            }
            let place = (item.start as u64, item.len() as u32);
            builder.push(header, place, &mut self.survey, false)?;
            at = item.end;
        }
        Ok(at)
    }
}

/// Items that have been told.
#[derive(Default)]
struct Told {
    text: Vec<u8>,
    /// Where each is in the list, and where its text ends; `None` if it cannot be told.
    items: Vec<((u64, u32), Option<usize>)>,
}

impl Told {
    /// Tells the items that begin in a range, up to some text. Returns where to go on.
    fn tell(
        &mut self,
        (list, telling): (List, Telling),
        text: &[u8],
        range: Range<usize>,
    ) -> usize {
        self.text.clear();
        self.items.clear();
        let mut at = range.start;
        while self.text.len() < TOLD_BYTES {
            let item = list.next_item(text, at);
            let Some(item) = item.filter(|item| item.start < range.end) else {
                return range.end.max(at);
            };
            at = item.end;
            let length = u32::try_from(item.len()).unwrap_or(u32::MAX);
            let place = (item.start as u64, length);
            let begun = self.text.len();
            let is_told = list.tell(&text[item], telling, &mut self.text).is_ok();
            if !is_told {
                self.text.truncate(begun);
            }
            self.items.push((place, is_told.then_some(self.text.len())));
        }
        at
    }

    fn survey(&self, scope: Scope, builder: &mut Builder) -> Result<()> {
        let (mut reader, mut begun) = (Reader::new(&self.text, scope), 0);
        for &(place, end) in &self.items {
            let Some(end) = end else {
                reader.survey.begin();
                builder.push(&Default::default(), place, &mut reader.survey, false)?;
                continue;
            };
            (reader.text, reader.item) = (&self.text[..end], Some(place));
            let games = builder.len();
            reader.read(begun, builder)?;
            if builder.len() == games {
                // There is nothing in its text that makes a game.
                let text = &self.text[begun..end];
                add_alone(text, place, &mut reader.survey, builder)?;
            }
            begun = end;
        }
        Ok(())
    }
}
