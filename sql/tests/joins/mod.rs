//! What one side of a join needs becomes the games that are read of the other; the rows are those
//! of reading all.

use std::sync::Arc;

use datafusion::{arrow::util::pretty::pretty_format_batches, physical_plan::displayable};
use fastrand::Rng;
use tabiya_sql::{Base, Session};

use super::{Values, databases, rows};

/// Joins of all formats together, at least.
const CASES: usize = 250;
/// Joins that a database is asked: the next of the list.
const ASKED: usize = 8;
/// Games of a database whose moves are all read, which other tests do with larger ones.
const GAMES_MAX: u32 = 2000;

/// Statements with a join, in which `CONDITION` is one on games. Each table is the larger side in
/// some; keys are the game, the database and the game, and these with a ply.
const JOINS: [&str; 12] = [
    "select game, ply, san from (select db, game from games where CONDITION) \
     join moves using (db, game)",
    "select m.game, ply from moves m join (select game g from games where CONDITION) \
     on m.game = g and ply > 3",
    "select game, ply, uci from moves join (select db d, game g, match_ply p \
     from games('PATH', query => 'at(check)') where CONDITION) on db = d and game = g and ply = p",
    "select game, ply from moves where game in (select game from games where CONDITION)",
    "select game, tag, value from tags right join \
     (select db, game from games where CONDITION) using (db, game)",
    "select game from games where CONDITION order by game desc limit 7",
    "select game, white from games where game not in (select game from games where CONDITION)",
    "select g, ply from (select game g, plies n from games where CONDITION) left join moves \
     on game = g and ply = n",
    "select game, ply, last, fen from moves join (select db, game from games where CONDITION) \
     using (db, game) where ply = last",
    "select game, ply, fen from (select db d, game g, match_ply p \
     from games('PATH', query => 'at(check)') where CONDITION) join moves \
     on db = d and game = g and ply = p where ply > 10 or ply = last",
    "select game, variation, ply, uci from variations join \
     (select db, game from games where CONDITION) using (db, game)",
    "select game, ply, nag from nags where game in (select game from games where CONDITION)",
];

/// Returns the rows of a statement in an order of their own.
async fn sorted(session: &Session, text: &str) -> Vec<String> {
    let table = pretty_format_batches(&rows(session, text).await).unwrap();
    let mut lines: Vec<String> = table.to_string().lines().map(str::to_owned).collect();
    lines.sort_unstable();
    // The width of a column is that of its longest value, and there is none without rows.
    lines
        .iter_mut()
        .for_each(|line| line.retain(|char| !"-+ ".contains(char)));
    lines.retain(|line| !line.is_empty());
    lines
}

#[tokio::test(flavor = "multi_thread")]
async fn joins_give_the_same_rows_whatever_they_need_of_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = databases(folder.path());
    paths.retain(|path| Base::open(path).unwrap().database().len() <= GAMES_MAX);
    let cases = CASES.div_ceil(paths.len() * ASKED);
    let (mut narrowed, mut some) = (0, 0);
    for (number, path) in (0..).zip(&paths) {
        let base = Base::open(path).unwrap();
        let with = Session::new(vec![Arc::clone(&base)]).unwrap();
        let without = Session::with_pushdown(vec![base], false).unwrap();
        let values = Values::of(&without).await;
        let mut dice = Rng::with_seed(4900 + number);
        let first = number as usize * ASKED;
        for join in JOINS.iter().cycle().skip(first).take(cases * ASKED) {
            let condition = values.condition(&mut dice, 2);
            let text = join.replace("PATH", path.to_str().unwrap());
            let text = text.replace("CONDITION", &format!("({condition})"));
            let (one, other) = (sorted(&with, &text).await, sorted(&without, &text).await);
            assert!(one == other, "{}: {text}", path.display());
            some += usize::from(one.len() > 1);
            let plan = with.sql(&text).await.unwrap();
            let plan = plan.create_physical_plan().await.unwrap();
            let plan = displayable(plan.as_ref()).indent(false).to_string();
            narrowed += usize::from(plan.contains("needed="));
        }
    }
    let all = cases * paths.len() * ASKED;
    assert!(narrowed > all / 2, "{narrowed} of {all}");
    assert!(some > all / 4, "{some} of {all}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_join_reads_the_games_that_its_other_side_has() {
    let base = Base::open("../fixtures/famous.si4".as_ref()).unwrap();
    let session = Session::new(vec![Arc::clone(&base)]).unwrap();
    let read = async |text: &str| {
        let before = base.rows_read();
        rows(&session, text).await;
        base.rows_read() - before
    };
    for keys in ["using (db, game)", "on moves.game = games.game"] {
        let join = format!(
            "select san from moves join games {keys} where white = 'Morphy, Paul' and plies < 50"
        );
        let read = read(&join).await;
        assert!((100..1500).contains(&read), "{keys}: {read} rows");
    }
    let all = "select san from moves join games using (db, game)";
    assert_eq!(read(all).await, 3933 + 91);
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_of_decoded_games_are_the_rows_of_other_tables() {
    let folder = tempfile::tempdir().unwrap();
    let game = "[White \"a\"]\n[WhiteTitle \"GM\"]\n[TimeControl \"180+2\"]\n\n\
                1. e4 e5 2. Qh5 *\n\n\
                [White \"b\"]\n[Termination \"Time forfeit\"]\n\
                [FEN \"8/8/8/8/4k3/8/1Q6/K7 w - - 0 1\"]\n\n\
                1. Qb4+ *\n\n[White \"c\"]\n\n1. e4 Ke7 *\n\n";
    let path = folder.path().join("a.pgn");
    std::fs::write(&path, game).unwrap();
    let bases = [path, "../fixtures/famous.cbh".into()].map(|path| Base::open(&path).unwrap());
    let session = Session::new(bases.to_vec()).unwrap();
    for (column, tag) in [
        ("time_control", "TimeControl"),
        ("termination", "Termination"),
        ("white_title", "WhiteTitle"),
        ("black_title", "BlackTitle"),
    ] {
        let one =
            format!("select db, game, {column} as value from games where {column} is not null");
        let other = format!("select db, game, value from tags where tag = '{tag}'");
        let (one, other) = (sorted(&session, &one).await, sorted(&session, &other).await);
        assert_eq!(one, other, "{column}");
        assert_eq!(one.len() > 1, tag != "BlackTitle", "{column}");
    }
    for query in ["at(check)", "at(mate)", "at(stm:black piece:Pe4)"] {
        let one = format!("select db, game, match_fen as fen from games(query => '{query}')");
        let other = format!(
            "select db, game, fen from games(query => '{query}') join moves using (db, game) \
             where match_ply = ply"
        );
        let (one, other) = (sorted(&session, &one).await, sorted(&session, &other).await);
        assert!(one == other && one.len() > 5, "{query}: {one:?}");
    }
    let start = "select distinct match_fen from games(query => 'at(stm:white)') where db = 'a'";
    let start = sorted(&session, start).await.join("\n");
    assert!(
        start.contains("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"),
        "{start}"
    );
    assert!(start.contains("8/8/8/8/4k3/8/1Q6/K7"), "{start}");
}
