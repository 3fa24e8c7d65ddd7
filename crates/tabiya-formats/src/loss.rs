//! What a written format could not hold, counted by kind.

use std::fmt;

/// Makes the kinds of loss and their words from one row for each.
macro_rules! losses {
    ($($(#[$doc:meta])* $loss:ident = $text:literal;)+) => {
        /// One thing that a format cannot hold as the source has it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Loss {
            $($(#[$doc])* $loss,)+
        }

        impl Loss {
            /// All kinds.
            pub const ALL: &'static [Loss] = &[$(Loss::$loss),+];

            /// Returns what happened, in words that follow a number: "comments joined".
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Loss::$loss => $text,)+
                }
            }
        }
    };
}

losses! {
    /// Several comments at one place became one, with a space between them. Counts the joints.
    CommentsJoined = "comments joined to the comment before them";
    /// More than seven NAGs on one move, which Scid takes for damage; those from the eighth on
    /// are gone.
    NagsBeyondSevenDropped = "NAGs dropped, seven a move being the limit";
    /// A tag without a name is gone.
    NamelessTagsDropped = "tags without a name dropped";
    /// A tag's name of more than 240 bytes was cut.
    TagNamesCut = "tag names cut at 240 bytes";
    /// A tag's value was cut: with the tag's name it had more than 248 bytes, which Scid cannot
    /// print.
    TagValuesCut = "tag values cut, 248 bytes a tag being the limit";
    /// The name of a player, event, site or round of more than 255 bytes was cut.
    NamesCutAt255 = "names cut at 255 bytes";
    /// A date outside of what 20 bits hold (year to 2047) lost what did not fit.
    DatesReduced = "dates reduced to what fits";
    /// An event date more than three years from the game's date, or without a year, is kept as
    /// a tag, where no search by date looks.
    EventDatesAsTags = "event dates kept as tags only, too far from the date";
    /// A rating above 4000 became 4000.
    RatingsClamped = "ratings above 4000 set to 4000";
    /// A zero byte inside a text became a space.
    ZeroBytesReplaced = "zero bytes replaced by spaces";
    /// A right to castle without king and rook in their places is gone from a start position.
    CastlingRightsDropped = "impossible rights to castle dropped";
    /// A NAG of number 0, which says nothing, or above 255 is gone.
    VoidNagsDropped = "NAGs dropped that are 0 or above 255";
    /// A tag that the index has no field for is gone.
    TagsDropped = "tags dropped, for which the format has no place";
    /// The date of an event is gone.
    EventDatesDropped = "dates of events dropped";
    /// A round that is no number from 1 to 65535 is gone.
    RoundsDropped = "rounds dropped that are no numbers from 1 to 65535";
    /// The name of a player, event or site was cut at 36 bytes.
    NamesCutAt36 = "names cut at 36 bytes";
    /// White space around a name is gone.
    NamesTrimmed = "names without the white space around them";
    /// An opening code lost its letter and digit after the first three characters.
    EcoRefinementsDropped = "refinements of opening codes dropped";
    /// A rating of another system is kept as if it were Elo.
    RatingSystemsDropped = "ratings of other systems kept as Elo";
    /// A mark other than "deleted" is gone.
    OtherMarksDropped = "marks dropped other than \"deleted\"";
    /// A comment before the first move of a variation now stands after that move.
    CommentsMoved = "comments moved after the first move of their variation";
    /// A comment in a variation without moves is gone.
    CommentsOfNoMoveDropped = "comments of variations without moves dropped";
    /// A NAG that belongs to no move is gone.
    NagsOfNoMoveDropped = "NAGs dropped that belong to no move";
    /// A name longer than its field was cut: 30 bytes of a player's last name and 20 of the
    /// first, 40 of an event, 30 of a site, 45 of an annotator or team, 25 of a source.
    NamesCutToFields = "names cut to their fields";
    /// The name of a player was spelled another way than "Last, First" and now is not.
    NamesRespelled = "player names now spelled \"Last, First\"";
    /// A round other than two numbers up to 255 lost what did not fit.
    RoundsReduced = "rounds reduced to two numbers up to 255";
    /// A round other than a number up to 32767, or two up to 1023, lost what did not fit.
    RoundsReducedToFit = "rounds reduced to two numbers up to 1023";
    /// A guiding text became one text without its languages and its layout.
    TextsRewritten = "guiding texts written as one text without layout";
    /// A user's mark that ChessBase has no medal for is gone.
    MarksDropped = "user's marks dropped that are no medals";
    /// A user's mark is a medal now, as which it does not come back.
    MarksToMedals = "user's marks turned into medals";
    /// The half-move clock of a start position is gone.
    HalfmoveClocksDropped = "half-move clocks of start positions dropped";
    /// The first move's number exceeds 255 and was taken modulo 256.
    MoveNumbersWrapped = "first moves numbered above 255 numbered modulo 256";
    /// A variation without moves is gone, and what was said in it.
    EmptyVariationsDropped = "variations without moves dropped";
    /// A NAG before the first move of a line now belongs to that move.
    NagsMoved = "NAGs before a line given to its first move";
    /// A comment has a character that stands for a sign of ChessBase's font there, and reads back
    /// as that sign.
    SignsInComments = "comments with characters that are signs of ChessBase's font";
    /// The opening code of a Chess960 game gave its place to the number of the start position.
    OpeningCodesDropped = "opening codes dropped of Chess960 games";
    /// Names, dates, ratings or other tags of a game are gone.
    HeadersDropped = "games without the names, dates and tags that they had";
    /// A comment, or what it holds besides a score, is gone.
    CommentsDropped = "comments dropped";
    /// A NAG is gone.
    NagsDropped = "NAGs dropped";
    /// A variation, with all in it, is gone.
    VariationsDropped = "variations dropped";
    /// A move without a score has got that of an even game.
    ScoresAssumed = "moves without a score given that of an even game";
    /// The score of the position after the last move is gone.
    LastScoresDropped = "scores dropped of positions after the last move";
    /// A score of the other kind, centipawns or expectation, is the nearest that there is.
    ScoresRounded = "scores rounded to those of this layout";
    /// The visits of a move are gone.
    VisitsDropped = "moves without the visits that they had";
    /// The half-move clock or the move's number of a start position does not fit.
    ClocksDropped = "start positions without their clock or the number of the move";
    /// A move or a start position that the rules do not allow; no reader goes on after it.
    BreaksRules =
        "games with a move or a start position that the rules do not allow, which are read up to \
         there";
    /// A second tag `Event` is gone, since it would begin another game.
    SecondEventsDropped = "games without their second tag Event";
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

const KINDS: usize = Loss::ALL.len();

/// What one game lost, counted by kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameLosses {
    counts: [u32; KINDS],
}

