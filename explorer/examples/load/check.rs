//! Whether the answers are those of the library.

use std::collections::BTreeMap;

use serde_json::Value;
use tabiya::{Database, Tree, TreeSearch, TreeStats};

use crate::{Endpoint, Timing, walks::Walk};

/// White wins, draws, Black wins.
type Results = [u64; 3];

/// Compares the answers that were kept with trees that are built here. Returns how many.
pub(crate) fn compare<'a>(
    database: &Database,
    walks: &[Walk],
    asked: impl Iterator<Item = &'a Timing>,
) -> Result<usize, Box<dyn std::error::Error>> {
    let mut compared = 0;
    for asked in asked {
        let Some(body) = &asked.body else { continue };
        let walk = &walks[asked.walk];
        let tree = TreeSearch::new(walk.position(asked.ply)).run(database)?;
        let address = asked.endpoint.address(walk, asked.ply);
        let answer: Value = serde_json::from_slice(body)?;
        let is_right = match asked.endpoint {
            Endpoint::Tree => is_tree(&answer["trees"][0], &tree),
            Endpoint::Masters | Endpoint::Lichess => is_explorer(&answer, &tree),
            Endpoint::Search => answer["total"].as_u64() == Some(tree.total().games()),
            Endpoint::Stats => {
                answer["stats"][0]["total"]["games"].as_u64() == Some(tree.total().games())
            }
        };
        if !is_right {
            return Err(format!("{address}: not what the library counts: {answer}").into());
        }
        compared += 1;
    }
    match compared {
        0 => Err("no answer was compared".into()),
        _ => Ok(compared),
    }
}

fn is_tree(answer: &Value, tree: &Tree) -> bool {
    let total = &answer["total"];
    let games = |row: &Value| row["games"].as_u64();
    let rows = by_move(&answer["rows"]);
    games(total) == Some(tree.total().games())
        && results(total) == of(tree.total())
        && rows == expected(tree, |_| true)
}

/// The explorer's form has twelve moves at most, and none for games that end.
fn is_explorer(answer: &Value, tree: &Tree) -> bool {
    let rows = by_move(&answer["moves"]);
    let moves = tree.rows().iter().filter(|row| row.san != "[end]").count();
    results(answer) == of(tree.total())
        && rows.len() == moves.min(12)
        && rows == expected(tree, |san| rows.contains_key(san))
}

fn expected(tree: &Tree, is_wanted: impl Fn(&str) -> bool) -> BTreeMap<String, Results> {
    let rows = tree.rows().iter().filter(|row| is_wanted(&row.san));
    rows.map(|row| (row.san.clone(), of(&row.stats))).collect()
}

fn by_move(rows: &Value) -> BTreeMap<String, Results> {
    let rows = rows.as_array().into_iter().flatten();
    let san = |row: &Value| row["san"].as_str().unwrap_or_default().to_owned();
    rows.map(|row| (san(row), results(row))).collect()
}

fn results(row: &Value) -> Results {
    ["white", "draws", "black"].map(|name| row[name].as_u64().unwrap_or(u64::MAX))
}

fn of(stats: &TreeStats) -> Results {
    [stats.white_wins(), stats.draws(), stats.black_wins()]
}
