//! Files of right spellings, in the form of Scid's `spelling.ssp`.
//!
//! What the form is and how sure that is: `docs/formats.md`.

use std::collections::HashMap;

use tabiya_chess::{NameKind, text::folded};

use crate::{limits::SPELLING_LINE_BYTES_MAX, query::Fault};

/// A list of right names with other spellings of each, and corrections of parts of names: what a
/// file in the form of Scid's `spelling.ssp` says.
///
/// ```
/// use tabiya::{Spellings, chess::NameKind};
///
/// let list = Spellings::parse(
///     "@PLAYER \"., -_*\"\n\
///      Speelman, Jonathan S #gm ENG [2640] 1956.10.02\n   = Speelman, JS\n\
///      @EVENT \",. -_\"\n%Suffix \" mem\" \" Memorial\"\n",
/// )?;
/// let right = |kind, name| list.right(kind, name);
/// assert_eq!(right(NameKind::Player, "speelman,j.s.").unwrap(), "Speelman, Jonathan S");
/// assert_eq!(right(NameKind::Event, "Capablanca mem").unwrap(), "Capablanca Memorial");
/// assert_eq!(right(NameKind::Player, "Speelman, Jonathan S"), None);
/// # Ok::<(), tabiya::query::Fault>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct Spellings {
    /// By kind of name.
    sections: [Section; 4],
}

#[derive(Debug, Clone, Default)]
struct Section {
    /// Characters that do not count.
    ignored: String,
    right: Vec<String>,
    /// The place of the right name by the form of a spelling; `None` if several have it.
    by_form: HashMap<String, Option<u32>>,
    /// The forms in alphabetical order, with the place of the right name, for names that are cut.
    sorted: Vec<(String, u32)>,
    corrections: Vec<(Place, String, String)>,
}

/// Which part of a name is corrected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Beginning,
    Inside,
    End,
}

/// Most spellings that begin with a name and are looked at.
const BEGUN_MAX: usize = 64;

