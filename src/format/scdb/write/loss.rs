//! Losses: what the format could not store.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Something of a game that its copy in a Simple Chess Database lacks or stores differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// A tag for which the index has no field was dropped.
    TagsDropped,
    /// The date of an event was dropped.
    EventDatesDropped,
    /// A round that is not a number from 1 to 65535 was dropped.
    RoundsDropped,
    /// The name of a player, event or site was cut at 36 bytes.
    NamesCut,
    /// White space around a name was removed.
    NamesTrimmed,
    /// An opening code lost its letter and digit after the first three characters.
    EcoReduced,
    /// A rating of another system was stored as Elo.
    RatingSystemsDropped,
    /// A month above 12 or a day above 31 was dropped.
    DatesReduced,
    /// A mark other than "deleted" was dropped.
    MarksDropped,
    /// Several comments at one place were joined with a space. Each join counts.
    CommentsJoined,
    /// A comment before the first move of a variation was moved after that move.
    CommentsMoved,
    /// A comment in a variation without moves was dropped.
    CommentsDropped,
    /// A NAG that belongs to no move was dropped.
    NagsDropped,
    /// A castling right without king and rook on their squares was dropped from a start position.
    CastlingRightsDropped,
    /// A NAG that is 0, which has no meaning, or above 255 was dropped.
    VoidNagsDropped,
}

/// The losses of one game: a count for each kind.
pub type GameLosses = loss::GameLosses<Loss>;

/// The losses of a whole database: for each kind a count and the first game affected.
pub type Losses = loss::Losses<Loss>;

impl LossKind for Loss {
    const ALL: &'static [Loss] = &[
        Loss::TagsDropped,
        Loss::EventDatesDropped,
        Loss::RoundsDropped,
        Loss::NamesCut,
        Loss::NamesTrimmed,
        Loss::EcoReduced,
        Loss::RatingSystemsDropped,
        Loss::DatesReduced,
        Loss::MarksDropped,
        Loss::CommentsJoined,
        Loss::CommentsMoved,
        Loss::CommentsDropped,
        Loss::NagsDropped,
        Loss::CastlingRightsDropped,
        Loss::VoidNagsDropped,
    ];

    fn index(self) -> usize {
        self as usize
    }

    fn as_str(self) -> &'static str {
        match self {
            Loss::TagsDropped => "tags dropped, for which the format has no place",
            Loss::EventDatesDropped => "dates of events dropped",
            Loss::RoundsDropped => "rounds dropped that are no numbers from 1 to 65535",
            Loss::NamesCut => "names cut at 36 bytes",
            Loss::NamesTrimmed => "names without the white space around them",
            Loss::EcoReduced => "opening codes cut at three characters",
            Loss::RatingSystemsDropped => "ratings of other systems kept as Elo",
            Loss::DatesReduced => "dates reduced to what fits",
            Loss::MarksDropped => "marks dropped other than \"deleted\"",
            Loss::CommentsJoined => "comments joined to the comment before them",
            Loss::CommentsMoved => "comments moved behind the first move of their variation",
            Loss::CommentsDropped => "comments of variations without moves dropped",
            Loss::NagsDropped => "NAGs dropped that belong to no move",
            Loss::CastlingRightsDropped => "impossible rights to castle dropped",
            Loss::VoidNagsDropped => "NAGs dropped that are 0 or above 255",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
