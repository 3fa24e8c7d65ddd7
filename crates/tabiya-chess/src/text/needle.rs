//! Text search as by `:` in the query language.

use memchr::memmem::Finder;
use unicode_normalization::char::is_combining_mark;

use super::{decode, folded, signs};

/// Most words that a name in the order first name, family name may have; longer texts are not
/// names.
const NAME_WORDS_MAX: usize = 6;

/// A search text, as used by `:` in the query language. Prepared once, then searched for in many
/// texts.
///
/// Ignores case; runs of spaces count as one. An accent in the needle must match; a letter without
/// an accent matches that letter with any accent.
#[derive(Debug, Clone)]
pub struct Needle {
    /// The alternatives to find.
    forms: Vec<Form>,
    accented: bool,
}

/// Pieces that follow each other, with anything between them.
#[derive(Debug, Clone)]
pub struct Form {
    pieces: Vec<Piece>,
    /// Whether the first piece must begin the text.
    begins: bool,
    /// Whether the last piece must end the text.
    ends: bool,
}

#[derive(Debug, Clone)]
struct Piece {
    /// Folded by [`folded`].
    folded: Finder<'static>,
    /// The same with accents after their letters.
    marked: String,
}

/// Where a piece must be in the rest of a text.
struct Bounds {
    begins: bool,
    ends: bool,
}

impl Needle {
    /// Prepares a search for a substring. An empty text is found everywhere.
    #[must_use]
    pub fn new(text: &str) -> Needle {
        Needle::of([Form::new(&[text], false, false)])
    }

    /// As [`new`](Needle::new), for names of people. A text of two to six words without a comma
    /// also matches the beginning of a name in the form `Last, First`: `Jan van Foreest` matches
    /// `van Foreest, Jan` and `Foreest,Jan van`.
    #[must_use]
    pub fn of_person(text: &str) -> Needle {
        let words: Vec<&str> = text.split_whitespace().collect();
        let is_name = !text.contains(',') && words.len() <= NAME_WORDS_MAX;
        let turned = (1..words.len())
            .filter(|_| is_name)
            .flat_map(|first_names| {
                let (first, last) = words.split_at(first_names);
                let (first, last) = (first.join(" "), last.join(" "));
                [", ", ","].map(|comma| Form::new(&[format!("{last}{comma}{first}")], true, false))
            });
        Needle::of([Form::new(&[text], false, false)].into_iter().chain(turned))
    }

    /// Prepares a comparison with whole texts, with anything between its `pieces`. Without pieces
    /// it matches nothing.
    #[must_use]
    pub fn of_pieces(pieces: &[String]) -> Needle {
        let form = (!pieces.is_empty()).then(|| Form::new(pieces, true, true));
        Needle::of(form)
    }

    fn of(forms: impl IntoIterator<Item = Form>) -> Needle {
        let forms: Vec<Form> = forms.into_iter().collect();
        let mut pieces = forms.iter().flat_map(|form| &form.pieces);
        Needle {
            accented: pieces.any(|piece| piece.marked.as_bytes() != piece.folded.needle()),
            forms,
        }
    }

    /// Returns the alternatives to find.
    pub fn forms(&self) -> &[Form] {
        &self.forms
    }

    /// Whether a form that [is found](Form::is_in) in folded text is a match; if not,
    /// [`is_in`](Needle::is_in) must check the original text.
    pub fn folded_is_enough(&self) -> bool {
        !self.accented
    }

    /// Whether the needle is found in a text. O(length of the text) unless the needle has accents:
    /// then, at worst, times the length of the needle.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        let folded = folded(text.as_bytes());
        let mut fitting = self
            .forms
            .iter()
            .filter(|form| form.is_in(&folded))
            .peekable();
        if fitting.peek().is_none() || !self.accented {
            return fitting.peek().is_some();
        }
        let marked = marked(text);
        fitting.any(|form| form.is_in_marked(&marked))
    }
}

