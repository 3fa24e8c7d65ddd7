//! Encodes guiding texts.

use super::commands::append_counted;
use crate::{
    chessbase::common::markup::without_markup,
    chessbase::v2::frame::{self, tag},
    error::{Error, Result},
    loss::{GameLosses, Loss},
};

/// The first number of a body.
const VERSION: u16 = 5;
/// The language of a text that is for all.
const ANY_LANGUAGE: i32 = 0;

/// What a guiding text says.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// The body as another database of this format has it.
    body: Option<Vec<u8>>,
    paragraphs: Vec<String>,
}

impl Text {
    pub(super) fn set_body(&mut self, body: &[u8]) {
        self.body = Some(body.to_vec());
    }

    /// Adds a paragraph, unless the body is known.
    pub(super) fn say(&mut self, paragraph: &str) {
        if self.body.is_none() {
            self.paragraphs.push(paragraph.to_owned());
        }
    }

    /// Returns the record for `.2cbg`. Paragraphs become one text in no language.
    ///
    /// # Errors
    /// `LimitExceeded` for more bytes than a record may have.
    pub(super) fn record(self, losses: &mut GameLosses) -> Result<Vec<u8>> {
        let content = match self.body {
            Some(body) => body,
            None => {
                let html = html(&self.paragraphs);
                let is_kept = match &self.paragraphs[..] {
                    [] => true,
                    [paragraph] => without_markup(&html) == *paragraph,
                    _ => false,
                };
                if !is_kept {
                    losses.add(Loss::TextsRewritten);
                }
                body(&html)
            }
        };
        if content.len() > frame::BYTES_MAX as usize {
            let (what, limit) = ("the bytes of a text", frame::BYTES_MAX.into());
            return Err(Error::limit(what, limit));
        }
        Ok(frame::begun(tag::TEXT, &content))
    }
}

/// Returns the content of a record with this text only.
fn body(html: &str) -> Vec<u8> {
    let mut entries = 1_i32.to_le_bytes().to_vec();
    entries.extend(ANY_LANGUAGE.to_le_bytes());
    append_counted(html.as_bytes(), &mut entries);
    let mut body = VERSION.to_le_bytes().to_vec();
    append_counted(&entries, &mut body);
    body
}

fn html(paragraphs: &[String]) -> String {
    let mut html = String::from("<html><head></head><body>");
    for paragraph in paragraphs {
        html.push_str("<p>");
        for character in paragraph.chars() {
            match character {
                '<' => html.push_str("&lt;"),
                '>' => html.push_str("&gt;"),
                '&' => html.push_str("&amp;"),
                '\n' => html.push_str("<br>"),
                _ => html.push(character),
            }
        }
        html.push_str("</p>");
    }
    html.push_str("</body></html>");
    html
}
