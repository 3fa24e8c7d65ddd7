//! `repair`: writes every readable game of a damaged database to a new one, and reports losses.

use std::{
    fs::File,
    io::{self, BufWriter, Write},
    path::Path,
    time::Instant,
};

use serde_json::{Value, json};
use tabiya::{
    Error, ErrorKind, Flow, GameLoss, Repair, RepairOptions, RepairedGame,
    limits::DAMAGED_LISTED_MAX,
};

use super::{
    databases,
    failure::Outcome,
    interrupt,
    keeping::{RepairArgs, ReportFormat},
    output::{self, Output, Pipe},
    progress::Progress,
    render::json_text,
    targets, written,
};

pub(crate) fn run(args: &RepairArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    match &args.target {
        Some(target) => repair(args, target, out),
        None => finish(args),
    }
}

/// Finishes an interrupted replacement of the source.
fn finish(args: &RepairArgs) -> anyhow::Result<Outcome> {
    let source = args.source.display();
    if !tabiya::finish_replacement(&args.source)? {
        anyhow::bail!(
            "{source}: no replacement is unfinished; name a new database to write the readable \
             games into"
        );
    }
    output::summarize(&format!("{source}: its replacement is finished"));
    Ok(Outcome::Done)
}

fn repair(args: &RepairArgs, target: &Path, out: &mut Output) -> anyhow::Result<Outcome> {
    let started = Instant::now();
    targets::check(std::slice::from_ref(&args.source), target, args.force)?;
    let mut report = Report::new(args, target, out)?;
    interrupt::watch();
    let mut progress = Progress::new("games");
    let options =
        RepairOptions::from(targets::overwrite(args.force)).opening(databases::options().clone());
    let repaired = tabiya::repair(
        &args.source,
        target,
        options,
        |game| report.game(game),
        |at| progress.update(at),
    );
    progress.clear();
    // If the report failed, it has stopped the repair.
    report.failure()?;
    let repaired = repaired?;
    report.finish(&repaired)?;
    written::warn_of_losses(&repaired.losses);
    output::summarize(&format!(
        "of {} {} sound, {} harmed, {} lost; {} written to {}, {:.3} s",
        output::games(repaired.games),
        repaired.sound,
        repaired.harmed,
        repaired.lost,
        repaired.sound + repaired.harmed,
        target.display(),
        started.elapsed().as_secs_f64()
    ));
    let is_harmless = |note: &Error| matches!(note.kind(), ErrorKind::SidecarUnused { .. });
    let is_sound = repaired.harmed + repaired.lost == 0;
    Ok(if is_sound && repaired.notes.iter().all(is_harmless) {
        Outcome::Done
    } else {
        Outcome::Damaged
    })
}

/// The report being written.
struct Report<'o> {
    writer: Box<dyn Write + 'o>,
    format: ReportFormat,
    failure: Option<io::Error>,
    /// Number of games listed, at most [`DAMAGED_LISTED_MAX`], and of those that are only counted.
    listed: usize,
    more: u64,
}

impl<'o> Report<'o> {
    fn new(args: &RepairArgs, target: &Path, out: &'o mut Output) -> anyhow::Result<Report<'o>> {
        let writer: Box<dyn Write + 'o> = match &args.report {
            None => {
                out.go_on_without_reader();
                Box::new(out)
            }
            Some(path) => {
                targets::check_report(path, &args.source, target, args.force)?;
                let failed = |cause| anyhow::anyhow!("{}: {cause}", path.display());
                let file = Pipe::going_on(File::create(path).map_err(failed)?);
                Box::new(BufWriter::new(file))
            }
        };
        Ok(Report {
            writer,
            format: args.format,
            failure: None,
            listed: 0,
            more: 0,
        })
    }

    /// Reports a game. A report that cannot be written ends the repair, unless nobody reads it any
    /// longer. The list is limited, because a few kilobytes can unpack to millions of damaged
    /// games.
    fn game(&mut self, game: &RepairedGame) -> Flow {
        if self.listed >= DAMAGED_LISTED_MAX {
            self.more += 1;
            return Flow::Continue(());
        }
        self.listed += 1;
        let written = match self.format {
            ReportFormat::Text => {
                let line = output::one_line(&game.to_string());
                writeln!(self.writer, "{line}")
            }
            ReportFormat::Jsonl => game
                .losses
                .iter()
                .try_for_each(|loss| writeln!(self.writer, "{}", json_text(&loss_row(game, loss)))),
        };
        match written {
            Ok(()) => Flow::Continue(()),
            Err(cause) => {
                self.failure = Some(cause);
                Flow::Break(())
            }
        }
    }

    fn failure(&mut self) -> io::Result<()> {
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Reports the number of unlisted games, and the notes on whole files.
    fn finish(mut self, repaired: &Repair) -> io::Result<()> {
        let more = self.more;
        match self.format {
            _ if more == 0 => {}
            ReportFormat::Text => {
                writeln!(self.writer, "and {more} more games that are not sound")?
            }
            ReportFormat::Jsonl => {
                writeln!(self.writer, "{}", json!({ "lost": "more", "games": more }))?;
            }
        }
        for note in &repaired.notes {
            match self.format {
                ReportFormat::Text => writeln!(self.writer, "note: {note}")?,
                ReportFormat::Jsonl => {
                    let mut row = json!({ "lost": "note" });
                    add_cause(&mut row, note);
                    writeln!(self.writer, "{}", json_text(&row))?;
                }
            }
        }
        self.writer.flush()
    }
}

/// Returns the JSON row of one loss.
fn loss_row(game: &RepairedGame, loss: &GameLoss) -> Value {
    let mut row = json!({
        "game": game.number,
        "newGame": game.new_number,
        "white": game.header.white,
        "black": game.header.black,
        "lost": loss.as_str(),
    });
    match loss {
        GameLoss::Moves { kept, .. } | GameLoss::Variations { kept, .. } => {
            row["keptPlies"] = json!(kept);
        }
        GameLoss::Name(slot) => row["tag"] = json!(slot.as_str()),
        GameLoss::Tag(name) => row["tag"] = json!(name),
        _ => {}
    }
    if let Some(cause) = loss.cause() {
        add_cause(&mut row, cause);
    }
    row
}

fn add_cause(row: &mut Value, cause: &Error) {
    row["cause"] = json!(cause.kind().to_string());
    row["path"] = json!(cause.path().map(|path| path.to_string_lossy()));
    row["offset"] = json!(cause.offset());
    row["line"] = json!(cause.line());
}
