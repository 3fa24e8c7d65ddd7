//! What the format could not hold.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Something that a game had and its copy in a `.si4` database has not, or has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Several comments at one place became one, with a space between them. Counts the joints.
    CommentsJoined,
    /// More than seven NAGs on one move, which Scid takes for damage; those from the eighth on
    /// are gone.
    NagsDropped,
    /// A tag without a name is gone.
    TagsDropped,
    /// A tag's name of more than 240 bytes was cut.
    TagNamesCut,
    /// A tag's value was cut: with the tag's name it had more than 248 bytes, which Scid cannot
    /// print.
    TagValuesCut,
    /// The name of a player, event, site or round of more than 255 bytes was cut.
    NamesCut,
    /// A date outside of what 20 bits hold (year to 2047) lost what did not fit.
    DatesReduced,
    /// An event date more than three years from the game's date, or without a year, is kept as
    /// a tag, where no search by date looks.
    EventDatesAsTags,
    /// A rating above 4000 became 4000.
    RatingsClamped,
    /// A zero byte inside a text became a space.
    ZeroBytesReplaced,
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
        Loss::CommentsJoined,
        Loss::NagsDropped,
        Loss::TagsDropped,
        Loss::TagNamesCut,
        Loss::TagValuesCut,
        Loss::NamesCut,
        Loss::DatesReduced,
        Loss::EventDatesAsTags,
        Loss::RatingsClamped,
        Loss::ZeroBytesReplaced,
        Loss::CastlingRightsDropped,
        Loss::VoidNagsDropped,
    ];

    fn index(self) -> usize {
        self as usize
    }

    fn as_str(self) -> &'static str {
        match self {
            Loss::CommentsJoined => "comments joined to the comment before them",
            Loss::NagsDropped => "NAGs dropped, seven a move being the limit",
            Loss::TagsDropped => "tags without a name dropped",
            Loss::TagNamesCut => "tag names cut at 240 bytes",
            Loss::TagValuesCut => "tag values cut, 248 bytes a tag being the limit",
            Loss::NamesCut => "names cut at 255 bytes",
            Loss::DatesReduced => "dates reduced to what fits",
            Loss::EventDatesAsTags => "event dates kept as tags only, too far from the date",
            Loss::RatingsClamped => "ratings above 4000 set to 4000",
            Loss::ZeroBytesReplaced => "zero bytes replaced by spaces",
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
