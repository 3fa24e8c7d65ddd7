//! Encodes a collected game into its bytes and its record.

use shakmaty::Move;
use tabiya_chess::{Follow, Start, follow::Ignore};

use super::{
    GameLosses, Loss,
    edition::Edition,
    moves::{self, Refusal},
    record::{self, TEXT_BYTES_MAX, append_text},
};
use crate::{
    EncodedGame,
    check::Annotations,
    damage::Flaw,
    error::{Error, ErrorKind, Result},
    game::GameHeader,
    header::{Header, NameSlot, flag},
    scid4::{
        facts::Facts,
        game::TAG_NAMES,
        men::{BLACK, Pieces, STANDARD, Side, Step, WHITE, side_of},
        record5::Record5,
    },
    tree::{self, Collector, EncodeTree, GameTree, Node, Note, Rules, What},
};

/// Maximum bytes of one game: its length has 17 bits.
pub(super) const GAME_BYTES_MAX: usize = 131_071;
/// Maximum bytes of a tag's name and value together. The format allows more, but Scid 4.7.4
/// terminates when it prints a longer tag.
const TAG_BYTES_MAX: usize = 248;
/// Maximum bytes of a tag's name; higher values of its length byte have other meanings.
const TAG_NAME_BYTES_MAX: usize = 240;
/// Separates comments that had to be joined. Scid 5 uses no separator and so runs the last word
/// of one into the first of the next.
const JOINT: u8 = b' ';

const NAG: u8 = 11;
const COMMENT: u8 = 12;
const VARIATION: u8 = 13;
const VARIATION_END: u8 = 14;
const GAME_END: u8 = 15;

/// The order in which a game's names are stored, and in which new names get numbers.
pub(super) const NAME_SLOTS: [NameSlot; 5] = [
    NameSlot::Event,
    NameSlot::Site,
    NameSlot::Round,
    NameSlot::White,
    NameSlot::Black,
];

/// What Scid stores of a game besides its bytes: everything except its name IDs and its offset.
#[derive(Debug, Clone)]
pub struct GameMeta {
    pub(super) edition: Edition,
    pub(super) record: Record5,
    pub(super) names: Vec<u8>,
    /// Ends of the names within `names`, see [`NAME_SLOTS`].
    pub(super) name_ends: [u16; 5],
}

impl EncodedGame<GameMeta> {
    /// Returns the game's index record. Its name IDs and offset are not yet known and read as 0.
    #[must_use]
    pub fn record(&self) -> impl Header {
        self.rest.record
    }
}

/// Encodes games for `.si4` or `.si5`: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

impl Encoder {
    /// Returns an encoder without a game.
    #[must_use]
    pub fn with_edition(edition: Edition) -> Encoder {
        Collector::over(GameEncoder::new(edition))
    }
}

/// Encodes collected games for `.si4` or `.si5`.
#[derive(Debug)]
pub struct GameEncoder {
    edition: Edition,
    record: Record5,
    names: Vec<u8>,
    name_ends: [u16; 5],
    tags: Vec<u8>,
    fen: String,
    moves: Vec<u8>,
    comments: Vec<u8>,
    facts: Facts,
    annotations: Annotations,
    line: Line,
    outer: Vec<Line>,
}

/// A line of the game while it is being encoded.
#[derive(Debug, Clone, Copy)]
struct Line {
    pieces: Pieces,
    /// The side to move.
    side: Side,
    /// The position before the last move that has variations, where they begin.
    before: Pieces,
}

impl Default for GameEncoder {
    fn default() -> GameEncoder {
        GameEncoder::new(Edition::Si4)
    }
}

impl GameEncoder {
    fn new(edition: Edition) -> GameEncoder {
        let (header, mut losses) = (GameHeader::default(), GameLosses::default());
        GameEncoder {
            edition,
            record: record::record_of(&header, edition, &mut losses),
            names: Vec::new(),
            name_ends: [0; 5],
            tags: Vec::new(),
            fen: String::new(),
            moves: Vec::new(),
            comments: Vec::new(),
            facts: Facts::STANDARD,
            annotations: Annotations::default(),
            line: Line::new(STANDARD, WHITE),
            outer: Vec::new(),
        }
    }

