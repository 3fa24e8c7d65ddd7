//! The same games give the same answers in whatever format they are.

use std::{collections::BTreeSet, fs, path::Path, sync::LazyLock};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tabiya::{
    Conversion, ConvertOptions, Database, Error, Flow, FormatKind, Match, Matches, Query, Search,
    Strategy, format::ScdbLayout,
};

use crate::{
    conformance::{path_of, recorded_answers_are_given},
    support::shared,
};

static THREADS: LazyLock<[ThreadPool; 2]> = LazyLock::new(|| {
    [1, 2].map(|threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be had")
    })
});

/// Queries about the record, the texts and the tags of a game.
const ABOUT_HEADERS: &[&str] = &[
    "player:a",
    "white:\"karpov\"",
    "event:linares",
    "site:l",
    "year:1990..2000",
    "date>=1985",
    "eventdate:1980..1999",
    "eventdate:unknown",
    "comments>=1",
    "result:1-0",
    "result:*",
    "elo>=2600",
    "avgelo>=2650",
    "elodiff:50..200",
    "eco:B",
    "eco:E60..E99",
    "round:1",
    "plies:20..60",
    "moves<=25",
    "plies=0",
    "variations>=2",
    "nags>=1",
    "has:variations",
    "start:custom",
    "start:standard",
    "flag:deleted",
    "flag:promotion",
    "flag:underpromotion",
    "text:better",
    "text:a",
    "tag.Annotator:n",
    "tag.Source:c",
    "tag.WhiteTeam:a",
];

/// A few of both about the games that jose wrote.
const ABOUT_JOSE: &[&str] = &[
    "player:a result:1-0",
    "year:2010.. eco:B",
    "elo>=2600 plies<=40",
    "start:custom variations>=1",
    "text:knight",
    "tag.WhiteTitle:GM",
    "nags>=1 comments>=1",
    "fen:\"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"",
    "at(material:KRPvKR flip)",
    "at(piece:Ph4) then at(piece:ph5) then at(piece:Pg4)",
    "path:Nb1-c3-d5",
];

/// Queries about positions, in main lines and in variations.
const ABOUT_POSITIONS: &[&str] = &[
    "fen:\"rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq - 0 1\"",
    "fen:\"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\"",
    "at(piece:Kc1 piece:kg8)",
    "at(piece:Kc1 piece:kg8 flip mirror)",
    "at(Q=0 q=0 R=1 r=1 B=0 N=0 b=0 n=0 ply:1..)",
    "at(Q>=2)",
    "at(not piece:P@e not piece:p@e)",
    "at(piece:Nd5 piece:qd8)",
    "at(piece:Pe4 piece:Pd4 piece:pe6 piece:pd5)",
    "at(piece:Pe4 piece:Pc4 not piece:P@d not piece:p@c)",
    "at(material:KRPvKR)",
    "at(check ply:1..20)",
    "at(mate)",
    "at(diff:3..9 for:6)",
    "not at(piece:P@h)",
    "at(piece:Ph4) then at(piece:ph5) then at(piece:Pg4)",
    "at(piece:Pe4) next at(piece:pe5) next at(piece:Nf3)",
    "played:Nf3",
    "played:O-O-O",
    "path:Nb1-c3-d5",
    "path:Nb1-?-?-g3",
    "white:k at(piece:Nd5)",
    "(eco:B or eco:A) at(piece:Ng5 piece:kg8)",
    "not result:1-0 piece:Nf5",
    "move>=60",
];

/// A file to which games are converted.
struct Form {
    name: &'static str,
    layout: ScdbLayout,
    /// How the queries begin that its format, which tells less than PGN, cannot answer.
    lacks: &'static [&'static str],
}

