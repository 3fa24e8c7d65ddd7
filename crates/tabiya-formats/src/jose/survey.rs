//! Surveys all games of a database in parallel.

use rayon::prelude::*;
use tabiya_chess::Start;

use super::opened::{Halves, Tables};
use crate::{
    GameHeader, Report, Visitor,
    error::{Error, Result},
    indexed::{Builder, Index, Survey},
    progress::Progress,
};

/// Number of games surveyed together.
const BATCH_GAMES: usize = 4096;
/// Number of games surveyed by one thread at a time.
const TASK_GAMES: usize = 64;

impl Tables {
    /// Surveys the games in their order.
    ///
    /// # Errors
    /// `LimitExceeded`; `Interrupted` after a `Break` from `progress`.
    pub(super) fn survey(&self, games: &[Halves], progress: Report<'_>) -> Result<Index> {
        let mut builder = Builder::default();
        for (batch, batch_games) in games.chunks(BATCH_GAMES).enumerate() {
            let parts: Vec<Result<Builder>> = batch_games
                .par_chunks(TASK_GAMES)
                .map(|games| self.survey_part(games))
                .collect();
            parts
                .into_iter()
                .try_for_each(|part| builder.append(part?))?;
            let done = batch * BATCH_GAMES + batch_games.len();
            let total = self.more().file().bytes.len() as u64;
            // All rows are assumed to take about the same number of bytes.
            let done = total / games.len() as u64 * done as u64;
            if progress(Progress::of(done, total)).is_break() {
                return Err(Error::interrupted());
            }
        }
        Ok(builder.finish())
    }

    fn survey_part(&self, games: &[Halves]) -> Result<Builder> {
        let mut builder = Builder::default();
        for &halves in games {
            self.add(halves, &mut builder)?;
        }
        Ok(builder)
    }

    fn add(&self, halves: Halves, builder: &mut Builder) -> Result<()> {
        let place = (halves.more, self.more().length(halves.more));
        let mut survey = Survey::new();
        let Ok(more) = self.more().row(halves.more) else {
            return builder.push(&GameHeader::default(), place, &mut survey, false);
        };
        let round = self.more_columns.round(&more, self.names.charset);
        let header = match self.games.row(halves.head) {
            Ok(head) => self.head_columns.header(&head, round, &self.names),
            Err(_) => GameHeader {
                round,
                ..GameHeader::default()
            },
        };
        let mut tell = |name: &str, value: &str| survey.tag(name, value).is_break();
        if let Ok(head) = self.games.row(halves.head) {
            self.head_columns.tags(&head, &self.names, &mut tell);
        }
        let start = self.start(halves.head, &more);
        let is_read = start.and_then(|setup| {
            let start = setup.as_ref().map_or(Start::Standard, Start::Custom);
            self.stream(&more).visit(start, &mut survey)
        });
        builder.push(&header, place, &mut survey, is_read.is_ok())
    }
}
