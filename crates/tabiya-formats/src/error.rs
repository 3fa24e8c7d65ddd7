//! Errors as data: a kind, the file, the byte offset and the game.
//!
//! Files are untrusted input, so invalid data is an [`Error`] and never a panic.

use std::{
    fmt, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use thiserror::Error as DeriveError;

use crate::{
    damage::{DamageClass, Flaw},
    visible::Visible,
};

/// The result of fallible functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, and where.
///
/// One word wide, cheap to clone. [`kind`](Error::kind) can be matched; the other accessors return
/// the location. `Display` prints one line; a cause from the operating system is the `source()`.
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    path: Option<PathBuf>,
    offset_bytes: Option<u64>,
    line_number: Option<u64>,
    game_number: Option<u32>,
    cause: Option<Arc<io::Error>>,
}

/// The cause of an [`Error`], for matching.
#[derive(Debug, Clone, PartialEq, Eq, DeriveError)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The operating system refused to open, read, map, write or rename a file.
    #[error("cannot {action}")]
    Io {
        /// The attempted action: "open", "read", "map", "write", ...
        action: &'static str,
    },
    /// The file has none of the formats that this crate knows.
    #[error("not a chess database that tabiya knows; `tabiya info --formats` lists those it does")]
    UnknownFormat,
    /// The format is known, but not this version of it.
    #[error("version {found} is not supported")]
    UnsupportedVersion {
        /// The version number in the file.
        found: u32,
    },
    /// The file ends too early.
    #[error("{what} is cut short: {needed_bytes} bytes needed, {found_bytes} found")]
    Truncated {
        /// What was being read.
        what: &'static str,
        /// Number of bytes needed.
        needed_bytes: u64,
        /// Number of bytes present.
        found_bytes: u64,
    },
    /// The bytes contradict the format.
    #[error("damaged: {what}")]
    Corrupt {
        /// What is wrong, and the class of that damage.
        what: Flaw,
    },
    /// A limit of [`limits`](crate::limits) was exceeded.
    #[error("{what} exceeds the limit of {limit}")]
    LimitExceeded {
        /// What was too large.
        what: &'static str,
        /// The limit.
        limit: u64,
    },
    /// A move that the rules of chess do not allow.
    #[error("illegal move {}", Visible(.0))]
    IllegalMove(
        /// The move as the file gives it.
        String,
    ),
    /// A required companion file is missing.
    #[error("{what} needs the file {}, which is missing", Visible(.file))]
    Missing {
        /// What requires the file.
        what: &'static str,
        /// The missing file's name.
        file: String,
    },
    /// The password does not open the archive.
    #[error("the password is wrong, or this is no ChessBase archive")]
    WrongPassword,
    /// There is no game of this number.
    #[error("there is no game {number}; {}", held(*.first, *.last))]
    NoSuchGame {
        /// The 1-based number asked for.
        number: u64,
        /// The number of the first game: 1 unless the database is a later part of a file.
        first: u64,
        /// The number of the last game; less than `first` if there are none.
        last: u64,
    },
    /// A sidecar exists but is not used; everything works without it.
    #[error("the sidecar is not used: {reason}; `tabiya index` makes a new one")]
    SidecarUnused {
        /// The reason, in a few words.
        reason: &'static str,
    },
    /// Another program has changed a mapped file since the database was opened. The results would
    /// be unreliable; open the database again.
    #[error("changed by another program since it was opened: {how}")]
    Changed {
        /// The change, in a few words.
        how: &'static str,
    },
    /// The files of a new database are not all renamed yet: a process is doing so, or was killed,
    /// or cannot finish. Nothing is lost.
    #[error("this lists files of a database that have yet to get their names: {why}")]
    Unfinished {
        /// Why it cannot be finished, or what finishes it.
        why: &'static str,
    },
    /// The last change was one of another database, in another format, that shares the stem. Only
    /// one change can be taken back of all of them.
    #[error(
        "nothing was taken back: the last change was one of {}, which has the same name; \
         `tabiya undo` with that file takes it back",
        Visible(.name)
    )]
    OtherDatabase {
        /// The name of that database's index.
        name: String,
    },
    /// The target format or this version does not support the operation.
    #[error("{what} is not supported")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
    },
    /// The target format cannot store all of a game, and losses were not allowed.
    #[error("the new database would lose something: {what}")]
    WouldLose {
        /// What would be lost, as in [`Lost::what`](crate::Lost::what).
        what: &'static str,
    },
    /// The caller's progress callback asked to stop.
    #[error("interrupted")]
    Interrupted,
}

