//! A report as one HTML file: without scripts, and without references to anything outside.

use std::{collections::HashMap, fmt::Write as _};

use shakmaty::{Setup, Square, fen::Fen};
use tabiya_chess::diagram::Diagram;
use tabiya_formats::visible::Visible;

use super::{ReportMap, ReportRow, ReportSection, WrittenReport, damage, percent};
use crate::query::Query;

/// Most positions of a section that are drawn.
const DIAGRAMS: usize = 3;

const STYLE: &str = include_str!("page.css");

impl WrittenReport {
    /// Returns the report as one HTML file: each figure is a link to the query that gives it, at
    /// the end of the page.
    #[must_use]
    pub fn to_html(&self) -> String {
        let mut page = Page {
            report: self,
            text: String::new(),
            numbers: HashMap::new(),
            queries: Vec::new(),
        };
        page.write();
        page.text
    }
}

struct Page<'r> {
    report: &'r WrittenReport,
    text: String,
    /// By query as text: its number at the end of the page.
    numbers: HashMap<String, usize>,
    queries: Vec<Query>,
}

impl Page<'_> {
    fn write(&mut self) {
        self.text += &head(&self.report.title);
        let databases: Vec<String> = self
            .report
            .databases
            .iter()
            .map(|path| escaped(path))
            .collect();
        let _ = write!(self.text, "<p>Games of {}.", databases.join(", "));
        if let Some(lately) = &self.report.lately {
            let lately = escaped(&lately.to_string());
            let _ = write!(self.text, " Lately: <code>{lately}</code>");
        }
        self.text += "</p>\n";
        for damage in damage(&self.report.report) {
            let _ = writeln!(self.text, "<p>{}</p>", escaped(&damage));
        }
        self.text += "<nav>";
        for (number, section) in self.report.sections.iter().enumerate() {
            let title = escaped(&section.title);
            let _ = writeln!(self.text, "<a href=\"#s{number}\">{title}</a>");
        }
        self.text += "<a href=\"#queries\">Queries</a>\n</nav>\n";
        for (number, section) in self.report.sections.iter().enumerate() {
            self.section(number, section);
        }
        self.text += "<h2 id=\"queries\">Queries</h2>\n<p>Each figure above leads to the command \
                      that lists its games.</p>\n<ol>\n";
        for (number, query) in (1..).zip(&self.queries) {
            let command = escaped(&self.report.command(query));
            let _ = write!(self.text, "<li id=\"q{number}\"><code>");
            match &self.report.address {
                None => self.text += &command,
                Some(address) => {
                    let encoded = percent_encoded(&query.to_string());
                    let address = escaped(&format!("{address}{encoded}"));
                    let _ = write!(self.text, "<a href=\"{address}\">{command}</a>");
                }
            }
            self.text += "</code></li>\n";
        }
        self.text += "</ol>\n</body>\n</html>\n";
    }

    fn section(&mut self, number: usize, section: &ReportSection) {
        let title = escaped(&section.title);
        let _ = writeln!(self.text, "<h2 id=\"s{number}\">{title}</h2>");
        if !section.note.is_empty() {
            let _ = writeln!(self.text, "<p>{}</p>", escaped(&section.note));
        }
        if section.rows.is_empty() {
            return;
        }
        self.boards(section);
        self.maps(section);
        let has_lately = section.rows.iter().any(|row| row.lately.is_some());
        let [won, drawn, lost] = self.report.outcome_names;
        let _ = write!(
            self.text,
            "<div class=\"wide\"><table>\n<tr><th></th><th>games</th><th>share</th>\
             <th>{won}</th><th>{drawn}</th><th>{lost}</th><th>score</th>"
        );
        if has_lately {
            self.text += "<th>lately</th>";
        }
        self.text += "<th></th></tr>\n";
        for row in &section.rows {
            self.row(row, has_lately);
        }
        self.text += "</table></div>\n";
    }

    fn row(&mut self, row: &ReportRow, has_lately: bool) {
        let indent = 1.1 * f64::from(row.depth);
        let label = escaped(&row.label);
        let _ = write!(
            self.text,
            "<tr><td style=\"padding-left:{indent:.1}rem\">{label}</td>"
        );
        self.figure(row.games, &row.query);
        let _ = write!(self.text, "<td>{}</td>", percent(row.share_permille()));
        let queries = self.report.outcome_queries(row);
        for (games, query) in [row.won, row.drawn, row.lost].into_iter().zip(&queries) {
            self.figure(games, query);
        }
        let score = row.score_permille().map(percent).unwrap_or_default();
        let _ = write!(self.text, "<td>{score}</td>");
        match (row.lately, self.report.lately_query(row)) {
            (Some(games), Some(query)) => self.figure(games, &query),
            _ if has_lately => self.text += "<td></td>",
            _ => {}
        }
        let results = [row.won, row.drawn, row.lost];
        let bar = bar(results, self.report.outcome_names);
        let _ = writeln!(self.text, "<td>{bar}</td></tr>");
    }

    /// Writes a number that leads to its query.
    fn figure(&mut self, games: u64, query: &Query) {
        let next = self.queries.len() + 1;
        let number = *self.numbers.entry(query.to_string()).or_insert(next);
        if number == next {
            self.queries.push(query.clone());
        }
        let _ = write!(self.text, "<td><a href=\"#q{number}\">{games}</a></td>");
    }

    /// Draws the positions of the longest lines that have most games.
    fn boards(&mut self, section: &ReportSection) {
        let mut drawn: Vec<(&ReportRow, Setup)> = Vec::new();
        let deepest = section.rows.iter().filter(|row| row.fen.is_some());
        let mut deepest: Vec<&ReportRow> = deepest.collect();
        deepest.sort_by_key(|row| std::cmp::Reverse((row.depth, row.games)));
        for row in deepest {
            let fen = row.fen.as_ref().and_then(|fen| fen.parse::<Fen>().ok());
            if let Some(fen) = fen.filter(|_| drawn.len() < DIAGRAMS) {
                drawn.push((row, fen.into_setup()));
            }
        }
        if drawn.is_empty() {
            return;
        }
        self.text += "<div class=\"boards\">\n";
        for (row, setup) in &drawn {
            self.text += &figure(setup, &row.label);
        }
        self.text += "</div>\n";
    }

    fn maps(&mut self, section: &ReportSection) {
        if section.maps.is_empty() {
            return;
        }
        self.text += "<div class=\"boards\">\n";
        for map in &section.maps {
            let (drawn, label) = (heat(map), map.label());
            let _ = writeln!(
                self.text,
                "<figure class=\"map\">{drawn}<figcaption>{label}</figcaption></figure>"
            );
        }
        self.text += "</div>\n";
    }
}

