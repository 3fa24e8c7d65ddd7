//! The same few games in each format, as files that can be damaged.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
};

use tabiya::{
    Conversion, ConvertOptions, Database, ErrorKind, Flow, Search, Strategy, Verification,
    format::{MontyLayout as Layout, Overwrite, ScdbLayout},
};
use tempfile::TempDir;

use super::jose;
use crate::support::{ask, binpack, cbf, game::PlainGame, lists::List};

/// What can be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Scid3,
    Scid4,
    Scid5,
    ChessBase,
    ChessBase2,
    Cbf,
    Archive,
    Scdb,
    Scdb11,
    Jose,
    JoseFolder,
    MontyPolicy,
    MontyValue,
    Stockfish,
    Viriformat,
    Pgn,
    Json,
    Gzip,
    Bzip2,
    Zstd,
}

impl Kind {
    pub(super) const ALL: [Kind; 20] = [
        Kind::Scid3,
        Kind::Scid4,
        Kind::Scid5,
        Kind::ChessBase,
        Kind::ChessBase2,
        Kind::Cbf,
        Kind::Archive,
        Kind::Scdb,
        Kind::Scdb11,
        Kind::Jose,
        Kind::JoseFolder,
        Kind::MontyPolicy,
        Kind::MontyValue,
        Kind::Stockfish,
        Kind::Viriformat,
        Kind::Pgn,
        Kind::Json,
        Kind::Gzip,
        Kind::Bzip2,
        Kind::Zstd,
    ];

    /// Training data has neither names nor variations nor comments.
    pub(super) fn is_training(self) -> bool {
        matches!(
            self,
            Kind::MontyPolicy | Kind::MontyValue | Kind::Stockfish | Kind::Viriformat
        )
    }

    /// Returns the end of the name of what is opened; empty for a folder.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Kind::Scid3 => "si3",
            Kind::Scid4 => "si4",
            Kind::Scid5 => "si5",
            Kind::ChessBase => "cbh",
            Kind::ChessBase2 => "2cbh",
            Kind::Cbf => "cbi",
            Kind::Archive => "cbv",
            Kind::Scdb | Kind::Scdb11 => "dci",
            Kind::Jose => "jose",
            Kind::JoseFolder => "",
            Kind::MontyPolicy | Kind::MontyValue | Kind::Stockfish => "binpack",
            Kind::Viriformat => "vf",
            Kind::Pgn => "pgn",
            Kind::Json => "json",
            Kind::Gzip => "pgn.gz",
            Kind::Bzip2 => "pgn.bz2",
            Kind::Zstd => "pgn.zst",
        }
    }

    /// Returns the files that hold names, as suffixes.
    pub(super) fn name_files(self) -> &'static [&'static str] {
        match self {
            Kind::Scid3 => &["sn3"],
            Kind::Scid4 => &["sn4"],
            Kind::Scid5 => &["sn5"],
            Kind::ChessBase => &["cbp", "cbt"],
            Kind::ChessBase2 => &["2lid"],
            Kind::Scdb | Kind::Scdb11 => &["dcn", "dcs", "dce"],
            Kind::JoseFolder => &["player.MYD", "event.MYD", "site.MYD"],
            _ => &[],
        }
    }

    /// Whether games have a site of their own.
    pub(super) fn has_sites(self) -> bool {
        !self.is_training() && self != Kind::Cbf
    }

    /// Returns the file that holds the moves, where that is one of several and others hold
    /// headers.
    pub(super) fn games_file(self) -> Option<&'static str> {
        Some(match self {
            Kind::Scid3 => "sg3",
            Kind::Scid4 => "sg4",
            Kind::Scid5 => "sg5",
            Kind::ChessBase => "cbg",
            Kind::ChessBase2 => "2cbg",
            Kind::Scdb | Kind::Scdb11 => "dcg",
            Kind::JoseFolder => "moregame.MYD",
            _ => return None,
        })
    }
}

/// A database in a folder of its own.
pub(super) struct Base {
    pub(super) kind: Kind,
    folder: TempDir,
    stem: OsString,
}

