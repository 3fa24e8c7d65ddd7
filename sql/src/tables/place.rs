//! Where in a game a visitor is.

/// The variation and the ply of the last move, while a game is read.
#[derive(Debug, Default)]
pub(super) struct Place {
    /// The number of the variation in the order of the PGN text, from 1; 0 in the main line.
    pub(super) variation: i32,
    /// Half-moves since the start of the game.
    pub(super) ply: u32,
    /// How many variations have begun.
    begun: i32,
    /// The lines that variations stand in, from the main line on.
    outer: Vec<(i32, u32)>,
}

impl Place {
    /// Goes to the start of a game.
    pub(super) fn reset(&mut self) {
        self.outer.clear();
        (self.variation, self.ply, self.begun) = (0, 0, 0);
    }

    /// Enters a variation, which replaces the last move.
    pub(super) fn begin_variation(&mut self) {
        self.outer.push((self.variation, self.ply));
        self.begun += 1;
        self.variation = self.begun;
        self.ply = self.ply.saturating_sub(1);
    }

    /// Goes back to the line in which the variation stands.
    pub(super) fn end_variation(&mut self) {
        if let Some((variation, ply)) = self.outer.pop() {
            (self.variation, self.ply) = (variation, ply);
        }
    }

    /// Returns how many lines the present one is in; 0 for the main line.
    pub(super) fn depth(&self) -> usize {
        self.outer.len()
    }

    /// Returns the number of the variation in which the present one stands; `None` for the main
    /// line.
    pub(super) fn parent(&self) -> Option<i32> {
        let outer = self.outer.last().map(|(variation, _)| *variation);
        outer.filter(|number| *number > 0)
    }
}
