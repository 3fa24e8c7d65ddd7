//! ChessBase archives: `.cbv`, and `.cbz`, its encrypted form.
//!
//! All numbers are little-endian:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 2 | 8, the offset of the entries |
//! | 2 | 2 | number of members |
//! | 4 | 1 | bytes of a member's entry, 173 |
//! | 5 | 3 | 0, 3, 0 |
//! | 8 | 173 each | entries |
//!
//! An entry:
//!
//! | offset | bytes | meaning |
//! |---|---|---|
//! | 0 | 128 | name, ended by a zero, then leftover bytes; `\` between folders |
//! | 128 | 4, 4, 4 | offset of the packed bytes, packed size, unpacked size |
//! | 140 | 9 | unknown |
//! | 149 | 8, 8, 8 | the same three numbers in 64 bits |

mod cipher;
mod flaws;
mod opened;
mod salvage;
#[cfg(test)]
mod tests;
mod unpack;

use std::borrow::Cow;

use tabiya_chess::{Flow, text};
use zerocopy::{
    FromBytes, Immutable, KnownLayout, Unaligned,
    little_endian::{U16, U32, U64},
};

pub(crate) use self::opened::open;
use crate::{
    error::{Error, ErrorKind, Result},
    limits::{ARCHIVE_EXPANSION_MAX, ARCHIVE_UNPACKED_BYTES_FREE},
    progress::Progress,
};

#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Head {
    head_bytes: U16,
    members: U16,
    entry_bytes: u8,
    kind: [u8; 3],
}

#[derive(Debug, FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct Entry {
    name: [u8; 128],
    offset: U32,
    packed: U32,
    size: U32,
    unknown: [u8; 9],
    wide_offset: U64,
    wide_packed: U64,
    wide_size: U64,
}

/// One file inside an archive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    name: String,
    offset: u64,
    packed_bytes: u64,
    size_bytes: u64,
}

impl Member {
    /// Returns the name without folders.
    #[must_use]
    pub fn name(&self) -> &str {
        self.name.rsplit(['\\', '/']).next().unwrap_or_default()
    }

    /// Returns the name with its folders, separated by `\`, as stored in the archive.
    #[must_use]
    pub fn path(&self) -> &str {
        &self.name
    }

    /// Returns the unpacked size in bytes that the archive states. It is not checked before the
    /// member is unpacked.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    fn stem_and_suffix(&self) -> (&str, &str) {
        self.name.rsplit_once('.').unwrap_or((&self.name, ""))
    }
}

/// An open archive: its members' names and sizes, and how to unpack each.
#[derive(Debug)]
pub struct Archive<'a> {
    bytes: Cow<'a, [u8]>,
    members: Vec<Member>,
    /// Whether names may be damaged, so that files are identified by suffix only.
    by_suffix: bool,
}

