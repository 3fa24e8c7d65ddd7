//! Encodes the events of one game into its bytes and its entry.
//!
//! One file because all events change the same state, which is the encoder's alone.

use shakmaty::{Color, File, Move, Setup, fen::Fen};
use tabiya_chess::{Flow, Follow, Start, castling::castled, follow::Ignore};

use super::{
    super::{
        men::{Men, STANDARD, promotion},
        record::Long,
        tokens::{self, append_length},
    },
    GameLosses, Loss,
    names::cut,
    totals::MainLine,
};
use crate::{
    EncodedGame,
    damage::Flaw,
    error::{Error, ErrorKind, Result},
    game::{Encode, FirstError, GameHeader, Visitor},
    limits::VARIATION_DEPTH_MAX,
    scdb::flaws,
};

/// Maximum bytes of one game without its length: the reference program writes no greater length.
const GAME_BYTES_MAX: usize = 4_294_966;
/// Separates comments that had to be joined.
const JOINT: char = ' ';

/// What this format stores of a game besides its bytes: everything except the offsets of its names
/// and its own.
#[derive(Debug, Clone)]
pub struct GameMeta {
    pub(super) record: Long,
    /// White, Black, site, event.
    pub(super) names: [String; 4],
}

/// Encodes games for the `.dcg` file: [`Encode`].
#[derive(Debug)]
pub struct Encoder {
    record: Long,
    names: [String; 4],
    fen: Option<String>,
    items: Vec<Item>,
    /// Annotations, indexed by place; `None` if a place has none.
    notes: Vec<Option<Box<Note>>>,
    /// Bytes of the moves and of the brackets of variations.
    bytes: usize,
    main_line: MainLine,
    losses: GameLosses,
    line: Line,
    outer: Vec<Line>,
    /// Why the game cannot be encoded.
    fault: FirstError,
}

/// A part of a game, in file order.
#[derive(Debug, Clone, Copy)]
enum Item {
    /// A move's two bytes; `None` for a null move.
    Move(Option<u16>),
    Begin,
    End,
    /// The index of the annotations of the previous move, or of the start.
    Note(u32),
}

/// The annotations at one place.
#[derive(Debug, Default)]
struct Note {
    nags: Vec<u8>,
    comment: String,
    comments: usize,
}

