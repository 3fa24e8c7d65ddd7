//! Databases of jose: archives, folders, and the columns that hold moves.

use shakmaty::{Setup, fen::Fen};
use tabiya::{
    Database, OpenOptions,
    chess::{GameResult, Start},
};
use tabiya_formats::jose::{Encoder, Stream};

use super::{
    files::{Folder, open_file, some_games},
    pieces::{Pieces, joined},
};
use crate::support::{exercise, game::PlainGame};

/// An archive as it is.
const ARCHIVE: u8 = b'z';
/// The columns of one game: `Bin`, `Comments`, `FEN`.
const BIN: u8 = b'x';
const COMMENTS: u8 = b'y';
const FEN: u8 = b'w';
/// The tables of a folder; those of an archive are the first four, under other names. Each has
/// three files, with the letters from this one on.
const TABLES: [(u8, &str); 5] = [
    (b'a', "Game"),
    (b'd', "Player"),
    (b'g', "Event"),
    (b'j', "Site"),
    (b'm', "MoreGame"),
];
const SUFFIXES: [&str; 3] = ["frm", "MYI", "MYD"];

pub(crate) fn check(input: &[u8]) {
    let pieces = Pieces::of(input);
    let options = OpenOptions::new;
    if let Some(archive) = pieces.get(ARCHIVE)
        && let Ok(database) = open_file("a.jose", archive, options())
    {
        exercise::whole(&database);
    }
    if let Some(bin) = pieces.get(BIN) {
        check_stream(
            bin,
            pieces.get(COMMENTS).unwrap_or_default(),
            pieces.get(FEN),
        );
    }
    if pieces.get(b'm').is_some() {
        let folder = Folder::new();
        for (name, bytes) in files(&pieces) {
            folder.put(&name, bytes);
        }
        if let Ok(database) = Database::read(folder.root()) {
            exercise::whole(&database);
        }
    } else if pieces.get(b'a').is_some() {
        let files = files(&pieces).map(|(name, bytes)| (format!("IO_{name}"), bytes));
        if let Ok(database) = open_file("a.jose", &tar(files), options()) {
            exercise::whole(&database);
        }
    }
}

/// Returns the files of all tables that an input has, with their names.
fn files<'b>(pieces: &Pieces<'b>) -> impl Iterator<Item = (String, &'b [u8])> {
    let files = TABLES.into_iter().flat_map(|(first, name)| {
        let files = (first..).zip(SUFFIXES);
        files.map(move |(letter, suffix)| (letter, format!("{name}.{suffix}")))
    });
    files.filter_map(|(letter, name)| Some((name, pieces.get(letter)?)))
}

/// What is read is written, and reads back the same.
fn check_stream(bin: &[u8], comments: &[u8], fen: Option<&[u8]>) {
    let fen = fen.and_then(|fen| Fen::from_ascii(fen).ok());
    let setup = fen.map(Fen::into_setup);
    let read = |stream: &Stream<'_>| {
        let mut told = PlainGame::default();
        let start = setup.as_ref().map_or(Start::Standard, Start::Custom);
        stream.replay(start, &mut told).ok().map(|()| told)
    };
    let stream = Stream::new(bin, comments);
    let Some(game) = read(&stream) else { return };
    let mut encoder = Encoder::new();
    if game.tell(&mut encoder).is_break() {
        return;
    }
    let (bin, comments) = encoder.finish(stream.result()).expect("it was told all");
    let again = read(&Stream::new(&bin, &comments)).expect("what was written is read");
    assert_eq!(again.events, game.events);
    assert_eq!(Stream::new(&bin, &comments).result(), stream.result());
}

