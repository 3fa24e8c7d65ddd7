//! The tables beside `games`: plies that are pushed down, tags by name, glyphs and variations; and
//! the page of the book that lists all columns.

use std::{collections::BTreeMap, env, fmt::Write as _, fs, path::Path};

use datafusion::{
    arrow::array::AsArray as _,
    arrow::datatypes::{Int32Type, Int64Type},
    arrow::util::pretty::pretty_format_batches,
    physical_plan::displayable,
};
use fastrand::Rng;
use shakmaty::Move;
use tabiya::{Database, Diagram, Flow, GameId, LineEnd, chess::MoveId, format::Visitor};
use tabiya_sql::{Base, Session, reference};

use super::{Values, databases, rows};

/// Games of a database whose other tables are read whole for a random statement.
const GAMES_MAX: u32 = 150;

/// Returns a statement with a random condition that gives numbers: of games, or of rows of another
/// table if the database is small.
pub(super) fn statement(values: &Values, games: u32, dice: &mut Rng) -> String {
    if games > GAMES_MAX || dice.u8(..10) < 6 {
        let condition = values.condition(dice, 3);
        return format!("select game from games where {condition}");
    }
    let (table, number) = match dice.u8(..8) {
        0 => ("nags", "ply * 1000 + nag"),
        1 => ("variations", "ply * 1000 + variation"),
        2 => ("tags", "length(value)"),
        _ => ("moves", "ply"),
    };
    let condition = row_condition(table, games, dice, 3);
    format!("select game * 1000000 + {number} from {table} where {condition}")
}

/// Returns a random condition on rows of a table.
fn row_condition(table: &str, games: u32, dice: &mut Rng, depth: usize) -> String {
    if depth > 0 && dice.u8(..100) < 55 {
        let one = row_condition(table, games, dice, depth - 1);
        let kind = dice.u8(..3);
        if kind == 0 {
            return format!("not ({one})");
        }
        let word = if kind == 1 { "and" } else { "or" };
        let other = row_condition(table, games, dice, depth - 1);
        return format!("({one}) {word} ({other})");
    }
    let not = if dice.bool() { "not " } else { "" };
    let sign = dice.choice(["=", "<>", "<", "<=", ">", ">="]).unwrap();
    let game = dice.u32(..=games + 1);
    let columns: &[&str] = match table {
        "moves" => &["ply", "ply", "ply", "last"],
        "tags" => &["game"],
        "nags" => &["ply", "nag", "variation"],
        _ => &["ply", "parent", "variation"],
    };
    let column = dice.choice(columns).unwrap();
    let mut value = || match dice.u8(..12) {
        0 => "null".to_owned(),
        1 => "-1".to_owned(),
        2 => "5000000000".to_owned(),
        3 => "2.5".to_owned(),
        _ => dice.u8(..70).to_string(),
    };
    let (one, other) = (value(), value());
    match dice.u8(..10) {
        0 | 1 => format!("{column} {sign} {one}"),
        2 => format!("{one} {sign} {column}"),
        3 => format!("{column} {not}between {one} and {other}"),
        4 => format!("{column} {not}in ({one}, {other})"),
        5 => format!("{column} is {not}null"),
        6 | 7 if table == "moves" => format!("ply {sign} last"),
        8 if table == "moves" => format!("last {sign} ply or san = 'O-O'"),
        8 => format!("{not}tag('Result') = '1-0'"),
        _ => format!("game {sign} {game}"),
    }
}

async fn plan(session: &Session, text: &str) -> String {
    let plan = session.sql(text).await.unwrap();
    let plan = plan.create_physical_plan().await.unwrap();
    displayable(plan.as_ref()).indent(false).to_string()
}

