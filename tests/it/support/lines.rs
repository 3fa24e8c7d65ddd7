//! Where on the lines of a game sequences, counts and final positions hold.
//!
//! A line is the way from the start to the end of the main line or of one variation. Every line is
//! looked at by itself, from its start to its end, in all mirror images.

use std::collections::HashMap;

use shakmaty::{Move, Square};
use tabiya::{
    MoveId,
    query::{
        At, Compare, Condition, Link, ManSet, Op, Place as Where, PositionTest, Relation, Sequence,
        Values,
    },
};

use super::{
    conditions::all_hold,
    naive::{Found, Known, Spot, holds},
    relations::{Shift, moved},
    sums,
    walk::{Made, Node, Place, line_ends, turned_move},
};

/// How far ahead a condition may look: what `sacrifice` does.
const AHEAD: usize = 8;

/// A position on a line, as one of the mirror images shows it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct View<'a> {
    pub(crate) known: &'a Known,
    pub(crate) image: Image,
    /// The positions of the game in the image, by node.
    seen: &'a [Place],
    line: &'a [usize],
    at: usize,
}

impl<'a> View<'a> {
    pub(crate) fn place(&self) -> &'a Place {
        &self.seen[self.line[self.at]]
    }

    /// The position as it is in the game.
    pub(crate) fn original(&self) -> &'a Place {
        &self.known.nodes[self.line[self.at]].place
    }

    /// This position and those before it, the nearest first.
    pub(crate) fn back(&self) -> impl Iterator<Item = &'a Place> {
        let line = self.line[..=self.at].iter().rev();
        line.map(|&node| &self.seen[node])
    }

    /// The positions after it, the nearest first.
    pub(crate) fn ahead(&self) -> impl Iterator<Item = &'a Place> {
        self.line[self.at + 1..]
            .iter()
            .map(|&node| &self.seen[node])
    }

    pub(crate) fn before(&self) -> Option<&'a Place> {
        self.back().nth(1)
    }
}

/// A mirror image that may satisfy conditions instead of the game itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Image {
    flip: bool,
    mirror: bool,
}

impl Image {
    pub(crate) fn of(flip: bool, mirror: bool) -> Image {
        Image { flip, mirror }
    }

    pub(crate) fn place(self, place: &Place) -> Place {
        match (self.flip, self.mirror) {
            (false, false) => place.clone(),
            (true, false) => place.flipped(),
            (false, true) => place.mirrored(),
            (true, true) => place.flipped().mirrored(),
        }
    }

    /// Where a square is in the image; also the way back.
    pub(crate) fn square(self, mut square: Square) -> Square {
        if self.flip {
            square = square.flip_vertical();
        }
        if self.mirror {
            square = square.flip_horizontal();
        }
        square
    }

    pub(crate) fn played(self, played: Move) -> Move {
        turned_move(played, |square| self.square(square))
    }
}

/// The images that a group asks for, the game itself first.
fn images_of(at: &At) -> Vec<Image> {
    let mut images = Vec::new();
    for (flip, mirror) in [(false, false), (true, false), (false, true), (true, true)] {
        if (at.flip || !flip) && (at.mirror || !mirror) {
            images.push(Image { flip, mirror });
        }
    }
    images
}