const fn form(name: &'static str, layout: ScdbLayout, lacks: &'static [&'static str]) -> Form {
    Form {
        name,
        layout,
        lacks,
    }
}

/// Other tags have no place there, nor has the day on which an event began; a round is one
/// number.
const SCDB_LACKS: &[&str] = &["eventdate", "round", "tag."];

const SI4: Form = form("scid.si4", ScdbLayout::Reference, &["eventdate"]);
const CBH: Form = form("chessbase.cbh", ScdbLayout::Reference, &[]);
const PGN: Form = form("games.pgn", ScdbLayout::Reference, &[]);
const SI5: Form = form("scid.si5", ScdbLayout::Reference, &[]);
const DCI: Form = form("usual.dci", ScdbLayout::Reference, SCDB_LACKS);
const DCI_1_1: Form = form("described.dci", ScdbLayout::Described, SCDB_LACKS);

/// Nothing but moves, scores and results.
const BINPACK: Form = form("training.binpack", ScdbLayout::Reference, BINPACK_LACKS);
const BINPACK_LACKS: &[&str] = &[
    "player",
    "white:",
    "(eco",
    "year",
    "elo",
    "text",
    "tag.",
    "nags",
    "start:custom variations",
];

const VF: Form = form("training.vf", ScdbLayout::Reference, BINPACK_LACKS);

const EVERY_FORM: &[Form] = &[SI4, CBH, PGN, SI5, DCI, DCI_1_1];

impl Form {
    /// Tells whether the format holds what is asked for.
    fn can_tell(&self, query: &str) -> bool {
        !self.lacks.iter().any(|clause| query.starts_with(clause))
    }

    /// Converts games to this form, none of which may be passed over, and opens them.
    fn made_of(&self, source: &Path, folder: &Path) -> Database {
        let path = folder.join(self.name);
        let done = convert(source, &path, self.layout);
        assert_eq!(done.skipped, 0, "{:?}", done.skipped_games);
        Database::open(path).expect("it can be opened")
    }
}

fn convert(source: &Path, target: &Path, layout: ScdbLayout) -> Conversion {
    let mut options = ConvertOptions::default();
    options = options.layout(layout);
    let go_on = &mut |_| Flow::Continue(());
    tabiya::convert(&[source.into()], target, options, go_on).expect("it can be converted")
}

fn run(database: &Database, search: &Search<'_>, threads: usize) -> Matches {
    let found = THREADS[threads - 1].install(|| search.run(database));
    found.expect("the search runs")
}

fn found(database: &Database, search: &Search<'_>, threads: usize) -> Vec<Match> {
    let found = run(database, search, threads);
    assert_eq!(found.report().damaged, 0);
    found.into_parts().0
}

/// The numbers of texts among the games, from 0.
fn texts(database: &Database) -> BTreeSet<u32> {
    const RECORD_BYTES: usize = 46;
    const TEXT: u8 = 1 << 1;
    if database.kind() != FormatKind::ChessBase {
        return BTreeSet::new();
    }
    let index = fs::read(database.path()).unwrap();
    let records = index.chunks_exact(RECORD_BYTES).skip(1).zip(0..);
    let texts = records.filter(|(record, _)| record[0] & TEXT != 0);
    texts.map(|(_, number)| number).collect()
}

/// Puts queries to a database and to its games, by way of PGN, in other forms. Returns how many
/// queries found something.
fn same_in_other_forms(
    source: &Path,
    forms: &[Form],
    queries: &[&str],
    ways: &[(Strategy, usize)],
) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let pgn = folder.path().join("between.pgn");
    assert_eq!(convert(source, &pgn, ScdbLayout::Reference).skipped, 0);
    let original = Database::open(source).unwrap();
    let copies = forms.iter().map(|form| form.made_of(&pgn, folder.path()));
    let copies: Vec<Database> = copies.collect();
    // Texts are left out of the copies, and the games after them have lower numbers there.
    let texts = texts(&original);
    let mut fruitful = 0;
    for text in queries {
        let query: Query = text.parse().unwrap_or_else(|fault| panic!("{fault}"));
        let able = forms
            .iter()
            .zip(&copies)
            .filter(|(form, _)| form.can_tell(text));
        let databases: Vec<&Database> = [&original]
            .into_iter()
            .chain(able.map(|(_, copy)| copy))
            .collect();
        let mut is_fruitful = false;
        for variations in [false, true] {
            let search = Search::new(&query).variations(variations);
            let mut want = None;
            for database in &databases {
                for &(way, threads) in ways {
                    let mut have = found(database, &search.clone().strategy(way), threads);
                    if database.path() == original.path() {
                        have.retain(|hit| !texts.contains(&hit.game.0));
                        for hit in &mut have {
                            hit.game.0 -= texts.range(..hit.game.0).count() as u32;
                        }
                    }
                    is_fruitful |= !have.is_empty();
                    let want = want.get_or_insert_with(|| have.clone());
                    let path = database.path().display();
                    assert_eq!(&have, want, "{source:?} {text} {variations} {path} {way:?}");
                }
            }
        }
        fruitful += usize::from(is_fruitful);
    }
    fruitful
}

const EVERY_WAY: [(Strategy, usize); 4] = [
    (Strategy::Auto, 1),
    (Strategy::Auto, 2),
    (Strategy::FullDecode, 1),
    (Strategy::FullDecode, 2),
];

