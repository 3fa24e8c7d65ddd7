//! Rows as text or files.

use std::{
    error::Error,
    fs::File,
    io::{self, BufWriter, IsTerminal as _, Write},
    path::PathBuf,
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
    sql::{parser::Statement, sqlparser::ast},
};
use futures::StreamExt as _;
use tabiya::{ToTerminal, Visible};
use tabiya_sql::{Session, with_causes};

use crate::{
    Failure,
    progress::{self, Counts},
};

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
#[derive(Debug, Clone)]
pub(crate) struct Target {
    pub(crate) format: Format,
    /// The standard output without it.
    pub(crate) path: Option<PathBuf>,
}

impl Target {
    /// Runs statements, which semicolons divide. Returns `None` at Ctrl-C, which is heard whatever
    /// the statements do, since they run on other threads.
    pub(crate) async fn run(&self, session: &Session, text: String) -> Result<Option<()>, Failure> {
        let output = Output {
            target: self.clone(),
            file: None,
            has_result: false,
            is_left: false,
        };
        let mut work = tokio::spawn(output.run(session.clone(), text));
        let is_of_terminal = self.path.is_none() && io::stdout().is_terminal();
        let done = tokio::select! {
            // Rows on a terminal are their own progress.
            done = progress::show(
                self.format == Format::Table || !is_of_terminal,
                || Counts { rows: session.rows_read(), games: session.games_decoded() },
                &mut work,
            ) => done,
            _ = tokio::signal::ctrl_c() => {
                work.abort();
                progress::hide();
                return Ok(None);
            }
        };
        done?.map(Some)
    }
}

/// The results of some statements.
struct Output {
    target: Target,
    file: Option<Box<dyn Write + Send>>,
    has_result: bool,
    /// Whether nobody reads the standard output any longer, as `head` when it has its lines.
    is_left: bool,
}

impl Output {
    async fn run(mut self, session: Session, text: String) -> Result<(), Failure> {
        for statement in session.statements(&text)? {
            let started = Instant::now();
            // Others may write files.
            let only_prints = self.target.path.is_none() && is_query(&statement);
            if only_prints && self.is_left {
                continue;
            }
            let rows = match self.write(&session, statement).await {
                Err(error) if only_prints && is_broken_pipe(error.as_ref()) => {
                    self.is_left = true;
                    self.file = Some(Box::new(io::sink()));
                    continue;
                }
                rows => rows?,
            };
            if self.target.format == Format::Table {
                let seconds = started.elapsed().as_secs_f64();
                tell(&format!("{rows} rows, {seconds:.3} s"));
            }
        }
        Ok(())
    }

    async fn write(&mut self, session: &Session, statement: Statement) -> Result<usize, Failure> {
        let frame = session.plan(statement).await?;
        let mut batches = frame.execute_stream().await?;
        if batches.schema().fields().is_empty() {
            // A statement without rows, as `create external table`.
            while let Some(batch) = batches.next().await {
                batch?;
            }
            return Ok(0);
        }
        let format = self.target.format;
        if self.has_result && matches!(format, Format::Parquet | Format::Arrow) {
            return Err("a file of this format holds the rows of one statement".into());
        }
        self.has_result = true;
        let mut sink = Sink::new(format, self.file()?, batches.schema())?;
        let mut rows = 0;
        while let Some(batch) = batches.next().await {
            let batch = batch?;
            rows += batch.num_rows();
            sink.write(&batch)?;
        }
        if format == Format::Table {
            progress::hide();
        }
        sink.finish()?;
        self.file()?.flush()?;
        Ok(rows)
    }

    /// Returns the file, which is created when the first rows come.
    fn file(&mut self) -> Result<&mut Box<dyn Write + Send>, Failure> {
        if self.file.is_none() {
            let file: Box<dyn Write + Send> = match &self.target.path {
                Some(path) => {
                    let fault = |error| format!("{}: {error}", path.display());
                    Box::new(BufWriter::new(File::create(path).map_err(fault)?))
                }
                None if io::stdout().is_terminal() => {
                    Box::new(ToTerminal(BufWriter::new(io::stdout())))
                }
                None => Box::new(BufWriter::new(io::stdout())),
            };
            self.file = Some(file);
        }
        self.file.as_mut().ok_or_else(|| "no output".into())
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

/// Returns whether a statement does nothing but give rows.
fn is_query(statement: &Statement) -> bool {
    let Statement::Statement(statement) = statement else {
        return false;
    };
    matches!(**statement, ast::Statement::Query(_))
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

/// Returns an error with its causes, each once, and its place in the text.
pub(crate) fn told(error: &(dyn Error + 'static)) -> String {
    let sql = error.downcast_ref::<DataFusionError>();
    if let Some(DataFusionError::Execution(message)) = sql.map(DataFusionError::find_root) {
        return message.clone();
    }
    let text = with_causes(error);
    let place = sql.and_then(|error| error.diagnostic()?.span);
    match place.map(|place| (place.start.line, place.start.column)) {
        Some((line, column)) => format!("line {line}, column {column}: {text}"),
        None => text,
    }
}

/// Prints lines on the standard error output, in which every character can be seen. What cannot be
/// printed there stops no work.
pub(crate) fn tell(text: &str) {
    for line in text.split('\n') {
        let _ = writeln!(io::stderr(), "{}", Visible(line));
    }
}

/// Tells of damaged games that the statements met.
pub(crate) fn warn_of_damage(session: &Session) {
    warn(session.take_damaged());
}

/// Tells of damaged games, if there are any.
pub(crate) fn warn(damaged: u64) {
    if damaged > 0 {
        tell(&format!(
            "tabiya-sql: warning: damaged games were met {damaged} times; `tabiya verify` lists \
             them"
        ));
    }
}
