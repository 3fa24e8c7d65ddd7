//! The squares to which the men go.

use shakmaty::{Bitboard, Role, Square};
use tabiya_chess::{
    Flow, GameId, GameResult, Man, Start,
    placement::{EachPlacement, Placement},
};
use tabiya_formats::{
    Header as _, Remaining, Scratch, View, error::Result, progress::Progress, run_ordered,
};

use super::{
    ReportRow, ReportSection, side_name,
    subject::{Subject, Told, parsed},
};
use crate::{
    database::{Needs, with_view},
    filter::GameSet,
    query::Query,
};

/// Half-moves after which nobody looks any more.
pub(super) const PLIES: u32 = 40;
/// Rows for each kind of man.
const ROWS: usize = 4;
/// The games of a row are no less than one in so many of all, and no more than 19 in so many.
const ONE_IN: u64 = 20;

/// Number of games of one task, and of concurrent tasks.
const TASK_GAMES: usize = 1 << 12;
const TASKS: usize = 8;

/// How many games of a report have a man of one kind on each square, within the first 40
/// half-moves.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ReportMap {
    /// The kind of the men.
    pub man: Man,
    /// The number of games for each square, from a1, b1 to h8.
    pub games: [u64; 64],
    /// The number of games of which they are a part.
    pub of: u64,
    /// The query for all these games.
    all: Query,
}

impl ReportMap {
    /// Returns the query for the games that are counted for a square.
    #[must_use]
    pub fn query(&self, square: Square) -> Query {
        self.all.clone().and(query(self.man, square))
    }

    /// Returns what the men are called.
    pub(super) fn label(&self) -> String {
        let side = side_name(self.man.color());
        let men = match self.man.role() {
            Role::Pawn => "pawns",
            Role::Knight => "knights",
            Role::Bishop => "bishops",
            Role::Rook => "rooks",
            Role::Queen => "queen",
            Role::King => "king",
        };
        format!("{side}'s {men}")
    }
}

fn query(man: Man, square: Square) -> Query {
    let man = man.char();
    parsed(&format!("at(ply<={PLIES} piece:{man}{square})"))
}

/// Some games: all, those of each result, and the latest.
#[derive(Debug, Clone, Copy, Default)]
struct Cell {
    games: u64,
    /// Won by White, drawn, and won by Black.
    outcomes: [u64; 3],
    lately: u64,
}

/// By [`Man::index`].
type Cells = [[Cell; 64]; Man::COUNT];

/// Returns where the men go, with rows for what many games have but not nearly all.
pub(super) fn section(subject: &Subject<'_>, told: &mut Told<'_>) -> Result<ReportSection> {
    let mut cells: Box<Cells> = Box::new([[Cell::default(); 64]; Man::COUNT]);
    for (number, database) in subject.databases.iter().enumerate() {
        let lately = subject.lately.as_ref().map(|lately| &lately[number]);
        let games: Vec<GameId> = subject.games[number].iter().collect();
        if games.is_empty() {
            continue;
        }
        database.require_games()?;
        database.unchanged(|| {
            with_view!(database.view(Needs::Moves, told.progress)?, view => {
                count(view, (&games, lately), &mut cells, told.progress)
            })
        })?;
    }
    let note = format!(
        "Squares on which a man of a kind stands at some time within {PLIES} half-moves; the more \
         games, the darker. Rows are those that one game in {ONE_IN} has, and not nearly all."
    );
    let mut section = ReportSection::new("Plans", &note, Vec::new());
    for (man, cells) in Man::ALL.into_iter().zip(cells.iter()) {
        section.rows.extend(rows(subject, man, cells));
        section.maps.push(ReportMap {
            man,
            games: cells.map(|cell| cell.games),
            of: subject.count(),
            all: subject.query.clone(),
        });
    }
    Ok(section)
}