impl Spellings {
    /// Reads a list. Lines with `%` that are no corrections (biographies, ratings, titles) and what
    /// stands behind `#` are passed over.
    ///
    /// # Errors
    /// At the first line that cannot be of such a list.
    pub fn parse(text: &str) -> Result<Spellings, Fault> {
        let mut spellings = Spellings::default();
        let mut present: Option<NameKind> = None;
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let at = start;
            start += line.len();
            let fault = |message: &str| Fault::new(at..at + line.trim_end().len(), message);
            if line.len() > SPELLING_LINE_BYTES_MAX {
                return Err(fault("the line is too long for a name"));
            }
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            if let Some(rest) = line.strip_prefix('@') {
                let (word, rest) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                let kind = match word {
                    "PLAYER" => NameKind::Player,
                    "SITE" => NameKind::Site,
                    "EVENT" => NameKind::Event,
                    "ROUND" => NameKind::Round,
                    _ => return Err(fault("the sections are @PLAYER, @SITE, @EVENT and @ROUND")),
                };
                let ignored = quoted(rest).map(|(ignored, _)| ignored);
                spellings.sections[kind as usize].ignored = ignored.unwrap_or_default().to_owned();
                present = Some(kind);
                continue;
            }
            let Some(kind) = present else {
                return Err(fault(
                    "expected a section before it: @PLAYER, @SITE, @EVENT or @ROUND",
                ));
            };
            spellings.sections[kind as usize]
                .read(line)
                .map_err(fault)?;
        }
        for section in &mut spellings.sections {
            section.finish();
        }
        Ok(spellings)
    }

    /// Returns the right spelling of a name; `None` if it is right or the list says nothing.
    ///
    /// Capitals, accents and the characters that a section names do not count. A player is also
    /// found with the surname last, and by a beginning that only one player's spellings have.
    #[must_use]
    pub fn right(&self, kind: NameKind, name: &str) -> Option<String> {
        let section = &self.sections[kind as usize];
        let corrected = section.corrected(name);
        let found = section.find(&corrected).or_else(|| {
            let is_player = kind == NameKind::Player;
            is_player.then(|| section.find_player(&corrected)).flatten()
        });
        let right = found.map_or(corrected, str::to_owned);
        (right != name).then_some(right)
    }

    /// Returns the number of right names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sections
            .iter()
            .map(|section| section.right.len())
            .sum()
    }

    /// Returns whether there is no right name.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Section {
    /// Reads a line that is no section.
    fn read(&mut self, line: &str) -> Result<(), &'static str> {
        if let Some(command) = line.strip_prefix('%') {
            let place = match command.split_whitespace().next() {
                Some("Prefix") => Place::Beginning,
                Some("Infix") => Place::Inside,
                Some("Suffix") => Place::End,
                _ => return Ok(()),
            };
            let both = quoted(command).and_then(|(from, rest)| Some((from, quoted(rest)?.0)));
            let Some((from, to)) = both.filter(|(from, _)| !from.is_empty()) else {
                return Err("expected two texts in quotation marks, a wrong one and the right one");
            };
            self.corrections
                .push((place, from.to_owned(), to.to_owned()));
            return Ok(());
        }
        if let Some(other) = line.strip_prefix('=') {
            let Some(last) = self.right.len().checked_sub(1) else {
                return Err("another spelling stands after the right name, and there is none");
            };
            let form = self.form(other.trim());
            self.learn(form, last as u32);
            return Ok(());
        }
        let form = self.form(line);
        self.right.push(line.to_owned());
        // A right name is itself, whatever else is spelt so.
        self.by_form.insert(form, Some(self.right.len() as u32 - 1));
        Ok(())
    }

    fn learn(&mut self, form: String, place: u32) {
        let right = |known: u32, this: &Section| this.form(&this.right[known as usize]);
        match self.by_form.get(&form) {
            None => drop(self.by_form.insert(form, Some(place))),
            Some(Some(known)) if *known != place && right(*known, self) != form => {
                self.by_form.insert(form, None);
            }
            Some(_) => {}
        }
    }

    fn finish(&mut self) {
        let forms = self.by_form.iter();
        let known = forms.filter_map(|(form, place)| Some((form.clone(), (*place)?)));
        self.sorted = known.collect();
        self.sorted.sort_unstable();
    }

    /// Returns a name in the form in which it is compared.
    fn form(&self, name: &str) -> String {
        let counts: String = name
            .chars()
            .filter(|&letter| !self.ignored.contains(letter))
            .collect();
        String::from_utf8_lossy(&folded(counts.as_bytes())).into_owned()
    }

    fn find(&self, name: &str) -> Option<&str> {
        let place = self.by_form.get(&self.form(name)).copied().flatten()?;
        self.right.get(place as usize).map(String::as_str)
    }

    /// Returns the player with the surname last, or with a name that goes on.
    fn find_player(&self, name: &str) -> Option<&str> {
        let turned = name.rsplit_once(' ').filter(|_| !name.contains(','));
        let turned = turned.map(|(first, last)| format!("{last}, {first}"));
        if let Some(found) = turned.as_ref().and_then(|turned| self.find(turned)) {
            return Some(found);
        }
        let name = turned.as_deref().unwrap_or(name);
        // A surname alone is nobody's.
        let (_, given) = name.split_once(',')?;
        given.chars().find(|letter| letter.is_alphanumeric())?;
        let form = self.form(name);
        let from = self.sorted.partition_point(|(known, _)| *known < form);
        let begun = self.sorted[from..].iter();
        let mut begun = begun.take_while(|(known, _)| known.starts_with(&form));
        let (_, first) = begun.next()?;
        let mut others = begun.take(BEGUN_MAX);
        let only = others.all(|(_, other)| other == first);
        only.then(|| self.right.get(*first as usize).map(String::as_str))?
    }

    /// Applies the corrections of parts of names.
    fn corrected(&self, name: &str) -> String {
        let mut corrected = name.to_owned();
        for (place, from, to) in &self.corrections {
            let changed = match place {
                Place::Beginning => corrected
                    .strip_prefix(from)
                    .map(|rest| format!("{to}{rest}")),
                Place::End => corrected
                    .strip_suffix(from)
                    .map(|rest| format!("{rest}{to}")),
                Place::Inside => corrected
                    .split_once(from.as_str())
                    .map(|(before, after)| format!("{before}{to}{after}")),
            };
            // Corrections may make names longer only as far as a line is.
            corrected = changed
                .filter(|changed| changed.len() <= SPELLING_LINE_BYTES_MAX)
                .unwrap_or(corrected);
        }
        corrected
    }
}

