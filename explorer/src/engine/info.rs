//! What an engine says while it thinks, as lines of moves that the rules allow.

use serde::Serialize;
use shakmaty::{Chess, Color, Position, san::SanPlus, uci::UciMove};

use super::search::mode;

/// Half-moves of a line that are told; engines look no further ahead.
const LINE_PLIES: usize = 256;

/// What is found so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub(crate) struct Analysis {
    /// What the engine calls itself.
    pub(crate) engine: Option<String>,
    /// The best lines, the best one first.
    pub(crate) lines: Vec<Line>,
    /// Half-moves that the first line was looked at.
    pub(crate) depth: u32,
    /// The same of what was looked at the furthest, if the engine tells it.
    pub(crate) seldepth: Option<u32>,
    pub(crate) nodes: u64,
    /// Nodes of a second; null where no time has passed.
    pub(crate) nps: Option<u64>,
    /// Milliseconds.
    pub(crate) time: u64,
    /// Why the search is over: `time`, `end` when the engine has thought enough, `replaced` by a
    /// newer one, `left`, or `fault`; null while it runs.
    pub(crate) over: Option<&'static str>,
    /// What went wrong.
    pub(crate) error: Option<String>,
}

/// A line of moves with its evaluation, from White's side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Line {
    /// Its rank, from 1.
    pub(crate) rank: u32,
    depth: u32,
    /// Hundredths of a pawn.
    cp: Option<i32>,
    /// Moves up to a mate, negative when Black mates.
    mate: Option<i32>,
    /// `lower` or `upper` when the evaluation is a bound.
    bound: Option<&'static str>,
    uci: Vec<String>,
    san: Vec<String>,
}

/// What an `info` line says.
#[derive(Debug, Default)]
struct Info<'l> {
    depth: u32,
    seldepth: Option<u32>,
    rank: u32,
    nodes: u64,
    nps: Option<u64>,
    time: u64,
    cp: Option<i32>,
    mate: Option<i32>,
    bound: Option<&'static str>,
    moves: Vec<&'l str>,
}

impl<'l> Info<'l> {
    /// Reads a line; what makes no sense in it is left out.
    fn read(line: &'l str) -> Option<Info<'l>> {
        let mut words = line.split_ascii_whitespace();
        if words.next() != Some("info") {
            return None;
        }
        let mut info = Info {
            rank: 1,
            ..Info::default()
        };
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|word| word.parse().ok());
            match word {
                "depth" => info.depth = number().unwrap_or(0),
                "seldepth" => info.seldepth = number(),
                "multipv" => info.rank = number().unwrap_or(0),
                "nodes" => info.nodes = words.next().and_then(|word| word.parse().ok())?,
                "nps" => info.nps = words.next().and_then(|word| word.parse().ok()),
                "time" => info.time = words.next().and_then(|word| word.parse().ok())?,
                "cp" => info.cp = Some(words.next()?.parse().ok()?),
                "mate" => info.mate = Some(words.next()?.parse().ok()?),
                "lowerbound" => info.bound = Some("lower"),
                "upperbound" => info.bound = Some("upper"),
                "pv" => {
                    info.moves = words.by_ref().take(LINE_PLIES).collect();
                    break;
                }
                // A text to the end of the line.
                "string" => return None,
                _ => {}
            }
        }
        Some(info)
    }
}

impl Analysis {
    /// Takes a line of the engine in; tells whether it says something about the position.
    pub(super) fn add(&mut self, text: &str, position: &Chess, lines_max: u32) -> bool {
        let Some(info) = Info::read(text) else {
            return false;
        };
        let is_counted = self.count(&info);
        self.add_line(&info, position, lines_max) || is_counted
    }

    /// Takes in how much was looked at, which every line of the engine may tell.
    fn count(&mut self, info: &Info<'_>) -> bool {
        if info.nodes <= self.nodes {
            return false;
        }
        self.nodes = info.nodes;
        self.time = info.time.max(self.time);
        let own = info.nodes.saturating_mul(1000).checked_div(self.time);
        self.nps = info.nps.or(own);
        true
    }

    /// Takes in a line of moves; tells whether it is one.
    fn add_line(&mut self, info: &Info<'_>, position: &Chess, lines_max: u32) -> bool {
        let (uci, san) = played(position, &info.moves);
        let is_valued = info.cp.is_some() || info.mate.is_some();
        if uci.is_empty() || !is_valued || !(1..=lines_max).contains(&info.rank) {
            return false;
        }
        // A bound is no news where there is a value.
        let is_known = self.lines.iter().any(|line| line.rank == info.rank);
        if info.bound.is_some() && is_known {
            return false;
        }
        let sign = position.turn().fold_wb(1, -1);
        let seen = |value: Option<i32>| value.map(|value| value.saturating_mul(sign));
        let bound = match (info.bound, position.turn()) {
            (Some("lower"), Color::Black) => Some("upper"),
            (Some("upper"), Color::Black) => Some("lower"),
            (bound, _) => bound,
        };
        let line = Line {
            rank: info.rank,
            depth: info.depth,
            cp: seen(info.cp),
            mate: seen(info.mate),
            bound,
            uci,
            san,
        };
        if info.rank == 1 {
            self.depth = info.depth;
            self.seldepth = info.seldepth;
        }
        self.lines.retain(|other| other.rank != info.rank);
        self.lines.push(line);
        self.lines.sort_by_key(|line| line.rank);
        true
    }
}

