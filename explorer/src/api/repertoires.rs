//! `/api/repertoires`, `/api/repertoire`, `/api/departure`: files of lines, what they have in a
//! position, and where a game leaves them.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{
    GameId, LeftBy, Repertoire, RepertoireCheck, RepertoireMove, RepertoireReport, shakmaty::Color,
};

use super::{json, lines::opened, rows::numbered, to_json};
use crate::{
    errors::Fault,
    folders::{Entry, Folder},
    ids::Id,
    limits::Ask,
    params::Params,
    registry::DatabaseRef,
    repertoires::is_listed,
    state::Explorer,
};

#[derive(Debug, Serialize)]
struct Answer {
    folders: Vec<OneFolder>,
}

#[derive(Debug, Serialize)]
struct OneFolder {
    name: String,
    /// Why it cannot be listed.
    fault: Option<String>,
    /// Whether there are more than are listed.
    more: bool,
    files: Vec<Row>,
}

#[derive(Debug, Serialize)]
struct Row {
    /// What requests call it: the folder's name and the file's.
    file: String,
    name: String,
    bytes: u64,
    /// Seconds since 1970.
    modified: Option<u64>,
    /// Why it cannot be read.
    fault: Option<String>,
}

/// What a file has in a position.
#[derive(Debug, Serialize)]
struct Has {
    file: String,
    /// All positions of the file.
    positions: usize,
    /// Damaged games of the file, which count as far as they are sound.
    damaged: u64,
    /// In the order of the file; null when it does not have the position.
    moves: Option<Vec<MoveRow>>,
}

#[derive(Debug, Serialize)]
struct MoveRow {
    uci: Option<String>,
    san: String,
}

/// Where a game leaves a file.
#[derive(Debug, Serialize)]
struct Departure {
    file: String,
    /// How; null when the game has no position of the file.
    left: Option<&'static str>,
    /// Whose move leaves it; null when the file or the game ends.
    by: Option<&'static str>,
    /// The half-move with which it leaves; null when the game ends in the file.
    ply: Option<u32>,
    /// That move, with its number in the file.
    played: Option<String>,
    /// What the file has there.
    answers: Vec<String>,
    /// Damaged games of the file, which count as far as they are sound.
    damaged: u64,
}

pub(super) async fn all(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    let found = explorer.beside(|explorer, ask| {
        let folders = explorer.repertoires.folders().iter();
        let folders = folders.map(|folder| list(folder, ask));
        to_json(&Answer {
            folders: folders.collect::<Result<_, _>>()?,
        })
    });
    Ok(json(found.await?))
}

fn list(folder: &Folder, ask: &Ask) -> Result<OneFolder, Fault> {
    ask.check()?;
    let (mut entries, more, fault) = match folder.entries() {
        Ok((entries, more)) => (entries, more, None),
        Err(fault) => (Vec::new(), false, Some(fault.text())),
    };
    entries.retain(is_listed);
    let row = |entry: Entry| Row {
        file: format!("{}/{}", folder.name, entry.file),
        bytes: entry.bytes(),
        modified: entry.modified(),
        fault: entry.check().err().map(|fault| fault.text()),
        name: entry.file,
    };
    Ok(OneFolder {
        name: folder.name.clone(),
        fault,
        more,
        files: entries.into_iter().map(row).collect(),
    })
}

pub(super) async fn moves(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let (file, position) = (file(&params)?, params.line()?);
    let found = explorer.beside(move |explorer, ask| {
        let read = explorer.repertoires.read(&file, ask)?;
        let row = |played: RepertoireMove| MoveRow {
            uci: played.next.uci(),
            san: played.san,
        };
        let moves = read.moves(&position);
        to_json(&Has {
            file,
            positions: read.positions(),
            damaged: read.damaged(),
            moves: moves.map(|moves| moves.into_iter().map(row).collect()),
        })
    });
    Ok(json(found.await?))
}

pub(super) async fn departure(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let (file, color) = (file(&params)?, color(&params)?);
    let id = params.text("id").and_then(Id::read);
    let id = id.ok_or_else(|| Fault::parameter("id", "no name of a game"))?;
    let found = explorer.search(Vec::new(), move |explorer, held, ask| {
        let own = held.iter().find(|held| held.index == id.database);
        let held = own.filter(|held| id.game.0 < held.len());
        let held = held.ok_or_else(|| Fault::Absent("there is no such game".to_owned()))?;
        let read = explorer.repertoires.read(&file, ask)?;
        let report = compared(&read, color, (held, id.game), ask)?;
        to_json(&Departure {
            file: file.clone(),
            damaged: read.damaged(),
            ..Departure::of(&report)
        })
    });
    Ok(json(found.await?))
}

/// Compares one game with a file.
fn compared(
    repertoire: &Repertoire,
    color: Color,
    (held, game): (&DatabaseRef, GameId),
    ask: &Ask,
) -> Result<RepertoireReport, Fault> {
    let query = numbered(held, &[game])?.ok_or(Fault::Internal)?;
    let check = RepertoireCheck::new(repertoire, color).query(&query);
    let held = opened(std::slice::from_ref(held));
    Ok(check.on_progress(|_| ask.flow()).run(&held)?)
}

impl Departure {
    fn of(report: &RepertoireReport) -> Departure {
        let game = report.games().first();
        let place = game.and_then(|game| report.places().get(game.place));
        let by = match place.map(|place| place.left) {
            Some(LeftBy::Me) => Some(report.color()),
            Some(LeftBy::Opponent) => Some(report.color().other()),
            _ => None,
        };
        let played = place.and_then(|place| place.played.first());
        Departure {
            file: String::new(),
            left: place.map(|place| place.left.name()),
            by: by.map(|side| side.fold_wb("white", "black")),
            ply: game.and_then(|game| game.ply),
            played: played.map(|played| played.san.clone()),
            answers: place.map_or(Vec::new(), |place| place.answers.clone()),
            damaged: 0,
        }
    }
}

/// Reads the name of a file of lines.
///
/// # Errors
/// When it is missing.
fn file(params: &Params) -> Result<String, Fault> {
    let file = params.text("file").filter(|file| !file.is_empty());
    let file = file.ok_or_else(|| Fault::parameter("file", "missing"))?;
    Ok(file.to_owned())
}

/// Reads whose lines they are.
///
/// # Errors
/// When that is not said.
pub(super) fn color(params: &Params) -> Result<Color, Fault> {
    match params.text("color") {
        Some("white") => Ok(Color::White),
        Some("black") => Ok(Color::Black),
        _ => Err(Fault::parameter("color", "neither `white` nor `black`")),
    }
}
