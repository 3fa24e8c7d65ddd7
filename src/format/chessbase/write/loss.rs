//! What the format could not hold.

use std::fmt;

use crate::format::loss::{self, LossKind};

/// Data of a game that its copy in a ChessBase database lacks or has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// A name longer than its field was cut: 30 bytes of a player's last name and 20 of the
    /// first, 40 of an event, 30 of a site, 45 of an annotator or team, 25 of a source.
    NamesCut,
    /// The name of a player was not spelled "Last, First" and was changed to that.
    NamesRespelled,
    /// A round that is not two numbers up to 255 lost the parts that did not fit.
    RoundsReduced,
    /// A date lost a year above 4095, or a month or day too large for its bits.
    DatesReduced,
    /// A rating of another system was stored as Elo.
    RatingKindsDropped,
    /// An opening code lost its refinement, since ChessBase numbers its own.
    EcoRefinementsDropped,
    /// A user's mark without a ChessBase medal was dropped.
    MarksDropped,
    /// A user's mark was converted to a medal and does not read back as a mark.
    MarksToMedals,
    /// A tag without a field in the format was dropped.
    TagsDropped,
    /// The half-move clock of a start position was dropped.
    HalfmoveClocksDropped,
    /// The number of the first move exceeded 255 and was stored modulo 256.
    MoveNumbersWrapped,
    /// A castling right without king and rook on their squares was dropped from a start position.
    CastlingRightsDropped,
    /// A variation without moves was dropped with its comments and NAGs.
    EmptyVariationsDropped,
    /// A NAG before the first move of a line was moved to that move.
    NagsMoved,
    /// A zero byte in a text was replaced by a space.
    ZeroBytesReplaced,
    /// A comment has a character that means a symbol of the ChessBase font and reads back as that
    /// symbol.
    SignsInComments,
    /// The opening code of a Chess960 game was replaced by the number of the start position.
    OpeningCodesDropped,
    /// A NAG numbered 0, which has no meaning, or above 255 was dropped.
    VoidNagsDropped,
}

/// The losses of one game: a count by kind.
pub type GameLosses = loss::GameLosses<Loss>;

/// The losses of a whole database: by kind, a count and the first affected game.
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
