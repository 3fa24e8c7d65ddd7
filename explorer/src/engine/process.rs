//! The engine's process: lines go in, lines come out, and it does not outlive what holds it.

use std::{collections::HashMap, path::Path, process::Stdio, time::Duration};

use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, timeout},
};

/// Bytes of a line. The longest that engines write has a hundred moves.
const LINE_BYTES: usize = 16 << 10;
/// Bytes that the engine may write in a search: at once, and for each second.
const BYTES: usize = 4 << 20;
const BYTES_PER_SECOND: usize = 256 << 10;
/// How long the engine may take no line.
const WRITE_TIME: Duration = Duration::from_secs(2);
/// How long it may take to end when it is told to.
const QUIT_TIME: Duration = Duration::from_secs(1);

/// What `CreateProcess` calls it.
#[cfg(windows)]
const CREATE_NEW_PROCESS_GROUP: u32 = 0x200;

/// A process, killed when this is dropped.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    /// What is there of the line that is being read.
    line: Vec<u8>,
    /// Whether the line is too long, and left out up to its end.
    is_long: bool,
    /// Bytes that it has written in this search, and when the search began.
    written: usize,
    since: Instant,
    /// What it calls itself.
    pub(super) name: String,
    /// Its options by name in small letters, each with the most that it takes.
    pub(super) options: HashMap<String, Option<u32>>,
}

/// Why the process is of no use any more, in words for the reader.
pub(super) type Trouble = String;

impl Process {
    pub(super) fn start(path: &Path) -> Result<Process, Trouble> {
        let mut command = Command::new(path);
        command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true);
        keep_from_ctrl_c(&mut command);
        let started = command.spawn();
        let mut child = started.map_err(|error| format!("the engine does not start: {error}"))?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(stdin), Some(stdout)) => Ok(Process {
                child,
                stdin,
                stdout: BufReader::new(stdout),
                line: Vec::new(),
                is_long: false,
                written: 0,
                since: Instant::now(),
                name: "engine".to_owned(),
                options: HashMap::new(),
            }),
            _ => Err("the engine has no input or output".to_owned()),
        }
    }

    /// Returns the process unless it has ended.
    pub(super) fn alive(mut self) -> Option<Process> {
        matches!(self.child.try_wait(), Ok(None)).then_some(self)
    }

    /// Lets the process write as much as in a search that begins now.
    pub(super) fn begin(&mut self) {
        self.written = 0;
        self.since = Instant::now();
    }

    /// Counts what the process has written.
    fn count(&mut self, bytes: usize) -> Result<(), Trouble> {
        self.written = self.written.saturating_add(bytes);
        let seconds = self.since.elapsed().as_secs() as usize;
        let most = BYTES.saturating_add(seconds.saturating_mul(BYTES_PER_SECOND));
        if self.written > most {
            return Err("the engine writes without end".to_owned());
        }
        Ok(())
    }

    /// Lets the process end by itself, and kills it if it does not.
    pub(super) async fn quit(mut self) {
        if self.write("quit").await.is_ok() {
            let _ = timeout(QUIT_TIME, self.child.wait()).await;
        }
    }

    /// Writes a line.
    pub(super) async fn write(&mut self, line: &str) -> Result<(), Trouble> {
        let bytes = format!("{line}\n");
        match timeout(WRITE_TIME, self.stdin.write_all(bytes.as_bytes())).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(self.ended().await),
            Err(_) => Err("the engine does not take what it is told".to_owned()),
        }
    }

    /// Reads the next line; what is no text in it is replaced. Nothing is lost when the future is
    /// dropped.
    pub(super) async fn read(&mut self) -> Result<String, Trouble> {
        loop {
            let Ok(bytes) = self.stdout.fill_buf().await else {
                return Err(self.ended().await);
            };
            if bytes.is_empty() {
                return Err(self.ended().await);
            }
            let end = bytes.iter().position(|&byte| byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            if self.line.len() + taken > LINE_BYTES {
                self.is_long = true;
                self.line.clear();
            }
            if !self.is_long {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.stdout.consume(taken);
            self.count(taken)?;
            if end.is_some() {
                let line = std::mem::take(&mut self.line);
                if !std::mem::take(&mut self.is_long) {
                    return Ok(String::from_utf8_lossy(&line).trim().to_owned());
                }
            }
        }
    }

    /// Says how the process has ended, as far as it has.
    async fn ended(&mut self) -> Trouble {
        match timeout(Duration::from_millis(500), self.child.wait()).await {
            Ok(Ok(status)) => format!("the engine has ended ({status})"),
            _ => "the engine has ended".to_owned(),
        }
    }
}

/// Puts a process that is to be started into a group of its own: Ctrl-C in a terminal is meant for
/// the server, which ends the engine itself.
fn keep_from_ctrl_c(command: &mut Command) {
    #[cfg(unix)]
    command.process_group(0);
    #[cfg(windows)]
    command.creation_flags(CREATE_NEW_PROCESS_GROUP);
}
