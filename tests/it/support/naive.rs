//! What the query language means, in the slowest and most obvious way.
//!
//! Written from the language's contract alone. Nothing here is shared with the engine's own
//! matching: games are plain data, mirror images are made of the position instead of the
//! pattern, and every line is searched from its start.

use std::collections::BTreeSet;

use shakmaty::{Bitboard, Board, CastlingMode, Color, File, Piece, Role, Setup, Square};
use tabiya::{
    GameId, MoveId, Query,
    chess::{Counts, Eco, EcoRange, GameResult, Man, PartialDate},
    format::GameHeader,
    query::{
        At, Compare, Condition, Content, DateField, DateTest, EcoTest, EvalTest, FenTest, Flag,
        HeaderClause, Link, ManSet, Measure, NumberField, Op, OpeningTest, Place as Where,
        PositionTest, Relation, Seconds, Sequence, Share, StartKind, State, TextField, TextTest,
        Values,
    },
};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

use super::{
    engine_eval::EngineEval,
    game::{Event, PlainGame},
    opening,
    relations::{Shift, is_in, moved, relation_holds, state_holds, structure_holds},
    remark::{add_remarks, eval_of, speed},
    walk::{Node, Place, add_engine_data, legal_in, positions},
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

fn holds<T: PartialOrd + Copy>(value: T, compare: &Compare<T>) -> bool {
    within(
        value,
        compare,
        |value, bound| value < bound,
        |value, bound| value > bound,
    )
}

/// Compares with things that may cover more than one value: `below` and `above` tell whether
/// the value lies wholly on that side of a bound.
fn within<V: Copy, T: Copy>(
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
            other => panic!("nobody evaluates {other:?}"),
        }
    }

    /// The last named position of the main line after plies 1 to 40, as long as 20 men stand.
    pub(crate) fn opening(&self) -> Option<&'static str> {
        let start = self.game.start.clone().unwrap_or_else(Setup::initial);
        let initial = Setup::initial();
        let parts = |setup: Setup| (setup.board, setup.turn, setup.castling_rights);
        if parts(start) != parts(initial) {
            return None;
        }
        let main_line = self.nodes.iter().filter(|node| node.in_main_line);
        let places = main_line
            .map(|node| &node.place)
            .filter(|place| (1..=40).contains(&place.ply) && place.board.occupied().count() >= 20);
        let mut last_first = places.rev();
        last_first.find_map(|place| opening::name_of(&place.board, place.turn))
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
            other => panic!("nobody evaluates {other:?}"),
        };
        if !matches!(field, TextField::Tag(_) | TextField::Title(_)) {
            return Known::name_holds(&texts, field, test);
        }
        match test {
            TextTest::Present => !texts.is_empty(),
            // A tag that is not there counts as an empty one.
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

/// Letters with their accents, all small, runs of spaces as one.
fn letters(text: &str) -> Vec<(char, String)> {
    let mut letters: Vec<(char, String)> = Vec::new();
    let small = text.to_lowercase().replace('ß', "ss").replace('ς', "σ");
    for letter in small.nfd() {
        let (base, stroke) = match letter {
            'ø' => ('o', "stroke"),
            'ł' => ('l', "stroke"),
            'đ' => ('d', "stroke"),
            space if space.is_whitespace() => (' ', ""),
            other => (other, ""),
        };
        match letters.last_mut() {
            Some((_, accents)) if is_combining_mark(base) => accents.push(base),
            Some((' ', _)) if base == ' ' => {}
            _ => letters.push((base, stroke.to_owned())),
        }
    }
    letters
}

/// Whether one text passes a test.
fn passes(text: &str, field: &TextField, test: &TextTest) -> bool {
    match test {
        TextTest::Contains(part) => {
            let is_person = match field {
                TextField::White | TextField::Black | TextField::Player => true,
                TextField::Tag(tag) => tag == "Annotator",
                _ => false,
            };
            contains(text, part) || (is_person && is_name_of(text, part))
        }
        TextTest::Like(pieces) => fits(&letters(text), pieces),
        TextTest::Equals(whole) => text == whole,
        TextTest::Differs(whole) => text != whole,
        TextTest::Present => true,
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Whether a name begins with `Last, First` where the text is `First Last`.
fn is_name_of(name: &str, text: &str) -> bool {
    let words: Vec<&str> = text.split_whitespace().collect();
    if text.contains(',') || words.len() > 6 {
        return false;
    }
    (1..words.len()).any(|first| {
        let (first, last) = words.split_at(first);
        let (first, last) = (first.join(" "), last.join(" "));
        let begins = |text: String| fits(&letters(name), &[text, String::new()]);
        begins(format!("{last}, {first}")) || begins(format!("{last},{first}"))
    })
}

/// Whether all of a text is these pieces with anything between them.
fn fits(text: &[(char, String)], pieces: &[String]) -> bool {
    let Some((first, rest)) = pieces.split_first() else {
        return false;
    };
    let first = letters(first);
    let begins = text.len() >= first.len() && agree(text, &first);
    if rest.is_empty() {
        return begins && text.len() == first.len();
    }
    let after = text.get(first.len()..).unwrap_or_default();
    let mut starts = 0..=after.len();
    begins && starts.any(|start| fits(&after[start..], rest))
}

/// Whether letters are the wanted ones, as far as both go.
fn agree(have: &[(char, String)], wanted: &[(char, String)]) -> bool {
    have.iter()
        .zip(wanted)
        .all(|((have, accents), (want, wanted))| {
            have == want && (wanted.is_empty() || wanted == accents)
        })
}

/// Contains: capitals do not count; an accent in the part must match, its absence matches any.
fn contains(text: &str, part: &str) -> bool {
    let (text, part) = (letters(text), letters(part));
    (0..=text.len()).any(|start| {
        let rest = &text[start..];
        rest.len() >= part.len() && agree(rest, &part)
    })
}

// ---- positions ----

impl Known {
    /// The first place where the sequence is complete: the main line first, then the variations
    /// in the order of a PGN file.
    fn first_place(&self, sequence: &Sequence, variations: bool) -> Found {
        let holds = self.where_conditions_hold(sequence);
        let found = self.places(variations).into_iter().find(|&node| {
            // Cheap to see, so that most lines need not be looked at.
            let last = holds
                .last()
                .is_some_and(|images| images.iter().any(|image| image[node]));
            last && is_complete_at_the_end(sequence, &self.line_to(node), &holds)
        });
        found.map(|node| self.spot(node))
    }

    /// The start position is node 0, so that moves and nodes have the same numbers.
    pub(super) fn spot(&self, node: usize) -> Spot {
        let Node {
            place,
            in_main_line,
            ..
        } = &self.nodes[node];
        let id = MoveId::from_number(node as u32);
        (place.ply, id.filter(|_| !in_main_line))
    }

    /// All nodes that a query looks at, in the order in which it does: those of the main line,
    /// then the others.
    pub(super) fn places(&self, variations: bool) -> Vec<usize> {
        let nodes = 0..self.nodes.len();
        let (mut places, others): (Vec<usize>, Vec<usize>) =
            nodes.partition(|&node| self.nodes[node].in_main_line);
        places.extend(others.iter().filter(|_| variations));
        places
    }

    /// The nodes from the start to this one.
    pub(crate) fn line_to(&self, node: usize) -> Vec<usize> {
        let mut line: Vec<usize> =
            std::iter::successors(Some(node), |&node| self.nodes[node].parent).collect();
        line.reverse();
        line
    }

    /// By element of the sequence, mirror image and node: whether all its conditions hold.
    fn where_conditions_hold(&self, sequence: &Sequence) -> Vec<Vec<Vec<bool>>> {
        let elements =
            std::iter::once(&sequence.first).chain(sequence.rest.iter().map(|(_, at)| at));
        elements
            .map(|at| {
                let shifts = shifts_of(at);
                let of_image = |image: Option<Image>| {
                    let seen = |node: &Node| match image {
                        None => node.place.clone(),
                        Some(image) => image(&node.place),
                    };
                    let seen: Vec<Place> = self.nodes.iter().map(seen).collect();
                    let of_shift = |&shift: &Shift| {
                        let places = seen.iter().map(|place| all_hold(at, place, shift));
                        places.collect::<Vec<bool>>()
                    };
                    shifts.iter().map(of_shift).collect::<Vec<_>>()
                };
                images_of(at).into_iter().flat_map(of_image).collect()
            })
            .collect()
    }
}

type Image = fn(&Place) -> Place;

/// The mirror images of a position that may satisfy the conditions instead of it, itself first.
fn images_of(at: &At) -> Vec<Option<Image>> {
    let mut images: Vec<Option<Image>> = vec![None];
    if at.flip {
        images.push(Some(Place::flipped));
    }
    if at.mirror {
        images.push(Some(Place::mirrored));
    }
    if at.flip && at.mirror {
        images.push(Some(|place| place.flipped().mirrored()));
    }
    images
}

/// By how much all that the conditions name may be moved without leaving the board; what is not
/// named stays, so that moving it would only be the same again.
fn shifts_of(at: &At) -> Vec<Shift> {
    if !at.shift {
        return vec![(0, 0)];
    }
    let (mut squares, mut files, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
    let mut name = |place: Where| match place {
        Where::Square(square) => squares.push(square),
        Where::File(file) => files.push(file as i32),
        Where::Rank(rank) => ranks.push(rank as i32),
    };
    for Condition { test, .. } in &at.conditions {
        match test {
            PositionTest::Piece(_, place) => name(*place),
            PositionTest::Board(board) => {
                let named = Square::ALL.into_iter();
                named
                    .filter(|&square| board.0[square as usize] != ManSet::ANY)
                    .for_each(|square| name(Where::Square(square)));
            }
            PositionTest::Relation(relation) => {
                let men = match relation {
                    Relation::Attacks { by, on, .. } => vec![by, on],
                    Relation::Ray(three) => three.iter().collect(),
                    Relation::Standing(_, men) => vec![men],
                    other => panic!("nobody evaluates {other:?}"),
                };
                men.iter().filter_map(|men| men.place).for_each(&mut name);
            }
            _ => {}
        }
    }
    let on_board = |line: &i32, by: i32| (0..8).contains(&(line + by));
    let stays = |&(right, up): &Shift| {
        squares
            .iter()
            .all(|&square| moved(square, (right, up)).is_some())
            && files.iter().all(|file| on_board(file, right))
            && ranks.iter().all(|rank| on_board(rank, up))
            && (right == 0 || !squares.is_empty() || !files.is_empty())
            && (up == 0 || !squares.is_empty() || !ranks.is_empty())
    };
    let all = (-7..8).flat_map(|right| (-7..8).map(move |up| (right, up)));
    all.filter(stays).collect()
}

/// Tells whether the last element of the sequence is complete at the end of the line.
///
/// Every element holds in a window of consecutive positions of the line, in all of them in the same
/// mirror image. `next`: the window begins right after the one before; `then`: anywhere after it.
fn is_complete_at_the_end(sequence: &Sequence, line: &[usize], holds: &[Vec<Vec<bool>>]) -> bool {
    let elements = std::iter::once((None, &sequence.first));
    let elements: Vec<(Option<Link>, &At)> = elements
        .chain(sequence.rest.iter().map(|(link, at)| (Some(*link), at)))
        .collect();
    // Where the window of the element before may end.
    let mut ends: Vec<usize> = Vec::new();
    for (element, (link, at)) in elements.into_iter().enumerate() {
        let length = at.consecutive.0.max(1) as usize;
        let fits = |end: usize| {
            let Some(start) = (end + 1).checked_sub(length) else {
                return false;
            };
            let allowed = match link {
                None => true,
                Some(Link::Next) => ends.iter().any(|&before| before + 1 == start),
                Some(Link::Then) => ends.iter().any(|&before| before < start),
            };
            let window = &line[start..=end];
            allowed
                && holds[element]
                    .iter()
                    .any(|image| window.iter().all(|&node| image[node]))
        };
        ends = (0..line.len()).filter(|&end| fits(end)).collect();
    }
    ends.contains(&(line.len() - 1))
}

fn all_hold(at: &At, place: &Place, shift: Shift) -> bool {
    at.conditions
        .iter()
        .all(|Condition { negated, test }| test_holds(test, at.rights, place, shift) != *negated)
}

fn test_holds(test: &PositionTest, rights: bool, place: &Place, shift: Shift) -> bool {
    let count = |man: Man| place.board.by_piece(Piece::from(man)).count() as i32;
    let role = |color, role| count(Man::new(color, role));
    match test {
        PositionTest::Fen(fen) => fen_is(fen, rights, place),
        PositionTest::Board(pattern) => Square::ALL.into_iter().all(|square| {
            let set = pattern.0[square as usize];
            if set == ManSet::ANY {
                return true;
            }
            match place
                .board
                .piece_at(moved(square, shift).expect("a square"))
            {
                None => set.contains_empty(),
                Some(piece) => set.contains(Man::from(piece)),
            }
        }),
        PositionTest::Pawns(pawns) => {
            pawns_of(place, Color::White) == pawns.white
                && pawns_of(place, Color::Black) == pawns.black
        }
        PositionTest::Files(pawns) => File::ALL.into_iter().all(|file| {
            let on_file = |pawns: Bitboard| (pawns & Bitboard::from(file)).count();
            on_file(pawns_of(place, Color::White)) == on_file(pawns.white)
                && on_file(pawns_of(place, Color::Black)) == on_file(pawns.black)
        }),
        PositionTest::Material(counts) => *counts == Counts::of(&place.board),
        PositionTest::Count(man, compare) => holds(count(*man), compare),
        PositionTest::Measure(measure, compare) => {
            let minors = |color| role(color, Role::Bishop) + role(color, Role::Knight);
            let value = |color| {
                9 * role(color, Role::Queen)
                    + 5 * role(color, Role::Rook)
                    + 3 * minors(color)
                    + role(color, Role::Pawn)
            };
            let number = match *measure {
                Measure::Minors(color) => minors(color),
                Measure::Men => place.board.occupied().count() as i32,
                Measure::Difference => value(Color::White) - value(Color::Black),
                other => panic!("nobody evaluates {other:?}"),
            };
            holds(number, compare)
        }
        PositionTest::Bishops { same } => bishops_stand(place, *same),
        PositionTest::Piece(man, place_of_man) => {
            let men = place.board.by_piece(Piece::from(*man));
            men.into_iter()
                .any(|square| is_in(square, *place_of_man, shift))
        }
        PositionTest::Turn(color) => place.turn == *color,
        PositionTest::Ply(compare) => holds(place.ply as i32, compare),
        PositionTest::MoveNumber(compare) => holds(place.number as i32, compare),
        PositionTest::State(state) => match state {
            State::Check => place.check,
            State::Mate => place.mate,
            State::Stalemate => place.stalemate,
            kind => state_holds(*kind, place),
        },
        PositionTest::Relation(relation) => relation_holds(relation, &place.board, shift),
        PositionTest::Similar(board, least) => {
            similarity(board, &place.board) >= least.get() - 1e-9
        }
        PositionTest::Structure(structure) => structure_holds(structure.name(), &place.board),
        PositionTest::Played(pattern) => place
            .played
            .as_ref()
            .is_some_and(|san| is_played(san, pattern)),
        PositionTest::Score(compare) => {
            let eval = place.eval.as_ref();
            eval.is_some_and(|eval| share_holds(eval.score, compare))
        }
        PositionTest::Visits(None, compare) => {
            let focus = place.eval.as_ref().and_then(EngineEval::focus);
            focus.is_some_and(|focus| share_holds(focus, compare))
        }
        PositionTest::Visits(Some(pattern), compare) => place.eval.as_ref().is_some_and(|eval| {
            let fits = |(san, visits): &(String, u8)| {
                is_played(san, pattern) && share_holds(eval.share(*visits), compare)
            };
            eval.visits.iter().any(fits)
        }),
        PositionTest::Clock(compare) => time_holds(place.remark.clock, compare),
        PositionTest::Spent(compare) => time_holds(place.remark.spent, compare),
        PositionTest::Eval(test) => place.remark.eval.is_some_and(|eval| match test {
            EvalTest::Mate(holds) => (eval.0 != 0) == *holds,
            EvalTest::Compare(compare) => within(
                eval,
                compare,
                |eval, bound| eval < eval_of(bound),
                |eval, bound| eval > eval_of(bound),
            ),
            other => panic!("nobody evaluates {other:?}"),
        }),
        other => panic!("nobody evaluates {other:?}"),
    }
}

fn time_holds(told: Option<i64>, compare: &Compare<Seconds>) -> bool {
    let bound = |bound: Seconds| i64::from(bound.thousandths());
    let holds = |time| within(time, compare, |t, b| t < bound(b), |t, b| t > bound(b));
    told.is_some_and(holds)
}

fn share_holds(share: f64, compare: &Compare<Share>) -> bool {
    within(
        share,
        compare,
        |share, bound| share < bound.get(),
        |share, bound| share > bound.get(),
    )
}

/// How similar two positions are, as the contract measures it.
pub(crate) fn similarity(one: &Board, other: &Board) -> f64 {
    let men = |board: &Board, pawns: bool| -> BTreeSet<(Square, char)> {
        let men = board.iter();
        men.filter(|(_, piece)| (piece.role == Role::Pawn) == pawns)
            .map(|(square, piece)| (square, piece.char()))
            .collect()
    };
    let jaccard = |pawns: bool| {
        let (one, other) = (men(one, pawns), men(other, pawns));
        let (common, all) = (one.intersection(&other).count(), one.union(&other).count());
        if all == 0 {
            1.0
        } else {
            common as f64 / all as f64
        }
    };
    let (mut difference, mut sum) = (0, 0);
    for (letter, value) in [('P', 1), ('N', 3), ('B', 3), ('R', 5), ('Q', 9)] {
        for letter in [letter, letter.to_ascii_lowercase()] {
            let count = |board: &Board| {
                let is = |(_, piece): &(Square, Piece)| piece.char() == letter;
                board.iter().filter(is).count() as i32
            };
            difference += (count(one) - count(other)).abs() * value;
            sum += (count(one) + count(other)) * value;
        }
    }
    let material = match sum {
        0 => 1.0,
        sum => 1.0 - f64::from(difference) / f64::from(sum),
    };
    0.5 * jaccard(true) + 0.3 * jaccard(false) + 0.2 * material
}

fn pawns_of(place: &Place, color: Color) -> Bitboard {
    place.board.pawns() & place.board.by_color(color)
}

fn bishops_stand(place: &Place, same: bool) -> bool {
    let square = |color| {
        let bishops = place.board.bishops() & place.board.by_color(color);
        bishops.single_square()
    };
    match (square(Color::White), square(Color::Black)) {
        (Some(white), Some(black)) => (white.is_dark() == black.is_dark()) == same,
        _ => false,
    }
}

/// The 64 squares and, unless the placement stands alone, the side to move; with `rights` also
/// castling and en passant, as far as the rules allow them in the position of the FEN. The FEN
/// of a mirrored position has its king elsewhere, so the rules are those of Chess960.
fn fen_is(fen: &FenTest, rights: bool, place: &Place) -> bool {
    let same = fen.board == place.board && fen.turn.is_none_or(|turn| turn == place.turn);
    let Some(turn) = fen.turn.filter(|_| rights) else {
        return same;
    };
    let mut setup = Setup::empty();
    setup.board = fen.board.clone();
    setup.turn = turn;
    setup.castling_rights = fen.castling;
    setup.ep_square = fen.en_passant;
    let mode = CastlingMode::detect(&setup);
    let (castling, en_passant) = match legal_in(mode, setup) {
        Some(position) => {
            use shakmaty::Position;
            let en_passant = position.ep_square(shakmaty::EnPassantMode::Legal);
            (position.castles().castling_rights(), en_passant)
        }
        None => (fen.castling, None),
    };
    same && castling == place.castling && en_passant == place.en_passant
}

/// `?` is any one character; the signs of check and mate may be left out.
fn is_played(san: &str, pattern: &str) -> bool {
    let pattern: Vec<char> = pattern
        .replace('0', "O")
        .trim_end_matches('!')
        .chars()
        .collect();
    let fits = |san: &str| {
        let san: Vec<char> = san.chars().collect();
        let mut pairs = san.iter().zip(&pattern);
        san.len() == pattern.len() && pairs.all(|(have, want)| *want == '?' || have == want)
    };
    fits(san) || fits(san.trim_end_matches(['+', '#']))
}

/// The four results, for tests that need them all.
pub(crate) const RESULTS: [GameResult; 4] = [
    GameResult::Unknown,
    GameResult::WhiteWins,
    GameResult::BlackWins,
    GameResult::Draw,
];