/// Returns the squares of a kind of men that tell most.
fn rows(subject: &Subject<'_>, man: Man, cells: &[Cell; 64]) -> Vec<ReportRow> {
    let of = subject.count();
    let tells = |cell: &Cell| {
        let games = ONE_IN * cell.games;
        games >= of.max(1) && games <= (ONE_IN - 1) * of
    };
    let squares = Square::ALL.into_iter().zip(cells);
    let mut squares: Vec<(Square, &Cell)> = squares.filter(|(_, cell)| tells(cell)).collect();
    squares.sort_by_key(|(square, cell)| (std::cmp::Reverse(cell.games), *square));
    squares.truncate(ROWS);
    let rows = squares.into_iter().map(|(square, cell)| {
        // As in SAN, pawns have no letter.
        let letter = Some(man.role()).filter(|role| *role != Role::Pawn);
        let letter = letter.map(|role| role.upper_char().to_string());
        let letter = letter.unwrap_or_default();
        let side = side_name(man.color());
        let [won, drawn, lost] = cell.outcomes;
        ReportRow {
            label: format!("{side}: {letter}{square}"),
            depth: 0,
            query: subject.query.clone().and(query(man, square)),
            games: cell.games,
            of,
            won,
            drawn,
            lost,
            lately: subject.lately.is_some().then_some(cell.lately),
            fen: None,
            game: None,
        }
    });
    rows.collect()
}

/// Some games and what has been counted in them.
struct Task<'g> {
    games: &'g [GameId],
    cells: Box<Cells>,
    standard: Placement,
    scratch: Scratch,
}

fn count<V: View>(
    view: V,
    (games, lately): (&[GameId], Option<&GameSet>),
    cells: &mut Cells,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<()> {
    let total = games.len() as u64;
    let tasks = games.chunks(TASK_GAMES).map(|games| {
        let task = Task {
            games,
            cells: Box::new([[Cell::default(); 64]; Man::COUNT]),
            standard: Placement::at(Start::Standard),
            scratch: Scratch::default(),
        };
        (task, games.len())
    });
    let work = |task: &mut Task<'_>, left: &mut Remaining| task.work(view, lately, left);
    let deliver = |task: &mut Task<'_>, left| {
        if left == 0 {
            let counted = task.cells.iter().flatten();
            for (sum, cell) in cells.iter_mut().flatten().zip(counted) {
                sum.add(cell);
            }
        }
        Ok(())
    };
    let ask = &mut |done| progress(Progress::of(done, total));
    run_ordered(tasks, TASKS, work, deliver, ask)
}

impl Task<'_> {
    fn work<V: View>(&mut self, view: V, lately: Option<&GameSet>, left: &mut Remaining) {
        let done = self.games.len() - left.count();
        let _ = view.for_each_touched(&self.games[done..], |game, record| {
            let mut seen = [0; Man::COUNT];
            let mut plies = 0;
            let mut course = EachPlacement::new(self.standard, |place: &Placement| {
                for (seen, squares) in seen.iter_mut().zip(place.squares) {
                    *seen |= squares;
                }
                plies += 1;
                if plies > PLIES {
                    Flow::Break(())
                } else {
                    Flow::Continue(())
                }
            });
            // A damaged game counts as far as it can be read; the search has told of it.
            let _ = view.main_line(record, &mut self.scratch, &mut course);
            let outcome = match record.result() {
                GameResult::WhiteWins => Some(0),
                GameResult::Draw => Some(1),
                GameResult::BlackWins => Some(2),
                _ => None,
            };
            let is_late = lately.is_some_and(|lately| lately.contains(game));
            for (cells, seen) in self.cells.iter_mut().zip(seen) {
                for square in Bitboard(seen) {
                    let cell = &mut cells[square.to_usize()];
                    cell.games += 1;
                    cell.lately += u64::from(is_late);
                    if let Some(outcome) = outcome {
                        cell.outcomes[outcome] += 1;
                    }
                }
            }
            left.done(1)
        });
    }
}

impl Cell {
    fn add(&mut self, other: &Cell) {
        self.games += other.games;
        self.lately += other.lately;
        for (sum, games) in self.outcomes.iter_mut().zip(other.outcomes) {
            *sum += games;
        }
    }
}
