//! Compares final positions and repetitions with plain replays.

use std::ops::Range;

use shakmaty::Square;
use tabiya_chess::{Counts, Flow, Follow, Man, Placed, Start};
use tabiya_formats::{Scratch, View};

use super::{Sidecar, sets::REPEATED, tests::Copy};
use crate::{database::with_view, pattern::Boards};

/// Follows a game to its end.
struct Ender {
    boards: Boards,
    /// The square that a pawn has crossed with the last move.
    crossed: Option<Square>,
    /// How often a position has stood at most.
    repetition: u32,
}

impl Ender {
    fn new() -> Ender {
        let mut boards = Boards::standard();
        boards.keep_history();
        Ender {
            boards,
            crossed: None,
            repetition: 0,
        }
    }
}

impl Follow for Ender {
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.boards.restart(&Boards::with_castling(&start.setup()));
        (self.crossed, self.repetition) = (None, 1);
        self.boards.begin_ply();
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.boards.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.boards.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.boards.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.boards.pass();
        self.crossed = self.boards.double_step();
        self.repetition = self.repetition.max(self.boards.repetition());
        self.boards.begin_ply();
        Flow::Continue(())
    }
}

/// What ends tell of a position: its men, whether White is to move, and its ply.
type End = (Vec<u64>, Counts, bool, u32);

fn end(boards: &Boards) -> End {
    let men = Man::ALL.into_iter().map(|man| boards.of(man)).collect();
    (men, boards.counts, boards.turn.is_white(), boards.ply)
}

/// Returns the ends of some games.
pub(super) fn ends(sidecar: &Sidecar, games: Range<u32>) -> Vec<Option<End>> {
    let mut boards = Boards::standard();
    let of = |game| {
        sidecar.ends(game)?.show(game, &mut boards)?;
        Some(end(&boards))
    };
    games.map(of).collect()
}

#[test]
fn ends_and_repetitions_are_those_of_the_games() {
    let copy = Copy::new();
    let sidecar = copy.open(copy.bytes()).unwrap();
    let sets = sidecar.sets(0).unwrap();
    let (mut ender, mut scratch) = (Ender::new(), Scratch::default());
    let mut told = ends(&sidecar, 0..sidecar.games).into_iter();
    let (mut shown, mut repeated) = (Boards::standard(), 0);
    with_view!(copy.database.tags(), view => for (game, record) in (0..).zip(view.records()) {
        view.main_line(record, &mut scratch, &mut ender).unwrap();
        let end_of_game = end(&ender.boards);
        match told.next().unwrap() {
            Some(told) => assert_eq!(told, end_of_game),
            None => assert_ne!(ender.boards.castling(), 0, "{game}"),
        }
        let ends = sidecar.ends(game.into()).unwrap();
        if ends.show(game.into(), &mut shown).is_some() {
            assert_eq!(shown.double_step(), ender.crossed, "{game}");
        }
        for often in 2..=5 {
            let set = sets.set(REPEATED + often as u16 - 2).unwrap();
            assert_eq!(set.holds(game), ender.repetition >= often, "{game}");
        }
        repeated += u32::from(ender.repetition >= 3);
    });
    assert!(repeated > 0);
}
