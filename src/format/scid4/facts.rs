//! What an index record says about a main line, worked out from its moves.
//!
//! The writer stores these facts and the verifier compares them with what is stored, so both
//! hold the same rules.

use super::{
    record::{counter_code, reported},
    record5::Record5,
};
pub(super) use crate::format::facts::Facts;
use crate::{
    chess::FinalMaterial,
    format::{
        check::Annotations,
        header::{Header, flag},
    },
};

/// Half-moves are stored modulo this.
pub(super) const PLIES_MODULUS: u32 = 1024;

impl Facts {
    /// Writes the facts into a record.
    pub(super) fn write_to(&self, record: &mut Record5) {
        let material = FinalMaterial::of(self.counts);
        record.add_flags(self.flags);
        record.set_moves(self.plies, material, self.line.code());
        record.set_home_pawns(self.home_pawns);
    }

    /// Returns in which of these facts a record errs, if in any.
    ///
    /// A stored line may be shorter than it could be, promotions may be claimed that are not
    /// there (Scid's editor let the flags stand when moves were taken back), and nothing is
    /// asked of the home pawns of a game with its own start: no search relies on these.
    pub(super) fn contradiction(&self, record: &impl Header) -> Option<&'static str> {
        let stored = record.home_pawns();
        // For games without moves that have their own start, Scid 3 stored the standard material.
        let has_no_moves = self.is_custom() && self.plies == 0;
        let material_agrees =
            has_no_moves || record.final_material() == FinalMaterial::of(self.counts);
        let pawns_agree = || {
            stored.count() == self.home_pawns.count() && stored.iter().eq(self.home_pawns.iter())
        };
        if (record.flags() ^ self.flags) & flag::CUSTOM_START != 0 {
            Some("the index says otherwise about an own start position")
        } else if self.flags & !record.flags() != 0 {
            Some("the index says that there is no such promotion")
        } else if record.plies().at_least != self.plies % PLIES_MODULUS {
            Some("the index says another number of half-moves")
        } else if !material_agrees {
            Some("the index says another final material")
        } else if !self.is_custom() && !pawns_agree() {
            Some("the index says otherwise about the home pawns")
        } else if !self.begins_with(record.stored_line()) {
            Some("the index says an opening line that the game does not begin with")
        } else {
            None
        }
    }

    /// Tells whether a record claims promotions that the game does not have.
    pub(super) fn lacks_promotions_of(&self, record: &impl Header) -> bool {
        let claimed = record.flags() & (flag::PROMOTION | flag::UNDERPROMOTION);
        claimed & !self.flags != 0
    }
}

impl Annotations {
    /// Writes the counters into a record.
    pub(super) fn write_to(self, record: &mut Record5) {
        let [nags, comments, variations] =
            [self.nags, self.comments, self.variations].map(counter_code);
        record.set_counter_codes(nags, comments, variations);
    }

    /// Returns which of the counters of a record errs, if any.
    pub(super) fn contradiction(self, record: &impl Header) -> Option<&'static str> {
        if record.variation_count() != reported(self.variations) {
            Some("the index says another number of variations")
        } else if record.comment_count() != reported(self.comments) {
            Some("the index says another number of comments")
        } else if record.nag_count() != reported(self.nags) {
            Some("the index says another number of NAGs")
        } else {
            None
        }
    }
}
