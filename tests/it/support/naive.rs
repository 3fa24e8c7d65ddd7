//! What the query language means, in the slowest and most obvious way.
//!
//! Written from the language's contract alone. Nothing here is shared with the engine's own
//! matching: games are plain data, mirror images are made of the position instead of the
//! pattern, and every line is searched from its start.

use shakmaty::{Color, Role, Setup};
use tabiya::{
    GameId, MoveId, Query,
    chess::{Eco, EcoRange, GameResult, PartialDate},
    format::GameHeader,
    query::{
        Compare, Content, DateField, DateTest, EcoTest, Flag, HeaderClause, NumberField, Op,
        OpeningTest, StartKind, TextField, TextTest, Values,
    },
};

use super::{
    evals::{add_judgements, quality},
    game::{Event, PlainGame},
    opening,
    remark::add_remarks,
    speeds::speed,
    texts::{contains, is_found, passes},
    walk::{Node, Place, add_engine_data, positions},
};

/// A game with all its positions.
#[derive(Debug)]
pub(crate) struct Known {
    pub(crate) id: GameId,
    pub(crate) game: PlainGame,
    pub(crate) nodes: Vec<Node>,
}

/// That a game matches, and where it first does, if the query is about positions: the ply, and
/// the last move when it is one of a variation.
pub(crate) type Found = Option<Spot>;

/// On one ply the main line comes before variations.
pub(crate) type Spot = (u32, Option<MoveId>);

impl Known {
    pub(crate) fn new(id: GameId, game: PlainGame) -> Known {
        let mut nodes = positions(&game);
        add_remarks(&game, &mut nodes);
        add_judgements(&mut nodes);
        Known { id, game, nodes }
    }

    /// As [`new`](Known::new), of a format that tells what an engine thought.
    pub(crate) fn with_engine_data(id: GameId, game: PlainGame) -> Known {
        let mut known = Known::new(id, game);
        add_engine_data(&known.game, &mut known.nodes);
        known
    }

    /// Tells whether the game satisfies the query, and where.
    pub(crate) fn find(&self, query: &Query, variations: bool) -> Option<Found> {
        match query {
            Query::All => Some(None),
            Query::And(queries) => {
                let found = queries.iter().map(|query| self.find(query, variations));
                let found: Option<Vec<Found>> = found.collect();
                Some(found?.into_iter().flatten().max())
            }
            Query::Or(queries) => {
                let found = queries.iter().map(|query| self.find(query, variations));
                let found: Vec<Found> = found.flatten().collect();
                if found.is_empty() {
                    return None;
                }
                let spots: Option<Vec<Spot>> = found.into_iter().collect();
                Some(spots.and_then(|spots| spots.into_iter().min()))
            }
            Query::Not(query) => match self.find(query, variations) {
                Some(_) => None,
                None => Some(None),
            },
            Query::Header(clause) => self.header_holds(clause).then_some(None),
            Query::Position(sequence) => self.first_place(sequence, variations).map(Some),
            Query::Path(path) => self.first_place_of_path(path, variations).map(Some),
            Query::Last(at) => self.last_place(at).map(Some),
            Query::Count(sequence, compare) => self.counted(sequence, compare, variations),
            Query::Line(line) => {
                let moves = line.moves();
                let main = self.game.main_line();
                let begins = main.len() >= moves.len()
                    && main
                        .iter()
                        .zip(moves)
                        .all(|(have, want)| *have == Some(*want));
                let plies = moves.len() as u32;
                (self.starts_as_usual() && begins).then_some(Some((plies, None)))
            }
            other => panic!("nobody evaluates {other:?}"),
        }
    }

    /// The half-moves of the main line.
    fn plies(&self) -> i32 {
        let main = self.nodes.iter().filter(|node| node.in_main_line);
        main.count() as i32 - 1
    }

    fn count(&self, is: impl Fn(&Event) -> bool) -> i32 {
        reported(self.game.events.iter().filter(|event| is(event)).count())
    }
}

/// What the index of a `.si4` database reports for a true count.
fn reported(count: usize) -> i32 {
    match count {
        0..=9 => count as i32,
        10..=12 => 10,
        13..=17 => 15,
        18..=24 => 20,
        25..=34 => 30,
        35..=44 => 40,
        _ => 50,
    }
}

