//! Writes games, records and names to the files.

use super::{
    encode::GameMeta,
    extended,
    roster::{EntityKind, Roster},
};
use crate::{
    Ask, Assemble, EncodedGame, FormatKind,
    chessbase::v1::layout::RECORD_BYTES,
    error::{Error, Result},
    output::{Destination, Output},
    suffix::CHESSBASE,
};

/// Size of the headers of `.cbg` and `.cba` in bytes.
const CONTAINER_HEADER_BYTES: usize = 26;
/// Maximum bytes of `.cbg` and `.cba`, whose offsets have 32 bits.
const CONTAINER_BYTES_MAX: u64 = 1 << 32;
/// Maximum number of games: the number of the next one has 32 bits, of which programs read 31.
const GAMES_MAX: u32 = i32::MAX as u32 - 1;

/// The files that are appended to with each game.
#[derive(Debug)]
struct Outputs {
    index: Output,
    games: Output,
    annotations: Output,
    extended: Output,
    offsets: Output,
}

/// A database being written.
#[derive(Debug)]
pub struct Assembler {
    outputs: Outputs,
    /// Indexed by kind, in the order of [`EntityKind::ALL`].
    rosters: [Roster; 6],
    /// The last day of each tournament, packed.
    end_dates: Vec<u32>,
    /// Two bits per game, the lower of which marks a top game; the first two bits belong to no
    /// game.
    top_games: Vec<u8>,
}

/// The IDs of a game's names.
#[derive(Debug, Clone, Copy)]
struct Ids {
    /// White, Black, tournament, annotator, source.
    names: [u32; 5],
    teams: [Option<u32>; 2],
}

impl Assemble for Assembler {
    type Layout = ();
    type GameMeta = GameMeta;

    fn suffixes((): ()) -> &'static [&'static str] {
        CHESSBASE
    }

    fn kind((): ()) -> Option<FormatKind> {
        None
    }

    fn games_max((): ()) -> u32 {
        GAMES_MAX
    }

    fn create((): (), place: &Destination) -> Result<Assembler> {
        let output = |suffix, header_bytes| Output::new(place, suffix, header_bytes);
        let outputs = Outputs {
            index: output("cbh", RECORD_BYTES)?,
            games: output("cbg", CONTAINER_HEADER_BYTES)?,
            annotations: output("cba", CONTAINER_HEADER_BYTES)?,
            extended: output("cbj", extended::HEADER_BYTES)?,
            offsets: output("cbgi", 4)?,
        };
        Ok(Assembler {
            outputs,
            rosters: EntityKind::ALL.map(Roster::new),
            end_dates: Vec::new(),
            top_games: vec![0],
        })
    }

    fn append(&mut self, game: &EncodedGame<GameMeta>, number: u32) -> Result<()> {
        self.check_room(game)?;
        let ids = self.number(&game.rest)?;
        self.write(game, number, ids)?;
        self.count(&game.rest, number);
        self.remember(&game.rest, number, ids);
        Ok(())
    }

    fn finish(mut self, games: u32, place: &Destination, _: Ask<'_>) -> Result<Vec<Output>> {
        self.write_headers(games)?;
        let mut files = Vec::new();
        for (kind, roster) in EntityKind::ALL.into_iter().zip(&self.rosters) {
            files.push(Output::whole(place, kind.suffix(), &roster.to_bytes())?);
        }
        for (suffix, bytes) in [
            ("cbtt", tournament_details(&self.end_dates)),
            ("flags", top_games(&self.top_games)),
        ] {
            files.push(Output::whole(place, suffix, &bytes)?);
        }
        let outputs = self.outputs;
        files.extend([outputs.games, outputs.annotations, outputs.extended]);
        files.extend([outputs.offsets, outputs.index]);
        Ok(files)
    }
}

impl Assembler {
    fn check_room(&self, game: &EncodedGame<GameMeta>) -> Result<()> {
        let games = self.outputs.games.length() + game.bytes.len() as u64;
        let annotations = self.outputs.annotations.length() + game.rest.annotations.len() as u64;
        if games.max(annotations) > CONTAINER_BYTES_MAX {
            let (what, limit) = ("the bytes of all games", CONTAINER_BYTES_MAX);
            return Err(Error::limit(what, limit));
        }
        Ok(())
    }

    fn roster(&mut self, kind: EntityKind) -> &mut Roster {
        &mut self.rosters[kind as usize]
    }

    /// Returns the IDs of a game's names, adding new names.
    fn number(&mut self, game: &GameMeta) -> Result<Ids> {
        let names = &game.names;
        let ids = [
            self.roster(EntityKind::Player).id(&names.white)?,
            self.roster(EntityKind::Player).id(&names.black)?,
            self.roster(EntityKind::Tournament).id(&names.tournament)?,
            self.roster(EntityKind::Annotator).id(&names.annotator)?,
            self.roster(EntityKind::Source).id(&names.source)?,
        ];
        let mut teams = [None; 2];
        for (id, team) in teams.iter_mut().zip(&names.teams) {
            if let Some(team) = team {
                *id = Some(self.roster(EntityKind::Team).id(team)?);
            }
        }
        Ok(Ids { names: ids, teams })
    }

