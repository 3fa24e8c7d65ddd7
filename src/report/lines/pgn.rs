//! Lines as PGN: one game with variations, or a game for each line.

use shakmaty::{Setup, fen::Fen};

use super::graph::LineGraph;

/// The moves of one game, with numbers where a reader needs them.
struct Text {
    line: String,
    text: String,
    /// Whether the next move needs its number even if it is Black's.
    needs_number: bool,
}

/// Greatest length of a line of text.
const WIDTH: usize = 80;

impl Text {
    fn new() -> Text {
        Text {
            line: String::new(),
            text: String::new(),
            needs_number: true,
        }
    }

    /// Adds a word, on the next line if it does not fit.
    fn word(&mut self, word: &str) {
        if !self.line.is_empty() && self.line.len() + 1 + word.len() > WIDTH {
            self.text += &self.line;
            self.text.push('\n');
            self.line.clear();
        }
        if !self.line.is_empty() && !self.line.ends_with('(') && word != ")" {
            self.line.push(' ');
        }
        self.line += word;
    }

    fn played(&mut self, is_white: bool, number: &str, san: &str) {
        if is_white || self.needs_number {
            self.word(number);
        }
        self.word(san);
        self.needs_number = false;
    }

    fn comment(&mut self, text: &str) {
        let mut words = text.split(' ').peekable();
        let mut first = true;
        while let Some(word) = words.next() {
            let begin = if std::mem::take(&mut first) { "{" } else { "" };
            let end = if words.peek().is_none() { "}" } else { "" };
            self.word(&format!("{begin}{word}{end}"));
        }
        self.needs_number = true;
    }

    fn ended(mut self) -> String {
        self.word("*");
        self.text + &self.line + "\n"
    }
}

impl LineGraph {
    /// Returns the lines as one game in PGN, with variations, the most played moves first. A
    /// comment after each move has its number of games and its score from White's view, and the
    /// moves of the line that has what follows if the position was there before. A move that is not
    /// [legal](super::GraphMove::is_legal) after the moves before it is left out.
    #[must_use]
    pub fn to_pgn(&self) -> String {
        let mut text = self.begun();
        self.write(0, &mut text);
        self.tags("?") + &text.ended()
    }

    /// Returns the lines as a game each, in PGN: to the end of each, or to the position that
    /// another line has.
    #[must_use]
    pub fn to_pgn_lines(&self) -> String {
        let mut games = String::new();
        let mut round = 0;
        for (number, node) in self.nodes().iter().enumerate() {
            let path = self.path(number);
            let is_reached = number == 0 || !path.is_empty();
            if !is_reached || !path.iter().all(|&(node, last)| self.is_legal(node, last)) {
                continue;
            }
            for last in 0..node.moves().len() {
                let next = self.goes_on(number, last);
                let goes_on = next.is_some_and(|next| {
                    let mut moves = self.nodes()[next].moves().iter();
                    moves.any(|played| played.is_legal)
                });
                if goes_on || !self.is_legal(number, last) {
                    continue;
                }
                round += 1;
                let mut text = self.begun();
                for &(at, place) in &path {
                    self.write_move(at, place, &mut text);
                }
                self.write_move(number, last, &mut text);
                text.comment(&self.remark(number, last));
                if !games.is_empty() {
                    games.push('\n');
                }
                games += &self.tags(&round.to_string());
                games += &text.ended();
            }
        }
        games
    }

    fn is_legal(&self, node: usize, number: usize) -> bool {
        self.nodes()[node].moves()[number].is_legal
    }

    /// Returns the tags. The round numbers the lines.
    fn tags(&self, round: &str) -> String {
        let mut tags = format!(
            "[Event \"Lines\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"{round}\"]\n\
             [White \"?\"]\n[Black \"?\"]\n[Result \"*\"]\n"
        );
        let setup = self.root().setup();
        if self.lead().is_empty() && *setup != Setup::initial() {
            let fen = Fen::try_from(setup.clone()).map(|fen| fen.to_string());
            if let Ok(fen) = fen {
                tags += &format!("[SetUp \"1\"]\n[FEN \"{fen}\"]\n");
            }
        }
        tags.push('\n');
        tags
    }

    /// Returns the text with the moves to the first position.
    fn begun(&self) -> Text {
        let mut text = Text::new();
        for (ply, san) in self.lead().iter().enumerate() {
            let number = format!("{}.", ply / 2 + 1);
            text.played(ply % 2 == 0, &number, san);
        }
        text
    }

    fn write_move(&self, node: usize, number: usize, text: &mut Text) {
        let position = &self.nodes()[node];
        let san = &position.moves()[number].row.san;
        text.played(
            position.setup().turn.is_white(),
            &position.move_number(),
            san,
        );
    }

    /// Writes what follows a position. Lines have a greatest length, so the recursion ends.
    ///
    /// Moves that only other ways to the position allow cannot be written there.
    fn write(&self, mut node: usize, text: &mut Text) {
        loop {
            let moves = self.nodes()[node].moves();
            let mut legal = (0..moves.len()).filter(|number| moves[*number].is_legal);
            let Some(first) = legal.next() else {
                return;
            };
            self.write_move(node, first, text);
            text.comment(&self.remark(node, first));
            for number in legal {
                text.word("(");
                text.needs_number = true;
                self.write_move(node, number, text);
                text.comment(&self.remark(node, number));
                if let Some(next) = self.goes_on(node, number) {
                    self.write(next, text);
                }
                text.word(")");
                text.needs_number = true;
            }
            match self.goes_on(node, first) {
                Some(next) => node = next,
                None => return,
            }
        }
    }

    /// Returns the comment after a move.
    fn remark(&self, node: usize, number: usize) -> String {
        let played = &self.nodes()[node].moves()[number];
        let stats = &played.row.stats;
        let mut text = format!("{}{}", played.mark(), stats.games());
        if let Some(score) = stats.score_permille().map(|score| self.seen(score)) {
            text += &format!(", {}.{}%", score / 10, score % 10);
        }
        if let Some(line) = self.same_as(node, number) {
            text += &format!(" = {line}");
        }
        text
    }
}
