//! `repertoire`: compares games with the lines of somebody's files.

use std::{ffi::OsString, io::Write, path::PathBuf, sync::Arc};

use clap::{Args, ValueEnum};
use serde_json::Value;
use tabiya::{
    Database, LeavingGame, LeavingPlace, LeftBy, Match, NextMove, Query, Repertoire,
    RepertoireCheck, RepertoireReport, TreeStats, chess::Color,
};

use super::{
    columns::{Columns, or_empty},
    common::{LimitArgs, SideName, percentage},
    databases::{self, Opened},
    failure::{Outcome, Usage},
    figures::{percent, percent_value},
    interrupt,
    output::{self, Output},
    progress::Progress,
    query::{self, QueryArgs},
    render::{Records, Row},
    running,
    targets::TextArgs,
};

#[derive(Debug, Args)]
pub(crate) struct RepertoireArgs {
    /// Its words begin with the databases.
    #[command(flatten)]
    query: QueryArgs,

    /// The lines: a PGN file or any other database, with its variations; --file may be repeated
    #[arg(long, value_name = "FILE", required = true)]
    pub(crate) file: Vec<PathBuf>,

    /// Whose lines they are
    #[arg(long, value_enum)]
    color: SideName,

    /// Tell only this; csv and jsonl have `games` unless given
    #[arg(long, value_enum, value_name = "PART")]
    show: Option<Part>,

    /// Percentage of the games that have a position from which on a reply counts as a gap
    #[arg(long, value_name = "PERCENT", default_value_t = 5.0, value_parser = percentage)]
    gap: f64,

    /// Number of games that must play it
    #[arg(long, value_name = "N", default_value_t = 2)]
    min_games: u64,

    /// How to print it; with -o its suffix says it unless given: .txt, .csv, .jsonl, .pgn, .html
    #[arg(long, value_enum)]
    format: Option<Format>,

    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    most: LimitArgs,
}

/// A part of the report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Each game with the place where it leaves the files
    Games,
    /// These places: who leaves, what the files have there and what is played
    Places,
    /// Replies of the other side that the files do not answer
    Gaps,
    /// The lines that are played to their end
    Lines,
    /// The lines that never come, to their first move that does not
    Unplayed,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Columns for people
    Table,
    /// Comma-separated values with a header line
    Csv,
    /// One JSON object a line
    Jsonl,
    /// The lines of the files as PGN, with gaps as variations; comments have games and score
    Pgn,
    /// A page without scripts: all parts but the games, with diagrams of the gaps
    Html,
}

/// Rows of a part if all parts are told and no limit is given.
const ROWS: usize = 20;

/// Moves that are listed at one place in a table.
const MOVES: usize = 5;

impl Part {
    /// The parts of which a table tells unless one is chosen.
    const USUAL: [Part; 4] = [Part::Places, Part::Gaps, Part::Lines, Part::Unplayed];

    fn heading(self) -> &'static str {
        match self {
            Part::Games => "Games",
            Part::Places => "Where games leave the files",
            Part::Gaps => "Replies without an answer",
            Part::Lines => "Lines played to their end",
            Part::Unplayed => "Lines that never come",
        }
    }

    /// Returns the titles of the columns.
    fn titles(self) -> &'static [&'static str] {
        match self {
            Part::Games => &[
                "#number",
                "white",
                "black",
                "result",
                "date",
                "left by",
                "#ply",
                "played",
                "in the files",
                "line",
            ],
            Part::Places => &[
                "left by",
                "#games",
                "#score",
                "line",
                "in the files",
                "played",
            ],
            Part::Gaps => &["#games", "#share", "#score", "in the files", "line"],
            Part::Lines => &["#games", "#score", "line"],
            Part::Unplayed => &["#lines", "line"],
        }
    }

    /// Returns the names of the machine-readable fields.
    fn names(self) -> &'static [&'static str] {
        match self {
            Part::Games => &[
                "database", "game", "white", "black", "result", "date", "left", "ply", "line",
                "answers", "played", "fen",
            ],
            Part::Places => &[
                "left", "games", "white", "draw", "black", "score", "line", "answers", "played",
                "fen",
            ],
            Part::Gaps => &[
                "line", "inFile", "games", "share", "white", "draw", "black", "score", "fen",
            ],
            Part::Lines | Part::Unplayed => {
                &["line", "lines", "games", "white", "draw", "black", "score"]
            }
        }
    }

    fn len(self, report: &RepertoireReport) -> usize {
        match self {
            Part::Games => report.games().len(),
            Part::Places => report.places().len(),
            Part::Gaps => report.gaps().len(),
            Part::Lines => report.lines().len(),
            Part::Unplayed => report.unplayed().len(),
        }
    }
}

