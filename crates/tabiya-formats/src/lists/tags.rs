//! PGN text from values that may hold anything.

/// Appends a tag, unless its value is empty. Bytes that would end the value or its line are
/// escaped, or become spaces.
pub(super) fn tag(pgn: &mut Vec<u8>, name: &str, value: impl AsRef<[u8]>) {
    let value = value.as_ref();
    if value.is_empty() {
        return;
    }
    pgn.push(b'[');
    pgn.extend_from_slice(name.as_bytes());
    pgn.extend_from_slice(b" \"");
    if value
        .iter()
        .all(|byte| *byte >= b' ' && !b"\"\\".contains(byte))
    {
        pgn.extend_from_slice(value);
    } else {
        escape(pgn, value);
    }
    pgn.extend_from_slice(b"\"]\n");
}

#[cold]
fn escape(pgn: &mut Vec<u8>, value: &[u8]) {
    for &byte in value {
        match byte {
            b'"' | b'\\' => pgn.extend([b'\\', byte]),
            b'\n' | b'\r' | 0 => pgn.push(b' '),
            _ => pgn.push(byte),
        }
    }
}

/// Appends the text of a comment without its brackets.
pub(super) fn comment_text(pgn: &mut Vec<u8>, text: &[u8]) {
    pgn.extend(text.iter().map(|&byte| match byte {
        b'{' => b'(',
        b'}' => b')',
        0 => b' ',
        byte => byte,
    }));
}
