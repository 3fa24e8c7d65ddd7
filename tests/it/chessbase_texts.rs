//! Guiding texts of ChessBase stand among the games and are none: they have no position, whatever
//! was looked at before them, and other formats have no place for them.

use std::{fs, path::PathBuf};

use tabiya::{
    ConvertOptions, Database, ErrorKind, Flow, GameId, OpenOptions, Positions, SidecarOptions,
    Strategy, TreePosition, TreeSearch, convert, format::Overwrite, repair,
};
use tempfile::TempDir;

use crate::{
    replayed::keys_of,
    support::{ask, losses::TARGETS},
};

const RECORD_BYTES: usize = 46;

/// The famous games, each with a text before it, and one after the last.
struct Base {
    folder: TempDir,
    path: PathBuf,
    games: u32,
}

/// Returns the text of one title: "one o two".
fn text() -> Vec<u8> {
    let title = b"one o two";
    let mut bytes = vec![0x80, 0, 0, 0, 1, 0, 1, 0, 7, 0, title.len() as u8, 0];
    bytes.extend(title);
    // Something unknown, and no bodies.
    bytes.extend([0, 0, 0]);
    let length = (bytes.len() as u32).to_be_bytes();
    bytes[1..4].copy_from_slice(&length[1..]);
    bytes
}

impl Base {
    fn new() -> Base {
        let folder = tempfile::tempdir().unwrap();
        let fixture = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous");
        let path = folder.path().join("texts.cbh");
        for suffix in ["cbh", "cbg", "cba", "cbp", "cbt", "cbc", "cbs"] {
            fs::copy(fixture.with_extension(suffix), path.with_extension(suffix)).unwrap();
        }
        let mut moves = fs::read(path.with_extension("cbg")).unwrap();
        let mut record = vec![0x03];
        record.extend((moves.len() as u32).to_be_bytes());
        record.resize(RECORD_BYTES, 0);
        moves.extend(text());
        fs::write(path.with_extension("cbg"), moves).unwrap();
        let index = fs::read(&path).unwrap();
        let mut new = index[..RECORD_BYTES].to_vec();
        for game in index[RECORD_BYTES..].chunks(RECORD_BYTES) {
            new.extend(&record);
            new.extend(game);
        }
        new.extend(&record);
        let records = new.len() / RECORD_BYTES;
        new[6..10].copy_from_slice(&(records as u32).to_be_bytes());
        fs::write(&path, new).unwrap();
        Base {
            folder,
            path,
            games: (index.len() / RECORD_BYTES) as u32 - 1,
        }
    }

    fn open(&self, sidecar: bool) -> Database {
        OpenOptions::new()
            .sidecar(sidecar)
            .open(&self.path)
            .unwrap()
    }

    /// Opens it without and with a sidecar.
    fn both(&self) -> [Database; 2] {
        let plain = self.open(false);
        let made = SidecarOptions::new().build(&plain);
        assert!(made.is_ok());
        let with_sidecar = self.open(true);
        assert!(with_sidecar.sidecar().is_some());
        [plain, with_sidecar]
    }
}

fn is_game(number: u32) -> bool {
    number.is_multiple_of(2)
}

/// Conditions of every kind on positions, for every way of following games.
const CONDITIONS: [&str; 14] = [
    "piece:Pe4",
    "at(piece:Pe4 flip)",
    "at(men=32)",
    "at(men<20)",
    "at(ply:0)",
    "at(piece:Pe4) then at(piece:Nf3)",
    "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1\"",
    "path:\"Pe2-e4\"",
    "path:\"Ng1-f3\"",
    "played:e4",
    "check",
    "at(score>0.5)",
    "at(piece:Kg1 piece:kg8 for:4)",
];

#[test]
fn texts_match_no_condition_on_positions_nor_its_contrary() {
    let base = Base::new();
    for (database, variations) in base.both().iter().zip([false, true]) {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let find = |query: &str| ask::numbers(database, query, strategy, variations);
            let texts = find("text:\"one o two\"");
            assert_eq!(texts.len() as u32, base.games + 1);
            assert!(!texts.into_iter().any(is_game));
            for condition in CONDITIONS {
                let games = find(condition);
                assert!(games.iter().copied().all(is_game), "{condition}");
                for (query, found) in [
                    (format!("text:o {condition}"), games.len()),
                    (format!("text:o not {condition}"), base.games as usize),
                    (format!("not (text:o or {condition})"), base.games as usize),
                    (format!("not (text:zzz or not {condition})"), games.len()),
                ] {
                    let numbers = find(&query);
                    assert!(numbers.iter().copied().all(is_game), "{query}");
                    assert!(numbers.len() <= found, "{query}");
                }
                // Of other games everything is as it was.
                let mut both = find(&format!("(text:o or not text:o) {condition}"));
                assert_eq!(both, games, "{condition}");
                both.extend(find(&format!("(text:o or not text:o) not {condition}")));
                assert_eq!(both.len() as u32, base.games, "{condition}");
            }
        }
    }
}

