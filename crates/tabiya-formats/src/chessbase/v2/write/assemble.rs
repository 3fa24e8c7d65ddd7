//! Writes games, records and names to the files.

use super::{encode::GameMeta, roster::Roster};
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind,
    chessbase::{
        common::write::grow,
        v2::{
            frame,
            layout::{RECORD_BYTES, check_header},
        },
    },
    error::Result,
    output::{Destination, Output},
    suffix::CHESSBASE2,
};

/// Bytes of the headers of `.2cbg` and `.2cba`.
const CONTAINER_HEADER_BYTES: usize = 12;
/// What follows the sizes there: whether there are games.
const CONTAINER_KIND_AT: usize = 10;
const NO_GAMES: [u8; 2] = [1, 0];
const SOME_GAMES: [u8; 2] = [0, 5];
/// Where the header of the index has the number of the next game.
const NEXT_GAME_AT: usize = 16;
/// Maximum number of games: that of the next one has 31 bits.
const GAMES_MAX: u32 = i32::MAX as u32 - 1;

/// A database being written.
#[derive(Debug)]
pub struct Assembler {
    index: Output,
    games: Output,
    annotations: Output,
    roster: Roster,
    /// What the headers of the games and the index say changes; the rest stays as it was.
    grows: Option<GrowingGames>,
}

/// What is to be known of the games of a database that grows.
#[derive(Debug)]
struct GrowingGames {
    were_none: bool,
}

impl Assemble for Assembler {
    type Layout = ();
    type GameMeta = GameMeta;

    fn suffixes((): ()) -> &'static [&'static str] {
        CHESSBASE2
    }

    fn kind((): ()) -> Option<FormatKind> {
        None
    }

    fn games_max((): ()) -> u32 {
        GAMES_MAX
    }

    fn create((): (), place: &Destination) -> Result<Assembler> {
        let output = |suffix, header_bytes| Output::new(place, suffix, header_bytes);
        Ok(Assembler {
            index: output("2cbh", RECORD_BYTES)?,
            games: output("2cbg", CONTAINER_HEADER_BYTES)?,
            annotations: output("2cba", CONTAINER_HEADER_BYTES)?,
            roster: Roster::new(),
            grows: None,
        })
    }

    fn resume((): (), place: &Destination, old: &Change) -> Result<(Assembler, u32)> {
        let index = grow::existing(old, "2cbh")?;
        let next = index
            .get(NEXT_GAME_AT..)
            .and_then(|next| next.first_chunk());
        let next = next.map(|next| u32::from_le_bytes(*next));
        let count = check_header(&index)
            .and_then(|()| grow::games_of(&index, RECORD_BYTES, next))
            .map_err(|error| error.at_path(&old.path("2cbh")))?;
        let container = |suffix| {
            let file = grow::existing(old, suffix)?;
            if file.get(8..10) != Some(&[CONTAINER_HEADER_BYTES as u8, 0]) {
                return Err(grow::other_form(old, suffix));
            }
            let said = file
                .first_chunk()
                .map_or(0, |said| u64::from_le_bytes(*said));
            let output = grow::container(place, suffix, &file, said);
            let kind = file.get(CONTAINER_KIND_AT..CONTAINER_HEADER_BYTES);
            let were_none = kind == Some(&NO_GAMES);
            output
                .map(|output| (output, were_none))
                .map_err(|error| error.at_path(&old.path(suffix)))
        };
        let (games, were_none) = container("2cbg")?;
        let names = grow::existing(old, "2lid")?;
        let roster = Roster::resume(&names).map_err(|error| error.at_path(&old.path("2lid")))?;
        let assembler = Assembler {
            index: Output::growing(place, "2cbh", index.len() as u64)?,
            games,
            annotations: container("2cba")?.0,
            roster: roster.ok_or_else(|| grow::other_form(old, "2lid"))?,
            grows: Some(GrowingGames { were_none }),
        };
        Ok((assembler, count))
    }

    fn append(&mut self, game: &EncodedGame<GameMeta>, _: u32) -> Result<()> {
        let (rest, mut record) = (&game.rest, game.rest.record);
        for (field, of, name) in rest.names() {
            record.set_name(field, self.roster.number(of, name)?);
        }
        record.set_offsets(self.games.length(), self.annotations.length());
        append_frame(&mut self.games, &game.bytes)?;
        if !rest.annotations.is_empty() {
            append_frame(&mut self.annotations, &rest.annotations)?;
        }
        self.index.append(record.as_bytes())
    }

    fn finish(mut self, games: u32, place: &Destination, ask: Ask<'_>) -> Result<Vec<Output>> {
        let kind = if games > 0 { SOME_GAMES } else { NO_GAMES };
        if let Some(before) = &self.grows {
            let next = (games + 1).to_le_bytes();
            self.index.overwrite(NEXT_GAME_AT as u64, &next)?;
            for container in [&mut self.games, &mut self.annotations] {
                let length = container.length().to_le_bytes();
                container.overwrite(0, &length)?;
            }
            if before.were_none {
                self.games.overwrite(CONTAINER_KIND_AT as u64, &kind)?;
            }
        } else {
            self.index.set_header(&index_header(games))?;
            let header = container_header(self.games.length(), kind);
            self.games.set_header(&header)?;
            let header = container_header(self.annotations.length(), [0, 0]);
            self.annotations.set_header(&header)?;
        }
        let names = self.roster.into_output(place, ask)?;
        Ok(vec![self.games, self.annotations, names, self.index])
    }
}

/// Appends a record, as long as there is room in it for what may be added later.
fn append_frame(file: &mut Output, begun: &[u8]) -> Result<()> {
    let spare = frame::spare(begun, file.length());
    let (before, after) = frame::around_spare(begun);
    file.append(before)?;
    file.append(&spare.to_le_bytes())?;
    file.append(after)?;
    file.append(&[0; frame::SPARE_MAX][..spare as usize])?;
    let length = frame::bytes_with(begun, spare);
    file.append(&length.to_le_bytes())
}

/// Returns the header of `.2cbh`: 38, the bytes of a record, the version, the number of the next
/// game; the rest is zeros.
fn index_header(games: u32) -> [u8; RECORD_BYTES] {
    let mut header = [0; RECORD_BYTES];
    header[8] = 38;
    header[10..12].copy_from_slice(&(RECORD_BYTES as u16).to_le_bytes());
    header[13] = 5;
    header[NEXT_GAME_AT..][..4].copy_from_slice(&(games + 1).to_le_bytes());
    header
}

/// Returns the header of `.2cbg` or `.2cba`: the file's length, its own, and two bytes.
fn container_header(length: u64, kind: [u8; 2]) -> [u8; CONTAINER_HEADER_BYTES] {
    let mut header = [0; CONTAINER_HEADER_BYTES];
    header[..8].copy_from_slice(&length.to_le_bytes());
    header[8] = CONTAINER_HEADER_BYTES as u8;
    header[CONTAINER_KIND_AT..].copy_from_slice(&kind);
    header
}
