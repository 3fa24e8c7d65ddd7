//! `duplicates`: games that occur more than once in a database.

use tabiya::{Database, DuplicateGroup, SamePlayers};

use super::{
    args::{DuplicatesArgs, RowFormat},
    columns::{self, Take},
    databases::{self, Opened},
    failure::Outcome,
    interrupt,
    output::{self, Output},
    progress::Progress,
    render::{Object, Records, Row},
};

/// Titles of the columns. `same`: how many plies the games of a group have in common.
const TITLES: [&str; 10] = [
    "#group", "#number", "white", "black", "result", "date", "event", "round", "#plies", "#same",
];
/// Names of the machine-readable fields.
const NAMES: [&str; 10] = [
    "group", "number", "white", "black", "result", "date", "event", "round", "plies", "same",
];

pub(crate) fn run(args: &DuplicatesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
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
        "{} games, {} decoded, {games} in {} groups{but}",
        opened.database.len(),
        found.decoded,
        found.groups.len()
    ));
    Ok(Outcome::of_matches(!found.groups.is_empty()))
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
