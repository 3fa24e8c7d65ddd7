//! Which games a position is illustrated with: the best rated and the latest.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use rayon::prelude::*;
use shakmaty::{Board, CastlingMode, CastlingSide, Color, Piece, Role, Setup, Square};
use tabiya::{
    Flow, GameId,
    chess::{GameResult, Move, PartialDate, Start},
    format::Visitor,
};

use super::params::Asked;
use crate::{errors::Fault, ids::Id, limits::Ask, state::Held};

/// Games looked at between two questions whether to go on.
const GAMES_PER_LOOK: usize = 1 << 14;
/// More games than are wanted are kept, since those that end in the position are left out.
const SPARE_GAMES: usize = 8;
/// Among at most so many games the only game of a move is looked for.
const SINGLE_GAMES_MAX: usize = 200;

/// White wins, draws, Black wins.
pub(crate) type Results = [u64; 3];

/// The games that were chosen.
#[derive(Debug, Default)]
pub(crate) struct Chosen {
    /// Best mean rating first, with their next moves.
    pub(crate) top: Vec<(Id, String)>,
    /// Latest first, with their next moves.
    pub(crate) recent: Vec<(Id, String)>,
    /// By next move; empty when there are too many games to look at each.
    pub(crate) by_move: BTreeMap<String, Id>,
    /// Games by year and month, as far as both are known.
    pub(crate) months: BTreeMap<(u16, u8), Results>,
}

/// What games are sorted by; the greatest are kept.
type Rank = (u32, PartialDate, u32);

/// Keeps the best of many.
struct Best {
    heap: BinaryHeap<Reverse<(Rank, u16)>>,
    room: usize,
}

impl Best {
    fn new(wanted: Option<usize>) -> Best {
        let wanted = wanted.filter(|&wanted| wanted > 0);
        Best {
            heap: BinaryHeap::new(),
            room: wanted.map_or(0, |wanted| wanted + SPARE_GAMES),
        }
    }

    fn offer(&mut self, rank: Rank, database: u16) {
        let offered = Reverse((rank, database));
        if self.heap.len() < self.room {
            self.heap.push(offered);
        } else if let Some(mut least) = self.heap.peek_mut()
            && offered < *least
        {
            *least = offered;
        }
    }

    fn merge(&mut self, other: Best) {
        for Reverse((rank, database)) in other.heap {
            self.offer(rank, database);
        }
    }

    /// Returns the games, best first.
    fn ids(self) -> impl Iterator<Item = Id> {
        let sorted = self.heap.into_sorted_vec();
        sorted
            .into_iter()
            .map(|Reverse(((_, _, game), database))| Id {
                database,
                game: GameId(game),
            })
    }
}

/// What the look at some games has found.
struct Looked {
    top: Best,
    recent: Best,
    months: BTreeMap<(u16, u8), Results>,
}

/// Chooses among the games of a position, of which there is one list a database; with `singles`
/// also those that may be the only ones of a move.
///
/// # Errors
/// Those of reading headers; `Left` and `Slow`.
pub(crate) fn choose(
    asked: &Asked,
    among: &[(&Held, &[GameId])],
    singles: bool,
    ask: &Ask,
) -> Result<Chosen, Fault> {
    let mut looked = Looked::new(asked);
    for &(held, games) in among {
        let chunks = games.par_chunks(GAMES_PER_LOOK);
        let each: Result<Vec<Looked>, Fault> = chunks
            .map(|games| Looked::at(held, games, asked, ask))
            .collect();
        each?.into_iter().for_each(|other| looked.merge(other));
    }
    let after = |id: Id| {
        let (held, _) = among.iter().find(|(held, _)| held.index == id.database)?;
        Some((id, next_move(held, id.game, &asked.place.0)?))
    };
    let best = |best: Best, wanted: Option<usize>| {
        let games = best.ids().filter_map(after);
        games.take(wanted.unwrap_or_default()).collect()
    };
    let mut chosen = Chosen {
        top: best(looked.top, asked.top_games),
        recent: best(looked.recent, asked.recent_games),
        by_move: BTreeMap::new(),
        months: looked.months,
    };
    let count: usize = among.iter().map(|(_, games)| games.len()).sum();
    if singles && count <= SINGLE_GAMES_MAX {
        for (held, games) in among {
            for &game in *games {
                if let Some(next) = next_move(held, game, &asked.place.0) {
                    let database = held.index;
                    chosen.by_move.entry(next).or_insert(Id { database, game });
                }
            }
        }
    }
    Ok(chosen)
}

