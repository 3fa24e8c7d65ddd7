//! Comments: zero-terminated strings with each UTF-16 unit encoded separately (CESU-8).

use std::borrow::Cow;

use crate::encoding::Charset;

/// Decodes a comment. Characters beyond 16 bits may be two units of three bytes, as jose writes
/// them, or the four bytes of UTF-8. A byte that is part of neither is read as Latin-1, or all of
/// the comment as in the encoding of the database.
pub(super) fn decode(bytes: &[u8], charset: Charset) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(&first) = rest.first() {
        let length = match unit(rest) {
            Some((unit, length)) => {
                units.push(unit);
                length
            }
            None => match rest.get(..4).map(std::str::from_utf8) {
                Some(Ok(character)) => {
                    units.extend(character.encode_utf16());
                    4
                }
                _ if charset.encoding().is_some() => return charset.decode(bytes),
                _ => {
                    units.push(first.into());
                    1
                }
            },
        };
        rest = rest.get(length..).unwrap_or_default();
    }
    Cow::Owned(String::from_utf16_lossy(&units))
}

/// Decodes one unit of one to three bytes.
fn unit(bytes: &[u8]) -> Option<(u16, usize)> {
    let tail = |index: usize| {
        let byte = *bytes.get(index)?;
        (byte & 0xc0 == 0x80).then_some(u16::from(byte & 0x3f))
    };
    let first = u16::from(*bytes.first()?);
    match first {
        0..0x80 => Some((first, 1)),
        0xc0..0xe0 => Some(((first & 0x1f) << 6 | tail(1)?, 2)),
        0xe0..0xf0 => Some(((first & 15) << 12 | tail(1)? << 6 | tail(2)?, 3)),
        _ => None,
    }
}

/// Appends a comment and its terminating zero. A zero inside the text becomes a space.
pub(super) fn encode(text: &str, bytes: &mut Vec<u8>) {
    for unit in text.encode_utf16() {
        match unit {
            0 => bytes.push(b' '),
            1..0x80 => bytes.push(unit as u8),
            0x80..0x800 => bytes.extend([0xc0 | (unit >> 6) as u8, 0x80 | (unit & 63) as u8]),
            _ => bytes.extend([
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6 & 63) as u8,
                0x80 | (unit & 63) as u8,
            ]),
        }
    }
    bytes.push(0);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decode(bytes: &[u8]) -> Cow<'_, str> {
        super::decode(bytes, Charset::Latin1)
    }

    #[test]
    fn characters_beyond_sixteen_bits_are_two_units() {
        let text = "ü € 𝄞";
        let mut bytes = Vec::new();
        encode(text, &mut bytes);
        assert_eq!(bytes.len(), 2 + 1 + 3 + 1 + 6 + 1);
        assert_eq!(decode(&bytes[..bytes.len() - 1]), text);
        assert_eq!(decode(text.as_bytes()), text);
        assert_eq!(decode("𝄞\u{e9}".as_bytes()), "𝄞é");
        assert_eq!(decode(b"\xe9t\xe9 \xed\xa0"), "été í\u{a0}");
    }

    #[test]
    fn comments_that_jose_did_not_write_are_in_the_encoding() {
        let charset = Charset::Latin1.or("windows-1251".parse().ok());
        assert_eq!(super::decode(b"\xcb\xf3\xf7\xf8\xe5", charset), "Лучше");
        assert_eq!(super::decode("Лучше 𝄞".as_bytes(), charset), "Лучше 𝄞");
        let mut bytes = Vec::new();
        encode("Лучше 𝄞", &mut bytes);
        assert_eq!(super::decode(&bytes[..bytes.len() - 1], charset), "Лучше 𝄞");
    }
}
