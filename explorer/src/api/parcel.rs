//! A new database as a zip file: written into a folder of its own, packed, and sent from there.
//!
//! Nothing else on the server's disk changes. The folder goes when the zip file is made, and that
//! has no name, so that it goes with the answer, whether this was taken or not.

use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{self, Read, Seek, Write},
    path::Path,
    sync::Arc,
};

use axum::{
    body::{Body, Bytes},
    http::header::{CONTENT_LENGTH, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use futures_util::stream::{self, Stream};
use tabiya::{Conversion, ConvertOptions, Database, ErrorKind, Flow, GameId, convert_games};
use tokio::sync::OwnedSemaphorePermit;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::chosen::Chosen;
use crate::{
    errors::{Fault, neutral},
    limits::Ask,
    log,
    registry::DatabaseRef,
    state::Explorer,
};

/// Bytes that are read and sent together.
const PIECE_BYTES: usize = 256 << 10;
/// Games that are named one by one when they cannot be written.
const SKIPPED_NAMED_MAX: usize = 100;

/// What is written, and where from.
struct Order {
    chosen: Chosen,
    suffix: &'static str,
    stem: String,
}

/// Returns a new database with games. Two are made or sent at the same time, no more, which bounds
/// what they take on the disk.
///
/// # Errors
/// `Busy` when there are two already; `Request` for more games or bytes than there may be; those
/// of a search.
pub(super) async fn send(
    explorer: Arc<Explorer>,
    mut chosen: Chosen,
    suffix: &'static str,
    stem: String,
) -> Result<Response, Fault> {
    let turn = explorer.exports.clone().try_acquire_owned();
    let turn = turn.map_err(|_| Fault::Busy)?;
    chosen.ask(&explorer).await?;
    let databases = chosen.databases();
    let order = Order {
        chosen,
        suffix,
        stem,
    };
    let work =
        move |explorer: &Explorer, held: &[DatabaseRef], ask: &Ask| order.pack(explorer, held, ask);
    let (file, bytes) = explorer.search(databases, work).await?;
    let body = Body::from_stream(pieces(file, turn));
    let head = [
        (CONTENT_TYPE, "application/zip".to_owned()),
        (CONTENT_LENGTH, bytes.to_string()),
    ];
    Ok((head, body).into_response())
}

impl Order {
    /// Returns a zip file with the database, and its length.
    fn pack(
        &self,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<(File, u64), Fault> {
        let found = self.chosen.hits(explorer, held, ask)?;
        let hits = &found.hits[self.chosen.range(found.hits.len(), usize::MAX)];
        let most = explorer.limits.export_games;
        if hits.len() > most {
            let what = format!(
                "a new database may have {most} games, and these are {}",
                hits.len()
            );
            return Err(Fault::Request(what));
        }
        let mut games: Vec<(&Database, GameId)> = Vec::with_capacity(hits.len());
        for hit in hits {
            let own = held.iter().find(|held| held.index == hit.database);
            games.push((own.ok_or(Fault::Internal)?, hit.game));
        }
        let folder = tempfile::tempdir().map_err(|_| no_room())?;
        let bytes_max = explorer.limits.export_size.saturating_mul(1 << 20);
        let made = self.write(&games, folder.path(), bytes_max, ask)?;
        let notes = notes(&made, &found.damage());
        let zip = self.zip(folder.path(), notes, ask);
        zip.map_err(|error| match ask.check() {
            Err(fault) => fault,
            Ok(()) => {
                log::tell(format_args!("cannot pack a new database: {error}"));
                no_room()
            }
        })
    }

    fn write(
        &self,
        games: &[(&Database, GameId)],
        folder: &Path,
        bytes_max: u64,
        ask: &Ask,
    ) -> Result<Conversion, Fault> {
        let target = folder.join(format!("{}.{}", self.stem, self.suffix));
        let mut is_large = false;
        let progress = |_| {
            is_large = bytes(folder) > bytes_max;
            if is_large {
                Flow::Break(())
            } else {
                ask.flow()
            }
        };
        let made = convert_games(games, &target, ConvertOptions::new(), progress);
        if is_large || made.is_ok() && bytes(folder) > bytes_max {
            let most = bytes_max >> 20;
            let what = format!("a new database may have {most} megabytes, and this has more");
            return Err(Fault::Request(what));
        }
        made.map_err(|error| match error.kind() {
            ErrorKind::LimitExceeded { .. } => {
                let what = neutral(&error);
                Fault::Request(format!("{what}; another format may have room"))
            }
            _ => error.into(),
        })
    }

    fn zip(&self, folder: &Path, notes: Option<String>, ask: &Ask) -> io::Result<(File, u64)> {
        let mut zip = ZipWriter::new(tempfile::tempfile()?);
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let mut names: Vec<_> = fs::read_dir(folder)?
            .map(|entry| Ok(entry?.file_name()))
            .collect::<io::Result<_>>()?;
        names.sort();
        let mut piece = vec![0; PIECE_BYTES];
        for name in names {
            let mut file = File::open(folder.join(&name))?;
            let is_large = file.metadata()?.len() >= u64::from(u32::MAX);
            zip.start_file(name.to_string_lossy(), options.large_file(is_large))?;
            loop {
                ask.check().map_err(|_| io::ErrorKind::Interrupted)?;
                match file.read(&mut piece)? {
                    0 => break,
                    read => zip.write_all(&piece[..read])?,
                }
            }
        }
        if let Some(notes) = notes {
            zip.start_file(format!("{} - what was left out.txt", self.stem), options)?;
            zip.write_all(notes.as_bytes())?;
        }
        let mut file = zip.finish()?;
        let bytes = file.stream_position()?;
        file.rewind()?;
        Ok((file, bytes))
    }
}

/// Says what the new database does not have; nothing if it has everything. `damage` is what the
/// search has left out.
fn notes(made: &Conversion, damage: &[String]) -> Option<String> {
    let is_all = made.skipped == 0 && made.losses.is_empty() && made.source_faults.is_empty();
    if is_all && damage.is_empty() {
        return None;
    }
    let mut text = match made.games {
        1 => "1 game was written.\n".to_owned(),
        games => format!("{games} games were written.\n"),
    };
    for damage in damage {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "Of what was searched {damage}.");
    }
    for fault in &made.source_faults {
        let _ = writeln!(text, "Of this something may be missing: {}", neutral(fault));
    }
    for skipped in made.skipped_games.iter().take(SKIPPED_NAMED_MAX) {
        let _ = writeln!(text, "Left out: {}", neutral(skipped));
    }
    let named = made.skipped_games.len().min(SKIPPED_NAMED_MAX) as u64;
    if made.skipped > named {
        let _ = writeln!(text, "Left out: {} more games", made.skipped - named);
    }
    for lost in &made.losses {
        let _ = writeln!(
            text,
            "The format has no place for: {} {}, first in game {}",
            lost.count, lost.what, lost.first_game
        );
    }
    Some(text)
}

/// Returns how much there is in a folder.
fn bytes(folder: &Path) -> u64 {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let sizes = entries.filter_map(|entry| entry.metadata().ok());
    sizes.map(|file| file.len()).sum()
}

fn no_room() -> Fault {
    Fault::Unreadable("the server cannot write its temporary files".to_owned())
}

/// Reads a file piece by piece, each when the client has taken the one before.
fn pieces(file: File, turn: OwnedSemaphorePermit) -> impl Stream<Item = Result<Bytes, io::Error>> {
    stream::unfold(Some((file, turn)), |open| async {
        let (mut file, turn) = open?;
        let read = tokio::task::spawn_blocking(move || {
            let mut piece = vec![0; PIECE_BYTES];
            let read = file.read(&mut piece)?;
            piece.truncate(read);
            Ok::<_, io::Error>((file, piece))
        });
        match read.await {
            Ok(Ok((_, piece))) if piece.is_empty() => None,
            Ok(Ok((file, piece))) => Some((Ok(Bytes::from(piece)), Some((file, turn)))),
            _ => Some((Err(io::Error::other("the answer is cut short")), None)),
        }
    })
}