/// By how much all that the conditions name may be moved without leaving the board; what is not
/// named stays, so that moving it would only be the same again.
fn shifts_of(at: &At) -> Vec<Shift> {
    if !at.shift {
        return vec![(0, 0)];
    }
    let (mut squares, mut files, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
    for place in named_in(&at.conditions) {
        match place {
            Where::Square(square) => squares.push(square),
            Where::File(file) => files.push(file as i32),
            Where::Rank(rank) => ranks.push(rank as i32),
        }
    }
    let on_board = |line: &i32, by: i32| (0..8).contains(&(line + by));
    let stays = |&(right, up): &Shift| {
        squares
            .iter()
            .all(|&square| moved(square, (right, up)).is_some())
            && files.iter().all(|file| on_board(file, right))
            && ranks.iter().all(|rank| on_board(rank, up))
            && (right == 0 || !squares.is_empty() || !files.is_empty())
            && (up == 0 || !squares.is_empty() || !ranks.is_empty())
    };
    let all = (-7..8).flat_map(|right| (-7..8).map(move |up| (right, up)));
    all.filter(stays).collect()
}

/// The squares, files and ranks that conditions name, those in brackets too.
fn named_in(conditions: &[Condition]) -> Vec<Where> {
    let mut named = Vec::new();
    for Condition { test, .. } in conditions {
        match test {
            PositionTest::Any(branches) => {
                named.extend(branches.iter().flat_map(|branch| named_in(branch)));
            }
            PositionTest::Sum(sum) => named.extend(sums::named_in(sum)),
            PositionTest::Piece(_, place) => named.push(*place),
            PositionTest::Board(board) => {
                let all = Square::ALL.into_iter();
                let of_board = all.filter(|&square| board.0[square as usize] != ManSet::ANY);
                named.extend(of_board.map(Where::Square));
            }
            PositionTest::Relation(relation) => {
                let men = match relation {
                    Relation::Attacks { by, on, .. } => vec![by, on],
                    Relation::Ray(three) => three.iter().collect(),
                    Relation::Discovered(two) => two.iter().collect(),
                    Relation::Standing(_, men) => vec![men],
                    other => panic!("nobody evaluates {other:?}"),
                };
                named.extend(men.iter().filter_map(|men| men.place));
            }
            _ => {}
        }
    }
    named
}

/// The lines of a game. Positions of which nothing that conditions may ask differs, what comes
/// after them included, have one number.
struct Lines {
    lines: Vec<Vec<usize>>,
    /// By line and place on it.
    numbers: Vec<Vec<usize>>,
    /// By number, one line and place on it.
    examples: Vec<(usize, usize)>,
}

impl Lines {
    fn of(lines: Vec<Vec<usize>>) -> Lines {
        let (mut known, mut examples) = (HashMap::new(), Vec::new());
        let mut numbers = Vec::new();
        for (index, line) in lines.iter().enumerate() {
            let mut number_at = |at: usize| {
                let end = line.len().min(at + 1 + AHEAD);
                let next = examples.len();
                let number = *known.entry(line[at..end].to_vec()).or_insert(next);
                if number == next {
                    examples.push((index, at));
                }
                number
            };
            numbers.push((0..line.len()).map(&mut number_at).collect());
        }
        Lines {
            lines,
            numbers,
            examples,
        }
    }
}

/// By mirror image and shift, then by number of position: whether conditions hold.
type Held = Vec<Vec<bool>>;

impl Known {
    /// The first place where the sequence is complete: the main line first, then the variations
    /// in the order of a PGN file.
    pub(super) fn first_place(&self, sequence: &Sequence, variations: bool) -> Found {
        let mut found = Vec::new();
        for (line, ends) in self.completed(sequence, variations) {
            found.extend(ends.into_iter().map(|end| line[end]));
        }
        self.first_of(&found, variations)
    }

    /// Whether the final position of the main line satisfies the conditions, and where that is.
    pub(super) fn last_place(&self, at: &At) -> Option<Spot> {
        let sequence = Sequence {
            first: at.clone(),
            rest: Vec::new(),
        };
        let (line, ends) = self.completed(&sequence, false).swap_remove(0);
        let last = line.len() - 1;
        ends.contains(&last).then(|| self.spot(line[last]))
    }

    /// Whether some line has the number of positions where the sequence is complete. The place is
    /// told for at least so many.
    pub(super) fn counted(
        &self,
        sequence: &Sequence,
        compare: &Compare<i32>,
        variations: bool,
    ) -> Option<Found> {
        let least = match (compare.op, compare.values) {
            (Op::AtLeast, Values::One(least)) => Some(least),
            (Op::Greater, Values::One(most)) => Some(most + 1),
            _ => None,
        };
        let (mut has, mut found) = (false, Vec::new());
        for (line, ends) in self.completed(sequence, variations) {
            if !holds(ends.len() as i32, compare) {
                continue;
            }
            has = true;
            if let Some(least @ 1..) = least {
                found.push(line[ends[least as usize - 1]]);
            }
        }
        has.then(|| self.first_of(&found, variations))
    }

    /// At how many positions of the main line the sequence is complete.
    pub(crate) fn number_of_completions(&self, sequence: &Sequence) -> i32 {
        let (_, ends) = self.completed(sequence, false).swap_remove(0);
        ends.len() as i32
    }

    /// The lines with the places on them where the sequence is complete.
    fn completed(&self, sequence: &Sequence, variations: bool) -> Vec<(Vec<usize>, Vec<usize>)> {
        let mut ends = line_ends(&self.game, &self.nodes);
        if !variations {
            ends.truncate(1);
        }
        let lines = Lines::of(ends.into_iter().map(|end| self.line_to(end)).collect());
        let elements =
            std::iter::once(&sequence.first).chain(sequence.rest.iter().map(|(_, at)| at));
        let held: Vec<Held> = elements.map(|at| self.where_held(at, &lines)).collect();
        let ends = |numbers: &Vec<usize>| completed_on(sequence, numbers, &held);
        let ends: Vec<Vec<usize>> = lines.numbers.iter().map(ends).collect();
        lines.lines.into_iter().zip(ends).collect()
    }

    fn where_held(&self, at: &At, lines: &Lines) -> Held {
        let mut held = Vec::new();
        for image in images_of(at) {
            let seen = |node: &Node| image.place(&node.place);
            let seen: Vec<Place> = self.nodes.iter().map(seen).collect();
            for shift in shifts_of(at) {
                let holds = |&(line, place): &(usize, usize)| {
                    let view = View {
                        known: self,
                        image,
                        seen: &seen,
                        line: &lines.lines[line],
                        at: place,
                    };
                    all_hold(&at.conditions, at.rights, &view, shift)
                };
                held.push(lines.examples.iter().map(holds).collect());
            }
        }
        held
    }

    fn first_of(&self, nodes: &[usize], variations: bool) -> Found {
        let mut places = self.places(variations).into_iter();
        let first = places.find(|node| nodes.contains(node));
        first.map(|node| self.spot(node))
    }

    /// The start position is node 0, so that moves and nodes have the same numbers.
    pub(super) fn spot(&self, node: usize) -> Spot {
        let Node {
            place,
            in_main_line,
            ..
        } = &self.nodes[node];
        let id = MoveId::from_number(node as u32);
        (place.ply, id.filter(|_| !in_main_line))
    }

    /// All nodes that a query looks at, in the order in which it does: those of the main line,
    /// then the others.
    pub(super) fn places(&self, variations: bool) -> Vec<usize> {
        let nodes = 0..self.nodes.len();
        let (mut places, others): (Vec<usize>, Vec<usize>) =
            nodes.partition(|&node| self.nodes[node].in_main_line);
        places.extend(others.iter().filter(|_| variations));
        places
    }

    /// The nodes from the start to this one.
    pub(crate) fn line_to(&self, node: usize) -> Vec<usize> {
        let mut line: Vec<usize> =
            std::iter::successors(Some(node), |&node| self.nodes[node].parent).collect();
        line.reverse();
        line
    }
}

/// Where on a line the last element of the sequence is complete.
///
/// Every element holds in a window of consecutive positions of the line, in all of them in the same
/// mirror image. `next`: the window begins right after the one before; `then`: anywhere after it.
fn completed_on(sequence: &Sequence, numbers: &[usize], held: &[Held]) -> Vec<usize> {
    let elements = std::iter::once((None, &sequence.first));
    let elements: Vec<(Option<Link>, &At)> = elements
        .chain(sequence.rest.iter().map(|(link, at)| (Some(*link), at)))
        .collect();
    // Where the window of the element before may end.
    let mut ends: Vec<usize> = Vec::new();
    for (element, (link, at)) in elements.into_iter().enumerate() {
        let length = at.consecutive.0.max(1) as usize;
        let fits = |end: usize| {
            let Some(start) = (end + 1).checked_sub(length) else {
                return false;
            };
            let allowed = match link {
                None => true,
                Some(Link::Next) => ends.iter().any(|&before| before + 1 == start),
                Some(Link::Then) => ends.iter().any(|&before| before < start),
            };
            let window = &numbers[start..=end];
            allowed
                && held[element]
                    .iter()
                    .any(|image| window.iter().all(|&number| image[number]))
        };
        ends = (0..numbers.len()).filter(|&end| fits(end)).collect();
    }
    ends
}

/// The moves of a line up to a position, the last first, as long as `each` says.
pub(crate) fn moves_while(view: &View<'_>, each: impl Fn(Made) -> bool) -> usize {
    let made = view.back().map(|place| place.made);
    made.take_while(|&made| made != Made::Start && each(made))
        .count()
}
