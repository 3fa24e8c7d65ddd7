//! Tags and the header built from them.

use std::borrow::Cow;

use tabiya_chess::{
    Elo, PartialDate, RatingKind,
    text::{self, decode},
    variant::Variant,
};

use super::lex::result_of;
use crate::{
    game::{GameHeader, Rating},
    header::NameSlot,
    limits::PGN_TAGS_MAX,
};

/// Letters of the `ScidFlags` tag, for the bits of [`GameHeader::marks`] from 3 on.
pub(super) const MARK_LETTERS: [u8; 19] = *b"DWBMENPTKQ!?U123456";
/// The bit of the first letter.
pub(super) const FIRST_MARK_BIT: u32 = 3;

/// Highest rating that is accepted. Scid has the same limit.
const RATING_MAX: u16 = 4000;

/// An undecoded tag that is passed to the visitor, unless the header holds it.
#[derive(Debug)]
struct Tag<'a> {
    name: &'a [u8],
    value: &'a [u8],
    in_header: bool,
}

/// A tag's value as it is written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Value<'a> {
    bytes: &'a [u8],
    /// Whether it is known to be stored as it is written: ASCII without `\`.
    is_plain: bool,
}

impl<'a> Value<'a> {
    /// Returns a value of which nothing else is known.
    pub(super) fn new(bytes: &'a [u8]) -> Value<'a> {
        Value {
            bytes,
            is_plain: false,
        }
    }

    /// Returns a value that is ASCII without `\`. It is read faster.
    pub(super) fn plain(bytes: &'a [u8]) -> Value<'a> {
        Value {
            bytes,
            is_plain: true,
        }
    }

    fn text(self) -> Cow<'a, str> {
        if self.is_plain
            && let Ok(text) = str::from_utf8(self.bytes)
        {
            return Cow::Borrowed(text);
        }
        unescape(self.bytes)
    }
}

/// The tags of one game, sorted into header and rest.
#[derive(Debug)]
pub(super) struct Tags<'a> {
    /// Without names before [`finish`](Tags::finish).
    pub(super) header: GameHeader,
    /// The names, by [`NameSlot`].
    names: [Value<'a>; 5],
    /// Whether there was a readable `Result` tag.
    pub(super) has_result: bool,
    /// The start position as text, with the offset of its tag.
    pub(super) fen: Option<(Cow<'a, str>, usize)>,
    pub(super) two_fens: bool,
    /// Whether there are more tags than are kept.
    pub(super) too_many: bool,
    /// The value of the first `Variant` tag.
    pub(super) variant: Option<Variant>,
    tags: Vec<Tag<'a>>,
    /// Bit set of the [`Slot`]s that are already filled.
    seen: u16,
}

/// The header's fields that one tag fills; further tags of that name are ordinary.
#[derive(Clone, Copy)]
enum Slot {
    Event,
    Site,
    Date,
    Round,
    White,
    Black,
    Result,
    Eco,
    EventDate,
    Marks,
}

impl Slot {
    fn of(name: &[u8]) -> Option<Slot> {
        Some(match name {
            b"Event" => Slot::Event,
            b"Site" => Slot::Site,
            b"Date" => Slot::Date,
            b"Round" => Slot::Round,
            b"White" => Slot::White,
            b"Black" => Slot::Black,
            b"Result" => Slot::Result,
            b"ECO" => Slot::Eco,
            b"EventDate" => Slot::EventDate,
            b"ScidFlags" => Slot::Marks,
            _ => return None,
        })
    }
}

impl<'a> Tags<'a> {
    pub(super) fn new() -> Tags<'a> {
        Tags {
            header: GameHeader::default(),
            names: [Value::plain(b"?"); 5],
            has_result: false,
            fen: None,
            two_fens: false,
            too_many: false,
            variant: None,
            tags: Vec::new(),
            seen: 0,
        }
    }

    /// Forgets all tags. Keeps the memory for the next game.
    pub(super) fn clear(&mut self) {
        let mut tags = std::mem::take(&mut self.tags);
        tags.clear();
        *self = Tags {
            tags,
            ..Tags::new()
        };
    }

    /// Adds an undecoded tag.
    pub(super) fn add(&mut self, name: &'a [u8], value: Value<'a>, offset: usize) {
        if name == b"FEN" {
            return self.add_fen(value.text(), offset);
        }
        if name == b"Variant" {
            self.variant
                .get_or_insert_with(|| Variant::of_tag(&value.text()));
        }
        let taken = match Slot::of(name) {
            Some(slot) if self.seen & 1 << slot as u16 == 0 => self.fill(slot, value),
            _ => false,
        };
        if !taken && self.tags.len() >= PGN_TAGS_MAX {
            self.too_many = true;
        } else if !taken {
            self.tags.push(Tag {
                name,
                value: value.bytes,
                in_header: false,
            });
        }
    }

    /// Stores a value in the header; returns whether the header now holds all of it.
    fn fill(&mut self, slot: Slot, value: Value<'a>) -> bool {
        let header = &mut self.header;
        let (filled, whole) = match slot {
            Slot::Event => self.set_name(NameSlot::Event, value),
            Slot::Site => self.set_name(NameSlot::Site, value),
            Slot::Round => self.set_name(NameSlot::Round, value),
            Slot::White => self.set_name(NameSlot::White, value),
            Slot::Black => self.set_name(NameSlot::Black, value),
            Slot::Date => set_date(&mut header.date, value.bytes),
            Slot::EventDate => set_date(&mut header.event_date, value.bytes),
            Slot::Result => match result_of(value.bytes).or_else(|| value.text().parse().ok()) {
                Some(result) => {
                    header.result = result;
                    self.has_result = true;
                    (true, true)
                }
                None => (false, false),
            },
            Slot::Eco => {
                header.eco = value.text().parse().ok();
                (header.eco.is_some(), header.eco.is_some())
            }
            Slot::Marks => {
                let (marks, whole) = parse_marks(&value.text());
                header.marks = marks;
                (true, whole)
            }
        };
        self.seen |= u16::from(filled) << slot as u16;
        whole
    }

    fn add_fen(&mut self, value: Cow<'a, str>, offset: usize) {
        match &self.fen {
            _ if value.trim().is_empty() => {}
            None => self.fen = Some((value, offset)),
            Some((first, _)) => self.two_fens |= *first != value,
        }
    }

    fn set_name(&mut self, slot: NameSlot, value: Value<'a>) -> (bool, bool) {
        self.names[slot as usize] = value;
        (true, true)
    }

    /// Chooses the ratings and sets the names, missing ones to `?`.
    pub(super) fn finish(&mut self) {
        self.choose_ratings();
        let [white, black, event, site, round] = self.names.map(Value::text);
        let header = &mut self.header;
        (header.white, header.black) = (white.into(), black.into());
        (header.event, header.site) = (event.into(), site.into());
        header.round = round.into();
    }

    /// Does the part of [`finish`](Tags::finish) for one who takes the names from
    /// [`names`](Tags::names).
    pub(super) fn choose_ratings(&mut self) {
        self.header.white_rating = self.choose_rating(b"White");
        self.header.black_rating = self.choose_rating(b"Black");
    }

    /// Returns the names by [`NameSlot`], `?` for missing ones. Copies hardly ever.
    pub(super) fn names(&self) -> [Cow<'a, [u8]>; 5] {
        self.names.map(|name| {
            if name.is_plain || is_plain(name.bytes) {
                Cow::Borrowed(name.bytes)
            } else {
                Cow::Owned(name.text().into_owned().into())
            }
        })
    }

    /// Returns the Elo rating if there is one, else the first of another system.
    fn choose_rating(&mut self, colour: &[u8]) -> Option<Rating> {
        let mut best: Option<(usize, Rating)> = None;
        for (index, tag) in self.tags.iter().enumerate() {
            let Some(kind) = tag.name.strip_prefix(colour).and_then(rating_kind) else {
                continue;
            };
            let better = best.is_none_or(|(_, rating)| {
                kind == RatingKind::Elo && rating.kind != RatingKind::Elo
            });
            let value = number(tag.value).filter(|&value| value <= RATING_MAX);
            if let Some(value) = value.and_then(Elo::new).filter(|_| better) {
                best = Some((index, Rating { value, kind }));
            }
        }
        let (index, rating) = best?;
        let tag = self.tags.get_mut(index)?;
        // A value like `02500` also stays an ordinary tag.
        tag.in_header = tag.value.len() == decimal_length(rating.value.get());
        Some(rating)
    }

    /// Returns the tags that the header does not hold.
    pub(super) fn rest(&self) -> impl Iterator<Item = (Cow<'a, str>, Cow<'a, str>)> {
        self.tags
            .iter()
            .filter(|tag| !tag.in_header)
            .map(|tag| (decode(tag.name), unescape(tag.value)))
    }
}

/// Whether a tag fills a field of the header that may not hold all of its value.
pub(super) fn fills_header(name: &str) -> bool {
    let suffix = ["White", "Black"]
        .iter()
        .find_map(|color| name.strip_prefix(color));
    match Slot::of(name.as_bytes()) {
        None => suffix.map(str::as_bytes).and_then(rating_kind).is_some(),
        Some(slot) => !matches!(
            slot,
            Slot::Event | Slot::Site | Slot::Round | Slot::White | Slot::Black
        ),
    }
}

/// Whether a header's field, written as `held`, may come from the tag value `value` without
/// holding all of it.
pub(super) fn is_part_of(name: &str, held: &str, value: &str) -> bool {
    let of_value = |value: &str| {
        let mut tags = Tags::new();
        tags.add(name.as_bytes(), Value::new(value.as_bytes()), 0);
        tags.finish();
        (
            tags.header.clone(),
            tags.has_result,
            tags.rest().next().is_none(),
        )
    };
    let (held, value) = (of_value(held), of_value(value));
    // An unreadable `Result` tag does not fill the header; its result is that after the moves.
    let is_one = held.0 == value.0 || held.1 && !value.1;
    is_one && held.2 && !value.2
}

fn rating_kind(suffix: &[u8]) -> Option<RatingKind> {
    if suffix == b"Elo" {
        return Some(RatingKind::Elo);
    }
    RatingKind::ALL
        .into_iter()
        .find(|kind| kind.tag_suffix().as_bytes() == suffix)
}

/// Reads the value of a tag that is a number.
fn number(value: &[u8]) -> Option<u16> {
    let &[a, b, c, d] = value else {
        return unescape(value).trim().parse().ok();
    };
    // Nearly all ratings.
    let digits = [a, b, c, d].map(|byte| u16::from(byte.wrapping_sub(b'0')));
    if digits.iter().any(|&digit| digit > 9) {
        return unescape(value).trim().parse().ok();
    }
    Some(digits.iter().fold(0, |number, digit| 10 * number + digit))
}

fn decimal_length(number: u16) -> usize {
    match number {
        0..10 => 1,
        10..100 => 2,
        100..1000 => 3,
        _ => 4,
    }
}

/// Sets a date without its invalid parts, such as a 32nd day; then the tag stays as well.
fn set_date(date: &mut PartialDate, value: &[u8]) -> (bool, bool) {
    if let Some(standard) = PartialDate::of_standard(value) {
        *date = standard;
        return (true, true);
    }
    let value = unescape(value);
    let Some(parsed) = PartialDate::of_tag(&value) else {
        return (false, false);
    };
    *date = parsed;
    let fields = [
        parsed.year().unwrap_or(0),
        u16::from(parsed.month()),
        u16::from(parsed.day()),
    ];
    let whole = value
        .split(['.', '-', '/'])
        .zip(fields)
        .all(|(part, field)| part.trim().parse().unwrap_or(0) == field);
    // In another order, all of it may be known too.
    let is_known = !fields.contains(&0) && !value.contains([':', 'T']);
    (true, whole || is_known)
}

/// Reads the letters of a `ScidFlags` tag; also returns whether all of them are known.
fn parse_marks(letters: &str) -> (u32, bool) {
    let mut whole = true;
    let marks = letters.bytes().fold(0, |marks, letter| {
        let bit = MARK_LETTERS.iter().position(|&known| known == letter);
        whole &= bit.is_some();
        marks | bit.map_or(0, |bit| 1 << (bit as u32 + FIRST_MARK_BIT))
    });
    (marks, whole)
}

/// Whether a value is written as it is stored: it is ASCII without `\`.
fn is_plain(value: &[u8]) -> bool {
    value.is_ascii() && !value.contains(&b'\\')
}

/// Removes each `\` that escapes a quote or another `\`. Any other `\` is text.
fn unescape(value: &[u8]) -> Cow<'_, str> {
    if !value.contains(&b'\\') {
        return text::decode(value);
    }
    let mut plain = Vec::with_capacity(value.len());
    let mut bytes = value.iter().copied().peekable();
    while let Some(byte) = bytes.next() {
        let escaped = bytes.next_if(|next| byte == b'\\' && matches!(next, b'"' | b'\\'));
        plain.push(escaped.unwrap_or(byte));
    }
    Cow::Owned(text::decode(&plain).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tabiya_chess::GameResult;

    fn tags<'a>(pairs: &[(&'a str, &'a str)]) -> Tags<'a> {
        let mut tags = Tags::new();
        for (name, value) in pairs {
            tags.add(name.as_bytes(), Value::new(value.as_bytes()), 0);
        }
        tags.finish();
        tags
    }

    fn rest(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        let owned = |(name, value): (Cow<'_, str>, Cow<'_, str>)| (name.into(), value.into());
        tags(pairs).rest().map(owned).collect()
    }

    #[test]
    fn the_header_takes_its_tags_and_leaves_the_others_in_order() {
        let pairs = [
            ("Event", "E"),
            ("Annotator", "x"),
            ("Site", "S"),
            ("Date", "2010.05.??"),
            ("Round", "1.2"),
            ("White", "M\\\"x\\\\"),
            ("Black", ""),
            ("Result", "1/2-1/2"),
            ("WhiteElo", "2500"),
            ("BlackDWZ", "1800"),
            ("ECO", "B90a"),
            ("EventDate", "2010"),
            ("ScidFlags", "DW6"),
            ("SetUp", "1"),
            ("PlyCount", "8"),
        ];
        let tags = tags(&pairs);
        let header = &tags.header;
        assert_eq!(header.white, "M\"x\\");
        assert_eq!(header.black, "");
        assert_eq!(header.date.to_string(), "2010.05.??");
        assert_eq!(header.event_date.to_string(), "2010.??.??");
        assert_eq!(header.result, GameResult::Draw);
        assert_eq!(header.white_rating.unwrap().value.get(), 2500);
        assert_eq!(header.black_rating.unwrap().kind, RatingKind::Dwz);
        assert_eq!(header.eco.unwrap().to_string(), "B90a");
        assert_eq!(header.marks, 1 << 3 | 1 << 4 | 1 << 21);
        let names: Vec<_> = tags.rest().map(|(name, _)| name).collect();
        assert_eq!(names, ["Annotator", "SetUp", "PlyCount"]);
    }

    #[test]
    fn a_value_that_the_header_cannot_hold_stays_a_tag() {
        for pair in [
            ("ECO", "XYZ"),
            ("ECO", ""),
            ("WhiteElo", "abc"),
            ("WhiteElo", "0"),
            ("WhiteElo", "4001"),
            ("WhiteElo", "02500"),
            ("BlackUSCF", "?"),
            ("Date", "May 1999"),
            ("Date", "1999.02.32"),
            ("EventDate", "2999.01.01"),
            ("Result", "won"),
            ("ScidFlags", "DXY"),
        ] {
            assert_eq!(rest(&[pair]), [(pair.0.into(), pair.1.into())]);
        }
        let padded = tags(&[("WhiteElo", "02500"), ("Date", "1999.02.32")]);
        assert_eq!(padded.header.white_rating.unwrap().value.get(), 2500);
        assert_eq!(padded.header.date.to_string(), "1999.02.??");
    }

    #[test]
    fn a_second_tag_of_the_same_name_stays_a_tag() {
        let second = [("White".to_owned(), "B".to_owned())];
        assert_eq!(rest(&[("White", "A"), ("White", "B")]), second);
        assert_eq!(
            rest(&[("ECO", "?"), ("ECO", "A00")]),
            [("ECO".to_owned(), "?".to_owned())]
        );
    }

    #[test]
    fn elo_goes_before_other_ratings_and_these_in_file_order() {
        let pairs = [
            ("WhiteRapid", "1"),
            ("WhiteElo", "2"),
            ("BlackICCF", "3"),
            ("BlackECF", "4"),
        ];
        let tags = tags(&pairs);
        assert_eq!(tags.header.white_rating.unwrap().value.get(), 2);
        assert_eq!(tags.header.black_rating.unwrap().kind, RatingKind::Iccf);
        let names: Vec<_> = tags.rest().map(|(name, _)| name).collect();
        assert_eq!(names, ["WhiteRapid", "BlackECF"]);
    }

    #[test]
    fn absent_names_are_question_marks() {
        let header = tags(&[("Site", "")]).header;
        let names = [&header.event, &header.white, &header.black, &header.round];
        assert_eq!(names, ["?"; 4]);
        assert_eq!(header.site, "");
    }

    #[test]
    fn every_mark_has_its_letter() {
        let (marks, whole) = parse_marks(std::str::from_utf8(&MARK_LETTERS).unwrap());
        assert_eq!(marks, 0x003f_fff8);
        assert!(whole);
    }

    #[test]
    fn a_backslash_protects_quotes_and_backslashes_only() {
        for (raw, plain) in [
            (r"\\\\", r"\\"),
            (r#"\\\""#, r#"\""#),
            (r"a\b", r"a\b"),
            ("\\", "\\"),
        ] {
            assert_eq!(unescape(raw.as_bytes()), plain);
        }
        assert_eq!(unescape(b"M\xfcller \xc3\xbc"), "Müller ü");
    }
}
