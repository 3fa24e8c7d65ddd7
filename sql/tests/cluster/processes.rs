//! Clusters of processes, and what can be seen of them.

use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{Read as _, Write as _},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    process::{Child, Command, Output},
    thread,
    time::{Duration, Instant},
};

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_tabiya-sql");

/// A process that ends with the test.
pub(crate) struct Process {
    child: Child,
    /// What it writes to its standard error output.
    errors: PathBuf,
}

impl Drop for Process {
    fn drop(&mut self) {
        // SIGKILL: nothing of it is put in order.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn start(command: &mut Command, errors: PathBuf) -> Process {
        let child = command.stderr(File::create(&errors).unwrap());
        let child = child.spawn().unwrap();
        Process { child, errors }
    }

    pub(crate) fn errors(&self) -> String {
        fs::read_to_string(&self.errors).unwrap()
    }

    pub(crate) fn has_ended(&mut self) -> bool {
        self.child.try_wait().unwrap().is_some()
    }

    /// Waits for the end, and returns the exit code.
    pub(crate) fn end(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// Sends it a signal, by the program that people use.
    pub(crate) fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", signal, &id]).status();
        assert!(sent.unwrap().success(), "{signal}");
    }
}

pub(crate) struct Executor {
    pub(crate) process: Process,
    pub(crate) address: String,
    /// Where it writes the rows of its tasks.
    work: PathBuf,
}

impl Executor {
    /// Returns the tasks that have written rows, by query, stage and number. One that has a task at
    /// a time has told of all but the last.
    pub(crate) fn tasks(&self) -> BTreeSet<[String; 3]> {
        let mut tasks = BTreeSet::new();
        let mut folders = vec![self.work.clone()];
        while let Some(folder) = folders.pop() {
            // It may be removed while it is read here.
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let path = entry.path();
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    folders.push(path);
                } else if path.extension().is_some_and(|suffix| suffix == "arrow") {
                    tasks.extend(task_of(&path));
                }
            }
        }
        tasks
    }
}

/// Returns the task whose rows a file has, which is `QUERY/STAGE/TASK/data.arrow` or
/// `QUERY/STAGE/PARTITION/data-TASK.arrow`.
fn task_of(path: &Path) -> Option<[String; 3]> {
    let text = |path: Option<&Path>| Some(path?.file_name()?.to_str()?.to_owned());
    let stem = path.file_stem()?.to_str()?;
    let (folder, stage) = (path.parent(), path.parent()?.parent());
    let task = match stem.split_once('-') {
        Some((_, task)) => task.to_owned(),
        None => text(folder)?,
    };
    Some([text(stage?.parent())?, text(stage)?, task])
}

pub(crate) struct Cluster {
    pub(crate) address: String,
    scheduler: Option<Process>,
    pub(crate) executors: Vec<Executor>,
    /// What the processes write.
    folder: tempfile::TempDir,
    started: usize,
}

pub(crate) fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

/// Waits until a process answers at its address. Clients do not wait for a scheduler that starts.
fn wait_for(process: &mut Process, address: &str) {
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        assert!(!process.has_ended(), "{address}: {}", process.errors());
        assert!(started.elapsed() < Duration::from_secs(120), "{address}");
        thread::sleep(Duration::from_millis(20));
    }
}

impl Cluster {
    /// A scheduler and two executors, which read a folder.
    pub(crate) fn start(folder: &Path) -> Cluster {
        let mut cluster = Cluster::without_executors();
        cluster.add_executor(folder);
        cluster.add_executor(folder);
        cluster.wait_for_executors();
        cluster
    }

    /// Waits until the scheduler knows of all executors.
    pub(crate) fn wait_for_executors(&self) {
        let known = format!("ready: {} executors", self.executors.len());
        wait_until(|| {
            let mut scheduler = TcpStream::connect(&self.address).unwrap();
            let question = b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
            scheduler.write_all(question).unwrap();
            let mut answer = String::new();
            scheduler.read_to_string(&mut answer).unwrap();
            answer.contains(&known)
        });
    }

    pub(crate) fn without_executors() -> Cluster {
        let mut cluster = Cluster::absent();
        cluster.start_scheduler();
        cluster
    }

    /// A cluster of which nothing has started.
    pub(crate) fn absent() -> Cluster {
        Cluster {
            address: free_address(),
            scheduler: None,
            executors: Vec::new(),
            folder: tempfile::tempdir().unwrap(),
            started: 0,
        }
    }

    pub(crate) fn start_scheduler(&mut self) {
        let mut command = Command::new(PROGRAM);
        let arguments = ["scheduler", "--listen", &self.address, "--lost-after", "20"];
        command.args(arguments);
        let mut scheduler = Process::start(&mut command, self.folder.path().join("scheduler"));
        wait_for(&mut scheduler, &self.address);
        self.scheduler = Some(scheduler);
    }

    /// Returns what the scheduler has told.
    pub(crate) fn scheduler_errors(&self) -> String {
        self.scheduler.as_ref().unwrap().errors()
    }

    pub(crate) fn add_executor(&mut self, folder: &Path) {
        let address = free_address();
        let work = self.folder.path().join(format!("work-{}", self.started));
        fs::create_dir(&work).unwrap();
        let errors = self
            .folder
            .path()
            .join(format!("executor-{}", self.started));
        self.started += 1;
        let mut command = Command::new(PROGRAM);
        command.args(["executor", "--scheduler", &self.address]);
        command.args(["--listen", &address, "--tasks", "1"]);
        command.arg(folder).env("TMPDIR", &work);
        let process = Process::start(&mut command, errors);
        self.executors.push(Executor {
            process,
            address,
            work,
        });
    }

    pub(crate) fn client(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(["--cluster", &self.address]).args(arguments);
        command
    }

    /// Starts a client that goes on while the test does other things. Returns the file of its
    /// rows too.
    pub(crate) fn start_client(&self, arguments: &[&str]) -> (Process, PathBuf) {
        let rows = self.folder.path().join("rows");
        let mut command = self.client(arguments);
        command.stdout(File::create(&rows).unwrap());
        let errors = self.folder.path().join("client");
        (Process::start(&mut command, errors), rows)
    }

    pub(crate) fn rows(&self, arguments: &[&str]) -> String {
        stdout(&self.client(arguments).output().unwrap())
    }

    /// Returns what a client says that ends with an error.
    pub(crate) fn error(&self, arguments: &[&str]) -> String {
        let output = self.client(arguments).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{errors}");
        errors
    }
}

pub(crate) fn stdout(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn here(arguments: &[&str]) -> String {
    stdout(&Command::new(PROGRAM).args(arguments).output().unwrap())
}

/// A folder of databases, each the same games.
pub(crate) fn many(copies: usize) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for copy in 0..copies {
        for suffix in ["si4", "sg4", "sn4"] {
            let name = format!("{copy:03}.{suffix}");
            let from = format!("../fixtures/famous.{suffix}");
            fs::copy(from, folder.path().join(name)).unwrap();
        }
    }
    folder
}

/// Waits until a state is seen, however long that takes.
pub(crate) fn wait_until(mut is_seen: impl FnMut() -> bool) {
    while !is_seen() {
        thread::sleep(Duration::from_millis(10));
    }
}
