//! Lists the games of one player, most recent first, from the index alone.
//!
//! ```sh
//! cargo run --example headers fixtures/famous.si4 Morphy
//! ```

use tabiya::{
    Database, Query, Search,
    query::{HeaderClause, TextField, TextTest},
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("fixtures/famous.si4".into());
    let name = arguments.next().unwrap_or("Morphy".into());
    let database = Database::open(path)?;

    // `player:` means either colour; capitals and missing accents are ignored. External input goes
    // into the tree rather than into a query text, since it may contain quotation marks.
    let test = TextTest::Contains(name);
    let query = Query::Header(HeaderClause::Text(TextField::Player, test));
    let found = Search::new(&query).run(&database)?;

    let mut games = Vec::new();
    for hit in &found {
        games.push((database.header(hit.game)?, hit.game));
    }
    games.sort_by(|a, b| b.0.date.cmp(&a.0.date).then(a.1.cmp(&b.1)));
    for (header, game) in games {
        println!(
            "{:>3}  {}  {} - {}  {}",
            database.number(game),
            header.date,
            header.white,
            header.black,
            header.result,
        );
    }

    // Header queries are answered without decoding any game.
    println!("{} games decoded", found.report().decoded);
    Ok(())
}
