//! Rows as text or files.

use std::{
    error::Error,
    fs::File,
    io::{self, BufWriter, IsTerminal as _, Write},
    path::Path,
    time::Instant,
};

use clap::ValueEnum;
use datafusion::{
    arrow::{
        array::RecordBatch, csv, datatypes::SchemaRef, ipc::writer::StreamWriter,
        json::LineDelimitedWriter, util::pretty::pretty_format_batches,
    },
    error::DataFusionError,
    parquet::arrow::ArrowWriter,
};
use futures::StreamExt as _;
use tabiya_sql::Session;

use crate::{Failure, progress};

/// Rows of a table that is shown.
const TABLE_ROWS: usize = 1000;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// A table, of at most 1000 rows.
    Table,
    /// Comma-separated values with a line of names.
    Csv,
    /// An object of JSON on each line.
    Json,
    /// A Parquet file.
    Parquet,
    /// A stream of Arrow IPC.
    Arrow,
}

/// Where rows go.
pub(crate) struct Output {
    format: Format,
    file: Box<dyn Write + Send>,
    /// Whether progress can be shown without standing among rows.
    has_progress: bool,
}

impl Output {
    /// Creates the file, if there is one.
    pub(crate) fn new(format: Format, path: Option<&Path>) -> Result<Output, Failure> {
        let file: Box<dyn Write + Send> = match path {
            Some(path) => Box::new(BufWriter::new(
                File::create(path).map_err(|error| format!("{}: {error}", path.display()))?,
            )),
            None => Box::new(BufWriter::new(io::stdout())),
        };
        let is_of_terminal = path.is_none() && io::stdout().is_terminal();
        Ok(Output {
            format,
            file,
            has_progress: format == Format::Table || !is_of_terminal,
        })
    }

    /// Runs statements, which are separated by semicolons.
    pub(crate) async fn run(&mut self, session: &Session, text: &str) -> Result<(), Failure> {
        for statement in statements(text) {
            let started = Instant::now();
            let (rows, has_progress) = (|| session.rows_read(), self.has_progress);
            let work = self.write(session, statement);
            let done = if has_progress {
                progress::show(rows, work).await
            } else {
                work.await
            };
            let rows = match done {
                Err(error) if is_broken_pipe(error.as_ref()) => return Ok(()),
                done => done?,
            };
            if self.format == Format::Table {
                eprintln!("{rows} rows, {:.3} s", started.elapsed().as_secs_f64());
            }
        }
        Ok(())
    }

    async fn write(&mut self, session: &Session, statement: &str) -> Result<usize, Failure> {
        let frame = session.sql(statement).await?;
        let mut batches = frame.execute_stream().await?;
        if batches.schema().fields().is_empty() {
            // A statement without rows, as `create external table`.
            while let Some(batch) = batches.next().await {
                batch?;
            }
            return Ok(0);
        }
        let mut sink = Sink::new(self.format, &mut self.file, batches.schema())?;
        let mut rows = 0;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            rows += batch.num_rows();
            sink.write(&batch)?;
        }
        if self.format == Format::Table {
            progress::hide();
        }
        sink.finish()?;
        self.file.flush()?;
        Ok(rows)
    }
}

/// A writer of one result.
enum Sink<W: Write + Send> {
    Table(W, SchemaRef, Vec<RecordBatch>, usize),
    Csv(Box<csv::Writer<W>>),
    Json(LineDelimitedWriter<W>),
    Parquet(Box<ArrowWriter<W>>),
    Arrow(Box<StreamWriter<W>>),
}

impl<W: Write + Send> Sink<W> {
    fn new(format: Format, to: W, schema: SchemaRef) -> Result<Sink<W>, DataFusionError> {
        Ok(match format {
            Format::Table => Sink::Table(to, schema, Vec::new(), 0),
            Format::Csv => {
                let mut writer = csv::WriterBuilder::new().with_header(true).build(to);
                // Names are written even if there are no rows.
                writer.write(&RecordBatch::new_empty(schema))?;
                Sink::Csv(Box::new(writer))
            }
            Format::Json => Sink::Json(LineDelimitedWriter::new(to)),
            Format::Parquet => Sink::Parquet(Box::new(ArrowWriter::try_new(to, schema, None)?)),
            Format::Arrow => Sink::Arrow(Box::new(StreamWriter::try_new(to, &schema)?)),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), DataFusionError> {
        match self {
            Sink::Table(_, _, batches, rows) => {
                let room = TABLE_ROWS.saturating_sub(*rows).min(batch.num_rows());
                if room > 0 {
                    batches.push(batch.slice(0, room));
                }
                *rows += batch.num_rows();
            }
            Sink::Csv(writer) => writer.write(batch)?,
            Sink::Json(writer) => writer.write(batch)?,
            Sink::Parquet(writer) => writer.write(batch)?,
            Sink::Arrow(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self) -> Result<(), DataFusionError> {
        match self {
            Sink::Table(mut to, schema, mut batches, rows) => {
                if batches.is_empty() {
                    batches.push(RecordBatch::new_empty(schema));
                }
                writeln!(to, "{}", pretty_format_batches(&batches)?)?;
                if rows > TABLE_ROWS {
                    writeln!(to, "... {} more rows", rows - TABLE_ROWS)?;
                }
            }
            Sink::Csv(_) => {}
            Sink::Json(mut writer) => writer.finish()?,
            Sink::Parquet(writer) => drop(writer.close()?),
            Sink::Arrow(mut writer) => writer.finish()?,
        }
        Ok(())
    }
}

/// Divides text at semicolons outside of quotes and comments.
pub(crate) fn statements(text: &str) -> impl Iterator<Item = &str> {
    let (mut quote, mut start, mut parts) = (None, 0, Vec::new());
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        match (quote, char) {
            (Some('\n'), '\n') => quote = None,
            (Some(open), char) if open == char => quote = None,
            (None, '\'' | '"') => quote = Some(char),
            (None, '-') if chars.peek().is_some_and(|(_, next)| *next == '-') => quote = Some('\n'),
            (None, ';') => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts.into_iter().filter(|part| !part.trim().is_empty())
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.kind() == io::ErrorKind::BrokenPipe;
        }
        if error.to_string().contains("Broken pipe") {
            return true;
        }
        next = error.source();
    }
    false
}

/// Returns an error with its causes, each once.
pub(crate) fn told(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text = format!("{text}: {cause_text}");
        }
        next = cause.source();
    }
    text
}

/// Tells of damaged games that the statements met.
pub(crate) fn warn_of_damage(session: &Session) {
    warn(session.take_damaged());
}

/// Tells of damaged games, if there are any.
pub(crate) fn warn(damaged: u64) {
    if damaged > 0 {
        eprintln!("tabiya-sql: warning: {damaged} damaged games; `tabiya verify` lists them");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn semicolons_in_quotes_and_comments_divide_nothing() {
        let text = "select ';', \"a;b\" -- it's; so\n; select 2;\n ;";
        let parts: Vec<&str> = statements(text).map(str::trim).collect();
        assert_eq!(parts, ["select ';', \"a;b\" -- it's; so", "select 2"]);
    }
}
