//! Players, tournaments, annotators, sources and teams: the files of names.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, BTreeSet, HashMap},
};

use super::tree::{Node, Tree, UNUSED};
use crate::{
    chessbase::v1::{
        flaws,
        names::field::{self, Text},
    },
    error::{Error, Result},
    interner::NameHasher,
    output::{Destination, Output},
    source::Source,
};

/// The magic number of a name file, after the number of records and the root.
const MAGIC: u32 = 1_234_567_890;
/// Reserved bytes at the end of a file's header; four since ChessBase 8.
const EXTRA_BYTES: u32 = 4;
const EXTRA_BYTES_AT: usize = 28;
const HEADER_BYTES: usize = EXTRA_BYTES_AT + EXTRA_BYTES as usize;
/// Where the header has the number of records in use, after that of all records and the root.
const USED_AT: usize = 20;
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
    /// The kinds that games which are written refer to, in order.
    pub(super) const NAMED: [EntityKind; 5] = [
        EntityKind::Player,
        EntityKind::Tournament,
        EntityKind::Annotator,
        EntityKind::Source,
        EntityKind::Team,
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

    /// Returns the number of bytes of a record.
    const fn stride(self) -> usize {
        Node::BYTES + self.bytes() + USE_BYTES
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

    /// Returns the texts of a record.
    const fn texts(self) -> &'static [Text] {
        match self {
            EntityKind::Player => &[field::PLAYER_LAST, field::PLAYER_FIRST],
            EntityKind::Tournament => &[field::TOURNAMENT_TITLE, field::TOURNAMENT_PLACE],
            EntityKind::Annotator => &[field::ANNOTATOR_NAME],
            EntityKind::Source => &[field::SOURCE_TITLE, SOURCE_PUBLISHER],
            EntityKind::Team => &[field::TEAM_TITLE],
            EntityKind::GameTag => &[],
        }
    }

    /// Compares records in the order of the file's tree.
    fn compare_keys(self, one: &[u8], other: &[u8]) -> Ordering {
        match self {
            EntityKind::Player | EntityKind::GameTag => one.cmp(other),
            EntityKind::Source => {
                let (_, title) = field::SOURCE_TITLE;
                one[..title].cmp(&other[..title])
            }
            EntityKind::Annotator => signed(one).cmp(signed(other)),
            EntityKind::Tournament => compare_tournaments(one, other),
            EntityKind::Team => team_key(one).cmp(&team_key(other)),
        }
    }

    /// Compares records in the order of the file's tree, of which only the same ones are equal.
    fn compare(self, one: &[u8], other: &[u8]) -> Ordering {
        self.compare_keys(one, other).then_with(|| one.cmp(other))
    }
}

const SOURCE_PUBLISHER: Text = (25, 16);

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
    let date = |bytes: &[u8]| u32_at(bytes, 70);
    // The place follows the title.
    let titles = || signed(&one[..70]).cmp(signed(&other[..70]));
    Reverse(date(one) >> 9)
        .cmp(&Reverse(date(other) >> 9))
        .then_with(titles)
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
    /// Whether a game that is written refers to it.
    is_counted: bool,
}

impl Use {
    const NONE: Use = Use {
        id: 0,
        references: 0,
        first_game: 0,
        is_counted: false,
    };

    fn bytes(self) -> [u8; USE_BYTES] {
        let mut bytes = [0; USE_BYTES];
        bytes[..4].copy_from_slice(&self.references.to_le_bytes());
        bytes[4..].copy_from_slice(&self.first_game.to_le_bytes());
        bytes
    }
}

/// The records of one file, with IDs in order of first use.
#[derive(Debug)]
pub(super) struct Roster {
    kind: EntityKind,
    /// By their fields, and what else tells records apart: of a tournament its last day.
    entities: HashMap<Box<[u8]>, Use, NameHasher>,
    count: u32,
    /// The file to which records are added.
    old: Option<Old>,
}

/// A file to which records are added.
#[derive(Debug)]
struct Old {
    file: Source,
    begin: usize,
    count: u32,
}

impl Old {
    /// Reads the header; `None` if the records have other fields than those that are written.
    fn new(kind: EntityKind, file: Source) -> Result<Option<Old>> {
        let number = |at: usize| {
            let bytes = file.get(at..).and_then(|bytes| bytes.first_chunk());
            bytes.map(|&bytes| i32::from_le_bytes(bytes))
        };
        let Some(extra) = number(24) else {
            let (needed, found) = (EXTRA_BYTES_AT as u64, file.len() as u64);
            return Err(Error::truncated("the header of the names", needed, found));
        };
        let records = usize::try_from(extra).ok().and_then(|extra| {
            let records = file.get(EXTRA_BYTES_AT.checked_add(extra)?..)?;
            Some(records.len())
        });
        let Some(records) = records else {
            return Err(Error::corrupt(flaws::NAMES_BEGIN_AFTER_END).at_offset(24));
        };
        if number(12) != Some((kind.bytes() + USE_BYTES) as i32) {
            return Ok(None);
        }
        let count = (records / kind.stride()) as u32;
        if !records.is_multiple_of(kind.stride()) || number(0) != i32::try_from(count).ok() {
            return Err(Error::corrupt(flaws::NAME_COUNT));
        }
        let begin = file.len() - records;
        Ok(Some(Old { file, begin, count }))
    }

