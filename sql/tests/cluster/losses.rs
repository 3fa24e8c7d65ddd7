//! What the loss of executors costs: time and no rows.

use std::{
    collections::BTreeSet,
    env, fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use crate::processes::{Cluster, Executor, Process, here, many, wait_until};

/// Returns a number from the environment, for the long form of a test.
fn number(name: &str, usual: u64) -> u64 {
    let text = env::var(name).ok();
    text.map_or(usual, |text| text.parse().unwrap())
}

/// A query of several stages over all databases of a folder.
const QUERY: &str = "set datafusion.execution.target_partitions = 48; \
    select eco, count(*), sum(m.ply), sum(length(m.san)), count(distinct m.uci) \
    from moves('{all}') m join games('{all}') g on m.db = g.db and m.game = g.game \
    group by eco order by eco";

/// The tasks of one executor that ran again, and those of others that were kept.
fn repeated_and_kept(told: &str) -> Vec<(usize, usize)> {
    let lines = told
        .lines()
        .filter(|line| line.contains("lost tasks run again"));
    let numbers = lines.map(|line| {
        let (_, line) = line.split_once("query ").unwrap();
        let (_, line) = line.split_once(": ").unwrap();
        let mut numbers = line.split(' ').filter_map(|word| word.parse().ok());
        (numbers.next().unwrap(), numbers.next().unwrap())
    });
    numbers.collect()
}

/// Runs a query of 150 tasks and kills an executor that has told of some. Returns the rows, and
/// what client and scheduler have told.
fn after_a_loss(folder: &Path, query: &str) -> (String, String, String) {
    let mut cluster = Cluster::start(folder);
    loop {
        let known: BTreeSet<_> = cluster.executors.iter().flat_map(Executor::tasks).collect();
        let (mut client, rows) = cluster.start_client(&["-c", query]);
        // Each has told of one task at least then.
        let is_busy = |executor: &Executor| executor.tasks().difference(&known).count() > 1;
        wait_until(|| client.has_ended() || cluster.executors.iter().all(is_busy));
        let is_running = !client.has_ended();
        drop(cluster.executors.remove(0));
        assert_eq!(client.end(), Some(0), "{}", client.errors());
        // Otherwise the query was faster than this test.
        if is_running {
            let rows = fs::read_to_string(rows).unwrap();
            return (rows, client.errors(), cluster.scheduler_errors());
        }
        cluster.add_executor(folder);
    }
}

#[test]
fn a_loss_repeats_the_lost_tasks_and_no_others() {
    let folder = many(150);
    let query = format!(
        "set datafusion.execution.target_partitions = 150; \
         select san, count(*), sum(ply) from moves('{}') group by san order by san",
        folder.path().join("*.si4").display()
    );
    let (rows, client, scheduler) = after_a_loss(folder.path(), &query);
    assert_eq!(rows, here(&["-c", &query]));
    // It did not run again from the beginning.
    assert_eq!(client, "");
    let [(again, kept)] = repeated_and_kept(&scheduler)[..] else {
        panic!("{scheduler}");
    };
    assert!(
        again >= 1 && kept >= 1 && again + kept <= 150,
        "{scheduler}"
    );
}

#[test]
fn a_loss_of_rows_of_the_last_stage_repeats_the_query() {
    let folder = many(150);
    let query = format!(
        "set datafusion.execution.target_partitions = 150; \
         select db, game, ply, san from moves('{}') where ply % 50 = 1",
        folder.path().join("*.si4").display()
    );
    let (rows, client, scheduler) = after_a_loss(folder.path(), &query);
    let sorted = |rows: &str| {
        let mut lines: Vec<_> = rows.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&rows), sorted(&here(&["-c", &query])));
    let again =
        "tabiya-sql: warn: an executor was lost, so the query runs again from the beginning\n";
    assert_eq!(client, again, "{scheduler}");
}

/// Kills the executor that was started first, once it has rows of a task that would be lost, and
/// waits until the scheduler knows. Returns false if the query ends before.
fn kill_one(cluster: &mut Cluster, client: &mut Process, politely: bool) -> bool {
    let losses = |cluster: &Cluster| cluster.scheduler_errors().matches(" is lost").count();
    let known_losses = losses(cluster);
    let known = cluster.executors[0].tasks();
    let has_more = |executor: &Executor| !executor.tasks().is_subset(&known);
    wait_until(|| client.has_ended() || has_more(&cluster.executors[0]));
    if client.has_ended() {
        return false;
    }
    let mut executor = cluster.executors.remove(0);
    if politely {
        // As by a service manager.
        executor.process.signal("TERM");
        executor.process.end();
    }
    drop(executor);
    wait_until(|| losses(cluster) > known_losses);
    true
}

/// The long form, by hand: kills a minute apart in one query of many minutes, see docs/scale.md.
#[test]
fn killed_executors_cost_no_row_and_double_none() {
    let wanted = number("TABIYA_CLUSTER_KILLS", 10);
    let executors = number("TABIYA_CLUSTER_EXECUTORS", 2);
    let pause = Duration::from_secs(number("TABIYA_CLUSTER_PAUSE", 0));
    let copies = number("TABIYA_CLUSTER_COPIES", 150);
    // Without a pause, executors would be killed faster than any task ends.
    let kills_per_query = number("TABIYA_CLUSTER_KILLS_PER_QUERY", 3);
    let own = many(usize::try_from(copies).unwrap());
    let folder = env::var_os("TABIYA_CLUSTER_FOLDER").map_or(own.path().to_owned(), PathBuf::from);
    let query = env::var("TABIYA_CLUSTER_QUERY").unwrap_or(QUERY.to_owned());
    let query = query.replace("{all}", &folder.join("*.si4").display().to_string());
    let started = Instant::now();
    let expected = here(&["-c", &query]);
    println!("one process: {:?}", started.elapsed());
    let mut cluster = Cluster::without_executors();
    for _ in 0..executors {
        cluster.add_executor(&folder);
    }
    let mut kills = 0;
    while kills < wanted {
        let started = Instant::now();
        let (mut client, rows) = cluster.start_client(&["-c", &query]);
        for kill in 0..kills_per_query {
            let killed = Instant::now();
            if !kill_one(&mut cluster, &mut client, kill % 2 == 1) {
                break;
            }
            kills += 1;
            cluster.add_executor(&folder);
            while killed.elapsed() < pause && !client.has_ended() {
                thread::sleep(Duration::from_millis(100));
            }
        }
        assert_eq!(client.end(), Some(0), "{}", client.errors());
        assert_eq!(fs::read_to_string(rows).unwrap(), expected, "{kills} kills");
        println!(
            "{kills} kills, {:?}: {}",
            started.elapsed(),
            client.errors()
        );
    }
    println!("{}", cluster.scheduler_errors());
}
