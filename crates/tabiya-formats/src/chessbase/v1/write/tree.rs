//! The search tree of a name file: balanced as by Adelson-Velsky and Landis, so that a name which
//! is added changes few of the records that are there.

use std::{cmp::Ordering, collections::BTreeSet, ops::ControlFlow};

/// The left child of a record that is not in use.
pub(super) const UNUSED: i32 = -999;
/// No child.
const NONE: i32 = -1;
/// More than the height of any balanced tree of as many names as there can be.
const HEIGHT_MAX: u32 = 48;

/// A record's place in the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Node {
    /// Left and right.
    children: [i32; 2],
    /// Height of the right subtree minus height of the left.
    balance: i8,
}

/// The place of a child: left or right.
type Side = usize;
const RIGHT: Side = 1;

impl Node {
    /// Bytes of a record before its fields.
    pub(super) const BYTES: usize = 9;

    const LEAF: Node = Node {
        children: [NONE; 2],
        balance: 0,
    };

    fn of(record: [u8; Node::BYTES]) -> Node {
        let [a, b, c, d, e, f, g, h, balance] = record;
        Node {
            children: [[a, b, c, d], [e, f, g, h]].map(i32::from_le_bytes),
            balance: balance as i8,
        }
    }

    pub(super) fn bytes(self) -> [u8; Node::BYTES] {
        let mut bytes = [0; Node::BYTES];
        let [left, right] = self.children.map(i32::to_le_bytes);
        bytes[..4].copy_from_slice(&left);
        bytes[4..8].copy_from_slice(&right);
        bytes[8] = self.balance as u8;
        bytes
    }

    fn is_used(self) -> bool {
        self.children[0] != UNUSED
    }
}

/// The tree of a file.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) root: i32,
    nodes: Vec<Node>,
    /// The records whose places have changed.
    changed: BTreeSet<u32>,
}

impl Tree {
    /// Reads the nodes of all records.
    pub(super) fn read(root: i32, nodes: impl Iterator<Item = [u8; Node::BYTES]>) -> Tree {
        let nodes: Vec<Node> = nodes.map(Node::of).collect();
        let is_empty = nodes.iter().all(|node| !node.is_used());
        Tree {
            // That of an empty tree is said in several ways.
            root: if is_empty { NONE } else { root },
            nodes,
            changed: BTreeSet::new(),
        }
    }

    pub(super) fn node(&self, id: u32) -> Node {
        self.nodes.get(id as usize).copied().unwrap_or(Node::LEAF)
    }

    pub(super) fn changed(&self) -> &BTreeSet<u32> {
        &self.changed
    }

    /// Puts all records that are used, and the new ones up to `count`, into a tree of the least
    /// height.
    pub(super) fn build(&mut self, count: u32, compare: impl Fn(u32, u32) -> Ordering) {
        self.nodes.resize(count as usize, Node::LEAF);
        let is_used = |id: &u32| self.node(*id).is_used();
        let mut ids: Vec<u32> = (0..count).filter(is_used).collect();
        ids.sort_unstable_by(|&one, &other| compare(one, other).then(one.cmp(&other)));
        self.changed.extend(&ids);
        (self.root, _) = balance(&ids, &mut self.nodes);
    }

    /// Whether all records that are used are in the tree, each once and in order, and it is
    /// balanced as it says. Programs have left other trees, and damage has.
    pub(super) fn is_sound(&self, compare: impl Fn(u32, u32) -> Ordering) -> bool {
        let used = self.nodes.iter().filter(|node| node.is_used()).count();
        let mut walk = Walk {
            tree: self,
            compare,
            last: None,
            seen: 0,
            entered: vec![false; self.nodes.len()],
        };
        walk.height(self.root, HEIGHT_MAX).is_continue() && walk.seen == used
    }