impl Default for GameLosses {
    fn default() -> GameLosses {
        GameLosses { counts: [0; KINDS] }
    }
}

impl GameLosses {
    pub(crate) fn add(&mut self, loss: Loss) {
        let count = &mut self.counts[loss as usize];
        *count = count.saturating_add(1);
    }

    /// Adds a loss, if it is one.
    pub(crate) fn add_some(&mut self, loss: Option<Loss>) {
        if let Some(loss) = loss {
            self.add(loss);
        }
    }

    /// Returns how often this loss occurred.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u32 {
        self.counts[loss as usize]
    }

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts == [0; KINDS]
    }

    /// Describes the first kind of loss that occurred.
    pub fn first(&self) -> Option<&'static str> {
        let lost = Loss::ALL.iter().find(|&&loss| self.count(loss) > 0);
        lost.map(|loss| loss.as_str())
    }
}

/// What a whole database lost: for each kind a count and the first affected game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Losses {
    counts: [u64; KINDS],
    /// 1-based; 0 if none.
    first_games: [u32; KINDS],
}

impl Default for Losses {
    fn default() -> Losses {
        Losses {
            counts: [0; KINDS],
            first_games: [0; KINDS],
        }
    }
}

impl Losses {
    pub(crate) fn add(&mut self, game_number: u32, losses: &GameLosses) {
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

    /// Returns how often this loss occurred.
    #[must_use]
    pub fn count(&self, loss: Loss) -> u64 {
        self.counts[loss as usize]
    }

    /// Whether nothing was lost.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// Iterates over the losses that occurred: kind, count, and the 1-based number of the first
    /// affected game in the new database.
    pub fn iter(&self) -> impl Iterator<Item = (Loss, u64, u32)> {
        Loss::ALL.iter().filter_map(|&loss| {
            let index = loss as usize;
            let count = self.counts[index];
            (count > 0).then(|| (loss, count, self.first_games[index]))
        })
    }

    /// Returns the same as [`iter`](Losses::iter).
    pub fn report(&self) -> Vec<Lost> {
        let lost = self.iter().map(|(loss, count, first_game)| Lost {
            what: loss.as_str(),
            count,
            first_game,
        });
        lost.collect()
    }
}

/// Something in the sources that a new database lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Lost {
    /// A description, in words that follow the count: "comments joined".
    pub what: &'static str,
    /// Number of occurrences.
    pub count: u64,
    /// 1-based number of the first affected game in the new database; for texts, which are not
    /// written, in the source.
    pub first_game: u32,
}

impl Lost {
    /// Counts one more loss of a game in a list.
    #[doc(hidden)]
    pub fn add(list: &mut Vec<Lost>, what: &'static str, game: u32) {
        match list.iter_mut().find(|lost| lost.what == what) {
            Some(lost) => lost.count += 1,
            None => list.push(Lost {
                what,
                count: 1,
                first_game: game,
            }),
        }
    }
}
