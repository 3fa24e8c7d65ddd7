//! Reports annotations to a visitor, whatever bytes they are made of.

use tabiya_chess::Flow;

use super::{marks::kind, text};
use crate::{Language, Visitor, encoding::Charset};

/// An annotation.
pub(crate) trait Note {
    /// Returns the type.
    fn kind(&self) -> u8;

    /// Returns the glyphs; 0 for none.
    fn glyphs(&self) -> &[u8];

    /// Returns a text before or after the move, with its language.
    fn text(&self) -> Option<(u8, &[u8])>;

    /// Returns how texts are read.
    fn charset(&self) -> Charset;

    /// Returns the command for any other annotation, as text.
    fn command(&self) -> String;

    /// Returns the bytes to pass to [`Visitor::annotation`]; `None` for what is only told.
    fn original(&self) -> Option<&[u8]> {
        None
    }
}

/// Reports what is told of an annotation.
fn tell<V: Visitor + ?Sized>(note: &impl Note, told: &str, visitor: &mut V) -> Flow {
    match note.original() {
        Some(data) => visitor.annotation(note.kind(), data, told),
        None => visitor.comment(told),
    }
}

/// Reports the texts before a move.
pub(crate) fn tell_before<N: Note, V: Visitor + ?Sized>(
    notes: impl Iterator<Item = N> + Clone,
    language: Language,
    visitor: &mut V,
) -> Flow {
    let choice = Choice::new(notes.clone(), kind::TEXT_BEFORE, language);
    let mut texts = notes.filter(|note| note.kind() == kind::TEXT_BEFORE);
    texts.try_for_each(|note| tell_text(&note, choice, visitor))
}

/// Reports the annotations after a move: glyphs, then texts and all others.
pub(crate) fn tell_after<N: Note, V: Visitor + ?Sized>(
    notes: impl Iterator<Item = N> + Clone,
    language: Language,
    visitor: &mut V,
) -> Flow {
    for note in notes.clone().filter(|note| note.kind() == kind::GLYPHS) {
        let glyphs = note.glyphs().iter().filter(|glyph| **glyph != 0);
        glyphs.copied().try_for_each(|glyph| visitor.nag(glyph))?;
    }
    let choice = Choice::new(notes.clone(), kind::TEXT_AFTER, language);
    for note in notes {
        match note.kind() {
            kind::GLYPHS | kind::TEXT_BEFORE => {}
            kind::TEXT_AFTER => tell_text(&note, choice, visitor)?,
            _ => tell(&note, &note.command(), visitor)?,
        }
    }
    Flow::Continue(())
}

/// Whether any comment passes the test, in any language.
pub(crate) fn any_comment<N: Note>(
    mut notes: impl Iterator<Item = N>,
    test: &mut dyn FnMut(&str) -> bool,
) -> bool {
    notes.any(|note| match (note.kind(), note.text()) {
        (kind::GLYPHS, _) => false,
        (_, Some((_, text))) => !text.is_empty() && test(&text::decoded(text, note.charset())),
        _ => test(&note.command()),
    })
}

/// Which languages to report of the texts of one kind at one place.
#[derive(Clone, Copy)]
struct Choice {
    language: Language,
    has_preferred: bool,
}

impl Choice {
    fn new(mut notes: impl Iterator<Item: Note>, kind: u8, language: Language) -> Choice {
        let has_preferred = !language.is_all()
            && notes.any(|note| {
                let text = note.text().filter(|_| note.kind() == kind);
                text.is_some_and(|(of, _)| language.prefers(of))
            });
        Choice {
            language,
            has_preferred,
        }
    }

    fn takes(self, language: u8) -> bool {
        !self.has_preferred || self.language.prefers(language)
    }
}

fn tell_text<V: Visitor + ?Sized>(note: &impl Note, choice: Choice, visitor: &mut V) -> Flow {
    match note.text() {
        Some((language, _)) if !choice.takes(language) => Flow::Continue(()),
        Some((_, [])) => Flow::Continue(()),
        Some((_, text)) => tell(note, &text::decoded(text, note.charset()), visitor),
        None => visitor.comment(&note.command()),
    }
}
