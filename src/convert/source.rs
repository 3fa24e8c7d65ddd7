//! Where the games of a new file come from.

use std::path::Path;

use rayon::prelude::*;

use super::ConvertProgress;
use crate::{
    chess::{Flow, GameId},
    database::Database,
    error::Result,
    format::{
        GameHeader, OpenOptions, Visitor,
        monty::Layout,
        pgn::{self, Input, has_pgn_name},
    },
};

/// Games that are encoded together before they are written in order.
const BATCH_GAMES: u32 = 8192;

/// Tells a visitor the game at hand.
pub(crate) type Replay<'r> = &'r dyn Fn(&mut dyn Visitor) -> Result<()>;

/// A source of games.
pub(crate) trait Games {
    /// What is noted of a game while it is read.
    type Note: Send;

    /// Returns the layout of training data; `None` for other sources.
    fn monty_layout(&self) -> Option<Layout>;

    /// Makes something of every game on all processors and delivers it in order, or why it could
    /// not be made, with what was noted.
    fn for_each<T: Send>(
        &self,
        make: impl Fn(&GameHeader, Replay<'_>) -> Result<T> + Sync,
        deliver: impl FnMut(Result<T>, Self::Note) -> Result<()>,
    ) -> Result<()>;
}

/// Calls `make` with all games of a database on all processors and delivers what it returns in
/// order.
///
/// # Errors
/// `Changed` when another program changes the database, and what `deliver` returns.
pub(crate) fn for_each_of<T: Send>(
    database: &Database,
    make: impl Fn(GameId) -> T + Sync,
    mut deliver: impl FnMut(T) -> Result<()>,
) -> Result<()> {
    let mut first = 0;
    while first < database.len() {
        database.check_unchanged()?;
        let end = database.len().min(first.saturating_add(BATCH_GAMES));
        let games = (first..end).into_par_iter().map(GameId);
        let made: Vec<T> = games.map(&make).collect();
        made.into_iter().try_for_each(&mut deliver)?;
        first = end;
    }
    database.check_unchanged()
}

/// What is converted.
pub(super) enum Opened {
    Database(Box<Database>),
    Pgn(Input),
}

impl Opened {
    /// Opens text if the name says PGN, plain or compressed; else a database.
    pub(super) fn new(
        path: &Path,
        options: &OpenOptions,
        progress: &mut dyn FnMut(ConvertProgress) -> Flow,
    ) -> Result<Opened> {
        if has_pgn_name(path) {
            return Input::open(path).map(Opened::Pgn);
        }
        let begun = ConvertProgress {
            games: 0,
            total: None,
        };
        let opened = options.open_with_progress(path, &mut |_| progress(begun))?;
        Ok(Opened::Database(Box::new(opened)))
    }

    /// Returns how many games there are, when that is known without reading them.
    pub(super) fn game_count(&self) -> Option<u64> {
        match self {
            Opened::Database(database) => Some(database.len().into()),
            Opened::Pgn(_) => None,
        }
    }
}

impl Games for Opened {
    type Note = ();

    fn monty_layout(&self) -> Option<Layout> {
        match self {
            Opened::Database(database) => database.training_layout(),
            Opened::Pgn(_) => None,
        }
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(&GameHeader, Replay<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Result<T>, ()) -> Result<()>,
    ) -> Result<()> {
        match self {
            Opened::Pgn(input) => pgn::for_each_game(
                input,
                |game| make(game.header(), &|visitor| game.replay(visitor)),
                |_place, made| deliver(made, ()),
            ),
            Opened::Database(database) => {
                let one = |game: GameId| {
                    let header = database.header(game)?;
                    let made = make(&header, &|visitor| database.visit(game, visitor));
                    // What the target cannot hold has no place yet.
                    made.map_err(|error| error.at_path(database.path()).in_game(game.number()))
                };
                for_each_of(database, one, |made| deliver(made, ()))
            }
        }
    }
}
