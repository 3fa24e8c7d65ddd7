//! `dedupe`: writes databases anew without the worse of games that are there more than once.

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::PathBuf,
    time::Instant,
};

use serde_json::Value;
use tabiya::{
    ConvertOptions, Database, Dedupe, Edit, Located, Match, Query, Repeat, Repeats, Search,
    format::GameHeader,
};

use super::{
    columns::{self, Take},
    common::RowFormat,
    databases::{self, Opened},
    failure::{Outcome, Usage},
    interrupt,
    keeping::DedupeArgs,
    output::{self, Output},
    progress::Progress,
    render::{Records, Row},
    targets, written,
};

/// Titles of the columns; the databases are left out if there is one.
const TITLES: [&str; 12] = [
    "#number", "#kept", "reason", "white", "black", "result", "date", "event", "#plies", "differs",
    "database", "keptIn",
];
/// Names of the machine-readable fields.
const NAMES: [&str; 22] = [
    "database",
    "number",
    "keptDatabase",
    "keptNumber",
    "reason",
    "differs",
    "white",
    "black",
    "result",
    "date",
    "event",
    "site",
    "round",
    "plies",
    "keptWhite",
    "keptBlack",
    "keptResult",
    "keptDate",
    "keptEvent",
    "keptSite",
    "keptRound",
    "keptPlies",
];

pub(crate) fn run(args: &DedupeArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    if args.output.is_none() && !args.mark && !args.dry_run {
        let message = "what becomes of the games? -o NEW writes those that are kept into a new \
                       database, --mark marks the others as deleted where they lie, and --dry-run \
                       lists these";
        return Err(Usage(message.to_owned()).into());
    }
    args.content.refuse_without(args.output.as_ref())?;
    let sources = args.databases.iter().chain(&args.against);
    let sources: Vec<PathBuf> = sources.cloned().collect();
    if let Some(target) = &args.output {
        targets::check(&sources, target, args.force)?;
    }
    if let Some(report) = &args.report {
        let target = args.output.clone().unwrap_or_default();
        for source in &sources {
            targets::check_report(report, source, &target, args.force)?;
        }
    }
    let all = open_all(&sources)?;
    interrupt::watch();
    let (searched, known) = all.split_at(args.databases.len());
    let [searched, known] = [searched, known].map(|some| {
        let databases = some.iter().map(|opened| &opened.database);
        databases.collect::<Vec<&Database>>()
    });
    let options = Dedupe::new().against(&known).moves_only(args.moves_only);
    let mut progress = Progress::new("games");
    let found = options
        .on_progress(|at| progress.update(at))
        .run(&searched)?;
    progress.clear();
    report(args, &all, &found, out)?;
    for opened in &all {
        databases::warn_of_names(&opened.database);
    }
    if found.damaged > 0 {
        output::warn(&format!(
            "damaged games compared with none: {}; `tabiya verify` lists them",
            found.damaged
        ));
    }
    let games: u32 = searched.iter().map(|database| database.len()).sum();
    output::summarize(&format!(
        "{}, {} decoded, {} repeat others",
        output::games(games.into()),
        found.decoded,
        found.repeats.len()
    ));
    match &args.output {
        Some(target) => {
            let options = ConvertOptions::from(targets::overwrite(args.force)).strict(args.strict);
            let options = args.content.apply(options);
            let games = found.kept(&searched);
            let mut progress = Progress::new("games");
            let written = tabiya::convert_games(&games, target, options, |at| progress.update(at));
            progress.clear();
            let written = written::tell(written, target, false, started)?;
            Ok(written::outcome(&written))
        }
        None if args.mark => mark(args, all, &found, started),
        None => Ok(Outcome::of_matches(!found.repeats.is_empty())),
    }
}

/// Marks the games that repeat others as deleted, where they lie.
fn mark(
    args: &DedupeArgs,
    all: Vec<Opened>,
    found: &Repeats,
    started: Instant,
) -> anyhow::Result<Outcome> {
    drop(all);
    let edit = Edit::new().flag("deleted", true)?;
    let (mut marked, mut next) = (0, Vec::new());
    for (place, path) in args.databases.iter().enumerate() {
        let games = found.games(place);
        let search = Search::new(&Query::All).among(&games);
        let mut progress = Progress::new("games");
        let edited = edit.run(path, Some(&search), |at| progress.update(at));
        let edited = edited.map_err(|error| written::unchanged(error, path))?;
        written::warn_of_sidecar(&edited, path);
        marked += edited.games;
        if edited.games > 0 {
            let name = databases::quoted(&path.display().to_string());
            next.push(format!("`tabiya compact {name}`"));
        }
    }
    output::summarize(&format!(
        "{} marked as deleted, {:.3} s",
        output::games(marked),
        started.elapsed().as_secs_f64()
    ));
    if marked > 0 {
        let next = next.join(", ");
        output::summarize(&format!("next: {next} writes the database without them"));
    }
    Ok(Outcome::of_matches(marked > 0))
}

