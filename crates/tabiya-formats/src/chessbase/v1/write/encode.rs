//! Encodes the events of one game as bytes.

use shakmaty::{Color, Move, Setup};
use tabiya_chess::{Counts, Flow, Start, follow::Ignore, variant::Variant};

use super::{
    GAME_BYTES_MAX, GameLosses, Loss,
    content::Content,
    moves::{self, Plies},
    names::Names,
    notes::{Notes, Said},
    pieces::Pieces,
    record::Draft,
    setup,
    tree::{Node, Tree},
};
use crate::{
    Damage, Decoded, EncodedGame, Scratch,
    chessbase::common::text,
    chessbase::v1::{
        annotations::{self, write::Builder},
        flaws,
        stream::Parts,
    },
    error::{Error, ErrorKind, Result},
    game::{Encode, FirstError, GameHeader, Visitor},
};

/// Bit of a game's first byte, which also has the mode: a start position follows.
const HAS_SETUP: u8 = 64;
/// Maximum number of men that fit into the bits of a start position.
const MEN_MAX: usize = 32;

/// What ChessBase stores of a game besides its bytes in `.cbg`: everything but the IDs of its names
/// and its offsets.
#[derive(Debug, Clone)]
pub struct GameMeta {
    pub(super) record: Draft,
    pub(super) names: Names,
    /// Bytes for `.cba`, except for the game's number; empty if there are no annotations.
    pub(super) annotations: Vec<u8>,
    /// Men at the end of the main line.
    pub(super) counts: Counts,
    pub(super) is_top_game: bool,
}

/// Encodes games for ChessBase: [`Encode`].
#[derive(Debug)]
pub struct Encoder {
    record: Draft,
    names: Names,
    is_top_game: bool,
    /// Whether a tag declares a Chess960 game.
    says_chess960: bool,
    start: Option<Setup>,
    tree: Tree,
    notes: Notes,
    builder: Builder,
    /// Whether a variation ended after the last move or start of a variation.
    after_variation: bool,
    /// Positions in file order.
    order: Vec<Node>,
    /// For reading back the written moves.
    scratch: Scratch,
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
            names: Names::new(&header, &mut losses),
            is_top_game: false,
            says_chess960: false,
            start: None,
            tree: Tree::new(),
            notes: Notes::default(),
            builder: Builder::new(),
            after_variation: false,
            order: Vec::new(),
            scratch: Scratch::default(),
            losses,
            fault: FirstError::default(),
        }
    }

    /// Whether the game is written as Chess960: it has a start position, and either a tag declares
    /// Chess960 or its castling rights require it. The format cannot mark a game without a start
    /// position as Chess960.
    fn is_chess960(&self) -> bool {
        let is_chess960 = |start| self.says_chess960 || setup::is_chess960(start);
        self.start.as_ref().is_some_and(is_chess960)
    }

    fn turn(&self) -> Color {
        self.start.as_ref().map_or(Color::White, |setup| setup.turn)
    }

    /// Appends the bytes for `.cbg`: mode and length, start position, moves.
    fn append_game(&mut self, chess960: bool, game: &mut Vec<u8>) -> Result<(Plies, Counts)> {
        let has_setup = if self.start.is_some() { HAS_SETUP } else { 0 };
        game.extend_from_slice(&[moves::mode(chess960) | has_setup, 0, 0, 0]);
        let start = match &self.start {
            None => Start::Standard,
            Some(setup) => Start::Custom(setup),
        };
        if let Start::Custom(setup) = start {
            if setup.board.occupied().count() > MEN_MAX {
                let what = "a start position of more than 32 men";
                return Err(Error::new(ErrorKind::Unsupported { what }));
            }
            setup::append_setup(setup, game, &mut self.losses);
            if chess960 {
                setup::append_chess960(setup, game);
            }
        }
        self.order.clear();
        let told = moves::append_moves(
            &self.tree,
            (Pieces::new(&start.setup()), self.turn()),
            chess960,
            game,
            &mut self.order,
        )?;
        if game.len() > GAME_BYTES_MAX {
            let what = "the bytes of a game";
            let limit = GAME_BYTES_MAX as u64;
            return Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        }
        let length = (game.len() as u32).to_be_bytes();
        game[1..4].copy_from_slice(&length[1..]);
        match self.read_back(game) {
            Ok(()) => Ok(told),
            Err(Damage { what, .. }) => {
                let what = what.as_str();
                Err(Error::new(ErrorKind::Unsupported { what }))
            }
        }
    }

    /// Plays the written moves, to ensure that they can be read.
    fn read_back(&mut self, game: &[u8]) -> Decoded<()> {
        Parts::new(game)?.tree(&mut self.scratch, &mut Ignore)
    }

    /// Returns the bytes for `.cba`, with 0 as the game's number.
    fn annotations(&mut self) -> Result<Vec<u8>> {
        self.builder.clear();
        if self.notes.is_empty() {
            return Ok(Vec::new());
        }
        let mut positions = vec![annotations::GAME; self.tree.len()];
        for (position, node) in (0..).zip(&self.order) {
            positions[node.index()] = position;
        }
        for (node, said) in self.notes.iter() {
            let position = positions[node.index()];
            match said {
                Said::Nag(nag) => self.builder.glyph(position, nag),
                Said::Before(text) => self.builder.comment_before(position, text),
                Said::After(text) => self.builder.comment_after(position, text),
            }
        }
        if self.builder.is_empty() {
            Ok(Vec::new())
        } else {
            self.builder.finish(0)
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
}

impl Visitor for Encoder {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if (name, value) == ("TopGame", "1") {
            self.is_top_game = true;
        } else if name == "Variant" && Variant::of_tag(value) == Variant::Chess960 {
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
        if text::holds_signs(text) {
            self.losses.add(Loss::SignsInComments);
        }
        if !text.is_empty() {
            self.notes.comment(text, &self.tree, self.after_variation);
        }
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
        self.names = Names::new(header, &mut self.losses);
        self.is_top_game = false;
        self.says_chess960 = false;
        self.start = None;
        self.tree.clear();
        self.notes.clear();
        self.after_variation = false;
        self.fault = FirstError::default();
    }

    fn finish(&mut self) -> Result<EncodedGame<GameMeta>> {
        self.fault.take()?;
        if !self.tree.is_complete() {
            return Err(Error::corrupt(flaws::VARIATION_ENDLESS));
        }
        self.notes.keep_waiting();
        let chess960 = self.is_chess960();
        if self.says_chess960 && !chess960 {
            self.losses.add(Loss::TagsDropped);
        }
        let mut game = Vec::new();
        let (plies, counts) = self.append_game(chess960, &mut game)?;
        let annotations = self.annotations()?;
        let content = Content::new(self.start.is_some(), chess960, plies, &annotations);
        let mut record = self.record;
        record.set_plies(plies, self.turn().is_black());
        record.set_content(content);
        let is_start = |setup: &Setup| setup::start_number(setup).filter(|_| chess960);
        if let Some(number) = self.start.as_ref().and_then(is_start) {
            record.set_chess960_start(number, &mut self.losses);
        }
        Ok(EncodedGame {
            bytes: game,
            losses: self.losses,
            rest: GameMeta {
                record,
                names: self.names,
                annotations,
                counts,
                is_top_game: self.is_top_game,
            },
        })
    }
}
