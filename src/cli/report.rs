//! `report`: writes what games tell about a player or an opening, as a page.

use std::ffi::OsString;

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};
use tabiya::{
    Database, Error, MainPlayer, OpeningReport, PlayerReport, Query, ReportMap, ReportRow,
    WrittenReport, chess::Flow,
};

use super::{
    databases,
    failure::{Outcome, Usage},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query::{self, QueryArgs},
    running,
    targets::TextArgs,
    tree::PositionArgs,
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
    /// The same about whoever plays in most of the games of a query, such as 'player:carlsen'
    Games(MadeArgs),
    /// What is played in an opening: results, lines, new moves, players, structures, plans, endings
    Opening(OpeningArgs),
}

#[derive(Debug, Args)]
struct PlayerArgs {
    /// The player's name as the database writes it; `tabiya names` lists names
    name: String,

    #[command(flatten)]
    made: MadeArgs,
}

#[derive(Debug, Args)]
struct OpeningArgs {
    #[command(flatten)]
    made: MadeArgs,

    /// The games whose opening has this in its name, such as `najdorf`, as the word `opening` finds
    #[arg(long, value_name = "NAME", conflicts_with_all = ["fen", "moves"])]
    #[arg(required_unless_present_any = ["fen", "moves"])]
    opening: Option<String>,

    /// The games that have a position
    #[command(flatten)]
    position: PositionArgs,
}

/// Of what a report is made, and how it is written.
#[derive(Debug, Args)]
struct MadeArgs {
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

impl MadeArgs {
    fn open(&self) -> anyhow::Result<Asked<'_>> {
        let format = self.format()?;
        let words = QueryArgs::of_words(&self.words);
        let (paths, words_of_query) = databases::split(&words)?;
        let query = query::read_with(words_of_query, &words)?;
        self.text.check(&paths, &words)?;
        Ok(Asked {
            args: self,
            format,
            sources: databases::open_all(&paths, databases::options())?,
            query,
        })
    }

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
        About::Player(args) => player(&args.name, &args.made.open()?, out),
        About::Games(args) => games(&args.open()?, out),
        About::Opening(args) => opening(args, out),
    }
}

fn player(name: &str, asked: &Asked<'_>, out: &mut Output) -> anyhow::Result<Outcome> {
    let player = PlayerReport::new(name).query(&asked.query);
    let report = asked.run(|databases, told| player.on_progress(told).run(databases))?;
    let name = output::one_line(name);
    let nobody = format!("no game of a player called exactly {name}");
    asked.write(&report, (&nobody, &player.to_query()), out)
}

/// Writes the report about the player who is in most of the games.
fn games(asked: &Asked<'_>, out: &mut Output) -> anyhow::Result<Outcome> {
    let query = &asked.query;
    match asked.ask(|databases, told| PlayerReport::main_player(query, databases, told))? {
        MainPlayer::NoGames => {
            running::hint(query, databases::whole(&asked.sources))?;
            Ok(Outcome::Nothing)
        }
        MainPlayer::Name(name) => player(&name, asked, out),
        MainPlayer::Nobody => {
            let message = "nobody plays in most of these games: `tabiya report player NAME` says \
                           whose games they are";
            Err(Usage(message.to_owned()).into())
        }
    }
}

fn opening(args: &OpeningArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let position = args.position.position()?;
    let asked = args.made.open()?;
    let opening = match &args.opening {
        Some(name) => OpeningReport::named(name),
        None => OpeningReport::of_position(&position),
    };
    let opening = opening.query(&asked.query);
    let report = asked.run(|databases, told| opening.on_progress(told).run(databases))?;
    asked.write(
        &report,
        ("no game of this opening", &opening.to_query()),
        out,
    )
}

/// Is told how far the work is.
type Told<'t> = &'t mut dyn FnMut(tabiya::Progress) -> Flow;

/// What a report is made of, opened.
struct Asked<'a> {
    args: &'a MadeArgs,
    format: Format,
    sources: Vec<databases::Source>,
    query: Query,
}

impl Asked<'_> {
    /// Makes the report and warns of games that could not be read.
    fn run(
        &self,
        make: impl FnOnce(&[&Database], Told<'_>) -> Result<WrittenReport, Error>,
    ) -> anyhow::Result<WrittenReport> {
        let report = self.ask(make)?;
        databases::warn_of_all(&self.sources, report.report());
        Ok(report)
    }

    /// Asks all databases together.
    fn ask<T>(
        &self,
        work: impl FnOnce(&[&Database], Told<'_>) -> Result<T, Error>,
    ) -> anyhow::Result<T> {
        let opened = databases::require_whole(&self.sources)?;
        let opened: Vec<&Database> = opened.iter().map(|opened| &opened.database).collect();
        interrupt::watch();
        let mut progress = Progress::new("games");
        let done = work(&opened, &mut |at| progress.update(at));
        progress.clear();
        interrupt::check()?;
        Ok(done?)
    }

    /// Writes the report; without games, says that there are none, with a hint to the query.
    fn write(
        &self,
        report: &WrittenReport,
        (none, query): (&str, &Query),
        out: &mut Output,
    ) -> anyhow::Result<Outcome> {
        let found = report.report().matched > 0;
        if found {
            let text = match self.format {
                Format::Markdown => report.to_markdown(),
                Format::Html => report.to_html(),
                Format::Json => format!("{}\n", json(report)),
            };
            if let Some(path) = self.args.text.write(text.as_bytes(), out)?
                && !output::is_quiet()
            {
                output::summarize(&format!("{} written", path.display()));
            }
        } else if !output::is_quiet() {
            output::summarize(none);
            running::hint(query, databases::whole(&self.sources))?;
        }
        Ok(Outcome::of_matches(found))
    }
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
    let map = |map: &ReportMap| {
        json!({
            "man": map.man.char().to_string(),
            "of": map.of,
            "squares": map.games.to_vec(),
        })
    };
    let sections = report.sections().iter().map(|section| {
        let rows: Vec<Value> = section.rows.iter().map(row).collect();
        let maps: Vec<Value> = section.maps.iter().map(map).collect();
        json!({ "title": section.title, "note": section.note, "maps": maps, "rows": rows })
    });
    let sections: Vec<Value> = sections.collect();
    json!({
        "title": report.title(),
        "databases": report.databases(),
        "games": report.report().matched,
        "damaged": report.report().damaged,
        "harmed": report.report().harmed,
        "sections": sections,
    })
}
