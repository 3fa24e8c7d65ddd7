//! A database of random games from a seed, written by our own writer.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use shakmaty::{Chess, EnPassantMode, Move, Position, fen::Fen};
use tabiya::{
    Database, Flow, GameId,
    chess::{Elo, GameResult, PartialDate, RatingKind, Start},
    format::{
        GameHeader, Rating, Visitor,
        scid4::write::{EncodedGame, Encoder, Overwrite, Writer},
    },
};

use crate::Outcome;

/// A small generator of good enough numbers (xorshift64*), so that a seed means the same games
/// everywhere and for ever.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let random = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        random as usize % bound.max(1)
    }
}

/// Writes a database of so many games and returns its path.
pub(crate) fn write(folder: &Path, games: u32, seed: u64) -> Outcome<PathBuf> {
    let path = folder.join("synthetic.si4");
    let mut writer = Writer::create(&path, Overwrite::Refuse)?;
    const BATCH: u32 = 10_000;
    for first in (0..games).step_by(BATCH as usize) {
        let numbers = first..games.min(first + BATCH);
        let encoded: Vec<_> = numbers
            .into_par_iter()
            .map(|number| random_game(seed ^ (u64::from(number) << 20)))
            .collect();
        for game in encoded {
            writer.append(&game?)?;
        }
    }
    writer.finish()?;
    Ok(path)
}

fn random_game(seed: u64) -> tabiya::Result<EncodedGame> {
    let mut dice = Dice::new(seed);
    let mut encoder = Encoder::new();
    let rating = |dice: &mut Dice| {
        Elo::new(1800 + dice.below(1000) as u16).map(|value| Rating {
            value,
            kind: RatingKind::Elo,
        })
    };
    encoder.begin(&GameHeader {
        event: format!("Event {}", dice.below(50)),
        site: format!("Site {}", dice.below(30)),
        date: PartialDate::new(1970 + dice.below(55) as u16, 1 + dice.below(12) as u8, 0),
        round: format!("{}", 1 + dice.below(11)),
        white: format!("Player {}", dice.below(500)),
        black: format!("Player {}", dice.below(500)),
        result: [
            GameResult::WhiteWins,
            GameResult::BlackWins,
            GameResult::Draw,
        ][dice.below(3)],
        white_rating: rating(&mut dice),
        black_rating: rating(&mut dice),
        ..GameHeader::default()
    });
    let _ = encoder.start(Start::Standard);
    let mut position = Chess::default();
    let plies = 20 + dice.below(140);
    for ply in 0..plies {
        let moves = position.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Few first moves are in use, so that openings repeat as they do in life.
        let choice = if ply < 8 {
            dice.below(moves.len().min(4))
        } else {
            dice.below(moves.len())
        };
        let _ = encoder.play(Some(moves[choice]));
        position.play_unchecked(moves[choice]);
    }
    encoder.finish()
}

/// Returns the position of a game after so many plies, or its last, as a FEN.
pub(crate) fn position_after(database: &Database, game: GameId, plies: usize) -> Outcome<String> {
    struct Player {
        position: Chess,
        left: usize,
    }
    impl Visitor for Player {
        fn play(&mut self, played: Option<Move>) -> Flow {
            if let Some(played) = played {
                self.position.play_unchecked(played);
            }
            self.left -= 1;
            if self.left == 0 {
                Flow::Break(())
            } else {
                Flow::Continue(())
            }
        }
    }
    let mut player = Player {
        position: Chess::default(),
        left: plies,
    };
    database.visit(game, &mut player)?;
    let setup = player.position.to_setup(EnPassantMode::Legal);
    let fen = Fen::try_from_setup(setup).map_err(|_| "a position that no FEN can tell")?;
    Ok(fen.to_string())
}
