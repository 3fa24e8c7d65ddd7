//! Opens a database and prints what it contains.
//!
//! ```sh
//! cargo run --example open fixtures/famous.si4
//! ```
//!
//! Opening maps the files and checks their headers; no game is read. Oddities that do not prevent
//! use, such as a missing names file, are notes.

use tabiya::{Database, GameId, chess::NameKind};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    println!("{}: {} games", database.kind(), database.len());
    for note in database.notes() {
        println!("note: {note}");
    }
    for kind in NameKind::ALL {
        println!("{kind:?} names: {}", database.name_count(kind)?);
    }

    // Games are numbered from 0 in the library and from 1 for users.
    let first = GameId(0);
    let header = database.header(first)?;
    println!(
        "game {}: {} - {}, {} {}, {}",
        database.number(first),
        header.white,
        header.black,
        header.site,
        header.date,
        header.result,
    );
    Ok(())
}
