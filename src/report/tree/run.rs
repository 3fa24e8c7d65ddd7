//! Builds a tree: games whose stored line decides are counted at once, others are decoded.
//!
//! One file because the ways to count, from rows, lines and decoded games, add up in one place.

use std::{ops::Range, time::Instant};

use shakmaty::{Color, Move};
use tabiya_chess::{Flow, GameId, follow::follow_line, placement::Placement, step::Step};
use tabiya_formats::{
    Ask, Header, Remaining, Scratch, View,
    error::{Error, Result},
    progress::Progress,
    run_ordered,
    sound::Sound,
};

use super::{
    Tree, TreeOrder, TreeReport, TreeSearch,
    next::{After, Writer, decoded},
    row::{NextMove, TreeRow, TreeStats},
};
use crate::{
    database::Database,
    filter::{self, Batch, GameSet, Node},
    pattern::{Finder, automaton, sum_matcher::SumMatcher},
    plan::{Decode, Plan, Strategy},
    report::played::{self, Rows},
    search::Search,
};

/// Number of games of one task.
const TASK_GAMES: usize = 1 << 14;
/// Number of concurrent tasks.
const TASKS: usize = 32;

/// Builds a tree, and lists its games if wanted. See [`TreeSearch::run_with_games`].
pub(super) fn tree<V: View>(
    search: &TreeSearch<'_>,
    database: &Database,
    view: V,
    lists_games: bool,
    progress: &mut dyn FnMut(Progress) -> Flow,
) -> Result<(Tree, Vec<GameId>)> {
    let started = Instant::now();
    let mut report = TreeReport {
        games: view.game_count() as u64,
        ..TreeReport::default()
    };
    let tally = match ready(search, database) {
        Some(mut tally) => {
            let at = Progress::of(report.games, report.games);
            if progress(at).is_break() {
                return Err(Error::interrupted());
            }
            if lists_games {
                tally.games = games_of(search, database, progress, &mut report)?;
            }
            tally
        }
        None if search.variations => {
            of_all_lines(search, database, view, lists_games, progress, &mut report)?
        }
        None => counted(search, database, view, lists_games, progress, &mut report)?,
    };
    Ok(finished(search, tally, report, started))
}

/// Counts the games one by one.
fn counted<V: View>(
    search: &TreeSearch<'_>,
    database: &Database,
    view: V,
    lists_games: bool,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut TreeReport,
) -> Result<Tally> {
    let asked = search.position.to_query();
    let total = database.len().into();
    let ask = &mut || progress(Progress::of(0, total));
    let plan = Plan::new(&asked, database, search.strategy, false, ask)?;
    let among = match search.query {
        Some(_) => Some(games_of(search, database, progress, report)?),
        None => {
            let ask = &mut || progress(Progress::of(0, total));
            candidates(&plan.node, view, search.among, ask)?
        }
    };
    let run = Run {
        database,
        node: &plan.node,
        view,
        turn: search.position.setup().turn,
        trusts_lines: search.strategy == Strategy::Auto,
        lists_games,
    };
    let mut tally = Tally::new(run.turn);
    for clause in &plan.clauses {
        // There is exactly one clause: the position.
        let Decode::Position(positions) = &clause.decode else {
            continue;
        };
        tally = match positions.weights.as_deref() {
            Some([weights]) => {
                let finder = || SumMatcher::new([weights]);
                run.execute(&finder, among.as_deref(), progress)?
            }
            _ => {
                let finder = || automaton::Run::new(&positions.automaton);
                run.execute(&finder, among.as_deref(), progress)?
            }
        };
    }
    Ok(tally)
}

/// Counts the moves of all lines of the games that have the position in one of them.
fn of_all_lines<V: View>(
    search: &TreeSearch<'_>,
    database: &Database,
    view: V,
    lists_games: bool,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut TreeReport,
) -> Result<Tally> {
    let setup = search.position.setup();
    let wanted = [Placement::new(&setup.board, setup.turn)];
    let games = games_of(search, database, progress, report)?;
    let among: GameSet = games.iter().copied().collect();
    let mut rows = [Rows::default()];
    let played = played::count(
        true,
        (database, view),
        &wanted,
        Some(&among),
        &mut rows,
        progress,
    )?;
    report.harmed += played.harmed;
    report.damaged += played.damaged - played.damaged_games.len() as u64;
    report.add_damaged(played.damaged_games);
    let [rows] = rows;
    let stats = |sums| TreeStats::of_sums(setup.turn, sums);
    let moves = rows.moves.into_iter();
    Ok(Tally {
        rows: moves.map(|(step, sums)| (step, stats(sums))).collect(),
        total: Some(stats(rows.total)),
        games: if lists_games { games } else { Vec::new() },
        decoded: played.decoded,
        ..Tally::new(setup.turn)
    })
}

