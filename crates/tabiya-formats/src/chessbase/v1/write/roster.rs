//! Players, tournaments, annotators, sources and teams: the files of names.

use std::{
    cmp::{Ordering, Reverse},
    collections::HashMap,
};

use crate::{
    error::{Error, Result},
    interner::NameHasher,
};

/// The magic number of a name file, after the number of records and the root.
const MAGIC: u32 = 1_234_567_890;
/// Reserved bytes at the end of a file's header; four since ChessBase 8.
const EXTRA_BYTES: u32 = 4;
const HEADER_BYTES: usize = 28 + EXTRA_BYTES as usize;
/// Bytes of a record before its fields: two children and a balance.
const NODE_BYTES: usize = 9;
/// Bytes of a record after its fields: number of references and first game.
const USE_BYTES: usize = 8;
/// Maximum number of names: game records store IDs in three bytes.
const NAMES_MAX: u32 = 1 << 24;

/// The name files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntityKind {
    Player,
    Tournament,
    Annotator,
    Source,
    Team,
    /// Titles of games; none are written.
    GameTag,
}

impl EntityKind {
    pub(super) const ALL: [EntityKind; 6] = [
        EntityKind::Player,
        EntityKind::Tournament,
        EntityKind::Annotator,
        EntityKind::Source,
        EntityKind::Team,
        EntityKind::GameTag,
    ];

    /// Returns the file suffix.
    pub(super) const fn suffix(self) -> &'static str {
        match self {
            EntityKind::Player => "cbp",
            EntityKind::Tournament => "cbt",
            EntityKind::Annotator => "cbc",
            EntityKind::Source => "cbs",
            EntityKind::Team => "cbe",
            EntityKind::GameTag => "cbl",
        }
    }

    /// Returns the number of bytes of a record's fields.
    pub(super) const fn bytes(self) -> usize {
        match self {
            EntityKind::Player => PLAYER_BYTES,
            EntityKind::Tournament => TOURNAMENT_BYTES,
            EntityKind::Annotator => ANNOTATOR_BYTES,
            EntityKind::Source => SOURCE_BYTES,
            EntityKind::Team => TEAM_BYTES,
            EntityKind::GameTag => 1600,
        }
    }

    fn what(self) -> &'static str {
        match self {
            EntityKind::Player => "the number of players",
            EntityKind::Tournament => "the number of tournaments",
            EntityKind::Annotator => "the number of annotators",
            EntityKind::Source => "the number of sources",
            EntityKind::Team => "the number of teams",
            EntityKind::GameTag => "the number of game tags",
        }
    }

    /// Compares records in the order of the file's tree. Equal records of one kind do not occur.
    fn compare(self, one: &[u8], other: &[u8]) -> Ordering {
        let by_key = match self {
            EntityKind::Player | EntityKind::Source | EntityKind::GameTag => Ordering::Equal,
            EntityKind::Annotator => signed(one).cmp(signed(other)),
            EntityKind::Tournament => compare_tournaments(one, other),
            EntityKind::Team => team_key(one).cmp(&team_key(other)),
        };
        by_key.then_with(|| one.cmp(other))
    }
}

pub(super) const PLAYER_BYTES: usize = 50;
pub(super) const TOURNAMENT_BYTES: usize = 82;
pub(super) const ANNOTATOR_BYTES: usize = 45;
pub(super) const SOURCE_BYTES: usize = 51;
pub(super) const TEAM_BYTES: usize = 55;

/// Returns the bytes as signed numbers, as annotators and tournaments are ordered by.
fn signed(text: &[u8]) -> impl Iterator<Item = i8> {
    text.iter().map(|&byte| byte as i8)
}

/// Compares by year, latest first, then title and place, then date, latest first.
fn compare_tournaments(one: &[u8], other: &[u8]) -> Ordering {
    let title = |bytes: &[u8]| signed(&bytes[..40]).collect::<Vec<_>>();
    let place = |bytes: &[u8]| signed(&bytes[40..70]).collect::<Vec<_>>();
    let date = |bytes: &[u8]| u32_at(bytes, 70);
    Reverse(date(one) >> 9)
        .cmp(&Reverse(date(other) >> 9))
        .then_with(|| title(one).cmp(&title(other)))
        .then_with(|| place(one).cmp(&place(other)))
        .then_with(|| Reverse(date(one)).cmp(&Reverse(date(other))))
}