/// Opens databases, which have different labels unless they have the same path.
pub(super) fn open_all(paths: &[PathBuf]) -> anyhow::Result<Vec<Opened>> {
    let mut all: Vec<Opened> = Vec::with_capacity(paths.len());
    for path in paths {
        let database = databases::open(path)?;
        let label = database.name();
        all.push(Opened { database, label });
    }
    let labels: Vec<String> = all.iter().map(|opened| opened.label.clone()).collect();
    for (opened, path) in all.iter_mut().zip(paths) {
        if labels
            .iter()
            .filter(|label| **label == opened.label)
            .count()
            > 1
        {
            opened.label = path.to_string_lossy().into_owned();
        }
    }
    Ok(all)
}

/// Writes the report, if it is wanted.
fn report(
    args: &DedupeArgs,
    all: &[Opened],
    found: &Repeats,
    out: &mut Output,
) -> anyhow::Result<()> {
    let several = all.len() > 1;
    match &args.report {
        Some(path) => {
            let failed = |cause| anyhow::anyhow!("{}: {cause}", path.display());
            let mut file = BufWriter::new(File::create(path).map_err(failed)?);
            write_report(args.format, all, found, several, &mut file)?;
            file.flush().map_err(failed)
        }
        None if args.dry_run => {
            write_report(args.format, all, found, several, out)?;
            Ok(out.finish()?)
        }
        None => Ok(()),
    }
}

fn write_report(
    format: RowFormat,
    all: &[Opened],
    found: &Repeats,
    several: bool,
    mut out: &mut dyn Write,
) -> anyhow::Result<()> {
    let pairs = || found.repeats.iter().map(|repeat| Pair::new(all, repeat));
    let titles = &TITLES[..TITLES.len() - if several { 0 } else { 2 }];
    match format {
        RowFormat::Table => columns::write_told(titles, &mut out, None, |take| {
            pairs().try_for_each(|pair| pair?.tell(take))
        }),
        RowFormat::Csv => {
            let mut records = Records::csv(&NAMES, out)?;
            pairs().try_for_each(|pair| records.row(&pair?.fields()))
        }
        RowFormat::Jsonl => {
            let mut records = Records::Jsonl(out);
            pairs().try_for_each(|pair| records.row(&pair?.fields()))
        }
    }
}

/// A game that is left out, and the one that is kept.
struct Pair<'o> {
    game: Row<'o>,
    kept: Row<'o>,
    reason: &'static str,
}

impl<'o> Pair<'o> {
    fn new(all: &'o [Opened], repeat: &Repeat) -> anyhow::Result<Pair<'o>> {
        interrupt::check()?;
        let row = |at: Located| Row::new(&all[at.database], Match::from(at.game), true);
        Ok(Pair {
            game: row(repeat.game)?,
            kept: row(repeat.kept)?,
            reason: repeat.reason.as_str(),
        })
    }

    /// Returns the fields in which the games differ, with the value of the one that is kept.
    fn differences(&self) -> Vec<(&'static str, String)> {
        let values = |header: &GameHeader| {
            let date = header.date.to_string();
            let result = header.result.to_string();
            [
                &header.white,
                &header.black,
                &date,
                &result,
                &header.event,
                &header.site,
                &header.round,
            ]
            .map(String::clone)
        };
        let names = ["white", "black", "date", "result", "event", "site", "round"];
        let (one, other) = (values(&self.game.header), values(&self.kept.header));
        let both = names.into_iter().zip(one.into_iter().zip(other));
        let headers = both.filter(|(_, (one, other))| one != other);
        let mut differences: Vec<_> = headers.map(|(name, (_, kept))| (name, kept)).collect();
        if self.game.plies != self.kept.plies {
            differences.push(("plies", self.kept.plies.to_string()));
        }
        differences
    }

    fn tell(&self, take: &mut Take<'_>) -> anyhow::Result<()> {
        let differences = self.differences().into_iter();
        let differences = differences.map(|(name, kept)| format!("{name} {kept}"));
        let header = &self.game.header;
        take(&[
            self.game.number.to_string(),
            self.kept.number.to_string(),
            self.reason.to_owned(),
            header.white.clone(),
            header.black.clone(),
            header.result.to_string(),
            header.date.to_string(),
            header.event.clone(),
            self.game.plies.to_string(),
            differences.collect::<Vec<_>>().join("; "),
            self.game.database.unwrap_or_default().to_owned(),
            self.kept.database.unwrap_or_default().to_owned(),
        ])
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        let differs: Vec<&str> = self.differences().iter().map(|(name, _)| *name).collect();
        let values = |row: &Row<'_>| -> [Value; 8] {
            let header = &row.header;
            [
                header.white.as_str().into(),
                header.black.as_str().into(),
                header.result.as_str().into(),
                header.date.to_string().into(),
                header.event.as_str().into(),
                header.site.as_str().into(),
                header.round.as_str().into(),
                row.plies.into(),
            ]
        };
        let place: [Value; 6] = [
            self.game.database.into(),
            self.game.number.into(),
            self.kept.database.into(),
            self.kept.number.into(),
            self.reason.into(),
            differs.join(" ").into(),
        ];
        let all = place
            .into_iter()
            .chain(values(&self.game))
            .chain(values(&self.kept));
        NAMES.into_iter().zip(all).collect()
    }
}
