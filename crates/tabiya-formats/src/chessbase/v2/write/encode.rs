//! Encodes the events of one game as bytes.

use std::ops::Range;

use shakmaty::{Move, Setup};
use tabiya_chess::{Flow, Start, variant::Variant};

use super::{
    moves,
    names::Names,
    notes::Notes,
    record::{Draft, Field},
    setup,
    text::Text,
};
use crate::{
    EncodedGame,
    chessbase::common::text::holds_signs,
    chessbase::v1::write::{content, tree::Tree},
    chessbase::v2::{
        flaws,
        frame::{self, tag},
        men::WHITE,
        names::Type,
    },
    error::{Error, ErrorKind, Result},
    game::{Encode, FirstError, GameHeader, Visitor},
    loss::{GameLosses, Loss},
};

/// What the format stores of a game besides its record in `.2cbg`: everything but the numbers of
/// its names and its offsets.
#[derive(Debug, Clone)]
pub struct GameMeta {
    pub(super) record: Draft,
    /// The record for `.2cba`, without its spare bytes.
    pub(super) annotations: Vec<u8>,
    /// The names as bytes of `.2lid`, and where each is.
    name_bytes: Vec<u8>,
    names: Vec<(Field, Type, Range<usize>)>,
}

impl GameMeta {
    /// Returns the names, with the fields of the record for their numbers.
    pub(super) fn names(&self) -> impl Iterator<Item = (Field, Type, &[u8])> {
        let names = self.names.iter();
        names.map(|(field, of, at)| (*field, *of, &self.name_bytes[at.clone()]))
    }
}

/// Encodes games for ChessBase 2: [`Encode`].
#[derive(Debug)]
pub struct Encoder {
    record: Draft,
    names: Names,
    /// Whether a tag declares a Chess960 game.
    says_chess960: bool,
    start: Option<Setup>,
    tree: Tree,
    notes: Notes,
    /// Whether a variation ended after the last move or start of a variation.
    after_variation: bool,
    words: Vec<u16>,
    /// What a guiding text says; `None` for a game.
    text: Option<Text>,
    losses: GameLosses,
    /// Why the game cannot be encoded.
    fault: FirstError,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder::new()
    }
}

impl Encoder {
    /// Returns an encoder without a game.
    #[must_use]
    pub fn new() -> Encoder {
        let (header, mut losses) = (GameHeader::default(), GameLosses::default());
        Encoder {
            record: Draft::new(&header, &mut losses),
            names: Names::default(),
            says_chess960: false,
            start: None,
            tree: Tree::new(),
            notes: Notes::default(),
            after_variation: false,
            words: Vec::new(),
            text: None,
            losses,
            fault: FirstError::default(),
        }
    }

    fn append_move(&mut self, played: Option<Move>) -> Result<()> {
        let node = self.tree.play(played)?;
        self.notes.give_waiting(node, &mut self.losses);
        self.after_variation = false;
        Ok(())
    }

    fn open_variation(&mut self) -> Result<()> {
        self.notes.keep_waiting();
        self.after_variation = false;
        self.tree.begin_variation()
    }

    fn close_variation(&mut self) -> Result<()> {
        if self.tree.line_has_moves() {
            self.notes.keep_waiting();
        } else {
            self.notes.drop_waiting();
            self.losses.add(Loss::EmptyVariationsDropped);
        }
        self.after_variation = true;
        self.tree.end_variation()
    }

    /// Returns the records for `.2cbg` and `.2cba`, and completes that of the index.
    fn game(&mut self) -> Result<(Vec<u8>, Vec<u8>)> {
        let (game, bits) = self.moves()?;
        let positions = if self.notes.is_empty() {
            Vec::new()
        } else {
            moves::positions(&self.tree)
        };
        let (content, tally) = self.notes.content(&positions)?;
        self.record
            .set_content(bits | tally.bits, tally.magnitudes());
        Ok((game, frame::begun(tag::ANNOTATIONS, &content)))
    }

