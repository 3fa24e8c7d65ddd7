//! Encodes a collected game as bytes.

use std::ops::Range;

use tabiya_chess::variant::Variant;

use super::{
    moves,
    names::Names,
    notes::Notes,
    record::{Draft, Field},
    setup,
    text::Text,
};
use crate::{
    chessbase::common::{
        content,
        write::{GAME_BYTES_MAX, tree::Tree},
    },
    chessbase::common::{marks::kind, text::holds_signs},
    chessbase::v2::{
        frame::{self, tag},
        men::WHITE,
        names::Type,
    },
    error::{Error, Result},
    game::GameHeader,
    loss::{GameLosses, Loss},
    tree::{Collector, EncodeTree, GameTree, Rules, What},
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

/// Encodes games for ChessBase 2: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

/// Encodes collected games for ChessBase 2.
#[derive(Debug)]
pub struct GameEncoder {
    record: Draft,
    names: Names,
    /// Whether a tag declares a Chess960 game.
    says_chess960: bool,
    positions: Tree,
    notes: Notes,
    words: Vec<u16>,
    /// What a guiding text says; `None` for a game.
    text: Option<Text>,
}

impl Default for GameEncoder {
    fn default() -> GameEncoder {
        let (header, mut losses) = (GameHeader::default(), GameLosses::default());
        GameEncoder {
            record: Draft::new(&header, &mut losses),
            names: Names::default(),
            says_chess960: false,
            positions: Tree::default(),
            notes: Notes::default(),
            words: Vec::new(),
            text: None,
        }
    }
}

impl GameEncoder {
    /// Returns the records for `.2cbg` and `.2cba`, and completes that of the index.
    fn game(&mut self, tree: &GameTree, losses: &mut GameLosses) -> Result<(Vec<u8>, Vec<u8>)> {
        let (game, bits) = self.moves(tree, losses)?;
        self.notes.set(tree, losses);
        let positions = if self.notes.is_empty() {
            Vec::new()
        } else {
            moves::positions(&self.positions)
        };
        let (content, tally) = self.notes.content(&positions)?;
        self.record
            .set_content(bits | tally.bits, tally.magnitudes());
        Ok((game, frame::begun(tag::ANNOTATIONS, &content)))
    }

    /// Returns the record for `.2cbg` and the bits that the moves give that of the index, which is
    /// completed but for these.
    fn moves(&mut self, tree: &GameTree, losses: &mut GameLosses) -> Result<(Vec<u8>, u32)> {
        self.words.clear();
        let start = tree.start.as_ref();
        let begun = setup::append(start, self.says_chess960, &mut self.words, losses)?;
        if self.says_chess960 && !begun.is_chess960 {
            losses.add(Loss::TagsDropped);
        }
        self.positions.set(&tree.steps);
        let ends = moves::append(&self.positions, &begun, &mut self.words)?;
        let record = &mut self.record;
        record.set_plies(ends.plies, begun.side != WHITE);
        record.set_material(ends.men.counts());
        if let Some(number) = begun.number {
            record.set_chess960_start(number, losses);
        }
        if self.words.len() * 2 > frame::BYTES_MAX as usize {
            let (what, limit) = ("the bytes of a game", frame::BYTES_MAX.into());
            return Err(Error::limit(what, limit));
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

impl EncodeTree for GameEncoder {
    type GameMeta = GameMeta;

    const RULES: Rules = Rules::CHESSBASE2.with_limits(GAME_BYTES_MAX, u32::MAX as usize);

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        self.record = Draft::new(header, losses);
        self.names.begin(header, losses);
        self.says_chess960 = false;
        self.text = None;
    }

    fn begin_text(&mut self, header: &GameHeader, losses: &mut GameLosses) -> Result<()> {
        self.begin(header, losses);
        self.record.make_text();
        self.text = Some(Text::default());
        Ok(())
    }

    fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) -> Result<()> {
        if name == "Variant" && Variant::of_tag(value) == Variant::Chess960 {
            self.says_chess960 = true;
        } else if !self.names.is_first(name) {
            losses.add(Loss::TagsDropped);
        } else if !self.record.tag(name, value) {
            self.names.tag(name, value, losses);
        }
        Ok(())
    }

    fn guiding_text(&mut self, titles: &[u8], body: &[u8]) {
        if let Some(text) = &mut self.text {
            text.set_body(body);
            self.names.set_titles(titles);
        }
    }

    fn comment_losses(&self, comment: &str, losses: &mut GameLosses) {
        if self.text.is_none() && holds_signs(comment) {
            losses.add(Loss::SignsInComments);
        }
    }

    fn annotation(kind: u8, data: &[u8]) -> Option<bool> {
        Notes::takes(kind, data).then_some(kind == kind::TEXT_BEFORE)
    }

    fn encode(
        &mut self,
        tree: &mut GameTree,
        losses: &mut GameLosses,
    ) -> Result<(Vec<u8>, GameMeta)> {
        let (bytes, annotations) = match self.text.take() {
            Some(mut text) => {
                for note in tree.notes() {
                    if let What::Comment(from, to) = note.what {
                        text.say(tree.comment((from, to)));
                    }
                }
                (text.record(losses)?, Vec::new())
            }
            None => self.game(tree, losses)?,
        };
        let (mut name_bytes, mut names) = (Vec::new(), Vec::new());
        self.names.each(losses, |field, of, name| {
            let from = name_bytes.len();
            name_bytes.extend_from_slice(name);
            names.push((field, of, from..name_bytes.len()));
        });
        let rest = GameMeta {
            record: self.record,
            annotations,
            name_bytes,
            names,
        };
        Ok((bytes, rest))
    }
}
