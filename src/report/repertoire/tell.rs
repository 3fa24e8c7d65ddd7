//! Makes the report of what passes over the games have counted.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
};

use shakmaty::{Bitboard, Setup};
use tabiya_chess::{Man, diagram::Diagram, placement::Placement, step::Step};
use tabiya_formats::{error::Result, figures::FigureSums};

use super::{
    LeavingGame, LeavingPlace, LeftBy, PlayedMove, RepertoireCheck, RepertoireGap, RepertoireLine,
    RepertoireReport,
    pass::{Leaving, Passed},
};
use crate::report::{
    lines::{self, LineGraph, Lines},
    played::Rows,
    tree::{NextMove, TreePosition, TreeStats, Writer, decoded},
};

/// How many games must play a reply that counts as a gap, unless that is said.
const GAMES_MIN: u64 = 2;

/// What stands for the line of a position to which only null moves and moves against the rules
/// lead.
const NOWHERE: &str = "?";

/// Makes the report.
pub(super) fn report(check: &RepertoireCheck<'_>, passed: Passed) -> Result<RepertoireReport> {
    let mut teller = Teller {
        check,
        passed: &passed,
        gaps: Vec::new(),
        spots: HashMap::new(),
        drawn: Vec::new(),
    };
    let numbers = 0..check.repertoire.nodes().len() as u32;
    teller.gaps = numbers.map(|number| teller.gaps_at(number)).collect();
    teller.make_graphs()?;
    let gaps = teller.gaps();
    let (lines, unplayed) = teller.lines();
    let (places, indices) = teller.places();
    let graphs = teller.drawn.into_iter().map(|drawn| drawn.graph).collect();
    let games = passed
        .games
        .iter()
        .enumerate()
        .flat_map(|(database, games)| {
            let indices = &indices;
            games.iter().map(move |(game, left)| LeavingGame {
                database,
                game: *game,
                ply: (!left.is_end()).then_some(left.ply + 1),
                place: indices[&(left.number, left.is_end())],
                next: decoded(left.step),
            })
        });
    Ok(RepertoireReport {
        color: check.color,
        games: games.collect(),
        graphs,
        places,
        gaps,
        lines,
        unplayed,
        outside: passed.outside,
        damaged_lines: check.repertoire.damaged(),
        report: passed.report,
    })
}

struct Teller<'a> {
    check: &'a RepertoireCheck<'a>,
    passed: &'a Passed,
    /// By the number of a position: the replies that the files do not answer, most games first.
    gaps: Vec<Vec<(Step, FigureSums)>>,
    /// By the number of a position: its graph, and its node there.
    spots: HashMap<u32, (usize, usize)>,
    drawn: Vec<Drawn>,
}

/// The lines from one start position.
struct Drawn {
    start: u32,
    graph: LineGraph,
    /// By node: the number of its position; `None` after a gap.
    numbers: Vec<Option<u32>>,
}

