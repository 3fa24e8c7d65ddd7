//! Converts a clause to its node in the tree.

use shakmaty::{Color, Role};

use super::{
    Content, Fault, Flag, HeaderClause, Leaver, Medal, Moves, NumberField, Op, OpeningTest,
    PositionTest, RepertoireTest, Reply, Speed, StartKind, State, Structure, TagNumber, TextField,
    TextTest, Wing, board, designator,
    part::Part,
    regex, sums,
    table::{Kind, TAG_PREFIX},
    value::{self, Operand},
};
use crate::pattern::{
    played::MovePattern,
    word::{CHECK_KINDS, MATE_KINDS, PHASES},
};

/// The names of tags that have a field of their own.
const NAMED_TAGS: [&str; 6] = [
    "Annotator",
    "Source",
    "Team",
    "TimeControl",
    "Variant",
    "Termination",
];

/// Returns the text field of a PGN tag. Capitals matter only in tags without a field.
pub(super) fn text_field(tag: &str) -> TextField {
    match tag.to_ascii_lowercase().as_str() {
        "white" => TextField::White,
        "black" => TextField::Black,
        "player" => TextField::Player,
        "winner" => TextField::Winner,
        "loser" => TextField::Loser,
        "event" => TextField::Event,
        "site" => TextField::Site,
        "round" => TextField::Round,
        lower => {
            let named = NAMED_TAGS
                .iter()
                .find(|named| lower.eq_ignore_ascii_case(named));
            TextField::Tag((*named.unwrap_or(&tag)).to_owned())
        }
    }
}

/// Returns the PGN tag of a text field.
pub(super) fn tag_of(field: &TextField) -> &str {
    match field {
        TextField::White => "White",
        TextField::Black => "Black",
        TextField::Player => "Player",
        TextField::Winner => "Winner",
        TextField::Loser => "Loser",
        TextField::Event => "Event",
        TextField::Site => "Site",
        TextField::Round => "Round",
        TextField::Tag(tag) => tag,
        TextField::Title(None) => "Title",
        TextField::Title(Some(Color::White)) => "WhiteTitle",
        TextField::Title(Some(Color::Black)) => "BlackTitle",
        TextField::Theme => "Themes",
    }
}

/// Parses a test of which `:` compares the whole text.
fn whole(operand: &Operand<'_>) -> Result<TextTest, Fault> {
    Ok(match text_test(operand, true)? {
        TextTest::Contains(whole) => TextTest::Like(vec![whole]),
        other => other,
    })
}

