//! Decodes every game and checks everything that can be checked.

use roaring::RoaringBitmap;
use tabiya_chess::{Flow, GameId, NameKind};
use tabiya_formats::{
    Checked, Fault, Header, NameSlot, Remaining, Scratch, View, damage_at,
    error::{Error, ErrorKind, Result},
    flaws,
    names::NameList,
    progress::Progress,
    run_ordered,
};

use crate::{
    database::{Database, Needs, with_view},
    limits::DAMAGED_LISTED_MAX,
    progress::WithProgress,
};

mod overlap;
#[cfg(test)]
mod tests;

/// Number of games that one thread takes at a time.
const TASK_GAMES: usize = 256;
/// Number of concurrent tasks.
const TASKS: usize = 64;

/// The result of [`Database::verify`].
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::Database;
///
/// let verified = Database::open("fixtures/famous.si4")?.verify()?;
/// assert_eq!((verified.games, verified.damaged), (91, 0));
/// for fault in verified.damaged_games.iter().chain(&verified.notes) {
///     println!("{fault}");
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Verification {
    /// Games checked, including damaged ones.
    pub games: u64,
    /// Plies in the main lines of all undamaged games.
    pub main_line_moves: u64,
    /// Plies in all lines of all undamaged games.
    pub all_moves: u64,
    /// Damaged games; one more if the index in a sidecar is not that of the games.
    pub damaged: u64,
    /// The first damaged games, each with its number, location and fault; at most
    /// [`DAMAGED_LISTED_MAX`].
    pub damaged_games: Vec<Error>,
    /// Other findings: faults of whole files, and games with harmless oddities. At most
    /// [`DAMAGED_LISTED_MAX`] of these.
    pub notes: Vec<Error>,
}

impl Database {
    /// Decodes every game and checks all that can be checked. O(all bytes of all files).
    ///
    /// Checked are: that every game lies within the games file, shares no bytes with another
    /// (unless all of them) and holds what the format demands to its end; that every move of
    /// every line is legal, null moves aside; that the record's facts, which searches rely on,
    /// are those of the game; that its names exist; that the files' counts agree; that the index of
    /// a format without records, if a sidecar holds it, is that of the games. A game that
    /// begins where the rules of chess allow no game is checked by the format's rules only.
    /// [`Error::damage_class`] says what a fault means and what to do about it.
    ///
    /// Work runs in the caller's current rayon pool.
    ///
    /// # Errors
    /// `Missing` without a games file. Whatever is wrong with games or names is no error here: it
    /// stands in the result.
    pub fn verify(&self) -> Result<Verification> {
        self.on_progress(Progress::ignore).verify()
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Database, F> {
    /// Decodes every game and checks all that can be checked. See [`Database::verify`].
    ///
    /// # Errors
    /// Those of [`Database::verify`]; `Interrupted` if the callback breaks.
    pub fn verify(self) -> Result<Verification> {
        let (database, mut progress) = (self.work, self.progress);
        database.require_games()?;
        database.unchanged(|| {
            let opened = database.view(Needs::Moves, &mut progress)?;
            with_view!(opened, view => verify(database, view, &mut progress))
        })
    }
}

/// A few games, and the results not yet delivered.
struct Task<'r, R> {
    first: u32,
    records: &'r [R],
    found: Found,
}

/// The results for a few games.
#[derive(Default)]
struct Found {
    main_line_moves: u64,
    all_moves: u64,
    damaged: Vec<Error>,
    notes: Vec<Error>,
}

fn verify<V: View>(
    database: &Database,
    view: V,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<Verification> {
    let records = view.records();
    let games = records.len() as u64;
    let mut verification = Verification {
        games,
        notes: file_notes(database),
        ..Verification::default()
    };
    let fault = database.store().index_fault(progress)?;
    verification.damaged = fault.iter().count() as u64;
    verification.damaged_games.extend(fault);
    let checker = Checker {
        database,
        view,
        names: name_counts(database),
        overlapping: overlap::overlapping(view, &mut || progress(Progress::of(0, games)))?,
    };
    let tasks = (0..).step_by(TASK_GAMES).zip(records.chunks(TASK_GAMES));
    let tasks = tasks.map(|(first, records)| {
        let (found, count) = (Found::default(), records.len());
        let task = Task {
            first,
            records,
            found,
        };
        (task, count)
    });
    let work = |task: &mut Task<'_, V::Record>, left: &mut Remaining| checker.work(task, left);
    let deliver = |task: &mut Task<'_, V::Record>, _| {
        verification.add(std::mem::take(&mut task.found));
        Ok(())
    };
    let ask = &mut |done| progress(Progress::of(done, games));
    run_ordered(tasks, TASKS, work, deliver, ask)?;
    Ok(verification)
}

impl Verification {
    /// Adds the findings in another database.
    pub fn merge(&mut self, other: Verification) {
        self.games += other.games;
        self.main_line_moves += other.main_line_moves;
        self.all_moves += other.all_moves;
        self.damaged += other.damaged;
        extend(&mut self.damaged_games, other.damaged_games);
        extend(&mut self.notes, other.notes);
    }

