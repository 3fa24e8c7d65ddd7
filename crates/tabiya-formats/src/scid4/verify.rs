//! Checks the bytes and the record of one game.

use super::{facts::Facts, flaws, game::Blob, view::Games};
use crate::{
    Damage, Decoded, Header, Scratch,
    check::{Checked, Fault, Rules, checked, claims::Truth},
};

impl<R: Header> Games<'_, R> {
    /// Decodes a whole game and checks its bytes, its moves and its record. Names are not
    /// checked.
    pub(super) fn check_game(&self, record: &R, scratch: &mut Scratch) -> Result<Checked, Fault> {
        let (mut rules, mut facts) = (Rules::new(), Facts::STANDARD);
        if let Some(blob) = self.blob(record)? {
            blob.visit(self.scid.charset(), scratch, &mut rules)?;
            rules.fault()?;
            if has_surplus_comments(&blob, rules.annotations.comments)? {
                rules.oddity.get_or_insert(flaws::COMMENTS_LEFT_OVER);
            }
            blob.main_line(scratch, &mut facts)?;
        }
        checked(record, &Truth::new(facts, &rules), &rules)
    }
}

/// Whether more comments are stored than there are comment tokens. Fewer comments, or a last one
/// without an end, are damage.
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
