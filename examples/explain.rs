//! Shows which games each clause of a query leaves over, and that the index never changes a result.
//!
//! ```sh
//! cargo run --example explain
//! ```

use tabiya::{Database, Query, Search, Strategy};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;
    let query: Query = "year:1850..1870 result:1-0 at(piece:Qh5 stm:black)".parse()?;
    let search = Search::new(&query);

    let explanation = search.explain(&database)?;
    for row in &explanation.rows {
        println!(
            "{}: {} possible, {} certain",
            row.clause, row.possible, row.certain
        );
        println!("    served by {}", row.served_by);
    }
    let report = &explanation.report;
    println!(
        "together: {} decoded, {} matched",
        report.decoded, report.matched
    );

    // The reference decodes every game. It must find the same games at the same plies.
    let indexed = search.run(&database)?;
    let full = search
        .clone()
        .strategy(Strategy::FullDecode)
        .run(&database)?;
    println!(
        "decoding {} games agrees: {}",
        full.report().decoded,
        full.as_slice() == indexed.as_slice()
    );
    Ok(())
}
