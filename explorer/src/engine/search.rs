//! One search: the engine is started if it is not there, told what to do, and listened to.

use std::time::Duration;

use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};
use tokio::{
    sync::{oneshot, watch},
    time::{Instant, sleep_until, timeout},
};

use super::{
    Analysis, AnalysisRequest, Settings, Slot,
    process::{Process, Trouble},
};

/// How long the engine may take for what it must answer at once.
const ANSWER_TIME: Duration = Duration::from_secs(5);
/// The same when it was told to stop, or its time is over.
const STOP_TIME: Duration = Duration::from_secs(1);
/// Characters of its name.
const NAME_CHARS: usize = 80;

/// Why a search ends that nothing is wrong with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Time,
    End,
    Replaced,
    Left,
}

/// Searches when the one before is over. Returns what the engine calls itself.
pub(super) async fn run(
    settings: &Settings,
    slot: &Slot,
    asked: &AnalysisRequest,
    tell: &watch::Sender<Analysis>,
    mut replaced: oneshot::Receiver<()>,
) -> Option<String> {
    let mut process = tokio::select! {
        process = slot.lock() => process,
        _ = &mut replaced => {
            finish(tell, Ok(Over::Replaced));
            return None;
        }
        () = tell.closed() => return None,
    };
    // Taken out of its place, so that it is killed when something goes wrong, or when this future
    // is dropped.
    let working = match ready(process.take(), asked.engine).await {
        Some(working) => Ok(working),
        None => start(settings).await,
    };
    let (name, over) = match working {
        Err(trouble) => (None, Err(trouble)),
        Ok(mut working) => {
            let name = working.name.clone();
            tell.send_if_modified(|analysis| {
                analysis.engine = Some(name.clone());
                false
            });
            let over = think(&mut working, asked, tell, &mut replaced).await;
            *process = over.is_ok().then_some((asked.engine, working));
            (Some(name), over)
        }
    };
    finish(tell, over);
    name
}

/// Returns the process that is there if it is of the engine asked for and still runs. One of
/// another engine ends: only one runs.
async fn ready(held: Option<(usize, Process)>, engine: usize) -> Option<Process> {
    let (of, process) = held?;
    if of == engine {
        return process.alive();
    }
    process.quit().await;
    None
}

/// Starts the engine within the limits of the command line.
async fn start(settings: &Settings) -> Result<Process, Trouble> {
    let mut process = Process::start(&settings.path)?;
    process.write("uci").await?;
    let greeted = timeout(ANSWER_TIME, greeting(&mut process)).await;
    greeted.map_err(|_| "the engine does not answer to `uci`".to_owned())??;
    for (name, value) in [("Threads", settings.threads), ("Hash", settings.hash)] {
        set(&mut process, name, value).await?;
    }
    Ok(process)
}

/// Reads what the engine says of itself: its name, and the options that it has.
async fn greeting(process: &mut Process) -> Result<(), Trouble> {
    loop {
        let line = process.read().await?;
        if let Some(name) = line.strip_prefix("id name ") {
            process.name = name.chars().take(NAME_CHARS).collect();
        } else if let Some(option) = line.strip_prefix("option name ") {
            process
                .options
                .extend(option.split_once(" type ").map(|(name, rest)| {
                    let mut words = rest.split_ascii_whitespace();
                    let max = words.find(|word| *word == "max").and_then(|_| words.next());
                    let max = max.and_then(|max| max.parse().ok());
                    (name.trim().to_ascii_lowercase(), max)
                }));
        } else if line == "uciok" {
            return Ok(());
        }
    }
}

/// Sets an option if the engine has it, to no more than it takes.
async fn set(process: &mut Process, name: &str, value: u32) -> Result<(), Trouble> {
    let Some(max) = process.options.get(&name.to_ascii_lowercase()) else {
        return Ok(());
    };
    let value = max.map_or(value, |max| value.min(max));
    let line = format!("setoption name {name} value {value}");
    process.write(&line).await
}

/// Sets up the position and waits until the engine is ready for it.
async fn prepare(process: &mut Process, asked: &AnalysisRequest) -> Result<(), Trouble> {
    let AnalysisRequest {
        position, lines, ..
    } = asked;
    set(process, "MultiPV", *lines).await?;
    if process.options.contains_key("uci_chess960") {
        let is_other = mode(position) == CastlingMode::Chess960;
        let line = format!("setoption name UCI_Chess960 value {is_other}");
        process.write(&line).await?;
    }
    process.write("isready").await?;
    let ready = async {
        while process.read().await? != "readyok" {}
        Ok::<_, Trouble>(())
    };
    let ready = timeout(ANSWER_TIME, ready).await;
    ready.map_err(|_| "the engine does not answer".to_owned())??;
    let fen = Fen::from_position(position, EnPassantMode::Legal);
    process.write(&format!("position fen {fen}")).await
}

/// Returns how castling is written for this position.
pub(super) fn mode(position: &Chess) -> CastlingMode {
    CastlingMode::detect(&position.to_setup(EnPassantMode::Legal))
}

/// Lets the engine think until it is over or nobody wants to know any more.
async fn think(
    process: &mut Process,
    asked: &AnalysisRequest,
    tell: &watch::Sender<Analysis>,
    replaced: &mut oneshot::Receiver<()>,
) -> Result<Over, Trouble> {
    process.begin();
    prepare(process, asked).await?;
    let go = if asked.is_endless {
        "go infinite".to_owned()
    } else {
        format!("go movetime {}", asked.time.as_millis().max(1))
    };
    process.write(&go).await?;
    let started = Instant::now();
    // The engine's own clock is trusted for a moment.
    let mut until = started + asked.time + STOP_TIME;
    let mut over = None;
    loop {
        let stopped = tokio::select! {
            line = process.read() => {
                let line = line?;
                if line.split_ascii_whitespace().next() == Some("bestmove") {
                    let has_time = started.elapsed() + STOP_TIME / 2 < asked.time;
                    let own = if has_time { Over::End } else { Over::Time };
                    return Ok(over.unwrap_or(own));
                }
                if over.is_none() {
                    let add = |found: &mut Analysis| {
                        found.add(&line, &asked.position, asked.lines)
                    };
                    tell.send_if_modified(add);
                }
                continue;
            }
            _ = &mut *replaced, if over.is_none() => Over::Replaced,
            () = tell.closed(), if over.is_none() => Over::Left,
            () = sleep_until(until), if over.is_none() => Over::Time,
            () = sleep_until(until), if over.is_some() => {
                return Err("the engine does not stop when it is told to".to_owned());
            }
        };
        over = Some(stopped);
        process.write("stop").await?;
        until = Instant::now() + STOP_TIME;
    }
}

/// Tells why the search is over.
fn finish(tell: &watch::Sender<Analysis>, over: Result<Over, Trouble>) {
    tell.send_modify(|analysis| {
        let (over, error) = match over {
            Ok(Over::Replaced) => ("replaced", None),
            Ok(Over::Left) => ("left", None),
            Err(trouble) => ("fault", Some(trouble)),
            Ok(_) if analysis.lines.is_empty() => {
                let what = "the engine named no move that can be played";
                ("fault", Some(what.to_owned()))
            }
            Ok(Over::Time) => ("time", None),
            Ok(Over::End) => ("end", None),
        };
        analysis.over = Some(over);
        analysis.error = error;
    });
}
