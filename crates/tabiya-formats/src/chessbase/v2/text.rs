//! The texts of a `.2cbg` file: an article in several languages, as HTML.
//!
//! | bytes | meaning |
//! |---|---|
//! | 2 | 5 |
//! | 4 | bytes from here on |
//! | 4 | number of languages |
//! | | for each: the language (4), the length (4), the text |

use super::{
    flaws,
    frame::{Frame, HEAD_BYTES, tag},
    names::{int, text},
};
use crate::{
    Decoded, bytes::Cursor, chessbase::common::markup::without_markup, damage_at, encoding::Charset,
};

/// Returns the bodies of a text that are not empty.
pub(super) fn bodies<'a>(frame: &Frame<'a>) -> Decoded<Vec<&'a [u8]>> {
    if frame.tag != tag::TEXT {
        return Err(damage_at(flaws::WRONG_CONTENT, HEAD_BYTES - 2));
    }
    let mut cursor = Cursor::new(frame.content);
    let mut read = || {
        let _version = cursor.u16_le()?;
        let length = usize::try_from(int(&mut cursor)?).ok()?;
        let mut cursor = Cursor::new(cursor.take(length)?);
        let mut bodies = Vec::new();
        for _ in 0..int(&mut cursor)? {
            let _language = int(&mut cursor)?;
            let body = text(&mut cursor)?;
            if !body.is_empty() {
                bodies.push(body);
            }
        }
        Some(bodies)
    };
    read().ok_or(damage_at(flaws::TEXT_FORM, HEAD_BYTES))
}

/// Returns a body without its markup.
pub(super) fn plain(body: &[u8], charset: Charset) -> String {
    without_markup(&charset.decode(body))
}
