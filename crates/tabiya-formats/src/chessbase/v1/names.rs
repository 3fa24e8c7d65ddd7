//! The files of players, tournaments, annotators, sources, teams and game tags.
//!
//! All are little-endian and have the same layout: a header and fixed-length records.
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 4 | records |
//! | 4 | 4 | root of a search tree over them |
//! | 8 | 4 | 1 234 567 890 |
//! | 12 | 4 | bytes of a record without the first nine |
//! | 16 | 4 | first record that is not in use |
//! | 20 | 4 | records in use |
//! | 24 | 4 | bytes between this header and the records |
//!
//! A record starts with its left and right child in the tree (4 bytes each; left is -999 in a
//! record that is not in use) and a balance byte.
//!
//! Names are looked up by record number. The tree is not read: queries need only numbers and names,
//! searches scan a folded list that finds any part of a name and not only its beginning, and old
//! files have broken trees. The counts are not read either: the file's length gives the number of
//! records.

use tabiya_chess::PartialDate;

use crate::{
    chessbase::common::record::date,
    encoding::{Charset, Evidence},
    error::{Error, Result},
    names::NameList,
};

use super::{Companion, flaws, record};

const HEADER_BYTES: usize = 28;
/// Number of tree bytes at the start of a record.
const NODE_BYTES: usize = 9;
/// The left child of a record that is not in use.
const UNUSED: i32 = -999;

/// A name file.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entities<'a> {
    records: &'a [u8],
    stride: usize,
}

