//! A long file that is indexed in parts gives the rows of the same games in one file, and a list of
//! databases those of all that it names.

#[path = "../../../tests/it/support/frames.rs"]
mod frames;

use std::{fs, ops::ControlFlow, path::Path, sync::Arc};

use datafusion::arrow::util::pretty::pretty_format_batches;
use tabiya::{OpenOptions, SidecarOptions};
use tabiya_sql::{Base, Session, Table, export::export};

use self::frames::in_frames;
use super::{FAMOUS, rows, run, stdout};

/// Enough games for three parts of three megabytes.
const COPIES: usize = 200;
const DAMAGED: &str = "[White \"last\"]\n\n1. e4 Ke7 *\n\n[White \"none\"]\n\n1. Ke3 *\n";

/// Writes the games as `big.pgn`, and as `packed/big.pgn.zst` with an index in parts; returns both
/// as databases.
fn both(folder: &Path) -> [Vec<Arc<Base>>; 2] {
    let games = fs::read_to_string("../fixtures/famous.pgn").unwrap();
    let text = games.repeat(COPIES) + DAMAGED;
    fs::write(folder.join("big.pgn"), &text).unwrap();
    fs::create_dir(folder.join("packed")).unwrap();
    let packed = folder.join("packed/big.pgn.zst");
    fs::write(&packed, in_frames(text.as_bytes(), 800_000)).unwrap();
    let options = OpenOptions::new().unpacked_bytes_max(100_000);
    let made = SidecarOptions::new()
        .refresh_parts(&packed, &options)
        .unwrap();
    assert_eq!(made.parts, 3);
    let parts = options.open_each(&packed).unwrap();
    let parts = parts.into_iter().map(|part| Arc::new(Base::new(part)));
    let whole = Base::open(&folder.join("big.pgn")).unwrap();
    [vec![whole], parts.collect()]
}

const STATEMENTS: [&str; 16] = [
    "select db, game, white, plies from games where game between 8999 and 9003 order by game",
    "select * from games where game > 18190 order by game",
    "select count(*), sum(plies), min(game), max(game) from games",
    "select count(*) from games where white like 'Morphy%' and game <> 12000",
    "select game from games where not (game < 18000 or result = '1-0') order by game",
    "select db, game, ply, san from moves where game in (1, 9000, 18200, 18201) order by game, ply",
    "select game, max(ply) from moves where game > 18100 group by game order by game",
    "select * from tags where game in (17, 9000, 18200) order by game, tag",
    "select * from tree(moves => 'e4 e5')",
    "select * from lines(moves => 'e4', depth => 4)",
    "select * from positions('rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2')",
    "select sum(cast(matches(db, game, 'mate') as int)), count(*) from games",
    "select matches(db, game, 'mate') as m, max(game) from games group by m order by m",
    "select game from games where matches(db, game, 'number:9000..9001') order by game",
    "select game, match_ply from games('FILE', query => 'at(mate)') order by game",
    "select db, count(*) from games('FILE') group by db",
];

#[tokio::test(flavor = "multi_thread")]
async fn rows_of_parts_are_those_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, parts] = both(folder.path());
    assert_eq!((whole.len(), parts.len()), (1, 3));
    let of_whole = Session::new(whole.clone()).unwrap();
    for pushdown in [true, false] {
        let of_parts = Session::with_pushdown(parts.clone(), pushdown).unwrap();
        for text in STATEMENTS {
            let answer = async |session: &Session, file: &str| {
                let path = folder.path().join(file);
                let text = text.replace("FILE", path.to_str().unwrap());
                let batches = rows(session, &text).await;
                pretty_format_batches(&batches).unwrap().to_string()
            };
            let (one, other) = (
                answer(&of_whole, "big.pgn").await,
                answer(&of_parts, "packed/big.pgn.zst").await,
            );
            assert!(one == other, "{text}:\n{one}\n{other}");
            assert!(one.lines().count() > 4, "{text}: {one}");
        }
        if pushdown {
            assert_eq!(of_whole.take_damaged(), of_parts.take_damaged());
        }
    }
    let go_on = || ControlFlow::Continue(());
    let written = |bases: &[Arc<Base>], name: &str| {
        let target = folder.path().join(name);
        let tables = [Table::Games, Table::Moves];
        export(bases, &tables, false, &target, 2, &go_on).unwrap()
    };
    let (one, other) = (written(&whole, "one"), written(&parts, "other"));
    assert_eq!((other.files, other.rows), (6, one.rows));
}

#[test]
fn a_list_is_all_databases_that_it_names() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.pgn", "b.pgn"] {
        fs::copy("../fixtures/famous.pgn", folder.path().join(name)).unwrap();
    }
    let list = folder.path().join("all.tabiyaset");
    fs::write(&list, "# two\n?.pgn\na.pgn\n").unwrap();
    let list = list.to_str().unwrap();
    let of_list = format!("select db, count(*) from games('{list}') group by db order by db");
    let of_tables = "select db, count(*) from games group by db order by db";
    for arguments in [[FAMOUS, "-c", &of_list], [list, "-c", of_tables]] {
        let told = stdout(&arguments);
        assert!(told.ends_with("\na,91\nb,91\n"), "{told}");
    }
    fs::write(list, "c.pgn\n").unwrap();
    for arguments in [[FAMOUS, "-c", &of_list], [list, "-c", of_tables]] {
        let output = run(&arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        let told = "line 1: the list needs the file c.pgn";
        assert!(
            !output.status.success() && errors.contains(told),
            "{errors}"
        );
    }
}

#[test]
fn what_the_list_of_chessbase_has_elsewhere_is_told_wherever_it_is_named() {
    let folder = tempfile::tempdir().unwrap();
    fs::copy("../fixtures/famous.pgn", folder.path().join("a.pgn")).unwrap();
    let sized = |text: &str| [&(text.len() as u32).to_le_bytes(), text.as_bytes()].concat();
    let item = |path: &str| [vec![0x1e], sized("Name,0,1,1,5,1,1"), sized(path)].concat();
    let shelf = [vec![0xff], sized("Databases")].concat();
    let items = [shelf, item("a.pgn"), item("gone.cbh")].concat();
    let length = (items.len() as u32).to_be_bytes();
    let list = [&[0x0c, 0x0b, 0x0a, 0x0e], &length[..], &items].concat();
    let path = folder.path().join("DBItems.cbini");
    fs::write(&path, list).unwrap();
    let path = path.to_str().unwrap();
    let named = format!("select count(*) from games('{path}')");
    for arguments in [
        vec![path, "-c", "select count(*) from games"],
        vec!["-c", &named],
    ] {
        let output = run(&arguments);
        assert_eq!(output.stdout, b"count(*)\n91\n", "{arguments:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        assert_eq!(told.matches("gone.cbh").count(), 1, "{told}");
    }
}