/// As in the program's jsonl: the cause in words, and where it is.
#[cfg(feature = "serde")]
impl serde::Serialize for Error {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(serde::Serialize)]
        struct Fields<'a> {
            cause: String,
            path: Option<std::borrow::Cow<'a, str>>,
            offset: Option<u64>,
            line: Option<u64>,
            game: Option<u32>,
        }
        let fields = Fields {
            cause: self.kind().to_string(),
            path: self.path().map(Path::to_string_lossy),
            offset: self.offset(),
            line: self.line(),
            game: self.game(),
        };
        fields.serialize(serializer)
    }
}

/// Says which games there are.
fn held(first: u64, last: u64) -> String {
    match first {
        1 => format!("the database holds {last}"),
        _ => format!("this part of the file holds those from {first} to {last}"),
    }
}

impl Error {
    /// Creates an error of a kind.
    #[doc(hidden)]
    pub fn new(kind: ErrorKind) -> Error {
        Error(Box::new(Inner {
            kind,
            path: None,
            offset_bytes: None,
            line_number: None,
            game_number: None,
            cause: None,
        }))
    }

    /// Creates the error of a refused action.
    #[doc(hidden)]
    pub fn io(action: &'static str, path: &Path, cause: io::Error) -> Error {
        Error::io_unnamed(action, cause).at_path(path)
    }

    /// Like [`Error::io`], for bytes without a file, or whose file the caller adds.
    pub(crate) fn io_unnamed(action: &'static str, cause: io::Error) -> Error {
        let mut error = Error::new(ErrorKind::Io { action });
        error.0.cause = Some(Arc::new(cause));
        error
    }

    /// Copies the operating system's cause of another error.
    pub(crate) fn with_cause_of(mut self, other: &Error) -> Error {
        self.0.cause.clone_from(&other.0.cause);
        self
    }

    /// Creates the error of damaged bytes.
    #[doc(hidden)]
    pub fn corrupt(what: Flaw) -> Error {
        Error::new(ErrorKind::Corrupt { what })
    }

    pub(crate) fn truncated(what: &'static str, needed_bytes: u64, found_bytes: u64) -> Error {
        Error::new(ErrorKind::Truncated {
            what,
            needed_bytes,
            found_bytes,
        })
    }

    /// Creates the error of something that is not supported.
    #[doc(hidden)]
    pub fn unsupported(what: &'static str) -> Error {
        Error::new(ErrorKind::Unsupported { what })
    }

    /// Returns the error for something that is more than a limit.
    #[doc(hidden)]
    pub fn limit(what: &'static str, limit: u64) -> Error {
        Error::new(ErrorKind::LimitExceeded { what, limit })
    }

    /// Sets the path, unless it is already set.
    #[doc(hidden)]
    pub fn at_path(mut self, path: &Path) -> Error {
        self.0.path.get_or_insert_with(|| path.to_owned());
        self
    }

    /// Sets the offset in bytes from the start of the file.
    #[doc(hidden)]
    pub fn at_offset(mut self, offset_bytes: u64) -> Error {
        self.0.offset_bytes = Some(offset_bytes);
        self
    }

    /// Sets the 1-based line of a text file, unless it is already set.
    pub(crate) fn at_line(mut self, number: u64) -> Error {
        self.0.line_number.get_or_insert(number);
        self
    }

