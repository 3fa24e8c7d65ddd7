//! Finds endings by material, and shows how many games the index excludes.
//!
//! ```sh
//! cargo run --example material
//! ```
//!
//! Every game's record has the material of its last position. Except for promotions, men only leave
//! the board, so most games are excluded without decoding their moves.

use tabiya::{Database, Query, Search};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    for (what, text) in [
        ("rook endings", "at(Q=0 q=0 R=1 r=1 B=0 b=0 N=0 n=0)"),
        (
            "pawn endings",
            "at(Q=0 q=0 R=0 r=0 B=0 b=0 N=0 n=0 P>=1 p>=1)",
        ),
        (
            "the exchange for a pawn",
            "at(R=2 r=1 wminor:1 bminor:2 diff:1 flip)",
        ),
        ("more than one queen", "at(Q>=2) or at(q>=2)"),
    ] {
        let query: Query = text.parse()?;
        let found = Search::new(&query).run(&database)?;
        let report = found.report();
        println!(
            "{what}: {} of {} games, {} decoded",
            report.matched, report.games, report.decoded,
        );
        for hit in found.iter().take(3) {
            let header = database.header(hit.game)?;
            let ply = hit.ply.unwrap_or_default();
            println!("  {} - {} at ply {ply}", header.white, header.black);
        }
    }
    Ok(())
}