/// Returns the beginning of a page, to its heading.
pub(in crate::report) fn head(title: &str) -> String {
    let title = escaped(title);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    )
}

/// Draws a position with what is said of it.
pub(in crate::report) fn figure(setup: &Setup, label: &str) -> String {
    let (board, label) = (Diagram::new(setup).svg(), escaped(label));
    format!("<figure>{board}<figcaption>{label}</figcaption></figure>\n")
}

/// Draws a board, White below, whose squares are the darker the more games count for them.
fn heat(map: &ReportMap) -> String {
    let mut drawn = format!(
        "<svg viewBox=\"0 0 8 8\" role=\"img\" aria-label=\"Squares of {}\">",
        map.label()
    );
    for (square, games) in Square::ALL.into_iter().zip(map.games) {
        let (x, y) = (u32::from(square.file()), 7 - u32::from(square.rank()));
        let shade = if square.is_dark() { "e" } else { "f" };
        let _ = write!(
            drawn,
            "<rect class=\"{shade}\" x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\"/>"
        );
        if games > 0 {
            let share = games as f64 / map.of as f64;
            let _ = write!(
                drawn,
                "<rect class=\"h\" x=\"{x}\" y=\"{y}\" width=\"1\" height=\"1\" \
                 fill-opacity=\"{share:.3}\"/>"
            );
        }
    }
    drawn + "</svg>"
}

/// Draws the shares of wins, draws and losses.
pub(in crate::report) fn bar(
    [won_games, drawn_games, lost_games]: [u64; 3],
    [first, second, third]: [&str; 3],
) -> String {
    let all = won_games + drawn_games + lost_games;
    if all == 0 {
        return String::new();
    }
    let width = |games: u64| games as f64 * 100.0 / all as f64;
    let (won, drawn) = (width(won_games), width(drawn_games));
    format!(
        "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" role=\"img\" \
         aria-label=\"{won_games} {first}, {drawn_games} {second}, {lost_games} {third}\">\
         <rect class=\"w\" width=\"{won:.1}\" height=\"10\"/>\
         <rect class=\"d\" x=\"{won:.1}\" width=\"{drawn:.1}\" height=\"10\"/>\
         <rect class=\"l\" x=\"{:.1}\" width=\"{:.1}\" height=\"10\"/></svg>",
        won + drawn,
        width(lost_games)
    )
}

/// Returns text as addresses have it in their parameters.
pub(in crate::report) fn percent_encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

/// Returns text without meaning to HTML, in which nothing is invisible.
pub(in crate::report) fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in Visible(text).to_string().chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            other => escaped.push(other),
        }
    }
    escaped
}
