//! Writes games, records and names to the files.

use super::{
    encode::GameMeta,
    roster::{Roster, write_names},
};
use crate::{
    Ask, Assemble, EncodedGame, FormatKind,
    chessbase::v2::{
        frame,
        layout::RECORD_BYTES,
        names::{HEADER_BYTES, Type},
    },
    error::Result,
    output::{Destination, Output},
    suffix::CHESSBASE2,
};

/// Bytes of the headers of `.2cbg` and `.2cba`.
const CONTAINER_HEADER_BYTES: usize = 12;
/// Maximum number of games: that of the next one has 31 bits.
const GAMES_MAX: u32 = i32::MAX as u32 - 1;

/// A database being written.
#[derive(Debug)]
pub struct Assembler {
    index: Output,
    games: Output,
    annotations: Output,
    /// In the order of [`Type::ALL`].
    rosters: [Roster; Type::ALL.len()],
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
            rosters: Type::ALL.map(Roster::new),
        })
    }

    fn append(&mut self, game: &EncodedGame<GameMeta>, _: u32) -> Result<()> {
        let (rest, mut record) = (&game.rest, game.rest.record);
        for (field, of, name) in rest.names() {
            let roster = self.rosters.iter_mut().find(|roster| roster.of == of);
            let number = roster.map_or(Ok(0), |roster| roster.number(name))?;
            record.set_name(field, number);
        }
        record.set_offsets(self.games.length(), self.annotations.length());
        append_frame(&mut self.games, &game.bytes)?;
        if !rest.annotations.is_empty() {
            append_frame(&mut self.annotations, &rest.annotations)?;
        }
        self.index.append(record.as_bytes())
    }

    fn finish(mut self, games: u32, place: &Destination, ask: Ask<'_>) -> Result<Vec<Output>> {
        self.index.set_header(&index_header(games))?;
        // What follows the sizes tells whether there are games.
        let kind = if games > 0 { [0, 5] } else { [1, 0] };
        let header = container_header(self.games.length(), kind);
        self.games.set_header(&header)?;
        let header = container_header(self.annotations.length(), [0, 0]);
        self.annotations.set_header(&header)?;
        let mut names = Output::new(place, "2lid", HEADER_BYTES)?;
        write_names(&self.rosters, &mut names, ask)?;
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
    header[16..20].copy_from_slice(&(games + 1).to_le_bytes());
    header
}

/// Returns the header of `.2cbg` or `.2cba`: the file's length, its own, and two bytes.
fn container_header(length: u64, kind: [u8; 2]) -> [u8; CONTAINER_HEADER_BYTES] {
    let mut header = [0; CONTAINER_HEADER_BYTES];
    header[..8].copy_from_slice(&length.to_le_bytes());
    header[8] = CONTAINER_HEADER_BYTES as u8;
    header[10..].copy_from_slice(&kind);
    header
}