#[test]
fn what_follows_games_tells_nothing_of_texts() {
    let base = Base::new();
    let famous = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.cbh");
    let famous = Database::open(famous).unwrap();
    let about_texts = ask::query("text:o or not text:o");
    let keys = keys_of(famous.path());
    for database in base.both() {
        assert_eq!(keys_of(database.path()), keys);
        for moves in ["", "e4", "e4 e5 Nf3"] {
            let position = TreePosition::from_moves(moves).unwrap();
            let alone = TreeSearch::new(&position).run(&famous).unwrap();
            for strategy in [Strategy::Auto, Strategy::FullDecode] {
                let search = TreeSearch::new(&position).strategy(strategy);
                for search in [search.clone(), search.query(&about_texts)] {
                    let tree = search.run(&database).unwrap();
                    assert_eq!(tree.total().games(), alone.total().games(), "{moves}");
                }
            }
            let texts: Vec<GameId> = (0..=base.games).map(|text| GameId(2 * text)).collect();
            let all: Vec<GameId> = database.games().collect();
            let next = TreeSearch::new(&position)
                .next_moves(&database, &all)
                .unwrap();
            assert!(texts.iter().all(|text| next[text.index()].is_none()));
        }
        let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        let positions: Positions = Positions::from_epd(fen).unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let counted = positions.clone().strategy(strategy);
            let counted = counted.query(&about_texts).run(&database).unwrap();
            let alone = positions.clone().run(&famous).unwrap();
            assert_eq!(counted.rows()[0].tally, alone.rows()[0].tally);
        }
    }
}

#[test]
fn texts_are_left_out_of_other_formats_and_counted() {
    let base = Base::new();
    let sources = [base.path.clone()];
    for suffix in TARGETS.into_iter().filter(|&suffix| suffix != "2cbh") {
        let target = base.folder.path().join(format!("new.{suffix}"));
        let go_on = tabiya::Progress::ignore;
        let options = ConvertOptions::from(Overwrite::Refuse);
        let done = convert(&sources, &target, options.clone(), go_on).unwrap();
        let written = Database::open(&target).unwrap();
        assert_eq!(done.games, u64::from(written.len()), "{suffix}");
        assert_eq!(done.games + done.skipped, u64::from(base.games), "{suffix}");
        let mut losses = done.losses.iter();
        let texts = losses.find(|lost| lost.what == "guiding texts left out");
        let texts = texts.map(|lost| (lost.count, lost.first_game));
        assert_eq!(texts, Some((u64::from(base.games) + 1, 1)), "{suffix}");
        let strict = options.strict(true);
        let other = base.folder.path().join(format!("strict.{suffix}"));
        let refused = convert(&sources, &other, strict, go_on).unwrap_err();
        assert!(matches!(refused.kind(), ErrorKind::WouldLose { .. }));
        assert!(!other.exists());
        let repaired = base.folder.path().join(format!("repaired.{suffix}"));
        let (on_loss, options) = (|_: &_| Flow::Continue(()), Overwrite::Refuse);
        let done = repair(&base.path, &repaired, options, on_loss, go_on).unwrap();
        assert_eq!(done.games, u64::from(base.games), "{suffix}");
    }
}

#[test]
fn texts_become_texts_of_chessbase_2_and_stay_so() {
    let base = Base::new();
    let go_on = tabiya::Progress::ignore;
    let [target, again] = ["new.2cbh", "again.2cbh"].map(|name| base.folder.path().join(name));
    let options = || ConvertOptions::from(Overwrite::Refuse);
    let done = convert(std::slice::from_ref(&base.path), &target, options(), go_on).unwrap();
    let old = base.open(false);
    assert_eq!(done.games, u64::from(old.len()));
    let strict = options().strict(true);
    convert(std::slice::from_ref(&target), &again, strict, go_on).unwrap();
    for path in [&target, &again] {
        let database = Database::open(path).unwrap();
        assert_eq!(database.len(), old.len());
        // A text stands before each game, and one after the last.
        let found = ask::numbers(&database, "text:\"one o two\"", Strategy::Auto, false);
        let texts: Vec<u32> = (1..=old.len()).step_by(2).collect();
        assert_eq!(found, texts);
        let verified = database.verify().unwrap();
        assert_eq!((verified.damaged, verified.notes.len()), (0, 0));
    }
    let repaired = base.folder.path().join("repaired.2cbh");
    let (on_loss, refuse) = (|_: &_| Flow::Continue(()), Overwrite::Refuse);
    let done = repair(&target, &repaired, refuse, on_loss, go_on).unwrap();
    assert_eq!((done.games, done.texts), (u64::from(old.len()), 0));
}
