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
    let own = paths.filter(|path| path.file_stem() == base.file_stem());
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
    let verified = database.verify().unwrap();
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
                assert!(undo(&base).unwrap());
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
