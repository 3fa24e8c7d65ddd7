//! `/api/save`, `/api/remove`, `/api/undo`: a game of the analysis board goes into a database, one
//! is marked as deleted, and the last of that is taken back. Only in folders that `--write` names.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use tabiya::GameId;

use super::{
    game::Whole,
    json,
    pasted::{DEPTH_MAX, MOVES_MAX, TEXT_BYTES_MAX, database},
    posted_by_page, to_json,
};
use crate::{
    errors::{Fault, neutral},
    folders::Entry,
    ids::Id,
    pgn,
    registry::{self, Slot},
    saving::{self, Goal},
    state::Explorer,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SaveRequest {
    folder: String,
    file: String,
    /// One game.
    pgn: String,
    #[serde(default)]
    how: How,
    /// The number of the game that is replaced, from 1.
    number: Option<u32>,
    /// The PGN of that game as the page knows it: no other one is replaced.
    was: Option<String>,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum How {
    #[default]
    Add,
    Replace,
    New,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct UndoRequest {
    folder: String,
    file: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RemoveRequest {
    folder: String,
    file: String,
    /// The number of the game, from 1.
    number: u32,
    /// Its PGN as the page knows it: no other one is removed.
    was: String,
}

/// Where the game is.
#[derive(Debug, Serialize)]
struct Answer {
    db: String,
    id: String,
    number: u32,
    /// Games of the database.
    games: u32,
    /// The game as it is in the database.
    pgn: String,
    /// What the format could not hold.
    note: Option<String>,
}

#[derive(Debug, Serialize)]
struct Undone {
    db: String,
    games: u32,
}

pub(super) async fn save(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted_by_page::<SaveRequest>(&explorer, request).await {
        Ok(wanted) => saved(&explorer, wanted).await.into_response(),
        Err(response) => response,
    }
}

async fn saved(explorer: &Arc<Explorer>, wanted: SaveRequest) -> Result<Response, Fault> {
    allowed(explorer, &wanted.folder)?;
    let goal = wanted.goal()?;
    let work = explorer.clone();
    let done = explorer.saving.run(move |made| {
        let explorer = &*work;
        check_game(&wanted.pgn)?;
        let entry = wanted.entry(explorer)?;
        if let (Goal::Place(number), Some(was)) = (goal, &wanted.was) {
            check_same(explorer, &entry, number, was)?;
        }
        let saved = saving::save(
            &explorer.registry,
            made,
            &wanted.folder,
            &entry,
            &wanted.pgn,
            goal,
        )?;
        to_json(&Answer::new(&saved.slot, goal, saved.note)?)
    });
    Ok(json(done.await?))
}

pub(super) async fn remove(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted_by_page::<RemoveRequest>(&explorer, request).await {
        Ok(wanted) => removed(&explorer, wanted).await.into_response(),
        Err(response) => response,
    }
}

async fn removed(explorer: &Arc<Explorer>, wanted: RemoveRequest) -> Result<Response, Fault> {
    allowed(explorer, &wanted.folder)?;
    let work = explorer.clone();
    let done = explorer.saving.run(move |made| {
        let explorer = &*work;
        let RemoveRequest {
            folder,
            file,
            number,
            was,
        } = &wanted;
        let entry = explorer.folders.find(folder, file)?;
        entry.check()?;
        check_same(explorer, &entry, *number, was)?;
        let slot = saving::remove(&explorer.registry, made, folder, &entry, *number)?;
        to_json(&Undone::new(&slot))
    });
    Ok(json(done.await?))
}

pub(super) async fn undo(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted_by_page::<UndoRequest>(&explorer, request).await {
        Ok(wanted) => undone(&explorer, wanted).await.into_response(),
        Err(response) => response,
    }
}

async fn undone(explorer: &Arc<Explorer>, wanted: UndoRequest) -> Result<Response, Fault> {
    allowed(explorer, &wanted.folder)?;
    let work = explorer.clone();
    let done = explorer.saving.run(move |made| {
        let explorer = &*work;
        let UndoRequest { folder, file } = &wanted;
        let entry = explorer.folders.find(folder, file)?;
        entry.check()?;
        let slot = saving::undo(&explorer.registry, made, folder, &entry)?;
        to_json(&Undone::new(&slot))
    });
    Ok(json(done.await?))
}

/// Checks that games are saved into a folder at all.
fn allowed(explorer: &Explorer, folder: &str) -> Result<(), Fault> {
    if !explorer.folders.all().iter().any(|folder| folder.saves) {
        let what = "the server saves no games: it was started without --write";
        return Err(Fault::Refused(what));
    }
    if explorer.folders.named(folder)?.saves {
        return Ok(());
    }
    let what = "no games are saved into this folder; --write names those";
    Err(Fault::Refused(what))
}

impl SaveRequest {
    fn goal(&self) -> Result<Goal, Fault> {
        match (self.how, self.number, &self.was) {
            (How::Add, None, None) => Ok(Goal::End),
            (How::New, None, None) => Ok(Goal::New),
            (How::Replace, Some(number), Some(_)) => Ok(Goal::Place(number)),
            _ => {
                let what = "`replace`, and nothing else, goes with `number` and `was`";
                Err(Fault::parameter("how", what))
            }
        }
    }

    /// Returns the database that is meant.
    fn entry(&self, explorer: &Explorer) -> Result<Entry, Fault> {
        if let How::New = self.how {
            return explorer.folders.named(&self.folder)?.new_entry(&self.file);
        }
        let entry = explorer.folders.find(&self.folder, &self.file)?;
        entry.check()?;
        if !entry.is_written() {
            let what = "games are not saved into databases of this format; choose another one";
            return Err(Fault::parameter("file", what));
        }
        Ok(entry)
    }
}

/// Checks that a text is one game, whole and not too large.
fn check_game(pgn: &str) -> Result<(), Fault> {
    let wrong = |what: String| Err(Fault::Request(format!("nothing was saved: {what}")));
    if pgn.len() > TEXT_BYTES_MAX {
        return wrong(format!(
            "the game is longer than {} KB",
            TEXT_BYTES_MAX >> 10
        ));
    }
    let database = database(pgn)?;
    if database.len() != 1 {
        return wrong(format!(
            "one game is wanted, and these are {}",
            database.len()
        ));
    }
    let whole = match Whole::of(&database, GameId(0)) {
        Ok(whole) => whole,
        Err(fault) => return wrong(fault.text()),
    };
    if let Some(damage) = whole.damage() {
        return wrong(damage.to_owned());
    }
    if whole.moves() > MOVES_MAX || whole.depth() > DEPTH_MAX {
        return wrong(format!(
            "more than {MOVES_MAX} moves or {DEPTH_MAX} nested variations"
        ));
    }
    Ok(())
}

/// Checks that the game to be replaced is the one that the page has shown.
fn check_same(explorer: &Explorer, entry: &Entry, number: u32, was: &str) -> Result<(), Fault> {
    let registry = &explorer.registry;
    // Nothing is saved into files that have parts.
    for opened in registry.opened(&entry.path, |_| registry.flow())? {
        let game = opened.database.game(number)?;
        if pgn::beginning(&opened.database, game)? == was {
            return Ok(());
        }
    }
    let what = format!(
        "nothing was changed: game {number} is another one now; open it again, or save the game at \
         the end"
    );
    Err(Fault::Conflict(what))
}

impl Undone {
    fn new(slot: &Slot) -> Undone {
        Undone {
            db: slot.name().to_string(),
            games: registry::games(&slot.parts()),
        }
    }
}

impl Answer {
    fn new(slot: &Slot, goal: Goal, note: Option<String>) -> Result<Answer, Fault> {
        let parts = slot.parts();
        let gone = || Fault::Absent("there is no such game".to_owned());
        let held = parts.first().ok_or_else(gone)?;
        let number = match goal {
            Goal::Place(number) => number,
            Goal::End | Goal::New => held.len(),
        };
        let game = held
            .game(number)
            .map_err(|error| Fault::Unreadable(neutral(&error)))?;
        let id = Id {
            database: held.index,
            game,
        };
        Ok(Answer {
            db: held.name.to_string(),
            id: id.to_string(),
            number,
            games: held.len(),
            pgn: pgn::beginning(held, game)?,
            note,
        })
    }
}
