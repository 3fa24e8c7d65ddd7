//! PGN, plain and packed.

use std::io::Write;

use flate2::{Compression, write::GzEncoder};
use tabiya::{Database, OpenOptions, Search, format::GameText};
use tabiya_formats::pgn::{self, Input};

use super::files::{famous, open_file, some_games};
use crate::support::{exercise, frames::in_frames, game::PlainGame};

pub(crate) fn check(input: &[u8]) {
    let database = open_file("a.pgn", input, OpenOptions::new());
    if let Ok(database) = &database {
        exercise::whole(database);
        same_tags(database, "a.pgn", input);
    }
    let Ok(stream) = Input::from_bytes(input.to_vec()) else {
        return;
    };
    let mut games = 0;
    let told = pgn::for_each_game(
        &stream,
        |game| {
            let mut plain = PlainGame {
                header: game.header().clone(),
                ..PlainGame::default()
            };
            game.replay(&mut plain)?;
            Ok(plain)
        },
        |_, _| {
            games += 1;
            Ok(())
        },
    );
    if let (Ok(()), Ok(database)) = (told, &database) {
        assert_eq!(games, database.len(), "games of the stream and of the file");
    }
}

/// Compares with what is read if only tags are read first.
pub(super) fn same_tags(whole: &Database, name: &str, input: &[u8]) {
    for query in QUERIES {
        let query = query.parse().expect("a query");
        let options = OpenOptions::new().for_query(&query);
        let tags = open_file(name, input, options).expect("it opens as before");
        assert_eq!(tags.len(), whole.len());
        for game in whole.games() {
            assert_eq!(tags.header(game).ok(), whole.header(game).ok(), "{game:?}");
        }
        let search = Search::new(&query).variations(true);
        let [found, expected] = [&tags, whole].map(|database| {
            let found = search.run(database).expect("the search runs");
            let damaged = found.report().damaged;
            (found.into_parts().0, damaged)
        });
        assert_eq!(found, expected, "{query}");
    }
}

/// Conditions on tags that most games pass, and conditions on what is then read.
const QUERIES: [&str; 7] = [
    "white!=x",
    "white!=x check",
    "white!=x path:N?-?",
    "white!=x plies>4",
    "white!=x text:a",
    "white!=x opening!=x",
    "white!=x comments>0 variations<9 -flag:promotion",
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let mut texts = vec![famous(1), famous(3), NASTY.to_owned(), SPELLED.to_owned()];
    texts.extend([(1, 1), (2, 3)].map(|(seed, games)| {
        let games = some_games(seed, games);
        games.iter().map(text).collect::<Vec<_>>().join("\n")
    }));
    let mut seeds: Vec<Vec<u8>> = texts.iter().map(|text| text.clone().into_bytes()).collect();
    seeds.push(gzipped(texts[1].as_bytes()));
    seeds.push(in_frames(texts[1].as_bytes(), 700));
    seeds
}

/// Returns a game as PGN.
pub(crate) fn text(game: &PlainGame) -> String {
    let mut text = GameText::new(&game.header);
    let _ = game.tell(&mut text);
    text.finish().expect("a random game has a text")
}

/// What a reader of PGN must take, and some of what it must refuse.
const NASTY: &str = r#"[Event "a \"quoted\" \\ name"]
[Result "1/2-1/2"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[UTCDate "2001.02.03"]

{before} 1. e4 {a (b) } ; to the end of the line
(1. e3 $1 $2!! (1.Kd1 Kd8) Kd8) 1... Kd7 2. -- Z0 3. e5?! *

% escaped
[White "no moves"]

1/2-1/2

[Variant "Chess960"]
[FEN "4k3/8/8/8/8/8/8/5KR1 w G - 0 1"]

1. O-O Kd8 2. R1f8# 1-0

1. e4 e5 2. Qh5 Ke7 3. Qxe5# 1-0
"#;

/// Games as people and programs write them.
const SPELLED: &str = "From: somebody\nSubject: games (three)\n\n\
    [Event \"German\"]\n[Date \"26.02.2019\"]\n\n\
    1. e4 e5 2. Sf3 Sc6 3. Lb5 ± a6\u{a0}4. Lxc6 (4. La4 Sf6 ∓) dxc6 ‼ 5. 0–0 1:0\n\n\
    1.e4e5 2.nf3 N c6 3: Bb5 g8f6 4. O-O mate\n\n1. ♘f3 ♞f6 2. g2-g3 □ 1 - 0\n\n\
    [Event \"two\"]\n[TimeControl \"40/7200:3600\"]\n\n\
    1. Кf3 Кf6 2. g3 (2. c4 Sf6) ½–½\n\u{1a}";

fn gzipped(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).expect("memory can be written");
    encoder.finish().expect("memory can be written")
}
