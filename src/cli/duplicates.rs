//! `duplicates`: games that occur more than once in a database.

use std::collections::BTreeMap;

use tabiya::{Database, Dedupe, DuplicateGroup, Located, SamePlayers};

use super::{
    args::{DuplicatesArgs, RowFormat},
    columns::{self, Take},
    databases::{self, Opened},
    dedupe,
    failure::Outcome,
    interrupt,
    output::{self, Output},
    progress::Progress,
    render::{Object, Records, Row},
};

/// What comes first with several databases.
const DATABASE: &str = "database";
/// Titles of the columns by the rule of `dedupe`, where games of a group need not have moves in
/// common to the end of one; the database is left out if there is one.
const RULE_TITLES: [&str; 10] = [
    "#group", "#number", "white", "black", "result", "date", "event", "round", "#plies", DATABASE,
];
/// Names of the machine-readable fields by the rule of `dedupe`.
const RULE_NAMES: [&str; 10] = [
    "group", "number", "white", "black", "result", "date", "event", "round", "plies", DATABASE,
];

/// Titles of the columns. `same`: how many plies the games of a group have in common.
const TITLES: [&str; 10] = [
    "#group", "#number", "white", "black", "result", "date", "event", "round", "#plies", "#same",
];
/// Names of the machine-readable fields.
const NAMES: [&str; 10] = [
    "group", "number", "white", "black", "result", "date", "event", "round", "plies", "same",
];

pub(crate) fn run(args: &DuplicatesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    if args.moves_only || !args.across.is_empty() {
        return by_rule(args, out);
    }
    let database = databases::open(&args.database)?;
    interrupt::watch();
    let same = if args.spelling {
        SamePlayers::Spelling
    } else {
        SamePlayers::Exact
    };
    let mut progress = Progress::new("games");
    let found = database
        .on_progress(|at| progress.update(at))
        .duplicates(same)?;
    progress.clear();
    let label = database.name();
    let opened = Opened { database, label };
    let groups = &found.groups[..args.most.of(found.groups.len())];
    match args.format {
        RowFormat::Table => {
            columns::print_told(&TITLES, out, |take| rows(&opened, groups, take))?;
        }
        RowFormat::Csv => {
            let mut records = Records::csv(&NAMES, out)?;
            rows(&opened, groups, &mut |row| {
                let fields = NAMES
                    .into_iter()
                    .zip(row.iter().map(|cell| cell.as_str().into()));
                records.row(&fields.collect::<Vec<_>>())
            })?;
        }
        RowFormat::Jsonl => {
            for group in groups {
                interrupt::check()?;
                object(&opened.database, group, out)?;
            }
        }
    }
    out.finish()?;
    databases::warn_of_damaged(opened.database.path(), found.damaged);
    if !found.groups.is_empty() {
        databases::warn_of_names(&opened.database);
    }
    let games: usize = found.groups.iter().map(|group| group.games.len()).sum();
    let begun = found.groups.iter().filter(|group| !group.is_whole).count();
    let but = match begun {
        0 => String::new(),
        begun => format!("; in {begun} of these some games go on where another ends"),
    };
    output::summarize(&format!(
        "{}, {} decoded, {games} in {}{but}",
        output::games(opened.database.len().into()),
        found.decoded,
        output::counted(found.groups.len() as u64, "group")
    ));
    Ok(Outcome::of_matches(!found.groups.is_empty()))
}

/// Lists groups by the rule of `dedupe`.
fn by_rule(args: &DuplicatesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let paths = std::iter::once(&args.database).chain(&args.across);
    let all = dedupe::open_all(&paths.cloned().collect::<Vec<_>>())?;
    interrupt::watch();
    let databases: Vec<&Database> = all.iter().map(|opened| &opened.database).collect();
    let mut progress = Progress::new("games");
    let found = Dedupe::new()
        .moves_only(args.moves_only)
        .on_progress(|at| progress.update(at))
        .run(&databases)?;
    progress.clear();
    let mut groups: BTreeMap<Located, Vec<Located>> = BTreeMap::new();
    for repeat in &found.repeats {
        groups.entry(repeat.kept).or_default().push(repeat.game);
    }
    let most = args.most.of(groups.len());
    let shown = || groups.iter().take(most);
    let left_out = usize::from(all.len() == 1);
    match args.format {
        RowFormat::Table => {
            let titles = &RULE_TITLES[..RULE_TITLES.len() - left_out];
            columns::print_told(titles, out, |take| rows_by_rule(&all, shown(), take))?;
        }
        RowFormat::Csv => {
            let names = &RULE_NAMES[..RULE_NAMES.len() - left_out];
            let mut records = Records::csv(names, out)?;
            rows_by_rule(&all, shown(), &mut |row| {
                let cells = row.iter().map(|cell| cell.as_str().into());
                records.row(&names.iter().copied().zip(cells).collect::<Vec<_>>())
            })?;
        }
        RowFormat::Jsonl => {
            for (kept, repeats) in shown() {
                interrupt::check()?;
                object_by_rule(&all, *kept, repeats, out)?;
            }
        }
    }
    out.finish()?;
    if found.damaged > 0 {
        output::warn(&format!(
            "damaged games compared with none: {}; `tabiya verify` lists them",
            found.damaged
        ));
    }
    let games: u32 = databases.iter().map(|database| database.len()).sum();
    output::summarize(&format!(
        "{}, {} decoded, {} in {}",
        output::games(games.into()),
        found.decoded,
        found.repeats.len() + groups.len(),
        output::counted(groups.len() as u64, "group")
    ));
    Ok(Outcome::of_matches(!groups.is_empty()))
}