/// Returns PGN text of this number of games. The names say whose they are, and which.
pub(super) fn games(whose: &str, count: usize) -> String {
    const MOVES: [&str; 5] = [
        "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bb5 a6 {the Spanish}",
        "1. d4 d5 2. c4 $1 e6 3. Nc3 Nf6",
        "1. c4 e5 2. Nc3 Nc6 3. g3 g6 4. Bg2 Bg7 5. d3 d6 6. Nf3 {slow} (6. e4 Nf6)",
        "1. f4 e5",
        "1. Nf3 d5 2. g3 {a long plan} Nf6 3. Bg2 e6 4. O-O Be7 (4... c5 5. c4)",
    ];
    let game = |number: usize| {
        let moves = MOVES[number % MOVES.len()];
        format!(
            "[Event \"{whose} event {number}\"]\n[Site \"{whose} site {number}\"]\n\
             [Round \"{number}\"]\n[White \"{whose} white {number}\"]\n\
             [Black \"{whose} black {number}\"]\n[Result \"1-0\"]\n\n{moves} 1-0\n\n"
        )
    };
    (1..=count).map(game).collect()
}

pub(super) fn convert(source: &Path, target: &Path) -> Conversion {
    convert_as(source, target, ConvertOptions::from(Overwrite::Refuse))
}

fn convert_as(source: &Path, target: &Path, options: ConvertOptions) -> Conversion {
    let sources = [source.to_owned()];
    let done = tabiya::convert(&sources, target, options, &mut |_| Flow::Continue(()));
    done.unwrap_or_else(|error| panic!("{}: {error}", target.display()))
}

impl Base {
    /// Makes a database of three games.
    pub(super) fn three(kind: Kind) -> Base {
        Base::new(kind, &games("own", 3))
    }

    /// Makes a database of the games of a text.
    pub(super) fn new(kind: Kind, text: &str) -> Base {
        Base::named(kind, text, OsStr::new("base"))
    }

    pub(super) fn named(kind: Kind, text: &str, stem: &OsStr) -> Base {
        let base = Base {
            kind,
            folder: tempfile::tempdir().unwrap(),
            stem: stem.to_owned(),
        };
        base.write(text);
        base
    }

    fn write(&self, text: &str) {
        let elsewhere = tempfile::tempdir().unwrap();
        let source = elsewhere.path().join("source.pgn");
        fs::write(&source, text).unwrap();
        let path = self.path();
        let mut options = ConvertOptions::from(Overwrite::Refuse);
        match self.kind {
            Kind::Pgn => fs::write(path, text).unwrap(),
            Kind::Json => {
                let games = all_games(&Database::open(source).unwrap());
                fs::write(path, List::Archive.of_games(&games)).unwrap();
            }
            Kind::Gzip => fs::write(path, jose::gzip(text.as_bytes())).unwrap(),
            Kind::Bzip2 => fs::write(path, bzip2(text.as_bytes())).unwrap(),
            Kind::Zstd => fs::write(path, zstd(text.as_bytes())).unwrap(),
            Kind::Jose | Kind::JoseFolder => {
                let games = all_games(&Database::open(source).unwrap());
                jose::write(&path, &games);
            }
            Kind::Cbf => {
                let games = all_games(&Database::open(source).unwrap());
                cbf::write(&path, &games);
            }
            Kind::Stockfish => {
                let games = all_games(&Database::open(source).unwrap());
                fs::write(path, binpack::of_games(&games)).unwrap();
            }
            Kind::Archive => {
                let set = elsewhere.path().join("base.cbh");
                convert(&source, &set);
                fs::write(path, archive_of(&set)).unwrap();
            }
            Kind::Scid3 => {
                convert(&source, &path.with_extension("si4"));
                self.age();
            }
            Kind::Scdb11 => {
                options = options.layout(ScdbLayout::Described);
                convert_as(&source, &path, options);
            }
            Kind::MontyValue => {
                options = options.layout(Layout::Value);
                convert_as(&source, &path, options);
            }
            _ => drop(convert(&source, &path)),
        }
    }

    /// Makes a `.si3` of the `.si4`: a shorter header and records without one byte.
    fn age(&self) {
        for (new, old) in [("sg4", "sg3"), ("sn4", "sn3")] {
            fs::rename(self.file(new), self.file(old)).unwrap();
        }
        let new = fs::read(self.file("si4")).unwrap();
        fs::remove_file(self.file("si4")).unwrap();
        let (header, records) = new.split_at(182);
        let mut index = header[..128].to_vec();
        index[8..10].copy_from_slice(&300_u16.to_be_bytes());
        for record in records.chunks(47) {
            index.extend(&record[..6]);
            index.extend(&record[7..]);
        }
        fs::write(self.path(), index).unwrap();
    }

    /// Returns what is to be opened.
    pub(super) fn path(&self) -> PathBuf {
        match self.kind {
            Kind::JoseFolder => self.folder.path().join(&self.stem),
            kind => self.file(kind.suffix()),
        }
    }

