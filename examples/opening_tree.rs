//! Follows an opening: the moves played in each position, with their results.
//!
//! ```sh
//! cargo run --example opening_tree fixtures/famous.si4
//! ```

use tabiya::{Database, NextMove, Query, TreePosition, TreeSearch};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    // Follow the most frequent move from the start.
    let mut line: Vec<String> = Vec::new();
    while line.len() < 6 {
        let position = TreePosition::from_moves(&line.join(" "))?;
        let tree = TreeSearch::new(&position).run(&database)?;
        let Some(row) = tree.rows().iter().find(|row| row.next != NextMove::End) else {
            break;
        };
        let (games, all) = (row.stats.games(), tree.total().games());
        println!("{:<5} in {games} of {all} games", row.san);
        line.push(row.san.clone());
    }

    // Transpositions count too, and a query restricts the games. The score is White's, in
    // thousandths, and missing without results. Most games need not be decoded, because the index
    // stores how they begin.
    let position = TreePosition::from_moves("1.e4 e5 2.Nf3")?;
    let query: Query = "date:..1870".parse()?;
    let tree = TreeSearch::new(&position).query(&query).run(&database)?;
    println!("until 1870, after 1.e4 e5 2.Nf3:");
    for row in tree.rows() {
        let (games, score) = (row.stats.games(), row.stats.score_permille());
        let eco = row.stats.eco().map(|eco| eco.to_string());
        let eco = eco.unwrap_or_default();
        let score = score.map_or_else(String::new, |score| format!("{}%", (score + 5) / 10));
        println!("{:<5} {games:>2} {score:>4} {eco}", row.san);
    }
    println!("{} games decoded", tree.report().decoded);
    Ok(())
}
