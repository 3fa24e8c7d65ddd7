//! Writes games, records and names to the files.

use super::{
    details::Details,
    encode::GameMeta,
    extended,
    roster::{EntityKind, Roster},
    top_games::TopGames,
};
use crate::{
    Ask, Assemble, Change, EncodedGame, FormatKind,
    chessbase::{
        common::write::grow,
        v1::{
            layout::{RECORD_BYTES, head},
            names::end_date,
        },
    },
    error::{Error, Result},
    output::{Destination, Output},
    suffix::CHESSBASE,
};

/// Size of the headers of `.cbg` and `.cba` in bytes.
const CONTAINER_HEADER_BYTES: usize = 26;
/// In databases of older programs.
const OLD_CONTAINER_HEADER_BYTES: usize = 10;
/// Where they have the file's length, in 32 and in 64 bits.
const LENGTH_AT: usize = 2;
const LONG_LENGTH_AT: usize = 10;
/// Where the header of the index has its own length and twice the number of the next game, of which
/// older programs leave the second out.
const HEADER_BYTES_AT: usize = 1;
const HEADER_BYTES: u16 = 44;
const NEXT_GAME_AT: [usize; 2] = [6, 40];
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
    /// Nobody needs this file; one that is there, but not as it should be, is removed.
    offsets: Option<Output>,
}

/// A database being written.
#[derive(Debug)]
pub struct Assembler {
    outputs: Outputs,
    /// Indexed by kind, in the order of [`EntityKind::NAMED`].
    rosters: [Roster; 5],
    details: Details,
    top_games: TopGames,
    /// Bytes of a record of `.cbj`.
    extended_bytes: usize,
    grows: Option<Growing>,
}

/// What the headers of a database that grows have: only that is overwritten.
#[derive(Debug)]
struct Growing {
    /// Where the index says the number of games.
    next_game_at: &'static [usize],
    /// Whether games and annotations say their length also in 64 bits.
    has_long_length: [bool; 2],
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
            offsets: Some(output("cbgi", 4)?),
        };
        Ok(Assembler {
            outputs,
            rosters: EntityKind::NAMED.map(Roster::new),
            details: Details::new(),
            top_games: TopGames::new(),
            extended_bytes: extended::RECORD_BYTES,
            grows: None,
        })
    }

    fn resume((): (), place: &Destination, old: &Change) -> Result<(Assembler, u32)> {
        let index = grow::existing(old, "cbh")?;
        let games = head(&index)
            .and_then(|games| grow::games_of(&index, RECORD_BYTES, u32::try_from(games + 1).ok()))
            .map_err(|error| error.at_path(&old.path("cbh")))?;
        let file = grow::existing(old, "cbj")?;
        let extended_bytes = extended::record_bytes(&file, games);
        let extended_bytes = extended_bytes.ok_or_else(|| grow::other_form(old, "cbj"))?;
        let mut extended = Output::growing(place, "cbj", file.len() as u64)?;
        extended::fill(&file, extended_bytes, games, &mut extended)?;
        let (moves, is_long) = container(place, old, "cbg")?;
        let (annotations, are_long) = container(place, old, "cba")?;
        let outputs = Outputs {
            games: moves,
            annotations,
            extended,
            offsets: offsets(place, old, games)?,
            index: Output::growing(place, "cbh", index.len() as u64)?,
        };
        let details = grow::optional(old, "cbtt")?;
        let [players, tournaments, annotators, sources, teams] = EntityKind::NAMED;
        let roster = |kind: EntityKind| {
            let also = |id: u32, key: &mut Vec<u8>| {
                if kind == EntityKind::Tournament {
                    let file = details.as_deref().unwrap_or_default();
                    let date = end_date(file, id as usize).packed();
                    key.extend_from_slice(&date.to_le_bytes());
                }
            };
            let file = grow::existing(old, kind.suffix())?;
            let roster = Roster::resume(kind, file, also);
            roster
                .map_err(|error| error.at_path(&old.path(kind.suffix())))?
                .ok_or_else(|| grow::other_form(old, kind.suffix()))
        };
        let rosters = [
            roster(players)?,
            roster(tournaments)?,
            roster(annotators)?,
            roster(sources)?,
            roster(teams)?,
        ];
        let tournaments = rosters[tournaments as usize].len();
        let details = Details::resume(details.as_ref(), tournaments);
        let top_games = TopGames::resume(grow::optional(old, "flags")?.as_ref(), games);
        let header_bytes = index
            .get(HEADER_BYTES_AT..)
            .and_then(|rest| rest.first_chunk());
        let has_both = header_bytes == Some(&HEADER_BYTES.to_be_bytes());
        let assembler = Assembler {
            outputs,
            rosters,
            details: details.ok_or_else(|| grow::other_form(old, "cbtt"))?,
            top_games: top_games.ok_or_else(|| grow::other_form(old, "flags"))?,
            extended_bytes,
            grows: Some(Growing {
                next_game_at: &NEXT_GAME_AT[..if has_both { 2 } else { 1 }],
                has_long_length: [is_long, are_long],
            }),
        };
        Ok((assembler, games))
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
        let tournaments = self.roster(EntityKind::Tournament).len();
        let mut files = Vec::new();
        for roster in self.rosters {
            files.push(roster.into_output(place)?);
        }
        if self.grows.is_none() {
            files.push(Roster::new(EntityKind::GameTag).into_output(place)?);
        }
        files.extend(self.details.into_output(tournaments, place)?);
        files.extend(self.top_games.into_output(place)?);
        let outputs = self.outputs;
        files.extend([outputs.games, outputs.annotations, outputs.extended]);
        files.extend(outputs.offsets);
        files.push(outputs.index);
        Ok(files)
    }
}

