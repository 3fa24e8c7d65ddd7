//! The sources of games for a new file.

use std::{cell::RefCell, path::Path};

use tabiya_chess::{Flow, GameId};
use tabiya_formats::{
    GameDamage, GameHeader, MontyLayout, Remaining, Visitor,
    error::{Error, ErrorKind, Result},
    pgn::{self, BytesRead, Input, has_pgn_name},
    progress::Progress,
    run_ordered, salvage,
    source::Source,
    task_items,
};

use super::ConvertOptions;
use crate::{
    database::{Database, PgnParts},
    filter::GameSet,
    search::{Report, Search},
};

/// Games that one thread encodes at a time.
const TASK_GAMES: usize = 256;
/// Concurrent tasks. Their results wait to be written in order.
const TASKS: usize = 16;

/// Replays what is sound of the present game to a visitor, and returns its damage.
pub(crate) type Replay<'r> = &'r dyn Fn(&mut dyn Visitor) -> Result<Option<GameDamage>>;

/// A game of a source.
#[derive(Clone, Copy)]
pub(crate) struct Found<'g> {
    pub(crate) header: &'g GameHeader,
    /// Whether it is a guiding text.
    pub(crate) is_text: bool,
    pub(crate) replay: Replay<'g>,
}

/// What a source of games delivers.
pub(crate) enum Delivered<T, N> {
    /// What was made of a game, with its note.
    Game(Result<T>, N),
    /// What the search for the games that follow has found out about the others.
    Searched(Report),
    /// Nothing, at intervals, so that the work can be ended.
    Pause,
}

/// A source of games.
pub(crate) trait Games {
    /// Data recorded about a game while it is read.
    type Note: Send;

    /// Returns the number of the game of the target in whose place a game is written; `None` for
    /// one that is appended.
    fn place(note: &Self::Note) -> Option<u32> {
        let _ = note;
        None
    }

    /// Returns the layout of training data; `None` for other sources.
    #[cfg_attr(
        not(feature = "training"),
        allow(dead_code, reason = "for training data")
    )]
    fn monty_layout(&self) -> Option<MontyLayout>;

    /// Calls `make` for every game on all processors and `deliver` with the results in order.
    fn for_each<T: Send>(
        &self,
        make: impl Fn(Found<'_>) -> Result<T> + Sync,
        deliver: impl FnMut(Delivered<T, Self::Note>) -> Result<()>,
    ) -> Result<()>;
}

/// Calls `make` with games of a database on all processors, and `deliver` with the results in
/// order. Also calls `deliver` with `None` at intervals, however long a game takes, so that it can
/// end the work.
///
/// # Errors
/// `Changed` if another program changes the database, and those of `deliver`.
pub(crate) fn for_each_of<T: Send>(
    database: &Database,
    games: &GameSet,
    make: impl Fn(GameId) -> T + Sync,
    deliver: impl FnMut(Option<T>) -> Result<()>,
) -> Result<()> {
    let count = games.len() as usize;
    let check = || database.check_unchanged();
    in_order(games.iter(), count, check, make, deliver)
}

/// The same for any list of `count` games. `check` says whether their databases are unchanged.
fn in_order<I: Copy + Send + Sync, T: Send>(
    mut games: impl Iterator<Item = I> + Send,
    count: usize,
    check: impl Fn() -> Result<()>,
    make: impl Fn(I) -> T + Sync,
    mut deliver: impl FnMut(Option<T>) -> Result<()>,
) -> Result<()> {
    check()?;
    let task_games = task_items(count, TASK_GAMES);
    let tasks = std::iter::from_fn(|| {
        let games: Vec<I> = games.by_ref().take(task_games).collect();
        let count = games.len();
        (count > 0).then_some(((games, Vec::new()), count))
    });
    let work = |(games, made): &mut (Vec<I>, Vec<T>), left: &mut Remaining| {
        for &game in &games[games.len() - left.count()..] {
            made.push(make(game));
            if left.done(1).is_break() {
                break;
            }
        }
    };
    let deliver = |(_, made): &mut (Vec<I>, Vec<T>), _| {
        made.drain(..).try_for_each(|made| deliver(Some(made)))?;
        check()?;
        deliver(None)
    };
    run_ordered(tasks, TASKS, work, deliver, &mut |_| Flow::Continue(()))
}