const TWO_WAYS: [(Strategy, usize); 2] = [EVERY_WAY[0], EVERY_WAY[3]];

/// Asks a shared ChessBase database and its games in other forms.
fn chessbase(part: &str, forms: &[Form], queries: &[&str], ways: &[(Strategy, usize)]) {
    if let Some(index) = shared::path(&format!("data/chessbase/{part}.cbh")) {
        same_in_other_forms(&index, forms, queries, ways);
    }
}

#[test]
fn famous_games_give_the_same_in_every_format() {
    let pgn = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn");
    for (queries, fruitful) in [(ABOUT_HEADERS, 26), (ABOUT_POSITIONS, 23)] {
        let found = same_in_other_forms(&pgn, EVERY_FORM, queries, &TWO_WAYS);
        assert_eq!(found, fruitful);
    }
}

#[test]
fn annotated_games_give_the_same_in_every_format() {
    for queries in [ABOUT_HEADERS, ABOUT_POSITIONS] {
        let some: Vec<&str> = queries.iter().copied().step_by(4).collect();
        chessbase("hedgehog/Hedgehog", &[SI4, CBH], queries, &TWO_WAYS);
        chessbase("hedgehog/Hedgehog", EVERY_FORM, &some, &TWO_WAYS[..1]);
    }
}

#[test]
fn a_few_odd_games_give_the_same_in_every_format_by_every_way() {
    for part in [
        "cbhlib_test/cbhlib_test",
        "test-annotations/test-annotations",
        "Mate2/Mate2",
        "text/text",
    ] {
        chessbase(part, EVERY_FORM, ABOUT_HEADERS, &EVERY_WAY);
        chessbase(part, EVERY_FORM, ABOUT_POSITIONS, &EVERY_WAY);
    }
}

#[test]
fn games_of_a_tournament_give_the_same_in_scids_and_chessbases_formats() {
    chessbase("linares/linares", &[SI4, CBH], ABOUT_HEADERS, &TWO_WAYS);
    chessbase("linares/linares", &[SI4, CBH], ABOUT_POSITIONS, &TWO_WAYS);
}

#[test]
fn thousands_of_games_without_annotations_give_the_same_in_scids_and_chessbases_formats() {
    let ways = [(Strategy::Auto, 2), (Strategy::FullDecode, 2)];
    let some: Vec<&str> = ABOUT_POSITIONS.iter().copied().step_by(3).collect();
    chessbase("twic1134/twic1134", &[SI4, CBH], &some, &ways);
    chessbase(
        "twic1134/twic1134",
        &[SI4, CBH],
        &ABOUT_HEADERS[..14],
        &ways[..1],
    );
}

/// Training data holds only moves, scores and results.
#[test]
fn games_of_chessbase_2_give_the_same_in_scids_and_chessbases_formats() {
    let ways = [(Strategy::Auto, 2), (Strategy::FullDecode, 2)];
    let some = |queries: &[&'static str], step| -> Vec<&str> {
        queries.iter().copied().step_by(step).collect()
    };
    if let Some(index) = shared::packed("2cbh/tiny2/h184/h184.2cbh") {
        same_in_other_forms(&index, &[CBH], ABOUT_HEADERS, &TWO_WAYS);
        same_in_other_forms(&index, &[CBH], ABOUT_POSITIONS, &TWO_WAYS);
    }
    if let Some(index) = shared::packed("2cbh/plain2/plain2.2cbh") {
        same_in_other_forms(&index, &[SI4, CBH], &some(ABOUT_HEADERS, 5), &ways);
        same_in_other_forms(&index, &[SI4, CBH], &some(ABOUT_POSITIONS, 5), &ways);
    }
}

#[test]
fn training_games_give_the_same_in_every_format_that_can_hold_them() {
    let about_records = [
        "result:1-0",
        "plies:20..60",
        "start:custom",
        "start:chess960",
        "flag:promotion",
        "at(R=2 r=1 P=3..5)",
        "at(material:KQvK flip)",
        "path:Ng1-?-?-d5",
    ];
    let about_positions = ABOUT_POSITIONS.iter().copied().step_by(3);
    let queries: Vec<&str> = about_records.into_iter().chain(about_positions).collect();
    for (part, forms) in [
        ("monty/std.binpack", EVERY_FORM),
        ("monty/frc.binpack", &[PGN, SI5, VF]),
        ("training/viri.vf", &[PGN, SI5, VF]),
    ] {
        if let Some(source) = shared::path(&format!("data/{part}")) {
            let found = same_in_other_forms(&source, forms, &queries, &TWO_WAYS);
            assert!(found > 12, "{part}: {found}");
        }
    }
}

