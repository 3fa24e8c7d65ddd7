//! `/api/folders`, `/api/open`, `/api/close`: databases that the page opens and closes.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};

use super::{json, posted_by_page, to_json};
use crate::{
    errors::Fault,
    folders::{Entry, Folder},
    limits::Ask,
    registry,
    state::Explorer,
};

#[derive(Debug, Serialize)]
struct Answer {
    folders: Vec<OneFolder>,
}

#[derive(Debug, Serialize)]
struct OneFolder {
    name: String,
    /// Whether an index can be written into it, as far as that is known.
    writable: bool,
    /// Whether the page may save games into it.
    saves: bool,
    /// Why it cannot be listed.
    fault: Option<String>,
    /// Whether there are more than are listed.
    more: bool,
    databases: Vec<Row>,
}

/// A database in a folder. What is not known before it is opened is null.
#[derive(Debug, Serialize)]
struct Row {
    file: String,
    format: Option<String>,
    games: Option<u32>,
    /// Damaged games that searches have met until now.
    damaged: Option<u64>,
    /// Of all its files.
    bytes: u64,
    /// Seconds since 1970.
    modified: Option<u64>,
    index: bool,
    /// Its name among the open databases.
    db: Option<String>,
    /// Whether the page may close it.
    closes: bool,
    /// Why it cannot be opened.
    fault: Option<String>,
}

/// What is posted to open a database.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OpenRequest {
    folder: String,
    file: String,
}

/// The name of an open database.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    db: String,
}

pub(super) async fn all(State(explorer): State<Arc<Explorer>>) -> Result<Response, Fault> {
    let found = explorer.beside(|explorer, ask| {
        let folders = explorer.folders.all().iter();
        let folders = folders.map(|folder| list(explorer, folder, ask));
        to_json(&Answer {
            folders: folders.collect::<Result<_, _>>()?,
        })
    });
    Ok(json(found.await?))
}

fn list(explorer: &Explorer, folder: &Folder, ask: &Ask) -> Result<OneFolder, Fault> {
    let (entries, more, fault) = match folder.entries() {
        Ok((entries, more)) => (entries, more, None),
        Err(fault) => (Vec::new(), false, Some(fault.message().to_owned())),
    };
    let row = |entry: &Entry| {
        ask.check()?;
        Ok(row(explorer, entry))
    };
    Ok(OneFolder {
        name: folder.name.clone(),
        writable: folder.is_writable(),
        saves: folder.saves,
        fault,
        more,
        databases: entries.iter().map(row).collect::<Result<_, Fault>>()?,
    })
}

fn row(explorer: &Explorer, entry: &Entry) -> Row {
    let slot = explorer.registry.of_file(&entry.path);
    let parts = slot.as_ref().map(|slot| slot.parts());
    let damaged = parts.as_ref().map(|parts| registry::damaged(parts));
    let (format, games, index, fault) = match parts {
        Some(parts) => {
            let format = parts.first().map(|part| part.kind().to_string());
            let has_index = parts.iter().all(|part| part.sidecar().is_some());
            (format, Some(registry::games(&parts)), has_index, None)
        }
        None => {
            let look = entry.look(|| explorer.registry.flow());
            (look.format, look.games, look.has_index, look.fault)
        }
    };
    Row {
        file: entry.file.clone(),
        format,
        games,
        damaged,
        bytes: entry.bytes(),
        modified: entry.modified(),
        index,
        closes: slot.as_ref().is_some_and(|slot| slot.is_of_folder),
        db: slot.map(|slot| slot.name().to_string()),
        fault,
    }
}

pub(super) async fn open(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted_by_page::<OpenRequest>(&explorer, request).await {
        Ok(wanted) => {
            let opened = explorer.beside(move |explorer, ask| opened(explorer, &wanted, ask));
            opened.await.map(json).into_response()
        }
        Err(response) => response,
    }
}

fn opened(explorer: &Explorer, wanted: &OpenRequest, ask: &Ask) -> Result<Vec<u8>, Fault> {
    let entry = explorer.folders.find(&wanted.folder, &wanted.file)?;
    if explorer.registry.of_path(&entry.path).is_none() {
        entry.check()?;
        let opened = explorer.registry.opened(&entry.path, |_| ask.flow())?;
        let registry = &explorer.registry;
        registry.add_of_folder(&wanted.folder, &entry.path, opened)?;
    }
    let slot = explorer.registry.of_path(&entry.path);
    let slot = slot.ok_or_else(|| Fault::Conflict("it was closed meanwhile".to_owned()))?;
    to_json(&Named {
        db: slot.name().to_string(),
    })
}

pub(super) async fn close(State(explorer): State<Arc<Explorer>>, request: Request) -> Response {
    match posted_by_page::<Named>(&explorer, request).await {
        Ok(named) => {
            let closed = explorer.registry.close(&named.db);
            let told = closed.and_then(|()| to_json(&named));
            told.map(json).into_response()
        }
        Err(response) => response,
    }
}
