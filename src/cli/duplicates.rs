//! `duplicates`: games that are in a database more than once.

use tabiya::{Database, DuplicateGroup, SamePlayers};

use super::{
    args::{DuplicatesArgs, RowFormat},
    columns,
    databases::{self, Opened},
    failure::Outcome,
    interrupt,
    output::{self, Output},
    progress::Progress,
    render::{Object, Row},
};

pub(crate) fn run(args: &DuplicatesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let database = databases::open(&args.database)?;
    interrupt::watch();
    let same = match args.spelling {
        true => SamePlayers::Spelling,
        false => SamePlayers::Exact,
    };
    let mut progress = Progress::new("games");
    let found = database.duplicates(same, |at| progress.update(at.done, at.total))?;
    progress.clear();
    let label = database.name();
    let opened = Opened { database, label };
    match args.format {
        RowFormat::Table => table(&opened, &found.groups, out)?,
        RowFormat::Jsonl => {
            for group in &found.groups {
                interrupt::check()?;
                object(&opened.database, group, out)?;
            }
        }
    }
    out.finish()?;
    if found.damaged > 0 {
        output::warn(&format!(
            "damaged games left out: {}; `tabiya verify` lists them",
            found.damaged
        ));
    }
    if !found.groups.is_empty() {
        databases::warn_of_names(&opened.database);
    }
    let games: usize = found.groups.iter().map(|group| group.games.len()).sum();
    output::complain(&format!(
        "{} games, {} decoded, {games} in {} groups",
        opened.database.len(),
        found.decoded,
        found.groups.len()
    ));
    Ok(Outcome::of_matches(!found.groups.is_empty()))
}

/// Prints a row for each game. They can be as many as all games, so they are not kept.
fn table(opened: &Opened, groups: &[DuplicateGroup], out: &mut Output) -> anyhow::Result<()> {
    let titles = &[
        "#group", "#number", "white", "black", "result", "date", "event", "round", "#plies",
    ];
    columns::print_told(titles, out, |take| {
        for (number, group) in (1..).zip(groups) {
            interrupt::check()?;
            for &game in &group.games {
                let row = Row::new(opened, tabiya::Match::from(game), false)?;
                let plies = row.plies.to_string();
                let header = row.header;
                take(&[
                    i32::to_string(&number),
                    game.number().to_string(),
                    header.white,
                    header.black,
                    header.result.to_string(),
                    header.date.to_string(),
                    header.event,
                    header.round,
                    plies,
                ])?;
            }
        }
        Ok(())
    })
}

/// Prints a group: the numbers of its games, and what those have in common.
fn object(database: &Database, group: &DuplicateGroup, out: &mut Output) -> anyhow::Result<()> {
    let header = database.header(group.shortest)?;
    let games: Vec<u32> = group.games.iter().map(|game| game.number()).collect();
    let mut object = Object::begin(out)?;
    object.field("games", &games.into())?;
    object.field("shortest", &group.shortest.number().into())?;
    object.field("plies", &database.plies(group.shortest)?.into())?;
    object.field("white", &header.white.into())?;
    object.field("black", &header.black.into())?;
    object.field("year", &header.date.year().into())?;
    object.field("result", &header.result.as_str().into())?;
    Ok(object.end()?)
}
