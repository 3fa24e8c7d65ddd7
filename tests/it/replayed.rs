//! The replay of main lines, which benchmarks measure, has every position in every format.

use std::path::Path;

use tabiya::{Flow, Progress, chess::Color};
use tabiya_chess::{Follow, Man, Placed, Start, placement::Placement};
use tabiya_formats::{OpenSettings, Opened, with_view};

use replay::{Replay, Total, plain, replay, with_keys};

#[path = "../../benches/replay.rs"]
mod replay;

fn open(path: &Path) -> Opened {
    let settings = OpenSettings::default();
    Opened::open(path, &settings, &mut Progress::ignore)
        .unwrap()
        .0
}

/// Returns the sum of the keys of all positions of a database.
pub(crate) fn keys_of(path: &Path) -> u64 {
    with_keys(&open(path)).keys
}

/// Sums keys that are recalculated for every position.
#[derive(Default)]
struct Slow {
    squares: [u64; 16],
    turn: Option<Color>,
    sum: u64,
}

impl Slow {
    fn change(&mut self, placed: Placed) {
        self.squares[placed.man_index()] ^= 1 << placed.square_index();
    }
}

impl Total for Slow {
    fn total(&self) -> u64 {
        self.sum
    }
}

impl Follow for Slow {
    fn reset(&mut self) {
        self.sum = 0;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        let setup = start.setup();
        let squares = |man: Man| setup.board.by_piece(man.into()).into();
        for man in Man::ALL {
            self.squares[man.index()] = squares(man);
        }
        (self.turn, self.sum) = (Some(setup.turn), 0);
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.change(from);
        self.change(to);
    }

    fn remove(&mut self, gone: Placed) {
        self.change(gone);
    }

    fn place(&mut self, new: Placed) {
        self.change(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.turn = self.turn.map(Color::other);
        let turn = self.turn.unwrap_or(Color::White);
        let now = Placement::of_squares(self.squares, turn);
        self.sum = self.sum.wrapping_add(now.key_with_turn());
        Flow::Continue(())
    }
}

#[test]
fn keys_of_replayed_games_are_those_of_their_positions() {
    let sums = ["si4", "cbh", "pgn"].map(|suffix| {
        let path = format!("{}/fixtures/famous.{suffix}", env!("CARGO_MANIFEST_DIR"));
        let opened = open(path.as_ref());
        let slow = with_view!(&opened, view => replay(view, Slow::default));
        assert_eq!(with_keys(&opened), slow, "{suffix}");
        assert_eq!(Replay { keys: 0, ..slow }, plain(&opened), "{suffix}");
        slow.keys
    });
    assert_ne!(sums[0], 0);
    assert!(sums.iter().all(|&sum| sum == sums[0]), "{sums:?}");
}
