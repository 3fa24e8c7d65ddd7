//! Random changes of a database, compared with the same changes of a list of games in memory.
//!
//! `TABIYA_EDIT_CASES` makes a run longer, `TABIYA_AGREE_SEED` another one, and
//! `TABIYA_EDIT_FORMAT=cbh` one of a single format.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    ConvertOptions, Database, Edit, Error, ErrorKind, GameId, OpenOptions, Progress, Query, Search,
    SidecarOptions, add,
    chess::{NameKind, PartialDate},
    convert,
    format::Overwrite,
    purge, undo,
};
use tempfile::TempDir;

use crate::{
    agree::number_from,
    support::{dice::Dice, game::PlainGame, pool::written_as_pgn},
};

const SUFFIXES: [&str; 6] = ["si4", "si5", "dci", "pgn", "cbh", "2cbh"];
/// Changes of one database.
const CASES: u64 = 25;
const DELETED: u32 = 1 << 3;

/// The files of a database by name.
type Files = BTreeMap<String, Vec<u8>>;

/// What is done to each game that a query finds.
type GameChange = Box<dyn Fn(&mut PlainGame)>;

/// A database, and what it should hold.
struct Base {
    folder: TempDir,
    suffix: &'static str,
    dice: Dice,
    games: Vec<PlainGame>,
    /// The games and the files before the last change, if it can be taken back.
    before: Option<(Vec<PlainGame>, Files)>,
}

fn read(path: &Path) -> Vec<PlainGame> {
    let database = OpenOptions::new().sidecar(false).open(path).unwrap();
    let games = (0..database.len()).map(GameId);
    games
        .map(|game| PlainGame::read(&database, game).unwrap())
        .collect()
}

impl Base {
    fn new(suffix: &'static str, seed: u64) -> Base {
        let folder = tempfile::tempdir().unwrap();
        let mut base = Base {
            folder,
            suffix,
            dice: Dice::new(seed),
            games: Vec::new(),
            before: None,
        };
        let source = base.new_games(12);
        convert(&[source], &base.path(), Overwrite::Refuse, Progress::ignore).unwrap();
        base.games = read(&base.path());
        let database = Database::open(base.path()).unwrap();
        SidecarOptions::new().build(&database).unwrap();
        base
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("base").with_extension(self.suffix)
    }

    /// Returns the path of new games as this format holds them.
    fn new_games(&mut self, count: u32) -> PathBuf {
        let folder = self.folder.path().join("new");
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).unwrap();
        let pgn = written_as_pgn(&folder, self.dice.number(), count);
        let target = folder.join("told").with_extension(self.suffix);
        convert(&[pgn], &target, Overwrite::Refuse, Progress::ignore).unwrap();
        target
    }

    /// The files of the database, without the sidecar and what is kept for undoing.
    fn files(&self) -> Files {
        let entries = fs::read_dir(self.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap());
        let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
        let file = |entry: fs::DirEntry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        };
        let is_of_base = |(name, _): &(String, _)| !name.contains("tabiya");
        files.map(file).filter(is_of_base).collect()
    }

    fn change(&mut self) {
        let (games, files) = (self.games.clone(), self.files());
        let (what, changed) = match self.dice.below(7) {
            0 | 1 => ("add", self.add()),
            2 | 3 => ("edit", self.edit()),
            4 => ("rename", self.rename()),
            5 => ("purge", self.purge()),
            _ => return self.undo(),
        };
        let what = format!("{what} in {}", self.suffix);
        match changed {
            Ok(0) => assert!(files == self.files(), "{what}"),
            Ok(_) => self.before = Some((games, files)),
            Err(error) => {
                assert!(
                    matches!(error.kind(), ErrorKind::WouldLose { .. }),
                    "{what}: {error}"
                );
                self.games = games;
                assert!(files == self.files(), "{what}");
            }
        }
        self.check(&what);
    }

    fn add(&mut self) -> Result<u64, Error> {
        let count = self.dice.between(1, 4) as u32;
        let source = self.new_games(count);
        let games = read(&source);
        self.games.extend(games);
        let added = add(
            &[source],
            &self.path(),
            ConvertOptions::new(),
            Progress::ignore,
        )?;
        Ok(added.games)
    }

    /// Changes the games of one player with White.
    fn edit(&mut self) -> Result<u64, Error> {
        let Some(game) = (!self.games.is_empty()).then(|| self.dice.pick(&self.games).clone())
        else {
            return Ok(0);
        };
        let query = query_of(&game);
        let mut edit = Edit::new();
        let mut changes: Vec<GameChange> = Vec::new();
        let name = format!("Player{}, A", self.dice.below(5));
        if self.dice.percent(50) {
            edit = edit.set("Black", &name).unwrap();
            changes.push(Box::new(move |game| game.header.black.clone_from(&name)));
        }
        if self.dice.percent(50) {
            let date = format!("{}.05.??", self.dice.between(1900, 2000));
            edit = edit.set("date", &date).unwrap();
            let date: PartialDate = date.parse().unwrap();
            changes.push(Box::new(move |game| game.header.date = date));
        }
        let is_set = self.dice.percent(70);
        edit = edit.flag("deleted", is_set).unwrap();
        changes.push(Box::new(move |game| {
            game.header.marks = game.header.marks & !DELETED | u32::from(is_set) << 3;
        }));
        let search = Search::new(&query);
        let database = Database::open(self.path()).unwrap();
        for hit in &search.run(&database).unwrap() {
            let game = &mut self.games[hit.game.0 as usize];
            changes.iter().for_each(|change| change(game));
        }
        drop(database);
        let edited = edit.run(&self.path(), Some(&search), Progress::ignore)?;
        Ok(edited.games)
    }

    fn rename(&mut self) -> Result<u64, Error> {
        if self.games.is_empty() {
            return Ok(0);
        }
        let from = self.dice.pick(&self.games).header.black.clone();
        let to = format!("Player{}, B", self.dice.below(3));
        for game in &mut self.games {
            for name in [&mut game.header.white, &mut game.header.black] {
                if *name == from {
                    name.clone_from(&to);
                }
            }
        }
        let edit = Edit::new().rename(NameKind::Player, &from, &to);
        Ok(edit.run(&self.path(), None, Progress::ignore)?.games)
    }

    fn purge(&mut self) -> Result<u64, Error> {
        self.games.retain(|game| game.header.marks & DELETED == 0);
        let deleted: Query = "flag:deleted".parse().unwrap();
        Ok(purge(&self.path(), &Search::new(&deleted), Progress::ignore)?.games)
    }

    fn undo(&mut self) {
        let undone = undo(&self.path(), Progress::ignore).unwrap();
        assert_eq!(undone, self.before.is_some());
        if let Some((games, files)) = self.before.take() {
            self.games = games;
            assert!(self.files() == files, "undo in {}", self.suffix);
        }
        self.check(&format!("undo in {}", self.suffix));
    }

    /// The database holds the games of the list, is sound, and its sidecar tells the same.
    fn check(&self, what: &str) {
        let found = read(&self.path());
        assert_eq!(found.len(), self.games.len(), "{what}");
        for (number, (found, game)) in (1..).zip(found.iter().zip(&self.games)) {
            assert_eq!(found, game, "{what}: game {number}");
        }
        let database = Database::open(self.path()).unwrap();
        assert!(
            database.sidecar().is_some(),
            "{what}: {:?}",
            database.notes()
        );
        let verified = database.verify().unwrap();
        assert_eq!(verified.damaged, 0, "{what}: {:?}", verified.damaged_games);
        let alone = OpenOptions::new().sidecar(false).open(self.path()).unwrap();
        for query in [
            "at(check)",
            "at(Q=0 q=0)",
            "flag:deleted",
            "player:\"Player1, A\"",
        ] {
            let query: Query = query.parse().unwrap();
            let games = |database: &Database| {
                let found = Search::new(&query).run(database).unwrap();
                found.iter().map(|hit| hit.game).collect::<Vec<_>>()
            };
            assert_eq!(games(&database), games(&alone), "{what}: {query}");
        }
    }
}

