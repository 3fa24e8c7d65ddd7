//! `new`, `add`, `edit`, `replace` and `undo`: change a database where it lies.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::Context as _;
use clap::Args;
use tabiya::{
    Conversion, ConvertOptions, Edit, EditFault, ErrorKind, Flow, Query, Search,
    chess::NameKind,
    format::stands_for_database,
    query::{HeaderClause, TextTest},
};

use super::{
    columns::Columns,
    common::{ContentArgs, LimitArgs},
    databases,
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query, running, targets, written,
};

#[derive(Debug, Args)]
pub(crate) struct AddArgs {
    /// The database to which games are added: `.si4`, `.si5`, `.cbh`, `.2cbh`, `.dci` or `.pgn`
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// What to add: databases and PGN files, packed or not, folders of them, `-` for PGN on
    /// standard input
    #[arg(value_name = "NEW", required = true)]
    pub(crate) sources: Vec<PathBuf>,

    /// Add nothing if anything would be lost or left out
    #[arg(long)]
    strict: bool,

    /// Leave games out that BASE has, or that come twice; `tabiya dedupe --help` has the rule
    #[arg(long, conflicts_with = "query")]
    skip_duplicates: bool,

    /// Add only the games that match a query
    #[arg(long, value_name = "QUERY", allow_hyphen_values = true)]
    pub(crate) query: Option<OsString>,

    #[command(flatten)]
    most: LimitArgs,

    #[command(flatten)]
    content: ContentArgs,
}

#[derive(Debug, Args)]
pub(crate) struct EditArgs {
    /// The database
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// Change only the games that match
    #[arg(value_name = "QUERY", allow_hyphen_values = true)]
    query: Option<OsString>,

    /// Set a field by its PGN tag, `white="Carlsen, Magnus"`, or any other tag, `tag.Source=mine`
    ///
    /// `eco=auto` sets the code and `opening=auto` the tag Opening by the last position of the main
    /// line that the table of openings has. Games without such a position, or from another start
    /// position, keep what they have, and so do games with a finer code of the same opening, `B97a`
    /// for `B97`.
    #[arg(long, value_name = "FIELD=VALUE")]
    set: Vec<String>,

    /// Take a field or tag away
    #[arg(long, value_name = "FIELD")]
    unset: Vec<String>,

    /// Set a flag, such as deleted, tactics or user
    #[arg(long, value_name = "FLAG")]
    flag: Vec<String>,

    /// Take a flag away
    #[arg(long, value_name = "FLAG")]
    unflag: Vec<String>,

    /// Give all players, events, sites or rounds of exactly this name another
    #[arg(long, num_args = 3, value_names = ["KIND", "FROM", "TO"])]
    rename: Vec<String>,

    /// Rename by a list: CSV whose first columns are `kind,from,to`
    #[arg(long, value_name = "FILE")]
    rename_from: Option<PathBuf>,

