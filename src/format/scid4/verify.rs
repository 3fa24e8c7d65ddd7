//! Checks one game as far as its bytes and its record can be checked.

use super::{Games, facts::Facts, game::Blob};
use crate::format::{
    Damage, Decoded, Header, Scratch,
    check::{Checked, Fault, Rules},
};

const NO_PROMOTION: &str = "the index says a promotion that the game does not have";
const SURPLUS: &str = "the game holds more comments than places for them";

impl<R: Header> Games<'_, R> {
    /// Decodes a game wholly and checks its bytes, its moves and its record. Names are not
    /// looked at.
    pub(super) fn check_game(&self, record: &R, scratch: &mut Scratch) -> Result<Checked, Fault> {
        let Some(blob) = self.blob(record)? else {
            return Ok(Checked::default());
        };
        let mut rules = Rules::new();
        blob.visit(scratch, &mut rules)?;
        if let Some(illegal) = rules.illegal.take() {
            return Err(Fault::IllegalMove(illegal));
        }
        if has_surplus_comments(&blob, rules.annotations.comments)? {
            rules.oddity.get_or_insert(SURPLUS);
        }
        let mut facts = Facts::STANDARD;
        blob.main_line(scratch, &mut facts)?;
        if facts.lacks_promotions_of(record) {
            rules.oddity.get_or_insert(NO_PROMOTION);
        }
        let contradiction = facts.contradiction(record);
        match contradiction.or_else(|| rules.annotations.contradiction(record)) {
            Some(what) => Err(Fault::Damage(Damage { what, at: 0 })),
            None => Ok(Checked {
                main_line_moves: facts.plies.into(),
                all_moves: rules.moves,
                oddity: rules.oddity,
            }),
        }
    }
}

/// Tells whether more comments are stored than the moves have places for; fewer, or bytes
/// behind the last, are damage.
fn has_surplus_comments(blob: &Blob<'_>, places: usize) -> Decoded<bool> {
    let stored = blob.comments().count();
    let what = if stored < places {
        "a comment is missing"
    } else if !blob.ends_with_comments() {
        "a comment has no end"
    } else {
        return Ok(stored > places);
    };
    Err(Damage { what, at: 0 })
}