    fn append_tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) {
        if name.is_empty() {
            losses.add(Loss::NamelessTagsDropped);
            return;
        }
        match TAG_NAMES.iter().position(|&known| known == name) {
            Some(index) => self.tags.push(241 + index as u8),
            None => {
                let name = record::cut(name, TAG_NAME_BYTES_MAX, Loss::TagNamesCut, losses);
                self.tags.push(name.len() as u8);
                append_text(&mut self.tags, name, losses);
            }
        }
        let room = TAG_BYTES_MAX - name.len().min(TAG_NAME_BYTES_MAX);
        let value = record::cut(value, room, Loss::TagValuesCut, losses);
        self.tags.push(value.len() as u8);
        append_text(&mut self.tags, value, losses);
    }

    fn set_start(&mut self, start: Start<'_>, losses: &mut GameLosses) -> Result<()> {
        self.facts = Facts::STANDARD;
        let _ = self.facts.start(start);
        self.fen.clear();
        let (pieces, side) = match start {
            Start::Standard => (STANDARD, WHITE),
            Start::Custom(setup) => {
                let refused = |flaw: Flaw| {
                    let what = flaw.as_str();
                    Error::unsupported(what)
                };
                if record::append_fen(setup, self.edition, &mut self.fen, losses)? {
                    self.record.add_flags(flag::CHESS960);
                }
                let pieces = Pieces::from_setup(setup).map_err(refused)?;
                (pieces, side_of(setup.turn))
            }
        };
        self.line = Line::new(pieces, side);
        self.outer.clear();
        Ok(())
    }

    /// Appends all moves, and the annotations of each node after it.
    fn append_steps(&mut self, tree: &mut GameTree, losses: &mut GameLosses) -> Result<()> {
        let mut notes = tree.notes_by_node();
        self.append_notes(notes.of(Node::START, tree), tree, losses);
        let mut steps = tree.steps.iter().peekable();
        let mut node = Node::START;
        while let Some(step) = steps.next() {
            node.0 += 1;
            match *step {
                tree::Step::Move(played) => {
                    if let Some(tree::Step::Begin) = steps.peek() {
                        self.line.before = self.line.pieces;
                    }
                    self.append_move(played)?;
                }
                tree::Step::Begin => self.open_variation(),
                tree::Step::End => self.close_variation(),
            }
            let notes = notes.of(node, tree);
            if !notes.is_empty() {
                self.append_notes(notes, tree, losses);
            }
        }
        Ok(())
    }

    #[inline]
    fn append_move(&mut self, played: Option<Move>) -> Result<()> {
        match self.play_plain(played) {
            Some(byte) => self.moves.push(byte),
            None => self.append_odd(played)?,
        }
        self.line.side ^= BLACK;
        if self.outer.is_empty() {
            let _ = self.facts.ply_done();
        }
        Ok(())
    }

    /// Plays a move of the main line that has one byte, as nearly all have, and returns it; `None`
    /// for other moves. Then nothing is played.
    #[inline]
    fn play_plain(&mut self, played: Option<Move>) -> Option<u8> {
        let Some(Move::Normal {
            role,
            from,
            to,
            promotion: None,
            ..
        }) = played
        else {
            return None;
        };
        let Line { pieces, side, .. } = &mut self.line;
        let number = pieces.number_at(*side, from)?;
        let is_plain = self.outer.is_empty() && pieces.placed(*side, number).man().role() == role;
        is_plain.then(|| pieces.play_plain(*side, from, to, &mut self.facts))?
    }

    /// Plays any other move and appends its bytes.
    fn append_odd(&mut self, played: Option<Move>) -> Result<()> {
        let illegal = || {
            let played = played.map_or_else(|| "--".to_owned(), |played| played.to_string());
            Error::new(ErrorKind::IllegalMove(played))
        };
        let side = self.line.side;
        let bytes =
            moves::encode(&self.line.pieces, side, played).map_err(|refusal| match refusal {
                Refusal::Chess960 => record::chess960(),
                Refusal::Impossible => illegal(),
            })?;
        let bytes = bytes.as_slice();
        // The encoded bytes are decoded at once, so the pieces move by the reader's rules.
        let pieces = &mut self.line.pieces;
        let mut at = 0;
        let step = if self.outer.is_empty() {
            pieces.step(side, bytes, &mut at, &mut self.facts)
        } else {
            pieces.step(side, bytes, &mut at, &mut Ignore)
        };
        if step != Ok(Step::Move) || at != bytes.len() {
            return Err(illegal());
        }
        self.moves.extend_from_slice(bytes);
        Ok(())
    }

    /// Appends the NAGs of a node, and its comments as one.
    fn append_notes(&mut self, notes: &[Note], tree: &GameTree, losses: &mut GameLosses) {
        let mut has_comment = false;
        for note in notes {
            match note.what {
                What::Nag(nag) => {
                    self.moves.extend_from_slice(&[NAG, nag]);
                    self.annotations.nags += 1;
                }
                What::Comment(from, to) => {
                    if has_comment {
                        self.comments.push(JOINT);
                    }
                    has_comment = true;
                    append_text(&mut self.comments, tree.comment((from, to)), losses);
                }
                What::Annotation(..) => {}
            }
        }
        if has_comment {
            self.moves.push(COMMENT);
            self.comments.push(0);
            self.annotations.comments += 1;
        }
    }

    fn open_variation(&mut self) {
        self.moves.push(VARIATION);
        self.annotations.variations += 1;
        let inner = Line::new(self.line.before, self.line.side ^ BLACK);
        self.outer.push(std::mem::replace(&mut self.line, inner));
    }

    fn close_variation(&mut self) {
        self.moves.push(VARIATION_END);
        if let Some(outer) = self.outer.pop() {
            self.line = outer;
        }
    }
}