/// Begins to append to `.cbg` or `.cba`; also returns whether its header is one of newer programs.
fn container(place: &Destination, old: &Change, suffix: &'static str) -> Result<(Output, bool)> {
    let file = grow::existing(old, suffix)?;
    let header = file
        .first_chunk()
        .map_or(0, |&bytes| u16::from_be_bytes(bytes));
    let header = usize::from(header);
    if ![OLD_CONTAINER_HEADER_BYTES, CONTAINER_HEADER_BYTES].contains(&header) {
        return Err(grow::other_form(old, suffix));
    }
    let said = file.get(LENGTH_AT..).and_then(|said| said.first_chunk());
    let said = said.map_or(u64::MAX, |&said| u32::from_be_bytes(said).into());
    let output = grow::container(place, suffix, &file, said.max(header as u64));
    let output = output.map_err(|error| error.at_path(&old.path(suffix)))?;
    Ok((output, header == CONTAINER_HEADER_BYTES))
}

/// Begins to append to `.cbgi`, which may have room for more games; `None` if it has not one offset
/// for each.
fn offsets(place: &Destination, old: &Change, games: u32) -> Result<Option<Output>> {
    let Some(file) = grow::optional(old, "cbgi")? else {
        return Ok(None);
    };
    let is_sound = file.starts_with(&games.to_le_bytes())
        && file.len() as u64 >= offset_at(games.saturating_add(1));
    let growing = || Output::growing(place, "cbgi", file.len() as u64);
    is_sound.then(growing).transpose()
}

/// Returns where `.cbgi` has the offset of a game.
const fn offset_at(number: u32) -> u64 {
    4 * number as u64
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
            self.roster(EntityKind::Tournament)
                .id(&names.whole_tournament())?,
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
        roster.count(&names.whole_tournament(), number);
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
        self.details.set(tournament, game.names.end_date);
        self.top_games.set(number, game.is_top_game);
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
        let extended = extended.get(..self.extended_bytes).unwrap_or(&extended);
        outputs.extended.append(extended)?;
        match &mut outputs.offsets {
            Some(offsets) => offsets.put(offset_at(number), &(offset as u32).to_le_bytes()),
            None => Ok(()),
        }
    }

    /// Writes the headers of the files that were appended to, or what changes of them.
    fn write_headers(&mut self, games: u32) -> Result<()> {
        let outputs = &mut self.outputs;
        let containers = [&mut outputs.games, &mut outputs.annotations];
        if let Some(growing) = &self.grows {
            for &at in growing.next_game_at {
                let next = (games + 1).to_be_bytes();
                outputs.index.overwrite(at as u64, &next)?;
            }
            for (container, has_long) in containers.into_iter().zip(growing.has_long_length) {
                let length = container.length();
                let short = (length as u32).to_be_bytes();
                container.overwrite(LENGTH_AT as u64, &short)?;
                if has_long {
                    container.overwrite(LONG_LENGTH_AT as u64, &length.to_be_bytes())?;
                }
            }
            let count = games.to_le_bytes();
            outputs
                .extended
                .overwrite(extended::GAME_COUNT_AT, &count)?;
        } else {
            outputs.index.set_header(&index_header(games))?;
            for container in containers {
                let header = container_header(container.length());
                container.set_header(&header)?;
            }
            let header = extended::header(games);
            outputs.extended.set_header(&header)?;
        }
        match &mut outputs.offsets {
            Some(offsets) => offsets.set_header(&games.to_le_bytes()),
            None => Ok(()),
        }
    }
}

/// Returns the header of `.cbh`: its own length, that of a record, and in two places the number of
/// the next game; most of the rest is zeros.
fn index_header(game_count: u32) -> [u8; RECORD_BYTES] {
    let mut header = [0; RECORD_BYTES];
    header[HEADER_BYTES_AT..][..2].copy_from_slice(&HEADER_BYTES.to_be_bytes());
    header[4] = RECORD_BYTES as u8;
    header[5] = 1;
    for at in NEXT_GAME_AT {
        header[at..at + 4].copy_from_slice(&(game_count + 1).to_be_bytes());
    }
    header
}

/// Returns the header of `.cbg` and `.cba`: its length, then the file's length and how much of it
/// is unused, in 32 and again in 64 bits.
fn container_header(length: u64) -> [u8; CONTAINER_HEADER_BYTES] {
    let mut header = [0; CONTAINER_HEADER_BYTES];
    header[1] = CONTAINER_HEADER_BYTES as u8;
    header[LENGTH_AT..][..4].copy_from_slice(&(length as u32).to_be_bytes());
    header[LONG_LENGTH_AT..][..8].copy_from_slice(&length.to_be_bytes());
    header
}
