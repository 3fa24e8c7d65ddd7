//! PGN to `.si4` and back keeps what the games hold.

use std::path::{Path, PathBuf};

use tabiya::{
    Flow,
    chess::Start,
    format::{GameHeader, Overwrite, Visitor},
    shakmaty::Move,
};
use tabiya_formats::pgn::{self, Input};

use crate::support::shared;

/// Everything that a game holds. Tags are sorted, since those that are also in the index come
/// first in a new file. What is said of a move stands together, wherever among its variations
/// it stood.
#[derive(Default)]
struct Story {
    tags: Vec<String>,
    nodes: Vec<Node>,
    /// The node whose annotations come next.
    now: usize,
    /// Those of the lines outside.
    outer: Vec<usize>,
}

/// A move, or the beginning or end of a line.
#[derive(Default)]
struct Node {
    what: String,
    nags: Vec<u8>,
    comment: String,
}

/// NAGs of one move that Scid reads.
const NAGS_MAX: usize = 7;
/// Bytes of a tag's name and value that Scid prints.
const TAG_BYTES_MAX: usize = 248;

impl Story {
    fn tell(&mut self, what: String) -> Flow {
        self.now = self.nodes.len();
        self.nodes.push(Node {
            what,
            ..Node::default()
        });
        Flow::Continue(())
    }

    fn into_lines(mut self, header: &GameHeader) -> Vec<String> {
        self.tags.sort();
        let mut lines = vec![format!("{header:?}")];
        lines.append(&mut self.tags);
        lines.extend(self.nodes.into_iter().map(|node| {
            let Node {
                what,
                nags,
                comment,
            } = node;
            format!("{what} {nags:?} {{{comment}}}")
        }));
        lines
    }
}

impl Visitor for Story {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        let kept = &value[..value.floor_char_boundary(TAG_BYTES_MAX - name.len())];
        self.tags.push(format!("{name}={kept}"));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.tell(format!("{:?}", start.setup()))
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.tell(format!("{played:?}"))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        let nags = &mut self.nodes[self.now].nags;
        if nags.len() < NAGS_MAX {
            nags.push(nag);
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        let comment = &mut self.nodes[self.now].comment;
        if !comment.is_empty() && !text.is_empty() {
            comment.push(' ');
        }
        comment.push_str(text);
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.outer.push(self.now);
        self.tell("(".into())
    }

    fn end_variation(&mut self) -> Flow {
        let _ = self.tell(")".into());
        self.now = self.outer.pop().unwrap();
        Flow::Continue(())
    }
}

/// Reads a PGN file: the games, `None` for a damaged one.
fn stories(path: &Path) -> Vec<Option<Vec<String>>> {
    let mut games = Vec::new();
    pgn::for_each_game(
        &Input::open(path).unwrap(),
        |game| {
            let mut story = Story::default();
            game.replay(&mut story)?;
            Ok(story.into_lines(game.header()))
        },
        |_, story| {
            games.push(story.ok());
            Ok(())
        },
    )
    .unwrap();
    games
}

pub(crate) fn convert(from: &Path, to: &Path) -> tabiya::Conversion {
    let go_on = &mut |_| Flow::Continue(());
    tabiya::convert(&[PathBuf::from(from)], to, Overwrite::Refuse, go_on).unwrap()
}

/// Converts there and back and compares game by game. Returns how many games were compared.
fn compare(original: &Path, suffix: &str) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("a").with_extension(suffix);
    let back = folder.path().join("a.pgn");
    let there = convert(original, &database);
    let home = convert(&database, &back);
    assert_eq!((there.games, home.skipped), (home.games, 0));

    // Chess960 is the one kind of game that can be read but not be held by `.si4`.
    let holds_all = suffix != "si4";
    let is_held = |story: &Vec<String>| {
        holds_all || !story.iter().any(|line| line.eq_ignore_ascii_case(CHESS960))
    };
    let is_harmed = |number| {
        there
            .harmed_games
            .iter()
            .any(|error| error.game() == Some(number))
    };
    // Of a damaged game that is kept, only what is sound comes back.
    let before: Vec<_> = (1..)
        .zip(stories(original))
        .filter(|(number, story)| match story {
            Some(story) => is_held(story),
            None => is_harmed(*number),
        })
        .collect();
    let after = stories(&back);
    assert_eq!(after.len(), before.len());
    for ((number, before), after) in before.iter().zip(&after) {
        assert!(after.is_some(), "{}: game {number}", original.display());
        if before.is_some() {
            assert_eq!(before, after, "{}: game {number}", original.display());
        }
    }
    after.len()
}

const CHESS960: &str = "Variant=Chess960";

#[test]
fn famous_games_come_back_from_a_database_as_they_went_in() {
    let famous = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn");
    for suffix in ["si4", "si5"] {
        assert_eq!(compare(&famous, suffix), 91);
    }
}

#[test]
fn real_and_nasty_games_come_back_from_a_database_as_they_went_in() {
    for (suffix, edge_games) in [("si4", 380), ("si5", 381)] {
        if let Some(edge) = shared::packed("pgn/edge.pgn") {
            assert_eq!(compare(&edge, suffix), edge_games);
        }
        if let Some(annotated) = shared::packed("pgn/annotated.pgn") {
            assert_eq!(compare(&annotated, suffix), 8_620);
        }
    }
}
