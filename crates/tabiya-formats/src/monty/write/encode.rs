//! Encodes games from any reader as training data, and counts what is lost.

use shakmaty::{Move, Setup};
use tabiya_chess::GameResult;

use super::{
    super::{
        Layout, Score,
        score::{parse_visits, without_commands},
    },
    GameWriter,
};
use crate::{
    GameHeader,
    error::{Error, Result},
    loss::{GameLosses, Loss},
    tree::{Collector, EncodeTree, GameTree, Node, Note, Rules, Step, What},
};

/// The score of a position without a stored score.
const EVEN: Score = Score::Expectation(u16::MAX / 2);

/// Encodes games as training data: [`Encode`](crate::Encode).
pub type Encoder = Collector<GameEncoder>;

impl Encoder {
    /// Creates an encoder for a layout.
    #[must_use]
    pub fn with_layout(layout: Layout) -> Encoder {
        Collector::over(GameEncoder {
            layout,
            ..GameEncoder::default()
        })
    }
}

/// Encodes collected games as training data.
#[derive(Debug, Default)]
pub struct GameEncoder {
    layout: Layout,
    result: GameResult,
    /// The score in the comment before the next move.
    score: Option<Score>,
    visits: Vec<u8>,
}

impl GameEncoder {
    fn holds_clocks(&self, setup: &Setup) -> bool {
        let number = setup.fullmoves.get();
        let holds_number = match self.layout {
            Layout::Policy | Layout::Value => u16::try_from(number).is_ok(),
            Layout::OldValue => number == 1,
        };
        holds_number && u8::try_from(setup.halfmoves).is_ok()
    }

    fn play(
        &mut self,
        played: Option<Move>,
        game: &mut GameWriter,
        losses: &mut GameLosses,
    ) -> Result<()> {
        let (score, visits) = (self.score.take(), std::mem::take(&mut self.visits));
        let visits = game.named(&visits);
        losses.add_of_ply(self.layout, score, &visits);
        let played = played.ok_or(Error::unsupported("a null move in Monty data"))?;
        game.play(played, score.unwrap_or(EVEN), &visits)
    }

    /// Reads the scores in comments.
    fn hear(&mut self, notes: &[Note], tree: &GameTree, losses: &mut GameLosses) {
        for note in notes {
            let What::Comment(from, to) = note.what else {
                continue;
            };
            let text = tree.comment((from, to));
            if let Some(score) = Score::parse(text) {
                self.score = Some(score);
                self.visits = parse_visits(text);
            }
            if !without_commands(text).is_empty() {
                losses.add(Loss::CommentsDropped);
            }
        }
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

impl EncodeTree for GameEncoder {
    type GameMeta = ();

    const RULES: Rules = Rules::TRAINING;

    fn begin(&mut self, header: &GameHeader, losses: &mut GameLosses) {
        self.result = header.result;
        self.score = None;
        self.visits.clear();
        if !header.is_bare() {
            losses.add(Loss::HeadersDropped);
        }
    }

    fn tag(&mut self, name: &str, _: &str, losses: &mut GameLosses) -> Result<()> {
        // These two tags follow from the start position.
        if !matches!(name, "Variant" | "SetUp") && losses.count(Loss::HeadersDropped) == 0 {
            losses.add(Loss::HeadersDropped);
        }
        Ok(())
    }

    fn encode(&mut self, tree: &mut GameTree, losses: &mut GameLosses) -> Result<(Vec<u8>, ())> {
        if let Some(setup) = &tree.start
            && !self.holds_clocks(setup)
        {
            losses.add(Loss::ClocksDropped);
        }
        let mut game = GameWriter::new(self.layout, tree.start(), self.result)?;
        let mut notes = tree.notes_by_node();
        self.hear(notes.of(Node::START, tree), tree, losses);
        for (node, step) in (1..).map(Node).zip(&tree.steps) {
            if let Step::Move(played) = *step {
                self.play(played, &mut game, losses)?;
            }
            self.hear(notes.of(node, tree), tree, losses);
        }
        if self.score.take().is_some() {
            losses.add(Loss::LastScoresDropped);
        }
        Ok((game.finish(), ()))
    }
}
