//! The folders in which people usually have their databases.

use std::{
    env,
    path::{Path, PathBuf},
};

use crate::folders::holds_databases;

/// Folders that are offered at most.
const FOLDERS_MAX: usize = 50;
/// Entries of a program's folder that are looked at.
const ENTRIES_MAX: usize = 1000;

/// Where this user's files are, as far as the system says.
#[derive(Debug, Default)]
pub struct Places {
    /// The present folder.
    pub present: Option<PathBuf>,
    /// The user's documents.
    pub documents: Option<PathBuf>,
    /// The user's own folder.
    pub home: Option<PathBuf>,
}

impl Places {
    /// Returns those of the user who has started this program.
    #[must_use]
    pub fn of_user() -> Places {
        Places {
            present: env::current_dir().ok(),
            documents: dirs::document_dir(),
            home: dirs::home_dir(),
        }
    }

    /// Returns the folders among the usual ones in which databases lie: the present one, the
    /// documents, and those of chess programs with the folders in them.
    #[must_use]
    pub fn folders(&self) -> Vec<PathBuf> {
        let mut found: Vec<PathBuf> = Vec::new();
        let plain = self.present.iter().chain(&self.documents).cloned();
        let of_programs = self.of_programs().into_iter().flat_map(with_inner);
        for folder in plain.chain(of_programs) {
            // One folder may have several names.
            let Ok(folder) = dunce::canonicalize(folder) else {
                continue;
            };
            if !found.contains(&folder) && holds_databases(&folder) {
                found.push(folder);
            }
            if found.len() == FOLDERS_MAX {
                break;
            }
        }
        found
    }

    /// Returns the folders of chess programs: ChessBase keeps its databases below the documents
    /// (Mega Database in a folder of `Bases`); Scid leaves the place to its user, who often gives
    /// the folder its name.
    fn of_programs(&self) -> Vec<PathBuf> {
        let documents = self.documents.iter().flat_map(|documents| {
            let names = ["ChessBase", "ChessBase/Bases", "Scid", "Scid/bases"];
            names.map(|name| documents.join(name))
        });
        let home = self.home.iter().flat_map(|home| {
            let names = ["Scid", "Scid/bases", "scid", "scid/bases"];
            names.map(|name| home.join(name))
        });
        documents.chain(home).collect()
    }
}

/// Returns a folder and those that lie in it, by name; links are not followed.
fn with_inner(folder: PathBuf) -> Vec<PathBuf> {
    let mut inner = inner(&folder);
    inner.sort_unstable();
    inner.insert(0, folder);
    inner
}

fn inner(folder: &Path) -> Vec<PathBuf> {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let entries = entries.take(ENTRIES_MAX);
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    folders.map(|entry| entry.path()).collect()
}
