//! `/api/game`: one game, move by move.

use std::sync::Arc;

use axum::{extract::State, response::Response};
use serde::Serialize;
use tabiya::{Database, Diagram, Flow, GameId, NotedMove, chess::Start, format::Visitor};

use super::{json, rows::Header, to_json};
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
    ply: u32,
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
        let lines = database.all_lines(game, true)?;
        let beginning = Beginning::of(database, game)?;
        Ok(Whole {
            header: Header::of(database, game)?,
            tags: beginning.tags,
            start: beginning.start,
            comment: lines.comment,
            notation: lines.moves,
            pgn: pgn::text(database, game)?,
            damage: lines.damage.map(|damage| neutral(&damage.cause)),
        })
    }

    /// Tells whether it has more than the moves of one line: tags, words, marks or variations.
    pub(super) fn is_annotated(&self) -> bool {
        self.comment.is_some() || self.notation.iter().any(says_more)
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
        let beginning = Beginning::of(held, game)?;
        let (damage, comment, noted) = match held.all_lines(game, asked.fens || asked.notation) {
            // Only the tags can be read.
            Err(error) if error.is_of_game() => (Some(neutral(&error)), None, Vec::new()),
            told => {
                let lines = told?;
                let damage = lines.damage.map(|damage| neutral(&damage.cause));
                (damage, lines.comment, lines.moves)
            }
        };
        let main_line = noted.iter().filter(|noted| noted.depth == 0);
        let moves = main_line.map(|noted| MoveRow {
            ply: noted.ply,
            uci: noted.uci.clone(),
            san: noted.san.clone(),
            fen: asked.fens.then(|| noted.fen.clone()),
            nags: noted.nags.clone(),
            comment: noted.comment.clone(),
        });
        let id = Id {
            database: held.index,
            game,
        };
        Ok(Answer {
            id: id.to_string(),
            db: held.name.to_string(),
            number: held.number(game),
            header,
            tags: beginning.tags,
            start: beginning.start,
            comment,
            moves: moves.collect(),
            notation: asked.notation.then_some(noted),
            pgn: pgn::beginning(held, game)?,
            damage,
        })
    }
}

/// Tells whether a move has more than one of the main line: words, marks, or that it is none.
fn says_more(noted: &NotedMove) -> bool {
    let is_plain = noted.before.is_none() && noted.comment.is_none() && noted.nags.is_empty();
    noted.depth > 0 || !is_plain
}

/// What stands before the moves of a game.
#[derive(Default)]
struct Beginning {
    tags: Vec<(String, String)>,
    /// Where the game begins; `None` for the standard position.
    start: Option<String>,
}

impl Beginning {
    /// Reads what there is of it.
    ///
    /// # Errors
    /// When files are missing.
    fn of(database: &Database, game: GameId) -> Result<Beginning, Fault> {
        let mut beginning = Beginning::default();
        match database.visit(game, &mut beginning) {
            Err(error) if !error.is_of_game() => Err(error.into()),
            _ => Ok(beginning),
        }
    }
}

impl Visitor for Beginning {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.tags.push((name.to_owned(), value.to_owned()));
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.start = Some(Diagram::new(setup).fen());
        }
        // Moves have no tags.
        Flow::Break(())
    }
}