impl Teller<'_> {
    /// Makes a graph for each start position that no other graph has: the moves of the files in
    /// their order, then the gaps.
    fn make_graphs(&mut self) -> Result<()> {
        let repertoire = self.check.repertoire;
        let mut made: Vec<Drawn> = Vec::new();
        let (mut covered, mut begun) = (HashSet::new(), HashSet::new());
        for (number, start) in repertoire.starts() {
            if covered.contains(number) {
                continue;
            }
            let position = TreePosition::new(start.clone());
            let lines = Lines::of_repertoire(&position, self.check.color);
            let known = |place: &Placement| Some(self.rows(place));
            let (graph, _) = lines::grow(&lines, 0, known)?;
            let nodes = graph.nodes().iter();
            let numbers = nodes.map(|node| repertoire.number(&placement(node.setup())));
            let mut drawn = Drawn {
                start: *number,
                numbers: numbers.collect(),
                graph,
            };
            self.mark_gaps(&mut drawn);
            let inside: HashSet<u32> = drawn.numbers.iter().flatten().copied().collect();
            if !inside.is_disjoint(&begun) {
                made.retain(|other| !inside.contains(&other.start));
            }
            begun.insert(*number);
            covered.extend(inside);
            made.push(drawn);
        }
        for (at, drawn) in made.iter().enumerate() {
            for (node, number) in drawn.numbers.iter().enumerate() {
                if let Some(number) = number {
                    self.spots.entry(*number).or_insert((at, node));
                }
            }
        }
        self.drawn = made;
        Ok(())
    }

    /// Returns the moves of a position for its graph.
    fn rows(&self, place: &Placement) -> Rows {
        let repertoire = self.check.repertoire;
        let Some(number) = repertoire.number(place) else {
            return Rows::default();
        };
        let node = &repertoire.nodes()[number as usize];
        let counted = &self.passed.rows[number as usize];
        let of_file = node.moves.iter();
        let of_file = of_file.map(|step| (*step, counted.sums(*step)));
        let mut rows = Rows {
            total: counted.total,
            moves: of_file.collect(),
        };
        let gaps = self.gaps[number as usize].iter();
        let others = gaps.filter(|(step, _)| !node.moves.contains(step));
        rows.moves.extend(others.copied());
        rows
    }

    /// Returns the replies to a position that the files do not answer, most games first.
    fn gaps_at(&self, number: u32) -> Vec<(Step, FigureSums)> {
        let repertoire = self.check.repertoire;
        let node = &repertoire.nodes()[number as usize];
        if node.place.turn == self.check.color || node.moves.is_empty() {
            return Vec::new();
        }
        let counted = &self.passed.rows[number as usize];
        let games = |sums: &FigureSums| sums.results.iter().sum::<u64>();
        let least = self.check.min_games.unwrap_or(GAMES_MIN).max(1);
        let share = self.check.gap_share * games(&counted.total) as f64;
        let mut gaps = counted.moves.clone();
        gaps.retain(|(step, sums)| {
            let after = repertoire.number(&node.place.after(*step));
            let is_answered =
                after.is_some_and(|after| !repertoire.nodes()[after as usize].moves.is_empty());
            let games = games(sums);
            *step != Step::END && !is_answered && games >= least && games as f64 >= share
        });
        gaps.sort_by_key(|(step, sums)| (Reverse(games(sums)), *step));
        gaps
    }

    fn mark_gaps(&self, drawn: &mut Drawn) {
        for (node, number) in drawn.numbers.iter().enumerate() {
            let gaps = number.map_or(&[][..], |number| &self.gaps[number as usize]);
            for (step, _) in gaps {
                if let Some(place) = drawn.graph.nodes()[node].place_of(decoded(*step)) {
                    drawn.graph.mark(node, place, "gap: ");
                }
            }
        }
    }

    fn gaps(&self) -> Vec<RepertoireGap> {
        let mut gaps = Vec::new();
        for (number, node) in (0..).zip(self.check.repertoire.nodes()) {
            let counted = &self.passed.rows[number as usize];
            let total = TreeStats::of_sums(node.place.turn, counted.total);
            for &(step, sums) in &self.gaps[number as usize] {
                let (line, after) = self.after(number, step);
                gaps.push(RepertoireGap {
                    line,
                    next: decoded(step),
                    fen: fen_of(&after.unwrap_or_else(|| setup_of(&node.place.after(step)))),
                    is_in_file: node.moves.contains(&step),
                    stats: TreeStats::of_sums(node.place.turn, sums),
                    total: total.clone(),
                });
            }
        }
        gaps.sort_by_key(|gap| Reverse(gap.stats.games()));
        gaps
    }

    /// Returns the line with a move after a position, and the position after it with its rights.
    fn after(&self, number: u32, step: Step) -> (String, Option<Setup>) {
        let place = self.spots.get(&number).and_then(|&(graph, node)| {
            let graph = &self.drawn[graph].graph;
            Some((graph, node, graph.nodes()[node].place_of(decoded(step))?))
        });
        let Some((graph, node, place)) = place else {
            return (NOWHERE.to_owned(), None);
        };
        let next = graph.nodes()[node].moves()[place].node;
        let setup = next.map(|next| graph.nodes()[next].setup().clone());
        (graph.line_with(node, place), setup)
    }

    /// Returns how many moves of a position are of the files: the first ones.
    fn own_moves(&self, drawn: &Drawn, node: usize) -> usize {
        let nodes = self.check.repertoire.nodes();
        drawn.numbers[node].map_or(0, |number| nodes[number as usize].moves.len())
    }

    /// Returns the lines that are played to their end, and those that are not, each to the first
    /// move that does not come in a position that does.
    fn lines(&self) -> (Vec<RepertoireLine>, Vec<RepertoireLine>) {
        let (mut lines, mut unplayed) = (Vec::new(), Vec::new());
        for drawn in &self.drawn {
            let (graph, ends) = (&drawn.graph, self.ends(drawn));
            for place in graph.in_order() {
                if place.number >= self.own_moves(drawn, place.node) {
                    continue;
                }
                let node = &graph.nodes()[place.node];
                let played = &node.moves()[place.number];
                let line = |lines| RepertoireLine {
                    line: graph.line_with(place.node, place.number),
                    lines,
                    stats: played.row.stats.clone(),
                };
                let is_end = played
                    .node
                    .is_none_or(|next| self.own_moves(drawn, next) == 0);
                if played.row.stats.games() == 0 {
                    if node.total().games() > 0 || place.node == 0 {
                        let next = graph.goes_on(place.node, place.number);
                        unplayed.push(line(next.map_or(1, |next| ends[next])));
                    }
                } else if is_end {
                    lines.push(line(1));
                }
            }
        }
        lines.sort_by_key(|line| Reverse(line.stats.games()));
        (lines, unplayed)
    }

    /// Returns by position how many lines of the files go through it; 1 for one that games have,
    /// since its own moves tell of them.
    fn ends(&self, drawn: &Drawn) -> Vec<u64> {
        let graph = &drawn.graph;
        let mut ends = vec![1; graph.nodes().len()];
        // What follows a position as text stands behind it.
        for node in (0..ends.len()).rev() {
            let own = self.own_moves(drawn, node);
            if own > 0 && graph.nodes()[node].total().games() == 0 {
                let each =
                    (0..own).map(|number| graph.goes_on(node, number).map_or(1, |next| ends[next]));
                ends[node] = each.sum();
            }
        }
        ends
    }

    /// Returns the places where games leave, and their indices.
    fn places(&self) -> (Vec<LeavingPlace>, HashMap<(u32, bool), usize>) {
        let mut keys: Vec<(u32, bool)> = self.passed.leaving.keys().copied().collect();
        let games = |key: &(u32, bool)| self.passed.leaving[key].sums.results.iter().sum::<u64>();
        keys.sort_by_key(|key| (Reverse(games(key)), *key));
        let place = |key: &(u32, bool)| self.place(*key, &self.passed.leaving[key]);
        let places = keys.iter().map(place).collect();
        (places, keys.into_iter().zip(0..).collect())
    }

    fn place(&self, (number, ends): (u32, bool), leaving: &Leaving) -> LeavingPlace {
        let repertoire = self.check.repertoire;
        let node = &repertoire.nodes()[number as usize];
        let (setup, line, dots) = match self.spots.get(&number) {
            Some(&(graph, spot)) => {
                let graph = &self.drawn[graph].graph;
                let position = &graph.nodes()[spot];
                let setup = position.setup().clone();
                (setup, graph.line(spot), position.move_number())
            }
            None => (setup_of(&node.place), NOWHERE.to_owned(), String::new()),
        };
        let writer = Writer::new(&setup);
        let san = |step: Step| match decoded(step) {
            NextMove::End => String::new(),
            next => format!("{dots}{}", writer.write(next).0),
        };
        let mut next: Vec<(Step, u64)> = leaving.next.iter().map(|(&a, &b)| (a, b)).collect();
        next.sort_by_key(|&(step, games)| (Reverse(games), step));
        next.retain(|(step, _)| *step != Step::END);
        let left = match repertoire.leaver(number, ends) {
            Some(side) if side == self.check.color => LeftBy::Me,
            Some(_) => LeftBy::Opponent,
            None if ends => LeftBy::GameEnds,
            None => LeftBy::FileEnds,
        };
        let played = next.into_iter().map(|(step, games)| PlayedMove {
            next: decoded(step),
            san: san(step),
            games,
        });
        LeavingPlace {
            line,
            fen: fen_of(&setup),
            left,
            answers: node.moves.iter().map(|step| san(*step)).collect(),
            played: played.collect(),
            stats: TreeStats::of_sums(self.check.color, leaving.sums),
        }
    }
}

/// Returns a position without rights.
fn setup_of(place: &Placement) -> Setup {
    let mut setup = Setup::empty();
    for man in Man::ALL {
        for square in Bitboard(place.squares[man.index()]) {
            setup.board.set_piece_at(square, man.into());
        }
    }
    setup.turn = place.turn;
    setup
}

fn placement(setup: &Setup) -> Placement {
    Placement::new(&setup.board, setup.turn)
}

fn fen_of(setup: &Setup) -> String {
    Diagram::new(setup).fen()
}
