//! Results in movetext, and what looks like them.

use tabiya_chess::GameResult;

/// Returns the length of a dash of any kind.
fn dash(text: &[u8]) -> usize {
    match text {
        // The last two are of Windows-1252.
        [b'-' | 0x96 | 0x97, ..] => 1,
        [0xe2, 0x80, 0x90..=0x95, ..] | [0xe2, 0x88, 0x92, ..] => 3,
        _ => 0,
    }
}

/// Returns the length of what stands between the numbers of a result: a dash or a colon, and
/// spaces.
fn gap(text: &[u8]) -> usize {
    let spaces = |text: &[u8]| text.iter().take_while(|byte| **byte == b' ').count();
    let before = spaces(text);
    let mark = match &text[before..] {
        [b':', ..] => 1,
        rest => dash(rest),
    };
    match mark {
        0 => 0,
        mark => before + mark + spaces(&text[before + mark..]),
    }
}

/// Parses a text that is a result and nothing else.
pub(in crate::pgn) fn result_of(text: &[u8]) -> Option<GameResult> {
    let text = text.trim_ascii();
    let (result, length) = result_at(text)?;
    (length == text.len()).then_some(result)
}

/// Whether text begins with `0-0`, `0-0-0` or `0000`, which are not move numbers.
pub(super) fn is_castling_or_null(text: &[u8]) -> bool {
    text[0] == b'0' && (dash(&text[1..]) > 0 || text.starts_with(b"0000"))
}

/// Parses the result of a game; also returns its length.
pub(super) fn result_at(text: &[u8]) -> Option<(GameResult, usize)> {
    let half = |text: &[u8]| match text {
        [b'1', b'/', b'2', ..] | [b'0', b'.' | b',', b'5', ..] => 3,
        [0xc2, 0xbd, ..] => 2,
        // Of Latin-1.
        [0xbd, ..] => 1,
        _ => 0,
    };
    let (result, length) = match text {
        [b'*', ..] => return Some((GameResult::Unknown, 1)),
        [b'0' | b'1' | 0xbd | 0xc2, rest @ ..] => {
            let first = half(text);
            let gap = gap(&text[first.max(1)..]);
            if first > 0 && gap == 0 {
                // Alone, `0.5` is a number.
                (text[0] != b'0').then_some((GameResult::Draw, first))?
            } else if first > 0 {
                let second = half(&text[first + gap..]);
                (second > 0).then_some((GameResult::Draw, first + gap + second))?
            } else {
                match (text[0], gap, rest.get(gap)) {
                    (b'1', 1.., Some(b'0')) => (GameResult::WhiteWins, gap + 2),
                    (b'0', 1.., Some(b'1')) => (GameResult::BlackWins, gap + 2),
                    _ => return None,
                }
            }
        }
        _ => return None,
    };
    let after = &text[length..];
    let ends = dash(after) == 0
        && !after
            .first()
            .is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'/');
    ends.then_some((result, length))
}
