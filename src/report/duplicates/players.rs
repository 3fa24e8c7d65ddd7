//! The players of several databases, as numbers that are compared quickly.

use std::collections::HashMap;

use tabiya_chess::{NameId, NameKind};
use tabiya_formats::error::Result;

use crate::{
    database::Database,
    report::person::{self, given_fit},
};

/// Surnames and first names of all databases.
#[derive(Debug, Default)]
pub(super) struct Surnames {
    numbers: HashMap<String, u32>,
}

/// One way to read a name.
#[derive(Debug, Clone)]
struct Reading {
    surname: u32,
    given: Box<str>,
}

/// The players of one database, by ID.
#[derive(Debug, Default)]
pub(super) struct Players {
    /// Start of each player's readings; one more than there are players.
    starts: Vec<u32>,
    readings: Vec<Reading>,
}

impl Surnames {
    /// Reads the names of a database. Surnames that are new are `wanted` or left out: who has one
    /// of these is nobody's namesake.
    ///
    /// # Errors
    /// `Missing` without a names file.
    pub(super) fn players(&mut self, database: &Database, wanted: bool) -> Result<Players> {
        let ids = database.names(NameKind::Player)?.ids();
        let folded = database.folded_names(NameKind::Player)?;
        let mut players = Players::default();
        for id in 0..ids {
            players.starts.push(players.readings.len() as u32);
            for reading in person::readings_of_folded(folded.get(id)) {
                let next = self.numbers.len() as u32;
                let surname = if wanted {
                    *self.numbers.entry(reading.surname).or_insert(next)
                } else if let Some(&known) = self.numbers.get(&reading.surname) {
                    known
                } else {
                    continue;
                };
                players.readings.push(Reading {
                    surname,
                    given: reading.given.into(),
                });
            }
        }
        players.starts.push(players.readings.len() as u32);
        Ok(players)
    }
}

impl Players {
    fn readings(&self, id: NameId) -> &[Reading] {
        let start = self.starts.get(id.index()).copied().unwrap_or_default();
        let end = self.starts.get(id.index() + 1).copied().unwrap_or_default();
        let range = start as usize..end as usize;
        self.readings.get(range).unwrap_or_default()
    }

    /// Returns whether a player's name says who it is.
    pub(super) fn is_named(&self, id: NameId) -> bool {
        !self.readings(id).is_empty()
    }

    /// Returns the surnames of two players in each reading. Games of the same players have one of
    /// these in common.
    pub(super) fn surnames(&self, [white, black]: [NameId; 2]) -> impl Iterator<Item = (u32, u32)> {
        let whites = self.readings(white).iter();
        whites.flat_map(move |one| {
            let blacks = self.readings(black).iter();
            blacks.map(|other| (one.surname, other.surname))
        })
    }

    /// Returns whether a player may be one of another database.
    pub(super) fn are_same(&self, id: NameId, others: &Players, other: NameId) -> bool {
        let others = others.readings(other);
        self.readings(id).iter().any(|one| {
            let same = |other: &Reading| {
                one.surname == other.surname && given_fit(&one.given, &other.given)
            };
            others.iter().any(same)
        })
    }
}
