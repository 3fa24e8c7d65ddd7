//! Encodes games from any reader, and counts what is lost.

use shakmaty::{Chess, Color, Move, Position};
use tabiya_chess::{GameResult, Start};

use super::{START_EXTRA, START_SCORE, codes, flaws, header::Head};
use crate::{
    GameHeader,
    error::{Error, ErrorKind, Result},
    loss::{GameLosses, Loss},
    monty::{Score, without_commands},
    tree::{Collector, EncodeTree, GameTree, Node, Note, Rules, Step, What},
};

/// Encodes games in viriformat: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

/// Encodes collected games in viriformat.
#[derive(Debug, Default)]
pub struct GameEncoder {
    result: GameResult,
    /// The score in the comment before the next move.
    score: Option<Score>,
    /// Score and last byte of the start, as tags say.
    start_score: i16,
    start_extra: u8,
}

/// The moves of a game.
#[derive(Debug)]
struct Line {
    head: Head,
    position: Chess,
    moves: Vec<u8>,
}

impl Line {
    fn new(start: Start<'_>, result: GameResult, losses: &mut GameLosses) -> Result<Line> {
        if result == GameResult::Unknown {
            return Err(Error::unsupported("a game without a result in viriformat"));
        }
        let given = Head {
            setup: start.setup(),
            score: 0,
            result,
            extra: 0,
        };
        // What is written must be read again.
        let written = given.to_bytes().ok_or(flaws::UNKNOWN_MEN);
        let head = written.and_then(|bytes| Head::read(&bytes));
        let made = head.and_then(|head| Ok((head.position()?, head)));
        let unsupported = |_| Error::unsupported("this start position in viriformat");
        let (position, head) = made.map_err(unsupported)?;
        let clocks = |head: &Head| (head.setup.halfmoves, head.setup.fullmoves);
        if clocks(&head) != clocks(&given) {
            losses.add(Loss::ClocksDropped);
        }
        if head.setup.castling_rights != given.setup.castling_rights {
            losses.add(Loss::CastlingRightsDropped);
        }
        Ok(Line {
            head,
            position,
            moves: Vec::new(),
        })
    }

    fn play(&mut self, played: Option<Move>, score: i16) -> Result<()> {
        let played = played.ok_or(Error::unsupported("a null move in viriformat"))?;
        if !self.position.is_legal(played) {
            return Err(Error::new(ErrorKind::IllegalMove(played.to_string())));
        }
        self.moves.extend(codes::encode(played).to_le_bytes());
        self.moves.extend(score.to_le_bytes());
        self.position.play_unchecked(played);
        Ok(())
    }
}

impl GameLosses {
    /// Returns the centipawns of a position, and counts what is lost of its score.
    fn centipawns(&mut self, score: Option<Score>, turn: Color) -> i16 {
        match score {
            None => {
                self.add(Loss::ScoresAssumed);
                0
            }
            Some(Score::Centipawns(score)) => score,
            Some(score) => {
                self.add(Loss::ScoresRounded);
                score.centipawns(turn)
            }
        }
    }
}

impl GameEncoder {
    /// Reads the scores in comments.
    fn hear(&mut self, notes: &[Note], tree: &GameTree, losses: &mut GameLosses) {
        for note in notes {
            let What::Comment(from, to) = note.what else {
                continue;
            };
            let text = tree.comment((from, to));
            self.score = Score::parse(text).or(self.score);
            if text.contains("[%visits ") {
                losses.add(Loss::VisitsDropped);
            }
            if !without_commands(text).is_empty() {
                losses.add(Loss::CommentsDropped);
            }
        }
    }
}

impl EncodeTree for GameEncoder {
    type GameMeta = ();

    const RULES: Rules = Rules::TRAINING;

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        *self = GameEncoder {
            result: header.result,
            ..GameEncoder::default()
        };
        if !header.is_bare() {
            losses.add(Loss::HeadersDropped);
        }
    }

    fn tag(&mut self, name: &str, value: &str, losses: &mut GameLosses) -> Result<()> {
        let is_kept = match name {
            // These two follow from the start position.
            "Variant" | "SetUp" => true,
            START_SCORE => value.parse().map(|score| self.start_score = score).is_ok(),
            START_EXTRA => value.parse().map(|extra| self.start_extra = extra).is_ok(),
            _ => false,
        };
        if !is_kept && losses.count(Loss::HeadersDropped) == 0 {
            losses.add(Loss::HeadersDropped);
        }
        Ok(())
    }

    fn encode(&mut self, tree: &mut GameTree, losses: &mut GameLosses) -> Result<(Vec<u8>, ())> {
        let mut line = Line::new(tree.start(), self.result, losses)?;
        let mut notes = tree.notes_by_node();
        self.hear(notes.of(Node::START, tree), tree, losses);
        for (node, step) in (1..).map(Node).zip(&tree.steps) {
            if let Step::Move(played) = *step {
                let score = losses.centipawns(self.score.take(), line.position.turn());
                line.play(played, score)?;
            }
            self.hear(notes.of(node, tree), tree, losses);
        }
        line.head.extra = self.start_extra;
        line.head.score = self.start_score;
        if line.moves.is_empty() {
            let turn = line.position.turn();
            line.head.score = losses.centipawns(self.score.take(), turn);
        } else if self.score.take().is_some() {
            losses.add(Loss::LastScoresDropped);
        }
        let mut bytes = line.head.to_bytes().unwrap_or_default().to_vec();
        bytes.extend(line.moves);
        bytes.extend([0; 4]);
        Ok((bytes, ()))
    }
}