/// Returns the first text in quotation marks, and what follows it.
fn quoted(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once('"')?;
    rest.split_once('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "\
# a comment
@PLAYER \"., -_*\"

Müller, Karsten         #gm  GER [2560] 1970.11.23
   = Mueller, Karsten
   %Bio Born in Hamburg
Wang Lei                #wgm CHN
Speelman, Jonathan S
   = Speelman, JS
Adams, Michael
Adams, Mark
   = Adams, M
Adamski, Jan
   = Adams, M
@SITE \",. -_\"
%Suffix \"(Norway)\" \"NOR\"
Oslo NOR
@ROUND \"\"
1
   = 01
";

    fn right(kind: NameKind, name: &str) -> Option<String> {
        Spellings::parse(LIST).unwrap().right(kind, name)
    }

    #[test]
    fn players_are_found_by_other_spellings_order_and_beginnings() {
        let right = |name| right(NameKind::Player, name);
        for name in [
            "Mueller, Karsten",
            "Muller,Karsten",
            "Karsten Müller",
            "MUELLER KARSTEN",
        ] {
            assert_eq!(right(name).as_deref(), Some("Müller, Karsten"), "{name}");
        }
        for name in [
            "J. S. Speelman",
            "Speelman, J.S.",
            "Jonathan Speelman",
            "Speelman, Jon",
        ] {
            assert_eq!(
                right(name).as_deref(),
                Some("Speelman, Jonathan S"),
                "{name}"
            );
        }
        for name in ["Müller, Karsten", "Wang Lei", "Speelman", "Nobody, N"] {
            assert_eq!(right(name), None, "{name}");
        }
        // Two players have this spelling.
        assert_eq!(right("Adams, M"), None);
    }

    #[test]
    fn parts_of_sites_are_corrected_and_rounds_compared_whole() {
        assert_eq!(
            right(NameKind::Site, "Oslo (Norway)").as_deref(),
            Some("Oslo NOR")
        );
        assert_eq!(
            right(NameKind::Site, "Alta (Norway)").as_deref(),
            Some("Alta NOR")
        );
        assert_eq!(right(NameKind::Round, "01").as_deref(), Some("1"));
        assert_eq!(right(NameKind::Round, "0.1"), None);
        assert_eq!(right(NameKind::Event, "01"), None);
    }

    #[test]
    fn a_line_that_is_no_list_says_where_it_is() {
        for (text, at) in [
            ("Carlsen, Magnus\n", 0),
            ("@PLAYER\n = Carlsen\n", 8),
            ("@PLAYERS\n", 0),
            ("@SITE \"\"\n%Prefix \"a\"\n", 9),
            ("@SITE \"\"\n%Infix \"\" \"a\"\n", 9),
        ] {
            let fault = Spellings::parse(text).unwrap_err();
            assert_eq!(fault.start, at, "{text}");
        }
        let long = format!("@PLAYER\n{}\n", "a".repeat(SPELLING_LINE_BYTES_MAX));
        assert!(Spellings::parse(&long).is_err());
        assert!(Spellings::parse("\n# nothing\n").unwrap().is_empty());
    }

    #[test]
    fn corrections_that_grow_end() {
        let grow = "@EVENT \"\"\n".to_owned() + &"%Infix \"a\" \"aaaaaaaa\"\n".repeat(1 << 12);
        let list = Spellings::parse(&grow).unwrap();
        let grown = list.right(NameKind::Event, "a").unwrap();
        assert!(grown.len() <= SPELLING_LINE_BYTES_MAX);
    }
}
