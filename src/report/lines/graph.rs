//! The graph: positions that lines go through, and the moves between them.

use std::collections::HashMap;

use rayon::prelude::*;
use shakmaty::{Color, EnPassantMode, Position as _, Setup};
use tabiya_chess::{placement::Placement, step::Step};
use tabiya_formats::error::{Error, Result};

use super::Lines;
use crate::{
    limits::LINE_POSITIONS_MAX,
    pattern::position_of,
    report::played::Rows,
    report::tree::{NextMove, TreeRow, TreeStats, Writer, decoded, legal},
    search::Report,
};

/// The lines that games play from a position. Positions are joined: a move that leads to one that
/// is there already refers to it.
#[derive(Debug, Clone)]
pub struct LineGraph {
    nodes: Vec<GraphNode>,
    /// The moves from the standard start position to the first one, if it was made of moves.
    lead: Vec<String>,
    only: Option<Color>,
    /// From whose view comments tell the score.
    seen_by: Color,
    report: Report,
}

/// A position of the lines and what was played in it.
#[derive(Debug, Clone)]
pub struct GraphNode {
    setup: Setup,
    ply: u32,
    before: Option<(usize, usize)>,
    total: TreeStats,
    moves: Vec<GraphMove>,
}

/// A move of the lines.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GraphMove {
    /// The move with the statistics of its games.
    pub row: TreeRow,
    /// The number of the position after the move; `None` if the lines end with the move.
    pub node: Option<usize>,
    /// Whether the move is legal after the first line to the position. It is not if only other
    /// lines leave the right to castle or to capture en passant.
    pub is_legal: bool,
    /// What its comment begins with.
    mark: &'static str,
}

impl GraphMove {
    pub(super) fn mark(&self) -> &'static str {
        self.mark
    }
}

/// Where a move is in a graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MovePlace {
    /// The number of the position before the move.
    pub node: usize,
    /// The number of the move in that position.
    pub number: usize,
    /// How many moves the line has up to it, from 1.
    pub depth: u32,
}

impl LineGraph {
    /// Returns the positions, the first one first, then those nearer to it first.
    #[must_use]
    pub fn nodes(&self) -> &[GraphNode] {
        &self.nodes
    }

    /// Returns the first position.
    #[must_use]
    pub fn root(&self) -> &GraphNode {
        &self.nodes[0]
    }

    /// Returns whether no line has a move.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root().moves.is_empty()
    }

    /// Returns the counts and times. [`matched`](Report::matched) is how many games have the first
    /// position.
    #[must_use]
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// Returns whether a line goes on after a move of a position, as text that has each position
    /// once has it: the first move that led to a position is followed by what was played there, all
    /// others refer to it.
    #[must_use]
    pub fn goes_on(&self, node: usize, number: usize) -> Option<usize> {
        let next = self.nodes.get(node)?.moves.get(number)?.node?;
        (self.nodes[next].before == Some((node, number))).then_some(next)
    }

    /// Returns the line whose position a move leads to, if the text of another one has what
    /// follows; `None` if it [goes on](LineGraph::goes_on) here, or nothing follows.
    #[must_use]
    pub fn same_as(&self, node: usize, number: usize) -> Option<String> {
        let next = self.nodes.get(node)?.moves.get(number)?.node?;
        if self.goes_on(node, number).is_some() {
            return None;
        }
        Some(match self.line(next) {
            line if line.is_empty() => "the first position".to_owned(),
            line => line,
        })
    }

    /// Returns all moves in the order of a text that has each position once: after each move what
    /// follows it.
    #[must_use]
    pub fn in_order(&self) -> Vec<MovePlace> {
        let moves = |node: usize, depth: u32| {
            let numbers = (0..self.nodes[node].moves.len()).rev();
            numbers.map(move |number| MovePlace {
                node,
                number,
                depth,
            })
        };
        let mut rest: Vec<MovePlace> = moves(0, 1).collect();
        let mut all = Vec::new();
        while let Some(place) = rest.pop() {
            if let Some(next) = self.goes_on(place.node, place.number) {
                rest.extend(moves(next, place.depth + 1));
            }
            all.push(place);
        }
        all
    }

    /// Returns the moves that lead from the first position to another, each as the numbers of the
    /// position before it and of the move in that position.
    #[must_use]
    pub fn path(&self, node: usize) -> Vec<(usize, usize)> {
        let before = |&(node, _): &(usize, usize)| self.nodes[node].before;
        let first = self.nodes.get(node).and_then(|node| node.before);
        let mut path: Vec<_> = std::iter::successors(first, before).collect();
        path.reverse();
        path
    }

    /// Returns the moves to a position as SAN with move numbers; the empty text for the first.
    #[must_use]
    pub fn line(&self, node: usize) -> String {
        self.numbered(&self.path(node))
    }

    /// Returns the same with one of the moves that are played there.
    #[must_use]
    pub fn line_with(&self, node: usize, number: usize) -> String {
        let mut path = self.path(node);
        path.push((node, number));
        self.numbered(&path)
    }

    fn numbered(&self, path: &[(usize, usize)]) -> String {
        let mut text = String::new();
        for &(node, number) in path {
            let position = &self.nodes[node];
            if !text.is_empty() {
                text.push(' ');
            }
            if position.setup.turn.is_white() || text.is_empty() {
                text += &position.move_number();
            }
            text += &position.moves[number].row.san;
        }
        text
    }

    /// Lets the comment of a move begin with a mark.
    pub(in crate::report) fn mark(&mut self, node: usize, number: usize, mark: &'static str) {
        self.nodes[node].moves[number].mark = mark;
    }

    pub(super) fn lead(&self) -> &[String] {
        &self.lead
    }

    pub(super) fn only(&self) -> Option<Color> {
        self.only
    }

    /// Returns a score in thousandths from the view of comments.
    pub(super) fn seen(&self, score: u32) -> u32 {
        self.seen_by.fold_wb(score, 1000 - score)
    }

    pub(super) fn set_report(&mut self, report: Report) {
        self.report = report;
    }
}

