//! Changes a database where it lies, and takes that back.

use std::path::{Path, PathBuf};

use tabiya_chess::Flow;
use tabiya_formats::{
    Overwrite,
    damage::DamageClass,
    error::{Error, Result},
    progress::Progress,
};

use super::{
    build_sidecar::SidecarOptions,
    convert::{Conversion, ConvertOptions, convert},
};
use crate::{database::OpenOptions, sidecar::SUFFIX};

/// Appends the games of databases and PGN files to a database: `.si4`, `.si5`, `.cbh`, `.2cbh`,
/// `.dci` or `.pgn`.
///
/// Nothing of the games that are there is written again, so it costs what is added, besides reading
/// the names. All games are in the database afterwards, or none: also if the process is killed,
/// after which the next one that writes the database takes back what was begun. While another
/// process writes it, this waits for some seconds. [`undo`] takes it back. A sidecar beside it is
/// refreshed.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use tabiya::{ConvertOptions, Database, Progress, add, format::Overwrite, undo};
///
/// # let folder = tempfile::tempdir()?;
/// let base = folder.path().join("base.si4");
/// let famous = ["fixtures/famous.pgn".into()];
/// tabiya::convert(&famous, &base, Overwrite::Refuse, Progress::ignore)?;
/// let added = add(&famous, &base, ConvertOptions::new(), Progress::ignore)?;
/// assert_eq!((added.games, Database::open(&base)?.len()), (91, 182));
/// assert!(undo(&base, Progress::ignore)?);
/// assert_eq!(Database::open(&base)?.len(), 91);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// Those of [`convert`]; `Corrupt` or `Truncated` if the database is damaged, so that games cannot
/// be added safely. It is as before then.
pub fn add(
    sources: &[PathBuf],
    base: &Path,
    options: impl Into<ConvertOptions>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Conversion> {
    let options = options.into().overwrite(Overwrite::Append);
    check_sound(base)?;
    let sidecar = columns_of_sidecar(base);
    let added = convert(sources, base, options, &mut progress)?;
    refresh(base, sidecar, progress)?;
    Ok(added)
}

/// Takes the last change of a database back, as far as [`add`] has made it: all its files are as
/// before, byte for byte. Returns whether there was something to take back. A sidecar beside it is
/// made anew.
///
/// # Errors
/// `Changed` if a file was written to since then; `Corrupt` if `NAME.tabiya-undo` is damaged; `Io`.
/// The database is as before the call then.
pub fn undo(base: &Path, progress: impl FnMut(Progress) -> Flow) -> Result<bool> {
    let sidecar = columns_of_sidecar(base);
    let undone = tabiya_formats::undo(base)?;
    if undone {
        refresh(base, sidecar, progress)?;
    }
    Ok(undone)
}

/// Returns an error if something is wrong with the files as a whole: their ends may not be where
/// new games can follow.
fn check_sound(base: &Path) -> Result<()> {
    if tabiya_formats::pgn::has_pgn_name(base) {
        return Ok(());
    }
    let database = OpenOptions::new().sidecar(false).open(base)?;
    database.require_games()?;
    let (missing, faults) = database.store().names_faults();
    let notes = database.notes().iter().chain(&missing).chain(&faults);
    let is_harm = |note: &&Error| note.damage_class() != DamageClass::Oddity;
    let mut harm = notes.filter(is_harm);
    harm.next().map_or(Ok(()), |harm| Err(harm.clone()))
}

/// Returns whether the sidecar of a database has columns; `None` if there is no sidecar.
fn columns_of_sidecar(base: &Path) -> Option<bool> {
    let path = base.with_extension(SUFFIX);
    path.exists().then(|| {
        let sidecar = crate::sidecar::Sidecar::open_older(&path, Default::default());
        sidecar.is_ok_and(|sidecar| sidecar.has_columns())
    })
}

fn refresh(
    base: &Path,
    columns: Option<bool>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<()> {
    let Some(columns) = columns else {
        return Ok(());
    };
    let options = OpenOptions::new().sidecar(false);
    let database = options.on_progress(&mut progress).open(base)?;
    let options = SidecarOptions::new().columns(columns);
    options.on_progress(progress).refresh(&database).map(drop)
}
