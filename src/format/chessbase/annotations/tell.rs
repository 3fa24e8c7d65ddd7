//! Reports annotations to a visitor.

use super::{
    Annotations, GAME, Item,
    command::Command,
    content::{Content, kind},
    text,
};
use crate::{
    chess::Flow,
    format::{Visitor, chessbase::lines::Beside},
};

impl Beside for Annotations<'_> {
    fn tell_before<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow {
        Annotations::tell_before(self, position, visitor)
    }

    fn tell_after<V: Visitor + ?Sized>(&mut self, position: i32, visitor: &mut V) -> Flow {
        Annotations::tell_after(self, position, visitor)
    }
}

impl Annotations<'_> {
    /// Reports the texts before the move of this 0-based index in stored order. Nothing comes
    /// before the start of the game.
    pub fn tell_before<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        match position {
            GAME => Flow::Continue(()),
            _ => self.tell_texts_before(position, visitor),
        }
    }

    /// Reports the annotations after the move of this 0-based index in stored order: glyphs, then
    /// texts and all other items. Position -1 is the start of the game.
    pub fn tell_after<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        if position == GAME {
            self.tell_texts_before(position, visitor)?;
        }
        for item in self.at(position).filter(|item| item.kind == kind::GLYPHS) {
            let glyphs = item.data.iter().filter(|glyph| **glyph != 0);
            glyphs.copied().try_for_each(|glyph| visitor.nag(glyph))?;
        }
        let prefers = self.choice(kind::TEXT_AFTER, position);
        for item in self.at(position) {
            match item.kind {
                kind::GLYPHS | kind::TEXT_BEFORE => {}
                kind::TEXT_AFTER => tell_text(item, &prefers, visitor)?,
                _ => visitor.comment(&Command(item).to_string())?,
            }
        }
        Flow::Continue(())
    }

    /// Whether any comment passes the test, in any language.
    pub fn any_comment(&self, test: &mut dyn FnMut(&str) -> bool) -> bool {
        self.items().any(|item| match (item.kind, item.content()) {
            (kind::GLYPHS, _) => false,
            (_, Some(Content::Text { text, .. })) => !text.is_empty() && test(&text::decoded(text)),
            _ => test(&Command(item).to_string()),
        })
    }

    fn tell_texts_before<V: Visitor + ?Sized>(&self, position: i32, visitor: &mut V) -> Flow {
        let prefers = self.choice(kind::TEXT_BEFORE, position);
        let is_before = |item: &Item<'_>| item.kind == kind::TEXT_BEFORE;
        let mut texts = self.at(position).filter(is_before);
        texts.try_for_each(|text| tell_text(text, &prefers, visitor))
    }

    /// Returns a test for the languages to report of the texts at one place.
    fn choice(&self, kind: u8, position: i32) -> impl Fn(u8) -> bool + use<> {
        let language = self.language;
        let has_preferred = !language.is_all()
            && self.at(position).any(|item| {
                let content = item.content().filter(|_| item.kind == kind);
                matches!(content, Some(Content::Text { language: of, .. }) if language.prefers(of))
            });
        move |of| !has_preferred || language.prefers(of)
    }
}

fn tell_text<V: Visitor + ?Sized>(
    item: Item<'_>,
    prefers: &impl Fn(u8) -> bool,
    visitor: &mut V,
) -> Flow {
    match item.content() {
        Some(Content::Text { language, .. }) if !prefers(language) => Flow::Continue(()),
        Some(Content::Text { text: [], .. }) => Flow::Continue(()),
        Some(Content::Text { text, .. }) => visitor.comment(&text::decoded(text)),
        _ => visitor.comment(&Command(item).to_string()),
    }
}