/// Converts a clause about the header; `None` for fields of another level.
pub(super) fn header(operand: Operand<'_>) -> Result<Option<HeaderClause>, Fault> {
    let holds = operand.op != Op::Differ;
    Ok(Some(match operand.field.kind {
        Kind::Text(tag) => {
            let field = text_field(tag);
            let absent = matches!(field, TextField::Tag(_));
            HeaderClause::Text(field, text_test(&operand, absent)?)
        }
        Kind::Tag => {
            let tag = operand.name.get(TAG_PREFIX.len()..).unwrap_or("");
            let field = match text_field(tag) {
                // A tag may have the name of a field that is not one.
                TextField::Winner | TextField::Loser => TextField::Tag(tag.to_owned()),
                field => field,
            };
            HeaderClause::Text(field, text_test(&operand, true)?)
        }
        Kind::Number(field) => {
            let least = match field {
                NumberField::EloDiff => i32::MIN,
                _ => 0,
            };
            HeaderClause::Number(field, operand.numbers(least)?)
        }
        Kind::Date(field) => HeaderClause::Date(field, operand.dates()?),
        Kind::Eco => HeaderClause::Eco(operand.codes()?),
        Kind::EcoPosition => HeaderClause::EcoPosition(operand.whole_codes()?),
        Kind::Opening if operand.is_word("none") => {
            HeaderClause::Opening(OpeningTest::Absent(holds))
        }
        Kind::Opening => {
            let test = text_test(&operand, false)?;
            HeaderClause::Opening(OpeningTest::Name(test))
        }
        Kind::Result => HeaderClause::Result(operand.results()?, holds),
        Kind::Flag => HeaderClause::Flag(Flag::ALL[operand.choice()?], holds),
        Kind::Medal => HeaderClause::Medal(Medal::ALL[operand.choice()?], holds),
        Kind::Content => HeaderClause::Has(Content::ALL[operand.choice()?], holds),
        Kind::Start => HeaderClause::Start(StartKind::ALL[operand.choice()?], holds),
        Kind::Repertoire(side) => HeaderClause::Repertoire(RepertoireTest {
            file: operand.value.part().text.to_owned(),
            side,
        }),
        Kind::RepertoirePlies => {
            let plies = value::number(&operand.value.part().trim(), 1)?;
            HeaderClause::RepertoirePlies(plies.unsigned_abs())
        }
        Kind::RepertoirePly => HeaderClause::RepertoirePly(operand.numbers(0)?),
        Kind::Left => HeaderClause::Left(Leaver::ALL[operand.choice()?]),
        Kind::Speed => match Speed::ALL.get(operand.choice()?) {
            Some(speed) => HeaderClause::Speed(*speed, holds),
            None => HeaderClause::SpeedUnknown(holds),
        },
        Kind::Quality(field) => HeaderClause::Quality(field, operand.decimals()?),
        Kind::Title(color) => HeaderClause::Text(TextField::Title(color), whole(&operand)?),
        Kind::Theme => HeaderClause::Text(TextField::Theme, whole(&operand)?),
        Kind::TagNumber(number) => {
            let least = match number {
                TagNumber::Rating => 0,
                TagNumber::Popularity => i32::MIN,
            };
            HeaderClause::TagNumber(number, operand.numbers(least)?)
        }
        Kind::Comment => HeaderClause::Comment(text_test(&operand, false)?),
        _ => return Ok(None),
    }))
}

/// Returns the test of a text field. A star alone only tests that the text is present, if it can be
/// `absent`.
fn text_test(operand: &Operand<'_>, absent: bool) -> Result<TextTest, Fault> {
    if operand.is_regex {
        let part = operand.value.part();
        return match regex::compile(part.text) {
            Ok(_) => Ok(TextTest::Matches(part.text.to_owned())),
            Err(message) => Err(part.fault(message)),
        };
    }
    let pieces = operand.value.pieces();
    let is_star = pieces.len() == 2 && pieces.iter().all(String::is_empty);
    Ok(match operand.op {
        Op::Equal => TextTest::Equals(pieces.join("*")),
        Op::Differ => TextTest::Differs(pieces.join("*")),
        _ if absent && is_star => TextTest::Present,
        _ => TextTest::from(pieces),
    })
}

