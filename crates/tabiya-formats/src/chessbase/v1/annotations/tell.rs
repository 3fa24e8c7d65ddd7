//! Passes the annotations of a game to a visitor.

use tabiya_chess::Flow;

use super::{Annotations, GAME, Item, content::Content};
use crate::{
    Visitor,
    chessbase::common::annotation::Command,
    chessbase::common::tell::{Note, any_comment, tell_after, tell_before},
    encoding::Charset,
};

impl Note for Item<'_> {
    fn kind(&self) -> u8 {
        self.kind
    }

    fn glyphs(&self) -> &[u8] {
        self.data
    }

    fn text(&self) -> Option<(u8, &[u8])> {
        match self.content() {
            Some(Content::Text { language, text }) => Some((language, text)),
            _ => None,
        }
    }

    fn charset(&self) -> Charset {
        self.charset
    }

    fn command(&self) -> String {
        let command = Command {
            kind: self.kind,
            content: self.content(),
            data: self.data,
            raw: "cba",
            charset: self.charset,
        };
        command.to_string()
    }
}

impl Annotations<'_> {
    /// Reports the texts before the move of this 0-based index in stored order. Nothing comes
    /// before the start of the game.
    pub fn tell_before<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        match position {
            GAME => Flow::Continue(()),
            _ => tell_before(self.at(position), self.language, visitor),
        }
    }

    /// Reports the annotations after the move of this 0-based index in stored order: glyphs, then
    /// texts and all other items. Position -1 is the start of the game.
    pub fn tell_after<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        if position == GAME {
            tell_before(self.at(position), self.language, visitor)?;
        }
        tell_after(self.at(position), self.language, visitor)
    }

    /// Whether any comment passes the test, in any language.
    pub fn any_comment(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        any_comment(self.items(), test)
    }
}
