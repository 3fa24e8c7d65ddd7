//! `names`: lists players, events, sites or rounds with their games.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    path::Path,
};

use serde_json::Value;
use tabiya::{
    Database, NameRow, NameSuggestion, Query, Spellings,
    chess::{
        NameId, NameKind,
        text::{decode, pieces},
    },
    limits::SPELLING_BYTES_MAX,
    query::{HeaderClause, TextTest},
};

use super::{
    args::{NamesArgs, NamesKind, NamesSort, RowFormat},
    columns::{Columns, or_empty},
    databases,
    failure::{Outcome, Usage},
    output::{self, Output},
    query,
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
    if args.suggest || args.spelling.is_some() {
        return suggest(args, &database, kind, &text, out);
    }
    let mut rows = database.find_names(kind, &text)?;
    if rows.is_empty() {
        let clause = HeaderClause::Text(running::field(kind), TextTest::from(pieces(&text, "*")));
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

/// Titles of the columns of suggestions.
const SUGGESTION_TITLES: [&str; 11] = [
    "from", "#games", "#first", "#last", "#peak", "to", "#games", "#first", "#last", "#peak",
    "reason",
];
/// Names of the machine-readable fields of suggestions. The first three are what a change needs.
const SUGGESTION_NAMES: [&str; 13] = [
    "kind",
    "from",
    "to",
    "reason",
    "points",
    "fromGames",
    "fromFirstYear",
    "fromLastYear",
    "fromPeakElo",
    "toGames",
    "toFirstYear",
    "toLastYear",
    "toPeakElo",
];

/// Lists the names that are probably spellings of another one.
fn suggest(
    args: &NamesArgs,
    database: &Database,
    kind: NameKind,
    text: &str,
    out: &mut Output,
) -> anyhow::Result<Outcome> {
    let mut rows = match &args.spelling {
        Some(path) => database.correct_names(kind, &spellings(path)?)?,
        None => Vec::new(),
    };
    if args.suggest {
        let listed = rows.iter().map(|row| (row.from.name.clone(), row.clone()));
        let listed: HashMap<String, NameSuggestion> = listed.collect();
        for mut row in database.suggest_names(kind)? {
            if listed.contains_key(&row.from.name) {
                continue;
            }
            // What the list changes is nobody's right name.
            if let Some(right) = listed.get(&row.to) {
                row.to.clone_from(&right.to);
                row.known.clone_from(&right.known);
            }
            rows.push(row);
        }
    }
    if !text.is_empty() {
        let found = database.find_names(kind, text)?;
        let found: HashSet<NameId> = found.iter().map(|row| row.id).collect();
        let known =
            |row: &NameSuggestion| row.known.as_ref().is_some_and(|to| found.contains(&to.id));
        rows.retain(|row| found.contains(&row.from.id) || known(row));
    }
    if rows.is_empty() && !output::is_quiet() {
        output::complain("tabiya: no name is probably a spelling of another one");
    }
    rows.truncate(args.most.of(rows.len()));
    match args.format {
        RowFormat::Table => suggestion_table(&rows).print(out)?,
        RowFormat::Csv => suggestions(&rows, kind, Records::csv(&SUGGESTION_NAMES, out)?)?,
        RowFormat::Jsonl => suggestions(&rows, kind, Records::Jsonl(out))?,
    }
    databases::warn_of_names(database);
    Ok(Outcome::of_matches(!rows.is_empty()))
}

/// Reads a list of right spellings.
fn spellings(path: &Path) -> anyhow::Result<Spellings> {
    let bytes = query::bytes_of(path, SPELLING_BYTES_MAX + 1)?;
    let file = query::shown(path);
    if bytes.len() > SPELLING_BYTES_MAX {
        anyhow::bail!("{file}: longer than {SPELLING_BYTES_MAX} bytes, which no list of names is");
    }
    let list = decode(&bytes);
    Spellings::parse(&list).map_err(|fault| {
        // Only the line is shown.
        let before = &list[..fault.start];
        let line = before.matches('\n').count() + 1;
        let drawn = fault.caret(&list);
        Usage(format!("{file}: line {line}: {}\n{drawn}", fault.message)).into()
    })
}

fn suggestion_table(rows: &[NameSuggestion]) -> Columns {
    let mut columns = Columns::new(&SUGGESTION_TITLES);
    let figures = |row: Option<&NameRow>| {
        [
            or_empty(row.map(|row| row.games)),
            or_empty(row.and_then(|row| row.years).map(|(first, _)| first)),
            or_empty(row.and_then(|row| row.years).map(|(_, last)| last)),
            or_empty(row.and_then(|row| row.peak)),
        ]
    };
    for row in rows {
        let mut cells = vec![row.from.name.clone()];
        cells.extend(figures(Some(&row.from)));
        cells.push(row.to.clone());
        cells.extend(figures(row.known.as_ref()));
        cells.push(row.likeness.as_str().to_owned());
        columns.row(cells);
    }
    columns
}

fn suggestions(
    rows: &[NameSuggestion],
    kind: NameKind,
    mut records: Records<'_>,
) -> anyhow::Result<()> {
    let kind = match kind {
        NameKind::Player => "player",
        NameKind::Event => "event",
        NameKind::Site => "site",
        NameKind::Round => "round",
    };
    let figures = |row: Option<&NameRow>| -> [Value; 4] {
        [
            row.map(|row| row.games).into(),
            row.and_then(|row| row.years).map(|(first, _)| first).into(),
            row.and_then(|row| row.years).map(|(_, last)| last).into(),
            row.and_then(|row| row.peak).map(u16::from).into(),
        ]
    };
    for row in rows {
        let names: [Value; 5] = [
            kind.into(),
            row.from.name.as_str().into(),
            row.to.as_str().into(),
            row.likeness.as_str().into(),
            row.points.into(),
        ];
        let values = names.into_iter().chain(figures(Some(&row.from)));
        let values = values.chain(figures(row.known.as_ref()));
        records.row(&SUGGESTION_NAMES.into_iter().zip(values).collect::<Vec<_>>())?;
    }
    Ok(())
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
