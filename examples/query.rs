//! A minimal program: a database and a query, both from the command line.
//!
//! ```sh
//! cargo run --example query fixtures/famous.si4 'white:anderssen or black:anderssen'
//! ```

use tabiya::{Database, Flow, Match, Query, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("fixtures/famous.si4".into());
    let text = arguments
        .next()
        .unwrap_or("result:1-0 moves:..17 at(mate)".into());

    let database = Database::open(path)?;
    let query: Query = match text.parse() {
        Ok(query) => query,
        Err(fault) => {
            // A fault includes its position in the text and, often, a suggestion.
            let fault: tabiya::query::Fault = fault;
            eprintln!("{}\n{fault}", fault.caret(&text));
            std::process::exit(2);
        }
    };

    // Matches are passed on one by one in game order; `Break` stops the search.
    let print = |hit: Match| {
        if let Ok(header) = database.header(hit.game) {
            println!(
                "{:>3}  {} - {}",
                database.number(hit.game),
                header.white,
                header.black
            );
        }
        Flow::Continue(())
    };
    let report = Search::new(&query).for_each(&database, print)?;
    println!("{} of {} games", report.matched, report.games);
    Ok(())
}