impl Line {
    fn new(pieces: Pieces, side: Side) -> Line {
        Line {
            pieces,
            side,
            before: pieces,
        }
    }
}

impl EncodeTree for GameEncoder {
    type GameMeta = GameMeta;

    const RULES: Rules = Rules::SCID.with_limits(GAME_BYTES_MAX, GAME_BYTES_MAX);

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        self.record = record::record_of(header, self.edition, losses);
        self.names.clear();
        for (slot, end) in NAME_SLOTS.into_iter().zip(&mut self.name_ends) {
            let name = match slot {
                NameSlot::White => &header.white,
                NameSlot::Black => &header.black,
                NameSlot::Event => &header.event,
                NameSlot::Site => &header.site,
                NameSlot::Round => &header.round,
            };
            let name = record::cut(name, TEXT_BYTES_MAX, Loss::NamesCutAt255, losses);
            append_text(&mut self.names, name, losses);
            *end = self.names.len() as u16;
        }
        self.tags.clear();
        if record::is_beyond_index(header, self.edition) {
            self.append_tag("EventDate", &header.event_date.to_string(), losses);
        }
    }

    fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) -> Result<()> {
        self.append_tag(name, value, losses);
        if self.tags.len() > GAME_BYTES_MAX {
            return Err(too_long());
        }
        Ok(())
    }

    fn encode(
        &mut self,
        tree: &mut GameTree,
        losses: &mut GameLosses,
    ) -> Result<(Vec<u8>, GameMeta)> {
        self.moves.clear();
        self.comments.clear();
        self.annotations = Annotations::default();
        self.set_start(tree.start(), losses)?;
        self.append_steps(tree, losses)?;
        let fen_bytes = self.fen.len() + usize::from(!self.fen.is_empty());
        let length = self.tags.len() + fen_bytes + self.moves.len() + self.comments.len() + 3;
        if length > GAME_BYTES_MAX {
            return Err(too_long());
        }
        let mut bytes = Vec::with_capacity(length);
        bytes.extend_from_slice(&self.tags);
        bytes.extend_from_slice(&[0, self.facts.flags as u8]);
        if !self.fen.is_empty() {
            bytes.extend_from_slice(self.fen.as_bytes());
            bytes.push(0);
        }
        bytes.extend_from_slice(&self.moves);
        bytes.push(GAME_END);
        bytes.extend_from_slice(&self.comments);

        let mut record = self.record;
        self.facts.write_to(&mut record);
        self.annotations.write_to(&mut record);
        record.set_place(0, length as u32);
        let rest = GameMeta {
            edition: self.edition,
            record,
            names: self.names.clone(),
            name_ends: self.name_ends,
        };
        Ok((bytes, rest))
    }
}

fn too_long() -> Error {
    Error::limit("the bytes of a game", GAME_BYTES_MAX as u64)
}
