//! What a player does: results, openings, structures, endings and opponents.

use std::{
    borrow::Borrow,
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

use shakmaty::Color;
use tabiya_chess::{Flow, GameId, opening_names, speed::SPEED_NAMES};
use tabiya_formats::{GameHeader, error::Result, progress::Progress};

use super::{
    ReportRow, ReportSection, WrittenReport,
    subject::{Games, Subject, Told},
    tree,
};
use crate::{
    database::Database,
    filter::GameSet,
    progress::WithProgress,
    query::{HeaderClause, OpeningTest, Query, TextField, TextTest, table::FIELDS},
    report::stats::openings,
    search::Report,
};

/// A report about the games of one player, with its options.
///
/// ```
/// use tabiya::{Database, PlayerReport};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let base = [Database::open("fixtures/famous.si4")?];
/// let report = PlayerReport::new("Morphy, Paul").run(&base)?;
/// for section in report.sections() {
///     println!("{}", section.title);
///     for row in &section.rows {
///         println!("  {} {} games, by {}", row.label, row.games, row.query);
///     }
/// }
/// std::fs::write(std::env::temp_dir().join("morphy.html"), report.to_html())?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
#[must_use = "a report is not made until it is run"]
pub struct PlayerReport<'q> {
    name: &'q str,
    query: Option<&'q Query>,
}

/// Rows of a list of openings or opponents.
const ROWS: usize = 15;
/// Games of a list of games.
const GAMES: usize = 5;
/// The years that are the latest.
const YEARS: i32 = 3;

/// Endings by their names.
const ENDINGS: [(&str, &str); 8] = [
    ("Pawn endings", "at(Q=0 q=0 R=0 r=0 B=0 b=0 N=0 n=0)"),
    ("Rook endings", "at(Q=0 q=0 R>=1 r>=1 B=0 b=0 N=0 n=0)"),
    ("Queen endings", "at(Q>=1 q>=1 R=0 r=0 B=0 b=0 N=0 n=0)"),
    (
        "Bishops of the same colour",
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 bishops:same)",
    ),
    (
        "Bishops of opposite colours",
        "at(Q=0 q=0 R=0 r=0 N=0 n=0 bishops:opposite)",
    ),
    (
        "Bishop against knight",
        "at(Q=0 q=0 R=0 r=0 B=1 b=0 N=0 n=1 flip)",
    ),
    ("Knight endings", "at(Q=0 q=0 R=0 r=0 B=0 b=0 N>=1 n>=1)"),
    (
        "Rook and a minor piece each",
        "at(Q=0 q=0 R=1 r=1 wminor=1 bminor=1)",
    ),
];

const LENGTHS: [(&str, &str); 4] = [
    ("to 20 moves", "moves:..20"),
    ("21 to 40", "moves:21..40"),
    ("41 to 60", "moves:41..60"),
    ("61 and more", "moves>=61"),
];