/// Returns the next moves of games. See [`TreeSearch::next_moves`].
pub(super) fn next_moves<V: View>(
    search: &TreeSearch<'_>,
    database: &Database,
    view: V,
    games: &[GameId],
) -> Result<Vec<Option<NextMove>>> {
    let asked = search.position.to_query();
    let ask = &mut || Flow::Continue(());
    let plan = Plan::new(&asked, database, Strategy::FullDecode, false, ask)?;
    database.require_games()?;
    let automaton = plan.clauses.iter().find_map(|clause| match &clause.decode {
        Decode::Position(positions) => Some(&positions.automaton),
        _ => None,
    });
    let mut after = automaton.map(|automaton| After::new(automaton::Run::new(automaton)));
    let mut scratch = Scratch::default();
    let next = |game: &GameId| {
        let is_there = game.index() < view.game_count();
        let after = after.as_mut().filter(|_| is_there)?;
        let record = view.record(*game);
        // Moves before any damage count.
        let _ = view.main_line(record, &mut scratch, after);
        after.step().map(decoded)
    };
    Ok(games.iter().map(next).collect())
}

/// Returns the tally stored in a sidecar, if the tree is of all games.
fn ready(search: &TreeSearch<'_>, database: &Database) -> Option<Tally> {
    let of_all = search.query.is_none() && search.among.is_none() && !search.variations;
    if !of_all || search.strategy == Strategy::FullDecode {
        return None;
    }
    let setup = search.position.setup();
    let sidecar = database.sidecar_handle()?;
    let opening = sidecar.opening(&Placement::new(&setup.board, setup.turn))?;
    let rows = sidecar.opening_rows(opening)?;
    let rows = rows.iter();
    Some(Tally {
        rows: rows
            .map(|row| (row.step, TreeStats::ready(setup.turn, row)))
            .collect(),
        ..Tally::new(setup.turn)
    })
}

fn finished(
    search: &TreeSearch<'_>,
    mut tally: Tally,
    mut report: TreeReport,
    started: Instant,
) -> (Tree, Vec<GameId>) {
    let (rows, total) = rows(search, &tally);
    report.decoded += tally.decoded;
    report.add_damaged(tally.damaged);
    report.harmed += tally.harmed;
    report.matched = total.games();
    tally.games.sort_unstable();
    report.time = started.elapsed();
    let tree = Tree {
        rows,
        total,
        report,
        order: search.order,
    };
    (tree, tally.games)
}

/// Returns the games that match the query and have the position, so that the query need not be
/// decided for any other game.
fn games_of(
    search: &TreeSearch<'_>,
    database: &Database,
    progress: &mut dyn FnMut(Progress) -> Flow,
    report: &mut TreeReport,
) -> Result<Vec<GameId>> {
    let mut games = Vec::new();
    let query = search.to_query();
    let mut found = Search::new(&query)
        .strategy(search.strategy)
        .variations(search.variations);
    if let Some(among) = search.among {
        found = found.among(among);
    }
    let found = found.for_all_games(database, |game| games.push(game), progress)?;
    report.decoded += found.decoded;
    report.harmed += found.harmed;
    report.damaged += found.damaged;
    report.damaged_games = found.damaged_games;
    Ok(games)
}

/// Returns the games that the index leaves possible, if it is asked before all else: among some,
/// or with a sidecar.
///
/// # Errors
/// `Interrupted` if `ask` breaks.
fn candidates<V: View>(
    node: &Node,
    view: V,
    among: Option<&GameSet>,
    ask: Ask<'_>,
) -> Result<Option<Vec<GameId>>> {
    if among.is_none() && !node.has_candidates() {
        return Ok(None);
    }
    let possible = filter::bounds(node, view, None, (among, false), ask)?.possible;
    Ok(Some(possible.iter().collect()))
}

