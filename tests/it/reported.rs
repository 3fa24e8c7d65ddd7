//! Small things that conversions lose and say: one test each. And tags that follow from the moves.

use std::{fs, path::PathBuf};

use shakmaty::{Move, Role, Square, fen::Fen};
use tabiya::{
    Conversion, ConvertOptions, Database, Flow, GameId, Strategy,
    chess::{NameKind, Start},
    convert,
    format::{GameHeader, GameText, Overwrite, Visitor},
};
use tabiya_formats::{
    Encode,
    chessbase::{v1 as chessbase, v2 as chessbase2},
    scid4::{Edition, Encoder, Writer},
};
use tempfile::TempDir;

use crate::support::{ask, losses::TARGETS};

struct Files(TempDir);

impl Files {
    /// Makes a folder with this PGN as `source.pgn`.
    fn of(pgn: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("source.pgn"), pgn).unwrap();
        Files(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn convert(&self, source: &str, target: &str, strict: bool) -> tabiya::Result<Conversion> {
        let mut options = ConvertOptions::from(Overwrite::Replace);
        options = options.strict(strict);
        let sources = [self.file(source)];
        convert(&sources, &self.file(target), options, &mut |_| {
            Flow::Continue(())
        })
    }

    /// Returns how often something was lost on the way to a target.
    fn lost(&self, suffix: &str, what: &str) -> u64 {
        let target = format!("new.{suffix}");
        let done = self.convert("source.pgn", &target, false).unwrap();
        let strict = self.convert("source.pgn", &target, true);
        assert_eq!(strict.is_ok(), done.losses.is_empty() && done.skipped == 0);
        let mut losses = done.losses.iter();
        losses
            .find(|lost| lost.what == what)
            .map_or(0, |lost| lost.count)
    }

    fn text(&self, suffix: &str) -> String {
        let source = format!("new.{suffix}");
        self.convert(&source, "back.pgn", false).unwrap();
        fs::read_to_string(self.file("back.pgn")).unwrap()
    }
}

const CHESS960: &str = "[White \"A\"]\n[ECO \"B01\"]\n[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
    [FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1\"]\n\n1. d4 d5 *\n\n";

#[test]
fn the_opening_code_of_a_chess960_game_is_kept_or_reported() {
    let files = Files::of(CHESS960);
    for suffix in ["cbh", "2cbh"] {
        let lost = files.lost(suffix, "opening codes dropped of Chess960 games");
        assert_eq!(lost, 1, "{suffix}");
    }
    assert_eq!(files.lost("si5", ""), 0);
    assert!(files.text("si5").contains("[ECO \"B01\"]"));
}

#[test]
fn chess960_with_usual_rights_stays_chess960_in_chessbase() {
    let files = Files::of(
        "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
         [FEN \"r1b1kbnr/pppppppp/8/8/8/8/PPPPPPPP/R3KBNR w KQkq - 0 1\"]\n\n1. O-O-O d5 2. e4 *\n\n",
    );
    for suffix in ["cbh", "2cbh"] {
        let new = format!("new.{suffix}");
        files.convert("source.pgn", &new, true).unwrap();
        let text = files.text(suffix);
        assert!(text.contains("[Variant \"Chess960\"]"), "{text}");
        assert!(text.contains("1. O-O-O d5 2. e4 *"), "{text}");
        let database = Database::open(files.file(&new)).unwrap();
        assert_eq!(database.verify().unwrap().damaged, 0);
    }
}

#[test]
fn variants_that_chessbase_cannot_tell_are_reported() {
    for variant in ["Chess960", "Atomic"] {
        let files = Files::of(&format!("[Variant \"{variant}\"]\n\n1. e4 *\n\n"));
        for target in ["new.cbh", "new.2cbh"] {
            let lost = files.convert("source.pgn", target, false).unwrap();
            let mut losses = lost.losses.iter();
            let told = losses.any(|lost| lost.what.contains("tags dropped"));
            assert!(told || lost.skipped == 1, "{variant}");
        }
    }
}

#[test]
fn a_number_of_plies_that_is_not_kept_is_reported() {
    let files = Files::of("[PlyCount \"2\"]\n\n1. e4 e5 *\n\n");
    for suffix in ["cbh", "2cbh", "dci"] {
        let lost = files.lost(suffix, "tags dropped, for which the format has no place");
        assert_eq!(lost, 1, "{suffix}");
    }
    for suffix in ["si4", "si5", "pgn"] {
        files
            .convert("source.pgn", &format!("new.{suffix}"), true)
            .unwrap();
        assert!(files.text(suffix).contains("[PlyCount \"2\"]"), "{suffix}");
    }
}

#[test]
fn nags_that_are_no_numbers_of_nags_are_reported() {
    for nag in ["$0", "$256", "$99999"] {
        let files = Files::of(&format!("1. e4 {nag} e5 1-0\n\n"));
        for suffix in ["si4", "si5", "dci", "cbh", "2cbh", "pgn"] {
            let lost = files.lost(suffix, "NAGs dropped that are 0 or above 255");
            assert_eq!(lost, 1, "{nag} {suffix}");
        }
        assert_eq!(files.lost("binpack", "NAGs dropped"), 1, "{nag}");
    }
}

#[test]
fn a_game_outside_the_rules_is_reported_when_it_becomes_text() {
    let files = Files::of("");
    let mut writer =
        Writer::create(files.file("source.si4"), Edition::Si4, Overwrite::Refuse).unwrap();
    let mut encoder = Encoder::new();
    let jump = Move::Normal {
        role: Role::Rook,
        from: Square::A1,
        capture: None,
        to: Square::A4,
        promotion: None,
    };
    for played in [None, Some(jump)] {
        encoder.begin(&GameHeader::default());
        assert!(encoder.start(Start::Standard).is_continue());
        assert!(encoder.play(played).is_continue());
        writer.append(&encoder.finish().unwrap()).unwrap();
    }
    writer.finish().unwrap();
    let done = files.convert("source.si4", "new.pgn", false).unwrap();
    let told: Vec<_> = done
        .losses
        .iter()
        .map(|lost| (lost.count, lost.first_game))
        .collect();
    assert_eq!((done.games, told), (2, vec![(1, 2)]));
    let refused = files.convert("source.si4", "new.pgn", true).unwrap_err();
    assert!(
        refused.to_string().contains("rules do not allow"),
        "{refused}"
    );
}

/// Sixteen men and one more, of one side.
#[test]
fn what_chessbase_could_not_read_again_is_not_written() {
    let fen = "rnbqkbnr/pppppppp/8/8/8/8/PPPPpPPP/RNBQKBNR w KQkq - 0 1";
    let setup = fen.parse::<Fen>().unwrap().into_setup();
    let mut older = chessbase::Encoder::new();
    older.begin(&GameHeader::default());
    assert!(older.start(Start::Custom(&setup)).is_continue());
    let mut newer = chessbase2::Encoder::new();
    newer.begin(&GameHeader::default());
    assert!(newer.start(Start::Custom(&setup)).is_continue());
    let refused = [older.finish().map(drop), newer.finish().map(drop)];
    for refused in refused.map(|finished| finished.unwrap_err().to_string()) {
        assert!(refused.contains("16 men a side"), "{refused}");
    }
}

#[test]
fn names_keep_their_backslashes_in_every_format() {
    let names = [
        "a\\b",
        "C:\\games\\",
        "\\",
        "\\\\",
        "\\\"",
        "x\\\\\"y",
        "\\n",
    ];
    let mut pgn = String::new();
    for name in names {
        let header = GameHeader {
            event: name.to_owned(),
            result: tabiya::chess::GameResult::Draw,
            ..GameHeader::default()
        };
        pgn += &GameText::new(&header).finish().unwrap();
    }
    let files = Files::of(&pgn);
    for suffix in TARGETS
        .into_iter()
        .filter(|suffix| !["binpack", "vf"].contains(suffix))
    {
        files
            .convert("source.pgn", &format!("new.{suffix}"), false)
            .unwrap();
        let database = Database::open(files.file(&format!("new.{suffix}"))).unwrap();
        let events = (0..database.len()).map(|game| database.header(GameId(game)).unwrap().event);
        assert!(events.eq(names), "{suffix}");
        // And text that was written once is written so again.
        let text = files.text(suffix);
        let events = |text: &str| {
            let lines = text.lines().filter(|line| line.starts_with("[Event "));
            lines.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(events(&text), events(&pgn), "{suffix}");
    }
}

#[test]
fn tags_of_the_start_position_are_found_as_they_are_shown() {
    let fen = "4k3/8/8/8/8/8/P7/4K3 w - - 0 1";
    let files = Files::of(&format!(
        "[Result \"1-0\"]\n\n1. e4 1-0\n\n[SetUp \"1\"]\n\
         [FEN \"{fen}\"]\n[Result \"1-0\"]\n\n1. a4 1-0\n\n"
    ));
    for suffix in TARGETS {
        let path = files.file(&format!("new.{suffix}"));
        files
            .convert("source.pgn", &format!("new.{suffix}"), false)
            .unwrap();
        let database = Database::open(path).unwrap();
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let find = |query: &str| ask::numbers(&database, query, strategy, false);
            for query in ["tag.FEN:*", "tag.fen:4k3", "tag.SetUp:*", "tag.SetUp=1"] {
                assert_eq!(find(query), [2], "{suffix} {query}");
            }
            assert_eq!(find(&format!("tag.FEN=\"{fen}\"")), [2], "{suffix}");
            assert_eq!(find("not tag.FEN:*"), [1], "{suffix}");
            assert_eq!(find("tag.SetUp=0"), [0; 0], "{suffix}");
        }
    }
}

#[test]
fn an_unknown_name_is_a_question_mark_in_every_format() {
    let files = Files::of("[Result \"1-0\"]\n\n1. e4 1-0\n\n");
    for suffix in TARGETS {
        let name = format!("new.{suffix}");
        files.convert("source.pgn", &name, false).unwrap();
        let database = Database::open(files.file(&name)).unwrap();
        for field in ["white", "black", "player", "event", "site", "round"] {
            for query in [format!("{field}:?"), format!("{field}=?")] {
                let found = ask::numbers(&database, &query, Strategy::Auto, false);
                assert_eq!(found, [1], "{suffix} {query}");
            }
        }
        assert!(files.text(suffix).contains("[Site \"?\"]"), "{suffix}");
    }
}

#[test]
fn a_year_after_2047_is_unknown_in_every_format_and_reported() {
    let files = Files::of(
        "[White \"A\"]\n[Black \"B\"]\n[Date \"2048.01.01\"]\n[EventDate \"2050.02.03\"]\n\
         [Result \"1-0\"]\n\n1. e4 1-0\n\n",
    );
    let dropped = "tags dropped, for which the format has no place";
    for (suffix, lost) in [
        ("si4", 0),
        ("si5", 0),
        ("cbh", 2),
        ("2cbh", 2),
        ("dci", 2),
        ("pgn", 0),
    ] {
        assert_eq!(files.lost(suffix, dropped), lost, "{suffix}");
        let database = Database::open(files.file(&format!("new.{suffix}"))).unwrap();
        let found = |query| ask::numbers(&database, query, Strategy::default(), false);
        assert_eq!(found("date:unknown"), [1], "{suffix}");
        for query in ["date<2000", "date:..2047", "year>2000", "eventdate:..2047"] {
            assert_eq!(found(query), [0; 0], "{suffix} {query}");
        }
        // What has a place for tags keeps the text of both.
        let text = files.text(suffix);
        assert_eq!(
            text.contains("[Date \"2048.01.01\"]"),
            lost == 0,
            "{suffix}"
        );
        assert_eq!(
            text.contains("[EventDate \"2050.02.03\"]"),
            lost == 0,
            "{suffix}"
        );
        assert!(!text.contains(".02.03") || lost == 0, "{suffix}: {text}");
    }
}

#[test]
fn blank_names_are_one_in_questions_and_lists_of_every_format() {
    let game = |white: &str, black: &str| format!("{white}{black}[Result \"*\"]\n\n1. e4 *\n\n");
    let [question, empty, white] = ["?", "", "A"].map(|name| format!("[White \"{name}\"]\n"));
    let files = Files::of(
        &[
            game(&question, "[Black \"\"]\n"),
            game(&empty, "[Black \"B\"]\n"),
            game("", "[Black \"B\"]\n"),
            game(&white, "[Black \"B\"]\n"),
        ]
        .concat(),
    );
    for suffix in ["si4", "si5", "cbh", "2cbh", "dci", "pgn"] {
        files.lost(suffix, "");
        let database = Database::open(files.file(&format!("new.{suffix}"))).unwrap();
        for query in ["white=\"\"", "white:?", "white=?", "player=\"\""] {
            let found = ask::numbers(&database, query, Strategy::default(), false);
            assert_eq!(found, [1, 2, 3], "{suffix} {query}");
        }
        let rows = database.find_names(NameKind::Player, "").unwrap();
        let rows = rows
            .iter()
            .map(|row| (&*row.name, row.games, row.as_white, row.as_black));
        let expected = [("?", 3, 3, 1), ("B", 3, 0, 3), ("A", 1, 1, 0)];
        assert_eq!(rows.collect::<Vec<_>>(), expected, "{suffix}");
        let completed = database.complete_names(NameKind::Player, "", 9).unwrap();
        assert_eq!((&*completed[0].name, completed.len()), ("?", 3), "{suffix}");
    }
}

/// Which of three bytes a glyph takes decides in which order several of a move are told.
#[test]
fn glyphs_of_a_move_have_one_order_in_both_formats_of_chessbase() {
    const GLYPHS: [u8; 9] = [1, 10, 22, 23, 32, 36, 138, 140, 146];
    let pairs = GLYPHS
        .iter()
        .flat_map(|first| GLYPHS.map(|second| (*first, second)));
    let games: String = pairs
        .map(|(first, second)| format!("1. e4 ${first} ${second} *\n\n"))
        .collect();
    let files = Files::of(&games);
    let texts = ["cbh", "2cbh"].map(|suffix| {
        files
            .convert("source.pgn", &format!("new.{suffix}"), true)
            .unwrap();
        files.text(suffix)
    });
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("1. e4 $32 $10 *") && texts[0].contains("1. e4 $146 $140 *"));
}
