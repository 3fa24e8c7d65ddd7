//! Flaws of files: what is wrong, in a few words, and what that means for the user of a database.
//!
//! Each format declares its flaws once, in its `flaws`, with [`flaws!`].

use std::fmt;

/// Something that contradicts a format: its class, and a few words that say what it is. One word
/// wide, for inner loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Flaw(&'static (DamageClass, &'static str));

impl Flaw {
    pub(crate) const fn new(class_and_text: &'static (DamageClass, &'static str)) -> Flaw {
        Flaw(class_and_text)
    }

    /// Returns the class of the damage.
    #[must_use]
    pub const fn class(self) -> DamageClass {
        self.0.0
    }

    /// Returns what is wrong, in a few words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.0.1
    }
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Declares flaws as constants, by class.
macro_rules! flaws {
    ($([$class:ident] $($name:ident = $text:literal;)+)+) => {
        $($(
            pub(crate) const $name: $crate::damage::Flaw =
                $crate::damage::Flaw::new(&($crate::damage::DamageClass::$class, $text));
        )+)+
    };
}
pub(crate) use flaws;

/// What kind of damage an [`Error`](crate::Error) reports: what it costs, and what to do.
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
