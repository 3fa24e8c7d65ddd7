//! What somebody scores best and worst in.

use std::collections::HashSet;

use super::{ReportRow, ReportSection};

/// Rows of a table.
const ROWS: usize = 8;
/// Games with a result that a row needs.
const GAMES_MIN: u64 = 10;

/// Returns the rows of other tables whose scores are furthest above and below that of all games,
/// for the number of their games.
pub(super) fn sections(
    side: &str,
    all: &ReportRow,
    tables: [&ReportSection; 2],
) -> [ReportSection; 2] {
    let tables = tables.into_iter();
    let rows: Vec<ReportRow> = tables.flat_map(|table| with_lines(&table.rows)).collect();
    let note = format!(
        "Rows of the two tables above with at least {GAMES_MIN} games, whose score is furthest \
         from {} in view of the number of games. Few games may be chance.",
        all.score_permille()
            .map_or_else(String::new, super::percent)
    );
    [("Best", 1.0), ("Worst", -1.0)].map(|(which, sign)| {
        let title = format!("{which} scores with {side}");
        ReportSection::new(&title, &note, furthest(&rows, all, sign))
    })
}

/// Returns the rows whose score is furthest from that of all games in one direction, each set of
/// results once.
fn furthest(rows: &[ReportRow], all: &ReportRow, sign: f64) -> Vec<ReportRow> {
    let Some(mean) = score(all) else {
        return Vec::new();
    };
    let distance = |row: &ReportRow| {
        let decided = row.decided();
        // As many standard errors, but for a factor.
        let distance = sign * (score(row)? - mean) * (decided as f64).sqrt();
        (decided >= GAMES_MIN && distance > 0.0).then_some(distance)
    };
    let mut far: Vec<(f64, &ReportRow)> = rows
        .iter()
        .filter_map(|row| Some((distance(row)?, row)))
        .collect();
    far.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let mut told = HashSet::new();
    far.retain(|(_, row)| told.insert((row.games, row.won, row.drawn, row.lost)));
    far.truncate(ROWS);
    far.into_iter().map(|(_, row)| row.clone()).collect()
}

/// Returns the score, 0 to 1; `None` without results.
fn score(row: &ReportRow) -> Option<f64> {
    let (decided, doubled) = (row.decided(), 2 * row.won + row.drawn);
    (decided > 0).then(|| doubled as f64 / (2 * decided) as f64)
}

/// Returns rows of a tree with the moves to each in its label, not indented.
fn with_lines(rows: &[ReportRow]) -> impl Iterator<Item = ReportRow> {
    let mut line: Vec<&str> = Vec::new();
    rows.iter().map(move |row| {
        line.truncate(row.depth as usize);
        let (san, name) = match row.label.split_once(" \u{2013} ") {
            Some((san, name)) => (san, format!(" \u{2013} {name}")),
            None => (row.label.as_str(), String::new()),
        };
        // After a move of White the number of Black's is not repeated.
        let answer = san.split_once("...").filter(|_| !line.is_empty());
        line.push(answer.map_or(san, |(_, san)| san));
        ReportRow {
            label: line.join(" ") + &name,
            depth: 0,
            ..row.clone()
        }
    })
}