    /// Sets the 1-based number of the game.
    #[doc(hidden)]
    pub fn in_game(mut self, number: u32) -> Error {
        self.0.game_number = Some(number);
        self
    }

    /// Returns the error for a user's interruption, for callbacks that can only stop their caller
    /// by an error.
    #[must_use]
    pub fn interrupted() -> Error {
        Error::new(ErrorKind::Interrupted)
    }

    /// Returns the cause.
    #[must_use]
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// Whether a [limit](crate::limits) was exceeded.
    #[doc(hidden)]
    pub fn is_limit(&self) -> bool {
        matches!(self.0.kind, ErrorKind::LimitExceeded { .. })
    }

    /// Returns whether one game is damaged, so that others can be read. Other errors concern files
    /// or the work as a whole.
    #[must_use]
    pub fn is_of_game(&self) -> bool {
        matches!(
            self.kind(),
            ErrorKind::Corrupt { .. } | ErrorKind::LimitExceeded { .. } | ErrorKind::IllegalMove(_)
        )
    }

    /// Returns what the error means for the user of a database.
    #[must_use]
    pub fn damage_class(&self) -> DamageClass {
        match self.kind() {
            ErrorKind::Corrupt { what } => what.class(),
            ErrorKind::IllegalMove(_) => DamageClass::IllegalMove,
            ErrorKind::Missing { .. } => DamageClass::Missing,
            ErrorKind::Io { .. } => DamageClass::Unreadable,
            ErrorKind::LimitExceeded { .. } => DamageClass::Limit,
            ErrorKind::SidecarUnused { .. } | ErrorKind::Unfinished { .. } => DamageClass::Oddity,
            ErrorKind::Unsupported { .. } => DamageClass::NotRead,
            ErrorKind::Truncated { .. } => DamageClass::Length,
            _ => DamageClass::Header,
        }
    }

    /// Returns the affected file, if there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.0.path.as_deref()
    }

    /// Returns the offset of the fault in bytes from the start of [`path`](Error::path).
    #[must_use]
    pub fn offset(&self) -> Option<u64> {
        self.0.offset_bytes
    }

    /// Returns the 1-based line of the fault, for text files.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        self.0.line_number
    }

    /// Returns the 1-based number of the affected game.
    #[must_use]
    pub fn game(&self) -> Option<u32> {
        self.0.game_number
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(path) = &self.0.path {
            write!(f, "{}: ", Visible(path.display()))?;
        }
        if let Some(number) = self.0.line_number {
            write!(f, "line {number}: ")?;
        }
        if let Some(number) = self.0.game_number {
            write!(f, "game {number}: ")?;
        }
        write!(f, "{}", self.0.kind)?;
        if let Some(offset) = self.0.offset_bytes {
            write!(f, " (at byte {offset})")?;
        }
        if let Some(cause) = &self.0.cause {
            write!(f, ": {cause}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Error({self})")
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.cause.as_deref().map(|cause| cause as _)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAW: Flaw = Flaw::new(&(DamageClass::Moves, "no end of game"));

    #[test]
    fn an_error_is_one_word_wide() {
        assert_eq!(size_of::<Result<()>>(), size_of::<usize>());
    }

    #[test]
    fn display_names_file_game_and_offset_on_one_line() {
        let error = Error::corrupt(FLAW)
            .in_game(7)
            .at_offset(99)
            .at_path(Path::new("a.sg4"))
            .at_path(Path::new("outer"));
        assert_eq!(
            error.to_string(),
            "a.sg4: game 7: damaged: no end of game (at byte 99)"
        );
    }

    #[test]
    fn display_names_the_line_of_a_text_file() {
        let error = Error::corrupt(FLAW)
            .at_line(12)
            .at_line(3)
            .in_game(2)
            .at_path(Path::new("a.pgn"));
        assert_eq!(error.line(), Some(12));
        assert_eq!(
            error.to_string(),
            "a.pgn: line 12: game 2: damaged: no end of game"
        );
    }
}
