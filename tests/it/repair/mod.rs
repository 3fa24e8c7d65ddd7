//! From databases damaged in 1 % of their bytes every game comes over whose own record and own
//! bytes are not damaged, with all its moves, in order; and the rest is accounted for.

mod archives;
mod damage;
mod files;
mod formats;
mod sound;
mod words;

use std::{
    fs,
    ops::{ControlFlow, Range},
    path::{Path, PathBuf},
};

use shakmaty::Move;
use tabiya::{
    Database, ErrorKind, GameId, GameLoss, Repair, RepairOptions, RepairedGame, format::Overwrite,
    repair,
};
use tempfile::TempDir;

use self::damage::Harm;
use crate::support::{
    dice::Dice,
    game::{Event, PlainGame},
};

#[test]
fn repairing_tells_its_progress_while_it_opens_the_source() {
    let folder = tempfile::tempdir().unwrap();
    let (source, target) = (
        Path::new("fixtures/famous.pgn"),
        folder.path().join("new.si4"),
    );
    let mut first = None;
    let stopped = repair(
        source,
        &target,
        Overwrite::Refuse,
        |_| ControlFlow::Continue(()),
        |at| {
            first.get_or_insert(at.total);
            ControlFlow::Break(())
        },
    );
    let error = stopped.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
    // Bytes, not games.
    assert_eq!(first, Some(Some(fs::metadata(source).unwrap().len())));
    assert!(!target.exists());
}

/// A game's moves with its variations, for comparing.
type Moves = Vec<Step>;

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Play(Option<Move>),
    Begin,
    End,
}

fn moves_of(game: &PlainGame) -> Moves {
    let step = |event: &Event| match event {
        Event::Play(played) => Some(Step::Play(*played)),
        Event::Begin => Some(Step::Begin),
        Event::End => Some(Step::End),
        Event::Nag(_) | Event::Comment(_) => None,
    };
    game.events.iter().filter_map(step).collect()
}

/// Where the bytes of a game lie that must be whole: file and place.
type Place = (PathBuf, Range<u64>);

/// A database before it is damaged.
struct Whole {
    index: PathBuf,
    /// All files that are damaged.
    files: Vec<PathBuf>,
    moves: Vec<Moves>,
    places: Vec<Vec<Place>>,
}

impl Whole {
    /// Takes a sound database. `record` tells where the record of a game lies in the index;
    /// `None` where there are none.
    fn new(index: &Path, record: impl Fn(u64) -> Option<Range<u64>>) -> Whole {
        let database = Database::open(index).unwrap();
        let files: Vec<PathBuf> = database.files().into_iter().map(|file| file.0).collect();
        let suffixes = ["cbg", "2cbg", "sg4", "sg5", "dcg", "MYD"];
        let holds_games = |path: &&PathBuf| {
            let suffix = path.extension().unwrap_or_default();
            suffixes.iter().any(|known| suffix == *known)
        };
        // Of two tables the second holds the moves.
        let games = files.iter().rev().find(holds_games).unwrap_or(&files[0]);
        let (mut moves, mut places) = (Vec::new(), Vec::new());
        for id in database.games() {
            // A sound database may hold a game that cannot be read.
            let Ok(game) = PlainGame::read(&database, id) else {
                continue;
            };
            moves.push(moves_of(&game));
            let facts = database.facts(id).unwrap();
            let end = facts.offset_bytes + u64::from(facts.length_bytes);
            let blob = (games.clone(), facts.offset_bytes..end);
            let record = record(u64::from(id.0)).map(|place| (files[0].clone(), place));
            places.push(record.into_iter().chain([blob]).collect());
        }
        Whole {
            index: index.to_owned(),
            files,
            moves,
            places,
        }
    }

    /// Keeps games for which the promise holds.
    fn retain(&mut self, holds: impl Fn(&Moves, &[Place]) -> bool) {
        let games = self.moves.drain(..).zip(self.places.drain(..));
        let kept = games.filter(|(moves, places)| holds(moves, places));
        (self.moves, self.places) = kept.collect();
    }

    /// Returns which games are not touched by harm.
    fn untouched(&self, harm: &Harm) -> Vec<usize> {
        let is_whole = |places: &&Vec<Place>| {
            let is_hit = |(file, place): &Place| harm.hits(file, place);
            !places.iter().any(is_hit)
        };
        let games = self.places.iter().enumerate();
        games
            .filter(|(_, places)| is_whole(places))
            .map(|(game, _)| game)
            .collect()
    }
}