/// A query for the games in which this player has White.
fn query_of(game: &PlainGame) -> Query {
    let name = game.header.white.replace('"', "");
    format!("white=\"{name}\"").parse().unwrap()
}

#[test]
fn changes_of_a_database_are_those_of_a_list_of_games() {
    let cases = number_from("TABIYA_EDIT_CASES").unwrap_or(CASES);
    let seed = number_from("TABIYA_AGREE_SEED").unwrap_or(1);
    let only = std::env::var("TABIYA_EDIT_FORMAT").ok();
    let is_wanted = |suffix: &str| only.as_ref().is_none_or(|only| only == suffix);
    for (salt, suffix) in (0..).zip(SUFFIXES).filter(|(_, suffix)| is_wanted(suffix)) {
        let mut base = Base::new(suffix, seed * 100 + salt);
        for _ in 0..cases {
            base.change();
        }
    }
}

/// A mark before the first move kept commands in the comment after it as words, once.
#[test]
fn a_comment_after_a_mark_at_the_start_stays_when_converted_again() {
    stays_when_converted_again(
        "$130 {at the start [%eval 1.90][%emt 0:00:25]} \
         1. c4 ({first} $1 {then [%eval 0.10]} 1. d4) *",
    );
}

/// Two places of marks were exchanged whenever three marks needed two annotations.
#[test]
fn marks_of_a_move_stay_when_converted_again() {
    stays_when_converted_again(
        "1. e4 $16 $10 $1 e5 $145 $226 (1... c5 $36 $37 $38 $39 $1 $2 $140 $141 {why} $3 $11) \
         2. Nf3 $226 $145 $14 $1 $5 $140 $36 $22 ($142 $13 2. f4 $1 $132 $2) *",
    );
    let many: Vec<String> = (0..40)
        .map(|at| format!("${}", [36, 1, 140, 3][at % 4]))
        .collect();
    stays_when_converted_again(&format!("1. e4 {} $1 $2 $3 *", many.join(" ")));
}

/// Moves that a format has once are the same in the next database of that format.
fn stays_when_converted_again(moves: &str) {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("source.pgn");
    fs::write(&pgn, format!("[White \"A\"]\n[Result \"*\"]\n\n{moves}\n")).unwrap();
    for suffix in SUFFIXES {
        let paths = ["once", "again"].map(|name| folder.path().join(name).with_extension(suffix));
        let [once, again] = &paths;
        let convert = |from: &Path, to: &Path| {
            convert(&[from.to_owned()], to, Overwrite::Refuse, Progress::ignore).unwrap();
        };
        convert(&pgn, once);
        convert(once, again);
        assert_eq!(read(once), read(again), "{suffix}");
    }
}
