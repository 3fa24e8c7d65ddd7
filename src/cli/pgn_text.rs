//! Games as PGN text.

// MERGE: stands in for `tabiya::format::pgn::GameText`, which has the same shape: `new` with
// the header, be told the game as a visitor, `finish`. Only `game` below stays.

use std::fmt::Write as _;

use shakmaty::{Color, Move, Setup};
use tabiya::{
    Database, Flow, GameId, Result,
    chess::Start,
    format::{GameHeader, Visitor},
};

use super::position::Point;

/// Returns a game as PGN, with an empty line at its end.
pub(crate) fn game(database: &Database, game: GameId) -> Result<String> {
    let mut text = GameText::new(&database.header(game)?);
    database.visit(game, &mut text)?;
    text.finish()
}

/// Columns that a line of movetext has at most.
const COLUMNS_MAX: usize = 80;

struct Line {
    now: Point,
    before: Point,
}

struct GameText {
    text: String,
    result: &'static str,
    stack: Vec<Line>,
    line: Line,
    column: usize,
    needs_number: bool,
    glue: bool,
}

impl GameText {
    fn new(header: &GameHeader) -> GameText {
        let start = Point::new(Setup::initial());
        let mut game = GameText {
            text: String::new(),
            result: header.result.as_str(),
            stack: Vec::new(),
            line: Line {
                now: start.clone(),
                before: start,
            },
            column: 0,
            needs_number: true,
            glue: false,
        };
        game.push_tag("Event", &header.event);
        game.push_tag("Site", &header.site);
        game.push_tag("Date", &header.date.to_string());
        game.push_tag("Round", &header.round);
        game.push_tag("White", &header.white);
        game.push_tag("Black", &header.black);
        game.push_tag("Result", header.result.as_str());
        for (side, rating) in [
            ("White", header.white_rating),
            ("Black", header.black_rating),
        ] {
            if let Some(rating) = rating {
                let name = format!("{side}{}", rating.kind.tag_suffix());
                game.push_tag(&name, &rating.value.to_string());
            }
        }
        if let Some(eco) = header.eco {
            game.push_tag("ECO", &eco.to_string());
        }
        if !header.event_date.is_unknown() {
            game.push_tag("EventDate", &header.event_date.to_string());
        }
        game
    }

    fn push_tag(&mut self, name: &str, value: &str) {
        let value = value.replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(self.text, "[{name} \"{value}\"]");
    }

    fn word(&mut self, word: &str) {
        let space = usize::from(!self.glue && self.column > 0);
        if space == 1 && self.column + 1 + word.len() > COLUMNS_MAX {
            self.text.push('\n');
            self.column = 0;
        } else if space == 1 {
            self.text.push(' ');
            self.column += 1;
        }
        self.text.push_str(word);
        self.column += word.len();
        self.glue = false;
    }

    fn finish(mut self) -> Result<String> {
        let result = self.result;
        self.word(result);
        self.text.push_str("\n\n");
        Ok(self.text)
    }
}

impl Visitor for GameText {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.push_tag(name, value);
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let point = Point::new(start.setup());
        if let Start::Custom(_) = start {
            self.push_tag("FEN", &point.fen());
        }
        self.text.push('\n');
        self.line = Line {
            before: point.clone(),
            now: point,
        };
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        let (turn, number) = (self.line.now.turn(), self.line.now.number());
        if turn == Color::White {
            self.word(&format!("{number}."));
        } else if self.needs_number {
            self.word(&format!("{number}..."));
        }
        self.line.before = self.line.now.clone();
        let written = self.line.now.play(played);
        self.word(&written.san);
        self.needs_number = false;
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.word(&format!("${nag}"));
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.word(&format!("{{{}}}", text.replace('}', ")")));
        self.needs_number = true;
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.word("(");
        self.glue = true;
        let before = self.line.before.clone();
        let line = Line {
            now: before.clone(),
            before,
        };
        self.stack.push(std::mem::replace(&mut self.line, line));
        self.needs_number = true;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.glue = true;
        self.word(")");
        if let Some(line) = self.stack.pop() {
            self.line = line;
        }
        self.needs_number = true;
        Flow::Continue(())
    }
}