    /// Returns the offset of a record.
    fn at(&self, kind: EntityKind, id: u32) -> usize {
        self.begin + kind.stride() * id as usize
    }

    fn record(&self, kind: EntityKind, id: u32) -> &[u8] {
        let record = self.file.get(self.at(kind, id)..);
        record
            .and_then(|record| record.get(..kind.stride()))
            .unwrap_or_default()
    }

    fn node(&self, kind: EntityKind, id: u32) -> [u8; Node::BYTES] {
        let record = self.record(kind, id);
        record.first_chunk().copied().unwrap_or_default()
    }
}

/// The fields of a record, as they are written.
type Fields = [u8; FIELDS_MAX];
const FIELDS_MAX: usize = TOURNAMENT_BYTES;

/// Returns the fields of a record without what other programs have left behind the ends of texts.
fn plain(kind: EntityKind, record: &[u8]) -> Fields {
    let mut fields = [0; FIELDS_MAX];
    let own = record
        .get(Node::BYTES..)
        .and_then(|own| own.get(..kind.bytes()));
    let Some(own) = own.filter(|own| own.len() <= FIELDS_MAX) else {
        return fields;
    };
    fields[..own.len()].copy_from_slice(own);
    for &(at, width) in kind.texts() {
        let text = &mut fields[at..at + width];
        let end = text.iter().position(|&byte| byte == 0).unwrap_or(width);
        text[end..].fill(0);
    }
    fields
}

impl Roster {
    pub(super) fn new(kind: EntityKind) -> Roster {
        Roster {
            kind,
            entities: HashMap::default(),
            count: 0,
            old: None,
        }
    }

    /// Goes on with the records of a file; `None` if they have other fields than those that are
    /// written. `also` appends to the fields of a record what else tells it apart.
    ///
    /// # Errors
    /// `Truncated` or `Corrupt` if the file is damaged.
    pub(super) fn resume(
        kind: EntityKind,
        file: Source,
        also: impl Fn(u32, &mut Vec<u8>),
    ) -> Result<Option<Roster>> {
        let Some(old) = Old::new(kind, file)? else {
            return Ok(None);
        };
        let mut entities =
            HashMap::with_capacity_and_hasher(old.count as usize, NameHasher::default());
        let mut entity = Vec::new();
        for id in 0..old.count {
            let record = old.record(kind, id);
            if record.starts_with(&UNUSED.to_le_bytes()) {
                continue;
            }
            entity.clear();
            entity.extend_from_slice(&plain(kind, record)[..kind.bytes()]);
            also(id, &mut entity);
            let used = Use {
                id,
                references: u32_at(record, Node::BYTES + kind.bytes()),
                first_game: u32_at(record, Node::BYTES + kind.bytes() + 4),
                is_counted: false,
            };
            entities.entry(entity.as_slice().into()).or_insert(used);
        }
        Ok(Some(Roster {
            kind,
            entities,
            count: old.count,
            old: Some(old),
        }))
    }

    /// Returns the number of records.
    pub(super) fn len(&self) -> u32 {
        self.count
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
        let unused = Use { id, ..Use::NONE };
        self.count += 1;
        self.entities.insert(entity.into(), unused);
        Ok(id)
    }

    /// Counts a reference to a known record. Games must come in ascending order.
    pub(super) fn count(&mut self, entity: &[u8], game_number: u32) {
        if let Some(known) = self.entities.get_mut(entity) {
            known.is_counted = true;
            known.references = known.references.saturating_add(1);
            if known.first_game == 0 {
                known.first_game = game_number;
            }
        }
    }

    /// Returns the file. One that grows keeps its tree, into which the new records are put, unless
    /// that is not as it should be; all at once they would be in a tree of the least height.
    pub(super) fn into_output(self, place: &Destination) -> Result<Output> {
        match &self.old {
            None => Output::whole(place, self.kind.suffix(), &self.to_bytes()),
            Some(old) => self.grown(old, place),
        }
    }

