//! How a query is run, in all commands that run one.

use std::{path::Path, time::Duration};

use clap::{Args, ValueEnum};
use tabiya::{Database, Hint, Query, Search, Strategy, chess::NameKind, query::TextField};

use super::{databases, interrupt, output};

/// Greatest number of hints for one query.
const HINTS_MAX: usize = 3;

/// How a query is run, in all commands that run one.
#[derive(Debug, Clone, Args)]
pub(crate) struct RunArgs {
    /// Look for positions in variations too
    #[arg(long)]
    pub(crate) variations: bool,

    /// Use the index as far as it goes, or decode every game; both find the same games
    #[arg(long, value_enum, default_value_t = StrategyName::Auto)]
    strategy: StrategyName,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StrategyName {
    Auto,
    Full,
}

impl RunArgs {
    /// Creates the search for the options.
    pub(crate) fn search<'q>(&self, query: &'q Query) -> Search<'q> {
        Search::new(query)
            .variations(self.variations)
            .strategy(self.strategy())
    }

    /// Returns the strategy of the options.
    pub(crate) fn strategy(&self) -> Strategy {
        match self.strategy {
            StrategyName::Auto => Strategy::Auto,
            StrategyName::Full => Strategy::FullDecode,
        }
    }
}

/// Returns the summary of work on games: how many there are, were decoded and match.
pub(crate) fn summary([games, decoded, matched]: [u64; 3], time: Duration) -> String {
    let (games, seconds) = (output::games(games), time.as_secs_f64());
    format!("{games}, {decoded} decoded, {matched} matched, {seconds:.3} s")
}

/// Returns the field by which queries ask for names.
pub(crate) fn field(kind: NameKind) -> TextField {
    match kind {
        NameKind::Player => TextField::Player,
        NameKind::Event => TextField::Event,
        NameKind::Site => TextField::Site,
        NameKind::Round => TextField::Round,
    }
}

/// Prints hints for a query by which a command has found nothing to change in a database; see
/// [`hint`].
pub(crate) fn hint_of(query: &Query, base: &Path) -> anyhow::Result<()> {
    if output::is_quiet() {
        return Ok(());
    }
    let options = databases::options().clone().for_query(&Query::All);
    hint(query, std::iter::once(&options.open(base)?))
}

/// Prints what was probably meant by words that a query looks for in names, and if it has `found`
/// nothing, the hints of [`hint`].
pub(crate) fn advise<'d>(
    query: &Query,
    found: bool,
    databases: impl Iterator<Item = &'d Database>,
) -> anyhow::Result<()> {
    for advice in query.advice().iter().take(HINTS_MAX) {
        output::complain(&output::one_line(&format!("tabiya: {advice}")));
    }
    if found {
        Ok(())
    } else {
        hint(query, databases)
    }
}

/// Prints hints for a query without matches: which of its texts are in no name of any database, and
/// what would match.
pub(crate) fn hint<'d>(
    query: &Query,
    databases: impl Iterator<Item = &'d Database>,
) -> anyhow::Result<()> {
    let mut all = Vec::new();
    for database in databases {
        interrupt::check()?;
        let hints = Search::new(query)
            .on_progress(|_| interrupt::flow())
            .hints(database)?;
        all.push(hints);
    }
    for hint in Hint::of_all(all).iter().take(HINTS_MAX) {
        output::complain(&output::one_line(&format!("tabiya: {hint}")));
    }
    Ok(())
}
