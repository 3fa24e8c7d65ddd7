//! Reads the files of a repertoire.

use std::collections::{HashMap, HashSet};

use shakmaty::Setup;
use tabiya_chess::{
    Flow, Follow, Placed, Rewind, Start,
    follow::break_if,
    placement::{Placement, Placements},
    step::{Step, StepTaken},
};
use tabiya_formats::{
    Scratch, TimeSlice, View,
    error::{Error, Result},
    progress::Progress,
};

use super::{Node, Repertoire};
use crate::database::{Database, with_view};

/// The positions read so far.
#[derive(Default)]
pub(super) struct Reader {
    numbers: HashMap<([u64; 16], bool), u32>,
    nodes: Vec<Node>,
    start_numbers: HashSet<u32>,
    starts: Vec<(u32, Setup)>,
    damaged: u64,
    positions_max: usize,
}

impl Reader {
    /// Returns a reader of at most so many positions.
    pub(super) fn new(positions_max: usize) -> Reader {
        Reader {
            positions_max,
            ..Reader::default()
        }
    }

    fn is_full(&self) -> bool {
        self.nodes.len() > self.positions_max
    }

    /// Adds the games of a database.
    pub(super) fn read(
        &mut self,
        database: &Database,
        progress: &mut dyn FnMut(Progress) -> Flow,
    ) -> Result<()> {
        if !database.is_empty() {
            database.require_games()?;
        }
        let (mut scratch, mut turn) = (Scratch::default(), TimeSlice::begin());
        with_view!(database.tags(), view => {
            let count = view.game_count();
            if progress(Progress::of(0, count as u64)).is_break() {
                return Err(Error::interrupted());
            }
            for (done, record) in view.records_in(0..count).iter().enumerate() {
                let mut game = Walk::new(self, || {
                    let at = Progress::of(done as u64, count as u64);
                    turn.yield_now(&mut || progress(at)).is_err()
                });
                let damaged = view.tree(record, &mut scratch, &mut game).is_err();
                if game.is_stopped {
                    return Err(Error::interrupted());
                }
                if self.is_full() {
                    return Err(Repertoire::too_large(self.positions_max));
                }
                self.damaged += u64::from(damaged);
            }
        });
        Ok(())
    }

    pub(super) fn finish(mut self) -> Repertoire {
        // The standard start position is the first chapter of a book.
        let standard = Setup::initial();
        self.starts.sort_by_key(|(_, setup)| *setup != standard);
        let places = self.nodes.iter().map(|node| &node.place);
        Repertoire {
            known: Placements::new(places.clone().map(|place| (*place, Some(place.turn)))),
            least_men: places.map(|place| place.men).min().unwrap_or(u32::MAX),
            starts: self.starts,
            nodes: self.nodes,
            damaged: self.damaged,
        }
    }

    /// Returns the number of a position, which is added if it is new.
    fn number(&mut self, place: &Placement) -> u32 {
        let next = self.nodes.len() as u32;
        let key = (place.squares, place.turn.is_white());
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            self.nodes.push(Node {
                place: *place,
                moves: Vec::new(),
            });
        }
        number
    }
}

/// Follows all lines of a game.
struct Walk<'r, F> {
    reader: &'r mut Reader,
    standard: Placement,
    now: Now,
    /// Whether to stop.
    ask: F,
    is_stopped: bool,
}

/// A place in a line.
#[derive(Debug, Clone, Copy)]
struct Now {
    place: Placement,
    /// The number of the position before the present ply.
    before: u32,
    taken: StepTaken,
}

impl<'r, F: FnMut() -> bool> Walk<'r, F> {
    fn new(reader: &'r mut Reader, ask: F) -> Walk<'r, F> {
        let standard = Placement::at(Start::Standard);
        Walk {
            reader,
            standard,
            now: Now {
                place: standard,
                before: 0,
                taken: StepTaken::default(),
            },
            ask,
            is_stopped: false,
        }
    }
}

impl<F: FnMut() -> bool> Follow for Walk<'_, F> {
    /// What was read of other games stays.
    fn reset(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        let place = match start {
            Start::Standard => self.standard,
            custom => Placement::at(custom),
        };
        let number = self.reader.number(&place);
        if self.reader.start_numbers.insert(number) {
            self.reader.starts.push((number, start.setup()));
        }
        self.now = Now {
            place,
            before: number,
            taken: StepTaken::default(),
        };
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, to: Placed) {
        self.now.place.shift(from, to);
        self.now.taken.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.place.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.now.place.place(new);
        self.now.taken.place(new);
    }

    fn ply_done(&mut self) -> Flow {
        self.now.place.pass();
        let step = std::mem::take(&mut self.now.taken).step();
        let moves = &mut self.reader.nodes[self.now.before as usize].moves;
        // A null move is a way to show a plan, and no reply.
        if step != Step::NULL && !moves.contains(&step) {
            moves.push(step);
        }
        self.now.before = self.reader.number(&self.now.place);
        self.is_stopped |= (self.ask)();
        break_if(self.is_stopped || self.reader.is_full())
    }
}

impl<F: FnMut() -> bool> Rewind for Walk<'_, F> {
    type Snapshot = Now;

    fn snapshot(&self) -> Now {
        self.now
    }

    fn restore(&mut self, now: &Now) {
        self.now = *now;
    }
}
