//! `/api/export`: games to be saved, as PGN, as CSV or as a new database.

use std::sync::Arc;

use axum::{extract::State, response::Response};

use super::{
    chosen::Chosen,
    download::{named, stem},
    parcel,
    stream::{self, Form},
};
use crate::{errors::Fault, params::Params, state::Explorer};

/// Formats of new databases: those of programs for players.
const DATABASES: [&str; 5] = ["si5", "si4", "cbh", "2cbh", "dci"];

pub(super) async fn export(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let chosen = Chosen::new(&params)?;
    let stem = stem(params.text("name"));
    let format = params.text("format").unwrap_or("pgn");
    let form = match format {
        "pgn" => Some(Form::Pgn),
        "csv" => Some(Form::Csv),
        _ => None,
    };
    if let Some(form) = form {
        let response = stream::send(explorer, chosen, form).await?;
        return Ok(named(response, &format!("{stem}.{format}")));
    }
    let Some(suffix) = DATABASES.into_iter().find(|suffix| *suffix == format) else {
        let message = format!("none of pgn, csv, {}", DATABASES.join(", "));
        return Err(Fault::parameter("format", message));
    };
    let response = parcel::send(explorer, chosen, suffix, stem.clone()).await?;
    Ok(named(response, &format!("{stem}.zip")))
}
