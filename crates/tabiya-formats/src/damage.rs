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
            #[doc = $text]
            #[allow(unreachable_pub, reason = "the modules of most formats are private")]
            pub const $name: $crate::damage::Flaw =
                $crate::damage::Flaw::new(&($crate::damage::DamageClass::$class, $text));
        )+)+
    };
}
pub(crate) use flaws;

/// Declares the classes of damage: what each is, its short name, and what it means for a user.
macro_rules! classes {
    ($(#[doc = $about:literal] $class:ident $name:literal $meaning:literal;)+) => {
        /// What kind of damage an [`Error`](crate::Error) reports: what it costs, and what to do.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum DamageClass {
            $(#[doc = $about] $class,)+
        }

        impl DamageClass {
            /// All classes.
            pub const ALL: [DamageClass; [$($name),+].len()] = [$(DamageClass::$class),+];

            /// Returns a short name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                [$($name),+][self as usize]
            }

            /// Returns what it means for the games and what to do about it.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                [$($meaning),+][self as usize]
            }
        }
    };
}

classes! {
    /// A file does not begin as its format requires.
    Header "header"
        "a file does not begin as it should; its records may all be whole: `repair` reads them by \
         the file's name and length";
    /// A file is shorter or longer than it states.
    Length "length"
        "a file ends too soon, inside a record, or does not hold as much as it says; what it does \
         not hold is lost: look for a whole copy, `repair` saves the rest";
    /// A file is missing.
    Missing "missing file"
        "a file is not beside the others; put it there if you have it; without names games have \
         their moves, without games nothing can be saved";
    /// The operating system cannot read a file.
    Unreadable "unreadable file"
        "the system does not give the file, or its packed bytes are damaged; copy it to another \
         disk and try again";
    /// Names cannot be read, or games refer to names that do not exist.
    Names "names"
        "some names cannot be had; games have their moves, and `?` for such a name; `repair` \
         looks for the names after the damaged ones";
    /// A record refers to a place without a game.
    Place "place of a game"
        "the record leads to where no game is, or into another game; either is damaged, and this \
         game is lost; `repair` saves the others";
    /// A game's bytes are truncated or invalid.
    Moves "bytes of a game"
        "the game cannot be read from the byte given on; `repair` keeps the moves before it";
    /// A move that the rules of chess do not allow.
    IllegalMove "illegal move"
        "the game can be read, but not played by the rules: a byte of it may be damaged, or it \
         was stored so; `repair` keeps it and says so";
    /// The record and the game contradict each other.
    Contradiction "contradiction"
        "the game can be read, but its record says otherwise; one of them is damaged, and \
         searches may miss the game; `repair` writes a record that fits the moves";
    /// Annotations that are stored in a file of their own.
    Annotations "annotations"
        "comments and glyphs of the game are lost, or those from a damaged one on; the moves are \
         whole";
    /// The content of an archive cannot be unpacked.
    Archive "archive"
        "a file in the archive cannot be unpacked wholly; games that lie in other parts of it can \
         be read: `repair` unpacks past the damage";
    /// The tables of a jose database.
    Tables "tables of jose"
        "a table of the database cannot be read, or not from the byte given on; `repair` looks \
         for the rows after it";
    /// A limit is exceeded.
    Limit "limit"
        "a number in the file, often a damaged one, asks for more than is allowed";
    /// Something that this version does not support.
    NotRead "not read"
        "nothing is damaged; this version does not read it";
    /// Something odd but harmless.
    Oddity "oddity"
        "nothing is lost, and nothing needs to be done";
}
