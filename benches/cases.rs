//! The benchmark cases, with the number of games that each query must find.

use tabiya::{Database, GameId};

use crate::{made::Outcome, synthetic::position_after};

/// One query.
pub(crate) struct Case {
    /// A short name.
    pub(crate) name: String,
    /// The query text.
    pub(crate) query: String,
    /// The number of games it finds, if known from another source.
    pub(crate) hits: Option<u64>,
}

/// At most two of each piece, as in Scid's search dialog.
macro_rules! two_each {
    () => {
        "Q:0..2 R:0..2 B:0..2 N:0..2 q:0..2 r:0..2 b:0..2 n:0..2"
    };
}

macro_rules! keres {
    () => {
        r#""rnbqkb1r/1p3ppp/p3pn2/3P4/3N2P1/2N4P/PPP2P2/R1BQKB1R b KQkq - 0 8""#
    };
}

macro_rules! middlegame {
    () => {
        r#""2r1r1k1/pb1q1ppp/5n2/1p1p4/2pPP3/1Pb3P1/P2N1PBP/2RQR1K1 w - - 0 18""#
    };
}

/// A popular opening: the position after 5...a6.
pub(crate) const NAJDORF: &str =
    r#"fen:"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6""#;
/// Kings on opposite wings, which records hardly restrict.
pub(crate) const OPPOSITE_CASTLING: &str = "at(piece:Kc1 piece:kg8)";
/// A single rook ending.
pub(crate) const ROOK_ENDING: &str = r#"fen:"8/8/8/4k1p1/1p2P3/2r5/2PKR1P1/8 b - - 3 38""#;

/// Queries on the large real database with the number of games that Scid 5.0.2 finds.
#[rustfmt::skip]
pub(crate) const KINGBASE: &[(&str, &str, u64)] = &[
    ("start", r#"fen:"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1""#, 1_179_500),
    ("1.e4", r#"fen:"rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1""#, 504_583),
    ("1.a4 h5", r#"fen:"rnbqkbnr/ppppppp1/8/7p/P7/8/1PPPPPPP/RNBQKBNR w KQkq - 0 2""#, 0),
    ("najdorf", NAJDORF, 45_500),
    ("qgd-Bg5", r#"fen:"rnbqkb1r/ppp2ppp/4pn2/3p2B1/2PP4/2N5/PP2PPPP/R2QKBNR b KQkq - 2 4""#, 1_386),
    ("kid-main", r#"fen:"rnbq1rk1/ppp2pbp/3p1np1/4p3/2PPP3/2N2N2/PP2BPPP/R1BQK2R w KQ - 0 7""#, 26_412),
    ("ruy-closed", r#"fen:"r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N2/PP1P1PPP/RNBQR1K1 w - - 1 9""#, 12_344),
    ("qgd-Rd1-Qc2", r#"fen:"r1bq1rk1/pp1nbppp/2p1pn2/3p2B1/2PP4/2N1PN2/PPQ2PPP/3RKB1R b K - 4 8""#, 327),
    ("keres-attack", concat!("fen:", keres!()), 285),
    ("middlegame-27", concat!("fen:", middlegame!()), 1),
    ("middlegame-28", r#"fen:"r1bq1r1b/pp3pkP/2pp1np1/3Pp1N1/2P1P1PR/2N5/PP6/R1BQK3 b Q - 2 17""#, 1),
    ("rook-ending-9", ROOK_ENDING, 1),
    ("bishop-ending-9", r#"fen:"8/8/1B6/p3p1b1/1p6/2kP4/P3K3/8 b - - 3 49""#, 1),
    ("KRvKB-4", r#"fen:"8/8/8/8/8/1kbK4/8/R7 b - - 0 82""#, 1),
    ("rook endings", "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)", 113_366),
    ("pawn endings", "at(Q=0 R=0 B=0 N=0 q=0 r=0 b=0 n=0 P:1..8 p:1..8 ply:1..)", 25_709),
    ("bare kings", "at(material:KvK ply:1..)", 2_518),
    ("isolated queen pawn", concat!(
        "at(P:1..8 piece:P@d not piece:P@c not piece:P@e ply:1.. ", two_each!(), ")"
    ), 317_195),
    ("maroczy", concat!(
        "at(P:2..7 p:1..7 piece:Pc4 piece:Pe4 piece:p@d not piece:P@d not piece:p@c not piece:pd5 ",
        "ply:1.. ", two_each!(), ")"
    ), 68_101),
    ("opposite castling", concat!("at(piece:Kc1 piece:kg8 ply:1.. ", two_each!(), ")"), 75_758),
    ("opposite bishops", "at(Q=0 q=0 R=0 r=0 N=0 n=0 B=1 b=1 bishops:opposite ply:1..)", 17_479),
    ("files, 29 men", concat!(
        "at(files:", keres!(), " material:", keres!(), " stm:black)"
    ), 12_348),
    ("material, 29 men", concat!("at(material:", keres!(), " stm:black)"), 176_528),
    ("files, 27 men", concat!(
        "at(files:", middlegame!(), " material:", middlegame!(), " stm:white)"
    ), 2_045),
    ("material, 27 men", concat!("at(material:", middlegame!(), " stm:white)"), 55_132),
    ("eco + result", "eco:B90..B99 result:1-0", 12_249),
    ("both Elo 2600", "elo:2600..4000", 40_823),
    ("length 20..40", "plies:20..40", 97_521),
    ("promotion flag", "flag:promotion", 53_993),
];

/// Queries on generated games: positions from them, and conditions of every kind.
pub(crate) fn synthetic_cases(database: &Database) -> Outcome<Vec<Case>> {
    let mut cases = Vec::new();
    for (game, plies) in [(7, 2), (7, 6), (7, 12), (123, 20), (123, 40), (999, 60)] {
        let fen = position_after(database, GameId(game), plies)?;
        cases.push(Case {
            name: format!("game {} ply {plies}", game + 1),
            query: format!("fen:\"{fen}\""),
            hits: None,
        });
    }
    for (name, query) in [
        ("rook endings", "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0)"),
        ("two queens", "at(Q>=2)"),
        ("open e-file", "at(not piece:P@e not piece:p@e)"),
        ("player and year", "player:vino year:1990.."),
        ("rating and position", "elo>=2400 at(piece:Nd5 piece:qd8)"),
        ("not", "not at(piece:P@h)"),
    ] {
        cases.push(Case {
            name: name.into(),
            query: query.into(),
            hits: None,
        });
    }
    Ok(cases)
}
