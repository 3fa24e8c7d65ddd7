//! `/api/lines`: the lines that games play from a position, to be saved.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header::CONTENT_TYPE,
    response::{IntoResponse, Response},
};
use tabiya::{Database, LineGraph, Lines, shakmaty::Color};

use super::{
    download::{named, stem},
    stream::{DAMAGED_GAMES, HARMED_GAMES},
};
use crate::{
    errors::Fault,
    params::Params,
    registry::DatabaseRef,
    state::{Explorer, damage},
};

/// Half-moves of a line unless the client says how many, and at most.
const DEPTH: u32 = 8;
const DEPTH_MAX: u32 = 40;

/// How lines are saved.
#[derive(Debug, Clone, Copy)]
enum Form {
    Pgn,
    Games,
    Book,
}

impl Form {
    fn new(name: &str) -> Result<Form, Fault> {
        match name {
            "pgn" => Ok(Form::Pgn),
            "games" => Ok(Form::Games),
            "bin" => Ok(Form::Book),
            _ => Err(Fault::parameter("format", "none of pgn, games, bin")),
        }
    }

    fn write(self, graph: &LineGraph) -> Vec<u8> {
        match self {
            Form::Pgn => graph.to_pgn().into_bytes(),
            Form::Games => graph.to_pgn_lines().into_bytes(),
            Form::Book => graph.to_polyglot(),
        }
    }

    /// Returns what it is and how files of it end.
    fn kind(self) -> (&'static str, &'static str) {
        match self {
            Form::Pgn | Form::Games => ("application/x-chess-pgn", "pgn"),
            Form::Book => ("application/octet-stream", "bin"),
        }
    }
}

pub(super) async fn lines(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let form = Form::new(params.text("format").unwrap_or("pgn"))?;
    let only = match params.text("only") {
        None | Some("") => None,
        Some("white") => Some(Color::White),
        Some("black") => Some(Color::Black),
        Some(_) => return Err(Fault::parameter("only", "neither `white` nor `black`")),
    };
    let depth = params.value("depth")?.unwrap_or(DEPTH);
    if !(1..=DEPTH_MAX).contains(&depth) {
        let message = format!("not from 1 to {DEPTH_MAX}");
        return Err(Fault::parameter("depth", message));
    }
    let (position, query) = (params.line()?, params.query()?);
    let (least, variations) = (params.value("minGames")?, params.flag("variations")?);
    let found = explorer.search(params.databases(), move |_, held, ask| {
        let mut lines = Lines::new(&position)
            .query(&query)
            .variations(variations)
            .depth(depth);
        if let Some(games) = least {
            lines = lines.min_games(games);
        }
        if let Some(side) = only {
            lines = lines.only(side);
        }
        let graph = lines.on_progress(|_| ask.flow()).run(&opened(held))?;
        let report = graph.report();
        let mut bytes = Vec::new();
        for damage in damage(report.damaged, report.harmed) {
            if !matches!(form, Form::Book) {
                bytes.extend(format!("% {damage}\n\n").bytes());
            }
        }
        bytes.extend(form.write(&graph));
        Ok((bytes, report.damaged, report.harmed))
    });
    let (bytes, damaged, harmed) = found.await?;
    let (kind, suffix) = form.kind();
    let head = [
        (CONTENT_TYPE, kind.to_owned()),
        (DAMAGED_GAMES, damaged.to_string()),
        (HARMED_GAMES, harmed.to_string()),
    ];
    let name = stem(params.text("name").or(Some("lines")));
    Ok(named(
        (head, bytes).into_response(),
        &format!("{name}.{suffix}"),
    ))
}

/// Returns databases for what is asked of all of them together.
pub(super) fn opened(held: &[DatabaseRef]) -> Vec<&Database> {
    held.iter().map(|held| &**held).collect()
}
