//! `repertoire`: whether a game begins as a file's lines do.

use std::{collections::HashSet, path::Path};

use super::{Decode, bind::Binder};
use crate::{
    chess::{
        Color, Flow, Follow, Placed, Rewind, Start,
        follow::break_if,
        placement::{Placement, Placements},
    },
    database::{Database, with_view},
    error::Result,
    filter::{IndexTest, Node},
    format::{Decoded, Scratch, View},
    query::RepertoireTest,
};

/// The positions of a file, and what must stay among them.
#[derive(Debug)]
pub(crate) struct Repertoire {
    positions: Placements,
    /// Whose moves must; `None` for both sides.
    side: Option<Color>,
    /// So many plies, or those of the game if it has fewer.
    plies: u32,
}

impl Binder<'_> {
    pub(super) fn repertoire(&mut self, text: String, test: &RepertoireTest) -> Result<Node> {
        let repertoire = Repertoire {
            positions: positions_of(Path::new(&test.file))?,
            side: test.side,
            plies: self.repertoire_plies,
        };
        let decode = Decode::Repertoire(Box::new(repertoire));
        Ok(self.open_leaf(text, "decoding", IndexTest::Decode, decode))
    }
}

/// Reads all positions of a file, main lines and variations.
///
/// # Errors
/// Those of opening the file. Damaged games count as far as they can be read.
fn positions_of(path: &Path) -> Result<Placements> {
    let database = Database::open(path)?;
    if !database.is_empty() {
        database.require_games()?;
    }
    let mut collector = Collector {
        now: Placement::at(Start::Standard),
        known: HashSet::new(),
        positions: Vec::new(),
    };
    let mut scratch = Scratch::default();
    with_view!(&database, view => {
        for record in view.records_in(0..view.game_count()) {
            let _ = view.tree(record, &mut scratch, &mut collector);
        }
    });
    let positions = collector.positions.into_iter();
    Ok(Placements::new(
        positions.map(|place| (place, Some(place.turn))),
    ))
}

/// Keeps all positions of games, each once.
struct Collector {
    now: Placement,
    known: HashSet<([u64; 16], bool)>,
    positions: Vec<Placement>,
}

impl Collector {
    fn keep(&mut self) {
        if self
            .known
            .insert((self.now.squares, self.now.turn.is_white()))
        {
            self.positions.push(self.now);
        }
    }
}

impl Follow for Collector {
    fn forget(&mut self) {}

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.now = Placement::at(start);
        self.keep();
        Flow::Continue(())
    }

    fn shift(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    fn look(&mut self) -> Flow {
        self.now.pass();
        self.keep();
        Flow::Continue(())
    }
}

impl Rewind for Collector {
    type Snapshot = Placement;

    fn snapshot(&self) -> Placement {
        self.now
    }

    fn restore(&mut self, now: &Placement) {
        self.now = *now;
    }
}

impl Repertoire {
    /// Returns whether a game stays in the repertoire.
    pub(super) fn has<V: View>(
        &self,
        view: V,
        record: &V::Record,
        scratch: &mut Scratch,
    ) -> Decoded<bool> {
        let mut loyal = Loyal::new(self);
        view.main_line(record, scratch, &mut loyal)?;
        Ok(loyal.stays)
    }
}

/// Follows a game as long as it stays in a repertoire.
struct Loyal<'r> {
    repertoire: &'r Repertoire,
    now: Placement,
    ply: u32,
    /// Whether it has stayed so far.
    stays: bool,
}

impl<'r> Loyal<'r> {
    fn new(repertoire: &'r Repertoire) -> Loyal<'r> {
        Loyal {
            repertoire,
            now: Placement::at(Start::Standard),
            ply: 0,
            stays: true,
        }
    }
}

impl Follow for Loyal<'_> {
    fn forget(&mut self) {
        self.stays = true;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.now, self.ply) = (Placement::at(start), 0);
        Flow::Continue(())
    }

    fn shift(&mut self, from: Placed, to: Placed) {
        self.now.shift(from, to);
    }

    fn remove(&mut self, gone: Placed) {
        self.now.remove(gone);
    }

    fn place(&mut self, new: Placed) {
        self.now.place(new);
    }

    fn look(&mut self) -> Flow {
        let mover = self.now.turn;
        self.now.pass();
        self.ply += 1;
        let Repertoire {
            positions,
            side,
            plies,
        } = self.repertoire;
        if side.is_none_or(|side| side == mover) {
            let mut is_known = false;
            positions.look_up(&self.now, |_| is_known = true);
            self.stays &= is_known;
        }
        break_if(!self.stays || self.ply >= *plies)
    }
}