impl RepertoireArgs {
    fn format(&self) -> Result<Format, Usage> {
        let format = match (self.format, self.text.suffix()) {
            (Some(format), _) => format,
            (None, None) => Format::Table,
            (None, Some((path, suffix))) => match suffix.as_str() {
                "txt" => Format::Table,
                "csv" => Format::Csv,
                "jsonl" => Format::Jsonl,
                "pgn" => Format::Pgn,
                "html" => Format::Html,
                _ => {
                    return Err(Usage(format!(
                        "{}: this is written as .txt, .csv, .jsonl, .pgn or .html; for another \
                         name say --format",
                        path.display()
                    )));
                }
            },
        };
        if matches!(format, Format::Pgn | Format::Html) && self.show.is_some() {
            let message = "--show goes with table, csv and jsonl";
            return Err(Usage(message.to_owned()));
        }
        Ok(format)
    }
}

pub(crate) fn run(args: &RepertoireArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let format = args.format()?;
    let (paths, words) = databases::split(&args.query)?;
    let query = query::read_with(words, &args.query)?;
    let files = args.file.iter().map(|file| file.clone().into_os_string());
    let read: Vec<OsString> = paths.iter().cloned().chain(files).collect();
    args.text.check(&read, &args.query)?;
    interrupt::watch();
    let repertoire = repertoire(&args.file)?;
    let sources = databases::open_all(&paths, databases::options())?;
    let opened = databases::require_whole(&sources)?;
    let check = RepertoireCheck::new(&repertoire, args.color.color())
        .query(&query)
        .gap_share(args.gap / 100.0)
        .min_games(args.min_games);
    let bases: Vec<&Database> = opened.iter().map(|opened| &opened.database).collect();
    let mut progress = Progress::new("games");
    let report = check.on_progress(|at| progress.update(at)).run(&bases);
    progress.clear();
    interrupt::check()?;
    let told = Told {
        report: report?,
        opened,
    };
    let counts = told.report.report();
    databases::warn_of_all(&sources, counts);
    let has_games = counts.matched > 0;
    if has_games {
        let mut bytes = Vec::new();
        match format {
            Format::Table => {
                let width = args.text.file().is_none().then(|| out.terminal_columns());
                told.tables(args, &mut bytes, width.flatten())?;
            }
            Format::Csv => {
                let part = args.show.unwrap_or(Part::Games);
                told.records(part, args, Records::csv(part.names(), &mut bytes)?)?;
            }
            Format::Jsonl => {
                let part = args.show.unwrap_or(Part::Games);
                told.records(part, args, Records::Jsonl(&mut bytes))?;
            }
            Format::Pgn => bytes = told.report.to_pgn().into_bytes(),
            Format::Html => bytes = told.page(args, &query).into_bytes(),
        }
        if let Some(path) = args.text.write(&bytes, out)?
            && !output::is_quiet()
        {
            output::summarize(&format!("{} written", path.display()));
        }
    }
    if !output::is_quiet() {
        let numbers = [counts.games, counts.decoded, counts.matched];
        output::summarize(&running::summary(numbers, counts.time()));
        if !has_games {
            running::hint(&query, databases::whole(&sources))?;
        }
    }
    Ok(Outcome::of_matches(has_games))
}

/// Reads the files.
fn repertoire(files: &[PathBuf]) -> anyhow::Result<Repertoire> {
    let read = files.iter().map(|file| databases::open(file));
    let read: Vec<Database> = read.collect::<anyhow::Result<_>>()?;
    let mut progress = Progress::new("games");
    let repertoire = Repertoire::read(&read, |at| progress.update(at));
    progress.clear();
    interrupt::check()?;
    let repertoire = repertoire?;
    if repertoire.positions() == 0 {
        let names = files.iter().map(|file| file.display().to_string());
        let names: Vec<String> = names.collect();
        return Err(Usage(format!("{}: no game with lines is there", names.join(", "))).into());
    }
    if repertoire.damaged() > 0 {
        let verify = files.iter().map(|file| {
            let name = databases::quoted(&file.display().to_string());
            format!("`tabiya verify {name}`")
        });
        output::warn(&format!(
            "damaged games in the files of lines, which count as far as they are sound: {}; {} \
             says what is wrong",
            repertoire.damaged(),
            verify.collect::<Vec<_>>().join(" or ")
        ));
    }
    Ok(repertoire)
}

/// What is printed.
struct Told<'a> {
    report: RepertoireReport,
    opened: Vec<&'a Arc<Opened>>,
}