    /// Only show what would change
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct NewArgs {
    /// The new database; its name says the format, as for `convert`
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// Replace it if it exists
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplaceArgs {
    /// The database
    #[arg(value_name = "BASE")]
    base: PathBuf,

    /// The number of the game, from 1
    #[arg(value_name = "NUMBER")]
    game: u32,

    /// Where the new game is, and no other: a PGN file or another database; `-` is PGN on standard
    /// input
    #[arg(value_name = "NEW")]
    source: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct UndoArgs {
    /// The database: any of its files, or the stem that they share
    #[arg(value_name = "BASE")]
    base: PathBuf,
}

pub(crate) fn add(args: &AddArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let sources = with_folders(&args.sources)?;
    written::prepare(&sources)?;
    let options = ConvertOptions::new()
        .strict(args.strict)
        .opening(databases::options().clone());
    let mut options = args.content.apply(options);
    if let Some(limit) = args.most.limit {
        options = options.limit(limit);
    }
    if let Some(query) = &args.query {
        let query = query::of_words(std::iter::once(query))?;
        options = options.search(Search::new(&query));
    }
    let mut progress = Progress::new("games");
    let added = if args.skip_duplicates {
        let added = tabiya::add_missing(&sources, &args.base, options, |at| progress.update(at));
        added.map(|(added, left_out)| (added, Some(left_out)))
    } else {
        let added = tabiya::add(&sources, &args.base, options, |at| progress.update(at));
        added.map(|added| (added, None))
    };
    progress.clear();
    let (added, left_out) = added.map_err(|error| written::unchanged(error, &args.base))?;
    if let Some(left_out) = left_out {
        output::summarize(&match left_out.repeats.len() {
            1 => "1 game was there already".to_owned(),
            repeats => format!("{repeats} games were there already"),
        });
        if left_out.unnamed > 0 {
            output::warn(&format!(
                "{} without the name of a player, which could be compared with none",
                output::games(left_out.unnamed)
            ));
        }
    }
    written::warn_of_sources(&added);
    written::report(&added);
    let searches = args.query.is_some();
    written::sum_up(&added, "added", &args.base, searches, started);
    written::warn_of_sidecar(&added, &args.base);
    Ok(written::outcome(&added))
}

/// Changes headers, or shows what would change.
pub(crate) fn edit(args: &EditArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    let edit = args.edit()?;
    let query = args.query.as_ref();
    let query = query.map(|query| query::of_words(std::iter::once(query)));
    let query = query.transpose()?;
    if query == Some(Query::All) {
        let message = "the query is empty, and nothing is changed; without one all games are meant";
        return Err(Usage(message.to_owned()).into());
    }
    let search = query.as_ref().map(Search::new);
    interrupt::watch();
    let outcome = if args.dry_run {
        preview(&edit, &args.base, search.as_ref(), "change", out)?
    } else {
        apply(&edit, &args.base, search.as_ref(), "changed", started)?
    };
    if outcome == Outcome::Nothing {
        match &query {
            Some(query) => running::hint_of(query, &args.base)?,
            None => args.hint_of_renames()?,
        }
    }
    Ok(outcome)
}

/// Makes an edit. `what` says what happens to games.
pub(super) fn apply(
    edit: &Edit,
    base: &Path,
    search: Option<&Search<'_>>,
    what: &str,
    started: Instant,
) -> anyhow::Result<Outcome> {
    let mut progress = Progress::new("games");
    let edited = edit.run(base, search, |at| progress.update(at));
    progress.clear();
    let edited = edited.map_err(|error| written::unchanged(error, base))?;
    Ok(told(&edited, what, base, started))
}

/// Prints what would change, a row for each field. `what` says what games would do.
pub(super) fn preview(
    edit: &Edit,
    base: &Path,
    search: Option<&Search<'_>>,
    what: &str,
    out: &mut Output,
) -> anyhow::Result<Outcome> {
    let mut columns = Columns::new(&["#game", "field", "before", "after"]);
    let mut progress = Progress::new("games");
    let games = edit.preview(
        base,
        search,
        |at| progress.update(at),
        |number, fields| {
            for field in fields {
                let before = field.before.unwrap_or_default();
                columns.row([number.to_string(), field.field, before, field.after]);
            }
            Flow::Continue(())
        },
    );
    progress.clear();
    let games = games.map_err(|error| written::unchanged(error, base))?;
    columns.print(out)?;
    out.finish()?;
    let told = output::games(games);
    output::summarize(&format!("{told} would {what}; nothing is written"));
    Ok(Outcome::of_matches(games > 0))
}

/// Makes a database without games.
pub(crate) fn new(args: &NewArgs) -> anyhow::Result<Outcome> {
    targets::check(&[], &args.base, args.force)?;
    let options = ConvertOptions::from(targets::overwrite(args.force));
    tabiya::convert(&[], &args.base, options, |_| Flow::Continue(()))?;
    output::summarize(&format!("{}: no games yet", args.base.display()));
    Ok(Outcome::Done)
}

/// Puts another game in the place of one.
pub(crate) fn replace(args: &ReplaceArgs) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    written::prepare(std::slice::from_ref(&args.source))?;
    let mut progress = Progress::new("games");
    let replaced = tabiya::replace(&args.base, args.game, &args.source, |at| {
        progress.update(at)
    });
    progress.clear();
    let replaced = replaced.map_err(|error| match error.kind() {
        ErrorKind::Unsupported { .. } if error.path() == Some(&args.source) => {
            let source = databases::quoted(&args.source.display().to_string());
            let one = "`tabiya search {source} number:1 -o one.pgn` takes one game out";
            Usage(format!("{error}; {}", one.replace("{source}", &source))).into()
        }
        _ => written::unchanged(error, &args.base),
    })?;
    Ok(told(&replaced, "replaced", &args.base, started))
}

/// Tells how many games a change was about.
pub(super) fn told(changed: &Conversion, what: &str, base: &Path, started: Instant) -> Outcome {
    output::summarize(&format!(
        "{} {what} in {}, {:.3} s",
        output::games(changed.games),
        base.display(),
        started.elapsed().as_secs_f64()
    ));
    written::warn_of_sidecar(changed, base);
    Outcome::of_matches(changed.games > 0)
}

impl EditArgs {
    /// Returns the edit that the options describe.
    fn edit(&self) -> anyhow::Result<Edit> {
        let mut edit = Edit::new();
        for set in &self.set {
            let Some((name, value)) = set.split_once('=') else {
                let message = format!("--set {set}: a field, `=` and its value are needed");
                return Err(Usage(message).into());
            };
            edit = edit.set(name, value).map_err(usage)?;
        }
        for name in &self.unset {
            edit = edit.set(name, "").map_err(usage)?;
        }
        for flag in &self.flag {
            edit = edit.flag(flag, true).map_err(usage)?;
        }
        for flag in &self.unflag {
            edit = edit.flag(flag, false).map_err(usage)?;
        }
        let renames = self.rename.as_chunks::<3>().0;
        for [kind, from, to] in renames {
            edit = edit.rename(kind_of(kind)?, from, to);
        }
        if let Some(list) = &self.rename_from {
            edit = renames_of(list, edit)?;
        }
        let given = [
            &self.set,
            &self.unset,
            &self.flag,
            &self.unflag,
            &self.rename,
        ];
        if given.iter().all(|given| given.is_empty()) && self.rename_from.is_none() {
            let message = "nothing to change: --set, --unset, --flag, --unflag or --rename";
            return Err(Usage(message.to_owned()).into());
        }
        Ok(edit)
    }

    /// Tells which names of `--rename` are probably meant, where none is as it was typed.
    fn hint_of_renames(&self) -> anyhow::Result<()> {
        let renames = self.rename.as_chunks::<3>().0.iter();
        if output::is_quiet() {
            return Ok(());
        }
        let database = databases::open_for_tags(&self.base)?;
        for [word, from, _] in renames.filter(|[_, from, to]| from != to) {
            let kind = kind_of(word)?;
            let found = database.find_names(kind, from)?;
            if let Some(meant) = found.first() {
                output::complain(&output::one_line(&format!(
                    "tabiya: no {word} is called exactly `{from}`; did you mean `{}`?",
                    meant.name
                )));
                continue;
            }
            let test = TextTest::Contains(from.clone());
            let clause = HeaderClause::Text(running::field(kind), test);
            running::hint(&Query::Header(clause), std::iter::once(&database))?;
        }
        Ok(())
    }
}

fn usage(fault: EditFault) -> anyhow::Error {
    Usage(fault.to_string()).into()
}

fn kind_of(word: &str) -> anyhow::Result<NameKind> {
    match word {
        "player" => Ok(NameKind::Player),
        "event" => Ok(NameKind::Event),
        "site" => Ok(NameKind::Site),
        "round" => Ok(NameKind::Round),
        _ => {
            let message = format!("{word:?} is none of player, event, site, round");
            Err(Usage(message).into())
        }
    }
}

/// Adds the renames of a list: CSV whose first three columns are `kind,from,to`, as
/// `names --suggest --format csv` prints it.
fn renames_of(list: &Path, mut edit: Edit) -> anyhow::Result<Edit> {
    let failed = || list.display().to_string();
    let mut rows = csv::ReaderBuilder::new()
        .flexible(true)
        .from_path(list)
        .with_context(failed)?;
    for row in rows.records() {
        let row = row.with_context(failed)?;
        let (Some(kind), Some(from), Some(to)) = (row.get(0), row.get(1), row.get(2)) else {
            return Err(Usage(format!("{}: a row without `kind,from,to`", failed())).into());
        };
        edit = edit.rename(kind_of(kind).with_context(failed)?, from, to);
    }
    Ok(edit)
}

pub(crate) fn undo(args: &UndoArgs) -> anyhow::Result<Outcome> {
    let base = args.base.display();
    interrupt::watch();
    let mut progress = Progress::new("games");
    let undone = tabiya::undo(&args.base, |at| progress.update(at));
    progress.clear();
    if !undone? {
        output::complain(&format!("{base}: there is no change to take back"));
        return Ok(Outcome::Nothing);
    }
    output::summarize(&format!("{base}: as it was before the last change"));
    if args.base.with_extension("tabiya").exists() {
        // Warns if the sidecar is not that of the database.
        databases::open_for_tags(&args.base)?;
    }
    Ok(Outcome::Done)
}

/// Puts the databases of folders in the places of these.
fn with_folders(sources: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut all = Vec::new();
    for source in sources {
        if source.is_dir() && !stands_for_database(source) {
            all.extend(databases::in_folder(source)?);
        } else {
            all.push(source.clone());
        }
    }
    Ok(all)
}
