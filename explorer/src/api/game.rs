//! `/api/game`: one game, move by move.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position, fen::Fen};
use tabiya::{
    Database, Diagram, Flow, GameId, LineEnd, NotedMove,
    chess::{Start, forgiving_position},
    format::Visitor,
    shakmaty::Move,
};

use super::{json, notation, rows::Header, to_json};
use crate::{
    errors::{Fault, neutral},
    ids::Id,
    params::Params,
    pgn,
    registry::DatabaseRef,
    state::Explorer,
};

#[derive(Debug, Serialize)]
struct Answer {
    id: String,
    db: String,
    number: u32,
    #[serde(flatten)]
    header: Header,
    /// Tags that the header does not hold.
    tags: Vec<(String, String)>,
    /// Where the game begins; null for the standard position.
    start: Option<String>,
    /// Comments before the first move.
    comment: Option<String>,
    /// The main line.
    moves: Vec<MoveRow>,
    /// The moves of all lines; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    notation: Option<Vec<NotedMove>>,
    /// Everything, variations included.
    pgn: String,
    /// Why there is no more of it; null when it is whole.
    damage: Option<String>,
}

#[derive(Debug, Serialize)]
struct MoveRow {
    ply: usize,
    uci: String,
    san: String,
    /// The position after the move; left out unless asked for, and null where the rules of chess
    /// do not know one.
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<Option<String>>,
    nags: Vec<u8>,
    comment: Option<String>,
}

/// All that a game has, for a page that goes on with it: what stands in a text that somebody has
/// pasted belongs to no database.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Whole {
    #[serde(flatten)]
    header: Header,
    tags: Vec<(String, String)>,
    start: Option<String>,
    comment: Option<String>,
    notation: Vec<NotedMove>,
    pgn: String,
    damage: Option<String>,
}

impl Whole {
    /// Reads a game.
    ///
    /// # Errors
    /// When not even its beginning can be read.
    pub(super) fn of(database: &Database, game: GameId) -> Result<Whole, Fault> {
        let mut notes = Notes::new();
        let damage = database.visit_sound(game, &mut notes)?;
        let before = notes.at.into_iter().next().unwrap_or_default();
        Ok(Whole {
            header: Header::of(database, game)?,
            tags: notes.tags,
            start: notes.start,
            comment: before.comment,
            notation: notation::of(database, game)?,
            pgn: pgn::text(database, game)?,
            damage: damage.map(|damage| neutral(&damage.cause)),
        })
    }

    /// Tells whether it has more than the moves of one line: tags, words, marks or variations.
    pub(super) fn is_annotated(&self) -> bool {
        self.comment.is_some() || self.notation.iter().any(notation::says_more)
    }

    /// Returns why there is no more of it.
    pub(super) fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Returns how many moves all its lines have.
    pub(super) fn moves(&self) -> usize {
        self.notation.len()
    }

    /// Returns how many variations stand one inside the other at most.
    pub(super) fn depth(&self) -> u16 {
        let depths = self.notation.iter().map(|noted| noted.depth);
        depths.max().unwrap_or(0)
    }
}

/// Which game, whether with positions, and whether with its variations.
#[derive(Debug, Clone)]
struct GameRequest {
    game: Which,
    fens: bool,
    notation: bool,
}

#[derive(Debug, Clone)]
enum Which {
    Id(Id),
    Number(u32),
}

impl GameRequest {
    fn new(params: &Params) -> Result<GameRequest, Fault> {
        let game = match (params.text("id"), params.value::<u32>("number")?) {
            (Some(id), _) => {
                let id = Id::read(id);
                Which::Id(id.ok_or_else(|| Fault::parameter("id", "no name of a game"))?)
            }
            (None, Some(number)) => {
                if number == 0 {
                    return Err(Fault::parameter("number", "games are numbered from 1"));
                }
                Which::Number(number)
            }
            (None, None) => return Err(Fault::parameter("number", "missing, and so is id")),
        };
        Ok(GameRequest {
            game,
            fens: params.flag("fens")?,
            notation: params.flag("notation")?,
        })
    }

    fn databases(&self, params: &Params) -> Vec<String> {
        match self.game {
            Which::Id(_) => Vec::new(),
            Which::Number(_) => params.databases(),
        }
    }

    /// Returns the game that is meant and its database.
    fn find<'h>(&self, held: &'h [DatabaseRef]) -> Result<(&'h DatabaseRef, GameId), Fault> {
        match (&self.game, held) {
            (Which::Id(id), held) => {
                let held = held.iter().find(|held| held.index == id.database);
                let absent = || Fault::Absent("there is no such game".to_owned());
                Ok((held.ok_or_else(absent)?, id.game))
            }
            (Which::Number(number), [held]) => Ok((held, held.game(*number)?)),
            (Which::Number(_), _) => Err(Fault::parameter("db", "one database must be named")),
        }
    }
}

