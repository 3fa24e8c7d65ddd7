//! Writes games, records, names and derived data to the files.

use std::io::Read;

use super::{
    Losses, Summary,
    encode::EncodedGame,
    entities::{EntityKind, Roster},
    extended,
    lists::{self, Lists, Sorted},
    output::Output,
    summary::SUMMARY_BYTES,
};
use crate::{
    error::{Error, ErrorKind, Result},
    format::{
        Ask, Target,
        chessbase::{RECORD_BYTES, record::Record},
        go_on,
    },
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
    summaries: Output,
    offsets: Output,
}

/// A database being written.
#[derive(Debug)]
pub(super) struct Assembler {
    target: Target,
    outputs: Outputs,
    /// Indexed by kind, in the order of [`EntityKind::ALL`].
    rosters: [Roster; 6],
    /// The last day of each tournament, packed.
    end_dates: Vec<u32>,
    /// Two bits per game, the lower of which marks a top game; the first two bits belong to no
    /// game.
    top_games: Vec<u8>,
    game_count: u32,
    main_line_moves: u64,
    losses: Losses,
    /// Whether an output failed, so that the content of the files is unknown.
    is_broken: bool,
}

/// The IDs of a game's names.
#[derive(Debug, Clone, Copy)]
struct Ids {
    /// White, Black, tournament, annotator, source.
    names: [u32; 5],
    teams: [Option<u32>; 2],
}

impl Assembler {
    pub(super) fn new(target: Target) -> Result<Assembler> {
        let output = |suffix, header_bytes| Output::new(&target, suffix, header_bytes);
        let outputs = Outputs {
            index: output("cbh", RECORD_BYTES)?,
            games: output("cbg", CONTAINER_HEADER_BYTES)?,
            annotations: output("cba", CONTAINER_HEADER_BYTES)?,
            extended: output("cbj", extended::HEADER_BYTES)?,
            summaries: output("cbb", SUMMARY_BYTES)?,
            offsets: output("cbgi", 4)?,
        };
        Ok(Assembler {
            target,
            outputs,
            rosters: EntityKind::ALL.map(Roster::new),
            end_dates: Vec::new(),
            top_games: vec![0],
            game_count: 0,
            main_line_moves: 0,
            losses: Losses::default(),
            is_broken: false,
        })
    }

    pub(super) fn game_count(&self) -> u32 {
        self.game_count
    }

    /// Appends a game. After `LimitExceeded` the database is unchanged except for unreferenced
    /// names.
    pub(super) fn append(&mut self, game: &EncodedGame) -> Result<()> {
        self.check_unbroken()?;
        let number = self.game_count + 1;
        self.check_room(game)
            .map_err(|error| error.in_game(number))?;
        let ids = self.number(game).map_err(|error| error.in_game(number))?;
        if let Err(error) = self.write(game, number, ids) {
            self.is_broken = true;
            return Err(error);
        }
        self.count(game, number);
        self.remember(game, number, ids);
        self.game_count = number;
        self.main_line_moves += u64::from(game.plies);
        self.losses.add(number, &game.losses);
        Ok(())
    }

    fn check_room(&self, game: &EncodedGame) -> Result<()> {
        let limit = |what, limit| Err(Error::new(ErrorKind::LimitExceeded { what, limit }));
        if self.game_count >= GAMES_MAX {
            return limit("the number of games", GAMES_MAX.into());
        }
        let games = self.outputs.games.length() + game.game.len() as u64;
        let annotations = self.outputs.annotations.length() + game.annotations.len() as u64;
        if games.max(annotations) > CONTAINER_BYTES_MAX {
            return limit("the bytes of all games", CONTAINER_BYTES_MAX);
        }
        Ok(())
    }

    fn roster(&mut self, kind: EntityKind) -> &mut Roster {
        &mut self.rosters[kind as usize]
    }

