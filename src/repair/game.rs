//! One game of a damaged database: what can be told of it, and what is lost.

use std::fmt;

use crate::{
    chess::GameId,
    database::{Database, with_view},
    error::{Error, ErrorKind, Result},
    format::{
        Fault, GameHeader, Header, NameSlot, Scratch, View, Visitor,
        salvage::{self, Told},
    },
};

/// A game that is not sound, and what became of it.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RepairedGame {
    /// The 1-based number in the source.
    pub number: u32,
    /// The 1-based number in the new database; `None` when the game is not there.
    pub new_number: Option<u32>,
    /// The header as far as it could be read; names that could not read as `?`.
    pub header: GameHeader,
    /// What is missing or doubtful; never empty.
    pub losses: Vec<GameLoss>,
}

/// Something that a repaired game lacks, or that is doubtful about it. Causes name file and
/// offset.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum GameLoss {
    /// The whole game.
    Game(Error),
    /// The moves of the main line behind the first `kept` half-moves, and what belongs to them.
    Moves {
        /// Half-moves that the new game has.
        kept: u32,
        /// What is wrong.
        cause: Error,
    },
    /// Variations, comments and glyphs behind the first `kept` half-moves; the main line is
    /// whole.
    Variations {
        /// Half-moves up to which all is there.
        kept: u32,
        /// What is wrong.
        cause: Error,
    },
    /// Annotations that stand in a file of their own, all or from a damaged one on.
    Annotations(Error),
    /// A name, which reads as `?`.
    Name(NameSlot),
    /// A tag, by its name in PGN: its text stood in a file of its own.
    Tag(&'static str),
    /// Nothing that is known of; but the game is not what its record says, or breaks the rules
    /// of chess, so that something of either may be wrong.
    Doubt(Error),
}

impl GameLoss {
    /// Returns what it is in one word, as reports for programs have it: `game`, `moves`,
    /// `variations`, `annotations`, `name`, `tag` or `doubt`.
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

    /// Returns what is wrong; `None` for names and tags, whose file's faults are those of all
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
                write!(f, "moves lost behind half-move {kept}: {cause}")
            }
            GameLoss::Variations { kept, cause } => {
                write!(f, "only the main line behind half-move {kept}: {cause}")
            }
            GameLoss::Annotations(cause) => write!(f, "annotations lost: {cause}"),
            GameLoss::Name(slot) => write!(f, "{} lost", slot.as_str()),
            GameLoss::Tag(name) => write!(f, "{name} lost"),
            GameLoss::Doubt(cause) => write!(f, "doubtful: {cause}"),
        }
    }
}

/// One line: both numbers, the players, and all that was lost.
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

/// The names of a header.
const SLOTS: [NameSlot; 5] = [
    NameSlot::White,
    NameSlot::Black,
    NameSlot::Event,
    NameSlot::Site,
    NameSlot::Round,
];

/// Tells a visitor what can be read of a game. Returns what is lost.
///
/// # Errors
/// What is wrong with the game when not one half-move of it can be told.
pub(super) fn tell(
    database: &Database,
    game: GameId,
    visitor: &mut dyn Visitor,
) -> Result<Vec<GameLoss>> {
    with_view!(database, view => tell_of(database, view, game, visitor))
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
        return Err(Error::corrupt("the game's record is zeros only")
            .in_game(game.number())
            .at_path(database.path()));
    }
    let mut scratch = Scratch::default();
    let mut losses = Vec::new();
    match salvage::tell(view, record, &mut scratch, visitor) {
        Told::Whole => losses.extend(doubt(database, view, game, &mut scratch)),
        Told::MainLine { plies, damage } => losses.push(GameLoss::Variations {
            kept: plies,
            cause: database.damaged(game, record, damage),
        }),
        Told::Part { plies: 0, damage } => return Err(database.damaged(game, record, damage)),
        Told::Part { plies, damage } => losses.push(GameLoss::Moves {
            kept: plies,
            cause: database.damaged(game, record, damage),
        }),
    }
    losses.extend(view.fault_beside(record).map(|fault| {
        let named = fault.in_game(game.number());
        GameLoss::Annotations(named)
    }));
    let is_lost = |slot: &NameSlot| lacks_name(database, view, record, *slot);
    losses.extend(SLOTS.into_iter().filter(is_lost).map(GameLoss::Name));
    view.lost_tags(record, &mut |name| losses.push(GameLoss::Tag(name)));
    Ok(losses)
}

/// Returns whether a name cannot be had that the record refers to.
fn lacks_name<V: View>(database: &Database, view: V, record: &V::Record, slot: NameSlot) -> bool {
    let is_player = matches!(slot, NameSlot::White | NameSlot::Black);
    if is_player && !record.is_game() {
        return false;
    }
    let names = database.names(slot.kind());
    let found = names.is_ok_and(|names| names.is_whole(record.name(slot)));
    !found || view.lacks_name(record, slot)
}

/// Returns what makes a game doubtful that could be told to its end.
fn doubt<V: View>(
    database: &Database,
    view: V,
    game: GameId,
    scratch: &mut Scratch,
) -> Option<GameLoss> {
    let record = view.records().get(game.index())?;
    let fault = match view.check(record, scratch).err()? {
        Fault::Damage(damage) => database.damaged(game, record, damage),
        Fault::IllegalMove(played) => Error::new(ErrorKind::IllegalMove(played))
            .in_game(game.number())
            .at_offset(record.offset_bytes())
            .at_path(database.path()),
    };
    Some(GameLoss::Doubt(fault))
}
