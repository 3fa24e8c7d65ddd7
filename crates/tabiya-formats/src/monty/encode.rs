//! Encodes games from any reader as training data, and counts what is lost.

use shakmaty::{Move, Setup};
use tabiya_chess::{Flow, GameResult, Start};

use super::{
    GameWriter, Layout, Score,
    score::{parse_visits, without_commands},
};
use crate::{
    EncodedGame, GameHeader, Visitor,
    error::{Error, Result},
    game::Encode,
    loss::{GameLosses, Loss},
};

/// The score of a position without a stored score.
const EVEN: Score = Score::Expectation(u16::MAX / 2);

/// Encodes the events of a game as training data.
#[derive(Debug, Default)]
pub struct Encoder {
    layout: Layout,
    result: GameResult,
    game: Option<Result<GameWriter>>,
    /// Number of open variations.
    depth: usize,
    /// The score in the comment before the next move.
    score: Option<Score>,
    visits: Vec<u8>,
    losses: GameLosses,
}

impl Encoder {
    /// Creates an encoder for a layout.
    #[must_use]
    pub fn with_layout(layout: Layout) -> Encoder {
        Encoder {
            layout,
            ..Encoder::default()
        }
    }

    fn holds_clocks(&self, setup: &Setup) -> bool {
        let number = setup.fullmoves.get();
        let holds_number = match self.layout {
            Layout::Policy | Layout::Value => u16::try_from(number).is_ok(),
            Layout::OldValue => number == 1,
        };
        holds_number && u8::try_from(setup.halfmoves).is_ok()
    }
}

impl GameLosses {
    /// Counts score and visit losses of one ply.
    fn add_of_ply(&mut self, layout: Layout, score: Option<Score>, visits: &[(Move, u8)]) {
        match (score, layout) {
            (None, _) => self.add(Loss::ScoresAssumed),
            (Some(Score::Expectation(_)), Layout::Policy)
            | (Some(Score::Centipawns(_)), Layout::Value | Layout::OldValue) => {}
            (Some(_), _) => self.add(Loss::ScoresRounded),
        }
        if layout != Layout::Policy && !visits.is_empty() {
            self.add(Loss::VisitsDropped);
        }
    }
}

impl Encode for Encoder {
    type GameMeta = ();

    fn begin(&mut self, header: &GameHeader) {
        *self = Encoder {
            result: header.result,
            ..Encoder::with_layout(self.layout)
        };
        if !header.is_bare() {
            self.losses.add(Loss::HeadersDropped);
        }
    }

    fn finish(&mut self) -> Result<EncodedGame> {
        let unstarted = || GameWriter::new(self.layout, Start::Standard, self.result);
        let game = self.game.take().unwrap_or_else(unstarted)?;
        if self.score.take().is_some() {
            self.losses.add(Loss::LastScoresDropped);
        }
        Ok(EncodedGame {
            bytes: game.finish(),
            losses: self.losses,
            rest: (),
        })
    }
}

impl Visitor for Encoder {
    fn tag(&mut self, name: &str, _: &str) -> Flow {
        // These two tags follow from the start position.
        if !matches!(name, "Variant" | "SetUp") && self.losses.count(Loss::HeadersDropped) == 0 {
            self.losses.add(Loss::HeadersDropped);
        }
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start
            && !self.holds_clocks(setup)
        {
            self.losses.add(Loss::ClocksDropped);
        }
        self.game = Some(GameWriter::new(self.layout, start, self.result));
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        let Some(Ok(game)) = &mut self.game else {
            return Flow::Break(());
        };
        let (score, visits) = (self.score.take(), std::mem::take(&mut self.visits));
        let visits = game.named(&visits);
        self.losses.add_of_ply(self.layout, score, &visits);
        let score = score.unwrap_or(EVEN);
        let written = match played {
            Some(played) => game.play(played, score, &visits),
            None => Err(Error::unsupported("a null move in Monty data")),
        };
        match written {
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
            self.visits = parse_visits(text);
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