    /// Returns the record for `.2cbg` and the bits that the moves give that of the index, which is
    /// completed but for these.
    fn moves(&mut self) -> Result<(Vec<u8>, u32)> {
        self.words.clear();
        let start = self.start.as_ref();
        let begun = setup::append(start, self.says_chess960, &mut self.words, &mut self.losses)?;
        if self.says_chess960 && !begun.is_chess960 {
            self.losses.add(Loss::TagsDropped);
        }
        let ends = moves::append(&self.tree, &begun, &mut self.words)?;
        let record = &mut self.record;
        record.set_plies(ends.plies, begun.side != WHITE);
        record.set_material(ends.men.counts());
        if let Some(number) = begun.number {
            record.set_chess960_start(number, &mut self.losses);
        }
        if self.words.len() * 2 > frame::BYTES_MAX as usize {
            let (what, limit) = ("the bytes of a game", frame::BYTES_MAX.into());
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        let kind = if begun.is_chess960 {
            tag::CHESS960
        } else {
            tag::CHESS
        };
        let content = self.words.iter().flat_map(|word| word.to_le_bytes());
        let frame = frame::begun(kind, &content.collect::<Vec<u8>>());
        let bits = content::of_moves(begun.is_custom, begun.is_chess960, ends.has_variations);
        Ok((frame, bits))
    }
}

impl Visitor for Encoder {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name == "Variant" && Variant::of_tag(value) == Variant::Chess960 {
            self.says_chess960 = true;
        } else if !self.names.is_first(name) {
            self.losses.add(Loss::TagsDropped);
        } else if !self.record.tag(name, value) {
            self.names.tag(name, value, &mut self.losses);
        }
        self.fault.flow(Ok(()))
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.start = Some(setup.clone());
        }
        self.fault.flow(Ok(()))
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let done = self.append_move(played);
        self.fault.flow(done)
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if nag != 0 {
            self.notes.nag(nag, &self.tree);
        }
        self.fault.flow(Ok(()))
    }

    fn void_nag(&mut self) -> Flow {
        self.losses.add(Loss::VoidNagsDropped);
        self.fault.flow(Ok(()))
    }

    fn comment(&mut self, text: &str) -> Flow {
        if let Some(said) = &mut self.text {
            said.say(text);
            return self.fault.flow(Ok(()));
        }
        if holds_signs(text) {
            self.losses.add(Loss::SignsInComments);
        }
        self.notes.comment(text, &self.tree, self.after_variation);
        self.fault.flow(Ok(()))
    }

    fn guiding_text(&mut self, titles: &[u8], body: &[u8]) -> Flow {
        if let Some(text) = &mut self.text {
            text.set_body(body);
            self.names.set_titles(titles);
        }
        self.fault.flow(Ok(()))
    }

    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        if !Notes::takes(kind, data) {
            return self.comment(told);
        }
        let notes = &mut self.notes;
        notes.original(kind, data, &self.tree, self.after_variation);
        self.fault.flow(Ok(()))
    }

    fn begin_variation(&mut self) -> Flow {
        let done = self.open_variation();
        self.fault.flow(done)
    }

    fn end_variation(&mut self) -> Flow {
        let done = self.close_variation();
        self.fault.flow(done)
    }
}

impl Encode for Encoder {
    type GameMeta = GameMeta;

    fn begin(&mut self, header: &GameHeader) {
        self.losses = GameLosses::default();
        self.record = Draft::new(header, &mut self.losses);
        self.names.begin(header, &mut self.losses);
        self.says_chess960 = false;
        self.start = None;
        self.tree.clear();
        self.notes.clear();
        self.after_variation = false;
        self.text = None;
        self.fault = FirstError::default();
    }

    fn begin_text(&mut self, header: &GameHeader) -> Result<()> {
        self.begin(header);
        self.record.make_text();
        self.text = Some(Text::default());
        Ok(())
    }

    fn finish(&mut self) -> Result<EncodedGame<GameMeta>> {
        self.fault.take()?;
        if !self.tree.is_complete() {
            return Err(Error::corrupt(flaws::VARIATION_ENDLESS));
        }
        self.notes.keep_waiting();
        let (bytes, annotations) = match self.text.take() {
            Some(text) => (text.record(&mut self.losses)?, Vec::new()),
            None => self.game()?,
        };
        let (mut name_bytes, mut names) = (Vec::new(), Vec::new());
        self.names.each(&mut self.losses, |field, of, name| {
            let from = name_bytes.len();
            name_bytes.extend_from_slice(name);
            names.push((field, of, from..name_bytes.len()));
        });
        Ok(EncodedGame {
            bytes,
            losses: self.losses,
            rest: GameMeta {
                record: self.record,
                annotations,
                name_bytes,
                names,
            },
        })
    }
}