/// The inputs of a run, which do not change.
struct Run<'a, V> {
    database: &'a Database,
    node: &'a Node,
    view: V,
    turn: Color,
    /// Whether stored lines may be used.
    trusts_lines: bool,
    lists_games: bool,
}

/// The counts so far.
struct Tally {
    turn: Color,
    /// Unsorted; as many as there are moves in one position.
    rows: Vec<(Step, TreeStats)>,
    /// All games; `None` if that is the sum of the rows.
    total: Option<TreeStats>,
    /// The games, unsorted, if they are listed.
    games: Vec<GameId>,
    decoded: u64,
    damaged: Vec<Error>,
    harmed: u64,
}

impl Tally {
    fn new(turn: Color) -> Tally {
        Tally {
            turn,
            rows: Vec::new(),
            total: None,
            games: Vec::new(),
            decoded: 0,
            damaged: Vec::new(),
            harmed: 0,
        }
    }

    /// Returns the statistics of a move, which are added if missing.
    #[inline]
    fn of(&mut self, step: Step) -> &mut TreeStats {
        let known = self.rows.iter().position(|row| row.0 == step);
        let place = known.unwrap_or_else(|| {
            self.rows.push((step, TreeStats::new(self.turn)));
            self.rows.len() - 1
        });
        &mut self.rows[place].1
    }

    fn merge(mut self, other: Tally) -> Tally {
        for (step, stats) in &other.rows {
            self.of(*step).merge(stats);
        }
        self.games.extend(other.games);
        self.decoded += other.decoded;
        self.damaged.extend(other.damaged);
        self.harmed += other.harmed;
        self
    }
}

/// By code of the stored line: the move after the position, if the line has one.
type Lines = [Option<Step>; 256];

impl<V: View> Run<'_, V> {
    /// Counts the given games, or all that the index does not exclude.
    fn execute<F: Finder>(
        &self,
        finder: &(impl Fn() -> F + Sync),
        among: Option<&[GameId]>,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Tally> {
        let lines = self.lines(&mut After::new(finder()));
        let total = among.map_or(self.view.game_count(), <[GameId]>::len);
        let mut tally = Some(Tally::new(self.turn));
        let tasks = (0..total).step_by(TASK_GAMES).map(|start| {
            let games = start..total.min(start + TASK_GAMES);
            let count = games.len();
            let task = Task {
                run: self,
                lines: &lines,
                tally: Tally::new(self.turn),
                games: Some(games),
                open: Vec::new(),
            };
            (task, count)
        });
        let work = |task: &mut Task<'_, '_, V>, left: &mut Remaining| {
            if let Some(Range { start, end }) = task.games.take() {
                match among {
                    Some(games) => games[start..end].iter().for_each(|&game| task.take(game)),
                    None => task.scan(start, end),
                }
                if left.done(left.count() - task.open.len()).is_break() {
                    return;
                }
            }
            task.decode(After::new(finder()), left);
        };
        let deliver = |task: &mut Task<'_, '_, V>, left| {
            if !task.open.is_empty() {
                self.database.require_games()?;
            }
            if left == 0 {
                let more = std::mem::replace(&mut task.tally, Tally::new(self.turn));
                tally = tally.take().map(|tally| tally.merge(more));
            }
            Ok(())
        };
        let total = total as u64;
        let ask = &mut |done| progress(Progress::of(done, total));
        run_ordered(tasks, TASKS, work, deliver, ask)?;
        Ok(tally.unwrap_or_else(|| Tally::new(self.turn)))
    }

    /// Replays the stored lines. If the position is at the end of a line, the game may continue or
    /// not, so there is no entry.
    fn lines<F: Finder>(&self, after: &mut After<F>) -> Lines {
        let mut lines = [None; 256];
        if !self.trusts_lines {
            return lines;
        }
        for (code, next) in (0..=255).zip(lines.iter_mut()) {
            let moves: &[Move] = self.view.stored_line(code).unwrap_or_default();
            let _ = follow_line(moves, after);
            *next = after.step().filter(|&step| step != Step::END);
        }
        lines
    }
}

/// A range of the games, and the results so far.
struct Task<'r, 'a, V> {
    run: &'r Run<'a, V>,
    lines: &'r Lines,
    tally: Tally,
    /// The range of its games, until they are scanned.
    games: Option<Range<usize>>,
    /// Games to decode.
    open: Vec<GameId>,
}