pub(super) async fn game(
    State(explorer): State<Arc<Explorer>>,
    params: Params,
) -> Result<Response, Fault> {
    let asked = GameRequest::new(&params)?;
    let databases = asked.databases(&params);
    let found = explorer.look(databases, move |held| {
        let (held, game) = asked.find(held)?;
        to_json(&Answer::new(held, game, &asked)?)
    });
    Ok(json(found.await?))
}

impl Answer {
    fn new(held: &DatabaseRef, game: GameId, asked: &GameRequest) -> Result<Answer, Fault> {
        let header = Header::of(held, game)?;
        let mut notes = Notes::new();
        let (damage, line) = match held.visit_sound(game, &mut notes) {
            // Only the tags can be read.
            Err(error) if error.is_of_game() => (Some(neutral(&error)), Vec::new()),
            told => {
                let damage = told?.map(|damage| neutral(&damage.cause));
                (damage, main_line(held, game)?)
            }
        };
        let mut fens = notes.fens.into_iter().filter(|_| asked.fens);
        let notation = asked.notation.then(|| notation::of(held, game));
        let pgn = pgn::beginning(held, game)?;
        let mut at = notes.at.into_iter();
        let before = at.next().unwrap_or_default();
        let moves = (1..)
            .zip(line)
            .zip(at.chain(std::iter::repeat_with(Note::default)));
        let id = Id {
            database: held.index,
            game,
        };
        Ok(Answer {
            id: id.to_string(),
            db: held.name.to_string(),
            number: held.number(game),
            header,
            tags: notes.tags,
            start: notes.start,
            comment: before.comment,
            moves: moves
                .map(|((ply, (uci, san)), note)| MoveRow {
                    ply,
                    uci,
                    san,
                    fen: fens.next(),
                    nags: note.nags,
                    comment: note.comment,
                })
                .collect(),
            notation: notation.transpose()?,
            pgn,
            damage,
        })
    }
}

/// Returns the moves of the main line, as UCI and SAN.
fn main_line(held: &DatabaseRef, game: GameId) -> Result<Vec<(String, String)>, Fault> {
    let line = held.line(game, LineEnd::Last)?.ok_or(Fault::Internal)?;
    let moves = line.moves.into_iter();
    Ok(moves.map(|played| (played.uci, played.san)).collect())
}

/// What stands beside the moves of a main line.
struct Notes {
    tags: Vec<(String, String)>,
    /// Where the game begins; `None` for the standard position.
    start: Option<String>,
    /// Before the first move, and at each move.
    at: Vec<Note>,
    /// The position, as long as the moves are legal.
    position: Option<Chess>,
    /// The positions after the moves.
    fens: Vec<Option<String>>,
    depth: usize,
}

#[derive(Debug, Default)]
struct Note {
    nags: Vec<u8>,
    comment: Option<String>,
}

impl Notes {
    fn new() -> Notes {
        Notes {
            tags: Vec::new(),
            start: None,
            at: vec![Note::default()],
            position: Some(Chess::default()),
            fens: Vec::new(),
            depth: 0,
        }
    }

    fn is_main(&self) -> bool {
        self.depth == 0
    }
}

impl Visitor for Notes {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.tags.push((name.to_owned(), value.to_owned()));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.start = Some(Diagram::new(setup).fen());
            self.position = forgiving_position(setup.clone(), CastlingMode::Chess960).ok();
        }
        Flow::Continue(())
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.is_main() {
            self.position = self.position.take().and_then(|position| match played {
                Some(played) => position.play(played).ok(),
                None => position.swap_turn().ok(),
            });
            let fen =
                |position: &Chess| Fen::from_position(position, EnPassantMode::Legal).to_string();
            self.fens.push(self.position.as_ref().map(fen));
            self.at.push(Note::default());
        }
        Flow::Continue(())
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if self.is_main()
            && let Some(note) = self.at.last_mut()
        {
            note.nags.push(nag);
        }
        Flow::Continue(())
    }

    fn comment(&mut self, text: &str) -> Flow {
        if self.is_main()
            && let Some(note) = self.at.last_mut()
        {
            match &mut note.comment {
                Some(comment) => comment.extend([" ", text.trim()]),
                None => note.comment = Some(text.trim().to_owned()),
            }
        }
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}
