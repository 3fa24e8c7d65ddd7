//! `/api/report`: what games tell about a player or an opening, as a page or as Markdown.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use tabiya::{OpeningReport, PlayerReport};

use super::{
    lines::opened,
    stream::{DAMAGED_GAMES, HARMED_GAMES},
};
use crate::{
    errors::Fault,
    params::{Params, percent_encoded},
    state::Explorer,
};

/// A report brings its style along, and nothing else is let in.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

pub(super) async fn report(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let kind = match params.text("format") {
        None | Some("html") => "text/html; charset=utf-8",
        Some("markdown") => "text/markdown; charset=utf-8",
        Some(_) => return Err(Fault::parameter("format", "neither `html` nor `markdown`")),
    };
    let is_page = kind.starts_with("text/html");
    let given = |name| params.text(name).filter(|text| !text.is_empty());
    let player = given("player").map(str::to_owned);
    let opening = given("opening").map(str::to_owned);
    if player.is_some() && opening.is_some() {
        let message = "a report is about a player or about an opening";
        return Err(Fault::parameter("opening", message));
    }
    let (position, query) = (params.line()?, params.query()?);
    let found = explorer.search(params.databases(), move |_, held, ask| {
        let bases = opened(held);
        let about = match (&player, &opening) {
            (Some(name), _) => {
                let report = PlayerReport::new(name).query(&query);
                report.on_progress(|_| ask.flow()).run(&bases)?
            }
            (None, name) => {
                let report = match name {
                    Some(name) => OpeningReport::named(name),
                    None => OpeningReport::of_position(&position),
                };
                let report = report.query(&query);
                report.on_progress(|_| ask.flow()).run(&bases)?
            }
        };
        let names: Vec<String> = held.iter().map(|held| held.name.to_string()).collect();
        let address = format!("/?db={}&q=", percent_encoded(&names.join(",")));
        let about = about.call_databases(names).ask_at(&address);
        let text = if is_page {
            about.to_html()
        } else {
            about.to_markdown()
        };
        let report = about.report();
        Ok((text, report.damaged, report.harmed))
    });
    let (text, damaged, harmed) = found.await?;
    let head = [
        (CONTENT_TYPE, kind.to_owned()),
        (CONTENT_SECURITY_POLICY, POLICY.to_owned()),
        (DAMAGED_GAMES, damaged.to_string()),
        (HARMED_GAMES, harmed.to_string()),
    ];
    Ok((head, text).into_response())
}