// ---- comparisons ----

pub(crate) fn holds<T: PartialOrd + Copy>(value: T, compare: &Compare<T>) -> bool {
    within(
        value,
        compare,
        |value, bound| value < bound,
        |value, bound| value > bound,
    )
}

/// Compares with things that may cover more than one value: `below` and `above` tell whether
/// the value lies wholly on that side of a bound.
pub(crate) fn within<V: Copy, T: Copy>(
    value: V,
    compare: &Compare<T>,
    below: impl Fn(V, T) -> bool,
    above: impl Fn(V, T) -> bool,
) -> bool {
    let inside = match compare.values {
        Values::One(one) => !below(value, one) && !above(value, one),
        Values::Range(low, high) => {
            !low.is_some_and(|low| below(value, low))
                && !high.is_some_and(|high| above(value, high))
        }
    };
    match (compare.op, compare.values) {
        (Op::Has | Op::Equal, _) => inside,
        (Op::Differ, _) => !inside,
        (Op::Less, Values::One(one)) => below(value, one),
        (Op::AtMost, Values::One(one)) => !above(value, one),
        (Op::Greater, Values::One(one)) => above(value, one),
        (Op::AtLeast, Values::One(one)) => !below(value, one),
        (op, Values::Range(..)) => panic!("{op:?} does not go with a range"),
    }
}

/// Returns the day of the week by counting days from the first one of year 1, which was a Monday.
pub(crate) fn weekday(date: tabiya::chess::PartialDate) -> Option<i32> {
    let is_leap =
        |year: u16| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let length = |year: u16, month: u8| match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + i32::from(is_leap(year)),
        _ => 31,
    };
    let (year, month, day) = (date.year()?, date.month(), i32::from(date.day()));
    if !(1..=12).contains(&month) || !(1..=length(year, month)).contains(&day) {
        return None;
    }
    let years: i32 = (1..year).map(|year| 365 + i32::from(is_leap(year))).sum();
    let months: i32 = (1..month).map(|month| length(year, month)).sum();
    Some((years + months + day - 1) % 7 + 1)
}

fn is_equal_to_zero(compare: &Compare<i32>) -> bool {
    match (compare.op, compare.values) {
        (Op::Has | Op::Equal, Values::One(value)) => value == 0,
        (Op::Has | Op::Equal, Values::Range(low, high)) => low == Some(0) && high == Some(0),
        _ => false,
    }
}

// ---- the header ----

impl Known {
    fn header_holds(&self, clause: &HeaderClause) -> bool {
        let header = &self.game.header;
        match clause {
            HeaderClause::Text(field, test) => self.text_holds(field, test),
            HeaderClause::Number(field, compare) => self.number_holds(*field, compare),
            HeaderClause::Date(field, test) => {
                let date = match field {
                    DateField::Date => header.date,
                    DateField::EventDate => header.event_date,
                };
                match test {
                    DateTest::Unknown(holds) => date.is_unknown() == *holds,
                    DateTest::Compare(compare) => !date.is_unknown() && date_holds(date, compare),
                    other => panic!("nobody evaluates {other:?}"),
                }
            }
            HeaderClause::Eco(EcoTest::Absent(holds)) => header.eco.is_none() == *holds,
            HeaderClause::Eco(EcoTest::Compare(compare)) => {
                header.eco.is_some_and(|eco| eco_holds(eco, compare))
            }
            HeaderClause::EcoPosition(EcoTest::Absent(holds)) => {
                self.named_place().is_none() == *holds
            }
            HeaderClause::EcoPosition(EcoTest::Compare(compare)) => match self.opening_code() {
                Some(code) => eco_holds(code.parse().expect("a code"), compare),
                None => compare.op == Op::Differ,
            },
            HeaderClause::Opening(test) => self.opening_holds(test),
            HeaderClause::Plain(test) => self.plain_holds(test),
            HeaderClause::Result(results, holds) => results.contains(&header.result) == *holds,
            HeaderClause::Flag(flag, holds) => self.has_flag(*flag) == *holds,
            HeaderClause::Start(kind, holds) => {
                let is = match kind {
                    StartKind::Standard => self.game.start.is_none(),
                    StartKind::Custom => self.game.start.is_some(),
                    StartKind::Chess960 => false,
                };
                is == *holds
            }
            HeaderClause::Speed(wanted, holds) => {
                (speed(&self.game) == Some(wanted.name())) == *holds
            }
            HeaderClause::SpeedUnknown(holds) => speed(&self.game).is_none() == *holds,
            HeaderClause::Quality(field, compare) => {
                let quality = quality(*field, &self.nodes);
                quality.is_some_and(|quality| {
                    within(
                        quality,
                        compare,
                        |quality, bound| quality < bound.value() - 1e-9,
                        |quality, bound| quality > bound.value() + 1e-9,
                    )
                })
            }
            HeaderClause::TagNumber(number, compare) => {
                let tags = self
                    .game
                    .tags
                    .iter()
                    .filter(|(name, _)| name == number.tag());
                let mut numbers = tags.filter_map(|(_, value)| value.trim().parse::<i32>().ok());
                numbers.any(|number| holds(number, compare))
            }
            // ChessBase has medals, which are told as a tag.
            HeaderClause::Medal(medal, holds) => {
                let has = |value: &str| value.split(", ").any(|name| name == medal.name());
                let mut tags = self.game.tags.iter();
                tags.any(|(name, value)| name == "Medals" && has(value)) == *holds
            }
            HeaderClause::Has(content, holds) => self.has(*content) == *holds,
            HeaderClause::Comment(TextTest::Contains(part)) => {
                self.game.events.iter().any(|event| match event {
                    Event::Comment(text) => contains(text, part),
                    _ => false,
                })
            }
            HeaderClause::Comment(TextTest::Matches(regex)) => {
                self.game.events.iter().any(|event| match event {
                    Event::Comment(text) => !text.is_empty() && is_found(regex, text),
                    _ => false,
                })
            }
            other => panic!("nobody evaluates {other:?}"),
        }
    }