/// Calls `make` with a game. Its errors have no location yet, and get one.
fn make_one<T>(
    database: &Database,
    game: GameId,
    make: &impl Fn(Found<'_>) -> Result<T>,
) -> Result<T> {
    let found = Found {
        header: &database.header(game)?,
        is_text: !database.is_game(game)?,
        replay: &|visitor| database.visit_sound(game, visitor),
    };
    make(found).map_err(|error| {
        let number = database.number(game);
        error.at_path(database.path()).in_game(number)
    })
}

/// Returns the databases of games.
pub(super) fn databases_of<'d>(games: &[(&'d Database, GameId)]) -> Vec<&'d Database> {
    let mut databases: Vec<&Database> = Vec::new();
    for &(database, _) in games {
        if !databases.iter().any(|known| std::ptr::eq(*known, database)) {
            databases.push(database);
        }
    }
    databases
}

/// Games of open databases, in any order.
pub(super) struct Picked<'g>(pub(super) &'g [(&'g Database, GameId)]);

impl Games for Picked<'_> {
    type Note = ();

    fn monty_layout(&self) -> Option<MontyLayout> {
        let layouts = self.0.iter();
        layouts
            .filter_map(|(database, _)| database.training_layout())
            .next()
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(Found<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Delivered<T, ()>) -> Result<()>,
    ) -> Result<()> {
        let databases = databases_of(self.0);
        let check = || {
            databases
                .iter()
                .try_for_each(|database| database.check_unchanged())
        };
        let one = |(database, game)| make_one(database, game, &make);
        let games = self.0.iter().copied();
        in_order(games, self.0.len(), check, one, |made| match made {
            None => deliver(Delivered::Pause),
            Some(made) => deliver(Delivered::Game(made, ())),
        })
    }
}

/// An opened source.
pub(super) enum Opened<'s> {
    Database(Box<Database>, Option<&'s Search<'static>>),
    /// PGN that is searched and too long to be opened whole.
    Parts(Box<RefCell<PgnParts>>, BytesRead, &'s Search<'static>),
    Pgn(Input),
}

impl Opened<'_> {
    /// Opens PGN, plain or compressed, by its file name, unless it must be searched; otherwise a
    /// database.
    pub(super) fn new<'s>(
        path: &'s Path,
        options: &'s ConvertOptions,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Opened<'s>> {
        let (mut options, search) = (options.opening.clone(), options.search.as_ref());
        if let Some(search) = search {
            // Read as a database below.
            options = options.for_query(search.query());
        } else if options.settings().is_standard_input(path) {
            let bytes = Source::from_vec(pgn::standard_input()?);
            return Input::of_file(path, bytes, options.settings().encoding).map(Opened::Pgn);
        } else if has_pgn_name(path) {
            let bytes = Source::map(path)?;
            return Input::of_file(path, bytes, options.settings().encoding).map(Opened::Pgn);
        }
        let begun = Progress::new(0, None, None);
        match (options.on_progress(|_| progress(begun)).open(path), search) {
            (Ok(opened), _) => match damage_of_pgn(&opened) {
                Some(damage) => Err(damage.clone()),
                None => Ok(Opened::Database(Box::new(opened), search)),
            },
            (Err(error), Some(search)) if error.is_limit() && has_pgn_name(path) => {
                let parts = options.parts(path)?;
                let read = parts.bytes_read();
                Ok(Opened::Parts(Box::new(RefCell::new(parts)), read, search))
            }
            (Err(error), _) => Err(error),
        }
    }

    /// Returns how many bytes of PGN have been read, if it is read to its end.
    pub(super) fn bytes_read(&self) -> Option<BytesRead> {
        match self {
            Opened::Database(..) => None,
            Opened::Parts(_, read, _) => Some(read.clone()),
            Opened::Pgn(input) => Some(input.bytes_read()),
        }
    }

    /// Returns the database, unless it is PGN that is read game by game.
    pub(super) fn database(&self) -> Option<&Database> {
        match self {
            Opened::Database(database, _) => Some(database),
            Opened::Parts(..) | Opened::Pgn(_) => None,
        }
    }

    /// Returns the number of games, if it is known without reading them.
    pub(super) fn game_count(&self) -> Option<u64> {
        match self {
            Opened::Database(database, None) => Some(database.len().into()),
            Opened::Database(_, Some(_)) | Opened::Parts(..) | Opened::Pgn(_) => None,
        }
    }
}

