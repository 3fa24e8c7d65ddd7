//! Results in movetext, and what looks like them.

use crate::chess::GameResult;

fn dash(text: &[u8]) -> usize {
    match text {
        [b'-', ..] => 1,
        [0xe2, 0x80, 0x93 | 0x94, ..] => 3,
        _ => 0,
    }
}

/// Whether text begins with `0-0`, `0-0-0` or `0000`, which are not move numbers.
pub(super) fn is_castling_or_null(text: &[u8]) -> bool {
    text[0] == b'0' && (dash(&text[1..]) > 0 || text.starts_with(b"0000"))
}

/// Parses the result of a game; also returns its length.
pub(super) fn result_at(text: &[u8]) -> Option<(GameResult, usize)> {
    let half = |text: &[u8]| match text {
        [b'1', b'/', b'2', ..] => 3,
        [0xc2, 0xbd, ..] => 2,
        _ => 0,
    };
    let (result, length) = match text {
        [b'*', ..] => return Some((GameResult::Unknown, 1)),
        [b'0' | b'1' | 0xc2, rest @ ..] => {
            let first = half(text);
            let gap = dash(&text[first.max(1)..]);
            if first > 0 && gap == 0 {
                (GameResult::Draw, first)
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
