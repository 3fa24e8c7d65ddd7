//! Output: results to a buffered standard output, everything else to standard error.

use std::io::{self, BufWriter, IsTerminal as _, StdoutLock, Write};

/// Size of the output buffer in bytes.
const BUFFER_BYTES: usize = 1 << 16;
/// Default width for a terminal of unknown width.
const COLUMNS_DEFAULT: u16 = 100;

/// Standard output, locked and buffered.
#[derive(Debug)]
pub(crate) struct Output {
    writer: BufWriter<StdoutLock<'static>>,
    is_terminal: bool,
}

impl Output {
    /// Locks standard output.
    pub(crate) fn stdout() -> Output {
        let stdout = io::stdout().lock();
        Output {
            is_terminal: stdout.is_terminal(),
            writer: BufWriter::with_capacity(BUFFER_BYTES, stdout),
        }
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
        self.writer.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer.flush()
    }
}

/// Prints a line on standard error. Errors are ignored.
pub(crate) fn complain(line: &str) {
    let _ = writeln!(io::stderr(), "{line}");
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

/// Makes text safe for a terminal and for a single line: control characters become spaces.
pub(crate) fn one_line(text: &str) -> String {
    if text.chars().any(char::is_control) {
        text.replace(char::is_control, " ")
    } else {
        text.to_owned()
    }
}
