//! Layouts of new files, where a format has several to choose from.

/// The layout of a new file, where its format has several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// The layout of a `.dci` index.
    Scdb(ScdbLayout),
    /// The layout of a `.binpack` file.
    Monty(MontyLayout),
}

impl From<ScdbLayout> for Layout {
    fn from(layout: ScdbLayout) -> Layout {
        Layout::Scdb(layout)
    }
}

impl From<MontyLayout> for Layout {
    fn from(layout: MontyLayout) -> Layout {
        Layout::Monty(layout)
    }
}

/// The layout of a `.dci` index to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ScdbLayout {
    /// Entries of 39 bytes, which all known programs read.
    #[default]
    Reference,
    /// Entries of 61 bytes, with half-moves, final material and the order of pawn moves, as in
    /// the published description, version 1.1.
    Described,
}

/// The layout of the games in a `.binpack` file of Monty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum MontyLayout {
    /// Moves with expectations and visits.
    #[default]
    Policy,
    /// Moves with centipawns.
    Value,
    /// As [`Value`](MontyLayout::Value), but with headers of 41 bytes: as written before November
    /// 2024.
    OldValue,
}
