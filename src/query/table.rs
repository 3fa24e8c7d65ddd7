//! The fields of the query language, as data.
//!
//! The parser, its suggestions, the help text and the shell completions all use this list.

mod fields;

use shakmaty::Role;
use tabiya_chess::{Color, GameResult, Man};

use super::{
    DateField, Judgement, Measure, NumberField, Op, QualityField, Standing, State, TagNumber,
    counts::begins_sum, suggest,
};

pub use self::fields::FIELDS;

/// The words that join conditions; no field has such a name.
pub const KEYWORDS: [&str; 6] = ["and", "or", "not", "then", "next", "at"];

/// One field: a name before an operator, or a bare word.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Field {
    /// The name as typed. Capitals are ignored, except in names of one letter. `tag.NAME` stands
    /// for every name that begins with `tag.`.
    pub name: &'static str,
    /// Where the field may appear.
    pub level: Level,
    /// A description of its values; empty for a bare word.
    pub value: &'static str,
    /// The possible values if they are few; otherwise empty.
    pub choices: &'static [&'static str],
    /// Its meaning, in one line without a full stop.
    pub meaning: &'static str,
    /// A whole query that uses it.
    pub example: &'static str,
    /// How the parser handles it.
    pub(super) kind: Kind,
}

/// Where a field may appear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Level {
    /// About the whole game: outside `at( ... )`.
    Game,
    /// About one position: alone or inside `at( ... )`.
    Position,
    /// About the other conditions of the same `at( ... )`: only inside it.
    Modifier,
    /// About one piece throughout the game: outside `at( ... )`.
    Path,
}

/// How the parser handles a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A text field, by its PGN tag.
    Text(&'static str),
    /// Any PGN tag: the name follows the dot.
    Tag,
    Number(NumberField),
    Date(DateField),
    Eco,
    EcoPosition,
    Opening,
    Repertoire(Option<Color>),
    RepertoirePlies,
    RepertoirePly,
    Left,
    Result,
    Flag,
    Medal,
    Content,
    Start,
    Comment,
    Speed,
    Quality(QualityField),
    TagNumber(TagNumber),
    Line,
    /// `last` or `count`, which brackets follow.
    Brackets(Brackets),
    /// A title: of White, of Black or of either.
    Title(Option<Color>),
    Theme,
    Fen,
    Board,
    Pawns,
    Files,
    Material,
    Count(Man),
    Measure(Measure),
    /// All men of a colour.
    Side(Color),
    /// Counts in zones, and sums of counts.
    Sum,
    Bishops,
    Piece,
    Turn,
    Ply,
    MoveNumber,
    State(State),
    Phase,
    Majority,
    /// The result of the game.
    Outcome(GameResult),
    Judgement(Judgement),
    Attacks,
    Ray,
    Discovered,
    Standing(Standing),
    Structure,
    Similar,
    Played,
    San,
    Can,
    Missed,
    After,
    Score,
    Visits,
    Clock,
    Spent,
    Eval,
    Swing,
    Path,
    Consecutive,
    Flip,
    Mirror,
    Shift,
    Rights,
}

/// A word that stands before brackets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Brackets {
    Last,
    Count,
}

impl Kind {
    /// Returns whether values are texts.
    pub(super) const fn is_text(self) -> bool {
        matches!(
            self,
            Kind::Text(_)
                | Kind::Tag
                | Kind::Title(_)
                | Kind::Theme
                | Kind::Comment
                | Kind::Opening
                | Kind::Repertoire(_)
        )
    }

    /// Returns whether a value may be a regular expression.
    pub(super) const fn takes_regex(self) -> bool {
        matches!(
            self,
            Kind::Text(_) | Kind::Tag | Kind::Comment | Kind::Opening
        )
    }

    /// Returns whether values are boards, after which the fields of a FEN may stand.
    pub(super) const fn is_board(self) -> bool {
        matches!(
            self,
            Kind::Fen | Kind::Board | Kind::Pawns | Kind::Files | Kind::Material | Kind::Similar
        )
    }
}

/// The prefix of tag fields.
pub(super) const TAG_PREFIX: &str = "tag.";

impl Field {
    /// Returns the operators that the field takes; none for a bare word.
    #[must_use]
    pub const fn operators(&self) -> &'static [Op] {
        use Op::{AtLeast, AtMost, Differ, Equal, Greater, Has, Less};
        match self.kind {
            Kind::State(State::Check | State::Mate) => &[Has, Equal],
            Kind::State(_)
            | Kind::Outcome(_)
            | Kind::Judgement(_)
            | Kind::Brackets(_)
            | Kind::Flip
            | Kind::Mirror
            | Kind::Shift
            | Kind::Rights => &[],
            Kind::Comment => &[Has],
            Kind::Text(_)
            | Kind::Tag
            | Kind::Opening
            | Kind::Title(_)
            | Kind::Theme
            | Kind::Speed
            | Kind::Result
            | Kind::Flag
            | Kind::Medal
            | Kind::Content
            | Kind::Start => &[Has, Equal, Differ],
            Kind::Number(_)
            | Kind::Date(_)
            | Kind::Eco
            | Kind::EcoPosition
            | Kind::RepertoirePly
            | Kind::Quality(_)
            | Kind::TagNumber(_)
            | Kind::Count(_)
            | Kind::Measure(_)
            | Kind::Side(_)
            | Kind::Sum
            | Kind::Ply
            | Kind::MoveNumber
            | Kind::Score
            | Kind::Visits
            | Kind::Clock
            | Kind::Spent
            | Kind::Eval
            | Kind::Swing => &[Has, Equal, Differ, Less, AtMost, Greater, AtLeast],
            _ => &[Has, Equal],
        }
    }

    /// Returns whether the field may stand without a value, as `check` does.
    #[must_use]
    pub const fn is_bare(&self) -> bool {
        self.operators().is_empty() || matches!(self.kind, Kind::State(_))
    }

    /// Returns whether conditions in brackets follow, as after `last`.
    #[must_use]
    pub const fn has_brackets(&self) -> bool {
        matches!(self.kind, Kind::Brackets(_))
    }

    /// Returns the part of the name that is typed as it stands: `tag.` of `tag.NAME`, `R@` of
    /// `R@ZONE`, otherwise all of it.
    #[must_use]
    pub fn stem(&self) -> &'static str {
        let open = ["NAME", "ZONE"].iter();
        let mut stems = open.filter_map(|open| self.name.strip_suffix(open));
        stems.next().unwrap_or(self.name)
    }
}

