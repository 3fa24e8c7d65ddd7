//! What the format could not hold.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Something that a game had and its copy in a Simple Chess Database has not, or has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// A tag that the index has no field for is gone.
    TagsDropped,
    /// The date of an event is gone.
    EventDatesDropped,
    /// A round that is no number from 1 to 65535 is gone.
    RoundsDropped,
    /// The name of a player, event or site was cut at 36 bytes.
    NamesCut,
    /// White space around a name is gone.
    NamesTrimmed,
    /// An opening code lost its letter and digit behind the first three characters.
    EcoReduced,
    /// A rating of another system is kept as if it were Elo.
    RatingSystemsDropped,
    /// A month above 12 or a day above 31 is gone.
    DatesReduced,
    /// A mark other than "deleted" is gone.
    MarksDropped,
    /// Several comments at one place became one, with a space between them. Counts the joints.
    CommentsJoined,
    /// A comment before the first move of a variation now stands behind that move.
    CommentsMoved,
    /// A comment in a variation without moves is gone.
    CommentsDropped,
    /// A NAG that belongs to no move is gone.
    NagsDropped,
    /// A right to castle without king and rook in their places is gone from a start position.
    CastlingRightsDropped,
    /// A NAG of number 0, which says nothing, or above 255 is gone.
    VoidNagsDropped,
}

/// What one game lost: a count by kind.
pub type GameLosses = loss::GameLosses<Loss>;

/// What a whole database lost: by kind a count and the first game concerned.
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
