//! The SVG: squares, highlights, coordinates, and men made of simple shapes.

use std::fmt::Write as _;

use shakmaty::{Color, Piece, Role, Square};

use super::Diagram;

/// Side length of a square.
const SQUARE: usize = 45;
/// Width of the margin with the coordinates.
const MARGIN: usize = 20;
/// Side length of the whole picture.
const SIDE: usize = 8 * SQUARE + 2 * MARGIN;

/// Colours that keep their contrast in grayscale. White's men are light with a dark outline,
/// Black's the opposite, so that both are visible on light and dark squares.
const STYLE: &str = "\
.light{fill:#f0d9b5}.dark{fill:#b58863}.last{fill:#cdd26a;fill-opacity:.75}\
.white{fill:#fff;stroke:#222}.black{fill:#222;stroke:#ddd}\
.white,.black{stroke-width:1.3;stroke-linejoin:round;stroke-linecap:round}\
text{font:13px sans-serif;text-anchor:middle;fill:#333}";

/// Draws a diagram.
pub(super) fn draw(diagram: &Diagram<'_>) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SIDE} {SIDE}\" \
         width=\"{SIDE}\" height=\"{SIDE}\" role=\"img\">\n\
         <title>{}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n",
        escaped(diagram.title),
        escaped(&diagram.fen()),
    );
    for (y, rank) in places().zip(diagram.ranks()) {
        for (x, file) in places().zip(diagram.files()) {
            square(&mut svg, diagram, Square::from_coords(file, rank), (x, y));
        }
    }
    let middle = SQUARE / 2;
    let (near, far) = (MARGIN / 2, SIDE - MARGIN / 2);
    for (y, rank) in places().zip(diagram.ranks()) {
        let y = y + middle + 5;
        let _ = writeln!(svg, "<text x=\"{near}\" y=\"{y}\">{rank}</text>");
    }
    for (x, file) in places().zip(diagram.files()) {
        let (x, y) = (x + middle, far + 4);
        let _ = writeln!(svg, "<text x=\"{x}\" y=\"{y}\">{file}</text>");
    }
    svg.push_str("</svg>\n");
    svg
}

/// Returns the offsets of squares, from the left or from the top.
fn places() -> impl Iterator<Item = usize> {
    (0..8).map(|place| MARGIN + place * SQUARE)
}

/// Draws a square with its man.
fn square(svg: &mut String, diagram: &Diagram<'_>, square: Square, (x, y): (usize, usize)) {
    let kind = if square.is_light() { "light" } else { "dark" };
    let mut fill = |kind| {
        let _ = writeln!(
            svg,
            "<rect class=\"{kind}\" x=\"{x}\" y=\"{y}\" width=\"{SQUARE}\" height=\"{SQUARE}\"/>"
        );
    };
    fill(kind);
    let is_last = |(from, to)| square == from || square == to;
    if diagram.last_move.is_some_and(is_last) {
        fill("last");
    }
    if let Some(piece) = diagram.setup.board.piece_at(square) {
        let (color, shape) = (piece.color.fold_wb("white", "black"), shape(piece.role));
        let _ = writeln!(
            svg,
            "<path class=\"{color}\" transform=\"translate({x} {y})\" d=\"{shape}\"/>"
        );
    }
}

/// Draws a single man. It uses attributes instead of a style sheet, so that it also works in pages
/// that forbid inline styles.
pub(super) fn piece(piece: Piece) -> String {
    let (fill, stroke) = match piece.color {
        Color::White => ("#fff", "#222"),
        Color::Black => ("#222", "#ddd"),
    };
    let shape = shape(piece.role);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {SQUARE} {SQUARE}\">\
         <path fill=\"{fill}\" stroke=\"{stroke}\" stroke-width=\"1.3\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\" d=\"{shape}\"/></svg>\n"
    )
}

/// Returns the outline of a man on a square of 45 by 45 units.
const fn shape(role: Role) -> &'static str {
    match role {
        Role::Pawn => {
            "M22.5 9a5.5 5.5 0 0 1 3.5 9.7C29 21 30 26 30.5 31H14.5C15 26 16 21 19 18.7\
             A5.5 5.5 0 0 1 22.5 9zM12 32.5H33V37H12z"
        }
        Role::Knight => {
            "M14 32C13.5 25 21 22.5 20.5 18L14.5 22.5L10.5 20.5L15 12L20 9.5L20.5 6L24.5 9\
             C32 12 34 20 33 32zM18.5 13.5h1.5M11 33.5H35.5V37.5H11z"
        }
        Role::Bishop => {
            "M22.5 5.5a2.5 2.5 0 0 1 1.5 4.5C30 14 31.5 20 28 25L29.5 31H15.5L17 25\
             C13.5 20 15 14 21 10A2.5 2.5 0 0 1 22.5 5.5z\
             M22.5 14v7M19 17.5h7M17 25H28M10 33H35V37H10z"
        }
        Role::Rook => {
            "M11.5 8.5H16V12H20V8.5H25V12H29V8.5H33.5V16L30 19V29L32.5 32H12.5L15 29V19L11.5 16z\
             M15 19H30M15 29H30M10 33.5H35V37.5H10z"
        }
        Role::Queen => {
            "M13.5 30L8 13.5L15.5 21L17 9.5L22.5 20L28 9.5L29.5 21L37 13.5L31.5 30z\
             M8 13.5a1.6 1.6 0 1 1 .1-.1zM17 9.5a1.6 1.6 0 1 1 .1-.1z\
             M28 9.5a1.6 1.6 0 1 1 .1-.1zM37 13.5a1.6 1.6 0 1 1 .1-.1zM11.5 32.5H33.5V37H11.5z"
        }
        Role::King => {
            "M21 4.5H24V7.5H27V10.5H24V14C26 13 36.5 11.5 37 19.5C37 24 33.5 26 32 30.5H13\
             C11.5 26 8 24 8 19.5C8.5 11.5 19 13 21 14V10.5H18V7.5H21z\
             M22.5 17V27M11.5 32.5H33.5V37H11.5z"
        }
    }
}

/// Escapes a text for XML; control characters, which XML does not allow, become spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push(char::REPLACEMENT_CHARACTER),
            control if control.is_control() => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}
