//! What is played in an opening: results, lines, players, structures, plans and endings.

use std::{borrow::Borrow, collections::BTreeSet};

use tabiya_chess::{Flow, diagram::Diagram, opening_of};
use tabiya_formats::{error::Result, progress::Progress};

use super::{
    ReportSection, WrittenReport,
    games::{self, Headed},
    lists, plans,
    subject::{Subject, Told, parsed},
    tree,
};
use crate::{
    database::Database,
    progress::WithProgress,
    query::{HeaderClause, OpeningTest, Query, TextField, TextTest},
    report::{lines::Lines, tree::TreePosition},
};

/// A report about the games of an opening, with its options: those that have a position, or those
/// in which the opening has a name.
///
/// ```
/// use tabiya::{Database, OpeningReport, TreePosition};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let base = [Database::open("fixtures/famous.si4")?];
/// let position = TreePosition::from_moves("1.e4 e5 2.f4")?;
/// let report = OpeningReport::of_position(&position).run(&base)?;
/// for section in report.sections() {
///     println!("{}: {} rows", section.title, section.rows.len());
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a report is not made until it is run"]
pub struct OpeningReport<'q> {
    title: String,
    /// The games that it is about.
    opening: Query,
    /// The position, if it is about one.
    position: Option<&'q TreePosition>,
    query: Option<&'q Query>,
}

/// Players of each side.
const PLAYERS: usize = 10;
/// The ratings of one row.
const CLASS: u32 = 200;
/// The first position of the lines of an opening with a name is one that at least so many games in
/// ten have.
const MOST_IN_TEN: u64 = 9;

impl<'q> OpeningReport<'q> {
    /// Creates a report about the games that have a position.
    pub fn of_position(position: &'q TreePosition) -> OpeningReport<'q> {
        OpeningReport {
            title: title_of(position),
            opening: position.to_query(),
            position: Some(position),
            query: None,
        }
    }

    /// Creates a report about the games whose opening has such a name, as `opening:NAME` in queries
    /// finds them: `Najdorf` is in all names that have it in them, and `*` is any letters.
    pub fn named(name: &str) -> OpeningReport<'q> {
        let pieces = name.split('*').map(str::to_owned);
        let test = TextTest::from(pieces.collect::<Vec<_>>());
        OpeningReport {
            title: name.to_owned(),
            opening: Query::Header(HeaderClause::Opening(OpeningTest::Name(test))),
            position: None,
            query: None,
        }
    }

    /// Restricts the games to those that match a query.
    pub fn query(mut self, query: &'q Query) -> Self {
        self.query = Some(query);
        self
    }

    /// Returns the query for the games of the report.
    #[must_use]
    pub fn to_query(&self) -> Query {
        let among = self.query.cloned().unwrap_or(Query::All);
        self.opening.clone().and(among)
    }

    /// Makes the report over all these databases together.
    ///
    /// # Errors
    /// Those of a search and of [`Lines::run`].
    pub fn run(&self, databases: &[impl Borrow<Database>]) -> Result<WrittenReport> {
        self.on_progress(Progress::ignore).run(databases)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&OpeningReport<'_>, F> {
    /// Makes the report. See [`OpeningReport::run`].
    ///
    /// # Errors
    /// Those of [`OpeningReport::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, databases: &[impl Borrow<Database>]) -> Result<WrittenReport> {
        let mut progress = self.progress;
        let databases: Vec<&Database> = databases.iter().map(Borrow::borrow).collect();
        report(self.work, &databases, Told::new(&mut progress))
    }
}

/// Returns the name of the opening of a position, if it has one, and the moves to it or its FEN.
fn title_of(position: &TreePosition) -> String {
    let setup = position.setup();
    let mut title =
        opening_of(&setup.board, setup.turn).map_or(String::new(), |name| format!("{name}: "));
    if position.moves().is_empty() {
        return title + &Diagram::new(setup).fen();
    }
    for (ply, san) in position.moves().iter().enumerate() {
        match (ply, ply % 2) {
            (0, _) => title += "1.",
            (_, 0) => title += &format!(" {}.", ply / 2 + 1),
            _ => title.push(' '),
        }
        title += san;
    }
    title
}

