//! `names`: players, events, sites or rounds with their games.

use std::cmp::Reverse;

use tabiya::{NameRow, chess::NameKind};

use super::{
    args::{NamesArgs, NamesKind, NamesSort, RowFormat},
    columns::{Columns, or_empty},
    databases,
    failure::Outcome,
    output::Output,
    render::Object,
};

pub(crate) fn run(args: &NamesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let database = databases::open(&args.database)?;
    let kind = match args.kind {
        NamesKind::Player => NameKind::Player,
        NamesKind::Event => NameKind::Event,
        NamesKind::Site => NameKind::Site,
        NamesKind::Round => NameKind::Round,
    };
    let mut rows = database.find_names(kind, &args.text.join(" "))?;
    // What is equally good stays in the order of games, then names.
    match args.sort {
        NamesSort::Games => {}
        NamesSort::Name => rows.sort_by_cached_key(|row| row.name.to_lowercase()),
        NamesSort::Rating => rows.sort_by_key(|row| Reverse(row.peak)),
        NamesSort::Year => rows.sort_by_key(|row| Reverse(row.years.map(|(_, last)| last))),
    }
    rows.truncate(args.limit.unwrap_or(usize::MAX));
    match args.format {
        RowFormat::Table if kind == NameKind::Player => player_table(&rows).print(out)?,
        RowFormat::Table => table(&rows).print(out)?,
        RowFormat::Jsonl => {
            for row in &rows {
                object(row, kind, out)?;
            }
        }
    }
    databases::warn_of_names(&database);
    Ok(Outcome::of_matches(!rows.is_empty()))
}

fn player_table(rows: &[NameRow]) -> Columns {
    let titles = &[
        "name", "#games", "#white", "#black", "#first", "#last", "#peak",
    ];
    let mut columns = Columns::new(titles);
    for row in rows {
        columns.row([
            row.name.clone(),
            row.games.to_string(),
            row.as_white.to_string(),
            row.as_black.to_string(),
            or_empty(row.years.map(|(first, _)| first)),
            or_empty(row.years.map(|(_, last)| last)),
            or_empty(row.peak),
        ]);
    }
    columns
}

fn table(rows: &[NameRow]) -> Columns {
    let mut columns = Columns::new(&["name", "#games", "#first", "#last"]);
    for row in rows {
        columns.row([
            row.name.clone(),
            row.games.to_string(),
            or_empty(row.years.map(|(first, _)| first)),
            or_empty(row.years.map(|(_, last)| last)),
        ]);
    }
    columns
}

fn object(row: &NameRow, kind: NameKind, out: &mut Output) -> anyhow::Result<()> {
    let mut object = Object::begin(out)?;
    object.field("name", &row.name.as_str().into())?;
    object.field("games", &row.games.into())?;
    if kind == NameKind::Player {
        object.field("white", &row.as_white.into())?;
        object.field("black", &row.as_black.into())?;
    }
    object.field("firstYear", &row.years.map(|(first, _)| first).into())?;
    object.field("lastYear", &row.years.map(|(_, last)| last).into())?;
    if kind == NameKind::Player {
        object.field("peakElo", &row.peak.map(u16::from).into())?;
    }
    Ok(object.end()?)
}
