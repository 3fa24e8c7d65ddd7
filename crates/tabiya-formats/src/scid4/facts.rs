//! Computes the facts that an index record stores about a main line from its moves.
//!
//! The verifier computes the same facts and compares them with the stored ones, see
//! [`claims`](crate::check::claims).

use tabiya_chess::FinalMaterial;

use super::{record::counter_code, record5::Record5};
use crate::check::Annotations;
pub(super) use crate::facts::Facts;

impl Facts {
    /// Writes the facts into a record.
    pub(super) fn write_to(&self, record: &mut Record5) {
        let material = FinalMaterial::of(self.counts);
        record.add_flags(self.flags);
        record.set_moves(self.plies, material, self.line.code());
        record.set_home_pawns(self.home_pawns);
    }
}

impl Annotations {
    /// Writes the counters into a record.
    pub(super) fn write_to(self, record: &mut Record5) {
        let [nags, comments, variations] =
            [self.nags, self.comments, self.variations].map(counter_code);
        record.set_counter_codes(nags, comments, variations);
    }
}