    fn grown(&self, old: &Old, place: &Destination) -> Result<Output> {
        let kind = self.kind;
        let mut file = Output::growing(place, kind.suffix(), old.file.len() as u64)?;
        let mut uses = BTreeMap::new();
        let mut new: Vec<&[u8]> = vec![&[]; (self.count - old.count) as usize];
        for (entity, &used) in &self.entities {
            if let Some(nth) = used.id.checked_sub(old.count) {
                new[nth as usize] = &entity[..kind.bytes()];
            }
            if used.is_counted {
                uses.insert(used.id, used);
            }
        }
        let tree = if new.is_empty() {
            Tree::read(-1, std::iter::empty())
        } else {
            self.grow_tree(old, &new)
        };
        let ids = tree.changed().iter().chain(uses.keys()).copied();
        let ids: BTreeSet<u32> = ids.collect();
        let mut record = Vec::new();
        for id in ids {
            record.clear();
            match id.checked_sub(old.count) {
                None => record.extend_from_slice(old.record(kind, id)),
                Some(nth) => {
                    record.extend([0; Node::BYTES]);
                    record.extend_from_slice(new[nth as usize]);
                    record.extend([0; USE_BYTES]);
                }
            }
            if tree.changed().contains(&id) {
                record[..Node::BYTES].copy_from_slice(&tree.node(id).bytes());
            }
            if let Some(used) = uses.get(&id) {
                record[Node::BYTES + kind.bytes()..].copy_from_slice(&used.bytes());
            }
            file.put(old.at(kind, id) as u64, &record)?;
        }
        if !new.is_empty() {
            let used = u32_at(&old.file, USED_AT).wrapping_add(new.len() as u32);
            let counts = [self.count.to_le_bytes(), tree.root.to_le_bytes()];
            file.overwrite(0, counts.as_flattened())?;
            file.overwrite(USED_AT as u64, &used.to_le_bytes())?;
        }
        Ok(file)
    }

    /// Puts new records into the tree of a file.
    fn grow_tree(&self, old: &Old, new: &[&[u8]]) -> Tree {
        let kind = self.kind;
        let root = u32_at(&old.file, 4) as i32;
        let nodes = (0..old.count).map(|id| old.node(kind, id));
        let mut tree = Tree::read(root, nodes);
        let fields = |id: u32| match id.checked_sub(old.count) {
            None => plain(kind, old.record(kind, id)),
            Some(nth) => {
                let mut fields = [0; FIELDS_MAX];
                fields[..kind.bytes()].copy_from_slice(new[nth as usize]);
                fields
            }
        };
        let in_order = |one: u32, other: u32, keys_only: bool| {
            let (one, other) = (fields(one), fields(other));
            let (one, other) = (&one[..kind.bytes()], &other[..kind.bytes()]);
            if keys_only {
                kind.compare_keys(one, other)
            } else {
                kind.compare(one, other)
            }
        };
        if tree.is_sound(|one, other| in_order(one, other, true)) {
            for id in old.count..self.count {
                tree.insert(|other| in_order(id, other, false));
            }
        } else {
            tree.build(self.count, |one, other| in_order(one, other, false));
        }
        tree
    }

    /// Encodes a new file.
    fn to_bytes(&self) -> Vec<u8> {
        let (kind, stride) = (self.kind, self.kind.stride());
        let mut records: Vec<(&[u8], Use)> = vec![(&[], Use::NONE); self.count as usize];
        for (entity, &used) in &self.entities {
            records[used.id as usize] = (&entity[..kind.bytes()], used);
        }
        let mut tree = Tree::read(-1, std::iter::empty());
        tree.build(self.count, |one, other| {
            kind.compare(records[one as usize].0, records[other as usize].0)
        });
        let payload = kind.bytes() + USE_BYTES;
        let mut file = Vec::with_capacity(HEADER_BYTES + stride * records.len());
        for number in [
            self.len() as i32,
            tree.root,
            MAGIC as i32,
            payload as i32,
            -1,
        ] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        for number in [self.len(), EXTRA_BYTES, 0] {
            file.extend_from_slice(&number.to_le_bytes());
        }
        for (entity, used) in records {
            file.extend_from_slice(&tree.node(used.id).bytes());
            file.extend_from_slice(entity);
            file.extend_from_slice(&used.bytes());
        }
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    #[test]
    fn a_full_list_is_an_error() {
        let mut roster = Roster::new(EntityKind::Source);
        assert_eq!(roster.id(b"known").unwrap(), 0);
        roster.count = NAMES_MAX;
        assert_eq!(roster.id(b"known").unwrap(), 0);
        let error = roster.id(b"one more").unwrap_err();
        let (what, limit) = ("the number of sources", 1 << 24);
        assert_eq!(error.kind(), &ErrorKind::LimitExceeded { what, limit });
    }
}
