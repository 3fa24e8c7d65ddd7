//! The sources of games for a new file.

use std::path::Path;

use crate::{
    chess::{Flow, GameId},
    database::Database,
    error::{Error, ErrorKind, Result},
    format::{
        GameHeader, Left, MontyLayout, OpenOptions, Visitor, in_turns,
        pgn::{self, Input, has_pgn_name},
        task_items,
    },
    progress::Progress,
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

/// Calls `make` with all games of a database on all processors, and `deliver` with the results in
/// order. Also calls `deliver` with `None` at intervals, however long a game takes, so that it can
/// end the work.
///
/// # Errors
/// `Changed` if another program changes the database, and those of `deliver`.
pub(crate) fn for_each_of<T: Send>(
    database: &Database,
    make: impl Fn(GameId) -> T + Sync,
    mut deliver: impl FnMut(Option<T>) -> Result<()>,
) -> Result<()> {
    database.check_unchanged()?;
    let games = database.len();
    let task_games = task_items(games as usize, TASK_GAMES);
    let tasks = (0..games).step_by(task_games).map(|first| {
        let end = games.min(first.saturating_add(task_games as u32));
        ((end, Vec::new()), (end - first) as usize)
    });
    let work = |(end, made): &mut (u32, Vec<T>), left: &mut Left| {
        for game in *end - left.len() as u32..*end {
            made.push(make(GameId(game)));
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

/// An opened source.
pub(super) enum Opened {
    Database(Box<Database>),
    Pgn(Input),
}

impl Opened {
    /// Opens PGN, plain or compressed, by its file name; otherwise a database.
    pub(super) fn new(
        path: &Path,
        options: &OpenOptions,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Opened> {
        if options.is_standard_input(path) {
            let bytes = Source::from_vec(pgn::standard_input()?);
            return Input::of_file(path, bytes).map(Opened::Pgn);
        }
        if has_pgn_name(path) {
            return Input::open(path).map(Opened::Pgn);
        }
        let begun = Progress {
            done: 0,
            total: None,
        };
        let opened = options.open(path, |_| progress(begun))?;
        Ok(Opened::Database(Box::new(opened)))
    }

    /// Returns the number of games, if it is known without reading them.
    pub(super) fn game_count(&self) -> Option<u64> {
        match self {
            Opened::Database(database) => Some(database.len().into()),
            Opened::Pgn(_) => None,
        }
    }
}

impl Games for Opened {
    type Note = ();

    fn monty_layout(&self) -> Option<MontyLayout> {
        match self {
            Opened::Database(database) => database.training_layout(),
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
            Opened::Database(database) => {
                let one = |game: GameId| {
                    refuse_text(database, game)?;
                    let header = database.header(game)?;
                    let made = make(&header, &|visitor| database.visit(game, visitor));
                    // Errors from encoding have no location yet.
                    made.map_err(|error| error.at_path(database.path()).in_game(game.number()))
                };
                for_each_of(database, one, |made| deliver(made.map(|made| (made, ()))))
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