    /// Returns a file by its suffix; of a folder by its name.
    pub(super) fn file(&self, suffix: &str) -> PathBuf {
        if self.kind == Kind::JoseFolder {
            return self.path().join(suffix);
        }
        let mut name = self.stem.clone();
        name.push(".");
        name.push(suffix);
        self.folder.path().join(name)
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Changes the bytes of a file.
    pub(super) fn change(&self, suffix: &str, change: impl FnOnce(&mut Vec<u8>)) {
        let path = self.file(suffix);
        let mut bytes = fs::read(&path).unwrap();
        change(&mut bytes);
        fs::write(path, bytes).unwrap();
    }

    pub(super) fn open(&self) -> Database {
        Database::read(self.path()).unwrap_or_else(|error| panic!("{:?}: {error}", self.kind))
    }
}

/// Reads all games; all are whole.
pub(super) fn all_games(database: &Database) -> Vec<PlainGame> {
    let games = read_each(database);
    let whole = games.into_iter().map(|game| game.expect("a whole game"));
    whole.collect()
}

/// Reads all games, `None` for the damaged: of each of these the error says which it is and where
/// it lies, a search for positions counts it, and verifying lists it.
pub(super) fn read_each(database: &Database) -> Vec<Option<PlainGame>> {
    let mut games = Vec::new();
    for game in database.games() {
        let read = PlainGame::read(database, game);
        if let Err(error) = &read {
            let is_damage = matches!(
                error.kind(),
                ErrorKind::Corrupt { .. }
                    | ErrorKind::IllegalMove(_)
                    | ErrorKind::LimitExceeded { .. }
            );
            assert!(is_damage, "{error}");
            assert_eq!(error.game(), Some(game.number_in_part()), "{error}");
            assert!(
                error.path().is_some() && error.offset().is_some(),
                "{error}"
            );
        }
        games.push(read.ok());
    }
    let verified = verified(database);
    let listed = |number| {
        let mut listed = verified.damaged_games.iter();
        listed.any(|error| error.game() == Some(number))
    };
    for (number, game) in (1..).zip(&games) {
        assert!(game.is_some() || listed(number), "game {number}");
    }
    let query = ask::query("at(Q=9)");
    let search = Search::new(&query).variations(true);
    let found = search.strategy(Strategy::FullDecode).run(database).unwrap();
    let damaged = games.iter().filter(|game| game.is_none()).count() as u64;
    assert!(found.is_empty() && found.report().damaged <= damaged);
    games
}

pub(super) fn verified(database: &Database) -> Verification {
    database.verify().expect("verified")
}

/// Returns the numbers of the games that match; whether the index is asked makes no difference.
pub(super) fn found(database: &Database, query: &str) -> Vec<u32> {
    let by = |strategy| ask::numbers(database, query, strategy, true);
    let found = by(Strategy::Auto);
    assert_eq!(found, by(Strategy::FullDecode), "{query}");
    found
}

pub(super) fn bzip2(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub(super) fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

/// Puts the files of a set into an archive, stored as they are.
fn archive_of(index: &Path) -> Vec<u8> {
    const STORED_BYTES_MAX: usize = 60_000;
    let mut members = Vec::new();
    for entry in fs::read_dir(index.parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        if path.file_stem() == index.file_stem() {
            let bytes = fs::read(&path).unwrap();
            let block = |bytes: &[u8]| {
                let length = (bytes.len() as u16 + 1).to_le_bytes();
                [&[length[0], length[1], 0, 0, 0], bytes].concat()
            };
            let packed: Vec<u8> = bytes.chunks(STORED_BYTES_MAX).flat_map(block).collect();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            members.push((name, packed, bytes.len() as u64));
        }
    }
    // A folder lists its files in any order.
    members.sort_unstable();
    archive(&members)
}

/// Makes an archive of members: name, packed bytes and size.
pub(super) fn archive(members: &[(String, Vec<u8>, u64)]) -> Vec<u8> {
    let mut bytes = vec![8, 0, members.len() as u8, 0, 173, 0, 3, 0];
    let mut offset = (bytes.len() + 173 * members.len()) as u64;
    for (name, packed, size) in members {
        let numbers = [offset, packed.len() as u64, *size];
        let mut entry = name.clone().into_bytes();
        entry.resize(128, 0);
        entry.extend(numbers.map(|number| (number as u32).to_le_bytes()).concat());
        entry.extend([0; 9]);
        entry.extend(numbers.map(u64::to_le_bytes).concat());
        bytes.extend(entry);
        offset += packed.len() as u64;
    }
    members.iter().for_each(|member| bytes.extend(&member.1));
    bytes
}