/// What a repair gave.
struct Repaired {
    repair: Repair,
    losses: Vec<RepairedGame>,
    moves: Vec<Moves>,
}

/// Repairs a database and reads what came out.
fn repaired(source: &Path, target: &Path) -> Repaired {
    let mut losses = Vec::new();
    let repair = repair(
        source,
        target,
        RepairOptions::from(Overwrite::Replace),
        |game| {
            losses.push(game.clone());
            ControlFlow::Continue(())
        },
        |_| ControlFlow::Continue(()),
    );
    let repair = repair.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    let database = Database::open(target).unwrap();
    let read = |id| PlainGame::read(&database, GameId(id));
    let moves =
        (0..database.len()).map(|id| read(id).map_or_else(|_| Vec::new(), |game| moves_of(&game)));
    Repaired {
        repair,
        losses,
        moves: moves.collect(),
    }
}

impl Repaired {
    /// Checks that all games are accounted for, each once and in order.
    fn adds_up(&self) {
        let Repair {
            games,
            sound,
            harmed,
            lost,
            texts,
            ..
        } = self.repair;
        assert_eq!(games, sound + harmed + lost);
        assert_eq!(self.moves.len() as u64, sound + harmed);
        assert_eq!(self.losses.len() as u64, harmed + lost + texts);
        assert!(self.losses.is_sorted_by_key(|game| game.number));
        for game in &self.losses {
            let is_lost = matches!(game.losses[..], [GameLoss::Game(_)]);
            assert_eq!(game.new_number.is_none(), is_lost, "{game}");
        }
    }

    /// Returns the number that a game of the source has in the new database, from 0.
    fn new_place(&self, game: usize) -> Option<usize> {
        let number = game as u32 + 1;
        let told = self.losses.iter().find(|told| told.number == number);
        match told {
            Some(told) => told.new_number.map(|new| new as usize - 1),
            None => {
                let lost = |told: &&RepairedGame| told.new_number.is_none() && told.number < number;
                Some(game - self.losses.iter().filter(lost).count())
            }
        }
    }
}

/// A folder with a database that is damaged again and again.
struct Patient {
    folder: TempDir,
    whole: Whole,
    bytes: Vec<(PathBuf, Vec<u8>)>,
}

impl Patient {
    fn new(folder: TempDir, whole: Whole) -> Patient {
        let read = |path: &PathBuf| (path.clone(), fs::read(path).unwrap());
        let bytes = whole.files.iter().map(read).collect();
        Patient {
            folder,
            whole,
            bytes,
        }
    }

    /// Damages the files as they were at first.
    fn harm(&self, make: impl Fn(&mut Dice, &mut [u8]), dice: &mut Dice) -> Harm {
        let mut harm = Harm::default();
        for (path, sound) in &self.bytes {
            let mut damaged = sound.clone();
            make(dice, &mut damaged);
            harm.note(path, sound, &damaged);
            fs::write(path, damaged).unwrap();
        }
        harm
    }

    /// Damages and repairs; every untouched game must have come over. `numbered` tells that
    /// games keep their numbers whatever is damaged. Returns how many were untouched and how
    /// many came over.
    fn recovers(&self, harm: &Harm, target: &str, numbered: bool) -> (usize, u64) {
        let repaired = repaired(&self.whole.index, &self.folder.path().join(target));
        repaired.adds_up();
        let untouched = self.whole.untouched(harm);
        if numbered {
            let all = repaired.repair.games + repaired.repair.texts;
            assert_eq!(all, self.whole.moves.len() as u64);
            for &game in &untouched {
                let place = repaired.new_place(game);
                let place = place.unwrap_or_else(|| {
                    let told = repaired
                        .losses
                        .iter()
                        .find(|told| told.number as usize == game + 1);
                    panic!("{}", told.unwrap())
                });
                assert_eq!(
                    repaired.moves[place],
                    self.whole.moves[game],
                    "game {}",
                    game + 1
                );
            }
        }
        let mut from = 0;
        for &game in &untouched {
            let moves = &self.whole.moves[game];
            let at = repaired.moves[from..]
                .iter()
                .position(|found| found == moves);
            let at = at.unwrap_or_else(|| panic!("{target}: game {} is lost", game + 1));
            from += at + 1;
        }
        (
            untouched.len(),
            repaired.repair.sound + repaired.repair.harmed,
        )
    }
}
