//! The report as one HTML file: without scripts, and without references to anything outside.

use std::fmt::Write as _;

use shakmaty::{Color, fen::Fen};

use super::{LeavingPlace, LeftBy, RepertoireGap, RepertoireLine, RepertoireReport};
use crate::report::{
    tree::TreeStats,
    written::{
        damage,
        page::{bar, escaped, figure, head, percent_encoded},
        percent, side_name,
    },
};

/// Most rows of a table.
const ROWS: usize = 100;
/// Most positions that are drawn.
const DIAGRAMS: usize = 3;
/// Most moves that are listed at one place.
const MOVES: usize = 5;

/// How games leave, in the order of the overview, with what it says of each.
const WAYS: [(LeftBy, &str); 4] = [
    (LeftBy::Me, "by my move"),
    (LeftBy::Opponent, "by the opponent's move"),
    (LeftBy::FileEnds, "the lines end"),
    (LeftBy::GameEnds, "the game ends"),
];

/// A table, with the heads of its columns after the first as HTML.
struct Table {
    title: &'static str,
    note: &'static str,
    heads: &'static str,
}

const PLACES: Table = Table {
    title: "Where games leave the lines",
    note: "The last positions of games that the lines have.",
    heads: "<th class=\"t\">left</th><th class=\"t\">the lines have</th>\
            <th class=\"t\">played</th><th>games</th><th>score</th><th></th>",
};
const GAPS: Table = Table {
    title: "Replies without an answer",
    note: "Moves of the other side that games play and the lines do not answer.",
    heads: "<th class=\"t\">in the lines</th><th>games</th><th>share</th><th>score</th><th></th>",
};
const PLAYED: Table = Table {
    title: "Lines played to their end",
    note: "By whatever moves the games came there.",
    heads: "<th>games</th><th>score</th><th></th>",
};
const UNPLAYED: Table = Table {
    title: "Lines that never come",
    note: "Each to the first move that no game plays.",
    heads: "<th>lines</th>",
};

impl RepertoireReport {
    /// Returns the report as one HTML file: how games leave, where, the gaps, and the lines that
    /// are played and that never come. [`about`](RepertoireReport::about) says of which games and
    /// lines it is. With an
    /// `address` each place leads there: the FEN follows it, percent-encoded.
    #[must_use]
    pub fn to_html(&self, title: &str, about: &str, address: Option<&str>) -> String {
        let mut page = Page {
            report: self,
            address,
            text: head(title),
        };
        page.write(about);
        page.text
    }

    /// Says what the page is about: how many of which games, and the files of the lines, damaged
    /// games in them included.
    #[must_use]
    pub fn about(&self, games: &str, files: &str) -> String {
        let (count, side) = (self.report.matched, side_name(self.color));
        let about = format!(
            "{count} games of {games}, beside the lines of {files} for {side}. Scores are {side}'s."
        );
        match self.damaged_lines {
            0 => about,
            damaged => {
                format!("{about} Damaged games of {files}, which count as far as sound: {damaged}.")
            }
        }
    }

    /// Returns the score of the side whose repertoire it is, in thousandths.
    fn score(&self, stats: &TreeStats) -> Option<u64> {
        let white = u64::from(stats.score_permille()?);
        Some(self.color.fold_wb(white, 1000 - white))
    }
}

struct Page<'r> {
    report: &'r RepertoireReport,
    address: Option<&'r str>,
    text: String,
}

