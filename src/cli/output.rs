//! Output: results to a buffered standard output, everything else to standard error.

use std::{
    io::{self, BufWriter, IsTerminal as _, StdoutLock, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use tabiya::{ToTerminal, Visible, is_command};

/// Size of the output buffer in bytes.
const BUFFER_BYTES: usize = 1 << 16;
/// Default width for a terminal of unknown width.
const COLUMNS_DEFAULT: u16 = 100;

/// Standard output, locked and buffered.
#[derive(Debug)]
pub(crate) struct Output {
    writer: Stdout,
    is_terminal: bool,
}

/// What is printed goes to a terminal, where it must not be a command, or as it is to a program.
#[derive(Debug)]
enum Stdout {
    Terminal(ToTerminal<Buffer>),
    Program(Buffer),
}

type Buffer = BufWriter<Pipe<StdoutLock<'static>>>;

impl Stdout {
    fn pipe(&self) -> &Pipe<StdoutLock<'static>> {
        match self {
            Stdout::Terminal(ToTerminal(buffer)) | Stdout::Program(buffer) => buffer.get_ref(),
        }
    }

    fn pipe_mut(&mut self) -> &mut Pipe<StdoutLock<'static>> {
        match self {
            Stdout::Terminal(ToTerminal(buffer)) | Stdout::Program(buffer) => buffer.get_mut(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Stdout::Terminal(terminal) => terminal,
            Stdout::Program(buffer) => buffer,
        }
    }
}

/// A writer whose reader may leave before the end.
#[derive(Debug)]
pub(crate) struct Pipe<W> {
    writer: W,
    /// Whether the reader has left.
    is_left: bool,
    /// Whether what nobody reads is thrown away. Otherwise it is an error, which ends the work.
    goes_on: bool,
}

impl<W> Pipe<W> {
    /// Creates a writer for work that does not end with its reader.
    pub(crate) fn going_on(writer: W) -> Pipe<W> {
        Pipe {
            writer,
            is_left: false,
            goes_on: true,
        }
    }
}

impl<W: Write> Write for Pipe<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_left && self.goes_on {
            return Ok(bytes.len());
        }
        match self.writer.write(bytes) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.is_left = true;
                if self.goes_on {
                    Ok(bytes.len())
                } else {
                    Err(error)
                }
            }
            written => written,
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_left && self.goes_on {
            return Ok(());
        }
        self.writer.flush()
    }
}

impl Output {
    /// Locks standard output.
    pub(crate) fn stdout() -> Output {
        let stdout = io::stdout().lock();
        let is_terminal = stdout.is_terminal();
        let pipe = Pipe {
            goes_on: false,
            ..Pipe::going_on(stdout)
        };
        let buffer = BufWriter::with_capacity(BUFFER_BYTES, pipe);
        let writer = if is_terminal {
            Stdout::Terminal(ToTerminal(buffer))
        } else {
            Stdout::Program(buffer)
        };
        Output {
            writer,
            is_terminal,
        }
    }

    /// Lets the work go on when the reader has left: it does more than print.
    pub(crate) fn go_on_without_reader(&mut self) {
        self.writer.pipe_mut().goes_on = true;
    }

    /// Returns whether the work has ended because the reader has left, as `head` does when it has
    /// its lines.
    pub(crate) fn was_ended_by_reader(&self) -> bool {
        let pipe = self.writer.pipe();
        pipe.is_left && !pipe.goes_on
    }

    /// Returns the width of the terminal in columns; `None` if the output is not a terminal.
    pub(crate) fn terminal_columns(&self) -> Option<u16> {
        if !self.is_terminal {
            return None;
        }
        let size = console::Term::stdout().size_checked();
        Some(size.map_or(COLUMNS_DEFAULT, |(_, columns)| columns))
    }

    /// Returns whether the output is a terminal.
    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Flushes the buffer.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.writer().flush()
    }
}

/// Prints one or several lines on standard error, in which every character can be seen. Errors are
/// ignored.
pub(crate) fn complain(text: &str) {
    let mut stderr = io::stderr().lock();
    for line in text.split('\n') {
        let _ = writeln!(stderr, "{}", Visible(line));
    }
}

/// Whether summaries are printed.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Prints no summaries from now on.
pub(crate) fn be_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Returns whether summaries, and hints beside them, are left out.
pub(crate) fn is_quiet() -> bool {
    QUIET.load(Ordering::Relaxed)
}

/// Prints what a command has done on standard error, unless nobody wants to know.
pub(crate) fn summarize(text: &str) {
    if !is_quiet() {
        complain(text);
    }
}

/// Prints a drawing with colours on standard error.
pub(crate) fn complain_in_colour(drawing: &str) {
    let _ = writeln!(io::stderr(), "{drawing}");
}

/// Prints a warning on standard error.
pub(crate) fn warn(message: &str) {
    complain(&format!("tabiya: warning: {message}"));
}

/// Returns whether to use colours on standard error.
pub(crate) fn stderr_has_colour() -> bool {
    let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    io::stderr().is_terminal() && !refused
}

/// Returns a number of games in words: `1 game`, `2 games`.
pub(crate) fn games(number: u64) -> String {
    counted(number, "game")
}

/// Returns a number of things, of which this is one.
pub(crate) fn counted(number: u64, one: &str) -> String {
    let end = if number == 1 { "" } else { "s" };
    format!("{number} {one}{end}")
}

/// Makes text safe for a terminal and for a single line: control characters, and those that change
/// the direction of text, become spaces.
pub(crate) fn one_line(text: &str) -> String {
    if text.chars().any(is_command) {
        text.replace(is_command, " ")
    } else {
        text.to_owned()
    }
}
