//! The program is killed while it writes, and nothing is lost.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::{Bench, parts::in_frames};
use crate::support::dice::Dice;

/// The files of a folder with their bytes.
pub(super) type Files = BTreeMap<String, Vec<u8>>;

pub(super) fn files_in(folder: &Path) -> Files {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let file = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().unwrap();
        (name, fs::read(entry.path()).unwrap())
    };
    entries.map(file).collect()
}

fn run_to_its_end(arguments: &[String]) {
    let output = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .output()
        .unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {err}");
}

/// A run of the program that changes the only database of a folder.
struct Work {
    folder: TempDir,
    index: PathBuf,
    arguments: Vec<String>,
    old: Files,
    new: Files,
    takes: Duration,
}

/// What was seen after kills.
#[derive(Debug, Default)]
struct Seen {
    kills: usize,
    /// Kills while the files got their names.
    recorded: usize,
    old: usize,
    new: usize,
    leftovers: usize,
    restarts: usize,
}

impl Work {
    /// Runs once to the end to learn what that gives and how long it takes.
    fn new(folder: TempDir, index: PathBuf, arguments: Vec<String>) -> Work {
        let old = files_in(folder.path());
        let started = Instant::now();
        run_to_its_end(&arguments);
        let takes = started.elapsed();
        let new = files_in(folder.path());
        assert!(old != new && !new.keys().any(|name| name.starts_with('.')));
        Work {
            folder,
            index,
            arguments,
            old,
            new,
            takes,
        }
    }

    /// Makes the folder as it was at first. What does not change is not touched.
    fn reset(&self) {
        for name in self.old.keys().chain(self.new.keys()) {
            let path = self.folder.path().join(name);
            match self.old.get(name) {
                same if same == self.new.get(name) => {}
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => drop(fs::remove_file(path)),
            }
        }
    }

    fn has_record(&self) -> bool {
        let stem = self.index.file_stem().unwrap().to_string_lossy();
        let record = format!(".{stem}.tabiya-commit");
        self.folder.path().join(record).exists()
    }

    /// Waits for a moment of the run: any, or one at which files get their names.
    fn wait(&self, child: &mut Child, dice: &mut Dice, for_record: bool) {
        let micros = self.takes.as_micros() as usize;
        if !for_record {
            std::thread::sleep(Duration::from_micros(dice.below(micros) as u64));
            return;
        }
        while !self.has_record() && child.try_wait().unwrap().is_none() {}
        let moment = Instant::now();
        let after = Duration::from_micros(dice.below(400) as u64);
        while moment.elapsed() < after {}
    }

    fn kill(&self, dice: &mut Dice, for_record: bool, seen: &mut Seen) {
        self.reset();
        let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(&self.arguments)
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        self.wait(&mut child, dice, for_record);
        child.kill().unwrap();
        child.wait().unwrap();
        seen.kills += 1;
        seen.recorded += usize::from(self.has_record());
        // Other programs find a whole database or none.
        if self.index.exists() {
            self.is_whole();
        }
        let leftovers = files_in(self.folder.path());
        seen.leftovers += usize::from(leftovers.keys().any(|name| name.ends_with(".tmp")));
        self.read(&leftovers);
        self.finish();
        if self.is_whole() {
            seen.new += 1;
        } else {
            seen.old += 1;
        }
        run_to_its_end(&self.arguments);
        assert!(files_in(self.folder.path()) == self.new);
        seen.restarts += 1;
    }

    /// Reads the database, or is told what finishes it; changes nothing.
    fn read(&self, before: &Files) {
        let mut info = Command::new(env!("CARGO_BIN_EXE_tabiya"));
        let output = info.arg("info").arg(&self.index).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        let is_told = self.has_record() && err.contains("`tabiya repair`");
        assert!(output.status.success() || is_told, "{err}");
        assert!(files_in(self.folder.path()) == *before);
    }

    fn finish(&self) {
        if self.has_record() {
            run_to_its_end(&["repair".to_owned(), self.index.display().to_string()]);
        }
    }

    /// Returns whether all files are new; fails if they are not all old either.
    fn is_whole(&self) -> bool {
        let mut found = files_in(self.folder.path());
        found.retain(|name, _| !name.starts_with('.'));
        assert!(found == self.old || found == self.new, "{:?}", found.keys());
        found == self.new
    }
}

/// Converts copies of the famous games to a database of fewer of them.
fn converting(suffix: &str, times: usize) -> Work {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("all").with_extension(suffix);
    let arguments = |times| {
        let mut all = vec!["fixtures/famous.si4".to_owned(); times];
        all.extend([target.display().to_string(), "--force".to_owned()]);
        [vec!["convert".to_owned()], all].concat()
    };
    run_to_its_end(&arguments(times / 2));
    let arguments = arguments(times);
    Work::new(folder, target, arguments)
}