impl Page<'_> {
    fn write(&mut self, about: &str) {
        let _ = writeln!(self.text, "<p>{}</p>", escaped(about));
        for damage in damage(&self.report.report) {
            let _ = writeln!(self.text, "<p>{}</p>", escaped(&damage));
        }
        self.overview();
        let (places, gaps) = (self.report.places(), self.report.gaps());
        let (played, unplayed) = (self.report.lines(), self.report.unplayed());
        self.table(&PLACES, places, Page::place);
        self.table(&GAPS, gaps, Page::gap);
        self.boards(gaps);
        self.table(&PLAYED, played, |page, line| {
            page.label(&line.line, None);
            page.results(&line.stats);
        });
        self.table(&UNPLAYED, unplayed, Page::unplayed);
        self.text += "</body>\n</html>\n";
    }

    fn overview(&mut self) {
        let report = self.report;
        let rows = WAYS.map(|(left, name)| (name, report.count(left)));
        let rows = rows
            .into_iter()
            .chain([("no position of the lines", report.outside())]);
        let all = rows.clone().map(|(_, games)| games).sum::<u64>();
        self.text += "<h2>How games leave the lines</h2>\n<div class=\"wide\"><table>\n\
                      <tr><th></th><th>games</th><th>share</th></tr>\n";
        for (name, games) in rows {
            let share = percent(
                (2000 * games + all)
                    .checked_div(2 * all)
                    .unwrap_or_default(),
            );
            let name = escaped(name);
            let _ = writeln!(
                self.text,
                "<tr><td>{name}</td><td>{games}</td><td>{share}</td></tr>"
            );
        }
        self.text += "</table></div>\n";
    }

    /// Writes a table; nothing but that there is none without rows.
    fn table<R>(&mut self, table: &Table, rows: &[R], write: impl Fn(&mut Self, &R)) {
        let Table { title, note, heads } = table;
        let _ = writeln!(self.text, "<h2>{title}</h2>");
        if rows.is_empty() {
            self.text += "<p>None.</p>\n";
            return;
        }
        let shown = rows.len().min(ROWS);
        let part = match rows.len() {
            all if all > shown => format!(" The first {shown} of {all}."),
            _ => String::new(),
        };
        let _ = writeln!(
            self.text,
            "<p>{note}{part}</p>\n<div class=\"wide\"><table>\n<tr><th></th>{heads}</tr>"
        );
        for row in &rows[..shown] {
            self.text += "<tr>";
            write(self, row);
            self.text += "</tr>\n";
        }
        self.text += "</table></div>\n";
    }

    fn place(&mut self, place: &LeavingPlace) {
        self.label(&place.line, Some(&place.fen));
        let way = WAYS.iter().find(|(left, _)| *left == place.left);
        self.words(way.map_or("", |(_, name)| name));
        self.words(&listed(place.answers.iter().cloned()));
        let many = place.played.len() > 1;
        let played = place.played.iter().map(|played| {
            if many {
                format!("{} ({})", played.san, played.games)
            } else {
                played.san.clone()
            }
        });
        self.words(&listed(played));
        self.results(&place.stats);
    }

    fn gap(&mut self, gap: &RepertoireGap) {
        self.label(&gap.line, Some(&gap.fen));
        self.words(if gap.is_in_file {
            "as a last move"
        } else {
            "no"
        });
        let share = u64::from(gap.stats.share_permille(&gap.total));
        let _ = write!(self.text, "<td>{}</td>", gap.stats.games());
        let _ = write!(self.text, "<td>{}</td>", percent(share));
        self.score(&gap.stats);
    }

    fn unplayed(&mut self, line: &RepertoireLine) {
        self.label(&line.line, None);
        let _ = write!(self.text, "<td>{}</td>", line.lines);
    }

    /// Writes a line, which leads to its position.
    fn label(&mut self, line: &str, fen: Option<&str>) {
        let line = match line {
            "" => "the start",
            line => line,
        };
        let line = escaped(line);
        let _ = match (self.address, fen) {
            (Some(address), Some(fen)) => {
                let address = escaped(&format!("{address}{}", percent_encoded(fen)));
                write!(self.text, "<td><a href=\"{address}\">{line}</a></td>")
            }
            _ => write!(self.text, "<td>{line}</td>"),
        };
    }

    fn words(&mut self, text: &str) {
        let _ = write!(self.text, "<td class=\"t\">{}</td>", escaped(text));
    }

    fn results(&mut self, stats: &TreeStats) {
        let _ = write!(self.text, "<td>{}</td>", stats.games());
        self.score(stats);
    }

    /// Writes the score and draws the results, of the side whose repertoire it is.
    fn score(&mut self, stats: &TreeStats) {
        let score = self.report.score(stats).map(percent).unwrap_or_default();
        let mut results = [stats.white_wins(), stats.draws(), stats.black_wins()];
        if self.report.color == Color::Black {
            results.reverse();
        }
        let bar = bar(results, ["won", "drawn", "lost"]);
        let _ = write!(self.text, "<td>{score}</td><td>{bar}</td>");
    }

    /// Draws the positions after the first gaps.
    fn boards(&mut self, gaps: &[RepertoireGap]) {
        let drawn = gaps.iter().take(DIAGRAMS).filter_map(|gap| {
            let setup = gap.fen.parse::<Fen>().ok()?.into_setup();
            Some(figure(&setup, &gap.line))
        });
        let drawn: String = drawn.collect();
        if !drawn.is_empty() {
            let _ = write!(self.text, "<div class=\"boards\">\n{drawn}</div>\n");
        }
    }
}

/// Returns the first of some moves, and whether there are more.
fn listed(moves: impl ExactSizeIterator<Item = String>) -> String {
    let more = if moves.len() > MOVES { ", …" } else { "" };
    let moves: Vec<String> = moves.take(MOVES).collect();
    format!("{}{more}", moves.join(", "))
}