impl<'q> PlayerReport<'q> {
    /// Creates a report about the player of exactly this name.
    pub fn new(name: &'q str) -> PlayerReport<'q> {
        PlayerReport { name, query: None }
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
        self.names(TextField::Player).and(among)
    }

    /// Makes the report over all these databases together.
    ///
    /// # Errors
    /// Those of a search.
    pub fn run(&self, databases: &[impl Borrow<Database>]) -> Result<WrittenReport> {
        self.on_progress(Progress::ignore).run(databases)
    }

    /// Returns the same with a callback for its progress.
    pub fn on_progress<F: FnMut(Progress) -> Flow>(&self, progress: F) -> WithProgress<&Self, F> {
        WithProgress::new(self, progress)
    }

    fn names(&self, field: TextField) -> Query {
        named(field, self.name)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&PlayerReport<'_>, F> {
    /// Makes the report. See [`PlayerReport::run`].
    ///
    /// # Errors
    /// Those of [`PlayerReport::run`]; `Interrupted` if the callback breaks.
    pub fn run(self, databases: &[impl Borrow<Database>]) -> Result<WrittenReport> {
        let mut progress = self.progress;
        let databases: Vec<&Database> = databases.iter().map(Borrow::borrow).collect();
        report(self.work, &databases, &mut progress)
    }
}

fn named(field: TextField, name: &str) -> Query {
    let test = TextTest::Equals(name.to_owned());
    Query::Header(HeaderClause::Text(field, test))
}

/// Parses a query of this module.
fn parsed(query: &str) -> Query {
    // Tests run all of them.
    query.parse().unwrap_or(!Query::All)
}

/// A game with its header.
struct Game {
    database: usize,
    game: GameId,
    color: Color,
    /// Whether both players have the name.
    is_both: bool,
    header: GameHeader,
}

impl Game {
    fn opponent(&self) -> &str {
        self.color.fold_wb(&self.header.black, &self.header.white)
    }

    fn opponent_rating(&self) -> Option<u16> {
        self.rating_of(self.color.other())
    }

    fn rating_of(&self, color: Color) -> Option<u16> {
        let header = &self.header;
        let rating = color.fold_wb(&header.white_rating, &header.black_rating);
        rating.map(|rating| rating.value.get())
    }

    /// Returns the hundreds of the opponents' ratings: of both players if both have the name.
    fn rating_classes(&self) -> impl Iterator<Item = u16> {
        let others = self.is_both.then_some(self.color);
        let sides = [Some(self.color.other()), others].into_iter().flatten();
        sides.filter_map(|color| Some(self.rating_of(color)? / 100 * 100))
    }
}

fn report(
    work: &PlayerReport<'_>,
    databases: &[&Database],
    progress: Told<'_>,
) -> Result<WrittenReport> {
    let mut report = Report::default();
    let among = work.query.cloned().unwrap_or(Query::All);
    let outcomes = [
        work.names(TextField::Winner),
        parsed("result:draw"),
        work.names(TextField::Loser),
    ];
    let mut all = Subject::find(databases, work.to_query(), &outcomes, &mut report, progress)?;
    let white = all.search(&work.names(TextField::White), progress)?;
    let black = all.search(&work.names(TextField::Black), progress)?;
    let games = headers(&all, [&white, &black])?;
    let years = games.iter().filter_map(|game| game.header.date.year());
    let last = years.max().map(i32::from);
    let lately = last.map(|last| parsed(&format!("year:{}..{last}", last - YEARS + 1)));
    if let Some(lately) = &lately {
        all.tell_lately(lately, progress)?;
    }
    let side = |field, games| all.part(work.names(field).and(among.clone()), games);
    let (white, black) = (side(TextField::White, white), side(TextField::Black, black));
    let player = Player {
        name: work.name,
        all,
        sides: [(Color::White, white), (Color::Black, black)],
        games,
    };
    let mut sections = player.sections(progress)?;
    sections.retain(|section| !section.rows.is_empty());
    report.matched = player.all.count();
    Ok(WrittenReport {
        title: work.name.to_owned(),
        databases: databases
            .iter()
            .map(|database| database.path().display().to_string())
            .collect(),
        sections,
        outcomes,
        lately,
        report,
    })
}

/// Returns all games with their headers.
fn headers(all: &Subject<'_>, [white, black]: [&Games; 2]) -> Result<Vec<Game>> {
    let mut games = Vec::new();
    let parts = all.databases.iter().zip(&all.games).enumerate();
    for (number, (database, ids)) in parts {
        let (white, black) = (&white[number], &black[number]);
        for game in ids.iter() {
            games.push(Game {
                database: number,
                game,
                color: Color::from_white(white.contains(game)),
                is_both: white.contains(game) && black.contains(game),
                header: database.header(game)?,
            });
        }
    }
    Ok(games)
}

/// The player and his games.
struct Player<'d> {
    name: &'d str,
    all: Subject<'d>,
    sides: [(Color, Subject<'d>); 2],
    games: Vec<Game>,
}

impl Player<'_> {
    fn sections(&self, progress: Told<'_>) -> Result<Vec<ReportSection>> {
        let mut sections = vec![self.overview(), self.years(), self.ratings()];
        for (color, subject) in &self.sides {
            let side = side_name(*color);
            sections.push(self.openings(side, subject, progress)?);
            let title = format!("Moves with {side}");
            sections.push(tree::section(&title, subject, progress)?);
        }
        let structures = FIELDS.iter().find(|field| field.name == "structure");
        let structures = structures.map_or(&[][..], |field| field.choices);
        let structures = structures.iter().map(|name| {
            let query = format!("at(structure:{name} flip)");
            (structure_name(name), query)
        });
        let note = "Games in which the pawns of one side stand so at some time.";
        sections.push(self.list("Structures", note, structures, progress)?);
        let named = |(name, query): &(&str, &str)| ((*name).to_owned(), (*query).to_owned());
        let endings = ENDINGS.iter().map(named);
        let note = "Games in which no other pieces are on the board at some time.";
        sections.push(self.list("Endings", note, endings, progress)?);
        let lengths = LENGTHS.iter().map(named);
        sections.push(self.list("Length", "", lengths, progress)?);
        let speeds = SPEED_NAMES.iter().map(|name| {
            let query = format!("speed:{name}");
            (capitalized(name), query)
        });
        sections.push(self.list("Speed", "", speeds, progress)?);
        sections.push(self.opponents());
        sections.extend(self.model_games());
        Ok(sections)
    }

    fn overview(&self) -> ReportSection {
        let mut rows = vec![self.all.all("All games".to_owned())];
        for (color, subject) in &self.sides {
            rows.push(subject.all(format!("With {}", side_name(*color))));
        }
        ReportSection::new("Results", "", rows)
    }

    /// Returns a row for each query that finds games.
    fn list(
        &self,
        title: &str,
        note: &str,
        queries: impl Iterator<Item = (String, String)>,
        progress: Told<'_>,
    ) -> Result<ReportSection> {
        let mut rows = Vec::new();
        for (label, query) in queries {
            let row = self.all.asked(label, &parsed(&query), progress)?;
            rows.extend(Some(row).filter(|row| row.games > 0));
        }
        Ok(ReportSection::new(title, note, rows))
    }

    /// Returns the games that pass a test.
    fn games(&self, test: impl Fn(&Game) -> bool) -> Games {
        let mut games = vec![Vec::new(); self.all.databases.len()];
        for game in self.games.iter().filter(|game| test(game)) {
            games[game.database].push(game.game);
        }
        games.into_iter().map(GameSet::from_iter).collect()
    }

    fn years(&self) -> ReportSection {
        let years = self.games.iter().filter_map(|game| game.header.date.year());
        let years: BTreeSet<u16> = years.collect();
        let rows = years.iter().rev().map(|year| {
            let games = self.games(|game| game.header.date.year() == Some(*year));
            let query = parsed(&format!("year:{year}"));
            self.all.row(year.to_string(), &query, &games)
        });
        ReportSection::new("Years", "", rows.collect())
    }

    fn ratings(&self) -> ReportSection {
        let classes = self.games.iter().flat_map(Game::rating_classes);
        let classes: BTreeSet<u16> = classes.collect();
        let rows = classes.iter().rev().map(|class| {
            let top = class + 99;
            let [white, black] =
                ["blackelo", "whiteelo"].map(|field| parsed(&format!("{field}:{class}..{top}")));
            let query = named(TextField::White, self.name).and(white).or(named(
                TextField::Black,
                self.name,
            )
            .and(black));
            let games = self.games(|game| game.rating_classes().any(|other| other == *class));
            self.all.row(format!("{class} to {top}"), &query, &games)
        });
        ReportSection::new("Ratings of the opponents", "", rows.collect())
    }

    fn openings(
        &self,
        side: &str,
        subject: &Subject<'_>,
        progress: Told<'_>,
    ) -> Result<ReportSection> {
        let mut families: HashMap<&str, Vec<Vec<GameId>>> = HashMap::new();
        let count = subject.databases.len();
        for (database, games) in subject.games.iter().enumerate() {
            let mut take = |game, number, _| {
                if let Some(name) = opening_names::name(number) {
                    let family = name.split(':').next().unwrap_or(name);
                    let games = families.entry(family);
                    games.or_insert_with(|| vec![Vec::new(); count])[database].push(game);
                }
            };
            openings::each(subject.databases[database], games, &mut take, progress)?;
        }
        let mut families: Vec<_> = families.into_iter().collect();
        let games = |games: &[Vec<GameId>]| games.iter().map(Vec::len).sum::<usize>();
        families.sort_by_key(|(name, found)| (Reverse(games(found)), *name));
        families.truncate(ROWS);
        let mut rows = Vec::new();
        for (family, games) in families {
            let whole = TextTest::Equals(family.to_owned());
            let more = TextTest::from(vec![format!("{family}:"), String::new()]);
            let test = |test| Query::Header(HeaderClause::Opening(OpeningTest::Name(test)));
            let query = test(whole).or(test(more));
            let games = games.into_iter().map(GameSet::from_iter).collect();
            rows.push(subject.row(family.to_owned(), &query, &games));
        }
        let title = format!("Openings with {side}");
        Ok(ReportSection::new(&title, "", rows))
    }

    fn opponents(&self) -> ReportSection {
        let mut names: HashMap<&str, u32> = HashMap::new();
        for game in &self.games {
            *names.entry(game.opponent()).or_default() += 1;
        }
        let mut names: Vec<_> = names.into_iter().collect();
        names.retain(|(name, _)| !matches!(*name, "" | "?") && *name != self.name);
        names.sort_by_key(|&(name, games)| (Reverse(games), name));
        names.truncate(ROWS);
        let rows = names.iter().map(|(name, _)| {
            let games = self.games(|game| game.opponent() == *name);
            let query = named(TextField::Player, name);
            self.all.row((*name).to_owned(), &query, &games)
        });
        ReportSection::new("Opponents", "Those with most games.", rows.collect())
    }

    /// Returns the wins against the strongest opponents and the losses against the weakest.
    fn model_games(&self) -> [ReportSection; 2] {
        let [won, _, lost] = &self.all.outcomes;
        let rows = |ended: &Games, order: fn(u16) -> i32| {
            let games = self.games.iter();
            let mut games: Vec<(i32, &Game)> = games
                .filter(|game| ended[game.database].contains(game.game))
                .filter_map(|game| Some((order(game.opponent_rating()?), game)))
                .collect();
            games.sort_by_key(|(order, game)| (*order, game.database, game.game));
            games.truncate(GAMES);
            games.iter().map(|(_, game)| self.game_row(game)).collect()
        };
        let wins = rows(won, |rating| -i32::from(rating));
        let losses = rows(lost, i32::from);
        [
            ReportSection::new("Wins", "Those against the highest ratings.", wins),
            ReportSection::new("Losses", "Those against the lowest ratings.", losses),
        ]
    }

    fn game_row(&self, game: &Game) -> ReportRow {
        let header = &game.header;
        let label = format!(
            "{} \u{2013} {}, {}, {} {}",
            header.white, header.black, header.result, header.event, header.date
        );
        let games = self.all.databases.iter().enumerate();
        let games = games.map(|(number, _)| {
            let is_here = number == game.database;
            is_here.then_some(game.game).into_iter().collect()
        });
        let number = self.all.databases[game.database].number(game.game);
        let query = parsed(&format!("number:{number}"));
        let mut row = self.all.row(label, &query, &games.collect());
        row.game = Some((game.database, game.game));
        row
    }
}

fn side_name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

fn structure_name(name: &str) -> String {
    match name {
        "iqp" => "Isolated queen's pawn".to_owned(),
        "kings-indian" => "King's Indian".to_owned(),
        name => capitalized(&name.replace('-', " ")),
    }
}

fn capitalized(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}
