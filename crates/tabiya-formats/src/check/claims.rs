//! What records state about the moves of their games, with a check for each statement.
//!
//! Everything that a search takes from a record without decoding is one of [`Claim::ALL`], except
//! the header fields, which users entered. `verify` compares all claims with the game, in every
//! format. A format whose records do not make a claim cannot break it.

use tabiya_chess::FinalMaterial;

use super::{Annotations, Rules};
use crate::{
    damage::Flaw,
    facts::Facts,
    flaws,
    header::{Extent, Header, flag},
};

/// A statement of a record about its game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claim {
    /// Whether the record is a game or a text.
    Game,
    /// Whether the game has its own start position.
    OwnStart,
    /// Whether the game is Chess960.
    Chess960,
    /// Whether the main line contains promotions.
    Promotions,
    /// Number of half-moves of the main line.
    Plies,
    /// Material after the last of them.
    Material,
    /// Order in which pawns left home.
    HomePawns,
    /// Opening line that the game begins with.
    StoredLine,
    /// Number of variations.
    Variations,
    /// Number of comments.
    Comments,
    /// Number of NAGs.
    Nags,
    /// What the game contains besides moves.
    Contents,
}

/// What decoding the game has shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub(crate) is_game: bool,
    pub(crate) facts: Facts,
    pub(crate) annotations: Annotations,
    /// Whether the game is Chess960, if its own bytes say so; otherwise its start position decides.
    pub(crate) chess960: Option<bool>,
    /// The bits of [`Header::contents`] for what the game contains besides moves, if known.
    pub(crate) contents: Option<u32>,
}

/// How a record is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// Searches can miss the game, or find it wrongly.
    Damage(Flaw),
    /// Programs write such records; only queries about the claim itself are misled.
    Oddity(Flaw),
}

impl Truth {
    /// Combines the results of following the main line and visiting all lines.
    pub(crate) fn new(facts: Facts, rules: &Rules) -> Truth {
        Truth {
            is_game: true,
            facts,
            annotations: rules.annotations,
            chess960: None,
            contents: None,
        }
    }

    /// Compares all claims of a record; returns the first oddity.
    ///
    /// # Errors
    /// The first claim that is damage.
    pub(crate) fn check<R: Header>(&self, record: &R) -> Result<Option<Flaw>, Flaw> {
        let mut oddity = None;
        for claim in Claim::ALL {
            match claim.fault(record, self) {
                Some(Fault::Damage(what)) => return Err(what),
                Some(Fault::Oddity(what)) => oddity = oddity.or(Some(what)),
                None => {}
            }
        }
        Ok(oddity)
    }

    /// Whether the game may end with this material. For games without moves that have their own
    /// start, Scid 3 stored the standard material, and nothing relies on it.
    fn allows_material(&self, told: FinalMaterial) -> bool {
        let has_no_moves = self.facts.is_custom() && self.facts.plies == 0;
        has_no_moves || told == FinalMaterial::of(self.facts.counts)
    }
}

impl Claim {
    /// All claims that searches rely on.
    pub const ALL: [Claim; 12] = [
        Claim::Game,
        Claim::OwnStart,
        Claim::Chess960,
        Claim::Promotions,
        Claim::Plies,
        Claim::Material,
        Claim::HomePawns,
        Claim::StoredLine,
        Claim::Variations,
        Claim::Comments,
        Claim::Nags,
        Claim::Contents,
    ];

    /// Compares a record with the truth.
    ///
    /// A stored line may be shorter than possible. The home pawns of a game with its own start are
    /// not compared: no search relies on them. A promotion may be claimed that is missing, since
    /// Scid's editor kept the flags when moves were taken back.
    fn fault<R: Header>(self, record: &R, truth: &Truth) -> Option<Fault> {
        let damage = |is_wrong: bool, what| is_wrong.then_some(Fault::Damage(what));
        let facts = &truth.facts;
        let count = |told: Extent, count: usize, what| {
            let real = R::reported(count);
            let is_told = told.at_least <= real.at_least && real.at_most <= told.at_most;
            damage(!is_told, what)
        };
        match self {
            Claim::Game => damage(record.is_game() != truth.is_game, flaws::GAME_OR_TEXT),
            Claim::OwnStart => damage(
                R::EVIDENCE.starts && record.is_custom_start() != facts.is_custom(),
                flaws::START_POSITION,
            ),
            Claim::Chess960 => chess960(record, truth),
            Claim::Promotions => promotions(record, facts),
            Claim::Plies => damage(!record.allows_plies(facts.plies), flaws::PLY_COUNT),
            Claim::Material => damage(
                !record
                    .told_material()
                    .is_none_or(|told| truth.allows_material(told)),
                flaws::FINAL_MATERIAL,
            ),
            Claim::HomePawns => {
                let (stored, real) = (record.home_pawns(), facts.home_pawns);
                let agree = || stored.count() == real.count() && stored.iter().eq(real.iter());
                damage(
                    R::EVIDENCE.home_pawns && !facts.is_custom() && !agree(),
                    flaws::HOME_PAWNS,
                )
            }
            Claim::StoredLine => damage(
                !facts.begins_with(record.stored_line()),
                flaws::OPENING_LINE,
            ),
            Claim::Variations => count(
                record.variation_count(),
                truth.annotations.variations,
                flaws::VARIATION_COUNT,
            ),
            Claim::Comments => count(
                record.comment_count(),
                truth.annotations.comments,
                flaws::COMMENT_COUNT,
            ),
            Claim::Nags => count(record.nag_count(), truth.annotations.nags, flaws::NAG_COUNT),
            Claim::Contents => contents(record, truth),
        }
    }
}

/// The game's own bytes decide. A start position alone proves less: a king and rooks on their usual
/// squares may be Chess960 too.
fn chess960<R: Header>(record: &R, truth: &Truth) -> Option<Fault> {
    let claimed = record.flags() & flag::CHESS960 != 0;
    match truth.chess960 {
        _ if !R::EVIDENCE.starts => None,
        Some(real) => (claimed != real).then_some(Fault::Damage(flaws::CHESS960)),
        None => (claimed && !truth.facts.is_custom()).then_some(Fault::Oddity(flaws::CHESS960)),
    }
}

fn promotions<R: Header>(record: &R, facts: &Facts) -> Option<Fault> {
    let (claimed, real) = (record.flags(), facts.flags);
    if !R::EVIDENCE.promotions {
        None
    } else if real & !claimed & flag::ANY_PROMOTION != 0 {
        Some(Fault::Damage(flaws::NO_PROMOTION))
    } else if claimed & !real & flag::ANY_PROMOTION != 0 {
        Some(Fault::Oddity(flaws::CLAIMED_PROMOTION))
    } else {
        None
    }
}

/// A record may still claim comments that were removed.
fn contents<R: Header>(record: &R, truth: &Truth) -> Option<Fault> {
    let real = truth.contents?;
    let claimed = record.contents();
    if real & !claimed != 0 {
        Some(Fault::Damage(flaws::ANNOTATIONS_UNTOLD))
    } else if claimed & !real != 0 {
        Some(Fault::Oddity(flaws::CLAIMED_ANNOTATIONS))
    } else {
        None
    }
}