/// Converts a clause about a position; `None` for fields of another level.
pub(super) fn position(operand: &Operand<'_>) -> Result<Option<PositionTest>, Fault> {
    let part = operand.value.part();
    Ok(Some(match operand.field.kind {
        Kind::Fen => PositionTest::Fen(Box::new(board::fen(&part)?)),
        Kind::Board => PositionTest::Board(Box::new(board::pattern(&part)?)),
        Kind::Pawns if operand.is_word("symmetric") => PositionTest::State(State::SymmetricPawns),
        Kind::Pawns => PositionTest::Pawns(board::pawns(&board::placement(&part)?)),
        Kind::Files if operand.is_word("equal") => PositionTest::State(State::EqualFiles),
        Kind::Files => PositionTest::Files(board::pawns(&board::placement(&part)?)),
        Kind::Material => PositionTest::Material(board::material(&part)?),
        Kind::Count(_) | Kind::Measure(_) | Kind::Side(_) | Kind::Sum => counts(operand)?,
        Kind::Bishops => PositionTest::Bishops {
            same: operand.choice()? == 0,
        },
        Kind::Piece => {
            let (man, place) = value::piece(&part)?;
            PositionTest::Piece(man, place)
        }
        Kind::Turn if operand.is_word("w") => PositionTest::Turn(Color::White),
        Kind::Turn if operand.is_word("b") => PositionTest::Turn(Color::Black),
        Kind::Turn => PositionTest::Turn(Color::from_white(operand.choice()? == 0)),
        Kind::Ply => PositionTest::Ply(operand.numbers(0)?),
        Kind::MoveNumber => PositionTest::MoveNumber(operand.numbers(0)?),
        Kind::Played => PositionTest::Played(played(&part)?),
        Kind::San => PositionTest::San(value::san(&part)?),
        Kind::Can => PositionTest::Can(reply(operand)?),
        Kind::Missed => PositionTest::Missed(reply(operand)?),
        Kind::After => PositionTest::After(Box::new(Moves::parse(&part)?)),
        Kind::Majority => PositionTest::Majority(Wing::ALL[operand.choice()?]),
        Kind::State(State::Check) => PositionTest::State(CHECK_KINDS[operand.choice()?]),
        Kind::State(State::Mate) => PositionTest::State(MATE_KINDS[operand.choice()?]),
        Kind::Phase => PositionTest::State(PHASES[operand.choice()?]),
        Kind::Attacks => PositionTest::Relation(designator::attacks(&part)?),
        Kind::Ray => PositionTest::Relation(designator::ray(&part)?),
        Kind::Discovered => PositionTest::Relation(designator::discovered(&part)?),
        Kind::Standing(standing) => PositionTest::Relation(designator::standing(standing, &part)?),
        Kind::Structure => PositionTest::Structure(Structure::of_index(operand.choice()?)),
        Kind::Similar => {
            let (board, least) = operand.likeness()?;
            PositionTest::Similar(Box::new(board), least)
        }
        Kind::Score => PositionTest::Score(operand.shares()?),
        Kind::Visits => {
            let (san, shares) = operand.visits()?;
            PositionTest::Visits(san, shares)
        }
        Kind::Clock => PositionTest::Clock(operand.seconds()?),
        Kind::Spent => PositionTest::Spent(operand.seconds()?),
        Kind::Eval => PositionTest::Eval(operand.evaluation()?),
        Kind::Swing => PositionTest::Swing(operand.decimals()?),
        _ => return Ok(None),
    }))
}

/// Returns the test of a bare word; `None` for modifiers.
pub(super) fn bare(kind: Kind) -> Option<PositionTest> {
    match kind {
        Kind::State(state) => Some(PositionTest::State(state)),
        Kind::Outcome(result) => Some(PositionTest::Result(result)),
        Kind::Judgement(judgement) => Some(PositionTest::Judgement(judgement)),
        _ => None,
    }
}

/// Returns the test of a count or measure. What is compared with a number alone has a form of its
/// own, of which indexes know more.
fn counts(operand: &Operand<'_>) -> Result<PositionTest, Fault> {
    let text = operand.value.part();
    let is_number = !text
        .text
        .contains(|sign: char| sign.is_ascii_alphabetic() || sign == '+');
    // A range may begin below 0, where no number does.
    let least = if text.text.contains("..") {
        i32::MIN
    } else {
        0
    };
    Ok(match operand.field.kind {
        Kind::Count(man) if is_number && man.role() != Role::King => {
            PositionTest::Count(man, operand.numbers(least)?)
        }
        Kind::Measure(measure) if is_number || !measure.is_count() => {
            PositionTest::Measure(measure, operand.numbers(measure.least().min(least))?)
        }
        _ => PositionTest::Sum(sums::comparison(operand, &operand.left)?),
    })
}

/// Checks a pattern of moves and returns it as typed.
fn played(part: &Part<'_>) -> Result<String, Fault> {
    let part = part.trim();
    match MovePattern::by_meaning(part.text) {
        Ok(_) => Ok(part.text.to_owned()),
        Err(message) => Err(part.fault(message)),
    }
}

/// Parses `mate` or a pattern of moves.
fn reply(operand: &Operand<'_>) -> Result<Reply, Fault> {
    if operand.is_word("mate") {
        return Ok(Reply::Mate);
    }
    played(&operand.value.part()).map(Reply::Move)
}
