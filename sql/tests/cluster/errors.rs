//! What a client says if a query cannot run: once, where, and what to do.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::Duration,
};

use datafusion::{error::DataFusionError, physical_plan::collect};
use tabiya_sql::{Base, Session};

use crate::processes::{Cluster, PROGRAM, Process, free_address, here, many, wait_until};

const COUNT: &str = "select count(*) from moves";

/// A cluster with one executor, so that its address is known.
fn one_executor(folder: &Path) -> Cluster {
    let mut cluster = Cluster::without_executors();
    cluster.add_executor(folder);
    cluster.wait_for_executors();
    cluster
}

fn told(what: &str) -> String {
    format!("tabiya-sql: error: {what}\n")
}

/// Runs a query over a database to which something happens after the query was planned.
fn asked_after(cluster: &Cluster, path: &Path, happens: impl FnOnce()) -> String {
    let base = Base::open(path).unwrap();
    let wait = Duration::from_secs(60);
    let session = Session::on_cluster(vec![base], &cluster.address, wait).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let rows = runtime.block_on(async {
        let frame = session.sql(COUNT).await.unwrap();
        let context = Arc::new(frame.task_ctx());
        let plan = frame.create_physical_plan().await.unwrap();
        happens();
        collect(plan, context).await
    });
    match rows.unwrap_err().find_root() {
        DataFusionError::Execution(message) => message.clone(),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_file_that_an_executor_misses_is_told_once() {
    let folder = many(1);
    let path = folder.path().canonicalize().unwrap();
    let cluster = one_executor(&path);
    let index = path.join("000.si4");
    let message = asked_after(&cluster, &index, || {
        fs::remove_file(path.join("000.sg4")).unwrap();
    });
    let executor = &cluster.executors[0].address;
    let expected = format!(
        "{}: the moves of a game needs the file 000.sg4, which is missing (executor {executor})",
        index.display()
    );
    assert_eq!(message, expected);
}

#[test]
fn another_number_of_games_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().canonicalize().unwrap().join("a.pgn");
    let game = "[White \"A\"]\n\n1. e4 e5 *\n\n";
    fs::write(&path, game.repeat(2)).unwrap();
    let cluster = one_executor(folder.path());
    let message = asked_after(&cluster, &path, || {
        fs::remove_file(&path).unwrap();
        fs::write(&path, game.repeat(3)).unwrap();
    });
    let executor = &cluster.executors[0].address;
    let expected = format!(
        "{}: 3 games here, 2 when the query was planned; give client and executors the same file, \
         and ask again (executor {executor})",
        path.display()
    );
    assert_eq!(message, expected);
}

#[test]
fn a_file_outside_of_the_folders_is_told_once() {
    let (folder, other) = (many(1), many(1));
    let cluster = one_executor(folder.path());
    let path = other.path().canonicalize().unwrap().join("000.si4");
    let executor = &cluster.executors[0].address;
    let expected = told(&format!(
        "{}: not below a folder that may be read here; start the executor with its folder \
         (executor {executor})",
        path.display()
    ));
    assert_eq!(
        cluster.error(&[path.to_str().unwrap(), "-c", COUNT]),
        expected
    );
}

#[test]
fn a_query_that_names_a_file_is_told_once() {
    let folder = many(1);
    let cluster = one_executor(folder.path());
    let path = folder.path().join("000.si4");
    let path = path.to_str().unwrap();
    let refusal = "repertoire:\"/etc/passwd\": on a cluster, a query names no files; ask without \
                   --cluster";
    let statement = "select count(*) from games(query => 'repertoire:\"/etc/passwd\"')";
    assert_eq!(cluster.error(&[path, "-c", statement]), told(refusal));
    let statement =
        "select count(*) from games where matches(db, game, 'repertoire:\"/etc/passwd\"')";
    let executor = &cluster.executors[0].address;
    let expected = told(&format!("{refusal} (executor {executor})"));
    assert_eq!(cluster.error(&[path, "-c", statement]), expected);
}

#[test]
fn faults_of_sql_are_told_as_by_one_process() {
    let folder = many(1);
    let cluster = one_executor(folder.path());
    let path = folder.path().join("000.si4");
    let path = path.to_str().unwrap();
    for statement in [
        "select nope from games",
        "select from where",
        "select game from nope",
    ] {
        let one = Command::new(PROGRAM)
            .args([path, "-c", statement])
            .output()
            .unwrap();
        let one = String::from_utf8(one.stderr).unwrap();
        assert_eq!(cluster.error(&[path, "-c", statement]), one);
    }
    // Only rows show this fault.
    let statement = "select game / (plies - plies) from games";
    let executor = &cluster.executors[0].address;
    let expected = told(&format!("Divide by zero error (executor {executor})"));
    assert_eq!(cluster.error(&[path, "-c", statement]), expected);
}

#[test]
fn a_scheduler_that_is_not_there_is_told_once() {
    let address = free_address();
    let arguments = ["../fixtures/famous.si4", "--cluster", &address, "-c", COUNT];
    let output = Command::new(PROGRAM).args(arguments).output().unwrap();
    let expected = told(&format!(
        "there is no scheduler at {address} (Connection refused (os error 111)); start \
         `tabiya-sql scheduler --listen {address}`, or name another"
    ));
    assert_eq!(String::from_utf8_lossy(&output.stderr), expected);
    assert_eq!(output.status.code(), Some(2));
}

/// What a client warns of at once that waits for an executor.
fn waiting(address: &str, seconds: u64) -> String {
    format!(
        "tabiya-sql: warn: the scheduler at {address} has no executor; waiting up to {seconds} s \
         for one (start `tabiya-sql executor --scheduler {address} FOLDER`)\n"
    )
}

#[test]
fn a_query_waits_for_an_executor_and_warns_at_once() {
    let folder = many(1);
    let mut cluster = Cluster::without_executors();
    let path = folder.path().join("000.si4");
    let arguments = [path.to_str().unwrap(), "-c", COUNT];
    let (mut client, rows) = cluster.start_client(&[&["--wait", "86400"], &arguments[..]].concat());
    let warning = waiting(&cluster.address, 86400);
    wait_until(|| client.errors() == warning);
    assert!(!client.has_ended());
    cluster.add_executor(folder.path());
    assert_eq!(client.end(), Some(0), "{}", client.errors());
    assert_eq!(fs::read_to_string(rows).unwrap(), here(&arguments));
    assert_eq!(client.errors(), warning);
}

#[test]
fn a_query_without_executors_ends_after_the_wait() {
    let cluster = Cluster::without_executors();
    let errors = cluster.error(&["../fixtures/famous.si4", "--wait", "1", "-c", COUNT]);
    let address = &cluster.address;
    let error = told(&format!(
        "the scheduler at {address} has had no executor for 1 s; start `tabiya-sql executor \
         --scheduler {address} FOLDER`, or wait longer with --wait SECONDS"
    ));
    assert_eq!(errors, waiting(address, 1) + &error);
}

/// Starts a query, and kills all executors when it has begun.
fn lose_all(cluster: &mut Cluster, arguments: &[&str]) -> (Process, PathBuf) {
    let tasks = |cluster: &Cluster| {
        let tasks = cluster
            .executors
            .iter()
            .map(|executor| executor.tasks().len());
        tasks.sum::<usize>()
    };
    let known = tasks(cluster);
    let (mut client, rows) = cluster.start_client(arguments);
    wait_until(|| client.has_ended() || tasks(cluster) > known);
    cluster.executors.clear();
    (client, rows)
}

#[test]
fn a_query_ends_if_all_executors_are_lost_and_none_comes() {
    let folder = many(150);
    let all = folder.path().join("*.si4");
    let query = format!("select count(distinct fen) from moves('{}')", all.display());
    let mut cluster = Cluster::start(folder.path());
    let (mut client, _) = lose_all(&mut cluster, &["--wait", "1", "-c", &query]);
    while client.end() == Some(0) {
        // It was faster than this test.
        cluster.add_executor(folder.path());
        (client, _) = lose_all(&mut cluster, &["--wait", "1", "-c", &query]);
    }
    assert_eq!(client.end(), Some(2), "{}", client.errors());
    let errors = client.errors();
    assert!(errors.contains(&waiting(&cluster.address, 1)), "{errors}");
    assert!(errors.contains("has had no executor for 1 s"), "{errors}");
}

#[test]
fn a_query_waits_for_an_executor_when_all_were_lost() {
    let folder = many(150);
    let all = folder.path().join("*.si4");
    let query = format!(
        "select count(distinct fen) as n from moves('{}')",
        all.display()
    );
    let mut cluster = Cluster::start(folder.path());
    let warning = waiting(&cluster.address, 86400);
    let arguments = ["--wait", "86400", "-c", &query];
    loop {
        let (mut client, rows) = lose_all(&mut cluster, &arguments);
        wait_until(|| client.has_ended() || client.errors().contains(&warning));
        let has_waited = !client.has_ended();
        cluster.add_executor(folder.path());
        assert_eq!(client.end(), Some(0), "{}", client.errors());
        assert_eq!(fs::read_to_string(rows).unwrap(), here(&["-c", &query]));
        if has_waited {
            break;
        }
    }
}

#[test]
fn an_address_that_is_taken_is_told_once() {
    let folder = many(1);
    let cluster = Cluster::without_executors();
    let taken = &cluster.address;
    let folder = folder.path().to_str().unwrap();
    let executor = ["executor", "--scheduler", taken, "--listen", taken, folder];
    for arguments in [&["scheduler", "--listen", taken][..], &executor] {
        let output = Command::new(PROGRAM).args(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{errors}");
        let expected = told(&format!(
            "{taken}: Address already in use (os error 98); name another address of this machine \
             with --listen HOST:PORT"
        ));
        assert!(errors.ends_with(&expected), "{errors}");
    }
}

#[test]
fn an_executor_waits_for_its_scheduler() {
    let folder = many(1);
    let path = folder.path().join("000.si4");
    let mut cluster = Cluster::absent();
    cluster.add_executor(folder.path());
    let absent = format!("there is no scheduler at {}", cluster.address);
    wait_until(|| cluster.executors[0].process.errors().contains(&absent));
    cluster.start_scheduler();
    let arguments = [path.to_str().unwrap(), "-c", COUNT];
    assert_eq!(cluster.rows(&arguments), here(&arguments));
    let errors = cluster.executors[0].process.errors();
    assert_eq!(errors.matches(&absent).count(), 1, "{errors}");
}