impl Told<'_> {
    /// Returns the page.
    fn page(&self, args: &RepertoireArgs, query: &Query) -> String {
        let files = args.file.iter().map(|file| file.display().to_string());
        let files = files.collect::<Vec<_>>().join(", ");
        let bases = self.opened.iter().map(|opened| opened.label.as_str());
        let mut games = bases.collect::<Vec<_>>().join(", ");
        if *query != Query::All {
            games += &format!(" that match {query}");
        }
        let (title, about) = (
            format!("Games and the lines of {files}"),
            self.report.about(&games, &files),
        );
        self.report.to_html(&title, &about, None)
    }

    /// Prints the part that is chosen, or an overview and all of them.
    fn tables(
        &self,
        args: &RepertoireArgs,
        out: &mut Vec<u8>,
        width: Option<u16>,
    ) -> anyhow::Result<()> {
        if let Some(part) = args.show {
            let rows = args.most.of(part.len(&self.report));
            return self.table(part, rows)?.write(out, width);
        }
        self.overview().write(out, width)?;
        let side = args.color.color().fold_wb("White", "Black");
        writeln!(out, "Scores are those of {side}, who is \"me\" here.")?;
        for part in Part::USUAL {
            let all = part.len(&self.report);
            let rows = args.most.limit.map_or(ROWS.min(all), |_| args.most.of(all));
            if rows == 0 && part != Part::Gaps {
                continue;
            }
            let of = match rows {
                0 => ": none".to_owned(),
                rows if rows < all => format!(", {rows} of {all}:"),
                _ => ":".to_owned(),
            };
            writeln!(out, "\n{}{of}", part.heading())?;
            self.table(part, rows)?.write(out, width)?;
        }
        Ok(())
    }

    fn overview(&self) -> Columns {
        let report = &self.report;
        let mut columns = Columns::new(&["left by", "#games", "#share"]);
        let rows = [
            LeftBy::Me,
            LeftBy::Opponent,
            LeftBy::FileEnds,
            LeftBy::GameEnds,
        ];
        let rows = rows.map(|left| (left.name(), report.count(left)));
        let outside = ("not in the files", report.outside());
        let rows = rows.into_iter().chain([outside]);
        let all = rows.clone().map(|(_, games)| games).sum::<u64>().max(1);
        for (name, games) in rows {
            let permille = (1000 * games + all / 2) / all;
            columns.row([name.to_owned(), games.to_string(), percent(permille as u32)]);
        }
        columns
    }

    fn table(&self, part: Part, rows: usize) -> anyhow::Result<Columns> {
        let report = &self.report;
        let mut columns = Columns::new(part.titles());
        match part {
            Part::Games => {
                for leaving in &report.games()[..rows] {
                    columns.row(self.game_cells(leaving)?);
                }
            }
            Part::Places => report.places()[..rows].iter().for_each(|place| {
                let played = place.played.iter();
                columns.row([
                    place.left.name().to_owned(),
                    place.stats.games().to_string(),
                    self.score(&place.stats),
                    start_or(place),
                    listed(place.answers.iter().map(String::as_str)),
                    listed(played.map(|played| format!("{} {}", played.san, played.games))),
                ]);
            }),
            Part::Gaps => report.gaps()[..rows].iter().for_each(|gap| {
                columns.row([
                    gap.stats.games().to_string(),
                    percent(gap.stats.share_permille(&gap.total)),
                    self.score(&gap.stats),
                    if gap.is_in_file { "ends there" } else { "no" }.to_owned(),
                    gap.line.clone(),
                ]);
            }),
            Part::Lines => report.lines()[..rows].iter().for_each(|line| {
                let games = line.stats.games().to_string();
                columns.row([games, self.score(&line.stats), line.line.clone()]);
            }),
            Part::Unplayed => report.unplayed()[..rows].iter().for_each(|line| {
                columns.row([line.lines.to_string(), line.line.clone()]);
            }),
        }
        Ok(columns)
    }

    fn game_cells(&self, leaving: &LeavingGame) -> anyhow::Result<[String; 10]> {
        interrupt::check()?;
        let opened = self.opened[leaving.database];
        let header = Row::new(opened, Match::from(leaving.game), false)?.header;
        let place = &self.report.places()[leaving.place];
        Ok([
            opened.database.number(leaving.game).to_string(),
            header.white,
            header.black,
            header.result.to_string(),
            header.date.to_string(),
            place.left.name().to_owned(),
            or_empty(leaving.ply),
            or_empty(played(place, leaving.next)),
            listed(place.answers.iter().map(String::as_str)),
            start_or(place),
        ])
    }

    /// Returns the score of the side whose lines they are.
    fn score(&self, stats: &TreeStats) -> String {
        or_empty(self.permille(stats).map(percent))
    }

    fn permille(&self, stats: &TreeStats) -> Option<u32> {
        let white = stats.score_permille()?;
        Some(match self.report.color() {
            Color::White => white,
            Color::Black => 1000 - white,
        })
    }

    /// Prints a part. Moves of a list have one space between them; missing values are null or
    /// empty, and percentages have one decimal.
    fn records(
        &self,
        part: Part,
        args: &RepertoireArgs,
        mut records: Records<'_>,
    ) -> anyhow::Result<()> {
        let report = &self.report;
        for row in 0..args.most.of(part.len(report)) {
            interrupt::check()?;
            let fields = match part {
                Part::Games => self.game_fields(row)?,
                Part::Places => self.place_fields(&report.places()[row]),
                Part::Gaps => {
                    let gap = &report.gaps()[row];
                    let mut fields = vec![
                        ("line", gap.line.as_str().into()),
                        ("inFile", gap.is_in_file.into()),
                        ("share", percent_value(gap.stats.share_permille(&gap.total))),
                        ("fen", gap.fen.as_str().into()),
                    ];
                    fields.extend(self.result_fields(&gap.stats));
                    fields
                }
                Part::Lines | Part::Unplayed => {
                    let line = match part {
                        Part::Lines => &report.lines()[row],
                        _ => &report.unplayed()[row],
                    };
                    let mut fields = vec![
                        ("line", line.line.as_str().into()),
                        ("lines", line.lines.into()),
                    ];
                    fields.extend(self.result_fields(&line.stats));
                    fields
                }
            };
            let place = |name| part.names().iter().position(|known| *known == name);
            let mut fields = fields;
            fields.sort_by_key(|(name, _)| place(*name));
            records.row(&fields)?;
        }
        Ok(())
    }

    fn game_fields(&self, row: usize) -> anyhow::Result<Vec<(&'static str, Value)>> {
        let leaving = &self.report.games()[row];
        let opened = self.opened[leaving.database];
        let header = Row::new(opened, Match::from(leaving.game), false)?.header;
        let place = &self.report.places()[leaving.place];
        Ok(vec![
            ("database", opened.label.as_str().into()),
            ("game", opened.database.number(leaving.game).into()),
            ("white", header.white.into()),
            ("black", header.black.into()),
            ("result", header.result.to_string().into()),
            ("date", header.date.to_string().into()),
            ("left", place.left.name().into()),
            ("ply", leaving.ply.into()),
            ("line", place.line.as_str().into()),
            ("answers", place.answers.join(" ").into()),
            ("played", played(place, leaving.next).into()),
            ("fen", place.fen.as_str().into()),
        ])
    }

    fn place_fields(&self, place: &LeavingPlace) -> Vec<(&'static str, Value)> {
        let played = place.played.iter().map(|played| played.san.as_str());
        let mut fields = vec![
            ("left", place.left.name().into()),
            ("line", place.line.as_str().into()),
            ("answers", place.answers.join(" ").into()),
            ("played", played.collect::<Vec<_>>().join(" ").into()),
            ("fen", place.fen.as_str().into()),
        ];
        fields.extend(self.result_fields(&place.stats));
        fields
    }

    fn result_fields(&self, stats: &TreeStats) -> [(&'static str, Value); 5] {
        [
            ("games", stats.games().into()),
            ("white", stats.white_wins().into()),
            ("draw", stats.draws().into()),
            ("black", stats.black_wins().into()),
            (
                "score",
                self.permille(stats).map_or(Value::Null, percent_value),
            ),
        ]
    }
}

/// Returns the move with which a game leaves a place.
fn played(place: &LeavingPlace, next: NextMove) -> Option<&str> {
    let played = place.played.iter().find(|played| played.next == next);
    played.map(|played| played.san.as_str())
}

/// Returns the line to a place, or which start position it is.
fn start_or(place: &LeavingPlace) -> String {
    const STANDARD: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w ";
    match place.line.as_str() {
        "" if place.fen.starts_with(STANDARD) => "(start)".to_owned(),
        "" => format!("({})", place.fen),
        line => line.to_owned(),
    }
}

/// Returns the first of some moves, and whether there are more.
fn listed(moves: impl Iterator<Item = impl AsRef<str>>) -> String {
    let mut text = String::new();
    for (number, played) in moves.enumerate() {
        if number > 0 {
            text += ", ";
        }
        if number == MOVES {
            text += "...";
            break;
        }
        text += played.as_ref();
    }
    text
}