/// Returns the sort key: title, number, seasons before single years, year, nation.
fn team_key(team: &[u8]) -> (&[u8], u32, Reverse<u8>, u32, u8) {
    let year = u32_at(team, 50);
    (
        &team[..45],
        u32_at(team, 45),
        Reverse(team[49]),
        year,
        team[54],
    )
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    let mut number = [0; 4];
    number.copy_from_slice(&bytes[at..at + 4]);
    u32::from_le_bytes(number)
}

/// A record's ID, number of references, and first game that refers to it.
#[derive(Debug, Clone, Copy)]
struct Use {
    id: u32,
    references: u32,
    first_game: u32,
}

/// The records of one file, with IDs in order of first use.
#[derive(Debug)]
pub(super) struct Roster {
    kind: EntityKind,
    entities: HashMap<Box<[u8]>, Use, NameHasher>,
}

impl Roster {
    pub(super) fn new(kind: EntityKind) -> Roster {
        Roster {
            kind,
            entities: HashMap::default(),
        }
    }

    pub(super) fn len(&self) -> u32 {
        self.entities.len() as u32
    }

    /// Returns the ID of a record, adding it if it is new, without counting a reference.
    pub(super) fn id(&mut self, entity: &[u8]) -> Result<u32> {
        if let Some(known) = self.entities.get(entity) {
            return Ok(known.id);
        }
        let id = self.len();
        if id >= NAMES_MAX {
            let limit = NAMES_MAX.into();
            let what = self.kind.what();
            return Err(Error::limit(what, limit));
        }
        let unused = Use {
            id,
            references: 0,
            first_game: 0,
        };
        self.entities.insert(entity.into(), unused);
        Ok(id)
    }

    /// Counts a reference to a known record. Games must come in ascending order.
    pub(super) fn count(&mut self, entity: &[u8], game_number: u32) {
        if let Some(known) = self.entities.get_mut(entity) {
            known.references = known.references.saturating_add(1);
            if known.first_game == 0 {
                known.first_game = game_number;
            }
        }
    }

    /// Encodes the file.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut records: Vec<(&[u8], Use)> =
            self.entities.iter().map(|(e, &u)| (&**e, u)).collect();
        records.sort_unstable_by(|one, other| self.kind.compare(one.0, other.0));
        let ids: Vec<u32> = records.iter().map(|(_, known)| known.id).collect();
        let mut nodes = vec![TreeNode::LEAF; records.len()];
        let (root, _) = balance(&ids, &mut nodes);
        let payload = self.kind.bytes() + USE_BYTES;
        let stride = NODE_BYTES + payload;
        let mut file = Vec::with_capacity(HEADER_BYTES + stride * records.len());
        for number in [self.len() as i32, root, MAGIC as i32, payload as i32, -1] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.len(), EXTRA_BYTES, 0] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        file.resize(HEADER_BYTES + stride * records.len(), 0);
        for (entity, known) in records {
            let start = HEADER_BYTES + stride * known.id as usize;
            let record = &mut file[start..start + stride];
            nodes[known.id as usize].write(record);
            let (own, used) = record[NODE_BYTES..].split_at_mut(entity.len());
            own.copy_from_slice(entity);
            used[..4].copy_from_slice(&known.references.to_le_bytes());
            used[4..].copy_from_slice(&known.first_game.to_le_bytes());
        }
        file
    }
}

/// A record's place in the tree of its file.
#[derive(Debug, Clone, Copy)]
struct TreeNode {
    left: i32,
    right: i32,
    /// Height of the right subtree minus height of the left.
    balance: i8,
}

impl TreeNode {
    const LEAF: TreeNode = TreeNode {
        left: -1,
        right: -1,
        balance: 0,
    };

    fn write(self, record: &mut [u8]) {
        record[..4].copy_from_slice(&self.left.to_le_bytes());
        record[4..8].copy_from_slice(&self.right.to_le_bytes());
        record[8] = self.balance as u8;
    }
}

/// Builds a balanced tree of sorted records. Returns its root, -1 for none, and its height. The
/// recursion is as deep as the height: at most 24 for the maximum number of names.
fn balance(ids: &[u32], nodes: &mut [TreeNode]) -> (i32, i8) {
    let (left, rest) = ids.split_at(ids.len() / 2);
    let Some((&root, right)) = rest.split_first() else {
        return (-1, 0);
    };
    let (left, left_height) = balance(left, nodes);
    let (right, right_height) = balance(right, nodes);
    nodes[root as usize] = TreeNode {
        left,
        right,
        balance: right_height - left_height,
    };
    (root as i32, 1 + left_height.max(right_height))
}
