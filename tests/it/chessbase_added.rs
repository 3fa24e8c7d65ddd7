//! Games that are added to databases of ChessBase where they lie: the files are those that writing
//! all games at once gives, and what ChessBase wrote stays as it was.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    Conversion, ConvertOptions, Database, Error, Progress, add, convert, format::Overwrite, undo,
};
use tabiya_formats::{
    Encode,
    chessbase::{v1, v2},
};

use crate::support::{dice::Dice, game::PlainGame, pool::random_game, shared};

type Files = BTreeMap<String, Vec<u8>>;

fn converted(sources: &[PathBuf], target: &Path) -> Conversion {
    convert(sources, target, Overwrite::Refuse, Progress::ignore).unwrap()
}

fn added(sources: &[PathBuf], base: &Path) -> Result<Conversion, Error> {
    add(sources, base, ConvertOptions::new(), Progress::ignore)
}

fn fixture(name: &str) -> PathBuf {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
    fixtures.join(name)
}

/// The files of a database, by their suffixes.
fn files(base: &Path) -> Files {
    let folder = base.parent().unwrap().read_dir().unwrap();
    let paths = folder.map(|entry| entry.unwrap().path());
    let own = paths.filter(|path| path.is_file() && path.file_stem() == base.file_stem());
    own.map(|path| {
        let suffix = path.extension().unwrap().to_str().unwrap().to_owned();
        (suffix, fs::read(path).unwrap())
    })
    .filter(|(suffix, _)| suffix != "tabiya-undo")
    .collect()
}

fn games(base: &Path) -> Vec<PlainGame> {
    let database = Database::open(base).unwrap();
    let games = database.games();
    games
        .map(|game| PlainGame::read(&database, game).unwrap_or_default())
        .collect()
}

/// What `verify` says against a database.
fn faults(base: &Path) -> Vec<String> {
    let database = Database::open(base).unwrap();
    let verified = match database.verify() {
        Ok(verified) => verified,
        Err(error) => return vec![error.to_string()],
    };
    let faults = verified.damaged_games.iter().chain(&verified.notes);
    let faults = faults.chain(database.notes());
    faults.map(ToString::to_string).collect()
}

/// Writes random games with all that the format holds.
fn random(target: &Path, seed: u64, games: usize) {
    let mut dice = Dice::new(seed);
    macro_rules! write {
        ($version:ident) => {{
            let mut writer = $version::Writer::create(target, (), Overwrite::Refuse).unwrap();
            let mut encoder = $version::Encoder::new();
            for _ in 0..games {
                let game = random_game(&mut dice);
                encoder.begin(&game.header);
                assert!(game.tell(&mut encoder).is_continue());
                writer.append(&encoder.finish().unwrap()).unwrap();
            }
            writer.finish().unwrap();
        }};
    }
    match target.extension().unwrap().to_str() {
        Some("cbh") => write!(v1),
        _ => write!(v2),
    }
}

/// Databases whose games are added one after the other.
fn sources(folder: &Path, suffix: &str) -> Vec<PathBuf> {
    let random_at = |name: &str, seed, games| {
        let path = folder.join(name).with_extension(suffix);
        random(&path, seed, games);
        path
    };
    let mut sources = vec![
        random_at("first", 1, 60),
        fixture("famous.pgn"),
        random_at("second", 2, 200),
        fixture("famous.cbh"),
        random_at("third", 3, 1),
    ];
    sources.extend(shared::path("data/scid4/annotated/annotated.si4"));
    sources.extend(shared::path("data/chessbase/hedgehog/Hedgehog.cbh"));
    sources.extend(shared::path("data/scid4/edge/edge.si4"));
    sources
}

/// Adds the databases one after the other, to an empty one and to that of the first; `compare` gets
/// the files, and those with all games at once.
fn grown(suffix: &str, compare: impl Fn(&Path, &Path)) {
    let folder = tempfile::tempdir().unwrap();
    let sources = sources(folder.path(), suffix);
    let path = |name: &str| folder.path().join(name).with_extension(suffix);
    random(&path("none"), 0, 0);
    converted(&sources[..1], &path("one"));
    for (number, source) in (1..).zip(&sources) {
        let whole = path(&format!("whole{number}"));
        converted(&sources[..number], &whole);
        for base in ["none", "one"] {
            let base = path(base);
            if number > 1 || base.ends_with(format!("none.{suffix}")) {
                let before = files(&base);
                added(std::slice::from_ref(source), &base).unwrap();
                let after = files(&base);
                assert!(undo(&base, Progress::ignore).unwrap());
                assert!(files(&base) == before, "{source:?}");
                added(std::slice::from_ref(source), &base).unwrap();
                assert!(files(&base) == after, "{source:?}");
            }
            compare(&base, &whole);
            assert_eq!(faults(&base), Vec::<String>::new());
        }
    }
    assert!(games(&path("none")) == games(&path(&format!("whole{}", sources.len()))));
}

