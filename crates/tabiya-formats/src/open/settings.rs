//! How the files of a database are opened.

use std::path::Path;

use crate::{Access, File, Language, StoredIndex, TextEncoding, limits::PGN_UNPACKED_BYTES_MAX};

/// Finds the index of a file that was made before, or of the part with this number, from 1 on, and
/// the length in bytes that the file had then.
pub type FindIndex = fn(&File, Access, Option<u32>) -> Option<(StoredIndex, usize)>;

/// How the files of a database are opened.
#[derive(Debug, Clone)]
pub struct OpenSettings {
    /// Whether files are mapped or read.
    pub access: Access,
    /// The password of an encrypted archive.
    pub password: Option<String>,
    /// Which language of a comment in several languages is read.
    pub language: Language,
    /// The encoding of texts, if it was said.
    pub encoding: Option<TextEncoding>,
    /// Whether everything readable of a damaged database is opened, at any cost.
    pub salvage: bool,
    /// Whether moves are read where a file has no records.
    pub reads_moves: bool,
    /// Finds the index of a file that was made before.
    pub find_index: Option<FindIndex>,
    /// Greatest unpacked size in bytes of compressed PGN that is opened whole.
    pub unpacked_bytes_max: u64,
    /// Whether the path `-` means standard input.
    pub standard_input: bool,
}

impl Default for OpenSettings {
    fn default() -> OpenSettings {
        OpenSettings {
            access: Access::default(),
            password: None,
            language: Language::default(),
            encoding: None,
            salvage: false,
            reads_moves: true,
            find_index: None,
            unpacked_bytes_max: PGN_UNPACKED_BYTES_MAX,
            standard_input: false,
        }
    }
}

impl OpenSettings {
    /// Returns the index of a file or of a part of it, if it was made before, and the length in
    /// bytes that the file had.
    pub(crate) fn index_of(&self, file: &File, part: Option<u32>) -> Option<(StoredIndex, usize)> {
        self.find_index
            .and_then(|find| find(file, self.access, part))
    }

    /// Whether a path means standard input.
    pub fn is_standard_input(&self, path: &Path) -> bool {
        self.standard_input && path == Path::new("-")
    }
}