impl<V: View> Task<'_, '_, V> {
    /// Takes the games that the index does not exclude.
    fn scan(&mut self, start: usize, end: usize) {
        let records = self.run.view.records_in(start..end);
        for (first, records) in (start as u32..).step_by(64).zip(records.chunks(64)) {
            let present = u64::MAX >> (64 - records.len());
            let mut games = self
                .run
                .node
                .lanes(self.run.view, Batch::new(first, records))
                .possible
                & present;
            while games != 0 {
                self.take(GameId(first + games.trailing_zeros()));
                games &= games - 1;
            }
        }
    }

    /// Counts a game by its stored line, or marks it for decoding.
    #[inline]
    fn take(&mut self, game: GameId) {
        let record = self.run.view.record(game);
        let next = self.lines[usize::from(record.stored_line())];
        match next.filter(|_| !record.may_be_custom_start()) {
            Some(step) => self.count(step, game, record),
            None => self.open.push(game),
        }
    }

    #[inline]
    fn count(&mut self, step: Step, game: GameId, record: &V::Record) {
        self.tally.of(step).add(record);
        if self.run.lists_games {
            self.tally.games.push(game);
        }
    }

    /// Decodes the remaining marked games.
    fn decode<F: Finder>(&mut self, mut after: After<F>, left: &mut Remaining) {
        let (view, mut sound) = (self.run.view, Sound::default());
        let open = std::mem::take(&mut self.open);
        let _ = view.for_each_touched(&open[open.len() - left.count()..], |game, record| {
            sound.begin();
            match sound.main_line(view, record, &mut after) {
                Ok(()) => {
                    if let Some(step) = after.step() {
                        self.count(step, game, record);
                    }
                }
                Err(damage) => {
                    let error = self.run.database.damaged(game, record, damage);
                    self.tally.damaged.push(error);
                }
            }
            self.tally.harmed += u64::from(sound.damage().is_some());
            self.tally.decoded += 1;
            left.done(1)
        });
        self.open = open;
    }
}

/// Converts counts to sorted rows and the statistics of all games.
fn rows(search: &TreeSearch<'_>, tally: &Tally) -> (Vec<TreeRow>, TreeStats) {
    let setup = search.position.setup();
    let writer = Writer::new(setup);
    let mut sum = TreeStats::new(setup.turn);
    let mut rows: Vec<TreeRow> = Vec::with_capacity(tally.rows.len());
    for (step, stats) in &tally.rows {
        sum.merge(stats);
        let next = decoded(*step);
        let (san, opening) = writer.write(next);
        rows.push(TreeRow {
            next,
            san,
            opening,
            stats: stats.clone(),
        });
    }
    sort(&mut rows, search.order, setup.turn);
    (rows, tally.total.clone().unwrap_or(sum))
}

/// Sorts rows for the side to move.
pub(super) fn sort(rows: &mut [TreeRow], order: TreeOrder, turn: Color) {
    rows.sort_by(|a, b| a.san.cmp(&b.san));
    let score = |row: &TreeRow| {
        let white = row.stats.score_permille()?;
        Some(turn.fold_wb(white, 1000 - white))
    };
    let rating = |row: &TreeRow| row.stats.average_rating().unwrap_or_default();
    match order {
        TreeOrder::Games => rows.sort_by_key(|row| std::cmp::Reverse(row.stats.games())),
        TreeOrder::Score => rows.sort_by_key(|row| std::cmp::Reverse(score(row))),
        TreeOrder::Rating => rows.sort_by(|a, b| rating(b).total_cmp(&rating(a))),
        TreeOrder::Name => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::slow::ends_soon;
    use crate::{database::with_view, report::tree::TreePosition};

    #[test]
    fn a_tree_ends_soon_whatever_a_game_costs() {
        let database = Database::open("fixtures/famous.si4").unwrap();
        let position = TreePosition::from_moves("1.e4 e5").unwrap();
        let search = TreeSearch::new(&position).strategy(Strategy::FullDecode);
        ends_soon(0, |games, ask| {
            let progress = &mut |_| ask();
            let made = with_view!(database.tags(), view => {
                tree(&search, &database, games.of(view), false, progress)
            });
            assert!(made.is_ok_and(|(tree, _)| tree.report().decoded == 91) || ask().is_break());
        });
    }
}
