//! Repertoires: the positions of somebody's files and the moves that they have there, and where
//! games leave them.

mod leaving;
mod reader;

use std::borrow::Borrow;

use shakmaty::Setup;
use tabiya_chess::{
    Flow,
    placement::{Placement, Placements},
    step::Step,
};
use tabiya_formats::{
    error::{Error, Result},
    progress::Progress,
};

pub(crate) use self::leaving::Departure;
use crate::database::Database;

/// The lines of somebody's files: the positions of their games, main lines and variations, and the
/// moves that they have in each. Positions are the same with the same men and side to move, by
/// whatever moves they came.
#[derive(Debug)]
pub struct Repertoire {
    /// The start positions with their numbers, each once; the standard one first.
    starts: Vec<(u32, Setup)>,
    /// In the order of the files.
    nodes: Vec<Node>,
    known: Placements,
    /// With fewer men no position of the files can follow.
    least_men: u32,
    damaged: u64,
}

/// A position of a repertoire.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) place: Placement,
    /// What the files play there, each move once, in their order.
    pub(crate) moves: Vec<Step>,
}

impl Repertoire {
    /// Reads all games of databases of any format, most often one in PGN. O(half-moves).
    ///
    /// # Errors
    /// `Missing` if the games of a database are missing. Damaged games count as far as they can be
    /// read.
    pub fn of(databases: &[impl Borrow<Database>]) -> Result<Repertoire> {
        Repertoire::read(databases, |_| Flow::Continue(()))
    }

    /// Reads them with a callback for the progress.
    ///
    /// # Errors
    /// Those of [`of`](Repertoire::of); `Interrupted` if the callback breaks.
    pub fn read(
        databases: &[impl Borrow<Database>],
        progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Repertoire> {
        Repertoire::read_at_most(databases, usize::MAX, progress)
    }

    /// Reads them unless they have more positions than these: for files that somebody else chooses.
    ///
    /// # Errors
    /// Those of [`read`](Repertoire::read); `LimitExceeded` at the first position too many.
    pub fn read_at_most(
        databases: &[impl Borrow<Database>],
        positions: usize,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<Repertoire> {
        let mut reader = reader::Reader::new(positions);
        for database in databases {
            reader.read(database.borrow(), &mut progress)?;
        }
        Ok(reader.finish())
    }

    /// Returns the number of positions.
    #[must_use]
    pub fn positions(&self) -> usize {
        self.nodes.len()
    }

    /// Returns how many games of the files are damaged: of these, what is before the damage counts.
    #[must_use]
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    /// Returns the error for more positions than may be.
    pub(crate) fn too_large(positions: usize) -> Error {
        let what = "the number of positions of the files of lines";
        Error::limit(what, positions as u64)
    }

    pub(crate) fn starts(&self) -> &[(u32, Setup)] {
        &self.starts
    }

    pub(crate) fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the number of a position; `None` if the files do not have it.
    #[inline]
    pub(crate) fn number(&self, place: &Placement) -> Option<u32> {
        let mut found = None;
        self.known
            .look_up(place, |number| found = Some(number as u32));
        found
    }
}
