//! Converting databases.

// MERGE: stands in for the library's conversion: from open databases or PGN files to a target
// path, with progress, giving what was written and what the target could not hold.

use std::path::{Path, PathBuf};

use tabiya::{Flow, Progress};

use super::failure::Usage;

/// What came of a conversion.
#[derive(Debug, Default)]
pub(crate) struct Converted {
    /// Games written.
    pub(crate) games: u64,
    /// Games that could not be read, each with the reason.
    pub(crate) damaged: Vec<tabiya::Error>,
    /// What the target could not hold, and in how many games.
    pub(crate) losses: Vec<(String, u64)>,
}

/// Returns the files that writing to this path creates; `None` when no format is written there.
pub(crate) fn target_files(target: &Path) -> Option<Vec<PathBuf>> {
    let suffix = target.extension()?.to_string_lossy().to_ascii_lowercase();
    match suffix.as_str() {
        "si4" => Some(
            ["si4", "sg4", "sn4"]
                .map(|end| target.with_extension(end))
                .into(),
        ),
        "pgn" => Some(vec![target.to_owned()]),
        _ => None,
    }
}

/// Converts `sources`, in this order, to `target`, which may be replaced.
pub(crate) fn convert(
    sources: &[PathBuf],
    target: &Path,
    progress: impl FnMut(Progress) -> Flow,
) -> anyhow::Result<Converted> {
    let _ = (sources, progress);
    let target = target.display();
    Err(Usage(format!("{target}: writing is not part of this version yet")).into())
}
