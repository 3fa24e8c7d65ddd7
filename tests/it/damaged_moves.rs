//! One bad move does not take the game: every reader keeps what is sound, in one way.

use std::{fs, path::PathBuf};

use tabiya::{
    Conversion, ConvertOptions, Database, Diagram, ErrorKind, Flow, GameId, Positions, Query,
    Search, SidecarOptions, Strategy, TreePosition, TreeSearch, convert,
    format::{GameText, Overwrite},
};
use tempfile::TempDir;

/// Kings put on the centre, a variation that cannot be played, no move at all that can, and a
/// sound game.
const GAMES: &str = "[White \"Kings\"]\n\n\
    1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Ke4 Ke5 1-0\n\n\
    [White \"Variation\"]\n\n\
    1. e4 e5 (1... c5 2. Nf6 d6 {lost}) (1... e6 {kept}) 2. Nf3 {too} Nc6 1-0\n\n\
    [White \"Nothing\"]\n\n1. e5 e4 1-0\n\n\
    [White \"Sound\"]\n\n1. e4 c5 1-0\n\n";

struct Files(TempDir);

impl Files {
    fn of(pgn: &str) -> Files {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("source.pgn"), pgn).unwrap();
        Files(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn convert(&self, target: &str, options: ConvertOptions) -> tabiya::Result<Conversion> {
        let options = options.overwrite(Overwrite::Replace);
        let sources = [self.path("source.pgn")];
        convert(
            &sources,
            &self.path(target),
            options,
            |_| Flow::Continue(()),
        )
    }

    fn open(&self, name: &str) -> Database {
        Database::open(self.path(name)).unwrap()
    }
}

/// Returns the numbers of the games that a query finds, and of those read in part and not at all.
fn found(database: &Database, query: &str, strategy: Strategy) -> (Vec<u32>, u64, u64) {
    let query: Query = query.parse().unwrap();
    let found = Search::new(&query)
        .strategy(strategy)
        .run(database)
        .unwrap();
    let report = found.report();
    let numbers = (&found)
        .into_iter()
        .map(|hit| hit.game.number_in_part())
        .collect();
    (numbers, report.harmed, report.damaged)
}

#[test]
fn every_word_searches_what_is_sound_of_a_game() {
    let files = Files::of(GAMES);
    let database = files.open("source.pgn");
    for (query, numbers) in [
        ("opening:\"ruy lopez\"", &[1][..]),
        ("plies=10", &[1]),
        ("moves=2", &[2]),
        ("at(piece:Ba4)", &[1]),
        ("not at(piece:Ba4) plies>1", &[2, 4]),
        ("played:O-O", &[1]),
        ("white:kings plies<11", &[1]),
        ("text:too", &[2]),
    ] {
        for strategy in [Strategy::Auto, Strategy::FullDecode] {
            let (games, ..) = found(&database, query, strategy);
            assert_eq!(games, numbers, "{query}");
        }
    }
    let (_, harmed, damaged) = found(&database, "opening:sicilian", Strategy::Auto);
    assert_eq!((harmed, damaged), (1, 1));
}

#[test]
fn trees_and_positions_take_what_is_sound_of_a_game() {
    let files = Files::of(GAMES);
    let database = files.open("source.pgn");
    for (moves, games, harmed) in [
        ("1.e4", 3, 0),
        ("1.e4 e5 2.Nf3 Nc6 3.Bb5", 1, 0),
        // Where its damage is, a game ends.
        ("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7", 1, 1),
        ("1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7 6.Re1", 0, 1),
    ] {
        let position = TreePosition::from_moves(moves).unwrap();
        let tree = TreeSearch::new(&position).run(&database);
        let tree = tree.unwrap();
        let report = tree.report();
        let told = (tree.total().games(), report.harmed, report.damaged);
        assert_eq!(told, (games, harmed, 1), "{moves}");
        let query = position.to_query();
        let found = Search::new(&query).run(&database).unwrap();
        assert_eq!(found.len() as u64, games, "{moves}");
        let fen = Diagram::new(position.setup()).fen();
        let counts = Positions::from_epd(&fen).unwrap();
        let counts = counts.run(&database).unwrap();
        let report = counts.report();
        let told = (
            counts.rows()[0].tally.games(),
            report.harmed,
            report.damaged,
        );
        // They are not read after the last position.
        let harmed = u64::from(games == 0);
        assert_eq!(told, (games as u32, harmed, 1), "{moves}");
    }
}

#[test]
fn conversions_keep_what_is_sound_and_count_it() {
    let files = Files::of(GAMES);
    for target in [
        "new.si4", "new.si5", "new.cbh", "new.2cbh", "new.dci", "new.pgn",
    ] {
        let done = files.convert(target, ConvertOptions::new()).unwrap();
        assert_eq!(
            (done.games, done.harmed, done.skipped),
            (3, 2, 1),
            "{target}"
        );
        assert_eq!(done.harmed_games.len(), 2);
        let database = files.open(target);
        let plies: Vec<u32> = (0..3)
            .map(|game| database.plies(GameId(game)).unwrap())
            .collect();
        assert_eq!(plies, [10, 4, 2], "{target}");
        let mut text = GameText::new(&database.header(GameId(1)).unwrap());
        database.visit(GameId(1), &mut text).unwrap();
        let text = text.finish().unwrap().replace('\n', " ");
        let expected = "1. e4 e5 (1... c5 {The source is damaged here.}) (1... e6 {kept}) 2. Nf3 \
                        {too} 2... Nc6";
        assert!(text.contains(expected), "{target}: {text}");
        assert!(database.verify().unwrap().damaged_games.is_empty());
        let strict = files.convert(target, ConvertOptions::new().strict(true));
        assert!(
            matches!(strict.unwrap_err().kind(), ErrorKind::IllegalMove(_)),
            "{target}"
        );
    }
}

#[test]
fn a_conversion_with_a_query_counts_each_game_once() {
    let files = Files::of(GAMES);
    let query: Query = "plies<5".parse().unwrap();
    let done = files.convert("new.pgn", ConvertOptions::new().search(Search::new(&query)));
    let done = done.unwrap();
    assert_eq!(
        (done.games, done.harmed, done.skipped, done.unmatched),
        (2, 1, 1, 1)
    );
}

#[test]
fn a_damaged_game_is_told_up_to_its_damage() {
    let files = Files::of(GAMES);
    let database = files.open("source.pgn");
    let told = |game: u32| {
        let mut text = GameText::new(&database.header(GameId(game)).unwrap());
        let damage = database.visit_sound(GameId(game), &mut text);
        damage.map(|damage| (damage.map(|damage| damage.plies), text.finish().unwrap()))
    };
    let (plies, text) = told(0).unwrap();
    assert_eq!(plies, Some(10));
    let text = text.replace('\n', " ");
    assert!(
        text.contains("Be7 {The source is damaged here.} 1-0"),
        "{text}"
    );
    assert_eq!(told(1).unwrap().0, Some(2));
    assert!(told(2).is_err());
    assert_eq!(told(3).unwrap().0, None);
}

#[test]
fn a_variation_that_goes_on_is_left_out_alone() {
    let pgn = "1. e4 e5 2. Qh5 Ke7 3. Qxe5# {done} ( 3... Kd6 4. Qd5 ) 1-0\n\n\
               1. e4 e5 2. Nf3 ( 2... Nf3 Nc6 ) Nc6 *\n\n";
    let files = Files::of(pgn);
    let database = files.open("source.pgn");
    let mut text = GameText::new(&database.header(GameId(0)).unwrap());
    assert!(
        database
            .visit_sound(GameId(0), &mut text)
            .unwrap()
            .is_some()
    );
    let text = text.finish().unwrap();
    assert!(
        text.contains("3. Qxe5# {done} {The source is damaged here.} 1-0"),
        "{text}"
    );
    // A wrong number alone is no damage.
    let mut text = GameText::new(&database.header(GameId(1)).unwrap());
    assert!(
        database
            .visit_sound(GameId(1), &mut text)
            .unwrap()
            .is_none()
    );
}

#[test]
fn openings_of_damaged_games_are_the_same_with_a_sidecar() {
    let folder = tempfile::tempdir().unwrap();
    for suffix in ["si4", "sg4", "sn4"] {
        let mut bytes = fs::read(format!("fixtures/famous.{suffix}")).unwrap();
        if suffix == "sg4" {
            bytes.iter_mut().step_by(41).for_each(|byte| *byte ^= 0x5a);
        }
        fs::write(folder.path().join("base").with_extension(suffix), bytes).unwrap();
    }
    let base = folder.path().join("base.si4");
    let openings = [
        "*",
        "sicilian",
        "\"ruy lopez\"",
        "\"king's gambit\"",
        "gambit",
        "defense",
    ];
    let queries = openings.map(|opening| format!("opening:{opening}"));
    let answers = |database: &Database| {
        let answer = |query: &String| found(database, query, Strategy::Auto);
        queries.iter().map(answer).collect::<Vec<_>>()
    };
    let database = Database::open(&base).unwrap();
    let before = answers(&database);
    SidecarOptions::new().build(&database).unwrap();
    assert_eq!(before, answers(&Database::open(&base).unwrap()));
    assert!(
        before
            .iter()
            .any(|(games, harmed, damaged)| { !games.is_empty() && harmed + damaged > 0 })
    );
}
