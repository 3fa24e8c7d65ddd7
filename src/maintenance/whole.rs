//! Whether a database is whole enough to be changed where it lies: nothing may refer beyond the end
//! of a file, where what is added would become a part of games that are there.

use std::path::Path;

use rayon::prelude::*;
use tabiya_chess::{Flow, GameId, NameId, NameKind};
use tabiya_formats::{
    FormatKind, Header, NameSlot, References, View, Visitor,
    damage::DamageClass,
    error::{Error, ErrorKind, Result},
    flaws,
    names::NameList,
    pgn::has_pgn_name,
    progress::Progress,
};

use super::verify::file_notes;
use crate::{
    database::{Database, OpenOptions, with_view},
    search::Search,
    sidecar::BLOCK_GAMES,
};

/// Opens a database that is to be changed, after what a killed process has left there is finished
/// or taken back.
///
/// # Errors
/// Those of opening, and what is wrong with the files as a whole: their ends may not be where new
/// games can follow.
pub(super) fn open_sound(
    base: &Path,
    search: Option<&Search<'_>>,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Database> {
    // Nobody can read what a killed process has left half changed.
    tabiya_formats::finish_replacement(base)?;
    let mut options = OpenOptions::new();
    if let Some(search) = search {
        options = options.for_query(search.query());
    }
    let database = options.on_progress(progress).open(base)?;
    database.require_games()?;
    if let Some(harm) = harms(&database).next() {
        return Err(harm);
    }
    if has_pgn_name(base) {
        return Ok(database);
    }
    let harm = with_view!(database.tags(), view => {
        let reach = Reach::of_all(view);
        cut_game(&database, view, reach).or_else(|| reference_beyond(&database, view, reach))
    });
    harm.map_or(Ok(database), Err)
}

/// Returns what is wrong with the files of a database as a whole: games, names or annotations may
/// be missing. Reads the names.
pub(super) fn harms(database: &Database) -> impl Iterator<Item = Error> {
    let notes = file_notes(database).into_iter();
    notes.filter(|note| {
        let is_of_sidecar = matches!(note.kind(), ErrorKind::SidecarUnused { .. });
        !is_of_sidecar && note.damage_class() != DamageClass::Oddity
    })
}

/// The furthest to which records refer.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    /// The offset of a game, and the game.
    last: (u64, u32),
    /// By slot, one more than the ID of a name.
    names: [usize; NameSlot::ALL.len()],
    others: References,
}

impl Reach {
    /// Goes through all records once: they may be many times as long as what is added.
    fn of_all<V: View>(view: V) -> Reach {
        let blocks = view.records().par_chunks(BLOCK_GAMES as usize);
        let of_block = |(block, records): (usize, &[V::Record])| {
            let mut reach = Reach::default();
            for (game, record) in (block as u32 * BLOCK_GAMES..).zip(records) {
                reach.add(view, game, record);
            }
            reach
        };
        let reaches = blocks.enumerate().map(of_block);
        reaches.reduce(Reach::default, Reach::or)
    }

    #[inline]
    fn add<V: View>(&mut self, view: V, game: u32, record: &V::Record) {
        self.last = self.last.max((record.offset_bytes(), game));
        let is_game = record.is_game();
        for (slot, reached) in NameSlot::ALL.into_iter().zip(&mut self.names) {
            if is_game || slot.kind() != NameKind::Player {
                *reached = (*reached).max(record.name(slot).index() + 1);
            }
        }
        for (reached, other) in self.others.iter_mut().zip(view.references(record)) {
            *reached = (*reached).max(other);
        }
    }

    fn or(mut self, other: Reach) -> Reach {
        self.last = self.last.max(other.last);
        for (one, other) in self.names.iter_mut().zip(other.names) {
            *one = (*one).max(other);
        }
        for (one, other) in self.others.iter_mut().zip(other.others) {
            *one = (*one).max(other);
        }
        self
    }

    /// Whether something here comes after the end.
    fn is_beyond(&self, ends: &Reach) -> bool {
        let mut names = self.names.iter().zip(&ends.names);
        let mut others = self.others.iter().zip(&ends.others);
        names.any(|(name, end)| name > end) || others.any(|(other, end)| other > end)
    }
}

/// Returns what is wrong with the last game in the file of games if it reaches beyond the end: what
/// is appended would become a part of it.
fn cut_game<V: View>(database: &Database, view: V, reach: Reach) -> Option<Error> {
    let store = database.store();
    let mut files = store.files().into_iter();
    let games = files.find(|file| file.path == store.games_path())?;
    let end = games.bytes.len() as u64;
    let (_, game) = reach.last;
    let place = view.place(view.records().get(game as usize)?);
    struct Nobody;
    impl Visitor for Nobody {}
    // Of some formats, a game that is cut has no place.
    let is_cut = place.end > end || place.is_empty();
    is_cut.then(|| database.visit(GameId(game), &mut Nobody).err())?
}

/// Returns what is wrong with the first record that says a name after the last one, which would
/// become the next name that is added, or refers beyond the end of another file.
fn reference_beyond<V: View>(database: &Database, view: V, reach: Reach) -> Option<Error> {
    let counts = NameKind::ALL.map(|kind| database.names(kind).map_or(0, after_last));
    // In the other formats rounds are no names but numbers.
    let has_rounds = matches!(database.kind(), FormatKind::Scid4 | FormatKind::Scid5);
    let names = NameSlot::ALL.map(|slot| match slot {
        NameSlot::Round if !has_rounds => usize::MAX,
        _ => counts[slot.kind() as usize],
    });
    let ends = Reach {
        names,
        others: view.referable(),
        ..Reach::default()
    };
    if !reach.is_beyond(&ends) {
        return None;
    }
    let mut games = (0..).zip(view.records());
    let is_beyond = |(game, record): &(u32, &V::Record)| {
        let mut reach = Reach::default();
        reach.add(view, *game, record);
        reach.is_beyond(&ends)
    };
    let (game, record) = games.find(is_beyond)?;
    let no_name = || Error::corrupt(flaws::NO_SUCH_NAME).at_path(database.path());
    let error = view.fault_beside(record).unwrap_or_else(no_name);
    Some(error.in_game(database.number(GameId(game))))
}

/// Returns one more than the ID of the last name.
fn after_last(names: &NameList) -> usize {
    let ids = (0..names.ids()).rev();
    let unnamed = ids.take_while(|id| names.get(NameId(*id as u32)).is_none());
    names.ids() - unnamed.count()
}