    /// Returns the IDs of a game's names, adding new names.
    fn number(&mut self, game: &EncodedGame) -> Result<Ids> {
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
    fn count(&mut self, game: &EncodedGame, number: u32) {
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
    fn remember(&mut self, game: &EncodedGame, number: u32, ids: Ids) {
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

    fn write(&mut self, game: &EncodedGame, number: u32, ids: Ids) -> Result<()> {
        let outputs = &mut self.outputs;
        let offset = outputs.games.length();
        let mut annotations = 0;
        if !game.annotations.is_empty() {
            annotations = outputs.annotations.length();
            // They start with the low 24 bits of the game's number.
            outputs.annotations.append(&number.to_be_bytes()[1..])?;
            outputs.annotations.append(&game.annotations[3..])?;
        }
        outputs.games.append(&game.game)?;
        let mut record = game.record;
        record.set_names(ids.names);
        record.set_offsets(offset as u32, annotations as u32);
        outputs.index.append(record.as_bytes())?;
        let extended = extended::record(ids.teams, game.counts, offset, annotations);
        outputs.extended.append(&extended)?;
        outputs.summaries.append(&game.summary)?;
        outputs.offsets.append(&(offset as u32).to_le_bytes())
    }

    /// Writes the remaining files and renames all files to their final names.
    pub(super) fn finish(mut self, ask: Ask<'_>) -> Result<Summary> {
        self.check_unbroken()?;
        self.write_headers()?;
        let mut files = self.lists(ask)?;
        for (kind, roster) in EntityKind::ALL.into_iter().zip(&self.rosters) {
            let suffix = kind.suffix();
            files.push(Output::whole(&self.target, suffix, &roster.to_bytes())?);
        }
        for (suffix, bytes) in [
            ("cbtt", tournament_details(&self.end_dates)),
            ("flags", top_games(&self.top_games)),
            ("cit2", [8_u32, 0, 0].map(u32::to_le_bytes).concat()),
            ("cib2", [64_u32, 0, 0].map(u32::to_le_bytes).concat()),
        ] {
            files.push(Output::whole(&self.target, suffix, &bytes)?);
        }
        let summary = Summary {
            games: self.game_count,
            main_line_moves: self.main_line_moves,
            games_bytes: self.outputs.games.length(),
            annotations_bytes: self.outputs.annotations.length(),
            losses: self.losses,
        };
        let outputs = self.outputs;
        files.extend([outputs.games, outputs.annotations, outputs.extended]);
        files.extend([outputs.summaries, outputs.offsets, outputs.index]);
        let files = files
            .into_iter()
            .map(Output::finish)
            .collect::<Result<_>>()?;
        self.target.publish(files, ask)?;
        Ok(summary)
    }

    /// Writes the headers of the files that were appended to.
    fn write_headers(&mut self) -> Result<()> {
        let outputs = &mut self.outputs;
        outputs.index.set_header(&index_header(self.game_count))?;
        for container in [&mut outputs.games, &mut outputs.annotations] {
            let header = container_header(container.length());
            container.set_header(&header)?;
        }
        let header = extended::header(self.game_count);
        outputs.extended.set_header(&header)?;
        let mut header = [0; SUMMARY_BYTES];
        header[..4].copy_from_slice(&self.game_count.to_be_bytes());
        header[5] = 1;
        header[7] = SUMMARY_BYTES as u8;
        outputs.summaries.set_header(&header)?;
        outputs.offsets.set_header(&self.game_count.to_le_bytes())
    }

    /// Writes the lists of games by name, one kind at a time: each needs four bytes of memory per
    /// game and name.
    fn lists(&mut self, ask: Ask<'_>) -> Result<Vec<Output>> {
        const KINDS: [EntityKind; lists::KINDS] = [
            EntityKind::Player,
            EntityKind::Tournament,
            EntityKind::Team,
            EntityKind::Source,
            EntityKind::Annotator,
        ];
        let mut lists = Lists::default();
        let header_bytes = lists.blocks_header().len();
        let mut blocks = Output::new(&self.target, "cib", header_bytes)?;
        for (nth, kind) in KINDS.into_iter().enumerate() {
            let sorted = self.sorted(kind, ask)?;
            lists.append(nth, &sorted, &mut blocks, ask)?;
        }
        blocks.set_header(&lists.blocks_header())?;
        let entries = Output::whole(&self.target, "cit", &lists.to_bytes())?;
        Ok(vec![blocks, entries])
    }

    /// Reads the games of each name from the records just written.
    fn sorted(&mut self, kind: EntityKind, ask: Ask<'_>) -> Result<Sorted> {
        let mut sorted = Sorted::new(&self.roster(kind).references());
        let path = self.target.index();
        let failed = |cause| Error::io("read", &path, cause);
        if kind == EntityKind::Team {
            let mut reader = self
                .outputs
                .extended
                .read_from(extended::HEADER_BYTES as u64)?;
            let mut record = [0; extended::RECORD_BYTES];
            for number in 1..=self.game_count {
                reader.read_exact(&mut record).map_err(failed)?;
                now_and_then(number, ask)?;
                for team in extended::teams_of(&record).into_iter().flatten() {
                    sorted.add(team, number);
                }
            }
            return Ok(sorted);
        }
        let mut reader = self.outputs.index.read_from(RECORD_BYTES as u64)?;
        let mut record = [0; RECORD_BYTES];
        for number in 1..=self.game_count {
            reader.read_exact(&mut record).map_err(failed)?;
            now_and_then(number, ask)?;
            let record: &Record = zerocopy::transmute_ref!(&record);
            match kind {
                EntityKind::Player => {
                    sorted.add(record.white.get(), number);
                    sorted.add(record.black.get(), number);
                }
                EntityKind::Tournament => sorted.add(record.tournament.get(), number),
                EntityKind::Annotator => sorted.add(record.annotator.get(), number),
                EntityKind::Source => sorted.add(record.source.get(), number),
                EntityKind::Team | EntityKind::GameTag => {}
            }
        }
        Ok(sorted)
    }

    fn check_unbroken(&self) -> Result<()> {
        if self.is_broken {
            let cause = std::io::Error::other("an earlier write failed");
            Err(Error::io("write", &self.target.index(), cause))
        } else {
            Ok(())
        }
    }
}

/// Asks whether to continue, once every 65 536 games.
fn now_and_then(number: u32, ask: Ask<'_>) -> Result<()> {
    if number.is_multiple_of(1 << 16) {
        go_on(ask)
    } else {
        Ok(())
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
