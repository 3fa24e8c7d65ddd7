//! Text as bytes.
//!
//! Programs of all ages read Windows-1252, and only newer ones UTF-8. So text is written in
//! Windows-1252 if all of it can be and nobody could take the bytes for UTF-8; else in UTF-8.

use super::loss::{GameLosses, Loss};

/// The characters of the bytes 0x80 to 0x9f; zero where there is none.
const HIGH_CONTROLS: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘',
    '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0', 'ž', 'Ÿ',
];

fn windows_1252(character: char) -> Option<u8> {
    match u32::from(character) {
        code @ (1..=0x7f | 0xa0..=0xff) => Some(code as u8),
        0 => None,
        _ => {
            let at = HIGH_CONTROLS.iter().position(|&high| high == character)?;
            Some(0x80 + at as u8)
        }
    }
}

/// Tells whether a text can be written in Windows-1252 and is read as that.
fn is_windows_1252(text: &str) -> bool {
    let bytes: Option<Vec<u8>> = text.chars().map(windows_1252).collect();
    bytes.is_some_and(|bytes| std::str::from_utf8(&bytes).is_err())
}

/// Writes a text into a field and zeros behind it, of which the last byte of the field is one
/// in any case. What does not fit is cut at a character.
pub(super) fn fill(field: &mut [u8], text: &str, losses: &mut GameLosses) {
    let one_byte = !text.is_ascii() && is_windows_1252(text);
    let bytes_max = field.len().saturating_sub(1);
    let mut length = 0;
    for character in text.chars() {
        let mut utf8 = [0; 4];
        let single;
        let bytes = match (character, windows_1252(character)) {
            ('\0', _) => {
                losses.add(Loss::ZeroBytesReplaced);
                b" "
            }
            (_, Some(byte)) if one_byte => {
                single = [byte];
                &single[..]
            }
            _ => character.encode_utf8(&mut utf8).as_bytes(),
        };
        let end = length + bytes.len();
        if end > bytes_max {
            losses.add(Loss::NamesCut);
            break;
        }
        field[length..end].copy_from_slice(bytes);
        length = end;
    }
    field[length..].fill(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled<const N: usize>(text: &str) -> ([u8; N], u32) {
        let mut losses = GameLosses::default();
        let mut field = [1; N];
        fill(&mut field, text, &mut losses);
        (field, losses.count(Loss::NamesCut))
    }

    #[test]
    fn text_is_written_so_that_old_programs_read_it_if_they_can() {
        assert_eq!(filled("Tal"), (*b"Tal\0\0", 0));
        assert_eq!(filled("Mü"), (*b"M\xfc\0\0\0", 0));
        assert_eq!(filled("Š€"), (*b"\x8a\x80\0\0\0", 0));
        assert_eq!(filled("Тал"), (*b"\xd0\xa2\xd0\xb0\xd0\xbb\0\0", 0));
        // In Windows-1252 these would be the bytes of "é" in UTF-8.
        assert_eq!(filled("Ã©"), (*b"\xc3\x83\xc2\xa9\0", 0));
    }

    #[test]
    fn names_are_cut_between_characters_and_keep_a_zero() {
        assert_eq!(filled("Petrosian"), (*b"Petr\0", 1));
        assert_eq!(filled("Тал"), (*b"\xd0\xa2\xd0\xb0\0\0", 1));
    }
}
