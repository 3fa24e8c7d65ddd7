//! Counts the games of many positions, in one pass over the database.
//!
//! ```sh
//! cargo run --example many_positions fixtures/famous.si4
//! ```

use tabiya::{Database, GameSet, Positions, chess::GameResult};

/// One position per line, as FEN or EPD; `id` sets a label.
const OPENINGS: &str = r#"
rnbqkbnr/pppp1ppp/8/4p3/4PP2/8/PPPP2PP/RNBQKBNR b KQkq - id "King's Gambit";
r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - id "Spanish";
r1bqk1nr/pppp1ppp/2n5/2b1p3/1PB1P3/5N2/P1PP1PPP/RNBQK2R b KQkq - id "Evans Gambit";
rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - id "Sicilian";
rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq - id "Queen's Gambit";
"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1);
    let database = Database::open(path.as_deref().unwrap_or("fixtures/famous.si4"))?;

    // Each game is decoded at most once, however many positions there are. A game counts for a
    // position at whatever ply and by whatever move order it reaches it.
    let positions = Positions::from_epd(OPENINGS)?.keep_games(true);
    let counts = positions.run(&database)?;
    for (position, count) in positions.wanted().iter().zip(counts.rows()) {
        let name = position.label.as_deref().unwrap_or("?");
        let tally = &count.tally;
        println!(
            "{name:<15} {:>2} games, White won {:>2}",
            tally.games(),
            tally.count(GameResult::WhiteWins)
        );
    }
    println!("{} games decoded", counts.report().decoded);

    // Kept games can be combined as sets.
    let sets = counts.rows().iter().map(|row| &row.games);
    let any = sets.fold(GameSet::default(), |any, games| any.or(games));
    println!("{} games have one of them", any.len());

    // A query restricts the games.
    let before_1861 = "date:..1860".parse()?;
    let early = positions.query(&before_1861).run(&database)?;
    println!("until 1860 {} games", early.report().matched);
    Ok(())
}
