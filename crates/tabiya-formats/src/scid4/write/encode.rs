//! Encodes the events of one game into its bytes and its record.
//!
//! One file because all events change the same state, which is the encoder's alone.

use shakmaty::Move;
use tabiya_chess::{Flow, Follow, Start, follow::Ignore};

use super::{
    GameLosses, Loss,
    draft::{self, TEXT_BYTES_MAX, append_text},
    edition::Edition,
    moves::{self, Refusal},
};
use crate::{
    EncodedGame,
    check::Annotations,
    damage::Flaw,
    error::{Error, ErrorKind, Result},
    game::{Encode, FirstError, GameHeader, Visitor},
    header::{Header, NameSlot, flag},
    limits::VARIATION_DEPTH_MAX,
    scid4::{
        facts::Facts,
        flaws,
        game::TAG_NAMES,
        moves::{BLACK, Pieces, STANDARD, Side, Step, WHITE, side_of},
        record5::Record5,
    },
};

/// Maximum bytes of one game: its length has 17 bits.
pub(super) const GAME_BYTES_MAX: usize = 131_071;
/// Maximum bytes of a tag's name and value together. The format allows more, but Scid 4.7.4
/// terminates when it prints a longer tag.
const TAG_BYTES_MAX: usize = 248;
/// Maximum NAGs of one move: Scid (seen in 4.7.4) rejects a game with more as corrupt.
const NAGS_MAX: u8 = 7;
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

/// Encodes games for `.si4` or `.si5`: [`Encode`].
#[derive(Debug)]
pub struct Encoder {
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
    losses: GameLosses,
    line: Line,
    outer: Vec<Line>,
    /// Why the game cannot be encoded.
    fault: FirstError,
}

/// A line of the game while it is being encoded.
#[derive(Debug, Clone, Copy)]
struct Line {
    pieces: Pieces,
    /// The side to move.
    side: Side,
    /// The position before the last move, where its variations begin.
    before: Pieces,
    /// Whether there is a last move.
    has_moves: bool,
    node: Node,
}

/// What annotations belong to: a move, or the start of a line. Annotations may arrive after its
/// variations; their bytes are stored before the variations all the same.
#[derive(Debug, Clone, Copy, Default)]
struct Node {
    /// Offset in `moves` of the next NAG; the comment token follows the NAGs.
    tokens_at: usize,
    nags: u8,
    has_comment: bool,
    /// Offset in `comments` of the comment's NUL, or where the comment would begin.
    text_end: usize,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder::new()
    }
}

impl Encoder {
    /// Returns an encoder for `.si4`, without a game.
    #[must_use]
    pub fn new() -> Encoder {
        Encoder::with_edition(Edition::Si4)
    }

    /// Returns an encoder without a game.
    #[must_use]
    pub fn with_edition(edition: Edition) -> Encoder {
        let (header, mut losses) = (GameHeader::default(), GameLosses::default());
        Encoder {
            edition,
            record: draft::record_of(&header, edition, &mut losses),
            names: Vec::new(),
            name_ends: [0; 5],
            tags: Vec::new(),
            fen: String::new(),
            moves: Vec::new(),
            comments: Vec::new(),
            facts: Facts::STANDARD,
            annotations: Annotations::default(),
            losses: GameLosses::default(),
            line: Line::new(STANDARD, WHITE, Node::default()),
            outer: Vec::new(),
            fault: FirstError::default(),
        }
    }

    /// Records the first error and breaks after it.
    fn flow(&mut self, done: Result<()>) -> Flow {
        let bytes = self.tags.len() + self.moves.len() + self.comments.len();
        let done = if bytes > GAME_BYTES_MAX {
            done.and(Err(too_long()))
        } else {
            done
        };
        self.fault.flow(done)
    }

    fn append_tag(&mut self, name: &str, value: &str) {
        let losses = &mut self.losses;
        if name.is_empty() {
            losses.add(Loss::NamelessTagsDropped);
            return;
        }
        match TAG_NAMES.iter().position(|&known| known == name) {
            Some(index) => self.tags.push(241 + index as u8),
            None => {
                let name = draft::cut(name, TAG_NAME_BYTES_MAX, Loss::TagNamesCut, losses);
                self.tags.push(name.len() as u8);
                append_text(&mut self.tags, name, losses);
            }
        }
        let room = TAG_BYTES_MAX - name.len().min(TAG_NAME_BYTES_MAX);
        let value = draft::cut(value, room, Loss::TagValuesCut, losses);
        self.tags.push(value.len() as u8);
        append_text(&mut self.tags, value, losses);
    }

    fn set_start(&mut self, start: Start<'_>) -> Result<()> {
        let _ = self.facts.start(start);
        let (pieces, side) = match start {
            Start::Standard => (STANDARD, WHITE),
            Start::Custom(setup) => {
                let refused = |flaw: Flaw| {
                    let what = flaw.as_str();
                    Error::new(ErrorKind::Unsupported { what })
                };
                self.fen.clear();
                let (fen, losses) = (&mut self.fen, &mut self.losses);
                if draft::append_fen(setup, self.edition, fen, losses)? {
                    self.record.add_flags(flag::CHESS960);
                }
                let pieces = Pieces::from_setup(setup).map_err(refused)?;
                (pieces, side_of(setup.turn))
            }
        };
        self.line = Line::new(pieces, side, Node::default());
        Ok(())
    }