impl Form {
    fn new(texts: &[impl AsRef<str>], begins: bool, ends: bool) -> Form {
        let piece = |text: &str| {
            let folded = folded(text.as_bytes());
            Piece {
                folded: Finder::new(&folded).into_owned(),
                marked: marked(text),
            }
        };
        Form {
            pieces: texts.iter().map(|text| piece(text.as_ref())).collect(),
            begins,
            ends,
        }
    }

    /// Returns the longest piece: every text of this form contains it.
    pub fn longest(&self) -> Option<&Finder<'static>> {
        let finders = self.pieces.iter().map(|piece| &piece.folded);
        finders.max_by_key(|finder| finder.needle().len())
    }

    /// Whether folded text has this form, ignoring accents. O(length of the text).
    pub fn is_in(&self, folded: &[u8]) -> bool {
        self.lies(|piece, from, bounds| {
            let rest = folded.get(from..)?;
            let wanted = piece.folded.needle();
            match (bounds.begins, bounds.ends) {
                (true, true) => (rest == wanted).then_some(folded.len()),
                (true, false) => rest.starts_with(wanted).then_some(from + wanted.len()),
                (false, true) => rest.ends_with(wanted).then_some(folded.len()),
                (false, false) => Some(from + piece.folded.find(rest)? + wanted.len()),
            }
        })
    }

    /// Whether text with accents after their letters has this form.
    fn is_in_marked(&self, text: &str) -> bool {
        self.lies(|piece, from, bounds| {
            let rest = text.get(from..)?;
            let is_start = |&(at, sign): &(usize, char)| at == 0 || !is_combining_mark(sign);
            let starts = rest.char_indices().filter(is_start).map(|(at, _)| at);
            let count = if bounds.begins { 1 } else { usize::MAX };
            let mut ends = starts
                .chain([rest.len()])
                .take(count)
                .filter_map(|start| Some(start + length_of(&piece.marked, rest.get(start..)?)?));
            let end = ends.find(|&end| !bounds.ends || end == rest.len())?;
            Some(from + end)
        })
    }

    /// Searches for the pieces one after the other. `find` receives a piece and the offset from
    /// which to search, and returns its end. The first occurrence is never worse than a later one.
    fn lies(&self, find: impl Fn(&Piece, usize, Bounds) -> Option<usize>) -> bool {
        let mut at = 0;
        self.pieces.iter().enumerate().all(|(index, piece)| {
            let bounds = Bounds {
                begins: self.begins && index == 0,
                ends: self.ends && index + 1 == self.pieces.len(),
            };
            let end = find(piece, at, bounds);
            at = end.unwrap_or(at);
            end.is_some()
        })
    }
}

/// Returns the text in lower case, with accents after their letters and single spaces.
pub fn marked(text: &str) -> String {
    signs(&decode(text.as_bytes()))
        .map(|(sign, _)| sign)
        .collect()
}

