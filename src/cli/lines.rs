//! `lines`: tells the lines that games play from a position.

use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use tabiya::{
    Database, LineGraph, Lines, MovePlace, TreeRow, TreeStats, limits::LINE_DEPTH_MAX,
    shakmaty::fen::Fen,
};

use super::{
    columns::{Columns, or_empty},
    common::{SideName, percentage},
    databases,
    failure::{Outcome, Usage},
    figures::tenths,
    interrupt,
    output::{self, Output},
    progress::Progress,
    query::{self, QueryArgs},
    render::Records,
    running::{self, RunArgs},
    targets::TextArgs,
    tree::{PositionArgs, count_cells, count_values},
};

#[derive(Debug, Args)]
pub(crate) struct LinesArgs {
    /// Its words begin with the databases.
    #[command(flatten)]
    query: QueryArgs,

    #[command(flatten)]
    position: PositionArgs,

    /// Half-moves of a line at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = 8,
        value_parser = clap::value_parser!(u32).range(1..=i64::from(LINE_DEPTH_MAX))
    )]
    depth: u32,

    /// Leave out moves that fewer games play; one in a hundred of those that have the position, and
    /// at least 2, unless given
    #[arg(long, value_name = "N")]
    min_games: Option<u64>,

    /// Leave out moves that less than this percentage of the games play that come to them
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0, value_parser = percentage)]
    min_share: f64,

    /// Let lines end with a move of this side; a book has the moves of this side alone
    #[arg(long, value_name = "COLOR", value_enum)]
    only_color: Option<SideName>,

    /// How to print the lines; with -o its suffix says it unless given: .txt, .csv, .jsonl, .json,
    /// .pgn, .dot, or .bin for an opening book
    #[arg(long, value_enum)]
    format: Option<LinesFormat>,

    #[command(flatten)]
    text: TextArgs,

    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LinesFormat {
    /// Columns for people, moves indented
    Table,
    /// A row for each move, as comma-separated values with a header line
    Csv,
    /// A row for each move, as a JSON object a line
    Jsonl,
    /// The graph as one JSON object: positions, each with its moves
    Json,
    /// One game in PGN with variations
    Pgn,
    /// PGN with a game for each line
    Games,
    /// The graph in the language DOT, which Graphviz draws
    Dot,
    /// An opening book in PolyGlot's format
    #[value(alias = "polyglot")]
    Book,
}

/// Titles of the columns.
const TITLES: [&str; 8] = [
    "line", "#games", "#share", "#white", "#draw", "#black", "#score", "opening",
];

/// Names of the machine-readable fields.
const NAMES: [&str; 13] = [
    "line",
    "ply",
    "san",
    "uci",
    "games",
    "share",
    "white",
    "draw",
    "black",
    "score",
    "averageElo",
    "opening",
    "sameAs",
];

pub(crate) fn run(args: &LinesArgs, out: &mut Output) -> anyhow::Result<Outcome> {
    let position = args.position.position()?;
    let format = args.format()?;
    if format == LinesFormat::Book && args.text.file().is_none() && out.is_terminal() {
        let message = "a book is not text: `-o book.bin` writes it to a file";
        return Err(Usage(message.to_owned()).into());
    }
    let (paths, words) = databases::split(&args.query)?;
    let query = query::read_with(words, &args.query)?;
    let mut lines = Lines::new(&position)
        .query(&query)
        .variations(args.run.variations)
        .strategy(args.run.strategy())
        .depth(args.depth)
        .min_share(args.min_share / 100.0);
    if let Some(games) = args.min_games {
        lines = lines.min_games(games);
    }
    if let Some(side) = args.only_color {
        lines = lines.only(side.color());
    }
    args.text.check(&paths, &args.query)?;
    let options = databases::options().clone().for_query(&lines.to_query());
    let sources = databases::open_all(&paths, &options)?;
    let opened = databases::require_whole(&sources)?;
    let opened: Vec<&Database> = opened.iter().map(|opened| &opened.database).collect();
    interrupt::watch();
    let mut progress = Progress::new("games");
    let graph = lines.on_progress(|at| progress.update(at)).run(&opened);
    progress.clear();
    interrupt::check()?;
    let graph = graph?;
    let report = graph.report();
    databases::warn_of_all(&sources, report);
    if report.matched > 0 {
        print(&graph, format, args, out)?;
    }
    if !output::is_quiet() {
        let counts = [report.games, report.decoded, report.matched];
        output::summarize(&running::summary(counts, report.time()));
        if report.matched == 0 {
            running::hint(&query, databases::whole(&sources))?;
        } else if graph.is_empty() {
            let least = "no move is left by --min-games, --min-share and --only-color";
            output::summarize(least);
        }
    }
    Ok(Outcome::of_matches(report.matched > 0))
}