    fn append_move(&mut self, played: Option<Move>) -> Result<()> {
        self.line.before.copy_men(&self.line.pieces);
        match self.play_plain(played) {
            Some(byte) => self.moves.push(byte),
            None => self.append_odd(played)?,
        }
        self.line.side ^= BLACK;
        if self.outer.is_empty() {
            let _ = self.facts.look();
        }
        self.line.has_moves = true;
        self.line.node = self.next_node();
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
                Refusal::Chess960 => draft::chess960(),
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

    /// Returns a node whose annotations begin here.
    fn next_node(&self) -> Node {
        Node {
            tokens_at: self.moves.len(),
            text_end: self.comments.len(),
            ..Node::default()
        }
    }

    fn append_nag(&mut self, nag: u8) {
        let node = &mut self.line.node;
        if node.nags >= NAGS_MAX {
            self.losses.add(Loss::NagsBeyondSevenDropped);
            return;
        }
        insert(&mut self.moves, node.tokens_at, &[NAG, nag]);
        node.tokens_at += 2;
        node.nags += 1;
        self.annotations.nags += 1;
    }

    fn append_comment(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        let node = &mut self.line.node;
        let is_last = node.text_end == self.comments.len();
        if !node.has_comment {
            insert(&mut self.moves, node.tokens_at, &[COMMENT]);
            insert(&mut self.comments, node.text_end, &[0]);
            node.has_comment = true;
            self.annotations.comments += 1;
        } else {
            insert(&mut self.comments, node.text_end, &[JOINT]);
            node.text_end += 1;
            self.losses.add(Loss::CommentsJoined);
        }
        if is_last {
            self.comments.pop();
            append_text(&mut self.comments, text, &mut self.losses);
            node.text_end = self.comments.len();
            self.comments.push(0);
        } else {
            let mut bytes = Vec::with_capacity(text.len());
            append_text(&mut bytes, text, &mut self.losses);
            insert(&mut self.comments, node.text_end, &bytes);
            node.text_end += bytes.len();
        }
    }

    fn open_variation(&mut self) -> Result<()> {
        if !self.line.has_moves {
            return Err(Error::corrupt(flaws::VARIATION_OF_NO_MOVE));
        }
        if self.outer.len() >= VARIATION_DEPTH_MAX {
            let limit = VARIATION_DEPTH_MAX as u64;
            let what = "the depth of variations";
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        self.moves.push(VARIATION);
        self.annotations.variations += 1;
        let inner = Line::new(self.line.before, self.line.side ^ BLACK, self.next_node());
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Ok(())
    }

    fn close_variation(&mut self) -> Result<()> {
        let Some(outer) = self.outer.pop() else {
            return Err(Error::corrupt(flaws::VARIATION_NEVER_BEGAN));
        };
        self.moves.push(VARIATION_END);
        self.line = outer;
        Ok(())
    }
}

impl Line {
    fn new(pieces: Pieces, side: Side, node: Node) -> Line {
        Line {
            pieces,
            side,
            before: pieces,
            has_moves: false,
            node,
        }
    }
}

impl Visitor for Encoder {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.append_tag(name, value);
        self.flow(Ok(()))
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let done = self.set_start(start);
        self.flow(done)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let done = self.append_move(played);
        self.flow(done)
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if nag != 0 {
            self.append_nag(nag);
        }
        self.flow(Ok(()))
    }

    fn void_nag(&mut self) -> Flow {
        self.losses.add(Loss::VoidNagsDropped);
        self.flow(Ok(()))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.append_comment(text);
        self.flow(Ok(()))
    }

    fn begin_variation(&mut self) -> Flow {
        let done = self.open_variation();
        self.flow(done)
    }

    fn end_variation(&mut self) -> Flow {
        let done = self.close_variation();
        self.flow(done)
    }
}

impl Encode for Encoder {
    type GameMeta = GameMeta;

    fn begin(&mut self, header: &GameHeader) {
        self.losses = GameLosses::default();
        self.record = draft::record_of(header, self.edition, &mut self.losses);
        self.names.clear();
        for (slot, end) in NAME_SLOTS.into_iter().zip(&mut self.name_ends) {
            let name = match slot {
                NameSlot::White => &header.white,
                NameSlot::Black => &header.black,
                NameSlot::Event => &header.event,
                NameSlot::Site => &header.site,
                NameSlot::Round => &header.round,
            };
            let name = draft::cut(name, TEXT_BYTES_MAX, Loss::NamesCutAt255, &mut self.losses);
            append_text(&mut self.names, name, &mut self.losses);
            *end = self.names.len() as u16;
        }
        self.tags.clear();
        self.fen.clear();
        self.moves.clear();
        self.comments.clear();
        if draft::is_beyond_index(header, self.edition) {
            self.append_tag("EventDate", &header.event_date.to_string());
        }
        self.facts = Facts::STANDARD;
        self.annotations = Annotations::default();
        self.line = Line::new(STANDARD, WHITE, Node::default());
        self.outer.clear();
        self.fault = FirstError::default();
    }

    fn finish(&mut self) -> Result<EncodedGame<GameMeta>> {
        self.fault.take()?;
        if !self.outer.is_empty() {
            return Err(Error::corrupt(flaws::VARIATION_ENDLESS));
        }
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
        Ok(EncodedGame {
            bytes,
            losses: self.losses,
            rest: GameMeta {
                edition: self.edition,
                record,
                names: self.names.clone(),
                name_ends: self.name_ends,
            },
        })
    }
}

/// Inserts bytes; at the end, which is nearly always the case, it appends them.
#[inline]
fn insert(into: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    if at == into.len() {
        into.extend_from_slice(bytes);
    } else {
        into.splice(at..at, bytes.iter().copied());
    }
}

fn too_long() -> Error {
    Error::new(ErrorKind::LimitExceeded {
        what: "the bytes of a game",
        limit: GAME_BYTES_MAX as u64,
    })
}
