//! All that can be asked of a database. Only that every answer comes counts, and what holds of
//! any answer whatever the bytes.

use std::sync::LazyLock;

use tabiya::{
    Database, Dedupe, Diagram, GameId, LineEnd, Positions, Query, SamePlayers, Search,
    StatsOptions, Strategy, TreePosition, TreeSearch,
    chess::{NameId, NameKind},
    format::GameText,
};
use tabiya_formats::{
    Encode,
    chessbase::{v1 as chessbase, v2 as chessbase2},
    jose, scdb,
    scid4::{self, Edition},
};

use super::{ask, game::PlainGame};

/// Bytes of all games together, up to which everything is asked. Records may share a game, so
/// this is not bounded by the length of the files.
const GAMES_BYTES_MAX: u64 = 1 << 20;
/// Games that are looked at one by one.
const GAMES_MAX: usize = 24;

/// Reads all games and the names.
pub(crate) fn records(database: &Database) {
    for id in database.games() {
        let header = database.header(id).expect("every game has a header");
        let keys = database.keys(id).expect("and its keys");
        assert_eq!(
            (keys.date, keys.eco, keys.result, keys.marks),
            (header.date, header.eco, header.result, header.marks)
        );
        let _ = database.facts(id).expect("every game has facts");
        let _ = PlainGame::read(database, id);
    }
    let _ = database.summary();
    for kind in NameKind::ALL {
        let _ = database.name_count(kind);
    }
}

/// Runs a search in both ways.
pub(crate) fn search(database: &Database, query: &Query, variations: bool) {
    let search = Search::new(query).variations(variations);
    for strategy in [Strategy::Auto, Strategy::FullDecode] {
        if let Ok(found) = search.clone().strategy(strategy).run(database) {
            assert!(found.len() + found.report().damaged as usize <= database.len() as usize);
        }
    }
}

/// What is asked of every database, and whether in variations too. A plan for positions takes
/// longer than a few games, so that there is one only.
static QUERIES: LazyLock<[(Query, bool); 3]> = LazyLock::new(|| {
    [
        (
            "player:a or site=? or round:1 or eco:B or date:1998.. or elo:2000..2600",
            false,
        ),
        (
            "text:o or tag.Annotator:n or team:x or plies>=8 -flag:promotion comments>=1 \
             start:custom",
            false,
        ),
        (
            "at(N=2 n<2 for:2 flip) then at(piece:P@e stm:black) or path:Nb1-c3 \
             or score>=0.5 or visits<0.5 or at(P:5..7 p:5..7 Q=1 r:1..2)",
            true,
        ),
    ]
    .map(|(text, variations)| (ask::query(text), variations))
});

/// Asks everything, unless that would take long.
pub(crate) fn whole(database: &Database) {
    if games_bytes(database) > GAMES_BYTES_MAX {
        return;
    }
    records(database);
    for (query, variations) in QUERIES.iter() {
        search(database, query, *variations);
    }
    let _ = database.verify();
    names(database);
    counts(database);
    for id in database.games().take(GAMES_MAX) {
        lines(database, id);
        rewritten(database, id);
    }
}

/// Returns how many bytes are decoded when every game is, at most.
fn games_bytes(database: &Database) -> u64 {
    let all: u64 = database.files().iter().map(|(_, bytes)| bytes).sum();
    let length = |id| {
        let facts = database.facts(id).expect("every game has facts");
        u64::from(facts.length_bytes).min(all)
    };
    database.games().map(length).sum()
}

fn names(database: &Database) {
    for kind in NameKind::ALL {
        for id in [0, 1, u32::MAX] {
            let _ = database.name_of(kind, NameId(id));
        }
        let _ = database.find_names(kind, "a");
        let _ = database.suggest_names(kind);
    }
    let _ = (database.description(), database.names_damage());
}

fn counts(database: &Database) {
    let position = TreePosition::from_moves("1.e4").expect("a move");
    let tree = TreeSearch::new(&position).variations(true);
    let _ = tree.run(database);
    let epd = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w";
    let _ = Positions::from_epd(epd).expect("a position").run(database);
    let games = database.games().collect();
    let _ = database.stats(&games, &StatsOptions::default());
    let _ = database.duplicates(SamePlayers::Exact);
    let _ = Dedupe::new().run(&[database]);
    let by_moves = Dedupe::new().moves_only(true);
    let _ = by_moves.against(&[database]).run(&[database]);
}

fn lines(database: &Database, id: GameId) {
    for end in [LineEnd::Last, LineEnd::Ply(3), LineEnd::Moves("e4 e5")] {
        if let Ok(Some(line)) = database.line(id, end) {
            let _ = (line.san(), Diagram::new(&line.end).fen());
        }
    }
}

/// Tells a game to all encoders and shows it as text. They may refuse it.
fn rewritten(database: &Database, id: GameId) {
    let Ok(game) = PlainGame::read(database, id) else {
        return;
    };
    let mut text = GameText::new(&game.header);
    let _ = game.tell(&mut text);
    let _ = text.finish();
    for edition in [Edition::Si4, Edition::Si5] {
        let mut encoder = scid4::Encoder::with_edition(edition);
        encoder.begin(&game.header);
        let _ = game.tell(&mut encoder);
        let _ = encoder.finish();
    }
    let mut encoder = scdb::Encoder::new();
    encoder.begin(&game.header);
    let _ = game.tell(&mut encoder);
    let _ = encoder.finish();
    let mut encoder = chessbase::Encoder::new();
    encoder.begin(&game.header);
    let _ = game.tell(&mut encoder);
    let _ = encoder.finish();
    let mut encoder = chessbase2::Encoder::new();
    for is_text in [false, true] {
        encoder.begin(&game.header);
        if is_text {
            encoder.begin_text(&game.header).unwrap();
        }
        // Not from the plain game, which has no annotations as they are stored.
        let _ = database.visit(id, &mut encoder);
        let _ = encoder.finish();
    }
    let mut encoder = jose::Encoder::new();
    let _ = game.tell(&mut encoder);
    let _ = encoder.finish(Some(game.header.result));
}
