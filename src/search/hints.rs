//! Suggestions for a text that occurs in no name.

use std::fmt;

use tabiya_chess::{
    Flow, NameId, NameKind,
    opening_names::names,
    text::{decode, folded},
};
use tabiya_formats::{Ask, FormatKind, NameSlot, TimeSlice, error::Result, progress::Progress};

use super::Search;
use crate::{
    database::Database,
    plan::names_of,
    progress::WithProgress,
    query::{
        EcoTest, HeaderClause, NumberField, Query, TagNumber, TextField, TextTest, condition_meant,
    },
};

/// Longer names are not compared with the text, and longer texts with no name.
const NAME_BYTES_MAX: usize = 256;
/// The greatest number of words in a text that are compared.
const WORDS_MAX: usize = 6;

/// A condition that no game of a database can satisfy, because none of its names has the text, and
/// what was probably meant. `Display` formats it as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub struct Hint {
    /// The condition, as in a query: `player:karlsen`.
    pub clause: String,
    /// A condition that some name satisfies, as in a query: `player:"Carlsen, Magnus"`.
    pub instead: Option<String>,
    /// Whether the text looks like a regular expression without its slashes.
    pub is_regex: bool,
}

impl Hint {
    /// Returns the hints that each of several databases gives, as the first one gives them: what
    /// fits in any of them is found there.
    #[must_use]
    pub fn of_all(databases: impl IntoIterator<Item = Vec<Hint>>) -> Vec<Hint> {
        let common = databases.into_iter().reduce(|mut common, hints| {
            common.retain(|hint| hints.iter().any(|other| other.clause == hint.clause));
            common
        });
        common.unwrap_or_default()
    }
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing fits `{}`", self.clause)?;
        if self.is_regex {
            f.write_str("; a regular expression stands between slashes, and `*` for any letters")?;
        }
        match &self.instead {
            Some(instead) => write!(f, "; did you mean `{instead}`?"),
            None => Ok(()),
        }
    }
}

impl Search<'_> {
    /// Returns why a search without matches could not find anything: its conditions on names that
    /// no name in the database satisfies, each with the nearest one that does.
    ///
    /// O(names) and one pass over the index for each such condition.
    ///
    /// # Errors
    /// `Missing` if the query needs names and there are none.
    pub fn hints(&self, database: &Database) -> Result<Vec<Hint>> {
        self.on_progress(Progress::ignore).hints(database)
    }
}

impl<F: FnMut(Progress) -> Flow> WithProgress<&Search<'_>, F> {
    /// Returns why a search without matches could not find anything. The callback always gets 0
    /// games done. See [`Search::hints`].
    ///
    /// # Errors
    /// Those of [`Search::hints`]; `Interrupted` if the callback breaks.
    pub fn hints(mut self, database: &Database) -> Result<Vec<Hint>> {
        let mut ask = || (self.progress)(Progress::of(0, database.len().into()));
        let mut clauses = Vec::new();
        collect(&self.work.query, &mut clauses);
        let hints = clauses.into_iter().map(|clause| match clause {
            HeaderClause::Text(field, test) => Helper { database, field }.hint(test, &mut ask),
            HeaderClause::Plain(test) => of_plain(database, test, &mut ask),
            // Positions have codes too.
            HeaderClause::Eco(EcoTest::Compare(compare)) => {
                let by_position = HeaderClause::EcoPosition(EcoTest::Compare(*compare));
                of_alone(database, clause, &by_position, &mut ask)
            }
            // Players are rated as puzzles are.
            HeaderClause::TagNumber(TagNumber::Rating, compare)
                if database.kind() != FormatKind::Puzzles =>
            {
                let of_players = HeaderClause::Number(NumberField::Elo, *compare);
                of_alone(database, clause, &of_players, &mut ask)
            }
            _ => Ok(None),
        });
        hints.filter_map(Result::transpose).collect()
    }
}

/// Collects the conditions on texts that a game must satisfy; negated ones are skipped.
fn collect<'q>(query: &'q Query, clauses: &mut Vec<&'q HeaderClause>) {
    match query {
        Query::And(queries) | Query::Or(queries) => {
            queries.iter().for_each(|query| collect(query, clauses));
        }
        Query::Header(clause) => clauses.push(clause),
        _ => {}
    }
}