    /// Adds the next record. `compare` compares it with another.
    pub(super) fn insert(&mut self, compare: impl Fn(u32) -> Ordering) {
        let id = self.nodes.len() as u32;
        self.nodes.push(Node::LEAF);
        self.changed.insert(id);
        let mut path = Vec::with_capacity(HEIGHT_MAX as usize);
        let mut next = self.root;
        while let Ok(at) = u32::try_from(next) {
            let side = Side::from(compare(at) != Ordering::Less);
            path.push((at, side));
            next = self.node(at).children[side];
        }
        self.replace(path.last().copied(), id);
        // The subtree at the end of the path has become higher.
        while let Some((at, side)) = path.pop() {
            let weight = if side == RIGHT { 1 } else { -1 };
            let node = self.change(at);
            node.balance += weight;
            match node.balance {
                0 => break,
                -1 | 1 => {}
                _ => {
                    node.balance = weight;
                    let top = self.rotate(at, side);
                    self.replace(path.last().copied(), top);
                    break;
                }
            }
        }
    }

    /// Makes a record the child at a place; the root if there is none.
    fn replace(&mut self, place: Option<(u32, Side)>, id: u32) {
        match place {
            Some((parent, side)) => self.change(parent).children[side] = id as i32,
            None => self.root = id as i32,
        }
    }

    fn change(&mut self, id: u32) -> &mut Node {
        self.changed.insert(id);
        &mut self.nodes[id as usize]
    }

    /// Turns a subtree whose one side has become two higher than the other, so that it has the
    /// height that it had; returns its new root.
    fn rotate(&mut self, at: u32, side: Side) -> u32 {
        let (other, weight) = (1 - side, self.node(at).balance);
        let child = self.node(at).children[side] as u32;
        if self.node(child).balance == weight {
            self.change(at).children[side] = self.node(child).children[other];
            self.change(child).children[other] = at as i32;
            self.change(at).balance = 0;
            self.change(child).balance = 0;
            return child;
        }
        let top = self.node(child).children[other] as u32;
        let Node { children, balance } = self.node(top);
        self.change(child).children[other] = children[side];
        self.change(at).children[side] = children[other];
        self.change(top).children[side] = child as i32;
        self.change(top).children[other] = at as i32;
        let is = |higher: i8| if balance == higher { -higher } else { 0 };
        self.change(at).balance = is(weight);
        self.change(child).balance = is(-weight);
        self.change(top).balance = 0;
        top
    }
}

/// A walk over a tree, whose links may lead anywhere.
struct Walk<'t, C> {
    tree: &'t Tree,
    compare: C,
    last: Option<u32>,
    seen: usize,
    entered: Vec<bool>,
}

impl<C: Fn(u32, u32) -> Ordering> Walk<'_, C> {
    /// Returns the height of a subtree; breaks if it is not sound.
    fn height(&mut self, root: i32, left: u32) -> ControlFlow<(), i8> {
        const UNSOUND: ControlFlow<(), i8> = ControlFlow::Break(());
        if root == NONE {
            return ControlFlow::Continue(0);
        }
        let Some(id) = u32::try_from(root).ok().filter(|_| left > 0) else {
            return UNSOUND;
        };
        match self.entered.get_mut(id as usize) {
            Some(entered) if !*entered => *entered = true,
            _ => return UNSOUND,
        }
        let node = self.tree.node(id);
        if !node.is_used() {
            return UNSOUND;
        }
        let lower = self.height(node.children[0], left - 1)?;
        let is_in_order = |last| (self.compare)(last, id) != Ordering::Greater;
        if !self.last.is_none_or(is_in_order) {
            return UNSOUND;
        }
        self.last = Some(id);
        self.seen += 1;
        let higher = self.height(node.children[RIGHT], left - 1)?;
        let balance = higher - lower;
        if balance != node.balance || balance.abs() > 1 {
            return UNSOUND;
        }
        ControlFlow::Continue(1 + lower.max(higher))
    }
}

