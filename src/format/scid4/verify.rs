//! Checks one game as far as its bytes and its record can be checked.

use super::{Games, facts::Facts, flaws, game::Blob};
use crate::format::{
    Damage, Decoded, Header, Scratch,
    check::{Checked, Fault, Rules, checked},
    claims::Truth,
};

impl<R: Header> Games<'_, R> {
    /// Decodes a game wholly and checks its bytes, its moves and its record. Names are not
    /// looked at.
    pub(super) fn check_game(&self, record: &R, scratch: &mut Scratch) -> Result<Checked, Fault> {
        let (mut rules, mut facts) = (Rules::new(), Facts::STANDARD);
        if let Some(blob) = self.blob(record)? {
            blob.visit(scratch, &mut rules)?;
            rules.fault()?;
            if has_surplus_comments(&blob, rules.annotations.comments)? {
                rules.oddity.get_or_insert(flaws::COMMENTS_LEFT_OVER);
            }
            blob.main_line(scratch, &mut facts)?;
        }
        checked(record, &Truth::new(facts, &rules), &rules)
    }
}

/// Checks that a record of length 0 describes a game without moves. Otherwise its length is
/// damaged: every writer stores at least the end of a game.
#[cold]
pub(super) fn no_game(record: &impl Header) -> Decoded<()> {
    let what = flaws::NO_BYTES;
    match Truth::new(Facts::STANDARD, &Rules::new()).check(record) {
        Err(_) => Err(Damage { what, at: 0 }),
        Ok(_) => Ok(()),
    }
}

/// Tells whether more comments are stored than the moves have places for; fewer, or bytes
/// behind the last, are damage.
fn has_surplus_comments(blob: &Blob<'_>, places: usize) -> Decoded<bool> {
    let stored = blob.comments().count();
    let what = if stored < places {
        flaws::COMMENT_MISSING
    } else if !blob.ends_with_comments() {
        flaws::COMMENT_ENDLESS
    } else {
        return Ok(stored > places);
    };
    Err(Damage { what, at: 0 })
}
