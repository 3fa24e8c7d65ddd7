//! Draws a position: as text for a terminal, as SVG for a page.

mod svg;

use std::fmt::Write as _;

use shakmaty::{
    Color, File, Piece, Rank, Setup, Square,
    fen::{Fen, LossyFenError},
};

/// A position to draw.
///
/// ```
/// # mod tabiya { pub use {shakmaty, tabiya_chess::diagram::*}; }
/// use tabiya::{Diagram, shakmaty::Setup};
///
/// let start = Setup::initial();
/// let diagram = Diagram::new(&start);
/// assert!(diagram.text().starts_with("8  r n b q k b n r\n"));
/// assert!(diagram.svg().starts_with("<svg "));
/// ```
#[derive(Debug, Clone)]
#[must_use = "a diagram is not drawn until it is asked for"]
pub struct Diagram<'a> {
    setup: &'a Setup,
    last_move: Option<(Square, Square)>,
    title: &'a str,
    side: Color,
}

impl<'a> Diagram<'a> {
    /// Creates a diagram from White's side.
    pub fn new(setup: &'a Setup) -> Diagram<'a> {
        Diagram {
            setup,
            last_move: None,
            title: "Chess position",
            side: Color::White,
        }
    }

    /// Highlights two squares of an SVG: the from and to squares of the last move.
    pub fn last_move(mut self, squares: Option<(Square, Square)>) -> Self {
        self.last_move = squares;
        self
    }

    /// Sets the title of an SVG, which screen readers read and browsers show as a tooltip.
    pub fn title(mut self, title: &'a str) -> Self {
        self.title = title;
        self
    }

    /// Sets whose first rank is at the bottom.
    pub fn seen_by(mut self, side: Color) -> Self {
        self.side = side;
        self
    }

    /// Returns the position as FEN.
    #[must_use]
    pub fn fen(&self) -> String {
        let fen = Fen::try_from_setup(self.setup.clone());
        fen.unwrap_or_else(LossyFenError::ignore).to_string()
    }

    /// Returns the board in nine lines: ranks from the top down, capitals for White's men, dots for
    /// empty squares, and the letters of the files.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for rank in self.ranks() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{rank} ");
            for file in self.files() {
                let piece = self.setup.board.piece_at(Square::from_coords(file, rank));
                let _ = write!(text, " {}", piece.map_or('.', |piece| piece.char()));
            }
            text.push('\n');
        }
        text.push_str("  ");
        for file in self.files() {
            let _ = write!(text, " {file}");
        }
        text.push('\n');
        text
    }

    /// Returns the board as a self-contained SVG document, 400 units wide and high, with the title
    /// and the FEN for screen readers.
    #[must_use]
    pub fn svg(&self) -> String {
        svg::draw(self)
    }

    /// Returns the ranks from the top.
    fn ranks(&self) -> [Rank; 8] {
        let mut ranks = Rank::ALL;
        if self.side.is_white() {
            ranks.reverse();
        }
        ranks
    }

    /// Returns the files from the left.
    fn files(&self) -> [File; 8] {
        let mut files = File::ALL;
        if self.side.is_black() {
            files.reverse();
        }
        files
    }
}

/// Returns a man as in diagrams, on a transparent square: a complete SVG document, for pages that
/// move men themselves.
///
/// ```
/// # mod tabiya { pub use {shakmaty, tabiya_chess::diagram::*}; }
/// use tabiya::{piece_svg, shakmaty::Piece};
///
/// let knight = Piece::from_char('N').map(piece_svg);
/// assert!(knight.is_some_and(|svg| svg.starts_with("<svg ")));
/// ```
#[must_use]
pub fn piece_svg(piece: Piece) -> String {
    svg::piece(piece)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(fen: &str) -> Setup {
        Fen::from_ascii(fen.as_bytes()).unwrap().into_setup()
    }

    #[test]
    fn text_is_seen_from_either_side() {
        let setup = setup("7k/8/8/8/8/8/8/R7 w - - 0 1");
        let white = Diagram::new(&setup).text();
        assert!(white.starts_with("8  . . . . . . . k\n"), "{white}");
        assert!(
            white.ends_with("1  R . . . . . . .\n   a b c d e f g h\n"),
            "{white}"
        );
        let black = Diagram::new(&setup).seen_by(Color::Black).text();
        assert!(black.starts_with("1  . . . . . . . R\n"), "{black}");
        assert!(
            black.ends_with("8  k . . . . . . .\n   h g f e d c b a\n"),
            "{black}"
        );
    }

    #[test]
    fn svg_tells_title_and_fen_and_draws_every_man_once() {
        let setup = Setup::initial();
        let diagram = Diagram::new(&setup).title("<A & \"B\">");
        let svg = diagram.svg();
        assert!(
            svg.contains("<title>&lt;A &amp; &quot;B&quot;&gt;</title>"),
            "{svg}"
        );
        assert!(svg.contains(&format!("<desc>{}</desc>", diagram.fen())));
        assert_eq!(svg.matches("class=\"white\"").count(), 16);
        assert_eq!(svg.matches("class=\"black\"").count(), 16);
        assert_eq!(svg.matches("class=\"last\"").count(), 0);
        assert_eq!(svg.matches('<').count(), svg.matches('>').count());
    }

    #[test]
    fn every_man_alone_has_the_outline_that_diagrams_give_it() {
        let start = Setup::initial();
        let diagram = Diagram::new(&start).svg();
        let mut drawn: Vec<String> = Vec::new();
        for (_, piece) in &start.board {
            let svg = piece_svg(piece);
            let outline = svg.split(" d=\"").nth(1).unwrap();
            let outline = outline.split('"').next().unwrap();
            assert!(!outline.is_empty() && diagram.contains(outline), "{svg}");
            drawn.push(svg);
        }
        drawn.sort();
        drawn.dedup();
        assert_eq!(drawn.len(), 12);
    }

    #[test]
    fn svg_highlights_where_the_last_move_went() {
        let setup = Setup::initial();
        let last = Some((Square::A1, Square::H8));
        let of = |side| Diagram::new(&setup).last_move(last).seen_by(side).svg();
        let white = of(Color::White);
        assert_eq!(white.matches("class=\"last\"").count(), 2);
        assert!(
            white.contains("<rect class=\"last\" x=\"20\" y=\"335\""),
            "{white}"
        );
        assert!(of(Color::Black).contains("<rect class=\"last\" x=\"335\" y=\"20\""));
    }
}