/// Returns the number of bytes that the letters of `wanted` take at the beginning of `text`,
/// including accents; `None` if `text` begins differently.
fn length_of(wanted: &str, text: &str) -> Option<usize> {
    let mut wanted = wanted.chars().peekable();
    let mut rest = text;
    while let Some(letter) = wanted.next() {
        rest = rest.strip_prefix(letter)?;
        let is_letter = |sign: char| !is_combining_mark(sign);
        let (accents, after) = rest.split_at(rest.find(is_letter).unwrap_or(rest.len()));
        let mut have = accents.chars();
        let mut any = true;
        while let Some(accent) = wanted.next_if(|&next| is_combining_mark(next)) {
            any = false;
            if have.next() != Some(accent) {
                return None;
            }
        }
        if !any && have.next().is_some() {
            return None;
        }
        rest = after;
    }
    Some(text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contains(needle: &str, text: &str) -> bool {
        Needle::new(needle).is_in(text)
    }

    fn fits(pattern: &str, text: &str) -> bool {
        Needle::of_pieces(&super::super::pieces(pattern, "*")).is_in(text)
    }

    #[test]
    fn an_absent_accent_matches_any_and_a_present_one_itself() {
        let is_in = contains;
        assert!(is_in("muller", "Müller, Karsten"));
        assert!(is_in("MÜLLER", "müller"));
        assert!(is_in("Müller", "Mu\u{308}ller"));
        assert!(!is_in("Müller", "Muller"));
        assert!(!is_in("Müller", "Mûller"));
        assert!(is_in("müller, k", "Müller,  Karsten"));
        assert!(is_in("hoi", "Høi"));
        assert!(is_in("høi", "Høi, Carsten"));
        assert!(!is_in("høi", "Hoi"));
        assert!(is_in("λασκερ", "Λάσκερ"));
        assert!(is_in("", ""));
    }

    #[test]
    fn runs_of_spaces_count_as_one_and_capitals_do_not_count() {
        assert!(Needle::new("de  la").is_in("Jan DE LA Cruz"));
        assert!(Needle::new("de la").is_in("de \t la"));
        assert!(!Needle::new("dela").is_in("de la"));
    }

    #[test]
    fn sharp_s_is_two_and_every_sigma_is_one() {
        assert!(contains("ΣΊΣ", "ΣΊΣΥΦΟΣ"));
        assert!(contains("σίς", "Σίσυφος"));
        assert!(contains("σισυφοσ", "Σίσυφος"));
        assert!(contains("gross", "Groß, Stefan"));
        assert!(contains("GROẞ", "Gross, Stefan"));
        assert!(contains("groß", "GROSS"));
        assert!(!contains("großs", "Gross"));
    }

    #[test]
    fn stars_stand_for_any_letters_of_the_whole_text() {
        assert!(fits("tal,*", "Tal, Mikhail"));
        assert!(!fits("tal,*", "Vitaliy, A"));
        assert!(!fits("tal,*", "Kristal, B"));
        assert!(fits("*tal*", "Kristal, B"));
        assert!(fits("*", "") && fits("**", "x") && fits("*", "x"));
        assert!(fits("a*b*c", "a1b2c") && fits("a*b*c", "ABC"));
        assert!(!fits("a*b*c", "a1c2b") && !fits("ab*bc", "abc"));
        assert!(fits("*b", "abb") && !fits("b*", "ab"));
        assert!(fits("ü*é", "Ünité") && !fits("ü*é", "Unité") && !fits("ü*é", "Ünite"));
        assert!(fits("*é*e", "réele") && !fits("*é*e", "reelé"));
        assert!(fits("r*é", "réé") && fits("u*", "Ü"));
        assert!(!Needle::of_pieces(&[]).is_in(""));
    }

    #[test]
    fn a_persons_name_is_found_in_either_order() {
        let is_in = |needle: &str, text: &str| Needle::of_person(needle).is_in(text);
        assert!(is_in("Magnus Carlsen", "Carlsen, Magnus"));
        assert!(is_in("magnus  carlsen", "Carlsen,Magnus Øen"));
        assert!(is_in("Magnus Carlsen", "Magnus Carlsen"));
        assert!(is_in("m carlsen", "Carlsen, M"));
        assert!(is_in("jan van foreest", "Foreest, Jan van"));
        assert!(is_in("jan van foreest", "Van Foreest, Jan"));
        assert!(is_in("Karsten Müller", "Müller, Karsten"));
        assert!(!is_in("Karsten Müller", "Muller, Karsten"));
        // Only a whole family name is moved, and only without a comma.
        assert!(!is_in("van der", "Zander, Vanessa"));
        assert!(!is_in("Carlsen, Magnus", "Magnus, Carlsen"));
        assert!(!is_in("Carlsen Magnus", "Carlsen, Magnus"));
        assert!(!Needle::new("Magnus Carlsen").is_in("Carlsen, Magnus"));
        assert!(!is_in("a b c d e f g", "g, a b c d e f"));
    }

    #[test]
    fn a_run_of_accents_is_compared_in_one_go() {
        let accents = format!("e{}", "\u{301}".repeat(1 << 18));
        assert!(contains("e", &accents) && contains(&accents, &accents));
        assert!(!contains("é", &accents));
        assert!(!contains(&accents, "é"));
    }
}
