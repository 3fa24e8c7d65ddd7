//! Which games of a family are kept: of games whose moves are equal or begin each other.

use std::{cmp::Reverse, ops::Range};

use super::{
    likeness::Score,
    moves::MoveList,
    repeat::{KeptFor, Located, Repeat},
};

/// A game and its main line.
pub(super) type Line = (MoveList, Located);

/// A game of a family.
struct Member {
    at: Located,
    score: Score,
    /// Its moves, as a place in `Moves`.
    node: usize,
}

/// Different main lines in the order of their moves: each is followed by those that it begins.
struct Node {
    /// The end of those that it begins.
    end: usize,
    /// The longest that begins it.
    parent: Option<usize>,
}

/// What decides about two games.
pub(super) trait Judge {
    /// Whether one game repeats another, if their moves are equal or one's begin the other's.
    fn are_same(&self, one: Located, other: Located) -> bool;
    /// What a game is worth.
    fn score(&self, game: Located, plies: usize) -> Score;
    /// Whether a game is kept whatever it is worth.
    fn is_known(&self, game: Located) -> bool;
}

/// Returns which games repeat another one that is kept. `lines` are sorted; a game with fewer than
/// `plies_min` plies begins no other.
///
/// From the best to the worst, a game is kept unless it is the same as one that is kept. It then
/// repeats the best of these.
pub(super) fn repeats(lines: &[Line], plies_min: usize, judge: &impl Judge) -> Vec<Repeat> {
    let mut repeats = Vec::new();
    let mut rest = lines;
    while let Some((first, _)) = rest.first() {
        let begins = |(other, _): &&Line| {
            other == first || first.is_as_long_as(plies_min) && first.begins(other)
        };
        let family = rest.iter().take_while(begins).count();
        let (family, others) = rest.split_at(family);
        rest = others;
        if family.len() > 1 {
            choose(family, plies_min, judge, &mut repeats);
        }
    }
    repeats
}

fn choose(lines: &[Line], plies_min: usize, judge: &impl Judge, repeats: &mut Vec<Repeat>) {
    let (nodes, mut members) = tree(lines, plies_min, judge);
    members.sort_by_key(|member| {
        let is_known = judge.is_known(member.at);
        (Reverse(is_known), Reverse(member.score), member.at)
    });
    // By node, the places of kept games in `members`.
    let mut kept: Vec<Vec<usize>> = nodes.iter().map(|_| Vec::new()).collect();
    for (place, member) in members.iter().enumerate() {
        let same = |&other: &usize| judge.are_same(member.at, members[other].at);
        let related = related(&nodes, member.node);
        let same = related.filter_map(|node| kept[node].iter().copied().find(same));
        let best = if judge.is_known(member.at) {
            None
        } else {
            same.min()
        };
        match best {
            Some(best) => repeats.push(repeat(member, &members[best], judge)),
            None => kept[member.node].push(place),
        }
    }
}

/// Returns the nodes that begin a node, the node, and those that it begins.
fn related(nodes: &[Node], node: usize) -> impl Iterator<Item = usize> {
    let shorter = std::iter::successors(nodes[node].parent, |&parent| nodes[parent].parent);
    let longer: Range<usize> = node..nodes[node].end;
    shorter.chain(longer)
}

fn repeat(member: &Member, kept: &Member, judge: &impl Judge) -> Repeat {
    let better = kept.score.better_in(&member.score);
    Repeat {
        game: member.at,
        kept: kept.at,
        reason: if judge.is_known(kept.at) {
            KeptFor::Known
        } else {
            better.unwrap_or(KeptFor::First)
        },
    }
}

/// Returns the different lines, and the games with theirs.
fn tree(lines: &[Line], plies_min: usize, judge: &impl Judge) -> (Vec<Node>, Vec<Member>) {
    let mut nodes: Vec<Node> = Vec::new();
    let mut members = Vec::with_capacity(lines.len());
    // Nodes whose ends are not known yet, each beginning the next one.
    let mut open: Vec<(usize, &MoveList)> = Vec::new();
    let mut plies = 0;
    for (line, at) in lines {
        if open.last().is_none_or(|(_, last)| *last != line) {
            plies = line.plies();
            let node = nodes.len();
            while let Some(&(last, moves)) = open.last()
                && !(moves.is_as_long_as(plies_min) && moves.begins(line))
            {
                nodes[last].end = node;
                open.pop();
            }
            let parent = open.last().map(|(parent, _)| *parent);
            nodes.push(Node { end: node, parent });
            open.push((node, line));
        }
        members.push(Member {
            at: *at,
            score: judge.score(*at, plies),
            node: nodes.len() - 1,
        });
    }
    let end = nodes.len();
    for (node, _) in open {
        nodes[node].end = end;
    }
    (nodes, members)
}