/// Plays moves as long as they are legal, and returns them as UCI and as SAN.
fn played(position: &Chess, moves: &[&str]) -> (Vec<String>, Vec<String>) {
    let mode = mode(position);
    let mut position = position.clone();
    let (mut uci, mut san) = (Vec::new(), Vec::new());
    for text in moves {
        let read = text.parse::<UciMove>().ok();
        let Some(played) = read.and_then(|read| read.to_move(&position).ok()) else {
            break;
        };
        uci.push(played.to_uci(mode).to_string());
        san.push(SanPlus::from_move_and_play_unchecked(&mut position, played).to_string());
    }
    (uci, san)
}

#[cfg(test)]
mod tests {
    use super::*;
    use shakmaty::CastlingMode;

    fn added(text: &str) -> Analysis {
        let mut analysis = Analysis::default();
        analysis.add(text, &Chess::default(), 2);
        analysis
    }

    #[test]
    fn a_line_is_read_with_its_moves_and_seen_from_white() {
        let text = "info depth 12 seldepth 20 multipv 1 score cp 34 nodes 5000 nps 9 time 70 pv \
                    e2e4 e7e5 g1f3";
        let analysis = added(text);
        assert_eq!((analysis.depth, analysis.nodes), (12, 5000));
        assert_eq!((analysis.seldepth, analysis.nps), (Some(20), Some(9)));
        assert_eq!(analysis.lines[0].san, ["e4", "e5", "Nf3"]);
        assert_eq!(analysis.lines[0].cp, Some(34));
        let fen = "4k3/8/8/8/8/8/4q3/7K b - - 0 1";
        let fen: shakmaty::fen::Fen = fen.parse().expect("a FEN");
        let black: Chess = fen.into_position(CastlingMode::Standard).expect("legal");
        let mut analysis = Analysis::default();
        assert!(analysis.add("info score mate 2 upperbound pv e2f2", &black, 1));
        assert_eq!(analysis.lines[0].mate, Some(-2));
        assert_eq!(analysis.lines[0].bound, Some("lower"));
    }

    #[test]
    fn the_speed_is_counted_where_the_engine_tells_none() {
        let analysis = added("info depth 3 score cp 1 nodes 6000 time 500 pv e2e4");
        assert_eq!(analysis.nps, Some(12_000));
        let mut analysis = added("info depth 3 score cp 1 nodes 6000 pv e2e4");
        assert_eq!(analysis.nps, None);
        // Also between two lines of moves.
        assert!(analysis.add("info nodes 9000 nps 77 time 600", &Chess::default(), 1));
        assert_eq!(
            (analysis.nodes, analysis.nps, analysis.time),
            (9000, Some(77), 600)
        );
        assert!(!analysis.add("info nodes 8000 nps 1 time 700", &Chess::default(), 1));
        assert_eq!((analysis.depth, analysis.lines.len()), (3, 1));
    }

    #[test]
    fn a_line_is_told_to_its_end() {
        let moves = "g1f3 g8f6 f3g1 f6g8 ".repeat(30);
        let analysis = added(&format!("info score cp 0 pv {moves}"));
        assert_eq!(analysis.lines[0].san.len(), 120);
        assert_eq!(analysis.lines[0].uci.len(), 120);
    }

    #[test]
    fn what_makes_no_sense_is_left_out() {
        for text in [
            "",
            "info",
            "info string score cp 1 pv e2e4",
            "info depth 1 score cp x pv e2e4",
            "info depth 1 score cp 99999999999 pv e2e4",
            "info depth 1 score cp 1 pv e2e5",
            "info depth 1 score cp 1 pv",
            "info depth 1 pv e2e4",
            "info multipv 3 score cp 1 pv e2e4",
            "info multipv 0 score cp 1 pv e2e4",
            "bestmove e2e4",
        ] {
            assert_eq!(added(text), Analysis::default(), "{text}");
        }
        // Moves count up to the first one that is none.
        let analysis = added("info score cp -2147483648 pv e2e4 e7e5 e1e3 d7d5");
        assert_eq!(analysis.lines[0].san, ["e4", "e5"]);
    }
}
