//! The end of the program: exit codes and messages.

use std::{fmt, process::ExitCode};

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use tabiya::{Error, ErrorKind, query::Fault};

use super::{nearby, output};

/// The outcome of a command that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Something matched, or there was nothing to match.
    Done,
    /// Nothing matched.
    Nothing,
    /// The data is damaged.
    Damaged,
}

const NOTHING: i32 = 1;
const USAGE: i32 = 2;
pub(crate) const DATA: i32 = 3;
/// The exit code that shells use for an interrupted program.
const INTERRUPTED: i32 = 130;

impl Outcome {
    /// Returns `Done` if something matched.
    pub(crate) fn of_matches(some: bool) -> Outcome {
        if some {
            Outcome::Done
        } else {
            Outcome::Nothing
        }
    }

    pub(crate) fn code(self) -> ExitCode {
        code(match self {
            Outcome::Done => 0,
            Outcome::Nothing => NOTHING,
            Outcome::Damaged => DATA,
        })
    }
}

/// Converts an exit code to the return type of `main`.
pub(crate) fn code(code: i32) -> ExitCode {
    ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))
}

/// The arguments are invalid together, or for this database.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Usage(pub(crate) String);

/// The user interrupted the program.
#[derive(Debug, thiserror::Error)]
#[error("interrupted")]
pub(crate) struct Interrupted;

/// The text of a query, a position or moves, and its fault.
#[derive(Debug)]
pub(crate) struct TextFault {
    pub(crate) text: String,
    pub(crate) fault: Fault,
    /// The file that the text was read from.
    pub(crate) file: Option<String>,
}

impl TextFault {
    /// Creates the fault of an argument.
    pub(crate) fn of(text: &str, fault: Fault) -> TextFault {
        TextFault {
            text: text.to_owned(),
            fault,
            file: None,
        }
    }
}

impl std::error::Error for TextFault {}

impl fmt::Display for TextFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Fault { start, message, .. } = &self.fault;
        if let Some(file) = &self.file {
            let before = &self.text[..self.text.floor_char_boundary(*start)];
            write!(f, "{file}: line {}: ", before.matches('\n').count() + 1)?;
        }
        write!(f, "{message}\n{}", self.fault.caret(&self.text))?;
        match &self.fault.suggestion {
            Some(suggestion) => write!(f, "\nhelp: did you mean `{suggestion}`?"),
            None => Ok(()),
        }
    }
}

/// Prints an error and returns its exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    match error.downcast_ref::<TextFault>() {
        Some(fault) if output::stderr_has_colour() => output::complain_in_colour(&drawing(fault)),
        _ => output::complain(&format!("tabiya: error: {}", message(error))),
    }
    if let Some(meant) = nearby::meant(error) {
        output::complain(&format!("help: did you mean `{meant}`?"));
    }
    code(exit_code(error))
}

fn exit_code(error: &anyhow::Error) -> i32 {
    if error.is::<Usage>() || error.is::<TextFault>() {
        return USAGE;
    }
    if error.is::<Interrupted>() {
        return INTERRUPTED;
    }
    match error.downcast_ref::<Error>().map(Error::kind) {
        Some(
            ErrorKind::NoSuchGame { .. }
            | ErrorKind::Unsupported { .. }
            | ErrorKind::OtherDatabase { .. },
        ) => USAGE,
        Some(ErrorKind::Interrupted) => INTERRUPTED,
        _ => DATA,
    }
}

/// Joins the causes of an error. Causes that the previous text contains are left out.
fn message(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if text.is_empty() {
            text = cause;
        } else if !text.contains(&cause) {
            text = format!("{text}: {cause}");
        }
    }
    text
}

/// Formats a fault for a terminal with colours.
fn drawing(TextFault { text, fault, file }: &TextFault) -> String {
    let start = text.floor_char_boundary(fault.start);
    let end = text.ceil_char_boundary(fault.end).max(start);
    let place = AnnotationKind::Primary.span(start..end);
    let snippet = Snippet::source(text.as_str())
        .path(file.as_deref())
        .annotation(place);
    let mut groups = vec![
        Level::ERROR
            .primary_title(fault.message.as_str())
            .element(snippet),
    ];
    if let Some(suggestion) = &fault.suggestion {
        let help = format!("did you mean `{suggestion}`?");
        groups.push(Group::with_title(Level::HELP.secondary_title(help)));
    }
    Renderer::styled().render(&groups)
}
