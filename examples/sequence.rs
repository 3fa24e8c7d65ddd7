//! One thing after the other: sequences, one piece's path, and where in the game it was.
//!
//! ```sh
//! cargo run --example sequence fixtures/famous.si4
//! ```

use tabiya::{Database, Diagram, LineEnd, Query, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    // `then`: later in the game; `next`: in the very next position. The ply of a match is where
    // the last condition holds.
    for text in [
        // White takes the queen and loses its own at once.
        "at(Q=1 q=1) next at(Q=1 q=0) next at(Q=0 q=0)",
        // A queen is given up, and it is mate at once.
        "at(Q=1 stm:black) next at(Q=0) next mate",
        // A rook stays on the seventh rank for five positions.
        "at(piece:R@7 for:5) result:1-0",
        // One and the same knight goes from g1 to f7, whatever else happens meanwhile.
        "path:\"Ng1-f3-e5-f7\"",
    ] {
        let query: Query = text.parse()?;
        let found = Search::new(&query).run(&database)?;
        println!("{} games: {query}", found.len());
        for hit in found.iter().take(2) {
            println!("  game {}, ply {}", hit.game.number(), hit.ply.unwrap_or(0));
        }
    }

    // A match in a variation knows its move; the line leads there from the start of the game.
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
