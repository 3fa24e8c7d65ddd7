//! A cluster of processes gives the rows of one process, whatever dies.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "cluster/errors.rs"]
mod errors;
#[path = "cluster/losses.rs"]
mod losses;
#[path = "cluster/processes.rs"]
mod processes;

use std::{fs, process::Command};

use processes::{Cluster, PROGRAM, free_address, here, many, stdout};

/// What people ask of tables of games: every kind of operator, and each of our functions.
const QUERIES: [&str; 21] = [
    "select count(*), count(white_elo), min(date), max(year), sum(plies) from games",
    "select eco, count(*) as n from games group by eco order by n desc, eco",
    "select db, game, white, black from games where result = '1-0' and year < 1900 \
     order by db, game",
    "select white, black from games where white like 'F%' or black in ('Kasparov, Garry') \
     order by white, black limit 20 offset 3",
    "select year, count(*) from games group by year having count(*) > 5 order by year nulls first",
    "select distinct result from games where eco between 'B00' and 'C99' order by result",
    "select san, count(*) as n from moves where ply = 1 group by san order by n desc, san",
    "select m.san, count(*) as n from moves m join games g on m.db = g.db and m.game = g.game \
     where g.eco = 'C33' group by m.san order by n desc, m.san limit 10",
    "select g.game, max(m.ply) as last from games g left join moves m on g.db = m.db and \
     g.game = m.game and m.san like '%#' group by g.game order by g.game",
    "select game from games where plies = (select max(plies) from games) order by db, game",
    "select distinct white from games g where exists (select 1 from moves m where m.db = g.db \
     and m.game = g.game and m.san = 'O-O-O') order by white",
    "select white from games where game not in (select game from tags where tag = 'ECO') \
     order by white",
    "select event, white, row_number() over (partition by event order by date, white, game, db) \
     as place from games order by event, place, white limit 50",
    "with wins as (select white as name from games where result = '1-0' union all \
     select black from games where result = '0-1') \
     select name, count(*) as n from wins group by name order by n desc, name",
    "select case when plies < 40 then 'short' else 'long' end as kind, count(*), \
     count(distinct white) from games group by kind order by kind",
    "select tag, count(distinct value) from tags group by tag order by tag",
    "select db, count(*) from games where matches(db, game, 'at(check)') or white > black \
     group by db order by db",
    "select count(*), min(match_ply) from games(query => 'at(check stm:b)') \
     where plies > 30",
    "select san, games, white, draws, black from tree(moves => 'e4 e5') order by games desc, san",
    "select line, games, average_elo from lines(depth => 4, min_games => 10) \
     order by games desc, line",
    "select fen, games from positions('rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1')",
];

#[test]
fn queries_give_the_rows_of_one_process() {
    let folder = many(5);
    let cluster = Cluster::start(folder.path());
    let databases: Vec<String> = (0..5)
        .map(|copy| folder.path().join(format!("{copy:03}.si4")))
        .map(|path| path.to_str().unwrap().to_owned())
        .collect();
    let mut arguments: Vec<&str> = databases.iter().map(String::as_str).collect();
    arguments.push("-c");
    for query in QUERIES {
        arguments.push(query);
        let expected = here(&arguments);
        assert!(expected.lines().count() > 1, "{query}: no rows");
        assert_eq!(cluster.rows(&arguments), expected, "{query}");
        arguments.pop();
    }
    for query in [
        "select count(*) from games where db = 'nope'",
        "select game from games where db = 'nope'",
        "select count(*) from games g join moves m on g.game = m.game where g.db = 'nope'",
        "select sum(game) from games where game in (1, 2) limit 1",
        "select 1",
    ] {
        arguments.push(query);
        assert_eq!(cluster.rows(&arguments), here(&arguments), "{query}");
        arguments.pop();
    }
    arguments.push("explain analyze select count(*) from moves");
    let plan = cluster.rows(&arguments);
    assert!(
        plan.contains("ClusterQuery") && plan.contains("ChessScan"),
        "{plan}"
    );
    arguments.pop();
    arguments.push("explain select count(*) from games where eco = 'C33'");
    let plan = cluster.rows(&arguments);
    assert!(plan.contains("000=[eco:C33]"), "{plan}");
}

#[test]
fn joins_of_unequal_values_give_each_row_once() {
    let folder = many(3);
    let cluster = Cluster::start(folder.path());
    let all = folder.path().join("*.si4").display().to_string();
    for query in [
        "select g.db, g.game, o.year from games('{}') g left join games('{}') o \
         on g.plies + 150 < o.plies order by g.db, g.game, o.db, o.game",
        "select g.db, g.game, o.year from games('{}') g full join games('{}') o \
         on g.plies + 150 < o.plies order by g.db, g.game, o.db, o.game",
        "select g.game, m.san from games('{}') g full join \
         (select * from moves('{}') where ply = 3 and san like 'N%') m \
         on g.db = m.db and g.game = m.game order by g.db, g.game, m.san",
        "select count(*), sum(g.game) from games('{}') g where not exists \
         (select 1 from games('{}') o where o.plies > g.plies)",
    ] {
        let query = query.replace("{}", &all);
        let arguments = ["-c", &query];
        let expected = here(&arguments);
        assert!(expected.lines().count() > 1, "{query}: no rows");
        assert_eq!(cluster.rows(&arguments), expected, "{query}");
    }
}

