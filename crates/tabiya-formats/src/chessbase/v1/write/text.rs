//! Encodes text into fields.
//!
//! Programs of all versions read Windows-1252, but only newer ones UTF-8. So text is written in
//! Windows-1252 if it can be encoded and its bytes cannot be mistaken for UTF-8, including UTF-8
//! cut off at the end of the field. Otherwise it is written in UTF-8.

use std::borrow::Cow;

use tabiya_chess::text::encode_windows_1252;

use super::{GameLosses, Loss};

/// Writes a text into a field, followed by zeros; a text may fill its field. A text that is too
/// long is cut at a character boundary.
pub(super) fn fill(field: &mut [u8], text: &str, losses: &mut GameLosses) {
    let text = if text.contains('\0') {
        losses.add(Loss::ZeroBytesReplaced);
        Cow::Owned(text.replace('\0', " "))
    } else {
        Cow::Borrowed(text)
    };
    let bytes_max = field.len();
    let single = windows_1252(&text, bytes_max);
    let (bytes, is_cut) = match &single {
        Some(bytes) => (bytes.as_slice(), text.chars().count() > bytes_max),
        None => {
            let end = text.floor_char_boundary(bytes_max);
            (&text.as_bytes()[..end], end < text.len())
        }
    };
    if is_cut {
        losses.add(Loss::NamesCutToFields);
    }
    field.fill(0);
    field[..bytes.len()].copy_from_slice(bytes);
}

/// Returns up to `bytes_max` bytes of a text in Windows-1252, if it should be written so.
fn windows_1252(text: &str, bytes_max: usize) -> Option<Vec<u8>> {
    let mut bytes = encode_windows_1252(text)?;
    bytes.truncate(bytes_max);
    let fault = std::str::from_utf8(&bytes).err()?;
    let is_cut_utf8 = fault.error_len().is_none();
    (!is_cut_utf8).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled<const N: usize>(text: &str) -> ([u8; N], u32) {
        let mut losses = GameLosses::default();
        let mut field = [1; N];
        fill(&mut field, text, &mut losses);
        (field, losses.count(Loss::NamesCutToFields))
    }

    #[test]
    fn text_is_written_so_that_old_programs_read_it_if_they_can() {
        assert_eq!(filled("Tal"), (*b"Tal\0\0", 0));
        assert_eq!(filled("Müe"), (*b"M\xfce\0\0", 0));
        assert_eq!(filled("Š€b"), (*b"\x8a\x80b\0", 0));
        assert_eq!(filled("Тал"), (*b"\xd0\xa2\xd0\xb0\xd0\xbb\0\0", 0));
        // In Windows-1252 these would be the bytes of "é" in UTF-8.
        assert_eq!(filled("Ã©"), (*b"\xc3\x83\xc2\xa9\0", 0));
        // In Windows-1252 this would end like truncated UTF-8.
        assert_eq!(filled("René"), (*b"Ren\xc3\xa9\0", 0));
    }

    #[test]
    fn names_may_fill_their_fields_and_are_cut_between_characters() {
        assert_eq!(filled("Petrosian"), (*b"Petros", 1));
        assert_eq!(filled("Petrosian"), (*b"Petrosian", 0));
        assert_eq!(filled("Тал"), (*b"\xd0\xa2\xd0\xb0\0", 1));
    }
}
