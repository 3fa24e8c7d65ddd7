//! Questions to a database, in few words.

use tabiya::{Database, Query, Search, Strategy};

/// Questions of all kinds that sidecars take part in.
pub(crate) const OF_ALL_KINDS: [&str; 37] = [
    "fen:\"r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3\"",
    "at(piece:Kc1 piece:kg8 flip)",
    "at(piece:Nd5) then at(piece:Qh5)",
    "piece:Bf7 or piece:bf2",
    "-piece:Kg1 result:1-0",
    "at(piece:Pe5 piece:nf6 mirror for:3)",
    "path:\"Ng1-f3-g5\"",
    "board:\"8/8/8/8/8/8/5PPP/6K1\"",
    "at(Q=0 q=0)",
    "at(piece:P@d not piece:P@c not piece:P@e)",
    "at(piece:P@d not piece:P@c not piece:P@e P:1..8 Q:0..2 r:0..2 ply:1.. flip)",
    "at(piece:P@d not piece:P@c not piece:P@e ply:30..)",
    "at(piece:P@c piece:P@e not piece:P@d not piece:p@c stm:black)",
    "not piece:P@e",
    "not at(piece:p@a not piece:p@b mirror)",
    "at(not piece:p@d not piece:p@e for:6) or at(Q=2)",
    "result:1-0 piece:P@h not piece:p@a",
    "at(Q=0 q=0 R=1 r=1 B=0 N=0 flip for:12 ply:20..)",
    "at(men<20 not wminor=2 diff:-2..2 stm:black) or at(P<3)",
    "at(Q>=2 flip) then at(Q<2 q<2)",
    "-at(men:2..9) result:1-0",
    "at(men:2..12 ply:1..)",
    "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)",
    "at(Q=0 R=0 B=0 N=0 q=0 r=0 b=0 n=0 P:1..8 p:1..8)",
    "at(Q=1 q=1 R:1..2 r:1..2 B=0 N=0 b=0 n=0 flip)",
    "at(R=1 r=1 Q=0 q=0 piece:Kf4)",
    "player:morphy -event:a site:i round:1",
    "white:é or black:\"anderssen\"",
    "player:morphy or white=\"Anderssen, Adolf\"",
    "year:1850..1860 -result:0-1 eco:C30..C39",
    "date:1858.. plies:20..60 -white:morphy",
    "elo=0 moves:..30 or whiteelo>=2000",
    "elodiff:-50..50 or avgelo>2200",
    "opening:gambit -opening:king",
    "opening:none or opening=\"ruy lopez\" or opening!=none piece:Nd5",
    "morphy or sicilian -\"new york\"",
    "-flag:promotion piece:Qh5 -player:greco year>1700",
];

/// Reads a query.
pub(crate) fn query(text: &str) -> Query {
    text.parse()
        .unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// Returns the numbers of the games that match.
pub(crate) fn numbers(
    database: &Database,
    text: &str,
    strategy: Strategy,
    variations: bool,
) -> Vec<u32> {
    let query = query(text);
    let search = Search::new(&query)
        .strategy(strategy)
        .variations(variations);
    let found = search.run(database);
    let found = found.unwrap_or_else(|error| panic!("{text}: {error}"));
    found.iter().map(|hit| hit.game.number_in_part()).collect()
}
