//! What a player does: results, openings, structures, endings and opponents.

use std::{
    borrow::Borrow,
    cmp::Reverse,
    collections::{BTreeSet, HashMap},
};

use shakmaty::Color;
use tabiya_chess::{Flow, GameId, NameKind, opening_names};
use tabiya_formats::{
    error::{ErrorKind, Result},
    progress::Progress,
};

use super::{
    NOT_TOLD, ReportSection, WrittenReport, avoided,
    games::{self, Headed},
    lists, scores, side_name,
    subject::{self, Subject, Told, named, parsed},
    tree,
};
use crate::{
    database::Database,
    filter::GameSet,
    progress::WithProgress,
    query::{HeaderClause, OpeningTest, Query, TextField, TextTest},
    report::{person, stats::openings, tree::TreePosition},
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
/// Names that may be other spellings.
const OTHER_NAMES: usize = 6;

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

    /// Makes the report over all these databases together. What the player avoids is told beside
    /// the games of everybody: the query is asked of all games once, and without a sidecar, or
    /// with a query, games are played for the moves of the openings.
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
        report(self.work, &databases, Told::new(&mut progress))
    }
}

fn report(
    work: &PlayerReport<'_>,
    databases: &[&Database],
    mut told: Told<'_>,
) -> Result<WrittenReport> {
    let among = work.query.cloned().unwrap_or(Query::All);
    let outcomes = [
        work.names(TextField::Winner),
        // Rows about all players' games tell of his too.
        parsed("result:draw").and(work.names(TextField::Player)),
        work.names(TextField::Loser),
    ];
    let (all, games) = games::find(databases, work.to_query(), outcomes, &mut told)?;
    let white = all.search(&work.names(TextField::White), &mut told)?;
    let black = all.search(&work.names(TextField::Black), &mut told)?;
    let side = |field, games| all.part(work.names(field).and(among.clone()), games);
    let (white, black) = (side(TextField::White, white), side(TextField::Black, black));
    let everyone = all.part(among.clone(), subject::all(databases, &among, &mut told)?);
    let player = Player {
        name: work.name,
        all,
        everyone,
        sides: [(Color::White, white), (Color::Black, black)],
        games,
    };
    let sections = player.sections(&mut told)?;
    let names = ["won", "drawn", "lost"];
    Ok(WrittenReport::new(
        work.name,
        names,
        &player.all,
        sections,
        told,
    ))
}

