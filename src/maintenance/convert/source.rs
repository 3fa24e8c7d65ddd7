//! The sources of games for a new file.

use std::path::Path;

use super::ConvertOptions;
use crate::{
    chess::{Flow, GameId},
    database::Database,
    error::{Error, ErrorKind, Result},
    format::{
        GameHeader, Left, MontyLayout, Visitor, in_turns,
        pgn::{self, Input, has_pgn_name},
        task_items,
    },
    progress::Progress,
    query::Query,
    search::{Report, Search},
    source::Source,
};

/// Games that one thread encodes at a time.
const TASK_GAMES: usize = 256;
/// Concurrent tasks. Their results wait to be written in order.
const TASKS: usize = 16;

/// Replays the present game to a visitor.
pub(crate) type Replay<'r> = &'r dyn Fn(&mut dyn Visitor) -> Result<()>;

/// A source of games.
pub(crate) trait Games {
    /// Data recorded about a game while it is read.
    type Note: Send;

    /// Returns the layout of training data; `None` for other sources.
    fn monty_layout(&self) -> Option<MontyLayout>;

    /// Calls `make` for every game on all processors and `deliver` with the results in order, each
    /// with its note. Also calls `deliver` with `None` at intervals, so that it can end the work.
    fn for_each<T: Send>(
        &self,
        make: impl Fn(&GameHeader, Replay<'_>) -> Result<T> + Sync,
        deliver: impl FnMut(Option<(Result<T>, Self::Note)>) -> Result<()>,
    ) -> Result<()>;
}

/// Calls `make` with the given games of a database, or all, on all processors, and `deliver` with
/// the results in order. Also calls `deliver` with `None` at intervals, however long a game takes,
/// so that it can end the work.
///
/// # Errors
/// `Changed` if another program changes the database, and those of `deliver`.
pub(crate) fn for_each_of<T: Send>(
    database: &Database,
    chosen: Option<&[GameId]>,
    make: impl Fn(GameId) -> T + Sync,
    mut deliver: impl FnMut(Option<T>) -> Result<()>,
) -> Result<()> {
    database.check_unchanged()?;
    let games = chosen.map_or(database.len(), |chosen| chosen.len() as u32);
    let task_games = task_items(games as usize, TASK_GAMES);
    let tasks = (0..games).step_by(task_games).map(|first| {
        let end = games.min(first.saturating_add(task_games as u32));
        ((end, Vec::new()), (end - first) as usize)
    });
    let work = |(end, made): &mut (u32, Vec<T>), left: &mut Left| {
        for place in *end - left.len() as u32..*end {
            let game = chosen.map_or(GameId(place), |chosen| chosen[place as usize]);
            made.push(make(game));
            if left.pass(1).is_break() {
                break;
            }
        }
    };
    let deliver = |(_, made): &mut (u32, Vec<T>), _| {
        made.drain(..).try_for_each(|made| deliver(Some(made)))?;
        database.check_unchanged()?;
        deliver(None)
    };
    in_turns(tasks, TASKS, work, deliver, &mut |_| Flow::Continue(()))
}

/// Rejects a ChessBase text, which no written format can store.
///
/// # Errors
/// `WouldLose`, and those of [`Database::header`].
pub(crate) fn refuse_text(database: &Database, game: GameId) -> Result<()> {
    if database.is_game(game)? {
        return Ok(());
    }
    let what = "guiding texts left out";
    let lost = Error::new(ErrorKind::WouldLose { what });
    Err(lost.at_path(database.path()).in_game(game.number()))
}

/// Which games are written.
#[derive(Debug, Clone)]
pub(super) struct Choice {
    pub(super) query: Query,
    pub(super) in_variations: bool,
}

impl Choice {
    /// Returns the games of a database that match, in order.
    fn of(
        &self,
        database: &Database,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Chosen> {
        let mut games = Vec::new();
        let search = Search::new(&self.query).variations(self.in_variations);
        let report = search.for_all_games(database, |game| games.push(game), progress)?;
        Ok(Chosen { games, report })
    }
}

/// The games of a database that match, and what the search could not read.
pub(super) struct Chosen {
    games: Vec<GameId>,
    pub(super) report: Report,
}

/// An opened source.
pub(super) enum Opened {
    /// With the games to write; `None` for all.
    Database(Box<Database>, Option<Chosen>),
    Pgn(Input),
}

impl Opened {
    /// Opens PGN, plain or compressed, by its file name, unless games must be chosen; otherwise a
    /// database.
    pub(super) fn new(
        path: &Path,
        options: &ConvertOptions,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Opened> {
        let (opening, choice) = (&options.opening, options.choice.as_ref());
        if choice.is_none() && opening.is_standard_input(path) {
            let bytes = Source::from_vec(pgn::standard_input()?);
            return Input::of_file(path, bytes).map(Opened::Pgn);
        }
        if choice.is_none() && has_pgn_name(path) {
            return Input::open(path).map(Opened::Pgn);
        }
        let begun = Progress {
            done: 0,
            total: None,
        };
        let mut begin = |_| progress(begun);
        let opened = opening.open(path, &mut begin)?;
        let chosen = choice.map(|choice| choice.of(&opened, &mut begin));
        Ok(Opened::Database(Box::new(opened), chosen.transpose()?))
    }

    /// Returns the number of games, if it is known without reading them.
    pub(super) fn game_count(&self) -> Option<u64> {
        match self {
            Opened::Database(database, None) => Some(database.len().into()),
            Opened::Database(_, Some(chosen)) => Some(chosen.games.len() as u64),
            Opened::Pgn(_) => None,
        }
    }

    /// Returns which games were chosen.
    pub(super) fn chosen(&self) -> Option<&Chosen> {
        match self {
            Opened::Database(_, chosen) => chosen.as_ref(),
            Opened::Pgn(_) => None,
        }
    }
}

impl Games for Opened {
    type Note = ();

    fn monty_layout(&self) -> Option<MontyLayout> {
        match self {
            Opened::Database(database, _) => database.training_layout(),
            Opened::Pgn(_) => None,
        }
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(&GameHeader, Replay<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Option<(Result<T>, ())>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Opened::Pgn(input) => pgn::for_each_game(
                input,
                |game| make(game.header(), &|visitor| game.replay(visitor)),
                |_place, made| deliver(Some((made, ()))),
            ),
            Opened::Database(database, chosen) => {
                let one = |game: GameId| {
                    refuse_text(database, game)?;
                    let header = database.header(game)?;
                    let made = make(&header, &|visitor| database.visit(game, visitor));
                    // Errors from encoding have no location yet.
                    made.map_err(|error| error.at_path(database.path()).in_game(game.number()))
                };
                let deliver = |made: Option<_>| deliver(made.map(|made| (made, ())));
                let games = chosen.as_ref().map(|chosen| &*chosen.games);
                for_each_of(database, games, one, deliver)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{go_on, slow::ends_soon};

    #[test]
    fn a_conversion_ends_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        ends_soon(0, |games, ask| {
            let mut made = Vec::new();
            let done = for_each_of(
                &database,
                None,
                |game| {
                    games.look();
                    game
                },
                |game| match game {
                    None => go_on(ask),
                    game => {
                        made.extend(game);
                        Ok(())
                    }
                },
            );
            assert!(made.iter().copied().eq((0..).map(GameId).take(made.len())));
            assert!(done.is_err() || made.len() == 91);
        });
    }
}