/// Returns the hint for a condition that no game meets: another one, unless that cannot be written.
fn of_alone(
    database: &Database,
    clause: &HeaderClause,
    instead: &HeaderClause,
    ask: Ask<'_>,
) -> Result<Option<Hint>> {
    let alone = Query::Header(clause.clone());
    let search = Search::new(&alone).limit(1);
    let found = search.on_progress(|_| ask()).count(database)?;
    if found.matched > 0 {
        return Ok(None);
    }
    let instead = instead.to_string();
    Ok(Some(Hint {
        clause: clause.to_string(),
        // The codes of positions have no sub-codes.
        instead: instead.parse::<Query>().is_ok().then_some(instead),
        is_regex: false,
    }))
}

/// Returns the condition on both names where a comma stands between two.
fn of_two_names(
    helper: &Helper<'_>,
    slot: NameSlot,
    text: &str,
    ask: Ask<'_>,
) -> Result<Option<String>> {
    let Some((one, other)) = text.split_once(',') else {
        return Ok(None);
    };
    let mut both = Vec::new();
    for name in [one, other].map(str::trim) {
        let test = TextTest::Contains(name.to_owned());
        if name.len() < 3 || !helper.finds(slot, &test, ask)? {
            return Ok(None);
        }
        both.push(HeaderClause::Text(helper.field.clone(), test).to_string());
    }
    Ok(Some(both.join(" ")))
}

/// Returns the hint for a text without a field.
fn of_plain(database: &Database, test: &TextTest, ask: Ask<'_>) -> Result<Option<Hint>> {
    let text = match test {
        TextTest::Contains(text) => text.clone(),
        TextTest::Like(pieces) => pieces.join("*"),
        _ => return Ok(None),
    };
    let helpers = [&TextField::Player, &TextField::Event, &TextField::Site]
        .map(|field| Helper { database, field });
    // Names of openings hold numbers of moves, which nobody looks for.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let mut fits = !is_number && !test.openings().is_empty();
    for (helper, slot) in helpers.iter().zip(PLAIN_SLOTS) {
        fits = fits || helper.finds(slot, test, ask)?;
    }
    if fits {
        return Ok(None);
    }
    let clause = |text| HeaderClause::Plain(TextTest::Contains(text)).to_string();
    let mut instead = condition_meant(&text);
    for (helper, slot) in helpers.iter().zip(PLAIN_SLOTS) {
        if instead.is_none() {
            instead = helper.nearest(slot.kind(), &text, ask)?.map(clause);
        }
    }
    let instead = instead.or_else(|| nearest_opening(&text).map(clause));
    Ok(Some(Hint {
        clause: HeaderClause::Plain(test.clone()).to_string(),
        instead,
        is_regex: false,
    }))
}

/// The names that a text without a field is looked for in; those of both players are one list.
const PLAIN_SLOTS: [NameSlot; 3] = [NameSlot::White, NameSlot::Event, NameSlot::Site];

/// Returns the word of an opening's name that differs from a word by one typing mistake.
fn nearest_opening(text: &str) -> Option<String> {
    let wanted = folded_text(text);
    let is_meant = |word: &&str| mistakes(&wanted, &folded_text(word)) == Some(2);
    let one_word = words(text).eq([text]);
    let mut all = names().iter().flat_map(|name| words(name));
    all.find(|word| one_word && is_meant(word))
        .map(str::to_owned)
}

/// Finds what was probably meant by a text of one field.
struct Helper<'a> {
    database: &'a Database,
    field: &'a TextField,
}