#[test]
fn a_grown_2cbh_is_what_all_games_at_once_give() {
    grown("2cbh", |base, whole| {
        let (found, expected) = (files(base), files(whole));
        assert!(found.keys().eq(expected.keys()));
        for (suffix, bytes) in &found {
            assert!(*bytes == expected[suffix], "{suffix} of {base:?}");
        }
    });
}

/// The names of ChessBase's files: suffix, bytes of the fields, of a record.
const NAMES: [(&str, usize); 5] = [
    ("cbp", 50),
    ("cbt", 82),
    ("cbc", 45),
    ("cbs", 51),
    ("cbe", 55),
];
const NODE_BYTES: usize = 9;
const UNUSED: i32 = -999;

fn i32_at(bytes: &[u8], at: usize) -> i32 {
    i32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

/// A file of names.
struct Names<'b> {
    suffix: &'static str,
    bytes: &'b [u8],
    begin: usize,
    stride: usize,
}

impl<'b> Names<'b> {
    fn all(files: &'b Files) -> Vec<Names<'b>> {
        let names = NAMES.map(|(suffix, fields)| Names {
            suffix,
            bytes: &files[suffix],
            begin: 28 + i32_at(&files[suffix], 24) as usize,
            stride: NODE_BYTES + fields + 8,
        });
        names.into()
    }

    fn records(&self) -> Vec<&'b [u8]> {
        self.bytes[self.begin..].chunks(self.stride).collect()
    }

    /// What names are sorted by.
    fn key(&self, record: &[u8]) -> Vec<i64> {
        let text = |at: usize, width: usize, is_signed: bool| {
            let field = &record[NODE_BYTES + at..][..width];
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(width);
            let bytes = field[..end].iter().map(move |&byte| {
                if is_signed {
                    i64::from(byte as i8)
                } else {
                    i64::from(byte)
                }
            });
            bytes.chain([0]).collect::<Vec<i64>>()
        };
        let int = |at: usize| i64::from(i32_at(record, NODE_BYTES + at));
        match self.suffix {
            "cbp" => [text(0, 30, false), text(30, 20, false)].concat(),
            "cbt" => {
                let date = int(70);
                let titles = [text(0, 40, true), text(40, 30, true)].concat();
                [vec![-(date >> 9)], titles, vec![-date]].concat()
            }
            "cbc" => text(0, 45, true),
            "cbs" => text(0, 25, false),
            _ => {
                let byte = |at: usize| i64::from(record[NODE_BYTES + at]);
                let rest = vec![int(45), -byte(49), int(50), byte(54)];
                [text(0, 45, false), rest].concat()
            }
        }
    }

    /// Checks a part of the tree; returns its height and appends its records in order.
    fn walk(&self, id: i32, order: &mut Vec<usize>) -> i32 {
        if id == -1 {
            return 0;
        }
        let record = self.records()[id as usize];
        assert_ne!(i32_at(record, 0), UNUSED);
        let left = self.walk(i32_at(record, 0), order);
        order.push(id as usize);
        let right = self.walk(i32_at(record, 4), order);
        assert_eq!(right - left, i32::from(record[8] as i8), "{}", self.suffix);
        assert!((right - left).abs() <= 1);
        left.max(right) + 1
    }

    /// Checks the counts, and that all names in use are in the tree, once and in order.
    fn check(&self) {
        let records = self.records();
        let used = records.iter().filter(|name| i32_at(name, 0) != UNUSED);
        let used = used.count();
        assert_eq!(i32_at(self.bytes, 0) as usize, records.len());
        let mut order = Vec::new();
        if used > 0 {
            self.walk(i32_at(self.bytes, 4), &mut order);
        }
        let keys: Vec<Vec<i64>> = order.iter().map(|&id| self.key(records[id])).collect();
        assert!(keys.is_sorted(), "{}", self.suffix);
        order.sort_unstable();
        order.dedup();
        assert_eq!(order.len(), used, "{}", self.suffix);
    }

    /// The file without its tree.
    fn without_tree(&self) -> Vec<u8> {
        let mut bytes = self.bytes.to_vec();
        bytes[4..8].fill(0);
        for record in bytes[self.begin..].chunks_mut(self.stride) {
            record[..NODE_BYTES].fill(0);
        }
        bytes
    }
}

