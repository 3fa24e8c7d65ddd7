//! Finds a position, a pattern and a mate.
//!
//! ```sh
//! cargo run --example position
//! ```

use tabiya::{Database, Query, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    for text in [
        // After 1.e4 e5 2.f4 exf4: the exact position, ignoring castling rights and counters.
        r#"fen:"rnbqkbnr/pppp1ppp/8/8/4Pp2/8/PPPP2PP/RNBQKBNR w KQkq - 0 3""#,
        // Part of a board: digits stand for anything.
        r#"board:"8/8/8/8/8/8/5PPP/6K1""#,
        // Several conditions that one position must satisfy, in either colour.
        "at(piece:Kc1 piece:kg8 flip)",
        // A mate by a knight on the seventh rank, such as a smothered mate.
        r#"at(mate played:"N?7#" flip)"#,
    ] {
        let query: Query = text.parse()?;
        let found = Search::new(&query).run(&database)?;
        println!("{query}: {} games", found.len());
        for hit in found.iter().take(3) {
            let header = database.header(hit.game)?;
            let ply = hit.ply.unwrap_or_default();
            println!("  {} - {} at ply {ply}", header.white, header.black);
        }
    }
    Ok(())
}