impl Looked {
    fn new(asked: &Asked) -> Looked {
        Looked {
            top: Best::new(asked.top_games),
            recent: Best::new(asked.recent_games),
            months: BTreeMap::new(),
        }
    }

    fn at(held: &Held, games: &[GameId], asked: &Asked, ask: &Ask) -> Result<Looked, Fault> {
        ask.check()?;
        let mut looked = Looked::new(asked);
        for &game in games {
            let keys = held.keys(game)?;
            let rating = match (keys.white_rating, keys.black_rating) {
                (Some(white), Some(black)) => u32::from(white.get()) + u32::from(black.get()),
                _ => 0,
            };
            looked.top.offer((rating, keys.date, game.0), held.index);
            looked.recent.offer((0, keys.date, game.0), held.index);
            if asked.history {
                looked.count(keys.date, keys.result);
            }
        }
        Ok(looked)
    }

    /// Counts a game in its month.
    fn count(&mut self, date: PartialDate, result: GameResult) {
        let Some(year) = date.year().filter(|_| date.month() > 0) else {
            return;
        };
        let results = self.months.entry((year, date.month())).or_default();
        match result {
            GameResult::WhiteWins => results[0] += 1,
            GameResult::Draw => results[1] += 1,
            GameResult::BlackWins => results[2] += 1,
            GameResult::Unknown => {}
        }
    }

    fn merge(&mut self, other: Looked) {
        self.top.merge(other.top);
        self.recent.merge(other.recent);
        for (month, results) in other.months {
            let sums = self.months.entry(month).or_default();
            sums.iter_mut()
                .zip(results)
                .for_each(|(sum, more)| *sum += more);
        }
    }
}

/// Returns the move after a game's first occurrence of a position, castling as the king's way to
/// its rook; `None` when there is no such move.
fn next_move(held: &Held, game: GameId, wanted: &Setup) -> Option<String> {
    let mut after = After {
        wanted,
        board: Board::default(),
        turn: Color::White,
        is_there: false,
        next: None,
        depth: 0,
    };
    // Whatever comes before damage counts.
    let _ = held.visit(game, &mut after);
    Some(after.next?.to_uci(CastlingMode::Chess960).to_string())
}

/// Follows a main line to a position, and one move further. The rules of chess are not asked,
/// since that would take longer than everything else.
struct After<'a> {
    wanted: &'a Setup,
    board: Board,
    turn: Color,
    is_there: bool,
    next: Option<Move>,
    /// Variations inside each other that are passed over.
    depth: usize,
}

impl After<'_> {
    fn arrive(&mut self) -> Flow {
        self.is_there = self.turn == self.wanted.turn && self.board == self.wanted.board;
        Flow::Continue(())
    }

    /// Moves the men.
    fn shift(&mut self, played: Move) {
        let (color, board) = (self.turn, &mut self.board);
        match played {
            Move::Normal {
                role,
                from,
                to,
                promotion,
                ..
            } => {
                board.discard_piece_at(from);
                let role = promotion.unwrap_or(role);
                board.set_piece_at(to, Piece { color, role });
            }
            Move::EnPassant { from, to } => {
                board.discard_piece_at(from);
                board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
                board.set_piece_at(
                    to,
                    Piece {
                        color,
                        role: Role::Pawn,
                    },
                );
            }
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_queen_side(rook < king);
                board.discard_piece_at(king);
                board.discard_piece_at(rook);
                for (file, role) in [
                    (side.king_to_file(), Role::King),
                    (side.rook_to_file(), Role::Rook),
                ] {
                    let to = Square::from_coords(file, king.rank());
                    board.set_piece_at(to, Piece { color, role });
                }
            }
            Move::Put { .. } => {}
        }
    }
}

impl Visitor for After<'_> {
    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.board = setup.board.clone();
            self.turn = setup.turn;
        }
        self.arrive()
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        if self.is_there {
            self.next = played;
            return Flow::Break(());
        }
        if let Some(played) = played {
            self.shift(played);
        }
        self.turn = self.turn.other();
        self.arrive()
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
