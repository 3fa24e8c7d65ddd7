//! Losses: what the format could not store.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Something of a game that its copy in a `.si4` or `.si5` database lacks or stores differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Several comments at one place were joined with a space. Each join counts.
    CommentsJoined,
    /// A NAG was dropped because its move already had seven; Scid treats more as damage.
    NagsDropped,
    /// A tag without a name was dropped.
    TagsDropped,
    /// A tag's name of more than 240 bytes was cut.
    TagNamesCut,
    /// A tag's value was cut: with the tag's name it had more than 248 bytes, which Scid cannot
    /// print.
    TagValuesCut,
    /// The name of a player, event, site or round of more than 255 bytes was cut.
    NamesCut,
    /// A date that does not fit into 20 bits (year up to 2047) lost the parts that are too large.
    DatesReduced,
    /// An event date more than three years from the game's date, or without a year, was stored
    /// as a tag, which date searches ignore (`.si4` only).
    EventDatesAsTags,
    /// A rating above 4000 became 4000.
    RatingsClamped,
    /// A zero byte inside a text became a space.
    ZeroBytesReplaced,
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
