//! Encodes games from any reader, and counts what is lost.

use shakmaty::{Chess, Color, Move, Position};
use tabiya_chess::{Flow, GameResult, Start};

use super::{START_EXTRA, START_SCORE, flaws, head::Head, moves};
use crate::{
    EncodedGame, GameHeader, Visitor,
    error::{Error, ErrorKind, Result},
    game::Encode,
    loss::{GameLosses, Loss},
    monty::{Score, without_commands},
};

/// Encodes the events of a game in viriformat.
#[derive(Debug, Default)]
pub struct Encoder {
    result: GameResult,
    game: Option<Result<Line>>,
    /// Number of open variations.
    depth: usize,
    /// The score in the comment before the next move.
    score: Option<Score>,
    /// Score and last byte of the start, as tags say.
    start_score: i16,
    start_extra: u8,
    losses: GameLosses,
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
        self.moves.extend(moves::encode(played).to_le_bytes());
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

impl Encode for Encoder {
    type GameMeta = ();

    fn begin(&mut self, header: &GameHeader) {
        *self = Encoder {
            result: header.result,
            ..Encoder::default()
        };
        if !header.is_bare() {
            self.losses.add(Loss::HeadersDropped);
        }
    }

    fn finish(&mut self) -> Result<EncodedGame> {
        let mut line = match self.game.take() {
            Some(line) => line?,
            None => Line::new(Start::Standard, self.result, &mut self.losses)?,
        };
        line.head.extra = self.start_extra;
        line.head.score = self.start_score;
        if line.moves.is_empty() {
            let turn = line.position.turn();
            line.head.score = self.losses.centipawns(self.score.take(), turn);
        } else if self.score.take().is_some() {
            self.losses.add(Loss::LastScoresDropped);
        }
        let mut bytes = line.head.to_bytes().unwrap_or_default().to_vec();
        bytes.extend(line.moves);
        bytes.extend([0; 4]);
        Ok(EncodedGame {
            bytes,
            losses: self.losses,
            rest: (),
        })
    }
}

impl Visitor for Encoder {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        let is_kept = match name {
            // These two follow from the start position.
            "Variant" | "SetUp" => true,
            START_SCORE => value.parse().map(|score| self.start_score = score).is_ok(),
            START_EXTRA => value.parse().map(|extra| self.start_extra = extra).is_ok(),
            _ => false,
        };
        if !is_kept && self.losses.count(Loss::HeadersDropped) == 0 {
            self.losses.add(Loss::HeadersDropped);
        }
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.game = Some(Line::new(start, self.result, &mut self.losses));
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        let score = self.score.take();
        let Some(Ok(line)) = &mut self.game else {
            return Flow::Break(());
        };
        let score = self.losses.centipawns(score, line.position.turn());
        match line.play(played, score) {
            Ok(()) => Flow::Continue(()),
            Err(error) => {
                self.game = Some(Err(error));
                Flow::Break(())
            }
        }
    }

    fn nag(&mut self, _: u8) -> Flow {
        if self.depth == 0 {
            self.losses.add(Loss::NagsDropped);
        }
        Flow::Continue(())
    }

    fn void_nag(&mut self) -> Flow {
        self.nag(0)
    }

    fn comment(&mut self, text: &str) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        if let Some(score) = Score::parse(text) {
            self.score = Some(score);
        }
        if text.contains("[%visits ") {
            self.losses.add(Loss::VisitsDropped);
        }
        if !without_commands(text).is_empty() {
            self.losses.add(Loss::CommentsDropped);
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        if self.depth == 0 {
            self.losses.add(Loss::VariationsDropped);
        }
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}