    fn add(&mut self, found: Found) {
        self.main_line_moves += found.main_line_moves;
        self.all_moves += found.all_moves;
        self.damaged += found.damaged.len() as u64;
        extend(&mut self.damaged_games, found.damaged);
        extend(&mut self.notes, found.notes);
    }
}

fn extend(list: &mut Vec<Error>, more: Vec<Error>) {
    let room = DAMAGED_LISTED_MAX.saturating_sub(list.len());
    list.extend(more.into_iter().take(room));
}

/// Returns faults and oddities of whole files.
pub(crate) fn file_notes(database: &Database) -> Vec<Error> {
    let mut notes = database.notes().to_vec();
    let (damage, oddities) = database.store().names_faults();
    // Missing files are already in the notes.
    let is_news = |fault: &Error| !matches!(fault.kind(), ErrorKind::Missing { .. });
    notes.extend(damage.into_iter().filter(is_news));
    notes.extend(oddities);
    notes
}

/// Returns the number of names of each kind; `None` if the file is missing or cannot be read to its
/// end, since that is one fault of the file rather than one of every game.
fn name_counts(database: &Database) -> Option<[usize; 4]> {
    let store = database.store();
    let count = |kind| store.names(kind).map_or(0, NameList::ids);
    let (damage, _) = store.names_faults();
    damage.is_none().then(|| NameKind::ALL.map(count))
}

/// The data shared by all threads.
struct Checker<'d, V> {
    database: &'d Database,
    view: V,
    /// The number of names of each kind, if known.
    names: Option<[usize; 4]>,
    overlapping: RoaringBitmap,
}

impl<V: View> Checker<'_, V> {
    fn work(&self, task: &mut Task<'_, V::Record>, left: &mut Remaining) {
        let mut scratch = Scratch::default();
        let (found, done) = (&mut task.found, task.records.len() - left.count());
        for (index, record) in (task.first..).zip(task.records).skip(done) {
            let game = GameId(index);
            match self.check(game, record, &mut scratch) {
                Ok(checked) => {
                    found.main_line_moves += checked.main_line_moves;
                    found.all_moves += checked.all_moves;
                    if let Some(what) = checked.oddity {
                        let note = self.database.damaged(game, record, damage_at(what, 0));
                        found.notes.push(note);
                    }
                }
                Err(fault) => found
                    .damaged
                    .push(self.database.faulty(game, record, fault)),
            }
            if left.done(1).is_break() {
                break;
            }
        }
    }

    fn check(
        &self,
        game: GameId,
        record: &V::Record,
        scratch: &mut Scratch,
    ) -> Result<Checked, Fault> {
        let checked = self.view.check(record, scratch)?;
        let what = if self.overlapping.contains(game.0) {
            flaws::SHARED_BYTES
        } else if self.lacks_a_name(record) {
            flaws::NO_SUCH_NAME
        } else {
            return Ok(checked);
        };
        Err(damage_at(what, 0).into())
    }

    /// Returns whether the record refers to a name that does not exist.
    fn lacks_a_name(&self, record: &V::Record) -> bool {
        self.names.is_some_and(|counts| {
            let lacks = |slot: NameSlot| {
                record.name(slot).index() >= counts[slot.kind() as usize]
                    || self.view.lacks_name(record, slot)
            };
            let named = |slot: &NameSlot| record.is_game() || slot.kind() != NameKind::Player;
            NameSlot::ALL.into_iter().filter(named).any(lacks)
        })
    }
}
