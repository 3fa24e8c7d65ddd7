//! Which position an address of a web page means, as far as the address itself says it.

/// What an address says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Meant {
    Fen(String),
    /// Moves, from the start position.
    Moves(String),
    /// No position; why.
    Nothing(String),
}

/// Pages of lichess.org that have games or lines, but not in their addresses.
const STORED: [&str; 8] = [
    "study",
    "training",
    "broadcast",
    "tournament",
    "swiss",
    "tv",
    "practice",
    "learn",
];

/// Variants that are chess; their name stands before the FEN.
const CHESS: [&str; 3] = ["standard", "chess960", "fromPosition"];

const VARIANTS: [&str; 8] = [
    "crazyhouse",
    "atomic",
    "antichess",
    "horde",
    "kingOfTheHill",
    "racingKings",
    "threeCheck",
    "variant",
];

/// Returns what an address says; `None` if the text is no address.
pub(super) fn meant(text: &str) -> Option<Meant> {
    let rest = match text.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some(_) => return None,
        None if text.starts_with("lichess.org") || text.starts_with("www.lichess.org") => text,
        None => return None,
    };
    let rest = rest.split('#').next().unwrap_or_default();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = path.split_once('/').unwrap_or((path, ""));
    if let Some(fen) = value(query, "fen") {
        return Some(Meant::Fen(fen));
    }
    if !matches!(host, "lichess.org" | "www.lichess.org") {
        return Some(nothing("this address does not say which position it shows"));
    }
    let steps: Vec<String> = path.split('/').map(decoded).collect();
    Some(lichess(
        &steps.iter().map(String::as_str).collect::<Vec<_>>(),
    ))
}

fn lichess(steps: &[&str]) -> Meant {
    match steps {
        ["analysis", "pgn", moves @ ..] | ["opening", _, moves @ ..] if !moves.is_empty() => {
            Meant::Moves(moves.join(" ").replace(['_', '+'], " "))
        }
        ["analysis" | "editor", variant, ..] if VARIANTS.contains(variant) => nothing(format!(
            "{variant} is another game; only chess is kept here"
        )),
        ["analysis" | "editor", variant, rest @ ..] if CHESS.contains(variant) => board(rest),
        ["analysis" | "editor", rest @ ..] => board(rest),
        [stored, ..] if STORED.contains(stored) => {
            nothing("the address does not hold what the page shows")
        }
        [id, ..] if is_game(id) => nothing("this is the address of a game"),
        _ => nothing("this address does not say which position it shows"),
    }
}

/// Reads the FEN of a board: its strokes are those of the path.
fn board(steps: &[&str]) -> Meant {
    let fen = steps.join("/");
    match fen.as_str() {
        "" => Meant::Moves(String::new()),
        _ => Meant::Fen(fen),
    }
}

fn nothing(why: impl AsRef<str>) -> Meant {
    let way = "nothing is fetched from the network: paste the FEN or the PGN that the page gives";
    Meant::Nothing(format!("{}, and {way}", why.as_ref()))
}

/// Games have names of eight letters and digits, or twelve with the player's part.
fn is_game(step: &str) -> bool {
    matches!(step.len(), 8 | 12) && step.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns a value of the part after the question mark.
fn value(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let mut found = pairs.filter(|(key, value)| *key == name && !value.is_empty());
    found
        .next()
        .map(|(_, value)| decoded(&value.replace('+', " ")))
}

/// Replaces `%20` and the like; what is no UTF-8 then becomes question marks.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, others)) = rest.split_first() {
        let hex = others.get(..2).filter(|_| first == b'%');
        let hex = hex.and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        bytes.push(byte.unwrap_or(first));
        rest = &others[if byte.is_some() { 2 } else { 0 }..];
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boards_and_moves_are_read_out_of_addresses() {
        let fen = "4k3/8/8/8/8/8/4P3/4K3";
        let is = |text: &str, fen: &str| assert_eq!(meant(text), Some(Meant::Fen(fen.to_owned())));
        is(
            &format!("https://lichess.org/analysis/{fen}_w_-_-_0_1"),
            &format!("{fen}_w_-_-_0_1"),
        );
        is(
            &format!("lichess.org/analysis/standard/{fen}_w?color=black#3"),
            &format!("{fen}_w"),
        );
        is(
            &format!("https://lichess.org/editor/{fen}%20w%20-%20-"),
            &format!("{fen} w - -"),
        );
        is(
            &format!("https://www.lichess.org/editor?fen={fen}+b"),
            &format!("{fen} b"),
        );
        is(
            &format!("http://127.0.0.1:9002/?fen={fen}+w&q=x"),
            &format!("{fen} w"),
        );
        let moves = Some(Meant::Moves("e4 e5 Nf3".to_owned()));
        assert_eq!(meant("https://lichess.org/analysis/pgn/e4_e5_Nf3"), moves);
        assert_eq!(meant("https://lichess.org/opening/King/e4_e5_Nf3"), moves);
        assert_eq!(meant("1. e4 e5"), None);
        assert_eq!(
            meant("[Site \"https://lichess.org/abcdefgh\"]\n\n1. e4"),
            None
        );
    }

    #[test]
    fn what_would_have_to_be_fetched_is_told() {
        for (text, told) in [
            ("https://lichess.org/abcdEF12", "the address of a game"),
            (
                "https://lichess.org/abcdEF12/black#20",
                "the address of a game",
            ),
            ("https://lichess.org/abcdEF12XYZ0", "the address of a game"),
            (
                "https://lichess.org/study/abcdEF12/zzzzzzzz",
                "does not hold what the page shows",
            ),
            (
                "https://lichess.org/analysis/atomic",
                "atomic is another game",
            ),
            ("https://example.org/game/1", "does not say which position"),
            ("https://", "does not say which position"),
            ("https://lichess.org/%zz%", "does not say which position"),
        ] {
            let Some(Meant::Nothing(fault)) = meant(text) else {
                panic!("{text}");
            };
            assert!(
                fault.contains(told) && fault.contains("nothing is fetched"),
                "{fault}"
            );
        }
    }
}
