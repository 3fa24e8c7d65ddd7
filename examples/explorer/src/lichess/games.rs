//! Which games a position is illustrated with: the best rated and the latest.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use shakmaty::{Board, CastlingMode, CastlingSide, Color, Piece, Role, Setup, Square};
use tabiya::{
    Flow, GameId, Query, Search,
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

/// Chooses games of a position; with `singles` also those that may be the only ones of a move.
///
/// # Errors
/// Those of a search.
pub(crate) fn choose(
    asked: &Asked,
    among: &[(Held, Query)],
    singles: bool,
    ask: &Ask,
) -> Result<Chosen, Fault> {
    let mut chosen = Chosen::default();
    let wants = |list: Option<usize>| list.is_some_and(|wanted| wanted > 0);
    if !wants(asked.top_games) && !wants(asked.recent_games) && !asked.history {
        return Ok(chosen);
    }
    let (mut top, mut recent) = (Best::new(asked.top_games), Best::new(asked.recent_games));
    let mut few = Vec::new();
    for (held, query) in among {
        let games = games(asked, held, query, ask)?;
        if few.len() + games.len() <= SINGLE_GAMES_MAX {
            few.extend(games.iter().map(|&game| (held, game)));
        }
        for games in games.chunks(GAMES_PER_LOOK) {
            ask.check()?;
            for &game in games {
                look(held, game, asked, &mut top, &mut recent, &mut chosen)?;
            }
        }
    }
    let goes_on = |id: Id| Some((id, next_move(held_of(among, id)?, id.game, &asked.place.0)?));
    let wanted = |list: Option<usize>| list.unwrap_or_default();
    chosen.top = top
        .ids()
        .filter_map(goes_on)
        .take(wanted(asked.top_games))
        .collect();
    chosen.recent = recent
        .ids()
        .filter_map(goes_on)
        .take(wanted(asked.recent_games))
        .collect();
    if !singles {
        few.clear();
    }
    for (held, game) in few {
        if let Some(next) = next_move(held, game, &asked.place.0) {
            let database = held.index;
            chosen.by_move.entry(next).or_insert(Id { database, game });
        }
    }
    Ok(chosen)
}

fn held_of(among: &[(Held, Query)], id: Id) -> Option<&Held> {
    let (held, _) = among.iter().find(|(held, _)| held.index == id.database)?;
    Some(held)
}

/// Returns the games with the position.
fn games(asked: &Asked, held: &Held, query: &Query, ask: &Ask) -> Result<Vec<GameId>, Fault> {
    let position = asked.place.tree().to_query();
    let query = match query {
        Query::All => position,
        query => Query::And(vec![query.clone(), position]),
    };
    let mut games = Vec::new();
    let sink = |hit: tabiya::Match| {
        games.push(hit.game);
        match games.len() % GAMES_PER_LOOK {
            0 => ask.flow(),
            _ => Flow::Continue(()),
        }
    };
    let search = Search::new(&query).plies(false);
    search.for_each_with_progress(held, sink, |_| ask.flow())?;
    ask.check()?;
    Ok(games)
}

/// Offers a game to the lists.
fn look(
    held: &Held,
    game: GameId,
    asked: &Asked,
    top: &mut Best,
    recent: &mut Best,
    chosen: &mut Chosen,
) -> Result<(), Fault> {
    let keys = held.keys(game)?;
    let rating = match (keys.white_rating, keys.black_rating) {
        (Some(white), Some(black)) => u32::from(white.get()) + u32::from(black.get()),
        _ => 0,
    };
    top.offer((rating, keys.date, game.0), held.index);
    recent.offer((0, keys.date, game.0), held.index);
    if asked.history
        && let Some(year) = keys.date.year()
        && keys.date.month() > 0
    {
        let results = chosen.months.entry((year, keys.date.month())).or_default();
        match keys.result {
            GameResult::WhiteWins => results[0] += 1,
            GameResult::Draw => results[1] += 1,
            GameResult::BlackWins => results[2] += 1,
            GameResult::Unknown => {}
        }
    }
    Ok(())
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