impl LinesArgs {
    fn format(&self) -> Result<LinesFormat, Usage> {
        if let Some(format) = self.format {
            return Ok(format);
        }
        let Some((path, suffix)) = self.text.suffix() else {
            return Ok(LinesFormat::Table);
        };
        match suffix.as_str() {
            "txt" => Ok(LinesFormat::Table),
            "csv" => Ok(LinesFormat::Csv),
            "jsonl" => Ok(LinesFormat::Jsonl),
            "json" => Ok(LinesFormat::Json),
            "pgn" => Ok(LinesFormat::Pgn),
            "dot" | "gv" => Ok(LinesFormat::Dot),
            "bin" => Ok(LinesFormat::Book),
            _ => Err(Usage(format!(
                "{}: lines are written as .txt, .csv, .jsonl, .json, .pgn, .dot or .bin; for \
                 another name say --format",
                path.display()
            ))),
        }
    }
}

/// Prints the lines, or writes them to a file.
fn print(
    graph: &LineGraph,
    format: LinesFormat,
    args: &LinesArgs,
    out: &mut Output,
) -> anyhow::Result<()> {
    let mut bytes = Vec::new();
    match format {
        LinesFormat::Table if args.text.file().is_none() => return table(graph).print(out),
        LinesFormat::Table => table(graph).write(&mut bytes, None)?,
        LinesFormat::Csv => records(graph, Records::csv(&NAMES, &mut bytes)?)?,
        LinesFormat::Jsonl => records(graph, Records::Jsonl(&mut bytes))?,
        LinesFormat::Json => {
            serde_json::to_writer(&mut bytes, &json(graph))?;
            bytes.push(b'\n');
        }
        LinesFormat::Pgn => bytes = graph.to_pgn().into_bytes(),
        LinesFormat::Games => bytes = graph.to_pgn_lines().into_bytes(),
        LinesFormat::Dot => bytes = graph.to_dot().into_bytes(),
        LinesFormat::Book => bytes = graph.to_polyglot(),
    }
    if let Some(path) = args.text.write(&bytes, out)?
        && !output::is_quiet()
    {
        let moves: usize = graph.nodes().iter().map(|node| node.moves().len()).sum();
        let moves = output::counted(moves as u64, "move");
        output::summarize(&format!("{moves} written to {}", path.display()));
    }
    Ok(())
}

fn table(graph: &LineGraph) -> Columns {
    let mut columns = Columns::new(&TITLES);
    for place in graph.in_order() {
        let node = &graph.nodes()[place.node];
        let row = &node.moves()[place.number].row;
        let [games, share, white, draw, black, score] = count_cells(&row.stats, node.total());
        let indent = "  ".repeat(place.depth as usize - 1);
        let number = node.move_number();
        let same = graph.same_as(place.node, place.number);
        let same = same.map(|line| format!("= {line}"));
        columns.row([
            format!("{indent}{number}{}", row.san),
            games,
            share,
            white,
            draw,
            black,
            score,
            or_empty(same.as_deref().or(row.opening)),
        ]);
    }
    columns
}

/// Returns the graph with its positions in their order; moves refer to them by their index.
fn json(graph: &LineGraph) -> Value {
    let positions = graph.nodes().iter().enumerate().map(|(number, node)| {
        let moves = node.moves().iter().map(|played| {
            let fields = move_fields(&played.row, node.total()).into_iter();
            let fields = fields.map(|(name, value)| (name.to_owned(), value));
            let mut object: Map<String, Value> = fields.collect();
            object.insert("position".to_owned(), played.node.into());
            Value::from(object)
        });
        let fen = Fen::try_from(node.setup().clone()).ok();
        json!({
            "fen": fen.map(|fen| fen.to_string()),
            "line": graph.line(number),
            "ply": node.ply(),
            "games": node.total().games(),
            "moves": moves.collect::<Vec<_>>(),
        })
    });
    json!({ "positions": positions.collect::<Vec<_>>() })
}

/// Prints the moves.
fn records(graph: &LineGraph, mut records: Records<'_>) -> anyhow::Result<()> {
    for place in graph.in_order() {
        interrupt::check()?;
        records.row(&fields(graph, place))?;
    }
    Ok(())
}

/// Returns the fields of a move in its line.
fn fields(graph: &LineGraph, place: MovePlace) -> Vec<(&'static str, Value)> {
    let node = &graph.nodes()[place.node];
    let row = &node.moves()[place.number].row;
    let line = graph.line_with(place.node, place.number);
    let mut fields = vec![("line", line.into()), ("ply", place.depth.into())];
    fields.extend(move_fields(row, node.total()));
    fields.push(("sameAs", graph.same_as(place.node, place.number).into()));
    fields
}

/// Returns the fields of a move by itself. Missing values are null or empty; percentages and means
/// have one decimal.
fn move_fields(row: &TreeRow, all: &TreeStats) -> [(&'static str, Value); 10] {
    let [games, share, white, draw, black, score] = count_values(&row.stats, all);
    [
        ("san", row.san.as_str().into()),
        ("uci", row.next.uci().into()),
        ("games", games),
        ("share", share),
        ("white", white),
        ("draw", draw),
        ("black", black),
        ("score", score),
        ("averageElo", tenths(row.stats.average_rating())),
        ("opening", row.opening.into()),
    ]
}
