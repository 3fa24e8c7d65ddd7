//! Counts the games of a query: results, openings, players.
//!
//! ```sh
//! cargo run --example stats fixtures/famous.si4 'year:..1899'
//! ```

use tabiya::{Database, Query, Search, StatsOptions, query::Fault};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("fixtures/famous.si4".into());
    let text = arguments.next().unwrap_or("year:..1899".into());
    let database = Database::open(path)?;

    // Statistics are computed for a set of games: those of a query, or
    // `GameSet::all(database.len())`.
    let fault = |fault: Fault| format!("{fault}\n{}", fault.caret(&text));
    let query: Query = text.parse().map_err(fault)?;
    let games = Search::new(&query).run(&database)?.games();
    let options = StatsOptions::new().eco_depth(1).top(3);
    let stats = database.stats(&games, &options)?;

    // A score is `None` if no game has a result, so there is no division by zero.
    let percent =
        |score: Option<f64>| score.map_or("-".into(), |it| format!("{:.0} %", 100.0 * it));
    println!("{} games", stats.total.games());
    println!("White scores {}", percent(stats.total.white_score()));
    for (eco, tally) in &stats.openings {
        println!(
            "{eco}  {:>2}  {}",
            tally.games(),
            percent(tally.white_score())
        );
    }
    for player in &stats.players {
        println!(
            "{}  {}  {}",
            player.name,
            player.games(),
            percent(player.score())
        );
    }
    Ok(())
}