fn check_trees(base: &Path) {
    Names::all(&files(base)).iter().for_each(Names::check);
}

/// A name that is added changes few nodes of a tree; all at once they make one of the least height.
#[test]
fn a_grown_cbh_is_what_all_at_once_give_but_for_trees() {
    grown("cbh", |base, whole| {
        let (found, expected) = (files(base), files(whole));
        assert!(found.keys().eq(expected.keys()));
        check_trees(base);
        let names = Names::all(&found).into_iter().zip(Names::all(&expected));
        for (one, other) in names {
            let is_same = one.without_tree() == other.without_tree();
            assert!(is_same, "{} of {base:?}", one.suffix);
        }
        let is_name = |suffix: &str| NAMES.iter().any(|(name, _)| *name == suffix);
        for (suffix, bytes) in found.iter().filter(|(suffix, _)| !is_name(suffix)) {
            assert!(*bytes == expected[suffix], "{suffix} of {base:?}");
        }
    });
}

/// Copies a database into a folder of its own.
fn copied(source: &Path) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    for (suffix, bytes) in files(source) {
        let name = source.with_extension(suffix);
        fs::write(folder.path().join(name.file_name().unwrap()), bytes).unwrap();
    }
    let base = folder.path().join(source.file_name().unwrap());
    (folder, base)
}

/// The indexes in a folder and those in it.
fn indexes(folder: &Path, suffix: &str, found: &mut Vec<PathBuf>) {
    let paths = folder
        .read_dir()
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> = paths.collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            indexes(&path, suffix, found);
        } else if path.extension().is_some_and(|found| found == suffix) {
            found.push(path);
        }
    }
}

/// What ChessBase makes anew.
const DERIVED: [&str; 7] = ["cbb", "cit", "cib", "cit2", "cib2", "2lgd", "2lcd"];

/// Adds games to a copy of a database; returns the error if that is refused.
fn grows_or_stays(source: &Path) -> Option<String> {
    let (_folder, base) = copied(source);
    let (before, old) = (files(&base), faults_and_games(&base));
    let done = added(&[fixture("famous.pgn")], &base);
    if let Err(error) = done {
        assert!(files(&base) == before, "{source:?}");
        return Some(error.to_string());
    }
    let (told, found) = faults_and_games(&base).unwrap();
    let (told_before, mut expected) = old.unwrap();
    assert_eq!(told, told_before, "{source:?}");
    let folder = tempfile::tempdir().unwrap();
    let alone = folder
        .path()
        .join("alone")
        .with_extension(base.extension().unwrap());
    converted(&[fixture("famous.pgn")], &alone);
    expected.extend(games(&alone));
    assert!(found.len() == expected.len());
    for (number, (one, other)) in found.iter().zip(&expected).enumerate() {
        assert!(one == other, "{source:?} {number} {one:?} {other:?}");
    }
    let after = files(&base);
    let is_kept = |suffix: &String| !DERIVED.contains(&suffix.as_str());
    assert!(after.keys().all(is_kept));
    if base.extension().unwrap() == "cbh" {
        check_trees(&base);
    }
    assert!(undo(&base, Progress::ignore).unwrap());
    let mut kept = before;
    kept.retain(|suffix, _| is_kept(suffix) && files(&base).contains_key(suffix));
    assert!(files(&base) == kept, "{source:?}");
    None
}

type Told = (Vec<String>, Vec<PlainGame>);

fn faults_and_games(base: &Path) -> Option<Told> {
    Database::open(base).ok()?;
    Some((faults(base), games(base)))
}

/// Sets that lack files.
const REFUSED: [&str; 8] = [
    "Mate2/Mate2.cbh",
    "cbh_test/cbh_test.cbh",
    "chesscore-fob/fob.cbh",
    "partial/World-ch/World-ch.cbh",
    "partial/cbh_only.cbh",
    "partial/hedgehog_old.cbh",
    "partial/many_headers.cbh",
    "uncbv-small/small.cbh",
];

#[test]
fn sets_of_chessbase_grow_or_are_refused_and_stay() {
    let Some(folder) = shared::path("data/chessbase") else {
        return;
    };
    let mut sets = Vec::new();
    indexes(&folder, "cbh", &mut sets);
    let (mut grown, mut refused) = (Vec::new(), Vec::new());
    for set in sets {
        let name = set.strip_prefix(&folder).unwrap().display().to_string();
        let name = name.replace('\\', "/");
        match grows_or_stays(&set) {
            None => grown.push(name),
            Some(why) => {
                println!("{name}: {why}");
                refused.push(name);
            }
        }
    }
    assert_eq!(refused, REFUSED);
    assert!(grown.len() > 20);
}

