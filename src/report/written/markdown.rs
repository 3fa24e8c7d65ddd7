//! A report as Markdown.

use std::fmt::Write as _;

use tabiya_formats::visible::Visible;

use super::{WrittenReport, percent};

impl WrittenReport {
    /// Returns the report as Markdown: a table for each section, and below it the queries of its
    /// rows.
    #[must_use]
    pub fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n", escaped(&self.title));
        for damage in super::damage(&self.report) {
            let _ = write!(text, "\n{}\n", escaped(&damage));
        }
        for section in &self.sections {
            let _ = write!(text, "\n## {}\n\n", escaped(&section.title));
            if !section.note.is_empty() {
                let _ = write!(text, "{}\n\n", escaped(&section.note));
            }
            if section.rows.is_empty() {
                continue;
            }
            let [won, drawn, lost] = self.outcome_names;
            let _ = write!(
                text,
                "| | games | share | {won} | {drawn} | {lost} | score | lately | query |\n\
                 |---|--:|--:|--:|--:|--:|--:|--:|---|\n"
            );
            for row in &section.rows {
                let indent = "\u{a0}\u{a0}".repeat(row.depth as usize);
                let score = row.score_permille().map(percent).unwrap_or_default();
                let lately = row.lately.map(|games| games.to_string());
                let _ = writeln!(
                    text,
                    "| {indent}{} | {} | {} | {} | {} | {} | {score} | {} | {} |",
                    escaped(&row.label),
                    row.games,
                    percent(row.share_permille()),
                    row.won,
                    row.drawn,
                    row.lost,
                    lately.unwrap_or_default(),
                    code(&row.query.to_string()),
                );
            }
        }
        text
    }
}

/// Returns text without meaning to Markdown.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in Visible(text).to_string().chars() {
        if "\\`*_[]<>|#~&$".contains(letter) {
            escaped.push('\\');
        }
        escaped.push(letter);
    }
    escaped
}

/// Returns text as code in a cell of a table.
fn code(text: &str) -> String {
    let text = Visible(text).to_string().replace('|', "\\|");
    let longest = text.split(|letter| letter != '`').map(str::len).max();
    let fence = "`".repeat(longest.unwrap_or(0) + 1);
    let space = if fence.len() > 1 { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}