/// Makes a sidecar anew, with columns instead of without.
fn indexing(times: usize) -> Work {
    let Work { folder, index, .. } = converting("si4", times);
    let mut arguments = vec!["index".to_owned(), index.display().to_string()];
    run_to_its_end(&arguments);
    arguments.push("--columns".to_owned());
    Work::new(folder, index, arguments)
}

/// Refreshes a sidecar after some games were appended to a complete block.
fn refreshing() -> Work {
    let Bench { directory } = Bench::new();
    let index = directory.path().join("small.si4");
    let small = fs::read(&index).unwrap();
    let (header, records) = small.split_at(182);
    let write = |games: usize| {
        let mut bytes = header.to_vec();
        bytes[14..17].copy_from_slice(&(games as u32).to_be_bytes()[1..]);
        bytes.extend(records.iter().cycle().take(games * 47));
        fs::write(&index, bytes).unwrap();
    };
    let arguments = vec!["index".to_owned(), index.display().to_string()];
    write(65_536);
    run_to_its_end(&arguments);
    write(65_536 + 10_000);
    Work::new(directory, index, arguments)
}

fn kill_often(works: &[Work], kills: usize, dice: &mut Dice) -> Seen {
    let mut seen = Seen::default();
    for (kill, work) in (0..kills).zip(works.iter().cycle()) {
        // One in three where files are named, in the formats that have a record.
        let for_record = work.new.len() > 1 && work.arguments[0] == "convert";
        work.kill(dice, for_record && kill % 3 == 0, &mut seen);
    }
    assert_eq!((seen.kills, seen.restarts), (kills, kills));
    seen
}

/// The files of databases in a folder: not what is kept beside them.
fn databases_in(folder: &Path) -> Files {
    let mut files = files_in(folder);
    files.retain(|name, _| !name.contains("tabiya"));
    files
}

/// Kills a program at a random moment while it changes a database where it lies; returns whether
/// the change was made.
fn kill_change(base: &Path, arguments: &[String], dice: &mut Dice) -> bool {
    let folder = base.parent().unwrap();
    let old = files_in(folder);
    let started = Instant::now();
    run_to_its_end(arguments);
    let takes = started.elapsed();
    let new = databases_in(folder);
    let record = folder.join(format!(".{}.tabiya-commit", name_of_stem(base)));
    for name in files_in(folder)
        .keys()
        .filter(|name| !old.contains_key(*name))
    {
        fs::remove_file(folder.join(name)).unwrap();
    }
    for (name, bytes) in &old {
        fs::write(folder.join(name), bytes).unwrap();
    }
    let mut child = Command::new(env!("CARGO_BIN_EXE_tabiya"))
        .args(arguments)
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    if dice.percent(50) {
        while !record.exists() && child.try_wait().unwrap().is_none() {}
        std::thread::sleep(Duration::from_micros(dice.below(5000) as u64));
    } else {
        let micros = takes.as_micros() as usize;
        std::thread::sleep(Duration::from_micros(dice.below(micros) as u64));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if record.exists() {
        run_to_its_end(&["repair".to_owned(), base.display().to_string()]);
    }
    let found = databases_in(folder);
    assert!(found == databases_of(&old) || found == new, "{arguments:?}");
    found == new
}

fn databases_of(files: &Files) -> Files {
    let mut files = files.clone();
    files.retain(|name, _| !name.contains("tabiya"));
    files
}

/// What the files kept beside a database begin with.
fn name_of_stem(base: &Path) -> String {
    let has_one_file = base.extension().is_some_and(|suffix| suffix == "pgn");
    let name = if has_one_file {
        base.file_name()
    } else {
        base.file_stem()
    };
    name.unwrap().to_string_lossy().into_owned()
}

/// Kills each command that changes databases in each format; returns by command how often it was
/// killed, and how often the change was made before.
fn kill_changes(rounds: usize, dice: &mut Dice) -> BTreeMap<String, (usize, usize)> {
    let mut seen: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for suffix in ["si4", "si5", "dci", "pgn", "cbh", "2cbh"] {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().join("all").with_extension(suffix);
        let name = base.display().to_string();
        let words = |words: &[&str]| words.iter().map(|&word| word.to_owned()).collect();
        let convert: Vec<String> = words(&["convert", "fixtures/famous.si4", &name]);
        run_to_its_end(&convert);
        for round in 1..=rounds {
            let (event, number) = (format!("event=Paris {round}"), format!("number:{round}"));
            let add = ["add", &name, "fixtures/famous.pgn", "fixtures/famous.pgn"];
            // There must be some that are not marked.
            run_to_its_end(&words(&add));
            let works: [Vec<String>; 4] = [
                words(&add),
                words(&["edit", &name, "player:morphy", "--set", &event]),
                words(&["remove", &name, &number]),
                words(&["dedupe", &name, "--mark"]),
            ];
            // PGN has no marks.
            let works = works.iter().take(if suffix == "pgn" { 3 } else { 4 });
            for work in works {
                let made = kill_change(&base, work, dice);
                let seen = seen.entry(work[0].clone()).or_default();
                *seen = (seen.0 + 1, seen.1 + usize::from(made));
            }
        }
    }
    seen
}

#[test]
fn a_kill_while_a_database_is_changed_loses_nothing() {
    println!("{:?}", kill_changes(2, &mut Dice::new(5)));
}

/// `cargo test --release --test it -- --ignored --nocapture fifty_kills`.
#[test]
#[ignore = "four hundred runs"]
fn fifty_kills_of_each_change_lose_nothing() {
    println!("{:?}", kill_changes(10, &mut Dice::new(6)));
}

/// Kills a program while it adds games to a database of more than a block, whose sidecar then grows
/// in place; what is left of the sidecar loses no game.
fn kill_growing(suffix: &str, kills: usize, dice: &mut Dice) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    let (many, base, few) = (
        path("many.pgn"),
        path(&format!("all.{suffix}")),
        path("few.pgn"),
    );
    let game = |moves: &str| format!("[White \"A\"]\n[Black \"B\"]\n\n{moves} *\n\n");
    fs::write(&many, game("1. e4 e5").repeat(66_000)).unwrap();
    fs::write(
        &few,
        game("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#").repeat(50),
    )
    .unwrap();
    run_to_its_end(&["convert", &many, &base].map(str::to_owned));
    fs::remove_file(&many).unwrap();
    run_to_its_end(&["index", &base].map(str::to_owned));
    let add = ["add", &base, &few].map(str::to_owned);
    for _ in 0..kills {
        kill_change(Path::new(&base), &add, dice);
        let counted = ["auto", "full"].map(|strategy| {
            let mut search = Command::new(env!("CARGO_BIN_EXE_tabiya"));
            let query = ["at(mate)", "--count", "-q", "--strategy", strategy];
            let output = search
                .arg("search")
                .arg(&base)
                .args(query)
                .output()
                .unwrap();
            String::from_utf8(output.stdout).unwrap()
        });
        assert_eq!(counted[0], counted[1]);
    }
}

