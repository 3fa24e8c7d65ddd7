//! How PGN is packed when it is written.

use std::{
    io::{self, Write as _},
    path::Path,
};

use flate2::{Compression, write::GzEncoder};
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::suffix::has_end;

/// How the text of a new PGN file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Packing {
    /// It is not.
    #[default]
    Plain,
    /// By gzip.
    Gzip,
    /// By zstd.
    Zstd,
}

impl Packing {
    /// Returns how PGN of this name is packed: `.pgn`, `.pgn.gz` or `.pgn.zst`; `None` for other
    /// names. Case is ignored.
    #[must_use]
    pub fn named(path: &Path) -> Option<Packing> {
        let ends = [
            ("pgn", Packing::Plain),
            ("pgn.gz", Packing::Gzip),
            ("pgn.zst", Packing::Zstd),
        ];
        let mut ends = ends.into_iter();
        ends.find(|(end, _)| has_end(path, end))
            .map(|(_, packing)| packing)
    }

    /// Packs a part of a text so that parts one after the other are the whole: members of gzip,
    /// frames of zstd.
    pub(super) fn pack(self, text: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Packing::Plain => Ok(text),
            Packing::Gzip => {
                let mut packed = GzEncoder::new(Vec::new(), Compression::default());
                packed.write_all(&text)?;
                packed.finish()
            }
            // The only level that is there.
            Packing::Zstd => Ok(compress_to_vec(&*text, CompressionLevel::Fastest)),
        }
    }
}
