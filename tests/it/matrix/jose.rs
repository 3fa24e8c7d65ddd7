//! Databases of jose, made of games: the tables in a folder or packed into an archive.

use std::{io::Write, path::Path};

use tabiya::chess::GameResult;
use tabiya_formats::jose;

use crate::support::game::{PlainGame, main_line_plies};

/// A column: its name and the bytes of a number; `None` for a text.
type Column = (&'static str, Option<usize>);

const HEAD: [Column; 16] = [
    ("Id", Some(4)),
    ("CId", Some(4)),
    ("Attributes", Some(4)),
    ("Result", Some(1)),
    ("WhiteId", Some(4)),
    ("BlackId", Some(4)),
    ("WhiteELO", Some(4)),
    ("BlackELO", Some(4)),
    ("EventId", Some(4)),
    ("SiteId", Some(4)),
    ("GameDate", Some(3)),
    ("EventDate", Some(3)),
    ("DateFlags", Some(4)),
    ("ECO", None),
    ("AnnotatorId", Some(4)),
    ("PlyCount", Some(4)),
];
const MORE: [Column; 8] = [
    ("WhiteTitle", None),
    ("BlackTitle", None),
    ("Round", None),
    ("Board", None),
    ("FEN", None),
    ("Info", None),
    ("Bin", None),
    ("Comments", None),
];
const NAME: [Column; 2] = [("Id", Some(4)), ("Name", None)];

/// A table that is being written.
pub(super) struct Table {
    name: &'static str,
    columns: Vec<Column>,
    rows: Vec<u8>,
}

impl Table {
    fn new(name: &'static str, columns: &[Column]) -> Table {
        Table {
            name,
            columns: columns.to_vec(),
            rows: Vec::new(),
        }
    }

    /// Adds a row of one block. No column is left out, so that all its flags are clear.
    fn push(&mut self, values: &[Vec<u8>]) {
        let texts = self.columns.iter().filter(|column| column.1.is_none());
        let mut row = vec![0; texts.count().div_ceil(8)];
        for ((_, width), value) in self.columns.iter().zip(values) {
            if width.is_none() {
                row.extend((value.len() as u32).to_le_bytes());
            }
            row.extend(value);
        }
        // A block with three bytes of length.
        self.rows.push(2);
        self.rows.extend(&(row.len() as u32).to_be_bytes()[1..]);
        self.rows.extend(row);
        self.rows.resize(self.rows.len().next_multiple_of(4), 0);
    }

    /// Returns the files' suffixes and bytes.
    fn files(&self) -> [(String, Vec<u8>); 3] {
        let name = |suffix: &str| format!("{}.{suffix}", self.name);
        [
            (name("frm"), self.description()),
            (name("MYI"), self.layout()),
            (name("MYD"), self.rows.clone()),
        ]
    }

    fn description(&self) -> Vec<u8> {
        let count = self.columns.len();
        let mut file = vec![0; 68 + 288 + 17 * count];
        file[64] = 68;
        file[68 + 258] = count as u8;
        file.push(0xff);
        for (name, _) in &self.columns {
            file.extend(name.bytes().chain([0xff]));
        }
        file
    }

    fn layout(&self) -> Vec<u8> {
        const BASE: usize = 100;
        let count = self.columns.len();
        let mut file = vec![0xfe, 0xfe, 7, 1, 0, 1];
        file.resize(BASE + 68, 0);
        file[6..8].copy_from_slice(&((BASE + 68 + 7 * count) as u16).to_be_bytes());
        file[12..14].copy_from_slice(&(BASE as u16).to_be_bytes());
        file[BASE + 47] = 1;
        file[BASE + 67] = count as u8;
        for (_, width) in &self.columns {
            // A number as it is, or a length of four bytes and a text.
            let (kind, length) = width.map_or((4, 12), |width| (0, width as u16));
            file.extend([0, kind]);
            file.extend(length.to_be_bytes());
            file.extend([0; 3]);
        }
        file
    }
}

/// Names and their numbers, in the order in which they occur.
struct Names(Table, Vec<String>);

impl Names {
    fn number(&mut self, name: &str) -> Vec<u8> {
        let at = self.1.iter().position(|known| known == name);
        let number = at.unwrap_or_else(|| {
            self.1.push(name.to_owned());
            let number = self.1.len() as u32;
            self.0
                .push(&[number.to_le_bytes().to_vec(), name.as_bytes().to_vec()]);
            self.1.len() - 1
        });
        (number as u32 + 1).to_le_bytes().to_vec()
    }
}

fn more_values(game: &PlainGame) -> Vec<Vec<u8>> {
    let mut encoder = jose::Encoder::new();
    let _ = game.tell(&mut encoder);
    let (bin, comments) = encoder.finish(None).expect("the game can be encoded");
    let round = game.header.round.clone().into_bytes();
    let [none, fen] = [Vec::new(), Vec::new()];
    assert!(game.start.is_none() && game.tags.is_empty(), "{game:?}");
    let empty = none.clone();
    vec![
        none.clone(),
        none,
        round,
        empty.clone(),
        fen,
        empty,
        bin,
        comments,
    ]
}

/// Makes the tables of games. Of a header only names, round and result are kept.
fn tables(games: &[PlainGame], is_archive: bool) -> Vec<Table> {
    let name = |archive, folder| if is_archive { archive } else { folder };
    let names = |name| Names(Table::new(name, &NAME), Vec::new());
    let mut players = names(name("IO_Player", "player"));
    let mut events = names(name("IO_Event", "event"));
    let mut sites = names(name("IO_Site", "site"));
    let more_id = [&[("GId", Some(4))][..], &MORE].concat();
    let mut table = if is_archive {
        Table::new("IO_Game", &[&HEAD[..], &MORE].concat())
    } else {
        Table::new("game", &HEAD)
    };
    let mut more = Table::new("moregame", &more_id);
    for (number, game) in (1_u32..).zip(games) {
        let header = &game.header;
        let mut values: Vec<Vec<u8>> = HEAD
            .iter()
            .map(|(_, width)| vec![0; width.unwrap_or_default()])
            .collect();
        values[0] = number.to_le_bytes().to_vec();
        values[3] = match header.result {
            GameResult::WhiteWins => vec![2],
            GameResult::Draw => vec![1],
            _ => vec![0],
        };
        values[4] = players.number(&header.white);
        values[5] = players.number(&header.black);
        values[8] = events.number(&header.event);
        values[9] = sites.number(&header.site);
        values[15] = (main_line_plies(&game.events) as u32)
            .to_le_bytes()
            .to_vec();
        let rest = more_values(game);
        if is_archive {
            table.push(&[values, rest].concat());
        } else {
            table.push(&values);
            more.push(&[vec![number.to_le_bytes().to_vec()], rest].concat());
        }
    }
    let mut tables = vec![table, players.0, events.0, sites.0];
    tables.extend((!is_archive).then_some(more));
    tables
}

/// Packs files as tar does.
pub(super) fn tar(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut tar = Vec::new();
    for (name, bytes) in files {
        tar.extend(tar_header(name, bytes.len() as u64));
        tar.extend(bytes);
        tar.resize(tar.len().next_multiple_of(512), 0);
    }
    tar
}

/// Makes the header of a file in a tar file.
pub(super) fn tar_header(name: &str, length: u64) -> [u8; 512] {
    let mut header = [0; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[124..135].copy_from_slice(format!("{length:011o}").as_bytes());
    header
}

/// Packs by gzip.
pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Writes a database of jose: an archive if the path says so, or else a folder.
pub(super) fn write(path: &Path, games: &[PlainGame]) {
    let is_archive = path.extension().is_some_and(|suffix| suffix == "jose");
    let tables = tables(games, is_archive);
    let files: Vec<(String, Vec<u8>)> = tables.iter().flat_map(Table::files).collect();
    if is_archive {
        std::fs::write(path, gzip(&tar(&files))).unwrap();
        return;
    }
    std::fs::create_dir(path).unwrap();
    for (name, bytes) in files {
        std::fs::write(path.join(name), bytes).unwrap();
    }
}