#[test]
fn a_kill_while_a_sidecar_grows_in_place_loses_no_game() {
    for suffix in ["si4", "pgn"] {
        kill_growing(suffix, 3, &mut Dice::new(7));
    }
}

/// Kills the program while it indexes a long file in parts; what is left answers as the file does,
/// and the next run goes on.
fn kill_in_parts(kills: usize, dice: &mut Dice) {
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("long.pgn.zst");
    let games = "[White \"A\"]\n[Black \"B\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n";
    fs::write(&packed, in_frames(games.repeat(40_000).as_bytes(), 500_000)).unwrap();
    let path = packed.display().to_string();
    let limit = ["--unpacked-bytes-max", "20000", "-q"].map(str::to_owned);
    let index = [&["index".to_owned(), path.clone()][..], &limit].concat();
    let count = [
        &["search", &path, "mate", "--count"].map(str::to_owned)[..],
        &limit,
    ]
    .concat();
    let parts = folder.path().join("long.pgn.tabiya-parts");
    let entries = || fs::read_dir(&parts).map_or(0, Iterator::count);
    for _ in 0..kills {
        if entries() > 4 {
            fs::remove_dir_all(&parts).unwrap();
        }
        let program = env!("CARGO_BIN_EXE_tabiya");
        let mut child = Command::new(program).args(&index).spawn().unwrap();
        // With the files that are not complete yet.
        let enough = entries() + dice.below(4);
        while entries() < enough && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        let counted = Command::new(env!("CARGO_BIN_EXE_tabiya"))
            .args(&count)
            .output();
        assert_eq!(counted.unwrap().stdout, b"40000\n");
    }
    run_to_its_end(&index);
}

#[test]
fn a_kill_while_parts_are_indexed_loses_nothing() {
    kill_in_parts(6, &mut Dice::new(8));
}

const SUFFIXES: [&str; 8] = ["si4", "cbh", "2cbh", "pgn", "dci", "si5", "binpack", "vf"];

#[test]
fn a_kill_while_converting_loses_nothing() {
    let works = SUFFIXES.map(|suffix| converting(suffix, 4));
    kill_often(&works, 12, &mut Dice::new(1));
}

#[cfg_attr(
    windows,
    ignore = "the sidecar that is replaced is open, so it stays under another name for a while"
)]
#[test]
fn a_kill_while_making_or_refreshing_a_sidecar_loses_nothing() {
    kill_often(&[indexing(4), refreshing()], 10, &mut Dice::new(2));
}

/// Takes a minute with an optimised program:
/// `cargo test --release --test it -- --ignored --nocapture hundred_kills`.
#[test]
#[ignore = "two hundred runs over twenty thousand games"]
fn a_hundred_kills_of_each_command_lose_nothing() {
    let works = SUFFIXES.map(|suffix| converting(suffix, 220));
    println!("convert: {:?}", kill_often(&works, 100, &mut Dice::new(3)));
    let works = [indexing(220), refreshing()];
    println!("index: {:?}", kill_often(&works, 100, &mut Dice::new(4)));
    kill_in_parts(100, &mut Dice::new(5));
}