impl Helper<'_> {
    fn hint(&self, test: &TextTest, ask: Ask<'_>) -> Result<Option<Hint>> {
        let text = match test {
            TextTest::Contains(text) | TextTest::Equals(text) => text.clone(),
            TextTest::Like(pieces) => pieces.join("*"),
            TextTest::Differs(_) | TextTest::Present | TextTest::Matches(_) => return Ok(None),
        };
        let plain = without_regex(&text);
        let is_regex = plain.is_some();
        let slot = self.slot();
        // Other tags are only known by decoding.
        let nothing_fits = match slot {
            Some(slot) => !self.finds(slot, test, ask)?,
            None => is_regex,
        };
        if !nothing_fits {
            return Ok(None);
        }
        if let Some(slot) = slot.filter(|_| *self.field == TextField::Player)
            && let Some(instead) = of_two_names(self, slot, &text, ask)?
        {
            return Ok(Some(Hint {
                clause: HeaderClause::Text(self.field.clone(), test.clone()).to_string(),
                instead: Some(instead),
                is_regex: false,
            }));
        }
        let mut meant = plain.unwrap_or_else(|| of_stars(&text));
        if let Some(slot) = slot
            && (meant == *test || !self.finds(slot, &meant, ask)?)
        {
            match self.nearest(slot.kind(), &text, ask)? {
                Some(name) => meant = TextTest::Contains(name),
                None => meant = test.clone(),
            }
        }
        let clause = |test| HeaderClause::Text(self.field.clone(), test).to_string();
        let instead = (meant != *test).then(|| clause(meant));
        Ok(Some(Hint {
            clause: clause(test.clone()),
            instead,
            is_regex,
        }))
    }

    /// Returns the name slot of the field; `None` for tags that the index does not store.
    fn slot(&self) -> Option<NameSlot> {
        Some(match self.field {
            TextField::White | TextField::Player | TextField::Winner | TextField::Loser => {
                NameSlot::White
            }
            TextField::Black => NameSlot::Black,
            TextField::Event => NameSlot::Event,
            TextField::Site => NameSlot::Site,
            TextField::Round => NameSlot::Round,
            TextField::Tag(_) | TextField::Title(_) | TextField::Theme => return None,
        })
    }

    fn finds(&self, slot: NameSlot, test: &TextTest, ask: Ask<'_>) -> Result<bool> {
        let names = names_of(self.database, self.field, slot, test, ask)?;
        Ok(!names.is_empty())
    }

    /// Returns the name whose words are nearest to those of a text; if several are equally near,
    /// the one with most games. For a single word that is not a player's name, returns only that
    /// word of the name. `None` if no name is near.
    fn nearest(&self, kind: NameKind, text: &str, ask: Ask<'_>) -> Result<Option<String>> {
        let wanted = folded_text(text);
        let wanted: Vec<&str> = words(&wanted).collect();
        if wanted.is_empty() || wanted.len() > WORDS_MAX || text.len() > NAME_BYTES_MAX {
            return Ok(None);
        }
        let names = self.database.folded_names(kind)?;
        let (mut least, mut nearest) = (usize::MAX, Vec::new());
        let mut turn = TimeSlice::begin();
        for id in 0..names.starts.len() {
            turn.yield_now(ask)?;
            let name = str::from_utf8(names.get(id)).unwrap_or_default();
            if name.len() > NAME_BYTES_MAX {
                continue;
            }
            if let Some(mistakes) = distance(&wanted, name, least) {
                if mistakes < least {
                    nearest.clear();
                }
                least = mistakes;
                nearest.push(NameId(id as u32));
            }
        }
        let Some(id) = self.database.most_frequent(kind, &nearest)? else {
            return Ok(None);
        };
        let name = self.database.names(kind)?.get(id).unwrap_or_default();
        let name = decode(name);
        let word = match (&wanted[..], kind) {
            (_, NameKind::Player) => None,
            ([one], _) => {
                let words = words(&name);
                words.min_by_key(|word| mistakes(one, &folded_text(word)).unwrap_or(usize::MAX))
            }
            _ => None,
        };
        Ok(Some(word.unwrap_or(&name).to_owned()))
    }
}

/// Returns the test of a text after `:`.
fn of_stars(text: &str) -> TextTest {
    TextTest::from(text.split('*').map(str::to_owned).collect::<Vec<_>>())
}