#[test]
fn a_file_that_is_missing_or_changed_at_an_executor_is_an_error_with_its_path() {
    let folder = many(1);
    let cluster = Cluster::start(folder.path());
    let path = folder.path().join("000.si4");
    let arguments = [path.to_str().unwrap(), "-c", "select count(*) from moves"];
    assert_eq!(cluster.rows(&arguments), here(&arguments));
    // Executors have it open now. Games are lost, but not their number.
    let games = folder.path().join("000.sg4");
    let bytes = fs::read(&games).unwrap();
    fs::remove_file(&games).unwrap();
    fs::write(&games, &bytes[..bytes.len() / 2]).unwrap();
    assert_eq!(cluster.rows(&arguments), here(&arguments));
    fs::write(&games, &bytes).unwrap();
    assert_eq!(cluster.rows(&arguments), here(&arguments));
    // The client's own session sees another folder than executors do.
    let elsewhere = many(2);
    let path = elsewhere.path().join("001.si4");
    let arguments = [path.to_str().unwrap(), "-c", "select count(*) from moves"];
    let output = cluster.client(&arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("001.si4"), "{errors}");
}

#[test]
fn queries_that_name_files_are_refused() {
    let folder = many(1);
    let cluster = Cluster::start(folder.path());
    let path = folder.path().join("000.si4");
    for statement in [
        "select count(*) from games(query => 'repertoire:\"/etc/passwd\"')",
        "select count(*) from games where matches(db, game, 'repertoire:\"/etc/passwd\"')",
    ] {
        let arguments = [path.to_str().unwrap(), "-c", statement];
        let output = cluster.client(&arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{statement}: {errors}");
        assert!(errors.contains("names no files"), "{statement}: {errors}");
    }
}

#[test]
fn an_executor_says_which_file_it_may_not_read() {
    let (folder, other) = (many(1), many(1));
    let cluster = Cluster::start(folder.path());
    let path = other.path().join("000.si4");
    let arguments = [path.to_str().unwrap(), "-c", "select count(*) from moves"];
    let output = cluster.client(&arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains("000.si4"), "{errors}");
    assert!(
        errors.contains("not below a folder that may be read"),
        "{errors}"
    );
}

#[test]
fn an_executor_reads_and_writes_no_other_files_for_a_plan() {
    let (folder, other) = (many(1), tempfile::tempdir().unwrap());
    let cluster = Cluster::start(folder.path());
    let database = folder.path().join("000.si4");
    for (place, is_allowed) in [(folder.path(), true), (other.path(), false)] {
        let file = place.join("eco.csv");
        fs::write(&file, "eco,name\nC33,gambit\n").unwrap();
        let select = format!(
            "select count(*) as n from games g join '{}' e on g.eco = e.eco",
            file.display()
        );
        let arguments = [database.to_str().unwrap(), "-c", &select];
        let output = cluster.client(&arguments).output().unwrap();
        if is_allowed {
            assert_eq!(stdout(&output), here(&arguments));
        } else {
            let errors = String::from_utf8_lossy(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{errors}");
            assert!(errors.contains("eco.csv: not below a folder"), "{errors}");
        }
    }
}

#[test]
fn a_cluster_that_is_not_there_is_an_error_with_its_address() {
    let address = free_address();
    let arguments = ["../fixtures/famous.si4", "--cluster", &address];
    let mut command = Command::new(PROGRAM);
    let select = ["-c", "select count(*) from games"];
    let output = command.args(arguments).args(select).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{errors}");
    assert!(errors.contains(&address), "{errors}");
}

#[test]
fn a_copy_is_written_where_it_was_asked_for() {
    let folder = many(2);
    let cluster = Cluster::start(folder.path());
    let out = tempfile::tempdir().unwrap();
    let file = out.path().join("x.parquet");
    let all = folder.path().join("*.si4");
    let copy = format!(
        "copy (select db, game, san from moves('{}')) to '{}'",
        all.display(),
        file.display()
    );
    cluster.rows(&["-c", &copy]);
    let count = format!("select count(*) as n from '{}'", file.display());
    let same = format!("select count(*) as n from moves('{}')", all.display());
    assert_eq!(here(&["-c", &count]), here(&["-c", &same]));
}
