//! The text of HTML, in which ChessBase keeps articles.

/// Elements that start a new line.
const BREAKING: [&str; 12] = [
    "br", "p", "div", "tr", "li", "table", "h1", "h2", "h3", "h4", "h5", "h6",
];
/// Elements whose content is not shown.
const HIDDEN: [&str; 4] = ["head", "script", "style", "title"];

/// Removes HTML tags, decodes character references, and collapses each run of white space into one
/// space or one line break.
pub(crate) fn without_markup(html: &str) -> String {
    let mut plain = Plain::default();
    let mut rest = html;
    while let Some(at) = rest.find(['<', '&']) {
        let (text, special) = rest.split_at(at);
        plain.text(text);
        rest = if special.starts_with('<') {
            past_tag(special, &mut plain)
        } else {
            past_reference(special, &mut plain)
        };
    }
    plain.text(rest);
    plain.text
}

/// Builds text with collapsed white space.
#[derive(Default)]
struct Plain {
    text: String,
    /// White space to insert before the next letter, if any.
    pending: Option<char>,
}

impl Plain {
    fn text(&mut self, text: &str) {
        text.chars().for_each(|letter| self.letter(letter));
    }

    fn letter(&mut self, letter: char) {
        if letter.is_whitespace() {
            self.pending.get_or_insert(' ');
            return;
        }
        let between = self.pending.take().filter(|_| !self.text.is_empty());
        self.text.extend(between);
        self.text.push(letter);
    }
}

/// Skips a tag, and the content of a hidden element.
fn past_tag<'h>(html: &'h str, plain: &mut Plain) -> &'h str {
    let (tag, rest) = html.split_once('>').unwrap_or((html, ""));
    let closes = tag.starts_with("</");
    let name = tag.trim_start_matches(['<', '/']);
    let name = name.split(|letter: char| !letter.is_alphanumeric()).next();
    let name = name.unwrap_or_default().to_ascii_lowercase();
    if BREAKING.contains(&name.as_str()) {
        plain.pending = Some('\n');
    }
    if HIDDEN.contains(&name.as_str()) && !closes {
        past_element(rest, &name)
    } else {
        rest
    }
}

/// Returns what follows the content of an element; empty if it has no end.
fn past_element<'h>(html: &'h str, name: &str) -> &'h str {
    let ends = html.match_indices("</").find(|(at, _)| {
        let found = html.as_bytes().get(at + 2..at + 2 + name.len());
        found.is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()))
    });
    ends.map_or("", |(at, _)| &html[at..])
}

/// Decodes a character reference. An ampersand that starts none is text.
fn past_reference<'h>(html: &'h str, plain: &mut Plain) -> &'h str {
    const LENGTH_MAX: usize = 10;
    const NAMED: [(&str, char); 6] = [
        ("amp", '&'),
        ("lt", '<'),
        ("gt", '>'),
        ("quot", '"'),
        ("apos", '\''),
        ("nbsp", ' '),
    ];
    let end = html.bytes().take(LENGTH_MAX).position(|byte| byte == b';');
    let read = end.and_then(|end| {
        let name = &html[1..end];
        let named = NAMED.iter().find(|(known, _)| *known == name);
        let numbered = || {
            let number = name.strip_prefix('#')?;
            let hexadecimal = number.strip_prefix(['x', 'X']);
            let number = match hexadecimal {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)
        };
        let letter = named.map(|&(_, letter)| letter).or_else(numbered)?;
        Some((letter, &html[end + 1..]))
    });
    let (letter, rest) = read.unwrap_or(('&', &html[1..]));
    plain.letter(letter);
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_becomes_lines_of_text() {
        let html = "<HTML><Head><title>x</title></HEAD><body bgcolor=\"#fff\"><p>Some &amp; \n \
                    <b>bold</b></p><p>&lt;A&#x42;&#67;&gt;&nbsp;AT&T; <br/>end</body>";
        assert_eq!(without_markup(html), "Some & bold\n<ABC> AT&T;\nend");
        assert_eq!(without_markup("a<script>b</b>"), "a");
        assert_eq!(without_markup("a<unclosed"), "a");
        assert_eq!(without_markup("&é&;&#1114112;"), "&é&;&#1114112;");
    }
}