/// Returns the field of this name. Capitals matter only in names of one letter.
///
/// ```
/// use tabiya::query::table;
///
/// assert_eq!(table::find("WhiteElo").map(|field| field.name), Some("whiteelo"));
/// assert_eq!(table::find("tag.Opening").map(|field| field.name), Some("tag.NAME"));
/// assert_eq!(table::find("Q").map(|field| field.meaning), Some("white queens"));
/// ```
#[must_use]
pub fn find(name: &str) -> Option<&'static Field> {
    if let Some((prefix, _)) = name.split_at_checked(TAG_PREFIX.len())
        && prefix.eq_ignore_ascii_case(TAG_PREFIX)
    {
        return FIELDS.iter().find(|field| field.kind == Kind::Tag);
    }
    FIELDS.iter().find(|field| match field.name.len() {
        1 => field.name == name,
        _ => field.name.eq_ignore_ascii_case(name),
    })
}

/// Returns the field of a name before an operator, which may also be a sum of counts.
pub(super) fn find_before_operator(name: &str) -> Option<&'static Field> {
    let sum = || FIELDS.iter().find(|field| field.kind == Kind::Sum);
    find(name).or_else(|| sum().filter(|_| begins_sum(name)))
}

/// Returns the field name that was probably meant by `name`, if there is a similar one.
///
/// ```
/// use tabiya::query::table;
///
/// assert_eq!(table::nearest("elow"), Some("elo"));
/// assert_eq!(table::nearest("tournament"), Some("event"));
/// assert_eq!(table::nearest("carlsen"), None);
/// ```
#[must_use]
pub fn nearest(name: &str) -> Option<&'static str> {
    let names = FIELDS
        .iter()
        .filter(|field| field.name.len() > 1 && field.kind != Kind::Tag)
        .map(|field| field.name);
    suggest::synonym(name).or_else(|| suggest::nearest(name, names))
}

/// Returns whether a word means something by itself: a field or a keyword.
pub(super) fn is_known(word: &str) -> bool {
    let is_keyword = |keyword: &&str| word.eq_ignore_ascii_case(keyword);
    KEYWORDS.iter().any(is_keyword) || find(word).is_some()
}

/// Returns whether the name of a field is a text where neither an operator nor a bracket follows.
pub(super) fn is_text_alone(word: &str) -> bool {
    find(word).is_some_and(|field| match field.kind {
        Kind::Brackets(_) | Kind::Side(_) => true,
        Kind::Count(man) => man.role() == Role::King,
        _ => false,
    })
}

/// Returns the name of the field of this kind.
pub(super) fn name_of(kind: Kind) -> &'static str {
    FIELDS
        .iter()
        .find(|field| field.kind == kind)
        .map_or("", |field| field.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::{Flag, Query, StartKind};

    #[test]
    fn every_example_is_a_query_that_uses_its_field() {
        for field in FIELDS {
            let query: Query = field.example.parse().expect(field.example);
            assert_eq!(query.to_string().parse(), Ok(query), "{}", field.example);
            assert!(field.example.contains(field.stem()), "{}", field.example);
        }
    }

    #[test]
    fn names_and_kinds_are_listed_once() {
        for (index, field) in FIELDS.iter().enumerate() {
            assert_eq!(name_of(field.kind), field.name);
            let found = find(field.name).expect(field.name);
            assert_eq!(found.name, FIELDS[index].name);
        }
    }

    #[test]
    fn bare_words_take_no_value_and_all_others_say_which() {
        for field in FIELDS {
            let takes_value = !field.operators().is_empty();
            assert_ne!(takes_value, field.value.is_empty(), "{}", field.name);
            assert!(takes_value || field.is_bare(), "{}", field.name);
            assert!(!field.meaning.is_empty() && !field.meaning.ends_with('.'));
        }
    }

    #[test]
    fn flags_and_starts_have_their_own_names() {
        assert!(
            Flag::ALL
                .iter()
                .enumerate()
                .all(|(at, flag)| *flag as usize == at)
        );
        assert_eq!(Flag::Brilliancy.name(), "brilliancy");
        assert_eq!(StartKind::Chess960.name(), "chess960");
    }
}