fn report(
    work: &OpeningReport<'_>,
    databases: &[&Database],
    mut told: Told<'_>,
) -> Result<WrittenReport> {
    let outcomes = ["result:1-0", "result:draw", "result:0-1"].map(parsed);
    let (all, games) = games::find(databases, work.to_query(), outcomes, &mut told)?;
    let start = match work.position {
        Some(position) => position.clone(),
        None => common_start(&all, &mut told)?,
    };
    let opening = Opening { all, games };
    let sections = opening.sections(&start, &mut told)?;
    let names = ["White", "drawn", "Black"];
    Ok(WrittenReport::new(
        &work.title,
        names,
        &opening.all,
        sections,
        told,
    ))
}

/// Returns the last position that nearly all games have after the same moves.
fn common_start(all: &Subject<'_>, told: &mut Told<'_>) -> Result<TreePosition> {
    let start = TreePosition::default();
    let lines = Lines::new(&start)
        .among(all.among())
        .depth(plans::PLIES)
        .min_games((all.count() * MOST_IN_TEN).div_ceil(10).max(1));
    let graph = lines.on_progress(&mut *told.progress).run(all.databases)?;
    let mut node = graph.root();
    // Moves of nearly all games are one at each position, and no circle: lines have an end.
    while let Some(next) = node.moves().first().and_then(|played| played.node) {
        if graph.nodes()[next].ply() <= node.ply() {
            break;
        }
        node = &graph.nodes()[next];
    }
    Ok(TreePosition::new(node.setup().clone()))
}

/// The games of the opening.
struct Opening<'d> {
    all: Subject<'d>,
    games: Vec<Headed>,
}

impl Opening<'_> {
    fn sections(&self, start: &TreePosition, told: &mut Told<'_>) -> Result<Vec<ReportSection>> {
        let all = &self.all;
        let results = vec![all.all("All games".to_owned())];
        let mut sections = vec![
            ReportSection::new("Results", "All scores are those of White.", results),
            games::years(all, &self.games),
            self.ratings(),
            tree::section("Lines", &tree::common(start, all, told)?, all, told)?,
            tree::new_moves(start, all, &self.games, told)?,
        ];
        let side = |title, field, name_of: fn(&Headed) -> &str| {
            games::names(
                title,
                all,
                &self.games,
                field,
                |game| Some(name_of(game)),
                PLAYERS,
            )
        };
        sections.push(side("White players", TextField::White, |game| {
            &game.header.white
        }));
        sections.push(side("Black players", TextField::Black, |game| {
            &game.header.black
        }));
        sections.push(lists::structures(all, told)?);
        sections.push(plans::section(all, told)?);
        sections.push(lists::endings(all, told)?);
        sections.push(lists::lengths(all, told)?);
        sections.extend(self.model_games());
        Ok(sections)
    }

    /// Returns rows by the lower one of both ratings.
    fn ratings(&self) -> ReportSection {
        let class_of = |game: &Headed| Some(u32::from(game.lower_rating()?) / CLASS * CLASS);
        let classes: BTreeSet<u32> = self.games.iter().filter_map(class_of).collect();
        let rows = classes.iter().rev().map(|&class| {
            let next = class + CLASS;
            let query = parsed(&format!("elo>={class} not elo>={next}"));
            let games = games::those(&self.all, &self.games, |game| class_of(game) == Some(class));
            self.all
                .row(format!("{class} to {}", next - 1), &query, &games)
        });
        let note = "The lower one of both ratings.";
        ReportSection::new("Ratings", note, rows.collect())
    }

    /// Returns the games of the strongest players, by result.
    fn model_games(&self) -> [ReportSection; 3] {
        let [won, drawn, lost] = &self.all.outcomes;
        let note = "Those in which the lower one of both ratings is highest.";
        let section = |title, ended| {
            let order = |game: &Headed| Some(-i32::from(game.lower_rating()?));
            let why = |game: &Headed| {
                let rating = game.lower_rating().unwrap_or_default();
                format!("both at least {rating}")
            };
            let rows = games::first(&self.all, &self.games, ended, order, why);
            ReportSection::new(title, note, rows)
        };
        [
            section("Wins of White", won),
            section("Wins of Black", lost),
            section("Draws", drawn),
        ]
    }
}