    pub(crate) fn starts_as_usual(&self) -> bool {
        let start = self.game.start.clone().unwrap_or_else(Setup::initial);
        let parts = |setup: Setup| (setup.board, setup.turn, setup.castling_rights);
        parts(start) == parts(Setup::initial())
    }

    /// The last named position of the main line after plies 1 to 40, as long as 20 men stand.
    fn named_place(&self) -> Option<&Place> {
        if !self.starts_as_usual() {
            return None;
        }
        let main_line = self.nodes.iter().filter(|node| node.in_main_line);
        let places = main_line
            .map(|node| &node.place)
            .filter(|place| (1..=40).contains(&place.ply) && place.board.occupied().count() >= 20);
        let mut last_first = places.rev();
        last_first.find(|place| opening::name_of(&place.board, place.turn).is_some())
    }

    /// The name of the game's opening.
    pub(crate) fn opening(&self) -> Option<&'static str> {
        let place = self.named_place()?;
        opening::name_of(&place.board, place.turn)
    }

    /// The code of the position that has this name.
    pub(crate) fn opening_code(&self) -> Option<&'static str> {
        let place = self.named_place()?;
        Some(opening::code_of(&place.board, place.turn))
    }

    fn opening_holds(&self, test: &OpeningTest) -> bool {
        let name = self.opening();
        let is = |whole: &str| name.is_some_and(|name| name.to_lowercase() == whole.to_lowercase());
        match test {
            OpeningTest::Absent(absent) => name.is_none() == *absent,
            OpeningTest::Name(TextTest::Equals(whole)) => is(whole),
            OpeningTest::Name(TextTest::Differs(whole)) => !is(whole),
            OpeningTest::Name(test) => {
                name.is_some_and(|name| passes(name, &TextField::Event, test))
            }
            other => panic!("nobody evaluates {other:?}"),
        }
    }

    fn plain_holds(&self, test: &TextTest) -> bool {
        let fields = [TextField::Player, TextField::Event, TextField::Site];
        fields.iter().any(|field| self.text_holds(field, test))
            || self.opening_holds(&OpeningTest::Name(test.clone()))
    }

    fn has(&self, content: Content) -> bool {
        let command = match content {
            Content::Variations => {
                return self.count(|event| matches!(event, Event::Begin)) > 0;
            }
            Content::Nags => return self.count(|event| matches!(event, Event::Nag(_))) > 0,
            Content::Comments => "",
            Content::Squares => "[%csl ",
            Content::Arrows => "[%cal ",
            other => panic!("nobody evaluates {other:?}"),
        };
        let is = |event: &Event| match event {
            Event::Comment(text) => !text.is_empty() && contains(text, command),
            _ => false,
        };
        self.count(is) > 0
    }

    fn text_holds(&self, field: &TextField, test: &TextTest) -> bool {
        let header = &self.game.header;
        let texts: Vec<&str> = match field {
            TextField::White => vec![&header.white],
            TextField::Black => vec![&header.black],
            TextField::Player => vec![&header.white, &header.black],
            TextField::Winner | TextField::Loser => {
                let wins = matches!(field, TextField::Winner);
                match header.result {
                    GameResult::WhiteWins if wins => vec![&header.white],
                    GameResult::WhiteWins => vec![&header.black],
                    GameResult::BlackWins if wins => vec![&header.black],
                    GameResult::BlackWins => vec![&header.white],
                    _ => vec![],
                }
            }
            TextField::Event => vec![&header.event],
            TextField::Site => vec![&header.site],
            TextField::Round => vec![&header.round],
            TextField::Tag(wanted) => {
                let names: &[&str] = match wanted.as_str() {
                    "Team" => &["Team", "WhiteTeam", "BlackTeam"],
                    other => &[other],
                };
                let is = |name: &str| names.iter().any(|other| name.eq_ignore_ascii_case(other));
                let tags = self.game.tags.iter().filter(|(name, _)| is(name));
                tags.map(|(_, value)| value.as_str()).collect()
            }
            TextField::Title(color) => {
                let is = |name: &str| match color {
                    None => ["WhiteTitle", "BlackTitle"].contains(&name),
                    Some(Color::White) => name == "WhiteTitle",
                    Some(Color::Black) => name == "BlackTitle",
                };
                let tags = self.game.tags.iter().filter(|(name, _)| is(name));
                tags.map(|(_, value)| value.as_str()).collect()
            }
            TextField::Theme => {
                let tags = self.game.tags.iter().filter(|(name, _)| name == "Themes");
                // A tag without words has an empty one.
                tags.flat_map(|(_, value)| match value.trim() {
                    "" => vec![""],
                    words => words.split_whitespace().collect(),
                })
                .collect()
            }
            other => panic!("nobody evaluates {other:?}"),
        };
        let is_tag = matches!(
            field,
            TextField::Tag(_) | TextField::Title(_) | TextField::Theme
        );
        if !is_tag {
            return Known::name_holds(&texts, field, test);
        }
        match test {
            TextTest::Present => !texts.is_empty(),
            // A tag that is not there counts as an empty one.
            TextTest::Matches(_) if texts.is_empty() => false,
            test if texts.is_empty() => passes("", field, test),
            TextTest::Differs(whole) => !texts.contains(&whole.as_str()),
            test => texts.iter().any(|text| passes(text, field, test)),
        }
    }

    /// As [`text_holds`](Known::text_holds), for names: those that are not known are the same.
    fn name_holds(names: &[&str], field: &TextField, test: &TextTest) -> bool {
        let mut texts = names.to_vec();
        if names.contains(&"") || names.contains(&"?") {
            texts.extend(["", "?"]);
        }
        match test {
            TextTest::Differs(whole) => !texts.contains(&whole.as_str()),
            test => texts.iter().any(|text| passes(text, field, test)),
        }
    }

    fn number_holds(&self, field: NumberField, compare: &Compare<i32>) -> bool {
        let GameHeader {
            white_rating,
            black_rating,
            ..
        } = self.game.header;
        let white = white_rating.map(|rating| i32::from(rating.value.get()));
        let black = black_rating.map(|rating| i32::from(rating.value.get()));
        let rated = |rating: Option<i32>| match rating {
            Some(rating) => holds(rating, compare),
            None => is_equal_to_zero(compare),
        };
        match field {
            NumberField::WhiteElo => rated(white),
            NumberField::BlackElo => rated(black),
            NumberField::Elo => rated(white) && rated(black),
            NumberField::AvgElo => match (white, black) {
                (Some(white), Some(black)) => {
                    let mean = f64::from(white + black) / 2.0;
                    let double = |bound: i32| f64::from(bound);
                    within(
                        mean,
                        compare,
                        |mean, bound| mean < double(bound),
                        |mean, bound| mean > double(bound),
                    )
                }
                _ => false,
            },
            NumberField::EloDiff => match (white, black) {
                (Some(white), Some(black)) => holds(white - black, compare),
                _ => false,
            },
            NumberField::Year => match self.game.header.date.year() {
                Some(year) => holds(i32::from(year), compare),
                None => is_equal_to_zero(compare),
            },
            NumberField::Weekday => match weekday(self.game.header.date) {
                Some(day) => holds(day, compare),
                None => is_equal_to_zero(compare),
            },
            NumberField::Plies => holds(self.plies(), compare),
            NumberField::Moves => holds((self.plies() + 1) / 2, compare),
            NumberField::Comments => {
                let is = |event: &Event| matches!(event, Event::Comment(text) if !text.is_empty());
                holds(self.count(is), compare)
            }
            NumberField::Variations => {
                holds(self.count(|event| matches!(event, Event::Begin)), compare)
            }
            NumberField::Nags => holds(self.count(|event| matches!(event, Event::Nag(_))), compare),
            NumberField::Number => holds(self.id.number_in_part() as i32, compare),
            other => panic!("nobody evaluates {other:?}"),
        }
    }

    fn has_flag(&self, flag: Flag) -> bool {
        let main_line = self.main_line_moves();
        let promoted = |to: fn(Role) -> bool| {
            main_line
                .iter()
                .any(|played| played.promotion().is_some_and(to))
        };
        let mark = match flag {
            Flag::Promotion => return promoted(|_| true),
            Flag::Underpromotion => return promoted(|role| role != Role::Queen),
            Flag::Deleted => 3,
            Flag::WhiteOpening => 4,
            Flag::BlackOpening => 5,
            Flag::Middlegame => 6,
            Flag::Endgame => 7,
            Flag::Novelty => 8,
            Flag::PawnStructure => 9,
            Flag::Tactics => 10,
            Flag::Kingside => 11,
            Flag::Queenside => 12,
            Flag::Brilliancy => 13,
            Flag::Blunder => 14,
            Flag::User => 15,
            Flag::Custom1 => 16,
            Flag::Custom2 => 17,
            Flag::Custom3 => 18,
            Flag::Custom4 => 19,
            Flag::Custom5 => 20,
            Flag::Custom6 => 21,
        };
        self.game.header.marks >> mark & 1 == 1
    }

    fn main_line_moves(&self) -> Vec<shakmaty::Move> {
        let mut depth = 0;
        let mut moves = Vec::new();
        for event in &self.game.events {
            match event {
                Event::Begin => depth += 1,
                Event::End => depth -= 1,
                Event::Play(Some(played)) if depth == 0 => moves.push(*played),
                _ => {}
            }
        }
        moves
    }
}

