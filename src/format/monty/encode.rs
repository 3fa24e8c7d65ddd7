//! Encodes games from any reader as training data, and counts what is lost.

use std::{
    io::{BufWriter, Write},
    path::Path,
};

use shakmaty::{Move, Setup};

use super::{
    GameWriter, Layout, Score,
    score::{parse_visits, without_commands},
};
use crate::{
    chess::{Flow, GameResult, Start},
    error::{Error, ErrorKind, Result},
    format::{
        Ask, GameHeader, Overwrite, Target, Temporary, Visitor,
        game::Encode,
        loss::{GameLosses, LossKind, Losses},
    },
};

/// Something that training data cannot store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Names, dates, ratings or other tags of a game were dropped.
    HeadersDropped,
    /// A comment, or its text besides a score, was dropped.
    CommentsDropped,
    /// A NAG was dropped.
    NagsDropped,
    /// A variation was dropped with its contents.
    VariationsDropped,
    /// A move without a score was given that of an even game.
    ScoresAssumed,
    /// A score of the other kind, centipawns or expectation, was converted and rounded.
    ScoresRounded,
    /// The visits of a move were dropped.
    VisitsDropped,
    /// The half-move clock or move number of a start position does not fit.
    ClocksDropped,
}

impl LossKind for Loss {
    const ALL: &'static [Loss] = &[
        Loss::HeadersDropped,
        Loss::CommentsDropped,
        Loss::NagsDropped,
        Loss::VariationsDropped,
        Loss::ScoresAssumed,
        Loss::ScoresRounded,
        Loss::VisitsDropped,
        Loss::ClocksDropped,
    ];

    fn index(self) -> usize {
        self as usize
    }

    fn as_str(self) -> &'static str {
        match self {
            Loss::HeadersDropped => "games without the names, dates and tags that they had",
            Loss::CommentsDropped => "comments dropped",
            Loss::NagsDropped => "NAGs dropped",
            Loss::VariationsDropped => "variations dropped",
            Loss::ScoresAssumed => "moves without a score given that of an even game",
            Loss::ScoresRounded => "scores rounded to those of this layout",
            Loss::VisitsDropped => "moves without the visits that they had",
            Loss::ClocksDropped => "start positions without their clock or the number of the move",
        }
    }
}

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
    losses: GameLosses<Loss>,
}

/// An encoded game, ready to be appended.
#[derive(Debug)]
pub struct EncodedGame {
    bytes: Vec<u8>,
    losses: GameLosses<Loss>,
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

impl GameLosses<Loss> {
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
    type Encoded = EncodedGame;

    fn lost(game: &EncodedGame) -> Option<&'static str> {
        game.losses.first()
    }

    fn begin(&mut self, header: &GameHeader) {
        let unnamed = |name: &String| matches!(name.as_str(), "" | "?");
        let names = [
            &header.event,
            &header.site,
            &header.round,
            &header.white,
            &header.black,
        ];
        *self = Encoder {
            result: header.result,
            ..Encoder::with_layout(self.layout)
        };
        let is_bare = names.into_iter().all(unnamed)
            && header.date.is_unknown()
            && header.event_date.is_unknown()
            && header.white_rating.is_none()
            && header.black_rating.is_none()
            && header.eco.is_none()
            && header.marks == 0;
        if !is_bare {
            self.losses.add(Loss::HeadersDropped);
        }
    }

    fn finish(&mut self) -> Result<EncodedGame> {
        let unstarted = || GameWriter::new(self.layout, Start::Standard, self.result);
        let game = self.game.take().unwrap_or_else(unstarted)?;
        Ok(EncodedGame {
            bytes: game.finish(),
            losses: self.losses,
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
            None => Err(Error::new(ErrorKind::Unsupported {
                what: "a null move in Monty data",
            })),
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

/// Writes a new file of training data. Nothing appears under its name until
/// [`finish`](Writer::finish) has succeeded.
#[derive(Debug)]
pub struct Writer {
    file: BufWriter<Temporary>,
    target: Target,
    games: u32,
    losses: Losses<Loss>,
}

impl Writer {
    /// Creates a writer; the file is written next to its destination under a temporary name.
    ///
    /// # Errors
    /// `Io` if the file exists and must not be replaced, or if no file can be created.
    pub fn create(path: &Path, overwrite: Overwrite) -> Result<Writer> {
        let target = Target::for_file(path, overwrite)?;
        Ok(Writer {
            file: BufWriter::new(target.temporary()?),
            target,
            games: 0,
            losses: Losses::default(),
        })
    }

    /// Appends a game.
    ///
    /// # Errors
    /// `Io`; the writer cannot be used afterwards.
    pub fn append(&mut self, game: &EncodedGame) -> Result<()> {
        let failed = |cause| Error::io("write", &self.target.index(), cause);
        self.file.write_all(&game.bytes).map_err(failed)?;
        self.games = self.games.saturating_add(1);
        self.losses.add(self.games, &game.losses);
        Ok(())
    }

    /// Writes everything to disk, renames the file to its final name and returns the losses.
    ///
    /// # Errors
    /// `Io`; the file does not exist then.
    pub fn finish(self) -> Result<Losses<Loss>> {
        self.finish_asking(&mut || Flow::Continue(()))
    }

    /// As [`finish`](Writer::finish), unless `ask` cancels it.
    pub(crate) fn finish_asking(self, ask: Ask<'_>) -> Result<Losses<Loss>> {
        let failed = |cause| Error::io("write", &self.target.index(), cause);
        let file = self
            .file
            .into_inner()
            .map_err(|error| failed(error.into_error()))?;
        self.target.publish(vec![(file, "")], ask)?;
        Ok(self.losses)
    }
}
