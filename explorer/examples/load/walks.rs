//! Random games, as far as they are walked.

use std::{collections::HashSet, error::Error};

use shakmaty::{Chess, EnPassantMode, Position, uci::UciMove};
use tabiya::{Database, GameId, LineEnd, TreePosition};

/// A game from move 1 on.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    /// As the addresses have them.
    moves: Vec<String>,
    /// After 0, 1, ... moves.
    places: Vec<Visited>,
}

#[derive(Debug)]
struct Visited {
    position: TreePosition,
    /// Men and side to move, as FEN has them.
    fen: String,
    /// Whether no game before has it.
    is_new: bool,
}

impl Walk {
    pub(crate) fn positions(&self) -> usize {
        self.places.len()
    }

    /// Returns the moves to the position after this number of half-moves.
    pub(crate) fn play(&self, ply: usize) -> String {
        self.moves[..ply].join(",")
    }

    pub(crate) fn position(&self, ply: usize) -> &TreePosition {
        &self.places[ply].position
    }

    /// Returns the query for games with the position after this number of half-moves.
    pub(crate) fn query(&self, ply: usize) -> String {
        format!("fen:\"{}\"", self.places[ply].fen)
    }

    pub(crate) fn is_new(&self, ply: usize) -> bool {
        self.places[ply].is_new
    }
}

/// Draws games until they have this number of positions.
pub(crate) fn draw(
    database: &Database,
    positions: usize,
    plies: usize,
    seed: u64,
) -> Result<Vec<Walk>, Box<dyn Error>> {
    /// A database in which this number of games in a row cannot be walked has none.
    const MISSES_MAX: usize = 10_000;
    if database.is_empty() {
        return Err("the database is empty".into());
    }
    let mut random = fastrand::Rng::with_seed(seed);
    let mut seen = HashSet::new();
    let (mut walks, mut left, mut misses) = (Vec::new(), positions, 0);
    while left > 0 {
        let game = GameId(random.u32(..database.len()));
        let walk = walk(database, game, plies.saturating_add(1).min(left), &mut seen);
        let Some(walk) = walk else {
            misses += 1;
            if misses == MISSES_MAX {
                return Err("no game begins at the standard position".into());
            }
            continue;
        };
        misses = 0;
        left -= walk.positions();
        walks.push(walk);
    }
    Ok(walks)
}

/// Follows a game as far as its moves are legal; `None` for one with a start position of its own,
/// or one that cannot be read.
fn walk(
    database: &Database,
    game: GameId,
    positions: usize,
    seen: &mut HashSet<String>,
) -> Option<Walk> {
    let line = database.line(game, LineEnd::Last).ok()??;
    if line.start.is_some() {
        return None;
    }
    let mut walk = Walk::default();
    let mut position = Chess::default();
    let mut moves = line.moves.into_iter();
    loop {
        let setup = position.to_setup(EnPassantMode::Legal);
        let fen = format!("{} {}", setup.board, setup.turn.char());
        walk.places.push(Visited {
            is_new: seen.insert(fen.clone()),
            position: TreePosition::new(setup),
            fen,
        });
        if walk.places.len() == positions {
            return Some(walk);
        }
        let played = moves.next().and_then(|next| {
            let uci: UciMove = next.uci.parse().ok()?;
            Some((uci.to_move(&position).ok()?, next.uci))
        });
        let Some((played, uci)) = played else {
            return Some(walk);
        };
        position.play_unchecked(played);
        walk.moves.push(uci);
    }
}
