//! Reads what is sound of a game: all of it, or what is before its damage.
//!
//! The same rule as for whoever writes or shows a damaged game: if one half-move can be read, what
//! is sound counts as the game, and it is reported as damaged.

use tabiya_chess::{Flow, Follow, Placed, Rewind, Start};

use super::{Damage, Decoded, Header as _, Scratch, View, Visitor};

/// Reads one game after another.
#[derive(Debug, Default)]
pub struct Sound {
    scratch: Scratch,
    /// The damage met in the present game after something sound.
    damage: Option<Damage>,
}

impl Sound {
    /// Begins the next game.
    pub fn begin(&mut self) {
        self.damage = None;
    }

    /// Returns the damage met in the present game after something sound.
    pub fn damage(&self) -> Option<Damage> {
        self.damage
    }

    /// Plays the main line until the follower has seen enough.
    ///
    /// # Errors
    /// The damage, if no half-move can be read.
    #[inline]
    pub fn main_line<V: View, F: Follow>(
        &mut self,
        view: V,
        record: &V::Record,
        follow: &mut F,
    ) -> Decoded<()> {
        match view.main_line(record, &mut self.scratch, follow) {
            Ok(_) => Ok(()),
            Err(damage) => self.pass(view, record, damage),
        }
    }

    /// Returns the number of half-moves of the main line, in the limits that the record states:
    /// these answer without decoding, and only damaged games have another length.
    ///
    /// # Errors
    /// Those of [`main_line`](Sound::main_line).
    pub fn plies<V: View>(&mut self, view: V, record: &V::Record) -> Decoded<u32> {
        let (mut plies, told) = (PlyCount::default(), record.plies());
        self.main_line(view, record, &mut plies)?;
        Ok(plies.0.max(told.at_least).min(told.at_most))
    }

    /// Plays all lines until the follower has seen enough.
    ///
    /// # Errors
    /// Those of [`main_line`](Sound::main_line).
    pub fn tree<V: View, F: Rewind>(
        &mut self,
        view: V,
        record: &V::Record,
        follow: &mut F,
    ) -> Decoded<()> {
        match view.tree(record, &mut self.scratch, follow) {
            Ok(()) => Ok(()),
            Err(damage) => self.pass(view, record, damage),
        }
    }

    /// Passes a game to a visitor. Returns whether it is whole.
    ///
    /// # Errors
    /// Those of [`main_line`](Sound::main_line).
    pub fn visit<V: View, R: Visitor>(
        &mut self,
        view: V,
        record: &V::Record,
        visitor: &mut R,
    ) -> Decoded<bool> {
        match view.visit(record, &mut self.scratch, visitor) {
            Ok(()) => Ok(true),
            Err(damage) => self.pass(view, record, damage).map(|()| false),
        }
    }

    /// Notes damage; fails if nothing is sound before it.
    #[cold]
    fn pass<V: View>(&mut self, view: V, record: &V::Record, damage: Damage) -> Decoded<()> {
        let mut plies = PlyCount::default();
        let _ = view.main_line(record, &mut self.scratch, &mut plies);
        if plies.0 == 0 {
            return Err(damage);
        }
        self.damage.get_or_insert(damage);
        Ok(())
    }
}

/// Counts half-moves.
#[derive(Debug, Default)]
struct PlyCount(u32);

impl Follow for PlyCount {
    fn reset(&mut self) {
        self.0 = 0;
    }

    fn start(&mut self, _: Start<'_>) -> Flow {
        Flow::Continue(())
    }

    fn moved(&mut self, _: Placed, _: Placed) {}

    fn remove(&mut self, _: Placed) {}

    fn place(&mut self, _: Placed) {}

    fn ply_done(&mut self) -> Flow {
        self.0 = self.0.saturating_add(1);
        Flow::Continue(())
    }
}
