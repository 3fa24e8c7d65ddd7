//! Encodes a collected game as bytes.

use shakmaty::{Color, Setup};
use tabiya_chess::{Counts, Start, follow::Ignore, variant::Variant};

use super::{
    GameLosses, Loss,
    content::Content,
    men::Pieces,
    moves::{self, Plies},
    names::Names,
    record::Draft,
    setup,
};
use crate::{
    Damage, Decoded, Scratch,
    chessbase::common::{
        text,
        write::{
            GAME_BYTES_MAX,
            setup::{is_chess960, start_number},
            tree::Tree,
        },
    },
    chessbase::v1::{
        annotations::{self, write::Builder},
        stream::Parts,
    },
    error::{Error, Result},
    game::GameHeader,
    tree::{Collector, EncodeTree, GameTree, Node, Place, Rules, What},
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

/// Encodes games for ChessBase: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

/// Encodes collected games for ChessBase.
#[derive(Debug)]
pub struct GameEncoder {
    record: Draft,
    names: Names,
    is_top_game: bool,
    /// Whether a tag declares a Chess960 game.
    says_chess960: bool,
    positions: Tree,
    builder: Builder,
    /// Positions in file order.
    order: Vec<Node>,
    /// For reading back the written moves.
    scratch: Scratch,
}

impl Default for GameEncoder {
    fn default() -> GameEncoder {
        let (header, mut losses) = (GameHeader::default(), GameLosses::default());
        GameEncoder {
            record: Draft::new(&header, &mut losses),
            names: Names::new(&header, &mut losses),
            is_top_game: false,
            says_chess960: false,
            positions: Tree::default(),
            builder: Builder::new(),
            order: Vec::new(),
            scratch: Scratch::default(),
        }
    }
}

impl GameEncoder {
    /// Whether the game is written as Chess960: it has a start position, and either a tag declares
    /// Chess960 or its castling rights require it. The format cannot mark a game without a start
    /// position as Chess960.
    fn is_chess960(&self, tree: &GameTree) -> bool {
        let is_so = |start| self.says_chess960 || is_chess960(start);
        tree.start.as_ref().is_some_and(is_so)
    }

    /// Appends the bytes for `.cbg`: mode and length, start position, moves.
    fn append_game(
        &mut self,
        tree: &GameTree,
        chess960: bool,
        game: &mut Vec<u8>,
        losses: &mut GameLosses,
    ) -> Result<(Plies, Counts)> {
        let start = tree.start();
        let has_setup = if tree.start.is_some() { HAS_SETUP } else { 0 };
        game.extend_from_slice(&[moves::mode(chess960) | has_setup, 0, 0, 0]);
        if let Start::Custom(setup) = start {
            if setup.board.occupied().count() > MEN_MAX {
                let what = "a start position of more than 32 men";
                return Err(Error::unsupported(what));
            }
            setup::append_setup(setup, game, losses);
            if chess960 {
                setup::append_chess960(setup, game);
            }
        }
        self.positions.set(&tree.steps);
        self.order.clear();
        let told = moves::append_moves(
            &self.positions,
            (Pieces::new(&start.setup()), turn(start)),
            chess960,
            game,
            &mut self.order,
        )?;
        if game.len() > GAME_BYTES_MAX {
            let what = "the bytes of a game";
            let limit = GAME_BYTES_MAX as u64;
            return Err(Error::limit(what, limit));
        }
        let length = (game.len() as u32).to_be_bytes();
        game[1..4].copy_from_slice(&length[1..]);
        match self.read_back(game) {
            Ok(()) => Ok(told),
            Err(Damage { what, .. }) => {
                let what = what.as_str();
                Err(Error::unsupported(what))
            }
        }
    }

    /// Plays the written moves, to ensure that they can be read.
    fn read_back(&mut self, game: &[u8]) -> Decoded<()> {
        Parts::new(game)?.tree(&mut self.scratch, &mut Ignore)
    }

    /// Returns the bytes for `.cba`, with 0 as the game's number.
    fn annotations(&mut self, tree: &GameTree) -> Result<Vec<u8>> {
        self.builder.clear();
        if tree.notes().is_empty() {
            return Ok(Vec::new());
        }
        let mut positions = vec![annotations::GAME; self.positions.len()];
        for (position, node) in (0..).zip(&self.order) {
            positions[node.index()] = position;
        }
        for note in tree.notes() {
            let position = positions[note.node.index()];
            match note.what {
                What::Nag(nag) => self.builder.glyph(position, nag),
                // Before the first move it is a comment at the start, as it will be read.
                What::Comment(from, to) if note.place == Place::Next && position > 0 => {
                    let text = tree.comment((from, to));
                    self.builder.comment_before(position, text);
                }
                What::Comment(from, to) => {
                    let position = match note.place {
                        Place::Next => annotations::GAME,
                        _ => position,
                    };
                    let text = tree.comment((from, to));
                    self.builder.comment_after(position, text);
                }
                What::Annotation(..) => {}
            }
        }
        if self.builder.is_empty() {
            Ok(Vec::new())
        } else {
            self.builder.finish(0)
        }
    }
}

impl EncodeTree for GameEncoder {
    type GameMeta = GameMeta;

    const RULES: Rules = Rules::CHESSBASE.with_limits(GAME_BYTES_MAX, u32::MAX as usize);

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        self.record = Draft::new(header, losses);
        self.names = Names::new(header, losses);
        self.is_top_game = false;
        self.says_chess960 = false;
    }

    fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) -> Result<()> {
        if (name, value) == ("TopGame", "1") {
            self.is_top_game = true;
        } else if name == "Variant" && Variant::of_tag(value) == Variant::Chess960 {
            self.says_chess960 = true;
        } else if !self.names.is_first(name) {
            losses.add(Loss::TagsDropped);
        } else if !self.record.tag(name, value) {
            self.names.tag(name, value, losses);
        }
        Ok(())
    }

    fn comment_losses(&self, comment: &str, losses: &mut GameLosses) {
        if text::holds_signs(comment) {
            losses.add(Loss::SignsInComments);
        }
    }

    fn encode(
        &mut self,
        tree: &mut GameTree,
        losses: &mut GameLosses,
    ) -> Result<(Vec<u8>, GameMeta)> {
        let chess960 = self.is_chess960(tree);
        if self.says_chess960 && !chess960 {
            losses.add(Loss::TagsDropped);
        }
        let mut game = Vec::new();
        let (plies, counts) = self.append_game(tree, chess960, &mut game, losses)?;
        let annotations = self.annotations(tree)?;
        let start = tree.start.as_ref();
        let content = Content::new(start.is_some(), chess960, plies, &annotations);
        let mut record = self.record;
        record.set_plies(plies, turn(tree.start()).is_black());
        record.set_content(content);
        let is_start = |setup: &Setup| start_number(setup).filter(|_| chess960);
        if let Some(number) = start.and_then(is_start) {
            record.set_chess960_start(number, losses);
        }
        let rest = GameMeta {
            record,
            names: self.names,
            annotations,
            counts,
            is_top_game: self.is_top_game,
        };
        Ok((game, rest))
    }
}

fn turn(start: Start<'_>) -> Color {
    match start {
        Start::Standard => Color::White,
        Start::Custom(setup) => setup.turn,
    }
}
