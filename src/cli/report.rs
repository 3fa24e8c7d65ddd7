//! `report`: writes what games tell about somebody, as a page.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use tabiya::{Database, PlayerReport, ReportRow, WrittenReport};

use super::{
    databases,
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query::{self, QueryArgs},
    running,
    targets::TextArgs,
};

#[derive(Debug, Args)]
pub(crate) struct ReportArgs {
    #[command(subcommand)]
    about: About,
}

#[derive(Debug, Subcommand)]
enum About {
    /// What a player does: results, openings, structures, endings, opponents
    Player(PlayerArgs),
}

#[derive(Debug, Args)]
struct PlayerArgs {
    /// The player's name as the database writes it; `tabiya names` lists names
    name: String,

    /// The databases, then a query that chooses among the games
    #[arg(value_name = "DB", required = true)]
    words: Vec<OsString>,

    /// How to write it; with -o its suffix says it unless given: .html, .md, .json
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    text: TextArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Tables for people and for notes
    Markdown,
    /// One page without scripts; each figure leads to its query
    Html,
    /// Tables with the query of each row
    Json,
}

impl PlayerArgs {
    fn format(&self) -> Result<Format, Usage> {
        match (self.format, self.text.suffix()) {
            (Some(format), _) => Ok(format),
            (None, None) => Ok(Format::Markdown),
            (None, Some((path, suffix))) => match suffix.as_str() {
                "md" => Ok(Format::Markdown),
                "html" | "htm" => Ok(Format::Html),
                "json" => Ok(Format::Json),
                _ => Err(Usage(format!(
                    "{}: a report is written as .html, .md or .json; for another name say --format",
                    path.display()
                ))),
            },
        }
    }
}

pub(crate) fn run(args: &ReportArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    match &args.about {
        About::Player(args) => player(args, out),
    }
}

fn player(args: &PlayerArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let format = args.format()?;
    let words = QueryArgs::of_words(&args.words);
    let (paths, words_of_query) = databases::split(&words)?;
    let query = query::read_with(words_of_query, &words)?;
    args.text.check(paths, &words)?;
    let sources = databases::open_all(paths, databases::options())?;
    let opened = databases::require_whole(&sources)?;
    let opened: Vec<&Database> = opened.iter().map(|opened| &opened.database).collect();
    interrupt::watch();
    let mut progress = Progress::new("games");
    let player = PlayerReport::new(&args.name).query(&query);
    let report = player.on_progress(|at| progress.update(at)).run(&opened);
    progress.clear();
    interrupt::check()?;
    let report = report?;
    databases::warn_of_all(&sources, report.report());
    let found = report.report().matched > 0;
    if found {
        let text = match format {
            Format::Markdown => report.to_markdown(),
            Format::Html => report.to_html(),
            Format::Json => format!("{}\n", json(&report)),
        };
        if let Some(path) = args.text.write(text.as_bytes(), out)?
            && !output::is_quiet()
        {
            output::summarize(&format!("{} written", path.display()));
        }
    } else if !output::is_quiet() {
        let name = output::one_line(&args.name);
        output::summarize(&format!("no game of a player called exactly {name}"));
        running::hint(&player.to_query(), databases::whole(&sources))?;
    }
    Ok(Outcome::of_matches(found))
}

fn json(report: &WrittenReport) -> Value {
    let row = |row: &ReportRow| {
        json!({
            "label": row.label,
            "depth": row.depth,
            "query": row.query.to_string(),
            "games": row.games,
            "of": row.of,
            "won": row.won,
            "drawn": row.drawn,
            "lost": row.lost,
            "lately": row.lately,
            "fen": row.fen,
        })
    };
    let sections = report.sections().iter().map(|section| {
        let rows: Vec<Value> = section.rows.iter().map(row).collect();
        json!({ "title": section.title, "note": section.note, "rows": rows })
    });
    let sections: Vec<Value> = sections.collect();
    json!({
        "title": report.title(),
        "databases": report.databases(),
        "games": report.report().matched,
        "sections": sections,
    })
}