/// A line of the game while it is being encoded.
#[derive(Debug, Clone, Copy)]
struct Line {
    men: Men,
    turn: Color,
    /// The men before the last move, where its variations begin; `None` without a move.
    before: Option<Men>,
    /// The place whose annotations come next.
    note: usize,
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
        let mut encoder = Encoder {
            record: super::header::record_of(&GameHeader::default(), &mut GameLosses::default()),
            names: Default::default(),
            fen: None,
            items: Vec::new(),
            notes: Vec::new(),
            bytes: 0,
            main_line: MainLine::STANDARD,
            losses: GameLosses::default(),
            line: Line::new(STANDARD, Color::White),
            outer: Vec::new(),
            fault: FirstError::default(),
        };
        encoder.begin(&GameHeader::default());
        encoder
    }

    fn append(&self, item: Item, game: &mut Vec<u8>) {
        match item {
            Item::Move(Some(bits)) => game.extend_from_slice(&bits.to_be_bytes()),
            Item::Move(None) => game.push(tokens::NULL),
            Item::Begin => game.push(tokens::BEGIN),
            Item::End => game.push(tokens::END),
            Item::Note(note) => {
                let Some(Some(note)) = self.notes.get(note as usize) else {
                    return;
                };
                let Note { nags, comment, .. } = &**note;
                for (token, text) in [
                    (tokens::NAGS, &**nags),
                    (tokens::COMMENT, comment.as_bytes()),
                ] {
                    if !text.is_empty() {
                        game.push(token);
                        append_length(game, u32::try_from(text.len()).unwrap_or(u32::MAX));
                        game.extend_from_slice(text);
                    }
                }
            }
        }
    }

    /// Adds an empty place for annotations of the last move.
    fn open_note(&mut self) {
        self.line.note = self.notes.len();
        // There are fewer notes than a game may have bytes.
        self.items.push(Item::Note(self.line.note as u32));
        self.notes.push(None);
    }

    /// Counts the bytes of a move or bracket, so that a game that is too long is rejected before
    /// it uses much memory.
    fn take_room(&mut self, bytes: usize) -> Result<()> {
        self.bytes += bytes;
        within_limit(self.bytes)
    }

    fn set_start(&mut self, start: Start<'_>) -> Result<()> {
        let _ = self.main_line.start(start);
        let (men, turn) = match start {
            Start::Standard => (STANDARD, Color::White),
            Start::Custom(setup) => {
                let setup = super::header::playable(setup, &mut self.losses)?;
                let refused = |flaw: Flaw| {
                    let what = flaw.as_str();
                    Error::new(ErrorKind::Unsupported { what })
                };
                let men = Men::from_setup(&setup).map_err(refused)?;
                let turn = setup.turn;
                self.fen = Some(fen_of(setup)?);
                (men, turn)
            }
        };
        let note = self.line.note;
        self.line = Line {
            note,
            ..Line::new(men, turn)
        };
        Ok(())
    }

    fn append_move(&mut self, played: Option<Move>) -> Result<()> {
        self.line.before = Some(self.line.men);
        let bits = played.map(bits_of).transpose()?;
        self.take_room(if bits.is_some() { 2 } else { 1 })?;
        if let (Some(bits), Some(played)) = (bits, played) {
            let (men, turn) = (&mut self.line.men, self.line.turn);
            // The encoded bits are decoded at once, so the men move by the reader's rules.
            let done = if self.outer.is_empty() {
                men.play(turn, bits, &mut self.main_line)
            } else {
                men.play(turn, bits, &mut Ignore)
            };
            done.map_err(|_| Error::new(ErrorKind::IllegalMove(played.to_string())))?;
        }
        self.line.turn = self.line.turn.other();
        if self.outer.is_empty() {
            let _ = self.main_line.look();
        }
        self.items.push(Item::Move(bits));
        // Annotations before the first move of a variation are moved after it.
        let early = match (self.line.note, self.items.iter().rev().nth(1)) {
            (note, Some(Item::Begin)) => std::mem::take(&mut self.notes[note]),
            _ => None,
        };
        self.open_note();
        if let Some(note) = self.notes.last_mut() {
            *note = early;
        }
        Ok(())
    }

    fn append_nag(&mut self, nag: u8) {
        let has_move = self.line.before.is_some();
        match self.notes.get_mut(self.line.note).filter(|_| has_move) {
            Some(note) => note.get_or_insert_default().nags.push(nag),
            None => self.losses.add(Loss::NagsOfNoMoveDropped),
        }
    }

    fn append_comment(&mut self, text: &str) {
        let Some(note) = self
            .notes
            .get_mut(self.line.note)
            .filter(|_| !text.is_empty())
        else {
            return;
        };
        let note = note.get_or_insert_default();
        if note.comments > 0 {
            note.comment.push(JOINT);
            self.losses.add(Loss::CommentsJoined);
        }
        note.comment.push_str(text);
        note.comments += 1;
        if self.line.before.is_none() && !self.outer.is_empty() {
            self.losses.add(Loss::CommentsMoved);
        }
    }

    fn open_variation(&mut self) -> Result<()> {
        let Some(before) = self.line.before else {
            return Err(Error::corrupt(flaws::VARIATION_OF_NO_MOVE));
        };
        if self.outer.len() >= VARIATION_DEPTH_MAX {
            let limit = VARIATION_DEPTH_MAX as u64;
            let what = "the depth of variations";
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        self.take_room(1)?;
        self.items.push(Item::Begin);
        // No item refers to this note; the first move takes it.
        let note = self.notes.len();
        self.notes.push(None);
        let inner = Line {
            note,
            ..Line::new(before, self.line.turn.other())
        };
        self.outer.push(std::mem::replace(&mut self.line, inner));
        Ok(())
    }

    fn close_variation(&mut self) -> Result<()> {
        let Some(outer) = self.outer.pop() else {
            return Err(Error::corrupt(flaws::VARIATION_NEVER_BEGAN));
        };
        if self.line.before.is_none() {
            let note = self.notes.get(self.line.note).and_then(Option::as_ref);
            let dropped = note.map_or(0, |note| note.comments);
            (0..dropped).for_each(|_| self.losses.add(Loss::CommentsOfNoMoveDropped));
        }
        self.take_room(1)?;
        self.items.push(Item::End);
        self.line = outer;
        Ok(())
    }
}