/// Returns the matches as they are numbered in a copy that lacks some games.
fn renumbered(hits: Vec<Match>, lacking: &BTreeSet<u32>) -> Vec<Match> {
    let kept = hits
        .into_iter()
        .filter(|hit| !lacking.contains(&hit.game.number_in_part()));
    let renumbered = kept.map(|mut hit| {
        hit.game.0 -= lacking.range(..hit.game.number_in_part()).count() as u32;
        hit
    });
    renumbered.collect()
}

/// Converts games to a form that lacks some of them, and returns the numbers of those.
fn made_without_some(source: &Path, form: &Form, folder: &Path) -> (Database, BTreeSet<u32>) {
    let path = folder.join(form.name);
    let done = convert(source, &path, form.layout);
    let lacking: BTreeSet<u32> = done.skipped_games.iter().filter_map(Error::game).collect();
    assert_eq!(lacking.len() as u64, done.skipped);
    (Database::open(path).unwrap(), lacking)
}

/// Puts queries to a database and to copies that lack some of its games. At most one game of the
/// original is damaged.
fn same_in_forms_without_some(source: &Path, copies: &[(Form, usize)], queries: &[&str]) {
    let folder = tempfile::tempdir().unwrap();
    let original = Database::open(source).unwrap();
    let made = copies.iter().map(|(form, lacking)| {
        let (database, missing) = made_without_some(source, form, folder.path());
        assert_eq!(missing.len(), *lacking, "{}", form.name);
        (form, database, missing)
    });
    let made: Vec<_> = made.collect();
    for text in queries {
        let query: Query = text.parse().unwrap();
        for (way, variations) in [(Strategy::Auto, false), (Strategy::FullDecode, true)] {
            let search = Search::new(&query).strategy(way).variations(variations);
            let of_original = run(&original, &search, 2);
            assert!(of_original.report().damaged <= 1, "{text}");
            let of_original = of_original.into_parts().0;
            assert!(!of_original.is_empty(), "{text}");
            for (form, copy, lacking) in made.iter().filter(|(form, ..)| form.can_tell(text)) {
                let have = found(copy, &search.clone().strategy(Strategy::Auto), 2);
                // Training data has no variations.
                let of_main_lines = form.name == BINPACK.name && variations;
                if !of_main_lines {
                    let want = renumbered(of_original.clone(), lacking);
                    assert_eq!(have, want, "{text} {} {way:?}", copy.kind());
                }
            }
        }
    }
}

/// One game has a third knight of one side, which no program can read; `.si4` and `.dci` cannot
/// hold the games of Chess960, and `.binpack` those without a result.
#[test]
fn games_of_jose_give_the_same_in_every_format() {
    if let Some(source) = shared::path("data/jose/lab.jose") {
        // ChessBase has no place for titles.
        let cbh = form(CBH.name, CBH.layout, &["tag.WhiteTitle"]);
        let forms = [
            (SI4, 91),
            (SI5, 1),
            (DCI, 91),
            (cbh, 1),
            (PGN, 1),
            (BINPACK, 4),
        ];
        same_in_forms_without_some(&source, &forms, ABOUT_JOSE);
    }
}

#[test]
fn famous_games_give_the_same_as_training_data() {
    let pgn = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/famous.pgn");
    let moves_alone = ABOUT_POSITIONS.iter().filter(|text| BINPACK.can_tell(text));
    let found_some = moves_alone.copied().filter(|text| {
        let query: Query = text.parse().unwrap();
        let search = Search::new(&query).strategy(Strategy::FullDecode);
        !found(&Database::open(&pgn).unwrap(), &search, 1).is_empty()
    });
    let queries: Vec<&str> = ["result:1-0", "plies:20..60"]
        .into_iter()
        .chain(found_some)
        .collect();
    assert!(queries.len() > 15);
    same_in_forms_without_some(&pgn, &[(BINPACK, 0)], &queries);
}

/// Answers that Scid gave about its own databases.
#[test]
fn recorded_answers_hold_for_the_same_games_in_other_formats() {
    for (name, form) in [("res", CBH), ("edge", CBH), ("res", PGN)] {
        if let Some(scid) = shared::path(&format!("data/{}", path_of(name))) {
            let folder = tempfile::tempdir().unwrap();
            let database = form.made_of(&scid, folder.path());
            assert!(recorded_answers_are_given(name, &database, |_| true) > 40);
        }
    }
}