#[test]
fn sets_of_chessbase_2_grow_or_are_refused_and_stay() {
    for part in ["2cbh/edge2", "2cbh/tiny2"] {
        let Some(folder) = shared::packed(part) else {
            return;
        };
        let mut sets = Vec::new();
        indexes(&folder, "2cbh", &mut sets);
        for set in sets {
            let is_refused = grows_or_stays(&set).is_some();
            assert_eq!(is_refused, set.ends_with("nocba.2cbh"), "{set:?}");
        }
    }
}

/// Writes the fixture as a database of its own.
fn famous(suffix: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("famous").with_extension(suffix);
    converted(&[fixture("famous.pgn")], &base);
    (folder, base)
}

#[test]
fn what_other_programs_left_in_names_stays_and_is_not_compared() {
    let (_folder, base) = famous("cbh");
    let path = base.with_extension("cbp");
    let mut bytes = fs::read(&path).unwrap();
    for record in bytes[32..].chunks_mut(NODE_BYTES + 58) {
        for (at, width) in [(NODE_BYTES, 30), (NODE_BYTES + 30, 20)] {
            let field = &mut record[at..at + width];
            let end = field.iter().position(|&byte| byte == 0).unwrap_or(width);
            field[end..]
                .iter_mut()
                .skip(1)
                .for_each(|byte| *byte = b'~');
        }
    }
    // One that is not in use, and one that is there twice and not in the tree.
    let count = i32_at(&bytes, 0);
    let mut twice = bytes[32..][..NODE_BYTES + 58].to_vec();
    twice[..8].fill(0xff);
    let mut unused = vec![0; NODE_BYTES + 58];
    unused[..4].copy_from_slice(&UNUSED.to_le_bytes());
    unused[4..8].fill(0xff);
    bytes.extend([unused.clone(), twice.clone()].concat());
    bytes[..4].copy_from_slice(&(count + 2).to_le_bytes());
    bytes[16..20].copy_from_slice(&count.to_le_bytes());
    bytes[20..24].copy_from_slice(&(count + 1).to_le_bytes());
    fs::write(&path, &bytes).unwrap();

    added(&[fixture("famous.pgn")], &base).unwrap();
    let after = fs::read(&path).unwrap();
    assert_eq!(after.len(), bytes.len());
    let records = |bytes: &'static [u8]| bytes.chunks(NODE_BYTES + 58);
    let (old, new) = (bytes.leak(), after.leak());
    for (one, other) in records(&old[32..]).zip(records(&new[32..])) {
        assert_eq!(one[..NODE_BYTES + 50], other[..NODE_BYTES + 50]);
        let doubled = if i32_at(one, 0) == UNUSED || *one == *twice {
            i32_at(one, NODE_BYTES + 50)
        } else {
            2 * i32_at(one, NODE_BYTES + 50)
        };
        assert_eq!(i32_at(other, NODE_BYTES + 50), doubled);
        assert_eq!(one[NODE_BYTES + 54..], other[NODE_BYTES + 54..]);
    }
    assert_eq!(old[..32], new[..32]);
    // A new player brings the other one into the tree.
    random(&base.with_file_name("more.cbh"), 5, 9);
    added(&[base.with_file_name("more.cbh")], &base).unwrap();
    check_trees(&base);
    let after = fs::read(&path).unwrap();
    assert_eq!(
        after[32 + (NODE_BYTES + 58) * count as usize..][..NODE_BYTES + 58],
        unused
    );
    assert_eq!(i32_at(&after, 16), count);
    assert_eq!(i32_at(&after, 20) + 1, i32_at(&after, 0));
}