impl GraphNode {
    /// Returns the position, with castling and en-passant rights as the first line to it leaves
    /// them. Where the first position of all has no right to castle, that of kings and rooks at
    /// home is assumed.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the least number of half-moves that lead to it from the first position.
    #[must_use]
    pub fn ply(&self) -> u32 {
        self.ply
    }

    /// Returns the statistics of all games that have the position.
    #[must_use]
    pub fn total(&self) -> &TreeStats {
        &self.total
    }

    pub(super) fn before(&self) -> Option<(usize, usize)> {
        self.before
    }

    /// Returns what was played, most games first.
    #[must_use]
    pub fn moves(&self) -> &[GraphMove] {
        &self.moves
    }

    /// Returns the number of a move.
    pub(in crate::report) fn place_of(&self, next: NextMove) -> Option<usize> {
        let mut moves = self.moves.iter();
        moves.position(|played| played.row.next == next)
    }

    /// Returns the number of the next move: `1.`, or `1...` if Black is to move.
    #[must_use]
    pub fn move_number(&self) -> String {
        let dots = self.setup.turn.fold_wb(".", "...");
        format!("{}{dots}", self.setup.fullmoves)
    }
}

/// What makes positions the same: the men on their squares, and whether White is to move.
pub(in crate::report) type Place = ([u64; 16], bool);

pub(in crate::report) fn place_of(placement: &Placement) -> Place {
    (placement.squares, placement.turn.is_white())
}

/// Fails if there are too many positions.
fn check_count(positions: usize) -> Result<()> {
    if positions > LINE_POSITIONS_MAX {
        let what = "the number of positions of the lines, which a greater least number of games or \
                    share, or a smaller depth, makes less,";
        return Err(Error::limit(what, LINE_POSITIONS_MAX as u64));
    }
    Ok(())
}

/// Makes the graph as far as rows are known. Returns it with the positions of which they are not.
///
/// # Errors
/// `LimitExceeded` for too many positions.
pub(in crate::report) fn grow(
    lines: &Lines<'_>,
    least: u64,
    known: impl Fn(&Placement) -> Option<Rows> + Sync,
) -> Result<(LineGraph, Vec<Placement>)> {
    let mut root = lines.position.setup().clone();
    if root.castling_rights.is_empty() {
        root.castling_rights = Writer::new(&root).rights();
    }
    let first = Placement::new(&root.board, root.turn);
    let mut places = HashMap::from([(place_of(&first), 0)]);
    let mut nodes = vec![GraphNode::new(root, 0, None)];
    let mut missing = Vec::new();
    let mut at = 0;
    while at < nodes.len() {
        // Those of one depth have nothing to do with each other.
        let level: Vec<_> = nodes[at..]
            .par_iter()
            .map(|node| {
                let rows = known(&Placement::new(&node.setup.board, node.setup.turn))?;
                Some(moves_of(lines, least, &node.setup, rows))
            })
            .collect();
        for known in level {
            match known {
                Some(known) => join(lines, at, known, &mut places, &mut nodes),
                None => {
                    let setup = &nodes[at].setup;
                    missing.push(Placement::new(&setup.board, setup.turn));
                }
            }
            check_count(nodes.len())?;
            at += 1;
        }
    }
    if let Some(side) = lines.only {
        nodes = end_with(side, nodes);
    }
    let graph = LineGraph {
        nodes,
        lead: lines.position.moves().to_vec(),
        only: lines.only,
        seen_by: lines.owner.unwrap_or(Color::White),
        report: Report::default(),
    };
    Ok((graph, missing))
}

