//! The program `tabiya-sql`: SQL over chess databases, and their export as Parquet.

mod convert;
mod output;
mod progress;
mod prompt;
mod warnings;

use std::{
    io::{IsTerminal, Read as _},
    net::SocketAddr,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use clap::{Parser, Subcommand, ValueEnum};
use tabiya::Flow;
use tabiya_sql::{
    Base, Session, Table,
    cluster::{Executor, Scheduler, run_executor, run_scheduler},
    export::export,
};

use output::{Format, Target};
use progress::Counts;

/// Errors of the program, told as they are.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The exit code after Ctrl-C.
const INTERRUPTED: u8 = 130;

/// SQL over chess databases, where they lie.
///
/// The databases named here are the tables `games`, `moves`, `tags`, `nags` and `variations`; SQL
/// can name others:
/// `select count(*) from games('b.pgn', query => 'eco:B90 at(check)')`.
#[derive(Debug, Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Databases of any format that tabiya reads.
    databases: Vec<PathBuf>,
    /// The statements to run. Without it, they are read from the terminal or the standard input.
    #[arg(short = 'c', long = "command")]
    command: Option<String>,
    /// How rows are written; a table on a terminal, otherwise CSV.
    #[arg(long)]
    format: Option<Format>,
    /// The file to write rows to instead of the standard output.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Run queries on the cluster of this scheduler, as HOST:PORT.
    #[arg(long)]
    cluster: Option<String>,
    /// Seconds that a query waits for an executor if the scheduler has none.
    #[arg(
        long,
        default_value_t = 60,
        value_name = "SECONDS",
        requires = "cluster"
    )]
    wait: u64,
    #[command(subcommand)]
    subcommand: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write tables as Parquet files to a new folder.
    Export {
        /// Databases, and then the folder.
        #[arg(required = true, num_args = 2..)]
        paths: Vec<PathBuf>,
        /// Which tables.
        #[arg(long, value_delimiter = ',', default_value = "games,moves")]
        tables: Vec<ExportTable>,
        /// Write the positions of `moves` and `variations` too.
        #[arg(long)]
        fens: bool,
        /// Threads; all processors by default.
        #[arg(long)]
        threads: Option<usize>,
    },
    /// Write the games of Parquet files, or of other databases, as a database of tabiya.
    ///
    /// `tabiya-sql convert train-00000.parquet games.si5`
    Convert {
        /// What to read, and last what to write, in a format that tabiya writes.
        #[arg(required = true, num_args = 2..)]
        paths: Vec<PathBuf>,
        /// Replace the database that is to be written, if it exists.
        #[arg(long)]
        force: bool,
    },
    /// Divide the queries of clients into tasks for executors. One for each cluster.
    Scheduler {
        /// The address that clients and executors connect to.
        #[arg(long, default_value = "127.0.0.1:50050")]
        listen: SocketAddr,
        /// Seconds without a sign of an executor after which its queries run again without it.
        #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u64).range(6..))]
        lost_after: u64,
    },
    /// Run tasks of a scheduler.
    Executor {
        /// The scheduler, as HOST:PORT.
        #[arg(long, default_value = "127.0.0.1:50050")]
        scheduler: String,
        /// The address that clients and other executors fetch rows from.
        #[arg(long, default_value = "127.0.0.1:50051")]
        listen: SocketAddr,
        /// How many tasks run at the same time; as many as processors by default.
        #[arg(long)]
        tasks: Option<usize>,
        /// The folders whose databases may be read.
        #[arg(required = true)]
        folders: Vec<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportTable {
    Games,
    Moves,
    Tags,
    Nags,
    Variations,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    warnings::to_stderr();
    let done = match tokio::runtime::Runtime::new() {
        Ok(runtime) => {
            let done = runtime.block_on(run(arguments));
            // Nobody waits for what is still running.
            runtime.shutdown_background();
            done
        }
        Err(error) => Err(error.into()),
    };
    match done {
        Ok(code) => code,
        Err(error) => {
            output::tell(&format!(
                "tabiya-sql: error: {}",
                output::told(error.as_ref())
            ));
            ExitCode::from(2)
        }
    }
}

async fn run(arguments: Arguments) -> Result<ExitCode, Failure> {
    if let Some(command) = arguments.subcommand {
        return run_command(command).await;
    }
    let bases = open(&arguments.databases)?;
    if let Some(path) = &arguments.output {
        is_no_database(path, &bases)?;
    }
    let session = match &arguments.cluster {
        Some(address) => Session::on_cluster(bases, address, Duration::from_secs(arguments.wait))?,
        None => Session::new(bases)?,
    };
    let format = arguments.format.unwrap_or(match &arguments.output {
        None if std::io::stdout().is_terminal() => Format::Table,
        _ => Format::Csv,
    });
    let text = match arguments.command {
        Some(text) => text,
        None if std::io::stdin().is_terminal() => {
            let target = Target {
                format,
                path: arguments.output,
            };
            prompt::run(&session, &target).await?;
            return Ok(ExitCode::SUCCESS);
        }
        None => {
            let mut text = String::new();
            std::io::stdin().read_to_string(&mut text)?;
            text
        }
    };
    let target = Target {
        format,
        path: arguments.output,
    };
    let done = target.run(&session, text).await;
    output::warn_of_damage(&session);
    Ok(match done? {
        Some(()) => ExitCode::SUCCESS,
        None => ExitCode::from(INTERRUPTED),
    })
}

/// Refuses to overwrite a file that is being read.
fn is_no_database(path: &Path, bases: &[Arc<Base>]) -> Result<(), Failure> {
    let Ok(path) = path.canonicalize() else {
        return Ok(());
    };
    let mut files = bases.iter().flat_map(|base| base.files());
    if files.any(|file| file.canonicalize().is_ok_and(|file| file == path)) {
        return Err(format!("{}: belongs to a database that is read", path.display()).into());
    }
    Ok(())
}

async fn run_command(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Export {
            mut paths,
            tables,
            fens,
            threads,
        } => {
            let folder = paths.pop().ok_or("no folder")?;
            run_export(open(&paths)?, folder, &tables, fens, threads).await
        }
        Command::Convert { mut paths, force } => {
            let target = paths.pop().ok_or("no target")?;
            convert::run(paths, target, force).await
        }
        Command::Scheduler { listen, lost_after } => {
            output::tell(&format!("tabiya-sql: scheduler at {listen}"));
            let lost_after = Duration::from_secs(lost_after);
            run_scheduler(&Scheduler { listen, lost_after }).await?;
            Ok(ExitCode::SUCCESS)
        }
        Command::Executor {
            scheduler,
            listen,
            tasks,
            folders,
        } => {
            output::tell(&format!(
                "tabiya-sql: executor at {listen} for the scheduler at {scheduler}"
            ));
            let executor = Executor {
                scheduler,
                listen,
                folders,
                tasks: tasks.unwrap_or_else(processors),
            };
            tokio::task::spawn_blocking(move || run_executor(&executor)).await??;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

fn open(paths: &[PathBuf]) -> Result<Vec<Arc<Base>>, Failure> {
    let mut bases: Vec<Arc<Base>> = Vec::new();
    for path in paths {
        for entry in tabiya::format::left_out(path)? {
            eprintln!("tabiya-sql: warning: {entry}");
        }
        for path in tabiya::databases_named(path)? {
            let is_taken = |name: &str| bases.iter().any(|other| other.name() == name);
            let mut opened = Base::open_each(&path, is_taken)?;
            bases.append(&mut opened);
        }
    }
    Ok(bases)
}

async fn run_export(
    bases: Vec<Arc<Base>>,
    folder: PathBuf,
    tables: &[ExportTable],
    fens: bool,
    threads: Option<usize>,
) -> Result<ExitCode, Failure> {
    let tables: Vec<Table> = tables
        .iter()
        .map(|table| match table {
            ExportTable::Games => Table::Games,
            ExportTable::Moves => Table::Moves,
            ExportTable::Tags => Table::Tags,
            ExportTable::Nags => Table::Nags,
            ExportTable::Variations => Table::Variations,
        })
        .collect();
    let threads = threads.unwrap_or_else(processors);
    let counted = bases.clone();
    let started = std::time::Instant::now();
    let work = move |go_on: &(dyn Fn() -> Flow + Sync)| {
        export(&bases, &tables, fens, Path::new(&folder), threads, go_on)
    };
    let counts = || Counts {
        rows: counted.iter().map(|base| base.rows_read()).sum(),
        games: counted.iter().map(|base| base.games_decoded()).sum(),
    };
    let Some(done) = until_stopped(counts, work).await? else {
        return Ok(ExitCode::from(INTERRUPTED));
    };
    let done = done?;
    let seconds = started.elapsed().as_secs_f64();
    output::tell(&format!(
        "{} files, {} rows, {seconds:.3} s",
        done.files, done.rows
    ));
    output::warn(counted.iter().map(|base| base.take_damaged()).sum());
    Ok(ExitCode::SUCCESS)
}

/// Does work on another thread, which Ctrl-C makes it give up and remove. Returns `None` then.
async fn until_stopped<T: Send + 'static>(
    counts: impl Fn() -> Counts,
    work: impl FnOnce(&(dyn Fn() -> Flow + Sync)) -> T + Send + 'static,
) -> Result<Option<T>, Failure> {
    let stopped = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stopped);
    let work = tokio::task::spawn_blocking(move || {
        work(&|| {
            if asked.load(Ordering::Relaxed) {
                Flow::Break(())
            } else {
                Flow::Continue(())
            }
        })
    });
    let work = progress::show(true, counts, work);
    tokio::pin!(work);
    tokio::select! {
        done = &mut work => Ok(Some(done?)),
        _ = tokio::signal::ctrl_c() => {
            stopped.store(true, Ordering::Relaxed);
            // What was written so far is removed.
            let _ = work.await;
            Ok(None)
        }
    }
}