/// Returns the damage of compressed PGN that hides games.
fn damage_of_pgn(database: &Database) -> Option<&Error> {
    let hides = |note: &&Error| matches!(note.kind(), ErrorKind::Io { .. });
    let mut notes = database
        .notes()
        .iter()
        .filter(|_| database.kind().is_text());
    notes.find(hides)
}

/// Calls `work` with a callback that ends it when `pause` fails.
fn pausing<T>(
    pause: &mut dyn FnMut() -> Result<()>,
    work: impl FnOnce(&mut dyn FnMut(Progress) -> Flow) -> Result<T>,
) -> Result<T> {
    let mut ended = Ok(());
    let done = work(&mut |_| match pause() {
        Ok(()) => Flow::Continue(()),
        Err(error) => {
            ended = Err(error);
            Flow::Break(())
        }
    });
    ended.and(done)
}

/// Does the work of [`Games::for_each`] for the games of a database that a search finds.
fn for_each_found<T: Send>(
    database: &Database,
    search: Option<&Search<'_>>,
    make: &(impl Fn(Found<'_>) -> Result<T> + Sync),
    deliver: &mut impl FnMut(Delivered<T, ()>) -> Result<()>,
) -> Result<()> {
    let games = match search {
        None => GameSet::all(database.len()),
        Some(search) => {
            let mut games = GameSet::default();
            let report = pausing(&mut || deliver(Delivered::Pause), |progress| {
                let search = search.clone().limit(u64::MAX);
                search.for_all_games(database, |game| games.add_last([game.0]), progress)
            })?;
            deliver(Delivered::Searched(report))?;
            games
        }
    };
    let one = |game: GameId| make_one(database, game, make);
    for_each_of(database, &games, one, |made| match made {
        None => deliver(Delivered::Pause),
        Some(made) => deliver(Delivered::Game(made, ())),
    })
}

impl Games for Opened<'_> {
    type Note = ();

    fn monty_layout(&self) -> Option<MontyLayout> {
        match self {
            Opened::Database(database, _) => database.training_layout(),
            Opened::Parts(..) | Opened::Pgn(_) => None,
        }
    }

    fn for_each<T: Send>(
        &self,
        make: impl Fn(Found<'_>) -> Result<T> + Sync,
        mut deliver: impl FnMut(Delivered<T, ()>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Opened::Pgn(input) => pgn::for_each_or_pause(
                input,
                |game| {
                    make(Found {
                        header: game.header(),
                        is_text: false,
                        replay: &|visitor| salvage::tell_pgn(game, visitor),
                    })
                },
                |made| match made {
                    None => deliver(Delivered::Pause),
                    Some((_, made)) => deliver(Delivered::Game(made, ())),
                },
            ),
            Opened::Database(database, search) => {
                for_each_found(database, *search, &make, &mut deliver)
            }
            Opened::Parts(parts, _, search) => {
                let mut parts = parts.borrow_mut();
                while let Some(part) = pausing(&mut || deliver(Delivered::Pause), |progress| {
                    parts.on_progress(progress).next_part()
                })? {
                    for_each_found(&part, Some(*search), &make, &mut deliver)?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_formats::check_interrupt;

    use crate::slow::ends_soon;

    #[test]
    fn a_conversion_ends_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        ends_soon(0, |games, ask| {
            let mut made = Vec::new();
            let done = for_each_of(
                &database,
                &GameSet::all(91),
                |game| {
                    games.look();
                    game
                },
                |game| match game {
                    None => check_interrupt(ask),
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