/// A bound without month or day stands for its whole year or month.
fn date_holds(date: PartialDate, compare: &Compare<PartialDate>) -> bool {
    let parts = |date: PartialDate, bound: PartialDate| {
        let year = date.year().unwrap_or(0);
        match (bound.month(), bound.day()) {
            (0, 0) => (year, 0, 0),
            (_, 0) => (year, date.month(), 0),
            _ => (year, date.month(), date.day()),
        }
    };
    within(
        date,
        compare,
        |date, bound| parts(date, bound) < parts(bound, bound),
        |date, bound| parts(date, bound) > parts(bound, bound),
    )
}

/// A shortened code stands for all that it begins.
fn eco_holds(eco: Eco, compare: &Compare<EcoRange>) -> bool {
    let text = eco.to_string();
    let cut = |length: usize| text.get(..length).unwrap_or(&text).to_owned();
    let begin = |range: EcoRange| {
        // What all codes of the range begin with.
        let (first, last) = (range.first.to_string(), range.last.to_string());
        let pairs = first.bytes().zip(last.bytes());
        let same = pairs.take_while(|(one, other)| one == other).count();
        first.get(..same).unwrap_or_default().to_owned()
    };
    within(
        (),
        compare,
        |(), bound| cut(begin(bound).len()) < begin(bound),
        |(), bound| cut(begin(bound).len()) > begin(bound),
    )
}

/// The four results, for tests that need them all.
pub(crate) const RESULTS: [GameResult; 4] = [
    GameResult::Unknown,
    GameResult::WhiteWins,
    GameResult::BlackWins,
    GameResult::Draw,
];