#[test]
fn damage_to_any_file_is_refused_or_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let more = folder.path().join("more.pgn");
    fs::write(&more, "[White \"New, One\"]\n\n1. e4 *\n").unwrap();
    let mut dice = Dice::new(11);
    for suffix in ["cbh", "2cbh"] {
        let (_folder, base) = famous(suffix);
        let whole = files(&base);
        for (part, bytes) in &whole {
            let path = base.with_extension(part);
            for nth in 0..4 {
                let mut bytes = bytes.clone();
                let at = dice.below(if nth % 2 == 0 { 200 } else { bytes.len() });
                match nth % 3 {
                    0 => bytes.truncate(at),
                    _ if bytes.is_empty() => {}
                    _ => {
                        let at = at % bytes.len();
                        bytes[at] ^= [0xff, 0x55, 0x01][dice.below(3)];
                    }
                }
                fs::write(&path, &bytes).unwrap();
                let before = files(&base);
                match added(std::slice::from_ref(&more), &base) {
                    Err(_) => assert!(files(&base) == before, "{part} {nth} {at}"),
                    Ok(_) => {
                        undo(&base, Progress::ignore).unwrap();
                        let mut before = before;
                        before.retain(|name, _| name != "cbgi" || files(&base).contains_key(name));
                        assert!(files(&base) == before, "{part} {nth} {at}");
                    }
                }
                for (name, bytes) in &whole {
                    fs::write(base.with_extension(name), bytes).unwrap();
                }
            }
        }
    }
}

/// Offsets of the first version have 32 bits.
#[test]
fn no_game_is_added_to_a_file_that_is_full() {
    let (_folder, base) = famous("cbh");
    let path = base.with_extension("cbg");
    let games = fs::OpenOptions::new().write(true).open(&path).unwrap();
    games.set_len(1 << 32).unwrap();
    let error = added(&[fixture("famous.pgn")], &base).unwrap_err();
    assert!(
        error.to_string().contains("the bytes of all games"),
        "{error}"
    );
    assert_eq!(path.metadata().unwrap().len(), 1 << 32);
    assert_eq!(Database::open(&base).unwrap().len(), 91);
}

/// The message names the file, and what to do.
#[test]
fn a_base_that_lacks_a_file_is_refused() {
    for suffix in ["cbj", "cbe", "cbs", "2cba", "2lid"] {
        let (_folder, base) = famous(if suffix.starts_with('2') {
            "2cbh"
        } else {
            "cbh"
        });
        fs::remove_file(base.with_extension(suffix)).unwrap();
        let before = files(&base);
        let told = added(&[fixture("famous.pgn")], &base)
            .unwrap_err()
            .to_string();
        assert!(told.contains(&format!("famous.{suffix}")), "{told}");
        assert!(files(&base) == before);
    }
    // Nobody needs these, or nothing is to be said in them.
    let (_folder, base) = famous("cbh");
    for suffix in ["cbl", "cbgi", "flags", "cbtt"] {
        fs::remove_file(base.with_extension(suffix)).unwrap();
    }
    added(&[fixture("famous.pgn")], &base).unwrap();
    assert_eq!(faults(&base), Vec::<String>::new());
    assert_eq!(games(&base)[..91], games(&base)[91..]);
}

/// The last day stands in a file of its own, by the number of the tournament.
#[test]
fn old_games_keep_the_last_day_of_their_tournament() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().join("base.cbh");
    let games_of = |name: &str, days: &[&str]| {
        let tags = "[Event \"Open\"]\n[Site \"Oslo\"]\n[EventDate \"1980.01.01\"]\n";
        let tag = |day: &&str| match *day {
            "" => format!("{tags}\n1. e4 *\n\n"),
            day => format!("{tags}[EventEndDate \"{day}\"]\n\n1. e4 *\n\n"),
        };
        let path = folder.path().join(name);
        fs::write(&path, days.iter().map(tag).collect::<String>()).unwrap();
        [path]
    };
    let days = |base: &Path| -> Vec<String> {
        let told = games(base).into_iter().map(|game| {
            let mut tags = game.tags.into_iter();
            let day = tags.find(|(name, _)| name == "EventEndDate");
            day.unwrap_or_default().1
        });
        told.collect()
    };
    converted(&games_of("old.pgn", &["1980.01.09", ""]), &base);
    let new = games_of("new.pgn", &["1980.01.08", "1980.01.09", ""]);
    added(&new, &base).unwrap();
    let expected = ["1980.01.09", "", "1980.01.08", "1980.01.09", ""];
    assert_eq!(days(&base), expected);
    check_trees(&base);
    assert_eq!(i32_at(&files(&base)["cbt"], 0), 3);
    // Records of older programs have no room for it.
    let (_folder, base) = famous("cbh");
    let path = base.with_extension("cbtt");
    let mut bytes = fs::read(&path).unwrap();
    bytes[4..8].copy_from_slice(&61_i32.to_le_bytes());
    fs::write(path, bytes).unwrap();
    let before = files(&base);
    let error = added(&new, &base).unwrap_err();
    assert!(error.to_string().contains("the last day"), "{error}");
    assert!(files(&base) == before);
    added(&games_of("none.pgn", &[""]), &base).unwrap();
}
