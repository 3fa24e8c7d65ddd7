//! Encodes a collected game into its bytes and its entry.

use shakmaty::{Color, File, Move, Setup, fen::Fen};
use tabiya_chess::{Follow, Start, castling::castled, follow::Ignore};

use super::{
    super::{
        codes::{self, append_length},
        men::{Men, STANDARD, promotion},
        record::Long,
    },
    GameLosses, Loss,
    roster::cut,
    totals::MainLine,
};
use crate::{
    damage::Flaw,
    error::{Error, ErrorKind, Result},
    game::GameHeader,
    tree::{Collector, EncodeTree, GameTree, Node, Note, Rules, Step, What},
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

/// Encodes games for the `.dcg` file: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

/// Encodes collected games for the `.dcg` file.
#[derive(Debug)]
pub struct GameEncoder {
    record: Long,
    names: [String; 4],
    main_line: MainLine,
    line: Line,
    outer: Vec<Line>,
    /// The NAGs and the comment of one node.
    nags: Vec<u8>,
    comment: String,
}

/// A line of the game while it is being encoded.
#[derive(Debug, Clone, Copy)]
struct Line {
    men: Men,
    turn: Color,
    /// The men before the last move that has variations, where they begin.
    before: Men,
}

impl Default for GameEncoder {
    fn default() -> GameEncoder {
        GameEncoder {
            record: super::record::record_of(&GameHeader::default(), &mut GameLosses::default()),
            names: Default::default(),
            main_line: MainLine::STANDARD,
            line: Line::new(STANDARD, Color::White),
            outer: Vec::new(),
            nags: Vec::new(),
            comment: String::new(),
        }
    }
}

impl GameEncoder {
    /// Appends the start position.
    fn append_start(
        &mut self,
        start: Start<'_>,
        game: &mut Vec<u8>,
        losses: &mut GameLosses,
    ) -> Result<()> {
        self.main_line = MainLine::STANDARD;
        let _ = self.main_line.start(start);
        self.outer.clear();
        self.line = match start {
            Start::Standard => {
                game.push(0);
                Line::new(STANDARD, Color::White)
            }
            Start::Custom(setup) => {
                let setup = super::record::playable(setup, losses)?;
                let refused = |flaw: Flaw| {
                    let what = flaw.as_str();
                    Error::unsupported(what)
                };
                let line = Line::new(Men::from_setup(&setup).map_err(refused)?, setup.turn);
                let fen = fen_of(setup)?;
                game.push(1);
                append_length(game, fen.len() as u32);
                game.extend_from_slice(fen.as_bytes());
                line
            }
        };
        Ok(())
    }

    /// Appends all moves, and the annotations of each node after it.
    fn append_steps(&mut self, tree: &mut GameTree, game: &mut Vec<u8>) -> Result<()> {
        let mut notes = tree.notes_by_node();
        self.append_notes(notes.of(Node::START, tree), tree, game);
        let mut steps = tree.steps.iter().peekable();
        let mut node = Node::START;
        while let Some(step) = steps.next() {
            node.0 += 1;
            match *step {
                Step::Move(played) => {
                    if let Some(Step::Begin) = steps.peek() {
                        self.line.before = self.line.men;
                    }
                    self.append_move(played, game)?;
                }
                Step::Begin => {
                    game.push(codes::BEGIN);
                    let inner = Line::new(self.line.before, self.line.turn.other());
                    self.outer.push(std::mem::replace(&mut self.line, inner));
                }
                Step::End => {
                    game.push(codes::END);
                    self.line = self.outer.pop().unwrap_or(self.line);
                }
            }
            self.append_notes(notes.of(node, tree), tree, game);
            within_limit(game.len())?;
        }
        Ok(())
    }

    fn append_move(&mut self, played: Option<Move>, game: &mut Vec<u8>) -> Result<()> {
        match played {
            None => game.push(codes::NULL),
            Some(played) => {
                let bits = bits_of(played)?;
                let (men, turn) = (&mut self.line.men, self.line.turn);
                // The encoded bits are decoded at once, so the men move by the reader's rules.
                let done = if self.outer.is_empty() {
                    men.play(turn, bits, &mut self.main_line)
                } else {
                    men.play(turn, bits, &mut Ignore)
                };
                done.map_err(|_| Error::new(ErrorKind::IllegalMove(played.to_string())))?;
                game.extend_from_slice(&bits.to_be_bytes());
            }
        }
        self.line.turn = self.line.turn.other();
        if self.outer.is_empty() {
            let _ = self.main_line.ply_done();
        }
        Ok(())
    }

    /// Appends the NAGs of a node, and its comments as one.
    fn append_notes(&mut self, notes: &[Note], tree: &GameTree, game: &mut Vec<u8>) {
        if notes.is_empty() {
            return;
        }
        self.nags.clear();
        self.comment.clear();
        for note in notes {
            match note.what {
                What::Nag(nag) => self.nags.push(nag),
                What::Comment(from, to) => {
                    if !self.comment.is_empty() {
                        self.comment.push(JOINT);
                    }
                    self.comment.push_str(tree.comment((from, to)));
                }
                What::Annotation(..) => {}
            }
        }
        for (token, text) in [
            (codes::NAGS, &*self.nags),
            (codes::COMMENT, self.comment.as_bytes()),
        ] {
            if !text.is_empty() {
                game.push(token);
                append_length(game, u32::try_from(text.len()).unwrap_or(u32::MAX));
                game.extend_from_slice(text);
            }
        }
    }
}

impl Line {
    fn new(men: Men, turn: Color) -> Line {
        Line {
            men,
            turn,
            before: men,
        }
    }
}

impl EncodeTree for GameEncoder {
    type GameMeta = GameMeta;

    const RULES: Rules = Rules::SCDB.with_limits(GAME_BYTES_MAX, GAME_BYTES_MAX);

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        self.record = super::record::record_of(header, losses);
        let names = [&header.white, &header.black, &header.site, &header.event];
        self.names = names.map(|name| cut(name, losses));
    }

    /// The format stores no tags. `SetUp` is no loss, because the start position implies it.
    fn tag(&mut self, name: &str, _: &str, losses: &mut GameLosses) -> Result<()> {
        if !name.eq_ignore_ascii_case("SetUp") {
            losses.add(Loss::TagsDropped);
        }
        Ok(())
    }

    fn encode(
        &mut self,
        tree: &mut GameTree,
        losses: &mut GameLosses,
    ) -> Result<(Vec<u8>, GameMeta)> {
        let mut game = Vec::with_capacity(2 * tree.steps.len() + 16);
        self.append_start(tree.start(), &mut game, losses)?;
        self.append_steps(tree, &mut game)?;
        within_limit(game.len())?;
        let mut bytes = Vec::with_capacity(game.len() + 4);
        append_length(&mut bytes, game.len() as u32);
        bytes.append(&mut game);
        let rest = GameMeta {
            record: self.record.with_totals(self.main_line.totals()),
            names: self.names.clone(),
        };
        Ok((bytes, rest))
    }
}

fn fen_of(setup: Setup) -> Result<String> {
    let fen = Fen::try_from_setup(setup).map_err(|_| {
        let what = "this start position";
        Error::unsupported(what)
    })?;
    Ok(fen.to_string())
}

fn within_limit(bytes: usize) -> Result<()> {
    let (what, limit) = ("the bytes of a game", GAME_BYTES_MAX as u64);
    if bytes <= GAME_BYTES_MAX {
        Ok(())
    } else {
        Err(Error::limit(what, limit))
    }
}

/// Returns the 16 bits of a move.
fn bits_of(played: Move) -> Result<u16> {
    let illegal = || Error::new(ErrorKind::IllegalMove(played.to_string()));
    let (from, to, promoted) = match played {
        Move::Castle { king, rook } => {
            let is_corner = matches!(rook.file(), File::A | File::H);
            if king.file() != File::E || !is_corner || king.rank() != rook.rank() {
                return Err(super::record::chess960());
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
