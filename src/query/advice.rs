//! What was probably meant by words that are looked for in names alone.

use std::fmt;

use super::{HeaderClause, PositionTest, Query, STRUCTURE_NAMES, TextTest};

/// Words of the game, and the condition that asks for them.
const PHRASES: [(&str, &str); 39] = [
    ("mate in one", "can:mate"),
    ("mate in 1", "can:mate"),
    ("missed mate", "missed:mate"),
    ("smothered mate", "mate:smothered"),
    ("back rank mate", "mate:backrank"),
    ("double check", "check:double"),
    ("discovered check", "check:discovered"),
    ("discovered attack", "discovered:\"A>[qr]\""),
    (
        "minority attack",
        "at(structure:carlsbad flip) then at(played:b5 flip)",
    ),
    ("threefold repetition", "repetition:3"),
    ("threefold", "repetition:3"),
    ("fifty moves", "fifty"),
    ("fifty move rule", "fifty"),
    ("50 moves", "fifty"),
    ("opposite colored bishops", "bishops:opposite"),
    ("opposite coloured bishops", "bishops:opposite"),
    ("rook endgame", "at(R=1 r=1 Q+q=0 wminor+bminor=0)"),
    ("rook ending", "at(R=1 r=1 Q+q=0 wminor+bminor=0)"),
    ("pawn endgame", "at(men-P-p=2)"),
    ("pawn ending", "at(men-P-p=2)"),
    ("exchange sacrifice", "sacrifice:2"),
    ("queen sacrifice", "sacrifice>=5"),
    ("en passant", "played:e.p."),
    ("castling", "played:O-O or played:O-O-O"),
    ("castled", "played:O-O or played:O-O-O"),
    ("promotion", "flag:promotion"),
    ("underpromotion", "flag:underpromotion"),
    ("passed pawn", "passed:P"),
    ("isolated pawn", "isolated:P"),
    ("isolani", "structure:iqp"),
    ("time trouble", "clock<30"),
    ("opening", "phase:opening"),
    ("middlegame", "phase:middlegame"),
    ("endgame", "phase:endgame"),
    ("ultrabullet", "speed:ultrabullet"),
    ("bullet", "speed:bullet"),
    ("blitz", "speed:blitz"),
    ("rapid", "speed:rapid"),
    ("correspondence", "speed:correspondence"),
];

/// Words between two names.
const VERSUS: [&str; 4] = ["vs", "vs.", "versus", "v"];

/// Words that are looked for in names, and a condition that was probably meant. `Display` formats
/// it as one line.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Advice {
    /// The words, in small letters.
    pub words: String,
    /// The condition, as in a query.
    pub instead: String,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Advice { words, instead } = self;
        write!(
            f,
            "`{words}` is looked for in names; did you mean `{instead}`?"
        )
    }
}

impl Query {
    /// Returns what was probably meant by words that this query looks for in names. O(query).
    ///
    /// ```
    /// use tabiya::Query;
    ///
    /// let query: Query = "mate in one".parse()?;
    /// assert_eq!(query.advice()[0].instead, "can:mate");
    /// # Ok::<(), tabiya::query::Fault>(())
    /// ```
    #[must_use]
    pub fn advice(&self) -> Vec<Advice> {
        let mut advice = Vec::new();
        self.advise(&mut advice);
        advice
    }

    fn advise(&self, advice: &mut Vec<Advice>) {
        match self {
            Query::And(queries) => {
                of_words(&queries.iter().map(Word::of).collect::<Vec<_>>(), advice);
                let brackets =
                    |query: &&Query| matches!(query, Query::And(_) | Query::Or(_) | Query::Not(_));
                queries
                    .iter()
                    .filter(brackets)
                    .for_each(|query| query.advise(advice));
            }
            Query::Or(queries) => queries.iter().for_each(|query| query.advise(advice)),
            Query::Not(query) => query.advise(advice),
            one => of_words(&[Word::of(one)], advice),
        }
    }
}

/// A condition as words.
struct Word {
    /// In small letters; `None` for a condition with a field.
    text: Option<String>,
    /// Whether it is looked for in names.
    is_plain: bool,
}

impl Word {
    fn of(query: &Query) -> Word {
        let (text, is_plain) = match query {
            Query::Header(HeaderClause::Plain(TextTest::Contains(text))) => {
                (Some(text.to_lowercase()), true)
            }
            Query::Position(sequence) if sequence.rest.is_empty() => {
                let is_word = |test: &PositionTest| matches!(test, PositionTest::State(_));
                let mut conditions = sequence.first.conditions.iter();
                let is_word = conditions.all(|condition| is_word(&condition.test));
                let text = sequence.to_string();
                (
                    Some(text).filter(|text| is_word && !text.contains([' ', ':'])),
                    false,
                )
            }
            _ => (None, false),
        };
        Word { text, is_plain }
    }
}

/// Adds what was meant by words beside each other.
fn of_words(words: &[Word], advice: &mut Vec<Advice>) {
    for run in words.split(|word| word.text.is_none()) {
        if !run.iter().any(|word| word.is_plain) {
            continue;
        }
        let texts = run.iter().filter_map(|word| word.text.as_deref());
        let text = texts.collect::<Vec<&str>>().join(" ");
        let words: Vec<&str> = text.split(' ').collect();
        if let Some(at) = words.iter().position(|word| VERSUS.contains(word))
            && let (Some(one), Some(other)) = (words.get(..at), words.get(at + 1..))
            && !one.is_empty()
            && !other.is_empty()
        {
            let [one, other] = [one, other].map(|name| player(&name.join(" ")));
            advice.push(Advice {
                words: text.clone(),
                instead: format!("{one} {other}"),
            });
            continue;
        }
        advice.extend(meant(&words));
    }
}

fn player(name: &str) -> String {
    let field = super::TextField::Player;
    HeaderClause::Text(field, TextTest::Contains(name.to_owned())).to_string()
}

/// Returns the condition that asks for the longest phrase among some words.
fn meant(words: &[&str]) -> Option<Advice> {
    let is_among = |phrase: &str| {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        words.windows(phrase.len()).any(|some| some == phrase)
    };
    let phrase = PHRASES.iter().find(|(phrase, _)| is_among(phrase));
    let structure = || STRUCTURE_NAMES.iter().find(|name| is_among(name));
    match phrase {
        Some((phrase, instead)) => Some(Advice {
            words: (*phrase).to_owned(),
            instead: (*instead).to_owned(),
        }),
        None => structure().map(|name| Advice {
            words: (*name).to_owned(),
            instead: format!("structure:{name}"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_the_game_are_asked_for_by_conditions() {
        for (text, instead) in [
            ("mate in one", Some("can:mate")),
            ("\"minority attack\" white:x", Some(PHRASES[8].1)),
            ("Threefold elo>2500", Some("repetition:3")),
            ("Carlsen vs Anand", Some("player:carlsen player:anand")),
            ("not blitz", Some("speed:blitz")),
            ("hedgehog", Some("structure:hedgehog")),
            ("magnus carlsen", None),
            ("mate", None),
            ("in check one", None),
            ("", None),
        ] {
            let query: Query = text.parse().unwrap();
            let advice = query.advice();
            let found = advice.first().map(|advice| advice.instead.as_str());
            assert_eq!(found, instead, "{text}");
        }
    }

    #[test]
    fn every_phrase_is_asked_for_by_a_query() {
        for (phrase, instead) in PHRASES {
            let query: Query = instead.parse().expect(instead);
            assert!(query.advice().is_empty(), "{phrase}");
        }
    }
}