async fn printed(session: &Session, text: &str) -> String {
    let table = pretty_format_batches(&rows(session, text).await).unwrap();
    table.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn plans_tell_the_plies_that_are_written() {
    let base = Base::open("../fixtures/famous.si4".as_ref()).unwrap();
    let session = Session::new(vec![base]).unwrap();
    for (condition, told) in [
        ("ply <= 20", "plies=1..20"),
        ("ply between 5 and 9 and san = 'O-O'", "plies=5..9"),
        ("ply in (3, 8)", "plies=3..8"),
        ("ply = last", "plies=last"),
        ("ply = 1 or last = ply", "plies=1..1,last"),
        ("not (ply > 20 or ply < 3)", "plies=3..20"),
    ] {
        let plan = plan(
            &session,
            &format!("select san, fen from moves where {condition}"),
        )
        .await;
        assert!(plan.contains(told), "{condition}: {plan}");
    }
    let all = plan(
        &session,
        "select san from moves where san = 'O-O' or ply < 3",
    )
    .await;
    assert!(!all.contains("plies="), "{all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_last_move_of_a_damaged_game_is_that_before_the_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    let games = "[White \"a\"]\n\n1. e4 e5 2. Qh5 Ke7 3. Qxe5# *\n\n\
                 [White \"b\"]\n\n1. e4 e5 2. Ke5 Nf6 *\n\n[White \"c\"]\n\n*\n";
    fs::write(&path, games).unwrap();
    let base = Base::open(&path).unwrap();
    let session = Session::new(vec![base]).unwrap();
    let text = "select game, last, san, uci, fen from moves where ply = last order by game";
    let told = printed(&session, text).await;
    let expected = [
        (
            "1",
            "5",
            "Qxe5#",
            "rnbq1bnr/ppppkppp/8/4Q3/4P3/8/PPPP1PPP/RNB1KBNR b KQ - 0 3",
        ),
        (
            "2",
            "2",
            "e5",
            "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
        ),
    ];
    for (row, (game, last, san, fen)) in told.lines().skip(3).zip(expected) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert_eq!(
            [cells[1], cells[2], cells[3], cells[5]],
            [game, last, san, fen]
        );
    }
    assert_eq!(told.lines().count(), 6, "{told}");
    assert_eq!(session.take_damaged(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tag_by_name_is_its_first_row_in_the_table_of_tags() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for path in databases(folder.path()) {
        let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
        let text = "select game, tag, value, tag(db, game, tag), tag(tag) from tags \
                    where game between 2 and 30";
        let mut first = BTreeMap::new();
        for batch in rows(&session, text).await {
            let game = batch.column(0).as_primitive::<Int64Type>();
            let [tag, value, long, short] =
                [1, 2, 3, 4].map(|column| batch.column(column).as_string_view());
            for row in 0..batch.num_rows() {
                let key = (game.value(row), tag.value(row).to_owned());
                let value = first
                    .entry(key)
                    .or_insert_with(|| value.value(row).to_owned());
                assert_eq!(
                    long.value(row),
                    value,
                    "{}: {}",
                    path.display(),
                    tag.value(row)
                );
                assert_eq!(short.value(row), value, "{}", path.display());
                compared += 1;
            }
        }
        let none = "select count(tag('no such tag')) from games where game < 5";
        assert!(
            printed(&session, none).await.contains("| 0 "),
            "{}",
            path.display()
        );
    }
    assert!(compared > 5000, "{compared}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_short_form_of_tag_is_the_long_one_or_says_what_to_write() {
    let base = Base::open("../fixtures/famous.si4".as_ref()).unwrap();
    let session = Session::new(vec![base]).unwrap();
    for text in [
        "select TAG as t, count(*) from games group by TAG order by t",
        "select game, san from moves where TAG = '1-0' and ply = 1 order by game",
        "select max(TAG) over (partition by white) as m, game from games order by game",
        "select game, (select max(TAG) from tags) as m from games where TAG like '1%' \
         order by game",
    ] {
        let long = text.replace("TAG", "tag(db, game, 'Result')");
        let short = text.replace("TAG", "tag('Result')");
        let (long, short) = (
            printed(&session, &long).await,
            printed(&session, &short).await,
        );
        let body = |table: &str| table.split_once("\n+").unwrap().1.to_owned();
        assert!(
            body(&long) == body(&short) && short.lines().count() > 5,
            "{text}:\n{long}\n{short}"
        );
    }
    for (text, why) in [
        (
            "select tag('ECO') from games join moves using (db, game)",
            "more than one column",
        ),
        ("select tag('ECO') from tree()", "no column db"),
        ("select tag('ECO')", "no column db"),
    ] {
        let error = match session.sql(text).await {
            Ok(frame) => frame.collect().await.unwrap_err(),
            Err(error) => error,
        };
        let error = error.to_string();
        assert!(
            error.contains(why) && error.contains("tag(db, game, 'NAME')"),
            "{text}: {error}"
        );
    }
}

const ANNOTATED: &str = "[White \"a\"]\n\n\
    $10 1. e4 $1 e5 $2 $14 (1... $5 {before} c5 {one} $3 (1... e6 {inner}) {two} 2. Nf3 $4) \
    (1... d5 2. exd5) 2. Nf3 $6 (2. -- Ke7 $7) *\n\n\
    [White \"b\"]\n[FEN \"4k3/8/8/8/8/8/4p3/K7 b - - 0 40\"]\n\n1... e1=Q+ (1... e1=N) 2. Ka2 *\n\n\
    [White \"damaged\"]\n\n1. e4 $1 (1. d4 $2 d5 Ke5) e5 Ke4 $3 *\n";

#[tokio::test(flavor = "multi_thread")]
async fn glyphs_and_variations_have_their_place_and_damage_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    fs::write(&path, ANNOTATED).unwrap();
    let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
    let told = async |text: &str| {
        let mut lines = String::new();
        for line in printed(&session, text).await.lines().skip(3) {
            let cells = line.split('|').map(str::trim);
            let cells: Vec<&str> = cells.collect();
            if cells.len() > 1 {
                let _ = writeln!(lines, "{}", cells[1..cells.len() - 1].join(","));
            }
        }
        lines
    };
    let nags = told("select variation, ply, nag from nags where game = 1").await;
    let expected = ",0,10\n,1,1\n,2,2\n,2,14\n1,1,5\n1,2,3\n1,3,4\n,3,6\n4,4,7\n";
    assert_eq!(nags, expected);
    let columns = "game, variation, parent, ply, move_number, san, uci, comment";
    let text = format!("select {columns} from variations where game < 3");
    let expected = "1,1,,2,1,c5,c7c5,before one two\n\
                    1,2,1,2,1,e6,e7e6,inner\n\
                    1,1,,3,2,Nf3,g1f3,\n\
                    1,3,,2,1,d5,d7d5,\n\
                    1,3,,3,2,exd5,e4d5,\n\
                    1,4,,3,2,--,0000,\n\
                    1,4,,4,2,Ke7,e8e7,\n\
                    2,1,,1,40,e1=N,e2e1n,\n";
    assert_eq!(told(&text).await, expected);
    assert_eq!(session.take_damaged(), 0);
    let damaged = told("select san, fen from variations where game = 3").await;
    assert!(
        damaged.starts_with("d4,rnbqkbnr/pppppppp/8/8/3P4"),
        "{damaged}"
    );
    assert_eq!(session.take_damaged(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn variations_may_be_nested_as_deep_as_any_game_has_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.pgn");
    let depth = 5000;
    let game = format!(
        "[White \"a\"]\n\n1. e4 {}{} *\n",
        "(1. d4 $1 ".repeat(depth),
        ")".repeat(depth)
    );
    fs::write(&path, game).unwrap();
    let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
    for table in ["nags", "variations"] {
        let text = format!("select count(*), max(variation), max(ply) from {table}");
        let told = printed(&session, &text).await;
        assert!(told.contains("| 5000     | 5000"), "{told}");
    }
}

/// Collects which moves of a game are in variations.
#[derive(Default)]
struct Inner {
    told: u32,
    depth: usize,
    moves: Vec<MoveId>,
}

impl Visitor for Inner {
    fn play(&mut self, _: Option<Move>) -> Flow {
        self.told += 1;
        if self.depth > 0 {
            self.moves.extend(MoveId::from_number(self.told));
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth -= 1;
        Flow::Continue(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn moves_of_variations_are_those_of_lines_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let mut compared = 0;
    for path in databases(folder.path()) {
        let database = Database::open(&path).unwrap();
        let session = Session::new(vec![Base::open(&path).unwrap()]).unwrap();
        let text = "select game, ply, san, uci, fen from variations where game <= 12";
        let mut told = Vec::new();
        for batch in rows(&session, text).await {
            let game = batch.column(0).as_primitive::<Int64Type>();
            let ply = batch.column(1).as_primitive::<Int32Type>();
            let texts = [2, 3, 4].map(|column| batch.column(column).as_string_view());
            for row in 0..batch.num_rows() {
                let texts = texts.map(|text| text.value(row).to_owned());
                told.push((game.value(row), ply.value(row), texts));
            }
        }
        let mut expected = Vec::new();
        for game in (0..database.len().min(12)).map(GameId) {
            let mut inner = Inner::default();
            let is_sound = database.visit(game, &mut inner).is_ok();
            for id in inner.moves.into_iter().filter(|_| is_sound) {
                let line = database.line(game, LineEnd::Move(id)).unwrap().unwrap();
                let last = line.moves.last().unwrap();
                let fen = Diagram::new(&line.end).fen();
                let texts = [last.san.clone(), last.uci.clone(), fen];
                expected.push((database.number(game).into(), line.moves.len() as i32, texts));
            }
            if !is_sound {
                let number = i64::from(database.number(game));
                told.retain(|(game, ..)| *game != number);
            }
        }
        told.sort();
        expected.sort();
        assert!(told == expected, "{}", path.display());
        compared += expected.len();
    }
    assert!(compared > 500, "{compared}");
}

#[test]
fn the_page_of_all_columns_is_the_list_in_the_code() {
    let path = Path::new("../docs/book/src/sql-tables.md");
    let page = reference::page();
    if env::var("TABIYA_RENEW").is_ok_and(|value| value == "1") {
        fs::write(path, &page).unwrap();
    }
    let is = fs::read_to_string(path).unwrap();
    for (line, (is, should_be)) in (1..).zip(is.lines().zip(page.lines())) {
        assert_eq!(
            is, should_be,
            "sql-tables.md:{line}; TABIYA_RENEW=1 writes it anew"
        );
    }
    assert_eq!(is, page);
    assert!(!page.contains("](../") && page.matches("\n| `").count() > 70);
    for relation in reference::relations() {
        for column in relation.columns {
            let tells_null = column.meaning.contains("null");
            let (name, meaning) = (column.name, column.meaning);
            assert!(
                tells_null || !column.can_be_null,
                "{}.{name}: {meaning}",
                relation.name
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_is_described_by_a_statement() {
    let session = Session::new(Vec::new()).unwrap();
    for relation in reference::relations() {
        let text = reference::statement(relation.name).unwrap();
        let told = printed(&session, text.trim_end_matches(';')).await;
        for column in relation.columns {
            assert!(
                told.contains(column.name) && told.contains(column.meaning),
                "{told}"
            );
        }
    }
    assert!(reference::statement("nothing").is_none());
}
