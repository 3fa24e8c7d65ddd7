//! Changes a database where it lies, and takes that back.

use std::path::{Path, PathBuf};

use tabiya_chess::Flow;
use tabiya_formats::{Access, Overwrite, error::Result, pgn::has_pgn_name, progress::Progress};

use super::{
    build_sidecar::SidecarOptions,
    convert::{Conversion, ConvertOptions, convert, convert_games},
    whole::open_sound,
};
use crate::{
    database::{Database, OpenOptions},
    report::duplicates::{Dedupe, Repeats},
    sidecar::{SUFFIX, Sidecar},
};

/// Appends the games of databases and PGN files to a database: `.si4`, `.si5`, `.cbh`, `.2cbh`,
/// `.dci` or `.pgn`.
///
/// Nothing of the games that are there is written again, so it costs what is added, besides reading
/// the names; only PGN that is not UTF-8 is written anew in it. All games are in the database
/// afterwards, or none: also if the process is killed, after which the next one that writes the
/// database takes back what was begun. While another process writes it, this waits for some
/// seconds. [`undo`] takes it back. A sidecar beside it is refreshed. If there is nothing to add,
/// nothing changes, and [`undo`] takes the change before it back.
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
    if !has_pgn_name(base) {
        open_sound(base, None, &mut progress)?;
    }
    let sidecars = Sidecars::of(base);
    let mut added = convert(sources, base, options, &mut progress)?;
    if added.games > 0 {
        added.sidecar_fault = sidecars.refresh(base, progress).err();
    }
    Ok(added)
}

/// Appends those games of databases and PGN files to a database that neither it has nor one of
/// them before, by the rule of [`Dedupe`]; otherwise as [`add`]. A search in the options does not
/// matter. PGN is opened as a database. Also returns the games left out: databases are numbered as
/// the sources, and after them comes the database itself.
///
/// # Errors
/// Those of [`add`] and of [`Dedupe::run`].
pub fn add_missing(
    sources: &[PathBuf],
    base: &Path,
    options: impl Into<ConvertOptions>,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<(Conversion, Repeats)> {
    let options = options.into().overwrite(Overwrite::Append);
    let known = open_sound(base, None, &mut progress)?;
    let opened = sources.iter().map(|path| {
        let opening = options.opening_of_sources();
        opening.on_progress(&mut progress).open(path)
    });
    let opened = opened.collect::<Result<Vec<Database>>>()?;
    let new: Vec<&Database> = opened.iter().collect();
    let dedupe = Dedupe::new().against(&[&known]).keep_first(true);
    let repeats = dedupe.on_progress(&mut progress).run(&new)?;
    let games = repeats.kept(&new);
    let sidecars = Sidecars::of(base);
    drop(dedupe);
    let mut added = convert_games(&games, base, options, &mut progress)?;
    drop(known);
    if added.games > 0 {
        added.sidecar_fault = sidecars.refresh(base, progress).err();
    }
    Ok((added, repeats))
}

/// Takes the last change of a database back, by [`add`] or any other function that changes one:
/// all its files are as before, byte for byte. Returns whether there was something to take back. A
/// sidecar beside it is made anew; if it cannot be, it is not used.
///
/// # Errors
/// `Changed` if a file was written to since then; `OtherDatabase` if the last change was one of a
/// database in another format that has the same name; `Corrupt` if `NAME.tabiya-undo` is damaged;
/// `Io`. The database is as before the call then.
pub fn undo(base: &Path, progress: impl FnMut(Progress) -> Flow) -> Result<bool> {
    let sidecars = Sidecars::of(base);
    let undone = tabiya_formats::undo(base)?;
    if undone {
        // The database is as it was, also if there is no room for a sidecar.
        let _ = sidecars.refresh(base, progress);
    }
    Ok(undone)
}

/// The sidecar of a database that is going to be changed.
pub(super) struct Sidecars {
    /// Whether it has columns; `None` if there is none.
    columns: Option<bool>,
}

impl Sidecars {
    pub(super) fn of(base: &Path) -> Sidecars {
        let path = base.with_extension(SUFFIX);
        let columns = || {
            let sidecar = Sidecar::open_older(&path, Access::default());
            sidecar.is_ok_and(|sidecar| sidecar.has_columns())
        };
        Sidecars {
            columns: path.exists().then(columns),
        }
    }

    /// Makes the sidecar anew after a change, as far as it is about other games.
    pub(super) fn refresh(
        self,
        base: &Path,
        mut progress: impl FnMut(Progress) -> Flow,
    ) -> Result<()> {
        let Some(columns) = self.columns else {
            return Ok(());
        };
        let database = OpenOptions::new().on_progress(&mut progress).open(base)?;
        let options = SidecarOptions::new().columns(columns);
        options.on_progress(progress).grow(&database).map(drop)
    }
}
