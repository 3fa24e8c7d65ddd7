//! Whether a database is whole enough to be changed where it lies: nothing may refer beyond the end
//! of a file, where what is added would become a part of games that are there.

use std::path::Path;

use rayon::prelude::*;
use tabiya_chess::{Flow, GameId, NameId, NameKind};
use tabiya_formats::{
    FormatKind, Header, NameSlot, View, Visitor,
    damage::DamageClass,
    error::{Error, ErrorKind, Result},
    flaws,
    names::NameList,
    pgn::has_pgn_name,
    progress::Progress,
};

use crate::{
    database::{Database, OpenOptions, with_view},
    search::Search,
};

/// Opens a database that is to be changed.
///
/// # Errors
/// Those of opening, and what is wrong with the files as a whole: their ends may not be where new
/// games can follow.
pub(super) fn open_sound(
    base: &Path,
    search: Option<&Search<'_>>,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Database> {
    let mut options = OpenOptions::new();
    if let Some(search) = search {
        options = options.for_query(search.query());
    }
    let database = options.on_progress(progress).open(base)?;
    database.require_games()?;
    let (missing, faults) = database.store().names_faults();
    let mut notes = database.notes().iter().chain(&missing).chain(&faults);
    let is_harm = |note: &&Error| {
        let is_of_sidecar = matches!(note.kind(), ErrorKind::SidecarUnused { .. });
        !is_of_sidecar && note.damage_class() != DamageClass::Oddity
    };
    if let Some(harm) = notes.find(is_harm) {
        return Err(harm.clone());
    }
    if has_pgn_name(base) {
        return Ok(database);
    }
    let beyond = || with_view!(database.tags(), view => view.reference_beyond());
    let harm = cut_game(&database)
        .or_else(|| nameless_game(&database))
        .or_else(beyond);
    harm.map_or(Ok(database), Err)
}

/// Returns what is wrong with the last game in the file of games if it reaches beyond the end: what
/// is appended would become a part of it. Reads records only.
fn cut_game(database: &Database) -> Option<Error> {
    let store = database.store();
    let mut files = store.files().into_iter();
    let games = files.find(|file| file.path == store.games_path())?;
    let end = games.bytes.len() as u64;
    let place = with_view!(database.tags(), view => {
        let records = view.records().iter().enumerate();
        let last = records.max_by_key(|(_, record)| record.offset_bytes());
        last.map(|(game, record)| (GameId(game as u32), view.place(record)))
    });
    struct Nobody;
    impl Visitor for Nobody {}
    let (game, place) = place?;
    // Of some formats, a game that is cut has no place.
    let is_cut = place.end > end || place.is_empty();
    is_cut.then(|| database.visit(game, &mut Nobody).err())?
}

/// Returns what is wrong with the first record that says a name after the last one, which would
/// become the next name that is added. Reads records only.
fn nameless_game(database: &Database) -> Option<Error> {
    let counts = NameKind::ALL.map(|kind| database.names(kind).map_or(0, after_last));
    // In the other formats rounds are no names but numbers.
    let has_rounds = matches!(database.kind(), FormatKind::Scid4 | FormatKind::Scid5);
    let slots = &NameSlot::ALL[..NameSlot::ALL.len() - usize::from(!has_rounds)];
    let number = with_view!(database.tags(), view => {
        view.records().par_iter().position_first(|record| {
            let is_game = record.is_game();
            let lacks = |slot: &NameSlot| {
                let kind = slot.kind();
                let is_named = is_game || kind != NameKind::Player;
                is_named && record.name(*slot).index() >= counts[kind as usize]
            };
            slots.iter().any(lacks)
        })
    })?;
    let game = GameId(u32::try_from(number).ok()?);
    let error = Error::corrupt(flaws::NO_SUCH_NAME);
    Some(
        error
            .in_game(database.number(game))
            .at_path(database.path()),
    )
}

/// Returns one more than the ID of the last name.
fn after_last(names: &NameList) -> usize {
    let ids = (0..names.ids()).rev();
    let unnamed = ids.take_while(|id| names.get(NameId(*id as u32)).is_none());
    names.ids() - unnamed.count()
}