/// Builds a balanced tree of sorted records. Returns its root, -1 for none, and its height. The
/// recursion is as deep as the height: at most 24 for the maximum number of names.
fn balance(ids: &[u32], nodes: &mut [Node]) -> (i32, i8) {
    let (left, rest) = ids.split_at(ids.len() / 2);
    let Some((&root, right)) = rest.split_first() else {
        return (NONE, 0);
    };
    let (left, left_height) = balance(left, nodes);
    let (right, right_height) = balance(right, nodes);
    nodes[root as usize] = Node {
        children: [left, right],
        balance: right_height - left_height,
    };
    (root as i32, 1 + left_height.max(right_height))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in an order without a pattern.
    fn keys(count: u32) -> Vec<u32> {
        (0..count)
            .map(|nth| nth.wrapping_mul(2_654_435_761) >> 12 & 0xff)
            .collect()
    }

    fn tree_of(keys: &[u32], built: usize) -> Tree {
        let compare = |one: u32, other: u32| keys[one as usize].cmp(&keys[other as usize]);
        let mut tree = Tree::read(NONE, std::iter::empty());
        tree.build(built as u32, compare);
        for id in built..keys.len() {
            tree.insert(|other| compare(id as u32, other));
            assert!(tree.is_sound(compare), "{id}");
        }
        tree
    }

    #[test]
    fn a_tree_stays_balanced_and_in_order_with_every_name() {
        let ascending: Vec<u32> = (0..300).collect();
        let descending: Vec<u32> = (0..300).rev().collect();
        for keys in [ascending, descending, keys(400), vec![7; 100]] {
            for built in [0, 1, 2, keys.len() / 2] {
                let tree = tree_of(&keys, built);
                assert_eq!(tree.nodes.len(), keys.len());
            }
        }
    }

    #[test]
    fn a_name_changes_few_of_the_nodes() {
        let keys = keys(5000);
        let compare = |one: u32, other: u32| keys[one as usize].cmp(&keys[other as usize]);
        let mut tree = tree_of(&keys[..4000], 4000);
        tree.changed.clear();
        (4000..5000).for_each(|id| tree.insert(|other| compare(id, other)));
        let old = tree.changed.iter().filter(|&&id| id < 4000).count();
        assert!(old < 2500, "{old}");
    }

    #[test]
    fn trees_that_lead_anywhere_are_not_sound() {
        let keys = keys(40);
        let compare = |one: u32, other: u32| keys[one as usize].cmp(&keys[other as usize]);
        let sound = tree_of(&keys, 20);
        for id in 0..keys.len() {
            for (side, link) in [
                (0, 0),
                (1, 39),
                (0, 40),
                (1, i32::MAX),
                (0, -7),
                (1, id as i32),
            ] {
                let mut nodes = sound.nodes.clone();
                if nodes[id].children[side] == link {
                    continue;
                }
                nodes[id].children[side] = link;
                let records = nodes.into_iter().map(Node::bytes);
                assert!(
                    !Tree::read(sound.root, records).is_sound(compare),
                    "{id} {link}"
                );
            }
            let mut nodes = sound.nodes.clone();
            nodes[id].balance += 1;
            let mut tree = Tree::read(sound.root, nodes.into_iter().map(Node::bytes));
            assert!(!tree.is_sound(compare));
            tree.build(keys.len() as u32, compare);
            assert!(tree.is_sound(compare));
        }
    }

    #[test]
    fn records_that_are_not_in_use_stay_out() {
        let compare = |one: u32, other: u32| one.cmp(&other);
        let unused = Node {
            children: [UNUSED, NONE],
            balance: 0,
        };
        let nodes = [Node::LEAF, unused, Node::LEAF].map(Node::bytes);
        let mut tree = Tree::read(0, nodes.into_iter());
        assert!(!tree.is_sound(compare));
        tree.build(3, compare);
        assert!(tree.is_sound(compare));
        assert_eq!(tree.node(1), unused);
        // Nothing is left of what was there.
        let mut tree = Tree::read(NONE, std::iter::once(unused.bytes()));
        assert!(tree.is_sound(compare));
        tree.insert(|_| Ordering::Less);
        assert_eq!(tree.root, 1);
        assert!(tree.is_sound(compare));
    }
}
