//! `/api/report`: what games tell about a player, an opening or somebody's lines, as a page or as
//! text.

use std::sync::Arc;

use axum::{
    extract::State,
    http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE},
    response::{IntoResponse, Response},
};
use tabiya::{
    Database, MainPlayer, OpeningReport, PlayerReport, Query, RepertoireCheck, Report,
    TreePosition, WrittenReport, shakmaty::Color,
};

use super::{
    lines::opened,
    repertoires,
    stream::{DAMAGED_GAMES, HARMED_GAMES},
};
use crate::{
    errors::Fault,
    limits::Ask,
    params::{Params, percent_encoded},
    registry::{self, DatabaseRef},
    state::Explorer,
};

/// A report brings its style along, and nothing else is let in.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

/// How a report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Html,
    Markdown,
    Pgn,
}

/// What a report is about.
#[derive(Debug)]
enum About {
    /// The player of exactly this name.
    Player(String),
    /// Whoever plays in most of the games.
    Games,
    /// Openings with this in their names.
    Opening(String),
    Position(Box<TreePosition>),
    /// Somebody's lines: a file of these, and whose they are.
    Lines(String, Color),
}

/// What is asked.
#[derive(Debug)]
struct ReportRequest {
    about: About,
    form: Form,
    query: Query,
    /// The same as it was written.
    text: String,
}

pub(super) async fn report(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let asked = ReportRequest::new(&params)?;
    let kind = match asked.form {
        Form::Html => "text/html; charset=utf-8",
        Form::Markdown => "text/markdown; charset=utf-8",
        Form::Pgn => "application/x-chess-pgn",
    };
    let found = explorer.search(params.databases(), move |explorer, held, ask| {
        asked.answer(explorer, held, ask)
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

impl ReportRequest {
    fn new(params: &Params) -> Result<ReportRequest, Fault> {
        let about = about(params)?;
        let is_of_lines = matches!(about, About::Lines(..));
        let form = match (params.text("format"), is_of_lines) {
            (None | Some("html"), _) => Form::Html,
            (Some("markdown"), false) => Form::Markdown,
            (Some("pgn"), true) => Form::Pgn,
            (Some(_), false) => {
                return Err(Fault::parameter("format", "neither `html` nor `markdown`"));
            }
            (Some(_), true) => return Err(Fault::parameter("format", "neither `html` nor `pgn`")),
        };
        Ok(ReportRequest {
            about,
            form,
            query: params.query()?,
            text: params.text("q").unwrap_or_default().trim().to_owned(),
        })
    }

    /// Returns the report and how many damaged games it leaves out, or has in part.
    fn answer(
        &self,
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<(String, u64, u64), Fault> {
        let names = registry::names(held);
        let address = format!("/?db={}&q=", percent_encoded(&names.join(",")));
        if let About::Lines(file, color) = &self.about {
            let (text, report) = self.lines((file, *color), explorer, held, ask)?;
            return Ok((text, report.damaged, report.harmed));
        }
        let about = self.written(&opened(held), ask)?;
        let about = about.call_databases(names).ask_at(&address);
        let text = match self.form {
            Form::Markdown => about.to_markdown(),
            _ => about.to_html(),
        };
        let report = about.report();
        Ok((text, report.damaged, report.harmed))
    }

    /// Makes a report about a player or an opening.
    fn written(&self, bases: &[&Database], ask: &Ask) -> Result<WrittenReport, Fault> {
        let player = |name: &str| {
            let report = PlayerReport::new(name).query(&self.query);
            Ok(report.on_progress(|_| ask.flow()).run(bases)?)
        };
        let opening = |report: OpeningReport<'_>| {
            let report = report.query(&self.query);
            Ok(report.on_progress(|_| ask.flow()).run(bases)?)
        };
        match &self.about {
            About::Player(name) => player(name),
            About::Games => match PlayerReport::main_player(&self.query, bases, |_| ask.flow())? {
                MainPlayer::Name(name) => player(&name),
                MainPlayer::NoGames => Err(Fault::Absent("no game matches".to_owned())),
                MainPlayer::Nobody => {
                    Err(Fault::parameter("q", "nobody plays in most of these games"))
                }
            },
            About::Opening(name) => opening(OpeningReport::named(name)),
            About::Position(position) => opening(OpeningReport::of_position(position)),
            About::Lines(..) => Err(Fault::Internal),
        }
    }

    /// Compares games with a file of lines.
    fn lines(
        &self,
        (file, color): (&str, Color),
        explorer: &Explorer,
        held: &[DatabaseRef],
        ask: &Ask,
    ) -> Result<(String, Report), Fault> {
        let read = explorer.repertoires.read(file, ask)?;
        let check = RepertoireCheck::new(&read, color).query(&self.query);
        let report = check.on_progress(|_| ask.flow()).run(&opened(held))?;
        if self.form == Form::Pgn {
            return Ok((report.to_pgn(), report.report().clone()));
        }
        let names = registry::names(held);
        let name = file.rsplit('/').next().unwrap_or_default();
        let mut games = names.join(", ");
        if !self.text.is_empty() {
            games += &format!(" that match {}", self.text);
        }
        let about = report.about(&games, name);
        let (db, q) = (
            percent_encoded(&names.join(",")),
            percent_encoded(&self.text),
        );
        let address = format!("/?db={db}&q={q}&fen=");
        let title = format!("Games and the lines of {name}");
        let text = report.to_html(&title, &about, Some(&address));
        Ok((text, report.report().clone()))
    }
}

/// Reads what the report is about, of which there is one thing.
fn about(params: &Params) -> Result<About, Fault> {
    let given = |name| params.text(name).filter(|text| !text.is_empty());
    let (player, opening, file) = (given("player"), given("opening"), given("file"));
    let (games, position) = (params.flag("games")?, params.line()?);
    let named = [player.is_some(), games, opening.is_some(), file.is_some()];
    if named.into_iter().filter(|is_given| *is_given).count() > 1 {
        let message = "a report is about one of `player`, `games`, `opening`, `file`";
        return Err(Fault::Request(message.to_owned()));
    }
    if file.is_none() && given("color").is_some() {
        return Err(Fault::parameter("color", "goes with `file`"));
    }
    Ok(match (player, opening, file) {
        (Some(name), _, _) => About::Player(name.to_owned()),
        (_, Some(name), _) => About::Opening(name.to_owned()),
        (_, _, Some(file)) => About::Lines(file.to_owned(), repertoires::color(params)?),
        _ if games => About::Games,
        _ => About::Position(Box::new(position)),
    })
}
