//! A game as plain data: what a reader tells and a writer is told.

use shakmaty::{Move, Setup};
use tabiya::{
    Database, Flow, GameId, Result,
    chess::Start,
    format::{GameHeader, Visitor},
};

/// One event of the moves of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    Play(Option<Move>),
    Nag(u8),
    Comment(String),
    Begin,
    End,
}

/// A game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PlainGame {
    pub(crate) header: GameHeader,
    pub(crate) tags: Vec<(String, String)>,
    /// `None` for the standard start position.
    pub(crate) start: Option<Setup>,
    pub(crate) events: Vec<Event>,
}

/// Returns how many half-moves are outside of variations.
pub(crate) fn main_line_plies(events: &[Event]) -> usize {
    let (mut depth, mut plies) = (0, 0);
    for event in events {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(_) if depth == 0 => plies += 1,
            _ => {}
        }
    }
    plies
}

impl PlainGame {
    /// Reads a game of a database, whole.
    pub(crate) fn read(database: &Database, game: GameId) -> Result<PlainGame> {
        let mut plain = PlainGame {
            header: database.header(game)?,
            ..PlainGame::default()
        };
        database.visit(game, &mut plain)?;
        Ok(plain)
    }

    /// Tells the game to a writer. Returns whether it listened to the end.
    pub(crate) fn tell(&self, visitor: &mut impl Visitor) -> Flow {
        for (name, value) in &self.tags {
            visitor.tag(name, value)?;
        }
        visitor.start(match &self.start {
            None => Start::Standard,
            Some(setup) => Start::Custom(setup),
        })?;
        for event in &self.events {
            match event {
                Event::Play(played) => visitor.play(*played),
                Event::Nag(nag) => visitor.nag(*nag),
                Event::Comment(text) => visitor.comment(text),
                Event::Begin => visitor.begin_variation(),
                Event::End => visitor.end_variation(),
            }?;
        }
        Flow::Continue(())
    }

    /// Returns the moves of the main line.
    pub(crate) fn main_line(&self) -> Vec<Option<Move>> {
        let mut depth = 0;
        let mut moves = Vec::new();
        for event in &self.events {
            match event {
                Event::Begin => depth += 1,
                Event::End => depth -= 1,
                Event::Play(played) if depth == 0 => moves.push(*played),
                _ => {}
            }
        }
        moves
    }

    fn push(&mut self, event: Event) -> Flow {
        self.events.push(event);
        Flow::Continue(())
    }
}

impl Visitor for PlainGame {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.tags.push((name.to_owned(), value.to_owned()));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.start = match start {
            Start::Standard => None,
            Start::Custom(setup) => Some(setup.clone()),
        };
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.push(Event::Play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.push(Event::Nag(nag))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.push(Event::Comment(text.to_owned()))
    }

    fn begin_variation(&mut self) -> Flow {
        self.push(Event::Begin)
    }

    fn end_variation(&mut self) -> Flow {
        self.push(Event::End)
    }
}