/// Produces a row for each game, in each group first the one that is kept.
fn rows_by_rule<'g>(
    all: &[Opened],
    groups: impl Iterator<Item = (&'g Located, &'g Vec<Located>)>,
    take: &mut Take<'_>,
) -> anyhow::Result<()> {
    for (number, (kept, repeats)) in (1..).zip(groups) {
        interrupt::check()?;
        for at in std::iter::once(kept).chain(repeats) {
            let row = Row::new(&all[at.database], tabiya::Match::from(at.game), true)?;
            let header = row.header;
            take(&[
                i32::to_string(&number),
                row.number.to_string(),
                header.white,
                header.black,
                header.result.to_string(),
                header.date.to_string(),
                header.event,
                header.round,
                row.plies.to_string(),
                row.database.unwrap_or_default().to_owned(),
            ])?;
        }
    }
    Ok(())
}

/// Prints a group: its games, and first the one that is kept.
fn object_by_rule(
    all: &[Opened],
    kept: Located,
    repeats: &[Located],
    out: &mut Output,
) -> anyhow::Result<()> {
    let place = |at: Located| {
        let opened = &all[at.database];
        let number = opened.database.number(at.game);
        serde_json::json!({ DATABASE: opened.label, "number": number })
    };
    let opened = &all[kept.database];
    let header = opened.database.header(kept.game)?;
    let games = std::iter::once(kept).chain(repeats.iter().copied());
    let mut object = Object::begin(out)?;
    object.field("games", &games.map(place).collect())?;
    object.field("kept", &place(kept))?;
    object.field("white", &header.white.into())?;
    object.field("black", &header.black.into())?;
    object.field("year", &header.date.year().into())?;
    object.field("result", &header.result.as_str().into())?;
    Ok(object.end()?)
}

/// Produces a row for each game. There can be as many as games, so they are not kept.
fn rows(opened: &Opened, groups: &[DuplicateGroup], take: &mut Take<'_>) -> anyhow::Result<()> {
    for (number, group) in (1..).zip(groups) {
        interrupt::check()?;
        let same = if group.is_whole {
            "all".to_owned()
        } else {
            opened.database.plies(group.shortest)?.to_string()
        };
        for &game in &group.games {
            let row = Row::new(opened, tabiya::Match::from(game), false)?;
            let plies = row.plies.to_string();
            let header = row.header;
            take(&[
                i32::to_string(&number),
                opened.database.number(game).to_string(),
                header.white,
                header.black,
                header.result.to_string(),
                header.date.to_string(),
                header.event,
                header.round,
                plies,
                same.clone(),
            ])?;
        }
    }
    Ok(())
}

/// Prints a group: the numbers of its games, and what they have in common.
fn object(database: &Database, group: &DuplicateGroup, out: &mut Output) -> anyhow::Result<()> {
    let header = database.header(group.shortest)?;
    let games: Vec<u32> = group
        .games
        .iter()
        .map(|&game| database.number(game))
        .collect();
    let mut object = Object::begin(out)?;
    object.field("games", &games.into())?;
    object.field("shortest", &database.number(group.shortest).into())?;
    object.field("plies", &database.plies(group.shortest)?.into())?;
    object.field("whole", &group.is_whole.into())?;
    object.field("white", &header.white.into())?;
    object.field("black", &header.black.into())?;
    object.field("year", &header.date.year().into())?;
    object.field("result", &header.result.as_str().into())?;
    Ok(object.end()?)
}