    /// Counts the references to a game's names.
    fn count(&mut self, game: &GameMeta, number: u32) {
        let names = &game.names;
        let players = [&names.white, &names.black];
        for player in players {
            self.roster(EntityKind::Player).count(player, number);
        }
        let roster = self.roster(EntityKind::Tournament);
        roster.count(&names.tournament, number);
        let roster = self.roster(EntityKind::Annotator);
        roster.count(&names.annotator, number);
        self.roster(EntityKind::Source).count(&names.source, number);
        for team in names.teams.iter().flatten() {
            self.roster(EntityKind::Team).count(team, number);
        }
    }

    /// Records the data for the small files that are written at the end.
    fn remember(&mut self, game: &GameMeta, number: u32, ids: Ids) {
        let [_, _, tournament, _, _] = ids.names;
        let tournament = tournament as usize;
        if game.names.end_date != 0 {
            if self.end_dates.len() <= tournament {
                self.end_dates.resize(tournament + 1, 0);
            }
            self.end_dates[tournament] = game.names.end_date;
        }
        let byte = number as usize / 4;
        if self.top_games.len() <= byte {
            self.top_games.push(0);
        }
        self.top_games[byte] |= u8::from(game.is_top_game) << (number % 4 * 2);
    }

    fn write(&mut self, game: &EncodedGame<GameMeta>, number: u32, ids: Ids) -> Result<()> {
        let (outputs, rest) = (&mut self.outputs, &game.rest);
        let offset = outputs.games.length();
        let mut annotations = 0;
        if !rest.annotations.is_empty() {
            annotations = outputs.annotations.length();
            // They start with the low 24 bits of the game's number.
            outputs.annotations.append(&number.to_be_bytes()[1..])?;
            outputs.annotations.append(&rest.annotations[3..])?;
        }
        outputs.games.append(&game.bytes)?;
        let mut record = rest.record;
        record.set_names(ids.names);
        record.set_offsets(offset as u32, annotations as u32);
        outputs.index.append(record.as_bytes())?;
        let extended = extended::record(ids.teams, rest.counts, offset, annotations);
        outputs.extended.append(&extended)?;
        outputs.offsets.append(&(offset as u32).to_le_bytes())
    }

    /// Writes the headers of the files that were appended to.
    fn write_headers(&mut self, games: u32) -> Result<()> {
        let outputs = &mut self.outputs;
        outputs.index.set_header(&index_header(games))?;
        for container in [&mut outputs.games, &mut outputs.annotations] {
            let header = container_header(container.length());
            container.set_header(&header)?;
        }
        let header = extended::header(games);
        outputs.extended.set_header(&header)?;
        outputs.offsets.set_header(&games.to_le_bytes())
    }
}

/// Returns the header of `.cbh`: its own length, that of a record, and in two places the number of
/// the next game; most of the rest is zeros.
fn index_header(game_count: u32) -> [u8; RECORD_BYTES] {
    let mut header = [0; RECORD_BYTES];
    header[2] = 44;
    header[4] = RECORD_BYTES as u8;
    header[5] = 1;
    let next = (game_count + 1).to_be_bytes();
    header[6..10].copy_from_slice(&next);
    header[40..44].copy_from_slice(&next);
    header
}

/// Returns the header of `.cbg` and `.cba`: its length, then the file's length and how much of it
/// is unused, in 32 and again in 64 bits.
fn container_header(length: u64) -> [u8; CONTAINER_HEADER_BYTES] {
    let mut header = [0; CONTAINER_HEADER_BYTES];
    header[1] = CONTAINER_HEADER_BYTES as u8;
    header[2..6].copy_from_slice(&(length as u32).to_be_bytes());
    header[10..18].copy_from_slice(&length.to_be_bytes());
    header
}

/// Returns `.cbtt` in the version with 65 bytes per tournament, with only the end dates set.
fn tournament_details(end_dates: &[u32]) -> Vec<u8> {
    const DATE_AT: usize = 61;
    let last = end_dates.len().saturating_sub(1) as u32;
    let mut bytes = [3_u32, 65, last].map(u32::to_le_bytes).concat();
    bytes.resize(32, 0);
    for date in end_dates {
        let mut record = [0; 65];
        record[DATE_AT..].copy_from_slice(&date.to_be_bytes());
        bytes.extend_from_slice(&record);
    }
    bytes
}

/// Returns `.flags`: magic, number of words, bits per game, then the bits of all games.
fn top_games(bits: &[u8]) -> Vec<u8> {
    const BITS: u32 = 2;
    let words = bits.len().div_ceil(4);
    let mut bytes = vec![0x0f, 0x01, 0x0b, 0x09];
    bytes.extend_from_slice(&(words as u32).to_be_bytes());
    bytes.extend_from_slice(&BITS.to_be_bytes());
    bytes.extend_from_slice(bits);
    bytes.resize(12 + 4 * words, 0);
    bytes
}
