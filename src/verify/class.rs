//! Damage classes and what they mean for the user of a database.

use super::messages::MESSAGES;
use crate::error::{Error, ErrorKind};

/// The class of damage that an [`Error`] reports: what it costs, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DamageClass {
    /// A file does not begin as its format requires.
    Header,
    /// A file is shorter or longer than it states.
    Length,
    /// A file is missing.
    Missing,
    /// The operating system cannot read a file.
    Unreadable,
    /// Names cannot be read, or games refer to names that do not exist.
    Names,
    /// A record refers to a place without a game.
    Place,
    /// A game's bytes are truncated or invalid.
    Moves,
    /// A move that the rules of chess do not allow.
    IllegalMove,
    /// The record and the game contradict each other.
    Contradiction,
    /// Annotations that are stored in a file of their own.
    Annotations,
    /// The content of an archive cannot be unpacked.
    Archive,
    /// The tables of a jose database.
    Tables,
    /// A limit is exceeded.
    Limit,
    /// Something that this version does not support.
    NotRead,
    /// Something odd but harmless.
    Oddity,
}

impl DamageClass {
    /// All classes.
    pub const ALL: [DamageClass; 15] = [
        DamageClass::Header,
        DamageClass::Length,
        DamageClass::Missing,
        DamageClass::Unreadable,
        DamageClass::Names,
        DamageClass::Place,
        DamageClass::Moves,
        DamageClass::IllegalMove,
        DamageClass::Contradiction,
        DamageClass::Annotations,
        DamageClass::Archive,
        DamageClass::Tables,
        DamageClass::Limit,
        DamageClass::NotRead,
        DamageClass::Oddity,
    ];

    /// Returns the class of an error. An unknown message about a game is `Moves`, any other
    /// `Header`.
    #[must_use]
    pub fn of(error: &Error) -> DamageClass {
        match error.kind() {
            ErrorKind::IllegalMove(_) => DamageClass::IllegalMove,
            ErrorKind::Missing { .. } => DamageClass::Missing,
            ErrorKind::Io { .. } => DamageClass::Unreadable,
            ErrorKind::LimitExceeded { .. } => DamageClass::Limit,
            ErrorKind::SidecarUnused { .. } | ErrorKind::Unfinished { .. } => DamageClass::Oddity,
            ErrorKind::Unsupported { .. } => DamageClass::NotRead,
            ErrorKind::Truncated { .. } => DamageClass::Length,
            ErrorKind::Corrupt { what } => DamageClass::of_message(what).unwrap_or({
                match error.game() {
                    Some(_) => DamageClass::Moves,
                    None => DamageClass::Header,
                }
            }),
            _ => DamageClass::Header,
        }
    }

    /// Returns the class of a decoder's message.
    pub(super) fn of_message(message: &str) -> Option<DamageClass> {
        let known = MESSAGES.iter().find(|row| row.1.contains(&message));
        known.map(|row| row.0)
    }

    /// Returns a short name.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            DamageClass::Header => "header",
            DamageClass::Length => "length",
            DamageClass::Missing => "missing file",
            DamageClass::Unreadable => "unreadable file",
            DamageClass::Names => "names",
            DamageClass::Place => "place of a game",
            DamageClass::Moves => "bytes of a game",
            DamageClass::IllegalMove => "illegal move",
            DamageClass::Contradiction => "contradiction",
            DamageClass::Annotations => "annotations",
            DamageClass::Archive => "archive",
            DamageClass::Tables => "tables of jose",
            DamageClass::Limit => "limit",
            DamageClass::NotRead => "not read",
            DamageClass::Oddity => "oddity",
        }
    }

    /// Returns what it means for the games and what to do about it.
    #[must_use]
    pub const fn meaning(self) -> &'static str {
        match self {
            DamageClass::Header => {
                "a file does not begin as it should; its records may all be whole: `repair` reads \
                 them by the file's name and length"
            }
            DamageClass::Length => {
                "a file ends too soon, inside a record, or does not hold as much as it says; what \
                 it does not hold is lost: look for a whole copy, `repair` saves the rest"
            }
            DamageClass::Missing => {
                "a file is not beside the others; put it there if you have it; without names \
                 games have their moves, without games nothing can be saved"
            }
            DamageClass::Unreadable => {
                "the system does not give the file, or its packed bytes are damaged; copy it to \
                 another disk and try again"
            }
            DamageClass::Names => {
                "some names cannot be had; games have their moves, and `?` for such a name; \
                 `repair` looks for the names behind the damaged ones"
            }
            DamageClass::Place => {
                "the record leads to where no game is, or into another game; either is damaged, \
                 and this game is lost; `repair` saves the others"
            }
            DamageClass::Moves => {
                "the game cannot be read from the byte given on; `repair` keeps the moves before \
                 it"
            }
            DamageClass::IllegalMove => {
                "the game can be read, but not played by the rules: a byte of it may be damaged, \
                 or it was stored so; `repair` keeps it and says so"
            }
            DamageClass::Contradiction => {
                "the game can be read, but its record says otherwise; one of them is damaged, and \
                 searches may miss the game; `repair` writes a record that fits the moves"
            }
            DamageClass::Annotations => {
                "comments and glyphs of the game are lost, or those from a damaged one on; the \
                 moves are whole"
            }
            DamageClass::Archive => {
                "a file in the archive cannot be unpacked wholly; games that lie in other parts \
                 of it can be read: `repair` unpacks past the damage"
            }
            DamageClass::Tables => {
                "a table of the database cannot be read, or not from the byte given on; `repair` \
                 looks for the rows behind it"
            }
            DamageClass::Limit => {
                "a number in the file, often a damaged one, asks for more than is allowed"
            }
            DamageClass::NotRead => "nothing is damaged; this version does not read it",
            DamageClass::Oddity => "nothing is lost, and nothing needs to be done",
        }
    }
}
