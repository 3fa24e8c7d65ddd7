//! What the format could not hold.

use std::fmt;

/// Something that a game had and its copy in a `.si4` database has not, or has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Loss {
    /// Several comments at one place became one, with a space between them. Counts the joints.
    CommentsJoined,
    /// A tag without a name is gone.
    TagsDropped,
    /// A tag's name of more than 240 bytes was cut.
    TagNamesCut,
    /// A tag's value of more than 255 bytes was cut.
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
}

impl Loss {
    /// All kinds.
    pub const ALL: [Loss; 10] = [
        Loss::CommentsJoined,
        Loss::TagsDropped,
        Loss::TagNamesCut,
        Loss::TagValuesCut,
        Loss::NamesCut,
        Loss::DatesReduced,
        Loss::EventDatesAsTags,
        Loss::RatingsClamped,
        Loss::ZeroBytesReplaced,
        Loss::CastlingRightsDropped,
    ];

    /// Returns what happened, in words that follow a number: "3 comments joined".
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Loss::CommentsJoined => "comments joined to the comment before them",
            Loss::TagsDropped => "tags without a name dropped",
            Loss::TagNamesCut => "tag names cut at 240 bytes",
            Loss::TagValuesCut => "tag values cut at 255 bytes",
            Loss::NamesCut => "names cut at 255 bytes",
            Loss::DatesReduced => "dates reduced to what fits",
            Loss::EventDatesAsTags => "event dates kept as tags only, too far from the date",
            Loss::RatingsClamped => "ratings above 4000 set to 4000",
            Loss::ZeroBytesReplaced => "zero bytes replaced by spaces",
            Loss::CastlingRightsDropped => "impossible rights to castle dropped",
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What one game lost: a count by kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GameLosses {
    counts: [u32; Loss::ALL.len()],
}

impl GameLosses {
    pub(super) fn add(&mut self, loss: Loss) {
        let count = &mut self.counts[loss as usize];
        *count = count.saturating_add(1);
    }

    /// Returns how often this happened.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u32 {
        self.counts[loss as usize]
    }

    /// Tells whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == [0; Loss::ALL.len()]
    }
}

/// What a whole database lost: by kind a count and the first game concerned.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Losses {
    counts: [u64; Loss::ALL.len()],
    /// 1-based; 0 for none.
    first_games: [u32; Loss::ALL.len()],
}

impl Losses {
    pub(super) fn add(&mut self, game_number: u32, losses: &GameLosses) {
        if losses.is_empty() {
            return;
        }
        for (index, &count) in losses.counts.iter().enumerate() {
            if count > 0 {
                self.counts[index] += u64::from(count);
                let first = &mut self.first_games[index];
                if *first == 0 {
                    *first = game_number;
                }
            }
        }
    }

    /// Returns how often this happened.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u64 {
        self.counts[loss as usize]
    }

    /// Tells whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Iterates over what happened at all: kind, count, and the 1-based number that the first
    /// game concerned has in the new database.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64, u32)> {
        Loss::ALL.into_iter().filter_map(|loss| {
            let index = loss as usize;
            let count = self.counts[index];
            (count > 0).then(|| (loss, count, self.first_games[index]))
        })
    }
}
