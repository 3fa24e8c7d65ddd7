//! Sequences of conditions, the path of one piece, and where in the game they match.
//!
//! ```sh
//! cargo run --example sequence fixtures/famous.si4
//! ```

use tabiya::{Database, Diagram, LineEnd, Query, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    // `then`: later in the game; `next`: in the very next position. The ply of a match is that of
    // the last condition.
    for text in [
        // White takes the queen and immediately loses its own.
        "at(Q=1 q=1) next at(Q=1 q=0) next at(Q=0 q=0)",
        // A queen is sacrificed, followed at once by mate.
        "at(Q=1 stm:black) next at(Q=0) next mate",
        // A rook stays on the seventh rank for five positions.
        "at(piece:R@7 for:5) result:1-0",
        // The same knight goes from g1 to f7, with any other moves in between.
        "path:\"Ng1-f3-e5-f7\"",
    ] {
        let query: Query = text.parse()?;
        let found = Search::new(&query).run(&database)?;
        println!("{} games: {query}", found.len());
        for hit in found.iter().take(2) {
            println!(
                "  game {}, ply {}",
                database.number(hit.game),
                hit.ply.unwrap_or(0)
            );
        }
    }

    // A match in a variation has its move; the line leads to it from the start of the game.
    let query: Query = "played:Qxd8+ date:1858".parse()?;
    for hit in &Search::new(&query).variations(true).run(&database)? {
        let place = hit.place().unwrap_or(LineEnd::Last);
        if let Some(line) = database.line(hit.game, place)? {
            let header = database.header(hit.game)?;
            println!("{} - {}: {}", header.white, header.black, line.san());
            print!("{}", Diagram::new(&line.end).text());
        }
    }
    Ok(())
}
