//! Lines as a graph in the language DOT, which Graphviz draws.

use std::fmt::Write as _;

use super::graph::{GraphMove, LineGraph};

impl LineGraph {
    /// Returns the lines in the language DOT: positions with their number of games, moves with
    /// theirs and the score from White's view.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph lines {\n  rankdir=LR;\n  node [shape=box];\n");
        let mut ends = 0;
        for (number, node) in self.nodes().iter().enumerate() {
            if number > 0 && node.before().is_none() {
                continue;
            }
            let games = node.total().games();
            let fill = node.setup().turn.fold_wb("white", "lightgray");
            // Writing to a text does not fail.
            let _ = writeln!(
                text,
                "  p{number} [label=\"{games}\", style=filled, fillcolor={fill}];"
            );
            for played in node.moves() {
                let target = match played.node {
                    Some(next) => format!("p{next}"),
                    None => {
                        ends += 1;
                        let _ = writeln!(text, "  e{ends} [shape=point];");
                        format!("e{ends}")
                    }
                };
                let label = label(&node.move_number(), played);
                let _ = writeln!(text, "  p{number} -> {target} [label=\"{label}\"];");
            }
        }
        text.push_str("}\n");
        text
    }
}

fn label(number: &str, played: &GraphMove) -> String {
    let stats = &played.row.stats;
    let score = stats.score_permille();
    let score = score.map(|score| format!(", {}.{}%", score / 10, score % 10));
    let (san, games) = (&played.row.san, stats.games());
    format!("{number}{san}\\n{games}{}", score.unwrap_or_default())
}