impl<'a> Entities<'a> {
    /// Reads the header. `fields` is the number of bytes that a record must have after the tree's.
    pub(super) fn new(file: &'a [u8], fields: usize) -> Result<Entities<'a>> {
        if file.len() < HEADER_BYTES {
            let (needed, found) = (HEADER_BYTES as u64, file.len() as u64);
            return Err(Error::truncated("the header of the names", needed, found));
        }
        let number = |at| int(file, at).and_then(|number| usize::try_from(number).ok());
        let payload = number(12).filter(|&payload| payload >= fields);
        let payload =
            payload.ok_or_else(|| Error::corrupt(flaws::NAMES_TOO_SHORT).at_offset(12))?;
        let records = number(24)
            .and_then(|extra| file.get(HEADER_BYTES.checked_add(extra)?..))
            .ok_or_else(|| Error::corrupt(flaws::NAMES_BEGIN_AFTER_END).at_offset(24))?;
        Ok(Entities {
            records,
            stride: payload + NODE_BYTES,
        })
    }

    /// Reads the header, or replaces it by the usual values if it is invalid or does not fit the
    /// file's length. `payload` is the usual number of bytes in a record, without the tree's.
    pub(super) fn salvaged(file: &'a [u8], fields: usize, payload: usize) -> Entities<'a> {
        let fits = |records: &[u8], payload| records.len().is_multiple_of(payload + NODE_BYTES);
        if let Ok(said) = Entities::new(file, fields)
            && fits(said.records, said.stride - NODE_BYTES)
        {
            return said;
        }
        let after = |extra| file.get(HEADER_BYTES + extra..).unwrap_or_default();
        // There are four bytes between header and records, or none in old files.
        let records = if fits(after(0), payload) {
            after(0)
        } else {
            after(4)
        };
        Entities {
            records,
            stride: payload + NODE_BYTES,
        }
    }

    /// Returns the number of records.
    pub(super) fn len(self) -> usize {
        self.records.len() / self.stride
    }

    /// Returns the fields of a record; `None` if it is missing or not in use.
    pub(super) fn get(self, number: usize) -> Option<Fields<'a>> {
        let at = number.checked_mul(self.stride)?;
        let record = self.records.get(at..at.checked_add(self.stride)?)?;
        (int(record, 0)? != UNUSED).then(|| Fields(&record[NODE_BYTES..]))
    }

    /// Shows these texts of all records to whoever guesses their encoding.
    pub(super) fn tell(self, texts: &[field::Text], evidence: &mut Evidence) {
        for fields in (0..self.len()).filter_map(|number| self.get(number)) {
            for &text in texts {
                evidence.add(fields.bytes(text));
            }
        }
    }

    /// Returns one of the texts of each record.
    pub(super) fn texts(self, text: field::Text, charset: Charset) -> NameList {
        self.list(|fields| fields.text(text, charset))
    }

    /// Collects the result of `name` for each record. A blank name becomes `?`, as for unknown
    /// names in PGN and the formats derived from it.
    fn list(self, mut name: impl FnMut(Fields<'a>) -> String) -> NameList {
        let mut list = NameList::with_len(self.len());
        for number in 0..self.len() {
            if let Some(fields) = self.get(number) {
                let name = name(fields);
                let told = if name.is_empty() { "?" } else { &name };
                list.set(number, told.as_bytes());
            }
        }
        list
    }
}

/// The fields of a record.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(&'a [u8]);

impl<'a> Fields<'a> {
    /// Reads a text.
    pub(super) fn text(self, text: field::Text, charset: Charset) -> String {
        charset.decode(self.bytes(text)).into_owned()
    }

    /// Returns the bytes of a text. It ends at the first zero; bytes after that are left over from
    /// earlier texts.
    fn bytes(self, (at, width): field::Text) -> &'a [u8] {
        let field = self.0.get(at..).unwrap_or_default();
        let field = field.get(..width).unwrap_or(field);
        field.split(|&byte| byte == 0).next().unwrap_or_default()
    }

    /// Reads a one-byte number; 0 if the field is missing.
    pub(super) fn byte(self, at: usize) -> u8 {
        self.0.get(at).copied().unwrap_or_default()
    }

    /// Reads a date; unknown if the field is missing.
    pub(super) fn date(self, at: usize) -> PartialDate {
        let packed = int(self.0, at).and_then(|packed| u32::try_from(packed).ok());
        packed.map_or(PartialDate::UNKNOWN, date)
    }
}

fn int(bytes: &[u8], at: usize) -> Option<i32> {
    Some(i32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Returns the last day of a tournament from the `.cbtt` file: a 32-byte header whose bytes 4 to 7
/// are the record length, little-endian; then the records, big-endian and without a tree. The short
/// records of older versions have no such date.
pub(super) fn end_date(file: &[u8], tournament: usize) -> PartialDate {
    const HEADER_BYTES: usize = 32;
    const DATE_AT: usize = 61;
    let find = || {
        let stride = usize::try_from(int(file, 4)?).ok()?;
        let at = HEADER_BYTES.checked_add(tournament.checked_mul(stride)?)?;
        let record = file.get(at..at.checked_add(stride)?)?;
        let packed = record.get(DATE_AT..)?.first_chunk()?;
        Some(date(u32::from_be_bytes(*packed)))
    };
    find().unwrap_or(PartialDate::UNKNOWN)
}

/// The fields that are read: offset and width of texts, offset of the rest.
pub(super) mod field {
    use super::Companion;

    pub(crate) type Text = (usize, usize);
    pub(crate) const PLAYER_LAST: Text = (0, 30);
    pub(crate) const PLAYER_FIRST: Text = (30, 20);
    /// Number of bytes read of a player.
    const PLAYER_BYTES: usize = 50;
    pub(crate) const TOURNAMENT_TITLE: Text = (0, 40);
    pub(crate) const TOURNAMENT_PLACE: Text = (40, 30);
    pub(crate) const TOURNAMENT_DATE: usize = 70;
    pub(crate) const TOURNAMENT_KIND: usize = 74;
    pub(crate) const TOURNAMENT_CATEGORY: usize = 78;
    pub(crate) const TOURNAMENT_ROUNDS: usize = 80;
    /// Number of bytes read of a tournament.
    const TOURNAMENT_BYTES: usize = 81;
    pub(crate) const ANNOTATOR_NAME: Text = (0, 45);
    pub(crate) const SOURCE_TITLE: Text = (0, 25);
    pub(crate) const SOURCE_DATE: usize = 41;
    pub(crate) const TEAM_TITLE: Text = (0, 45);
    pub(crate) const GAME_TAG_TITLE: Text = (0, 200);

    /// The files with names.
    pub(crate) const NAMED: [Companion; 6] = [
        Companion::Players,
        Companion::Tournaments,
        Companion::Annotators,
        Companion::Sources,
        Companion::Teams,
        Companion::GameTags,
    ];

    /// Returns the texts of a record that are read.
    pub(crate) const fn texts(companion: Companion) -> &'static [Text] {
        match companion {
            Companion::Players => &[PLAYER_LAST, PLAYER_FIRST],
            Companion::Tournaments => &[TOURNAMENT_TITLE, TOURNAMENT_PLACE],
            Companion::Annotators => &[ANNOTATOR_NAME],
            Companion::Sources => &[SOURCE_TITLE],
            Companion::Teams => &[TEAM_TITLE],
            Companion::GameTags => &[GAME_TAG_TITLE],
            _ => &[],
        }
    }

    /// Returns the number of bytes that a record must have, without the tree's.
    pub(crate) const fn bytes_needed(companion: Companion) -> usize {
        match companion {
            Companion::Players => PLAYER_BYTES,
            Companion::Tournaments => TOURNAMENT_BYTES,
            _ => 1,
        }
    }

    /// Returns the number of bytes in a record of all known files, without the tree's.
    pub(crate) const fn bytes(companion: Companion) -> usize {
        match companion {
            Companion::Players => 58,
            Companion::Tournaments => 90,
            Companion::Annotators => 53,
            Companion::Sources => 59,
            Companion::Teams => 63,
            _ => 1608,
        }
    }
}

/// Returns the players as `Last, First`.
pub(super) fn players(players: Entities<'_>, charset: Charset) -> NameList {
    players.list(|player| {
        let mut name = player.text(field::PLAYER_LAST, charset);
        let first = player.text(field::PLAYER_FIRST, charset);
        if !first.is_empty() {
            name.push_str(", ");
            name.push_str(&first);
        }
        name
    })
}

/// Returns the names of rounds by packed number, round × 256 + round within the round. Only rounds
/// that occur are named.
pub(super) fn rounds(occurring: impl Iterator<Item = u16>) -> NameList {
    NameList::of_rounds(occurring.map(u32::from), |packed| {
        let [.., round, sub_round] = packed.to_be_bytes();
        record::round_name(round, sub_round)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::NameId;

    /// A player file with these records: left child, last name, first name.
    fn player_file(extra: usize, players: &[(i32, &[u8], &[u8])]) -> Vec<u8> {
        let mut file = Vec::new();
        for number in [99, -1, 1_234_567_890, 58, -1, 99, extra as i32] {
            file.extend(i32::to_le_bytes(number));
        }
        file.resize(HEADER_BYTES + extra, 0);
        for &(left, last, first) in players {
            let start = file.len();
            file.extend(left.to_le_bytes());
            file.resize(start + NODE_BYTES, 0);
            file.extend(last);
            file.resize(start + NODE_BYTES + 30, 0);
            file.extend(first);
            file.resize(start + NODE_BYTES + 58, 0);
        }
        file
    }

    fn players(entities: Entities<'_>) -> NameList {
        super::players(entities, Charset::Windows1252)
    }

    fn read(file: &[u8]) -> Result<Entities<'_>> {
        Entities::new(file, field::bytes_needed(Companion::Players))
    }

    fn name(list: &NameList, number: u32) -> Option<&str> {
        list.get(NameId(number))
            .map(|name| str::from_utf8(name).unwrap())
    }

    #[test]
    fn players_are_found_by_number_whatever_tree_and_counts_say() {
        let file = player_file(
            4,
            &[
                (7, b"M\xfcller\0junk", b"Karsten"),
                (-1, "Žižek".as_bytes(), b""),
                (UNUSED, b"Gone", b""),
                (-1, b"\x8alast field of thirty bytes ..", b"First"),
            ],
        );
        let players = players(read(&file).unwrap());
        assert_eq!(players.ids(), 4);
        assert_eq!(name(&players, 0), Some("Müller, Karsten"));
        assert_eq!(name(&players, 1), Some("Žižek"));
        assert_eq!(name(&players, 2), None);
        assert_eq!(
            name(&players, 3),
            Some("Šlast field of thirty bytes .., First")
        );
        assert_eq!(name(&players, 4), None);
    }

    #[test]
    fn a_header_that_cannot_be_is_an_error() {
        let file = player_file(0, &[(-1, b"A", b"B")]);
        assert!(read(&file[..27]).is_err());
        for (at, number) in [(12, -1), (12, 49), (24, -1), (24, i32::MAX)] {
            let mut file = file.clone();
            file[at..at + 4].copy_from_slice(&i32::to_le_bytes(number));
            assert!(read(&file).is_err(), "{at} {number}");
        }
        let mut huge = file.clone();
        huge[12..16].copy_from_slice(&i32::MAX.to_le_bytes());
        assert_eq!(players(read(&huge).unwrap()).ids(), 0);
    }

    #[test]
    fn names_of_a_file_whose_header_is_lost_are_found_where_they_should_be() {
        for extra in [0, 4] {
            let mut file = player_file(extra, &[(-1, b"A", b"B"), (-1, b"C", b"")]);
            file[..HEADER_BYTES].fill(0);
            let payload = field::bytes(Companion::Players);
            let players = players(Entities::salvaged(&file, 50, payload));
            assert_eq!(name(&players, 0), Some("A, B"));
            assert_eq!(name(&players, 1), Some("C"));
        }
    }

    #[test]
    fn only_long_records_have_the_last_day_of_a_tournament() {
        let day = (1886_u32 << 9 | 3 << 5 | 29).to_be_bytes();
        for (stride, expected) in [(65, "1886.03.29"), (61, "????.??.??"), (-1, "????.??.??")] {
            let mut file = vec![0; 32 + 65];
            file[4..8].copy_from_slice(&i32::to_le_bytes(stride));
            file.extend([0; 61]);
            file.extend(day);
            assert_eq!(end_date(&file, 1).to_string(), expected);
            assert_eq!(end_date(&file, 2), PartialDate::UNKNOWN);
        }
    }

    #[test]
    fn rounds_are_named_by_their_numbers() {
        let list = rounds([0, 3 << 8, 3 << 8 | 2].into_iter());
        assert_eq!(name(&list, 0), Some("?"));
        assert_eq!(name(&list, 3 << 8), Some("3"));
        assert_eq!(name(&list, 3 << 8 | 2), Some("3.2"));
        assert_eq!((list.named(), name(&list, 1)), (3, None));
    }
}
