//! Real data beside the project: databases and recorded answers.
//!
//! The folder is `../shared`, or what `TABIYA_SHARED` says. Without it the tests that need it
//! pass and one line says that they were skipped; with `TABIYA_REQUIRE_SHARED=1` they fail.

mod folder;
pub(crate) mod recorded;

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
};

use tabiya::{Database, Error};
use tempfile::TempDir;

use self::folder::{FOLDER, found};

/// Where packed databases have been unpacked, if that worked. Done at first use.
static UNPACKED: LazyLock<Option<PathBuf>> = LazyLock::new(|| {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .parent()?
        .join("shared");
    let tool = folder()?.join("tools/unpack-data");
    let status = Command::new(tool).arg(&target).status();
    status
        .is_ok_and(|status| status.success())
        .then_some(target)
});

/// Returns a part of the shared folder; `None` means that the test is skipped.
pub(crate) fn path(part: &str) -> Option<PathBuf> {
    found(folder().map(|folder| folder.join(part)), part)
}

/// Opens a database of the shared folder by its path below `data`.
pub(crate) fn database(part: &str) -> Option<Database> {
    path(&format!("data/{part}")).map(|path| opened(Database::open(path), part))
}

/// Returns a file that is packed in the shared folder, by its path below the folder where it is
/// unpacked.
pub(crate) fn packed(part: &str) -> Option<PathBuf> {
    let path = UNPACKED.as_ref().map(|unpacked| unpacked.join(part));
    found(path, part)
}

/// Opens a database that is packed in the shared folder, by its path as for [`packed`].
pub(crate) fn packed_database(part: &str) -> Option<Database> {
    packed(part).map(|path| opened(Database::open(path), part))
}

fn folder() -> Option<&'static Path> {
    FOLDER.as_deref()
}

fn opened(database: Result<Database, Error>, part: &str) -> Database {
    database.unwrap_or_else(|error| panic!("{part}: {error}"))
}

/// Copies the large database into a folder of its own, for what writes beside it; returns the
/// folder and the index.
pub(crate) fn copy_of_kingbase() -> Option<(TempDir, PathBuf)> {
    let index = packed("scid4/kingbase/kingbase.si4")?;
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4"] {
        let name = format!("kingbase.{suffix}");
        fs::copy(index.with_extension(suffix), folder.path().join(name)).unwrap();
    }
    let path = folder.path().join("kingbase.si4");
    Some((folder, path))
}

/// Unpacks what is packed by xz.
pub(crate) fn unpacked(path: &Path) -> String {
    let file = fs::File::open(path).expect("it can be opened");
    let mut text = String::new();
    lzma_rust2::XzReader::new(file, true)
        .read_to_string(&mut text)
        .expect("it can be unpacked");
    text
}