/// Returns the meaning of a text that looks like a regular expression, such as `/Linares/`,
/// `~Linares`, `^Carl` or `Kar.*ov`; `None` for other texts.
fn without_regex(text: &str) -> Option<TextTest> {
    let inner = text.trim_start_matches('~').trim();
    let slashed = inner
        .strip_prefix('/')
        .and_then(|rest| rest.rsplit_once('/'));
    let inner = slashed.map_or(inner, |(inner, _)| inner);
    let (begins, inner) = match inner.strip_prefix('^') {
        Some(rest) => (true, rest),
        None => (false, inner),
    };
    let (ends, inner) = match inner.strip_suffix('$') {
        Some(rest) => (true, rest),
        None => (false, inner),
    };
    let inner = inner.replace(".*", "*");
    if inner == text {
        return None;
    }
    let mut whole = inner.as_str();
    if !begins {
        whole = whole.trim_start_matches('*');
    }
    if !ends {
        whole = whole.trim_end_matches('*');
    }
    if !begins && !ends && !whole.contains('*') {
        return Some(TextTest::Contains(whole.to_owned()));
    }
    let [before, after] = [begins, ends].map(|bound| if bound { "" } else { "*" });
    match (begins && ends, of_stars(&format!("{before}{whole}{after}"))) {
        (true, TextTest::Contains(whole)) => Some(TextTest::Equals(whole)),
        (_, test) => Some(test),
    }
}

fn folded_text(text: &str) -> String {
    String::from_utf8(folded(text.as_bytes())).unwrap_or_default()
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|sign: char| !sign.is_alphanumeric());
    words.filter(|word| !word.is_empty())
}

/// Returns the sum of the [`mistakes`] of all wanted words against the nearest words of a name;
/// `None` for more than `most`, or too many in one word.
fn distance(wanted: &[&str], name: &str, most: usize) -> Option<usize> {
    let mut sum = 0;
    for word in wanted {
        sum += words(name)
            .filter_map(|other| mistakes(word, other))
            .min()?;
        if sum > most {
            return None;
        }
    }
    Some(sum)
}

/// Returns the distance in typing mistakes between a word and another, or the beginning of it:
/// twice their number, plus one for a beginning. `None` for more than one mistake in three
/// characters.
fn mistakes(word: &str, other: &str) -> Option<usize> {
    let length = word.chars().count();
    let most = length.div_ceil(3).min(length / 2).min(length - 1);
    let mistakes = |other: &str| {
        let difference = other.chars().count().abs_diff(length);
        let mistakes = (difference <= most).then(|| strsim::osa_distance(word, other));
        mistakes.filter(|&mistakes| mistakes <= most)
    };
    let whole = mistakes(other);
    let beginning = other.char_indices().nth(length);
    let beginning = beginning.and_then(|(end, _)| mistakes(other.get(..end)?));
    // A whole word is nearer than the beginning of a longer one.
    whole
        .map(|mistakes| 2 * mistakes)
        .into_iter()
        .chain(beginning.map(|mistakes| 2 * mistakes + 1))
        .min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_expressions_are_known_by_their_looks() {
        let meant = |text: &str| without_regex(text);
        let contains = |text: &str| Some(TextTest::Contains(text.to_owned()));
        let like = |text: &str| Some(of_stars(text));
        assert_eq!(meant("/Linares/"), contains("Linares"));
        assert_eq!(meant("/linares.*/i"), contains("linares"));
        assert_eq!(meant("~Linares"), contains("Linares"));
        assert_eq!(meant("~/^Lin.*es$/"), like("Lin*es"));
        assert_eq!(meant("^Carl"), like("Carl*"));
        assert_eq!(meant("sen$"), like("*sen"));
        assert_eq!(meant("^Tal$"), Some(TextTest::Equals("Tal".to_owned())));
        assert_eq!(meant("Kar.*ov"), like("*Kar*ov*"));
        assert_eq!(meant("Linares"), None);
        assert_eq!(meant("https://a/b"), None);
    }

    #[test]
    fn words_are_near_with_few_typing_mistakes() {
        assert_eq!(mistakes("carlsen", "carlsen"), Some(0));
        assert!(mistakes("karlsen", "carlsen") < mistakes("karlson", "carlsen"));
        assert!(mistakes("g", "garry").is_some());
        assert_eq!(mistakes("g", "h"), None);
        assert_eq!(mistakes("tal", "petrosian"), None);
    }
}
