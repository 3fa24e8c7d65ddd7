//! Damaged archives: the list of members is read as far as possible.
//!
//! The list stores each number twice, and members follow one another without gaps. If the two
//! copies of a number differ, the one that fits is used.

use std::borrow::Cow;

use tabiya_chess::text;
use zerocopy::FromBytes;

use super::{Archive, Entry, Head, Member, cipher, is_plain, unpack};
use crate::{
    Report,
    chessbase::archive::flaws,
    error::{Error, Result},
    limits::{ARCHIVE_EXPANSION_MAX, ARCHIVE_UNPACKED_BYTES_FREE},
};

impl<'a> Archive<'a> {
    /// Opens an archive whose header may be damaged. If the archive is not plain, the password
    /// decrypts it; with a damaged header, a wrong password cannot be detected.
    ///
    /// # Errors
    /// `Corrupt` if no list of members is found.
    pub(crate) fn salvage(bytes: &'a [u8], password: Option<&str>) -> Result<Archive<'a>> {
        let deciphered = password
            .filter(|_| !is_plain(bytes))
            .and_then(|password| cipher::deciphered(bytes, password));
        let bytes = deciphered.map_or(Cow::Borrowed(bytes), Cow::Owned);
        let members = members(&bytes);
        if members.is_empty() {
            Err(Error::corrupt(flaws::NO_MEMBER_LIST))
        } else {
            Ok(Archive {
                bytes,
                members,
                by_suffix: true,
            })
        }
    }

    /// Unpacks as much of a member as possible; the rest is zeros. The second result is the first
    /// fault, `Interrupted` after a `Break` from the callback. O(size).
    pub(crate) fn unpack_salvaged(
        &self,
        member: usize,
        report: Report<'_>,
    ) -> (Vec<u8>, Option<Error>) {
        // The blocks of an undamaged member may have any size.
        if let Ok(bytes) = self.unpack(member, report) {
            return (bytes, None);
        }
        let Some(member) = self.members.get(member) else {
            return (Vec::new(), None);
        };
        let start = usize::try_from(member.offset).unwrap_or(usize::MAX);
        let packed = self.bytes.get(start..).unwrap_or_default();
        let length = usize::try_from(member.packed_bytes).unwrap_or(usize::MAX);
        let packed = packed.get(..length).unwrap_or(packed);
        let (bytes, fault) = unpack::salvaged(packed, member.size_bytes, report);
        let located = fault.map(|fault| fault.error().at_offset(member.offset + fault.at()));
        (bytes, located)
    }
}

/// Reads the list of members. Their sizes are limited to the same total as in an undamaged archive.
fn members(bytes: &[u8]) -> Vec<Member> {
    let rest = bytes.get(size_of::<Head>()..).unwrap_or_default();
    let count = count(bytes, rest);
    let entries = <[Entry]>::ref_from_prefix_with_elems(rest, count);
    let entries = entries.map_or(&[][..], |(entries, _)| entries);
    let mut budget =
        (bytes.len() as u64 * ARCHIVE_EXPANSION_MAX).saturating_add(ARCHIVE_UNPACKED_BYTES_FREE);
    let mut offset = (size_of::<Head>() + size_of_val(entries)) as u64;
    let mut members = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        let either = |numbers: [u64; 2], fits: &dyn Fn(u64) -> bool| {
            let fitting = numbers.into_iter().find(|&number| fits(number));
            fitting.unwrap_or(numbers[0])
        };
        offset = either(entry.offsets(), &|found| found == offset);
        let next = entries
            .get(index + 1)
            .map_or([bytes.len() as u64; 2], Entry::offsets);
        let packed_bytes = either(
            [entry.packed.get().into(), entry.wide_packed.get()],
            &|packed| next.contains(&offset.saturating_add(packed)),
        );
        let (narrow, wide) = (entry.size.get(), entry.wide_size.get());
        let size_bytes = if wide as u32 == narrow {
            wide
        } else {
            wide.min(narrow.into())
        };
        let size_bytes = size_bytes.min(budget);
        budget -= size_bytes;
        let name = entry.name.split(|&byte| byte == 0).next();
        members.push(Member {
            name: text::decode_windows_1252(name.unwrap_or_default()).into_owned(),
            offset,
            packed_bytes,
            size_bytes,
        });
        offset = offset.saturating_add(packed_bytes);
    }
    members
}

/// Returns the number of members: as many as fit before the first member's data or, if its offset
/// is invalid, as many as the header states.
fn count(bytes: &[u8], rest: &[u8]) -> usize {
    let room = rest.len() / size_of::<Entry>();
    let first = Entry::ref_from_prefix(rest).map_or([0; 2], |(entry, _)| entry.offsets());
    let before_first = |offset: u64| {
        let entries = offset.checked_sub(size_of::<Head>() as u64)?;
        let count = usize::try_from(entries).ok()? / size_of::<Entry>();
        let fits = entries.is_multiple_of(size_of::<Entry>() as u64) && count > 0;
        (fits && count <= room).then_some(count)
    };
    let said = Head::ref_from_prefix(bytes).map_or(0, |(head, _)| head.members.get().into());
    let told = first.into_iter().find_map(before_first);
    told.unwrap_or(room.min(said))
}

impl Entry {
    fn offsets(&self) -> [u64; 2] {
        [self.offset.get().into(), self.wide_offset.get()]
    }
}
