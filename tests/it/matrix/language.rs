//! What the query language promises of texts and places, in every format.

use tabiya::{Database, GameId, Search, SidecarOptions, Strategy};

use super::base::{Base, Kind, all_games, found};
use crate::support::{ask, naive::Known};

/// Names as people and old programs write them.
const NAMES: &str = r#"[Event "Linares 15th"]
[White "Carlsen, Magnus"]
[Black "Tal,Mikhail"]
[Annotator "Ftacnik, L"]

1. e4 {time trouble} e5 *

[Event "Casino Linares"]
[White "ΣΊΣΥΦΟΣ"]
[Black "Groß, Stefan"]

1. d4 d5 *

[Event "Club*"]
[White "Vitaliy, A"]
[Black "Müller, Karsten"]

1. c4 e5 *

[Event "Open"]
[Black "van Foreest, Jan"]

1. f4 d5 {a long plan} *

"#;

/// Of names, and the games that match.
const ABOUT_NAMES: [(&str, &[u32]); 33] = [
    (r#"player:"Magnus Carlsen""#, &[1]),
    (r#"white:"magnus carlsen""#, &[1]),
    (r#"black:"Magnus Carlsen""#, &[]),
    (r#"player:"mikhail tal""#, &[1]),
    (r#"player:"Jan van Foreest""#, &[4]),
    (r#"player:"Karsten Müller""#, &[3]),
    (r#"player:"Karsten Muller""#, &[3]),
    (r#"player:"Karsten Mûller""#, &[]),
    (r#"player:"Carlsen Magnus""#, &[]),
    (r#"player="Magnus Carlsen""#, &[]),
    ("player:tal", &[1, 3]),
    (r#"player:"tal,*""#, &[1]),
    ("player:TAL,*", &[1]),
    ("player:*l*a*", &[1, 3]),
    ("white:*", &[1, 2, 3, 4]),
    ("event:Linares*", &[1]),
    (r#"event:"*linares""#, &[2]),
    ("event:linares", &[1, 2]),
    ("event=Linares*", &[]),
    (r#"event:"\*""#, &[3]),
    ("event=Club*", &[3]),
    (r#"event!="club*""#, &[1, 2, 3, 4]),
    ("white:ΣΊΣ", &[2]),
    ("white:σίσυφος", &[2]),
    ("white:σισυφοσ", &[2]),
    ("black:gross", &[2]),
    ("black:GROẞ,*", &[2]),
    ("white:?", &[4]),
    ("white=?", &[4]),
    (r#"white="""#, &[4]),
    (r#"site="""#, &[1, 2, 3, 4]),
    ("white!=?", &[1, 2, 3]),
    ("not white:*a*", &[2, 4]),
];

/// Of tags and comments.
const ABOUT_TAGS: [(&str, &[u32]); 13] = [
    ("annotator:ftac*", &[1]),
    (r#"annotator:"L Ftacnik""#, &[1]),
    ("annotator:*", &[1]),
    (r#"annotator="""#, &[2, 3, 4]),
    (r#"annotator!="""#, &[1]),
    (r#"annotator:"""#, &[1, 2, 3, 4]),
    (r#"tag.TimeControl="""#, &[1, 2, 3, 4]),
    ("tag.TimeControl:*", &[]),
    ("text:*", &[1, 4]),
    (r#"text:"time*trouble""#, &[1]),
    ("text:*plan", &[4]),
    ("text:*time", &[]),
    ("text:o", &[1, 4]),
];

fn has_tags(kind: Kind) -> bool {
    !matches!(
        kind,
        Kind::Cbf | Kind::Scdb | Kind::Scdb11 | Kind::Jose | Kind::JoseFolder
    )
}

#[test]
fn texts_are_compared_alike_in_every_format() {
    for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_training()) {
        let annotator = if has_tags(kind) {
            ""
        } else {
            "[Annotator \"Ftacnik, L\"]\n"
        };
        let database = Base::new(kind, &NAMES.replacen(annotator, "", 1)).open();
        let tags = ABOUT_TAGS.iter().filter(|_| has_tags(kind));
        for (query, games) in ABOUT_NAMES.iter().chain(tags) {
            assert_eq!(found(&database, query), *games, "{kind:?} {query}");
        }
    }
}

#[test]
fn a_sidecar_with_columns_compares_texts_as_the_names_do() {
    for kind in [Kind::Scid4, Kind::Scid5, Kind::ChessBase, Kind::Scdb] {
        let base = Base::new(kind, NAMES);
        let options = SidecarOptions::new().columns(true);
        let made = options.build(&Database::open(base.path()).unwrap());
        made.unwrap();
        let database = base.open();
        assert!(
            database.sidecar().is_some(),
            "{kind:?} {:?}",
            database.notes()
        );
        for (query, games) in ABOUT_NAMES {
            assert_eq!(found(&database, query), games, "{kind:?} {query}");
        }
    }
}

/// Kings that walk to and fro, promotions in the main line and in variations, and variations
/// that reach a position earlier than the main line or on the same ply.
const PLACES: &str = r#"[Event "to and fro"]
[SetUp "1"]
[FEN "8/8/8/4k3/8/8/8/3K4 w - - 0 1"]

1. Ke1 Ke6 2. Kd1 Ke5 3. Ke1 Ke6 4. Kd1 *

[Event "promotion"]

1. a4 b5 2. axb5 a6 3. bxa6 Nc6 4. a7 Rb8 5. a8=Q Rb5 6. Qxc6
(6. Qa7 Rb7) 6... dxc6 *

[Event "variations"]

1. e4 e5 (1... c5 2. Nf3 (2. c3 d5 3. exd5 Qxd5) 2... d6) (1... d5 2. exd5 Qxd5) 2. Nf3 Nc6
3. Bb5 a6 4. O-O d6 *

"#;

/// A query, and where each game that it finds first matches: its number, the ply, the variation.
type Places<'a> = (&'a str, &'a [(u32, u32, Option<u32>)]);

/// Asks every format that holds variations, and the slow evaluator, which is written from the
/// contract alone. The places are those of the first match: ply, and move if in a variation.
fn first_places(queries: &[Places<'_>]) {
    for kind in [Kind::Pgn, Kind::Scid4, Kind::Scid5, Kind::ChessBase] {
        let database = Base::new(kind, PLACES).open();
        let games = (0..).map(GameId).zip(all_games(&database));
        let games: Vec<Known> = games.map(|(id, game)| Known::new(id, game)).collect();
        for (text, places) in queries {
            let query = ask::query(text);
            for variations in [false, true] {
                let slow = games.iter().filter_map(|known| {
                    let (ply, variation) = known.find(&query, variations)??;
                    Some((known.id.number_in_part(), ply, variation))
                });
                let slow: Vec<_> = slow.collect();
                for strategy in [Strategy::Auto, Strategy::FullDecode] {
                    let search = Search::new(&query)
                        .variations(variations)
                        .strategy(strategy);
                    let hits = search.run(&database).unwrap();
                    let hits = hits
                        .iter()
                        .map(|hit| (hit.game.number_in_part(), hit.ply.unwrap(), hit.variation));
                    assert!(
                        slow.iter().copied().eq(hits),
                        "{kind:?} {text} {variations}"
                    );
                }
                if variations {
                    let told = slow.iter().map(|(game, ply, variation)| {
                        (*game, *ply, variation.map(|variation| variation.number()))
                    });
                    assert_eq!(told.collect::<Vec<_>>(), *places, "{kind:?} {text}");
                }
            }
        }
    }
}

#[test]
fn all_positions_of_a_run_are_in_one_mirror_image() {
    first_places(&[
        ("number:1 at(piece:Kd1 mirror)", &[(1, 0, None)]),
        ("number:1 at(piece:Kd1 mirror for:2)", &[(1, 2, None)]),
        ("number:1 at(piece:Kd1 mirror for:3)", &[]),
        (
            "at(stm:black flip)",
            &[(1, 0, None), (2, 0, None), (3, 0, None)],
        ),
        ("at(stm:black flip for:2)", &[]),
        ("number:1 at(piece:Kd1 flip mirror for:3)", &[]),
    ]);
}

#[test]
fn a_path_goes_on_through_a_promotion() {
    first_places(&[
        ("path:Pa2-b5-a7-a8-c6", &[(2, 11, None)]),
        ("path:Pa8-c6", &[]),
        ("path:Qa8-c6", &[(2, 11, None)]),
        ("path:Qa7-a8", &[]),
        ("path:Pa2-a8-a7", &[(2, 11, Some(12))]),
    ]);
}

#[test]
fn the_first_place_is_in_the_main_line_and_then_in_pgn_order() {
    first_places(&[
        ("number:3 played:d6", &[(3, 8, None)]),
        ("number:3 played:Nf3", &[(3, 3, None)]),
        ("played:Qxd5", &[(3, 6, Some(8))]),
        ("played:exd5", &[(3, 5, Some(7))]),
        ("played:d5", &[(3, 4, Some(6))]),
    ]);
}