impl Line {
    fn new(men: Men, turn: Color) -> Line {
        Line {
            men,
            turn,
            before: None,
            note: 0,
        }
    }
}

impl Visitor for Encoder {
    /// The format stores no tags. `SetUp` is no loss, because the start position implies it.
    fn tag(&mut self, name: &str, _: &str) -> Flow {
        if !name.eq_ignore_ascii_case("SetUp") {
            self.losses.add(Loss::TagsDropped);
        }
        self.fault.flow(Ok(()))
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let done = self.set_start(start);
        self.fault.flow(done)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let done = self.append_move(played);
        self.fault.flow(done)
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if nag != 0 {
            self.append_nag(nag);
        }
        self.fault.flow(Ok(()))
    }

    fn void_nag(&mut self) -> Flow {
        self.losses.add(Loss::VoidNagsDropped);
        self.fault.flow(Ok(()))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.append_comment(text);
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
        self.record = super::header::record_of(header, &mut self.losses);
        let names = [&header.white, &header.black, &header.site, &header.event];
        self.names = names.map(|name| cut(name, &mut self.losses));
        self.fen = None;
        self.items.clear();
        self.notes.clear();
        self.bytes = 0;
        self.main_line = MainLine::STANDARD;
        self.line = Line::new(STANDARD, Color::White);
        self.outer.clear();
        self.fault = FirstError::default();
        self.open_note();
    }

    fn finish(&mut self) -> Result<EncodedGame<GameMeta>> {
        self.fault.take()?;
        if !self.outer.is_empty() {
            return Err(Error::corrupt(flaws::VARIATION_ENDLESS));
        }
        let mut game = Vec::with_capacity(2 * self.items.len() + 16);
        match &self.fen {
            None => game.push(0),
            Some(fen) => {
                game.push(1);
                append_length(&mut game, fen.len() as u32);
                game.extend_from_slice(fen.as_bytes());
            }
        }
        for item in &self.items {
            self.append(*item, &mut game);
            within_limit(game.len())?;
        }
        let mut bytes = Vec::with_capacity(game.len() + 4);
        append_length(&mut bytes, game.len() as u32);
        bytes.append(&mut game);
        Ok(EncodedGame {
            bytes,
            losses: self.losses,
            rest: GameMeta {
                record: self.record.with_totals(self.main_line.totals()),
                names: self.names.clone(),
            },
        })
    }
}

fn fen_of(setup: Setup) -> Result<String> {
    let fen = Fen::try_from_setup(setup).map_err(|_| {
        let what = "this start position";
        Error::new(ErrorKind::Unsupported { what })
    })?;
    Ok(fen.to_string())
}

fn within_limit(bytes: usize) -> Result<()> {
    let (what, limit) = ("the bytes of a game", GAME_BYTES_MAX as u64);
    if bytes <= GAME_BYTES_MAX {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::LimitExceeded { what, limit }))
    }
}

/// Returns the 16 bits of a move.
fn bits_of(played: Move) -> Result<u16> {
    let illegal = || Error::new(ErrorKind::IllegalMove(played.to_string()));
    let (from, to, promoted) = match played {
        Move::Castle { king, rook } => {
            let is_corner = matches!(rook.file(), File::A | File::H);
            if king.file() != File::E || !is_corner || king.rank() != rook.rank() {
                return Err(super::header::chess960());
            }
            (king, castled(king, rook).0, None)
        }
        Move::EnPassant { from, to } => (from, to, None),
        Move::Normal {
            from,
            to,
            promotion,
            ..
        } => (from, to, promotion),
        Move::Put { .. } => return Err(illegal()),
    };
    let code = match promoted {
        None => 0,
        Some(role) => (2..6)
            .find(|&code| promotion(code) == Some(role))
            .ok_or_else(illegal)?,
    };
    Ok(u16::from(code) << 12 | (from as u16) << 6 | to as u16)
}
