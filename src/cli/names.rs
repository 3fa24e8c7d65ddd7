//! `names`: lists players, events, sites or rounds with their games.

use std::cmp::Reverse;

use tabiya::{
    NameRow, Query,
    chess::{NameKind, text::pieces},
    query::{HeaderClause, TextField, TextTest},
};

use super::{
    args::{NamesArgs, NamesKind, NamesSort, RowFormat},
    columns::{Columns, or_empty},
    databases,
    failure::Outcome,
    output::Output,
    render::Records,
    running,
};

pub(crate) fn run(args: &NamesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let database = databases::open_for_tags(&args.database)?;
    let kind = match args.kind {
        NamesKind::Player => NameKind::Player,
        NamesKind::Event => NameKind::Event,
        NamesKind::Site => NameKind::Site,
        NamesKind::Round => NameKind::Round,
    };
    let text = args.text.join(" ");
    let mut rows = database.find_names(kind, &text)?;
    if rows.is_empty() {
        let field = match kind {
            NameKind::Player => TextField::Player,
            NameKind::Event => TextField::Event,
            NameKind::Site => TextField::Site,
            NameKind::Round => TextField::Round,
        };
        let clause = HeaderClause::Text(field, TextTest::from(pieces(&text, "*")));
        running::hint(&Query::Header(clause), std::iter::once(&database))?;
    }
    // Ties stay in the order of games, then names.
    match args.sort {
        NamesSort::Games => {}
        NamesSort::Name => rows.sort_by_cached_key(|row| row.name.to_lowercase()),
        NamesSort::Rating => rows.sort_by_key(|row| Reverse(row.peak)),
        NamesSort::Year => rows.sort_by_key(|row| Reverse(row.years.map(|(_, last)| last))),
    }
    rows.truncate(args.most.of(rows.len()));
    match args.format {
        RowFormat::Table if kind == NameKind::Player => player_table(&rows).print(out)?,
        RowFormat::Table => table(&rows).print(out)?,
        RowFormat::Csv => records(&rows, kind, Records::csv(names_of(kind), out)?)?,
        RowFormat::Jsonl => records(&rows, kind, Records::Jsonl(out))?,
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

/// Returns the names of the machine-readable fields. Only players have all of them.
fn names_of(kind: NameKind) -> &'static [&'static str] {
    const PLAYERS: &[&str] = &[
        "name",
        "games",
        "firstYear",
        "lastYear",
        "white",
        "black",
        "peakElo",
    ];
    match kind {
        NameKind::Player => PLAYERS,
        _ => &PLAYERS[..4],
    }
}

fn records(rows: &[NameRow], kind: NameKind, mut records: Records<'_>) -> anyhow::Result<()> {
    for row in rows {
        let mut fields = vec![
            ("name", row.name.as_str().into()),
            ("games", row.games.into()),
        ];
        if kind == NameKind::Player {
            fields.push(("white", row.as_white.into()));
            fields.push(("black", row.as_black.into()));
        }
        fields.push(("firstYear", row.years.map(|(first, _)| first).into()));
        fields.push(("lastYear", row.years.map(|(_, last)| last).into()));
        if kind == NameKind::Player {
            fields.push(("peakElo", row.peak.map(u16::from).into()));
        }
        records.row(&fields)?;
    }
    Ok(())
}
