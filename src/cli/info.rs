//! `info`: describes a database.

use std::{
    fmt::Display,
    io::Write as _,
    path::{Path, PathBuf},
};

use tabiya::{
    Database, Error, ErrorKind, Summary, Visible,
    chess::{GameResult, NameKind, PartialDate},
    format::{FormatKind, SUPPORT, Support, is_set, stands_for_database},
};

use super::{
    args::InfoArgs,
    columns::Columns,
    databases::{self, Source},
    failure::Outcome,
    interrupt,
    output::{self, Output},
};

pub(crate) fn run(args: &InfoArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    match &args.database {
        Some(path) if path.is_dir() && !stands_for_database(path) => {
            list(&databases::in_folder(path)?, path, out)
        }
        Some(path) => {
            let paths = databases::named(&[path])?;
            let outcome = match &*paths {
                [path] => tell(path, out)?,
                paths => list(paths, path, out)?,
            };
            if args.what_next {
                what_next(path, out)?;
            }
            Ok(outcome)
        }
        None => formats(out),
    }
}

/// Lists databases, which are in a folder or named by a list. Warns about those that cannot be
/// opened.
fn list(paths: &[PathBuf], named: &Path, out: &mut Output) -> anyhow::Result<Outcome> {
    interrupt::watch();
    let mut columns = Columns::new(&["database", "format", "#games", "#bytes", "sidecar"]);
    let mut outcome = Outcome::Done;
    for path in paths {
        interrupt::check()?;
        match databases::open_quietly(path) {
            Ok(parts) => columns.row(row(path, &parts)),
            Err(error) => {
                output::warn(&error.to_string());
                outcome = Outcome::Damaged;
            }
        }
    }
    let is_empty = columns.is_empty();
    columns.print(out)?;
    out.finish()?;
    output::summarize(&format!("{} databases in {}", paths.len(), named.display()));
    Ok(match outcome {
        Outcome::Done if is_empty => Outcome::Nothing,
        outcome => outcome,
    })
}

/// Returns the row of a database, or of its parts.
fn row(path: &Path, parts: &[Database]) -> [String; 5] {
    let games: u64 = parts.iter().map(|part| u64::from(part.len())).sum();
    let files = parts.first().map(Database::files).unwrap_or_default();
    let bytes: u64 = files.iter().map(|(_, bytes)| bytes).sum();
    let has_sidecar = parts.iter().all(|part| part.sidecar().is_some());
    [
        file_name(path),
        parts
            .first()
            .map_or_else(String::new, |part| part.kind().to_string()),
        games.to_string(),
        bytes.to_string(),
        if has_sidecar { "yes" } else { "" }.to_owned(),
    ]
}

/// Prints commands for a database.
fn what_next(path: &Path, out: &mut Output) -> anyhow::Result<()> {
    let (is_set, path) = (is_set(path), path.display().to_string());
    let quoted = if path
        .chars()
        .all(|letter| letter.is_alphanumeric() || "-_./".contains(letter))
    {
        path
    } else {
        format!("'{}'", path.replace('\'', "'\\''"))
    };
    writeln!(out, "\nWhat can be done with it:")?;
    for (command, rest) in [
        ("search", " 'white:carlsen result:1-0'"),
        ("tree", " --moves 'e4 c5'"),
        ("stats", ""),
        ("names", " --limit 20"),
        ("show", " 1"),
        ("index", ""),
        ("verify", ""),
        ("convert", " new.pgn"),
    ] {
        // Games of several databases have no numbers.
        if is_set && matches!(command, "names" | "show") {
            continue;
        }
        writeln!(out, "  tabiya {command} {}{rest}", Visible(&quoted))?;
    }
    writeln!(
        out,
        "`tabiya search --help` begins with examples of queries."
    )?;
    Ok(())
}

/// Prints the description of a database.
fn tell(path: &Path, out: &mut Output) -> anyhow::Result<Outcome> {
    let source = Source::open(path, databases::options())?;
    let Some(opened) = source.whole() else {
        return tell_of_parts(&source, out);
    };
    let database = &opened.database;
    let summary = database.on_progress(|_| interrupt::flow()).summary()?;
    let mut page = Page(out);
    page.line("database", database.path().display())?;
    page.line(
        "format",
        format_args!("{}{}", database.kind(), version(database.kind())),
    )?;
    if let Some(support) = database.kind().support() {
        page.support(support)?;
    }
    let description = database.description();
    if !description.is_empty() {
        page.line("description", &description)?;
    }
    if let Some(encoding) = database.encoding() {
        let guessed = if database.encoding_is_guessed() {
            ", guessed; `--encoding` says another"
        } else {
            ""
        };
        page.line("encoding", format_args!("{encoding}{guessed}"))?;
    }
    for (path, bytes) in database.files() {
        page.line("file", format_args!("{} {bytes} bytes", file_name(&path)))?;
    }
    sidecar(&mut page, database)?;
    names(&mut page, database)?;
    games(&mut page, &summary)?;
    for note in database.notes() {
        page.line("note", note)?;
    }
    if let Some(damage) = database.names_damage() {
        let is_noted = database
            .notes()
            .iter()
            .any(|note| note.kind() == damage.kind());
        if !is_noted && !database.is_empty() {
            page.line("damage", damage)?;
        }
    }
    Ok(Outcome::Done)
}

