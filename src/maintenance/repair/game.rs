//! A single game of a damaged database: what can be read of it, and what is lost.

use std::fmt;

use tabiya_chess::GameId;
use tabiya_formats::{
    GameHeader, Header, NameSlot, Scratch, View, Visitor,
    error::{Error, Result},
    flaws,
    salvage::{self, Completeness},
};

use crate::database::{Database, with_view};

/// A game that is not sound, and the outcome of its repair.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct RepairedGame {
    /// The 1-based number in the source.
    pub number: u32,
    /// The 1-based number in the new database; `None` if the game was not written.
    pub new_number: Option<u32>,
    /// The header as far as it could be read; unreadable names are `?`.
    pub header: GameHeader,
    /// What is missing or doubtful; never empty.
    pub losses: Vec<GameLoss>,
}

/// Something that a repaired game lacks, or that is doubtful about it. Causes include the file and
/// the offset.
#[derive(Debug, Clone)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum GameLoss {
    /// The whole game.
    Game(Error),
    /// The moves of the main line after the first `kept` plies, with their annotations.
    Moves {
        /// Number of plies in the new game.
        kept: u32,
        /// What is wrong.
        cause: Error,
    },
    /// Variations, comments and glyphs after the first `kept` plies; the main line is complete.
    Variations {
        /// Number of plies up to which everything is present.
        kept: u32,
        /// What is wrong.
        cause: Error,
    },
    /// Annotations that are stored in a file of their own, all or from a damaged one on.
    Annotations(Error),
    /// A name, which reads as `?`.
    Name(NameSlot),
    /// A tag, by its PGN name: its text was stored in a file of its own.
    Tag(&'static str),
    /// No known loss; but the game contradicts its record or breaks the rules of chess, so that
    /// either may be wrong.
    Doubt(Error),
}

impl GameLoss {
    /// Returns a one-word name for machine-readable reports: `game`, `moves`, `variations`,
    /// `annotations`, `name`, `tag` or `doubt`.
    #[must_use]
    pub fn as_str(&self) -> &'static str {
        match self {
            GameLoss::Game(_) => "game",
            GameLoss::Moves { .. } => "moves",
            GameLoss::Variations { .. } => "variations",
            GameLoss::Annotations(_) => "annotations",
            GameLoss::Name(_) => "name",
            GameLoss::Tag(_) => "tag",
            GameLoss::Doubt(_) => "doubt",
        }
    }

    /// Returns what is wrong; `None` for names and tags, since faults of their file concern all
    /// games.
    #[must_use]
    pub fn cause(&self) -> Option<&Error> {
        match self {
            GameLoss::Game(cause)
            | GameLoss::Moves { cause, .. }
            | GameLoss::Variations { cause, .. }
            | GameLoss::Annotations(cause)
            | GameLoss::Doubt(cause) => Some(cause),
            GameLoss::Name(_) | GameLoss::Tag(_) => None,
        }
    }
}

impl fmt::Display for GameLoss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GameLoss::Game(cause) => write!(f, "lost: {cause}"),
            GameLoss::Moves { kept, cause } => {
                write!(f, "moves lost after half-move {kept}: {cause}")
            }
            GameLoss::Variations { kept, cause } => {
                write!(f, "only the main line after half-move {kept}: {cause}")
            }
            GameLoss::Annotations(cause) => write!(f, "annotations lost: {cause}"),
            GameLoss::Name(slot) => write!(f, "{} lost", slot.as_str()),
            GameLoss::Tag(name) => write!(f, "{name} lost"),
            GameLoss::Doubt(cause) => write!(f, "doubtful: {cause}"),
        }
    }
}

/// One line: both numbers, the players, and all losses.
impl fmt::Display for RepairedGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "game {}", self.number)?;
        if let Some(new) = self.new_number {
            write!(f, ", now {new}")?;
        }
        write!(f, " ({} - {})", self.header.white, self.header.black)?;
        for (index, loss) in self.losses.iter().enumerate() {
            let before = if index == 0 { ": " } else { "; " };
            write!(f, "{before}{loss}")?;
        }
        Ok(())
    }
}

/// Replays the readable part of a game to a visitor. Returns what is lost.
///
/// # Errors
/// The damage of the game, if not a single ply can be read.
pub(super) fn tell(
    database: &Database,
    game: GameId,
    visitor: &mut dyn Visitor,
) -> Result<Vec<GameLoss>> {
    with_view!(database.tags(), view => tell_of(database, view, game, visitor))
}

fn tell_of<V: View>(
    database: &Database,
    view: V,
    game: GameId,
    visitor: &mut dyn Visitor,
) -> Result<Vec<GameLoss>> {
    let Some(record) = view.records().get(game.index()) else {
        return Ok(Vec::new());
    };
    if view.is_blank(record) {
        return Err(Error::corrupt(flaws::ZEROS_ONLY)
            .in_game(database.number(game))
            .at_path(database.path()));
    }
    let mut scratch = Scratch::default();
    let mut losses = Vec::new();
    match salvage::tell(view, record, &mut scratch, visitor) {
        Completeness::Whole => losses.extend(doubt(database, view, game, &mut scratch)),
        Completeness::MainLine { plies, damage } => losses.push(GameLoss::Variations {
            kept: plies,
            cause: database.damaged(game, record, damage),
        }),
        Completeness::Part { plies: 0, damage } => {
            return Err(database.damaged(game, record, damage));
        }
        Completeness::Part { plies, damage } => losses.push(GameLoss::Moves {
            kept: plies,
            cause: database.damaged(game, record, damage),
        }),
    }
    losses.extend(view.fault_beside(record).map(|fault| {
        let named = fault.in_game(database.number(game));
        GameLoss::Annotations(named)
    }));
    let is_lost = |slot: &NameSlot| lacks_name(database, view, record, *slot);
    losses.extend(
        NameSlot::ALL
            .into_iter()
            .filter(is_lost)
            .map(GameLoss::Name),
    );
    view.lost_tags(record, &mut |name| losses.push(GameLoss::Tag(name)));
    Ok(losses)
}

/// Returns whether a name that the record refers to cannot be read.
fn lacks_name<V: View>(database: &Database, view: V, record: &V::Record, slot: NameSlot) -> bool {
    let is_player = matches!(slot, NameSlot::White | NameSlot::Black);
    if is_player && !record.is_game() {
        return false;
    }
    let names = database.names(slot.kind());
    let found = names.is_ok_and(|names| names.is_whole(record.name(slot)));
    !found || view.lacks_name(record, slot)
}

/// Returns the fault of a game that was fully replayed but fails the check, if any.
fn doubt<V: View>(
    database: &Database,
    view: V,
    game: GameId,
    scratch: &mut Scratch,
) -> Option<GameLoss> {
    let record = view.records().get(game.index())?;
    let fault = view.check(record, scratch).err()?;
    Some(GameLoss::Doubt(database.faulty(game, record, fault)))
}