/// The player and his games.
struct Player<'d> {
    name: &'d str,
    all: Subject<'d>,
    /// All players' games, with his outcomes.
    everyone: Subject<'d>,
    sides: [(Color, Subject<'d>); 2],
    games: Vec<Headed>,
}

impl Player<'_> {
    fn sections(&self, told: &mut Told<'_>) -> Result<Vec<ReportSection>> {
        let mut sections = vec![
            self.overview()?,
            games::years(&self.all, &self.games),
            self.ratings(),
        ];
        let start = TreePosition::default();
        for (color, subject) in &self.sides {
            let side = side_name(*color);
            let openings = self.openings(side, subject, told)?;
            let title = format!("Moves with {side}");
            let moves = tree::common(&start, subject, told)?;
            let lines = tree::section(&title, &moves, subject, told)?;
            let all = subject.all(String::new());
            let scores = scores::sections(side, &all, [&openings, &lines]);
            sections.extend([openings, lines]);
            sections.extend(scores);
            let player = (subject, &moves);
            sections.push(avoided::section(*color, player, &self.everyone, told)?);
        }
        sections.push(lists::structures(&self.all, told)?);
        sections.push(lists::endings(&self.all, told)?);
        sections.push(lists::lengths(&self.all, told)?);
        let speeds = lists::speeds(&self.all, told).map(|section| vec![section]);
        sections.extend(told_or_why_not("Speed", speeds)?);
        sections.push(lists::clocks(&self.all, self.name, told)?);
        sections.extend(told_or_why_not("Hours", lists::times(&self.all, told))?);
        sections.push(lists::mistakes(&self.all, self.name, told)?);
        sections.push(self.opponents());
        sections.extend(self.model_games());
        Ok(sections)
    }

    fn overview(&self) -> Result<ReportSection> {
        let mut rows = vec![self.all.all("All games".to_owned())];
        for (color, subject) in &self.sides {
            rows.push(subject.all(format!("With {}", side_name(*color))));
        }
        let others = self.other_names()?;
        let note = match &others[..] {
            [] => String::new(),
            others => format!(
                "Not counted are names that may be another spelling of this one, with all their \
                 games: {}.",
                others.join("; ")
            ),
        };
        Ok(ReportSection::new("Results", &note, rows))
    }

    /// Returns the most frequent names that may be the player's too, with their numbers of games.
    fn other_names(&self) -> Result<Vec<String>> {
        let own = person::readings(self.name.as_bytes());
        let surname = self.name.split(',').next().unwrap_or_default();
        let words = surname.split_whitespace();
        let Some(word) = words.max_by_key(|word| word.chars().count()) else {
            return Ok(Vec::new());
        };
        let mut names: HashMap<String, u64> = HashMap::new();
        for database in self.all.databases {
            for row in database.find_names(NameKind::Player, word)? {
                let readings = person::readings(row.name.as_bytes());
                if row.name != self.name && person::fit(&own, &readings) {
                    *names.entry(row.name).or_default() += u64::from(row.games);
                }
            }
        }
        let mut names: Vec<_> = names.into_iter().collect();
        names.sort_by(|one, other| (Reverse(one.1), &one.0).cmp(&(Reverse(other.1), &other.0)));
        names.truncate(OTHER_NAMES);
        let told = names.into_iter();
        Ok(told
            .map(|(name, games)| format!("{name} ({games})"))
            .collect())
    }

    fn ratings(&self) -> ReportSection {
        let classes = self.games.iter().flat_map(|game| self.rating_classes(game));
        let classes: BTreeSet<u32> = classes.collect();
        let rows = classes.iter().rev().map(|class| {
            let top = class + 99;
            let [white, black] =
                ["blackelo", "whiteelo"].map(|field| parsed(&format!("{field}:{class}..{top}")));
            let query = named(TextField::White, self.name).and(white).or(named(
                TextField::Black,
                self.name,
            )
            .and(black));
            let games = games::those(&self.all, &self.games, |game| {
                self.rating_classes(game).any(|other| other == *class)
            });
            self.all.row(format!("{class} to {top}"), &query, &games)
        });
        ReportSection::new("Ratings of the opponents", "", rows.collect())
    }

    fn openings(
        &self,
        side: &str,
        subject: &Subject<'_>,
        told: &mut Told<'_>,
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
            openings::each(subject.databases[database], games, &mut take, told.progress)?;
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
        let is_other = |name: &&str| *name != self.name;
        games::names(
            "Opponents",
            &self.all,
            &self.games,
            TextField::Player,
            |game| Some(self.opponent(game)).filter(is_other),
            ROWS,
        )
    }

    /// Returns the wins against the strongest opponents and the losses against the weakest.
    fn model_games(&self) -> [ReportSection; 2] {
        let [won, _, lost] = &self.all.outcomes;
        let rating = |game: &Headed| self.rating_of(self.color(game).other(), game);
        let why = |game: &Headed| {
            let said = |rating: Option<u16>| rating.map_or("none".to_owned(), |r| r.to_string());
            let own = self.rating_of(self.color(game), game);
            format!("opponent {}, own {}", said(rating(game)), said(own))
        };
        let first = |ended, sign: i32| {
            let order = |game: &Headed| Some(sign * i32::from(rating(game)?));
            games::first(&self.all, &self.games, ended, order, why)
        };
        let (wins, losses) = (first(won, -1), first(lost, 1));
        [
            ReportSection::new(
                "Wins",
                "Those against the highest ratings, with both.",
                wins,
            ),
            ReportSection::new(
                "Losses",
                "Those against the lowest ratings, with both.",
                losses,
            ),
        ]
    }

    fn plays(&self, side: usize, game: &Headed) -> bool {
        self.sides[side].1.games[game.database].contains(game.game)
    }

    /// Returns the player's side: White if both players have the name.
    fn color(&self, game: &Headed) -> Color {
        Color::from_white(self.plays(0, game))
    }

    fn opponent<'g>(&self, game: &'g Headed) -> &'g str {
        let header = &game.header;
        self.color(game).fold_wb(&header.black, &header.white)
    }

    fn rating_of(&self, color: Color, game: &Headed) -> Option<u16> {
        let header = &game.header;
        let rating = color.fold_wb(&header.white_rating, &header.black_rating);
        rating.map(|rating| rating.value.get())
    }

    /// Returns the hundreds of the opponents' ratings: of both players if both have the name.
    fn rating_classes(&self, game: &Headed) -> impl Iterator<Item = u32> {
        let other = self.color(game).other();
        let is_both = self.plays(0, game) && self.plays(1, game);
        let sides = [Some(other), is_both.then_some(other.other())];
        let ratings = sides.map(|color| self.rating_of(color?, game));
        ratings
            .into_iter()
            .flatten()
            .map(|rating| u32::from(rating) / 100 * 100)
    }
}

/// Returns a section, or one that says which file it lacks.
fn told_or_why_not(
    title: &str,
    sections: Result<Vec<ReportSection>>,
) -> Result<Vec<ReportSection>> {
    match sections {
        Err(error) if matches!(error.kind(), ErrorKind::Missing { .. }) => {
            let note = format!("{NOT_TOLD}{error}");
            Ok(vec![ReportSection::new(title, &note, Vec::new())])
        }
        sections => sections,
    }
}