/// Prints the description of PGN that is too long to be opened whole.
fn tell_of_parts(source: &Source, out: &mut Output) -> anyhow::Result<Outcome> {
    interrupt::watch();
    let (mut summary, mut bytes) = (Summary::nothing(), 0);
    let (mut sidecars, mut sidecar_bytes, mut parts) = (0, 0, 0);
    for opened in source.parts() {
        let database = &opened?.database;
        summary = summary.merge(database.on_progress(|_| interrupt::flow()).summary()?);
        bytes = database.files().iter().map(|(_, bytes)| bytes).sum();
        parts += 1;
        if let Some(sidecar) = database.sidecar() {
            sidecars += 1;
            sidecar_bytes += sidecar.size_bytes();
        }
    }
    let mut page = Page(out);
    page.line("database", source.path().display())?;
    page.line("format", FormatKind::Pgn)?;
    if let Some(support) = FormatKind::Pgn.support() {
        page.support(support)?;
    }
    let name = file_name(source.path());
    page.line("file", format_args!("{name} {bytes} bytes"))?;
    games(&mut page, &summary)?;
    match sidecars {
        0 => page.line("sidecar", "none")?,
        _ if sidecars == parts => page.line(
            "sidecar",
            format_args!("of {sidecars} parts, {sidecar_bytes} bytes"),
        )?,
        _ => page.line(
            "sidecar",
            format_args!("of the first {sidecars} parts, {sidecar_bytes} bytes; see the note"),
        )?,
    }
    if let Some(damage) = source.damage() {
        page.line("note", damage)?;
    }
    Ok(Outcome::Done)
}

/// The text for a number that is only in the games themselves.
const UNTOLD: &str = "not told by the index";

/// Lines of a title and a value.
struct Page<'o>(&'o mut Output);

impl Page<'_> {
    fn line(&mut self, title: &str, value: impl Display) -> anyhow::Result<()> {
        Ok(writeln!(self.0, "{title:<13} {}", Visible(value))?)
    }

    /// Prints how a format is supported.
    fn support(&mut self, support: &Support) -> anyhow::Result<()> {
        self.line("read", support.read)?;
        self.line("written", support.written)?;
        match support.verified {
            "" => Ok(()),
            verified => self.line("verified with", verified),
        }
    }
}

/// Lists all formats.
fn formats(out: &mut Output) -> anyhow::Result<Outcome> {
    for (index, support) in SUPPORT.iter().enumerate() {
        if index > 0 {
            writeln!(out)?;
        }
        let mut page = Page(out);
        page.line("format", support.format)?;
        page.support(support)?;
    }
    Ok(Outcome::Done)
}

/// Prints whether there is a sidecar, and whether it is used.
fn sidecar(page: &mut Page<'_>, database: &Database) -> anyhow::Result<()> {
    if let Some(sidecar) = database.sidecar() {
        let (name, bytes) = (file_name(sidecar.path()), sidecar.size_bytes());
        let each = bytes as f64 / f64::from(database.len().max(1));
        return page.line(
            "sidecar",
            format_args!("{name} {bytes} bytes, {each:.1} a game"),
        );
    }
    let is_unused = |note: &&Error| matches!(note.kind(), ErrorKind::SidecarUnused { .. });
    match database.notes().iter().find(is_unused) {
        Some(_) => page.line("sidecar", "not used, see the note"),
        None => page.line("sidecar", "none"),
    }
}

fn version(kind: FormatKind) -> &'static str {
    match kind {
        FormatKind::Scid3 => ", version 300",
        FormatKind::Scid4 => ", version 400",
        _ => "",
    }
}

fn file_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn names(page: &mut Page<'_>, database: &Database) -> anyhow::Result<()> {
    let titles = ["players", "events", "sites", "rounds"];
    for (title, kind) in titles.into_iter().zip(NameKind::ALL) {
        match database.name_count(kind) {
            Ok(count) => page.line(title, count)?,
            Err(_) => page.line(title, "unknown")?,
        }
    }
    Ok(())
}

fn games(page: &mut Page<'_>, summary: &Summary) -> anyhow::Result<()> {
    let count = |result: GameResult| {
        let count = summary.results[result as usize];
        format!("{result} {count}{}", share(count, summary.games))
    };
    page.line("games", summary.games)?;
    if summary.texts > 0 {
        page.line("texts", summary.texts)?;
    }
    match summary.dates {
        Some((first, last)) => page.line(
            "dates",
            format_args!(
                "{} to {}; {} dated",
                known(first),
                known(last),
                output::games(summary.dated)
            ),
        )?,
        None => page.line("dates", "none")?,
    }
    match summary.ratings {
        Some((low, high)) => page.line(
            "ratings",
            format_args!(
                "{low} to {high}; both players rated in {}, one in {}",
                output::games(summary.rated),
                summary.half_rated
            ),
        )?,
        None => page.line("ratings", "none")?,
    }
    let results = [
        GameResult::WhiteWins,
        GameResult::Draw,
        GameResult::BlackWins,
        GameResult::Unknown,
    ];
    page.line("results", results.map(count).join(", "))?;
    let of_all = |count: Option<u64>| match count {
        Some(count) => format!("in {count} of {}", output::games(summary.games)),
        None => UNTOLD.to_owned(),
    };
    page.line("comments", of_all(summary.with_comments))?;
    page.line("variations", of_all(summary.with_variations))?;
    page.line("nags", of_all(summary.with_nags))?;
    let starts = summary.custom_starts.map(|count| count.to_string());
    page.line("custom starts", starts.as_deref().unwrap_or(UNTOLD))?;
    page.line("deleted", summary.deleted)
}

/// Returns a share of games as text in percent.
fn share(count: u64, games: u64) -> String {
    match games {
        0 => String::new(),
        games => format!(" ({:.1} %)", 100.0 * count as f64 / games as f64),
    }
}

/// Returns the text of a date without its unknown parts.
fn known(date: PartialDate) -> String {
    date.to_string().trim_end_matches(".??").to_owned()
}