impl<'a> Archive<'a> {
    /// Opens an archive from the bytes of its file. A password is used only if the bytes are
    /// encrypted; decrypting copies them. O(members), and O(bytes) for encrypted ones.
    ///
    /// # Errors
    /// `WrongPassword` if the password does not open it; `Corrupt` if the bytes are not an archive,
    /// or an encrypted one and there is no password; `Truncated` if the file ends inside the list
    /// of members; `LimitExceeded` if the members together would unpack to more than 64 MiB and
    /// sixteen times the length of the archive.
    pub fn open(bytes: &'a [u8], password: Option<&str>) -> Result<Archive<'a>> {
        let bytes = match password {
            _ if is_plain(bytes) => Cow::Borrowed(bytes),
            None => {
                return Err(Error::corrupt(flaws::NOT_AN_ARCHIVE));
            }
            Some(password) => {
                let plain = cipher::deciphered(bytes, password);
                let plain = plain.filter(|plain| is_plain(plain));
                Cow::Owned(plain.ok_or_else(|| Error::new(ErrorKind::WrongPassword))?)
            }
        };
        let members = members(&bytes)?;
        Ok(Archive {
            bytes,
            members,
            by_suffix: false,
        })
    }

    /// Returns the members in stored order.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Unpacks the member at this index in [`members`](Archive::members), and asks between its
    /// blocks whether to go on. O(size).
    ///
    /// # Errors
    /// `Interrupted` after a `Break` from `progress`; `Corrupt` if there is no such member, its
    /// blocks are invalid, or they unpack to less than the stated size; `LimitExceeded` if they
    /// unpack to more, so that the size bounds the memory used; `Truncated` if the file ends inside
    /// the member.
    pub fn unpack(
        &self,
        member: usize,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<Vec<u8>> {
        let Some(member) = self.members.get(member) else {
            return Err(Error::corrupt(flaws::NO_SUCH_MEMBER));
        };
        let packed =
            packed_bytes(&self.bytes, member).map_err(|error| error.at_offset(member.offset))?;
        unpack::unpacked(packed, member.size_bytes, progress)
            .map_err(|fault| fault.error().at_offset(member.offset + fault.at()))
    }

    /// Finds the database in the archive: the files with the stem of the first `.cbh`, as pairs of
    /// the lowercase suffix without its dot and the index of the member. The `.cbh` comes first.
    /// Returns nothing if there is no `.cbh`.
    #[must_use]
    pub fn set_of_files(&self) -> Vec<(String, usize)> {
        let is_index = |member: &&Member| member.stem_and_suffix().1.eq_ignore_ascii_case("cbh");
        let Some((stem, _)) = self
            .members
            .iter()
            .find(is_index)
            .map(Member::stem_and_suffix)
        else {
            return Vec::new();
        };
        let mut files: Vec<(String, usize)> = self
            .members
            .iter()
            .map(Member::stem_and_suffix)
            .enumerate()
            .filter(|(_, (other, _))| self.by_suffix || other.eq_ignore_ascii_case(stem))
            .map(|(index, (_, suffix))| (suffix.to_ascii_lowercase(), index))
            .collect();
        files.sort_by_key(|(suffix, _)| suffix != "cbh");
        files
    }
}

/// Whether the bytes start like an unencrypted archive.
fn is_plain(bytes: &[u8]) -> bool {
    Head::ref_from_prefix(bytes).is_ok_and(|(head, _)| {
        usize::from(head.head_bytes.get()) == size_of::<Head>()
            && usize::from(head.entry_bytes) == size_of::<Entry>()
            && head.kind == [0, 3, 0]
    })
}

/// Reads the entries and checks that the members together do not unpack to too much. Members that
/// cannot be unpacked at all are listed but not counted.
fn members(bytes: &[u8]) -> Result<Vec<Member>> {
    let cut =
        |needed: usize| Error::truncated("the list of members", needed as u64, bytes.len() as u64);
    let (head, rest) = Head::ref_from_prefix(bytes).map_err(|_| cut(size_of::<Head>()))?;
    let count = usize::from(head.members.get());
    let (entries, _) = <[Entry]>::ref_from_prefix_with_elems(rest, count)
        .map_err(|_| cut(size_of::<Head>() + count * size_of::<Entry>()))?;
    let members: Vec<Member> = entries.iter().map(Member::new).collect();
    let unpacked_bytes = members
        .iter()
        .filter(|member| packed_bytes(bytes, member).is_ok())
        .fold(0_u64, |sum, member| sum.saturating_add(member.size_bytes));
    let limit =
        (bytes.len() as u64 * ARCHIVE_EXPANSION_MAX).saturating_add(ARCHIVE_UNPACKED_BYTES_FREE);
    if unpacked_bytes > limit {
        return Err(Error::limit("what the archive unpacks to", limit));
    }
    Ok(members)
}

impl Member {
    /// Uses each wide number if its low half agrees with the narrow one. In files below 4 GiB they
    /// are the same.
    fn new(entry: &Entry) -> Member {
        let number = |narrow: U32, wide: U64| match (narrow.get(), wide.get()) {
            (narrow, wide) if wide as u32 == narrow => wide,
            (narrow, _) => u64::from(narrow),
        };
        let name = entry.name.split(|&byte| byte == 0).next();
        Member {
            name: text::decode_windows_1252(name.unwrap_or_default()).into_owned(),
            offset: number(entry.offset, entry.wide_offset),
            packed_bytes: number(entry.packed, entry.wide_packed),
            size_bytes: number(entry.size, entry.wide_size),
        }
    }
}

/// Returns a member's packed bytes, if they are in the file and can unpack to the stated size.
fn packed_bytes<'b>(bytes: &'b [u8], member: &Member) -> Result<&'b [u8]> {
    let end = member.offset.saturating_add(member.packed_bytes);
    let range = usize::try_from(member.offset)
        .ok()
        .zip(usize::try_from(end).ok());
    let packed = range
        .and_then(|(from, to)| bytes.get(from..to))
        .ok_or_else(|| Error::truncated("a member of the archive", end, bytes.len() as u64))?;
    if member.size_bytes > unpack::most_bytes(packed.len()) {
        return Err(Error::corrupt(flaws::MEMBER_TOO_LARGE));
    }
    Ok(packed)
}
