//! What the format could not hold.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Something that a game had and its copy in a ChessBase database has not, or has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// A name longer than its field was cut: 30 bytes of a player's last name and 20 of the
    /// first, 40 of an event, 30 of a site, 45 of an annotator or team, 25 of a source.
    NamesCut,
    /// The name of a player was spelled another way than "Last, First" and now is not.
    NamesRespelled,
    /// A round other than two numbers up to 255 lost what did not fit.
    RoundsReduced,
    /// A date with a year above 4095 or no such month or day lost what did not fit.
    DatesReduced,
    /// A rating of another system than Elo became one.
    RatingKindsDropped,
    /// An opening code lost its refinement, since ChessBase numbers its own.
    EcoRefinementsDropped,
    /// A user's mark that ChessBase has no medal for is gone.
    MarksDropped,
    /// A user's mark is a medal now, as which it does not come back.
    MarksToMedals,
    /// A tag that the format has no field for is gone.
    TagsDropped,
    /// The half-move clock of a start position is gone.
    HalfmoveClocksDropped,
    /// The first move's number exceeds 255 and was taken modulo 256.
    MoveNumbersWrapped,
    /// A right to castle without king and rook in their places is gone from a start position.
    CastlingRightsDropped,
    /// A variation without moves is gone, and what was said in it.
    EmptyVariationsDropped,
    /// A NAG before the first move of a line now belongs to that move.
    NagsMoved,
    /// A zero byte inside a text became a space.
    ZeroBytesReplaced,
    /// A comment has a character that stands for a sign of ChessBase's font there, and reads back
    /// as that sign.
    SignsInComments,
    /// The opening code of a Chess960 game gave its place to the number of the start position.
    OpeningCodesDropped,
    /// A NAG of number 0, which says nothing, or above 255 is gone.
    VoidNagsDropped,
}

/// What one game lost: a count by kind.
pub type GameLosses = loss::GameLosses<Loss>;

/// What a whole database lost: by kind a count and the first game concerned.
pub type Losses = loss::Losses<Loss>;

impl LossKind for Loss {
    const ALL: &'static [Loss] = &[
        Loss::NamesCut,
        Loss::NamesRespelled,
        Loss::RoundsReduced,
        Loss::DatesReduced,
        Loss::RatingKindsDropped,
        Loss::EcoRefinementsDropped,
        Loss::MarksDropped,
        Loss::MarksToMedals,
        Loss::TagsDropped,
        Loss::HalfmoveClocksDropped,
        Loss::MoveNumbersWrapped,
        Loss::CastlingRightsDropped,
        Loss::EmptyVariationsDropped,
        Loss::NagsMoved,
        Loss::ZeroBytesReplaced,
        Loss::SignsInComments,
        Loss::OpeningCodesDropped,
        Loss::VoidNagsDropped,
    ];

    fn index(self) -> usize {
        self as usize
    }

    fn as_str(self) -> &'static str {
        match self {
            Loss::NamesCut => "names cut to their fields",
            Loss::NamesRespelled => "player names now spelled \"Last, First\"",
            Loss::RoundsReduced => "rounds reduced to two numbers up to 255",
            Loss::DatesReduced => "dates reduced to what fits",
            Loss::RatingKindsDropped => "ratings of other systems kept as Elo",
            Loss::EcoRefinementsDropped => "refinements of opening codes dropped",
            Loss::MarksDropped => "user's marks dropped that are no medals",
            Loss::MarksToMedals => "user's marks turned into medals",
            Loss::TagsDropped => "tags dropped that no field holds",
            Loss::HalfmoveClocksDropped => "half-move clocks of start positions dropped",
            Loss::MoveNumbersWrapped => "first moves numbered above 255 numbered modulo 256",
            Loss::CastlingRightsDropped => "impossible rights to castle dropped",
            Loss::EmptyVariationsDropped => "variations without moves dropped",
            Loss::NagsMoved => "NAGs before a line given to its first move",
            Loss::ZeroBytesReplaced => "zero bytes replaced by spaces",
            Loss::SignsInComments => "comments with characters that are signs of ChessBase's font",
            Loss::OpeningCodesDropped => "opening codes dropped of Chess960 games",
            Loss::VoidNagsDropped => "NAGs dropped that are 0 or above 255",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