/// Packs files into a tar file.
fn tar<B: AsRef<[u8]>>(files: impl Iterator<Item = (String, B)>) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in files {
        let bytes = bytes.as_ref();
        let mut header = [0; 512];
        header[..name.len()].copy_from_slice(name.as_bytes());
        header[124..135].copy_from_slice(format!("{:011o}", bytes.len()).as_bytes());
        tar.extend(header);
        tar.extend(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar
}

// ---- seeds ----

/// A column: its name, kind and length as a table's files have them.
type Column = (&'static str, u16, u16);

/// Numbers, short text, long text and blobs.
const NUMBER: (u16, u16) = (0, 4);
const BYTE: (u16, u16) = (0, 1);
const DATE: (u16, u16) = (0, 3);
const TEXT: (u16, u16) = (8, 100);
const BLOB: (u16, u16) = (4, 10);

const fn column(name: &'static str, kind: (u16, u16)) -> Column {
    (name, kind.0, kind.1)
}

const HEAD: [Column; 15] = [
    column("Id", NUMBER),
    column("CId", NUMBER),
    column("Attributes", NUMBER),
    column("Result", BYTE),
    column("WhiteId", NUMBER),
    column("BlackId", NUMBER),
    column("WhiteELO", NUMBER),
    column("BlackELO", NUMBER),
    column("EventId", NUMBER),
    column("SiteId", NUMBER),
    column("GameDate", DATE),
    column("EventDate", DATE),
    column("DateFlags", NUMBER),
    column("ECO", TEXT),
    column("AnnotatorId", NUMBER),
];
const MORE: [Column; 9] = [
    column("GId", NUMBER),
    column("WhiteTitle", TEXT),
    column("BlackTitle", TEXT),
    column("Round", TEXT),
    column("Board", TEXT),
    column("FEN", TEXT),
    column("Info", BLOB),
    column("Bin", BLOB),
    column("Comments", BLOB),
];
const NAMES: [Column; 2] = [column("Id", NUMBER), column("Name", TEXT)];

/// Describes a table as its `.frm` does: the names of the columns.
fn frm(columns: &[Column]) -> Vec<u8> {
    const FORM: usize = 68;
    let mut file = vec![0; FORM + 288 + 17 * columns.len()];
    file[64..68].copy_from_slice(&(FORM as u32).to_le_bytes());
    file[FORM + 258] = columns.len() as u8;
    file.push(0xff);
    for (name, ..) in columns {
        file.extend(name.as_bytes());
        file.push(0xff);
    }
    file
}

/// Describes a table as its `.MYI` does: how its rows are packed.
fn myi(columns: &[Column]) -> Vec<u8> {
    const BASE: usize = 24;
    const COLUMNS: usize = 100;
    let mut file = vec![0; COLUMNS];
    file[..6].copy_from_slice(&[0xfe, 0xfe, 7, 1, 0, 1]);
    let header_bytes = (COLUMNS + 7 * columns.len()) as u16;
    file[6..8].copy_from_slice(&header_bytes.to_be_bytes());
    file[12..14].copy_from_slice(&(BASE as u16).to_be_bytes());
    file[BASE + 47] = 1;
    file[BASE + 67] = columns.len() as u8;
    for (_, kind, length) in columns {
        file.extend(kind.to_be_bytes());
        file.extend(length.to_be_bytes());
        file.extend([0; 3]);
    }
    file
}

/// Packs rows, each in a block of its own. A value has its number of bytes, or is text.
fn myd(columns: &[Column], rows: &[Vec<Vec<u8>>]) -> Vec<u8> {
    let mut file = Vec::new();
    for values in rows {
        let blobs = columns.iter().filter(|column| column.1 == BLOB.0).count();
        let mut row = vec![0; blobs.div_ceil(8)];
        for ((_, kind, length), value) in columns.iter().zip(values) {
            match *kind {
                0 => {
                    let mut value = value.clone();
                    value.resize(usize::from(*length), 0);
                    row.extend(value);
                }
                8 => {
                    row.push(value.len() as u8);
                    row.extend(value);
                }
                _ => {
                    row.extend((value.len() as u16).to_le_bytes());
                    row.extend(value);
                }
            }
        }
        file.push(1);
        file.extend((row.len() as u16).to_be_bytes());
        file.extend(row);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    file
}

fn head_row(id: u32, game: &PlainGame) -> Vec<Vec<u8>> {
    let number = |number: u32| number.to_le_bytes().to_vec();
    let result = match game.header.result {
        GameResult::WhiteWins => 2,
        GameResult::Draw => 1,
        GameResult::BlackWins => 0,
        GameResult::Unknown => 3,
    };
    let elo = |rating: Option<tabiya::format::Rating>| {
        number(rating.map_or(0, |rating| rating.value.get().into()))
    };
    let date = number(1999 << 9 | id << 5 | id)[..3].to_vec();
    let eco = game.header.eco.map_or(String::new(), |eco| eco.to_string());
    vec![
        number(id),
        number(1 + id % 3),
        number(0),
        vec![result],
        number(1),
        number(2),
        elo(game.header.white_rating),
        elo(game.header.black_rating),
        number(1),
        number(2),
        date.clone(),
        date,
        number(id & 0x70),
        eco.into_bytes(),
        number(id % 2),
    ]
}

/// The second half of a game; `None` for what jose cannot write.
fn more_row(id: u32, game: &PlainGame) -> Option<Vec<Vec<u8>>> {
    let mut encoder = Encoder::new();
    let _ = game.tell(&mut encoder);
    let (bin, comments) = encoder.finish(Some(game.header.result)).ok()?;
    let fen = |setup: Setup| Fen::try_from(setup).ok().map(|fen| fen.to_string());
    let text = |text: &str| text.as_bytes().to_vec();
    Some(vec![
        id.to_le_bytes().to_vec(),
        text("GM"),
        text(""),
        text("2.1"),
        text("7"),
        text(&game.start.clone().and_then(fen).unwrap_or_default()),
        text("Opening=Sicilian;TimeControl=40/7200"),
        bin,
        comments,
    ])
}

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let (mut heads, mut mores, mut wholes) = (Vec::new(), Vec::new(), Vec::new());
    let mut seeds = Vec::new();
    for (id, game) in (1..).zip(some_games(6, 8)) {
        let Some(more) = more_row(id, &game) else {
            continue;
        };
        seeds.push(joined([
            (BIN, &more[7]),
            (COMMENTS, &more[8]),
            (FEN, &more[5]),
        ]));
        let head = head_row(id, &game);
        wholes.push([&head[..], &more[..]].concat());
        heads.push(head);
        mores.push(more);
    }
    let names = (1..4_u32).map(|id| {
        let name = format!("Name, {id}").into_bytes();
        vec![id.to_le_bytes().to_vec(), name]
    });
    let names: Vec<Vec<Vec<u8>>> = names.collect();
    let whole_columns = [&HEAD[..], &MORE[..]].concat();
    let table = |letter: u8, columns: &[Column], rows: &[Vec<Vec<u8>>]| {
        let files = [frm(columns), myi(columns), myd(columns, rows)];
        (letter..).zip(files).collect::<Vec<_>>()
    };
    let more_names = [b'd', b'g', b'j']
        .map(|letter| table(letter, &NAMES, &names))
        .concat();
    let whole = [table(b'a', &whole_columns, &wholes), more_names.clone()].concat();
    let halves = [
        table(b'a', &HEAD, &heads),
        table(b'm', &MORE, &mores),
        more_names,
    ]
    .concat();
    let archive = joined(whole.clone());
    let pieces = Pieces::of(&archive);
    let files = files(&pieces).map(|(name, bytes)| (format!("IO_{name}"), bytes));
    seeds.push(joined([(ARCHIVE, tar(files))]));
    seeds.extend([joined(whole), joined(halves)]);
    seeds
}