/// Adds the moves of a position, and the positions after them that are not there yet.
fn join(
    lines: &Lines<'_>,
    at: usize,
    (moves, total): Moves,
    places: &mut HashMap<Place, usize>,
    nodes: &mut Vec<GraphNode>,
) {
    let ply = nodes[at].ply + 1;
    nodes[at].total = total;
    for (number, (row, after)) in moves.into_iter().enumerate() {
        let is_legal = after.as_ref().is_some_and(|(_, is_legal)| *is_legal);
        let node = after.and_then(|(after, _)| {
            let place = place_of(&Placement::new(&after.board, after.turn));
            let next = nodes.len();
            let known = places.get(&place).copied();
            if known.is_none() && ply < lines.depth {
                places.insert(place, next);
                nodes.push(GraphNode::new(after, ply, Some((at, number))));
                return Some(next);
            }
            known
        });
        nodes[at].moves.push(GraphMove {
            row,
            node,
            is_legal,
            mark: "",
        });
    }
}

impl GraphNode {
    fn new(setup: Setup, ply: u32, before: Option<(usize, usize)>) -> GraphNode {
        let total = TreeStats::of_sums(setup.turn, Default::default());
        GraphNode {
            setup,
            ply,
            before,
            total,
            moves: Vec::new(),
        }
    }
}

/// A position after a move, and whether the move is legal with the rights before it.
type After = (Setup, bool);

/// The moves of a position that stay, each with the position after it, and the sums of all.
type Moves = (Vec<(TreeRow, Option<After>)>, TreeStats);

/// Returns the moves of a position, most games first unless they keep their order.
fn moves_of(lines: &Lines<'_>, least: u64, setup: &Setup, rows: Rows) -> Moves {
    let total = TreeStats::of_sums(setup.turn, rows.total);
    let share = lines.min_share * total.games() as f64;
    let (writer, position) = (Writer::new(setup), position_of(setup.clone()));
    let mut moves: Vec<(TreeRow, Option<After>)> = Vec::new();
    for (step, sums) in rows.moves {
        let stats = TreeStats::of_sums(setup.turn, sums);
        if step == Step::END || stats.games() < least || (stats.games() as f64) < share {
            continue;
        }
        let next = decoded(step);
        let (san, opening) = writer.write(next);
        let row = TreeRow {
            next,
            san,
            opening,
            stats,
        };
        let played = position.as_ref().and_then(|position| legal(position, next));
        let is_legal = played.is_some();
        let played = position.clone().zip(played).or_else(|| writer.find(next));
        let after = played.map(|(mut position, played)| {
            position.play_unchecked(played);
            let setup = position.to_setup(EnPassantMode::PseudoLegal);
            (setup, is_legal)
        });
        moves.push((row, after));
    }
    if lines.owner.is_none() {
        moves.sort_by(|(a, _), (b, _)| a.san.cmp(&b.san));
        moves.sort_by_key(|(row, _)| std::cmp::Reverse(row.stats.games()));
    }
    (moves, total)
}

/// Leaves out moves of the other side after which no move is left, and the positions after them.
fn end_with(side: Color, nodes: Vec<GraphNode>) -> Vec<GraphNode> {
    let has_moves: Vec<bool> = nodes.iter().map(|node| !node.moves.is_empty()).collect();
    let mut numbers = vec![None; nodes.len()];
    let mut kept: Vec<GraphNode> = Vec::new();
    for (number, mut node) in nodes.into_iter().enumerate() {
        node.before = None;
        if node.setup.turn != side {
            let goes_on = |played: &GraphMove| played.node.is_some_and(|node| has_moves[node]);
            node.moves.retain(goes_on);
        }
        // What has no moves is not reached, unless it is the first position.
        if number == 0 || !node.moves.is_empty() {
            numbers[number] = Some(kept.len());
            kept.push(node);
        }
    }
    for at in 0..kept.len() {
        for number in 0..kept[at].moves.len() {
            let next = kept[at].moves[number].node.and_then(|next| numbers[next]);
            kept[at].moves[number].node = next;
            if let Some(next) = next.filter(|next| *next > 0) {
                kept[next].before.get_or_insert((at, number));
            }
        }
    }
    kept
}
