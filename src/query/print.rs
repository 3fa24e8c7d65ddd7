//! Prints queries in the form that people type: the output parses to the same tree.
//!
//! That holds for every tree built by the parser or the functions of [`Query`]. A tree built by
//! hand can have values without a text form, such as a reversed range.
//!
//! One file because it mirrors the tree: one short `Display` for each of its types.

use std::{borrow::Cow, fmt, slice};

use shakmaty::{Board, Color, Piece, Rank, Role, Setup, Square, fen::Epd};
use tabiya_chess::{Counts, EcoRange, Man, PartialDate};

use super::{
    At, BoardPattern, Compare, Condition, DateField, DateTest, Designator, EcoTest, EvalTest,
    FenTest, HeaderClause, Link, ManSet, Op, OpeningTest, Path, PawnPlacement, Place, PositionTest,
    Query, Relation, Reply, Sequence, Share, State, TextField, TextTest, Values,
    clause::tag_of,
    parse::{COUNT, LAST},
    table::{FIELDS, Kind, TAG_PREFIX, is_known, is_text_alone, name_of},
};
use crate::pattern::word::{CHECK_KINDS, MATE_KINDS, PHASE_NAMES, PHASES};

/// Puts a value in quotes if it would not parse without them.
pub(super) fn quoted(text: &str) -> Cow<'_, str> {
    let first = |c: char| c.is_alphanumeric() || c == '?';
    let inner = |c: char| c.is_alphanumeric() || "?-_.'/,&+#@=*".contains(c);
    if text.starts_with(first) && text.chars().all(inner) {
        return Cow::Borrowed(text);
    }
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
    Cow::Owned(format!("\"{escaped}\""))
}

/// Prints the pieces of a text with stars between them. Literal stars get a backslash.
fn starred(pieces: &[String]) -> String {
    if !pieces.iter().any(|piece| piece.contains(['*', '\\'])) {
        return quoted(&pieces.join("*")).into_owned();
    }
    let escaped = |piece: &String| {
        ["\\", "\"", "*"].iter().fold(piece.clone(), |text, sign| {
            text.replace(sign, &format!("\\{sign}"))
        })
    };
    let escaped: Vec<String> = pieces.iter().map(escaped).collect();
    format!("\"{}\"", escaped.join("*"))
}

/// Prints a text without a field: in quotes if it would be read as something else without.
fn plain(pieces: &[String]) -> String {
    let text = starred(pieces);
    // After a board without quotes, `w` would be its side to move.
    let is_read_otherwise = text.contains('=')
        || text == "w"
        || text.starts_with("1.")
        || is_known(&text) && !is_text_alone(&text);
    if is_read_otherwise && !text.starts_with('"') {
        return format!("\"{text}\"");
    }
    text
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Query::All => Ok(()),
            other => write_inner(other, f),
        }
    }
}

/// Prints a query that is not the whole text.
fn write_inner(query: &Query, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match query {
        Query::All => f.write_str("()"),
        Query::And(all) => write_joined(all, " ", f),
        Query::Or(any) => write_joined(any, " or ", f),
        Query::Not(inner) => {
            f.write_str("not ")?;
            write_operand(inner, f)
        }
        Query::Header(header) => write!(f, "{header}"),
        Query::Position(sequence) => write!(f, "{sequence}"),
        Query::Path(path) => write!(f, "{path}"),
        Query::Last(at) => write!(f, "{LAST}({})", items(at)),
        Query::Count(sequence, compare) => {
            write_values(f, &format!("{COUNT}({sequence})"), compare)
        }
        Query::Line(moves) => write!(f, "{}:\"{moves}\"", name_of(Kind::Line)),
    }
}

fn write_joined(queries: &[Query], separator: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (index, query) in queries.iter().enumerate() {
        if index > 0 {
            f.write_str(separator)?;
        }
        write_operand(query, f)?;
    }
    Ok(())
}

/// Prints an operand, in brackets if it is a list.
fn write_operand(query: &Query, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if matches!(query, Query::And(_) | Query::Or(_)) {
        f.write_str("(")?;
        write_inner(query, f)?;
        f.write_str(")")
    } else {
        write_inner(query, f)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// Prints a comparison.
fn write_compare<T>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    compare: &Compare<T>,
    text: impl Fn(&T) -> String,
) -> fmt::Result {
    let op = compare.op;
    match &compare.values {
        Values::One(value) => write!(f, "{name}{op}{}", text(value)),
        Values::Range(low, high) => {
            let end = |end: &Option<T>| end.as_ref().map_or(String::new(), &text);
            write!(f, "{name}{op}{}..{}", end(low), end(high))
        }
    }
}

fn write_numbers(f: &mut fmt::Formatter<'_>, kind: Kind, compare: &Compare<i32>) -> fmt::Result {
    write_compare(f, name_of(kind), compare, i32::to_string)
}

/// Prints a comparison of values that print themselves.
fn write_values<T: fmt::Display>(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    compare: &Compare<T>,
) -> fmt::Result {
    write_compare(f, name, compare, T::to_string)
}

/// A move and the comparison of its share of visits: `e4=0.3..`.
struct MoveShare<'a> {
    san: &'a str,
    compare: &'a Compare<Share>,
}

impl fmt::Display for MoveShare<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_values(f, self.san, self.compare)
    }
}

/// Returns `:` or `!=`.
fn is_or_not(holds: bool) -> Op {
    if holds { Op::Has } else { Op::Differ }
}

impl fmt::Display for TextField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tag = tag_of(self);
        let is_named = |kind| match (kind, self) {
            (Kind::Title(kind), TextField::Title(color)) => kind == *color,
            (Kind::Theme, TextField::Theme) => true,
            // A tag of this name is not the field.
            (Kind::Text("Winner" | "Loser"), TextField::Tag(_)) => false,
            (Kind::Text(named), _) => named == tag,
            _ => false,
        };
        let named = FIELDS.iter().find(|field| is_named(field.kind));
        match named {
            Some(field) => f.write_str(field.name),
            None => write!(f, "{TAG_PREFIX}{tag}"),
        }
    }
}

impl fmt::Display for HeaderClause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HeaderClause::Text(field, TextTest::Present)
                if !matches!(field, TextField::Title(_) | TextField::Theme) =>
            {
                write!(f, "{TAG_PREFIX}{}:*", tag_of(field))
            }
            HeaderClause::Text(field, test) => write!(f, "{field}{test}"),
            HeaderClause::Number(field, compare) => write_numbers(f, Kind::Number(*field), compare),
            HeaderClause::Date(field, test) => write_dates(f, *field, test),
            HeaderClause::Eco(test) => write_code(f, name_of(Kind::Eco), test),
            HeaderClause::EcoPosition(EcoTest::Absent(absent)) => {
                let name = name_of(Kind::EcoPosition);
                write!(f, "{name}{}none", is_or_not(*absent))
            }
            HeaderClause::EcoPosition(EcoTest::Compare(compare)) => {
                write_compare(f, name_of(Kind::EcoPosition), compare, code_text)
            }
            HeaderClause::Opening(OpeningTest::Absent(absent)) => {
                write!(f, "{}{}none", name_of(Kind::Opening), is_or_not(*absent))
            }
            HeaderClause::Opening(OpeningTest::Name(test)) => {
                write!(f, "{}{test}", name_of(Kind::Opening))
            }
            HeaderClause::Result(results, holds) => {
                let texts: Vec<&str> = results.iter().map(|result| result.as_str()).collect();
                write!(f, "result{}{}", is_or_not(*holds), texts.join(","))
            }
            HeaderClause::Flag(flag, holds) => {
                write!(f, "flag{}{}", is_or_not(*holds), flag.name())
            }
            HeaderClause::Medal(medal, holds) => {
                write!(f, "medal{}{}", is_or_not(*holds), medal.name())
            }
            HeaderClause::Has(content, holds) => {
                write!(f, "has{}{}", is_or_not(*holds), content.name())
            }
            HeaderClause::Start(kind, holds) => {
                write!(f, "start{}{}", is_or_not(*holds), kind.name())
            }
            HeaderClause::Repertoire(test) => {
                let name = name_of(Kind::Repertoire(test.side));
                write!(f, "{name}:{}", quoted(&test.file))
            }
            HeaderClause::RepertoirePlies(plies) => write!(f, "repertoire.plies:{plies}"),
            HeaderClause::RepertoirePly(compare) => write_values(f, "repertoire.ply", compare),
            HeaderClause::Left(leaver) => write!(f, "left:{}", leaver.name()),
            HeaderClause::Speed(speed, holds) => {
                write!(f, "speed{}{}", is_or_not(*holds), speed.name())
            }
            HeaderClause::SpeedUnknown(holds) => write!(f, "speed{}unknown", is_or_not(*holds)),
            HeaderClause::TagNumber(number, compare) => {
                write_numbers(f, Kind::TagNumber(*number), compare)
            }
            HeaderClause::Quality(field, compare) => {
                write_values(f, name_of(Kind::Quality(*field)), compare)
            }
            HeaderClause::Comment(test) => write!(f, "{}{test}", name_of(Kind::Comment)),
            HeaderClause::Plain(TextTest::Like(pieces)) => f.write_str(&plain(pieces)),
            HeaderClause::Plain(
                TextTest::Contains(text) | TextTest::Equals(text) | TextTest::Differs(text),
            ) => f.write_str(&plain(slice::from_ref(text))),
            HeaderClause::Plain(TextTest::Present | TextTest::Matches(_)) => f.write_str("\"*\""),
        }
    }
}

impl fmt::Display for TextTest {
    /// Prints the operator and the text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TextTest::Contains(text) => write!(f, ":{}", starred(slice::from_ref(text))),
            TextTest::Like(pieces) => write!(f, ":{}", starred(pieces)),
            TextTest::Equals(text) => write!(f, "={}", quoted(text)),
            TextTest::Differs(text) => write!(f, "!={}", quoted(text)),
            TextTest::Present => f.write_str(":*"),
            TextTest::Matches(regex) => write!(f, ":/{}/", regex.replace('/', "\\/")),
        }
    }
}

fn write_code(f: &mut fmt::Formatter<'_>, name: &str, test: &EcoTest) -> fmt::Result {
    match test {
        EcoTest::Absent(absent) => write!(f, "{name}{}none", is_or_not(*absent)),
        EcoTest::Compare(compare) => write_compare(f, name, compare, code_text),
    }
}

fn write_dates(f: &mut fmt::Formatter<'_>, field: DateField, test: &DateTest) -> fmt::Result {
    let name = name_of(Kind::Date(field));
    match test {
        DateTest::Unknown(unknown) => write!(f, "{name}{}unknown", is_or_not(*unknown)),
        DateTest::Compare(compare) => write_compare(f, name, compare, date_text),
    }
}

/// Returns the text of a date without its unknown parts.
fn date_text(date: &PartialDate) -> String {
    let text = date.to_string();
    let known = text.trim_end_matches(".??");
    known.to_owned()
}

/// Returns the shortest code for the range.
fn code_text(range: &EcoRange) -> String {
    let code = range.first.to_string();
    (1..=code.len())
        .filter_map(|length| code.get(..length))
        .find(|short| short.parse() == Ok(*range))
        .unwrap_or(&code)
        .to_owned()
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.first.fmt(f)?;
        for (link, at) in &self.rest {
            let word = match link {
                Link::Then => "then",
                Link::Next => "next",
            };
            write!(f, " {word} {at}")?;
        }
        Ok(())
    }
}

impl fmt::Display for At {
    /// Prints a single test without modifiers bare, anything else as `at( ... )`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain =
            !(self.flip || self.mirror || self.shift || self.rights) && self.consecutive.0 == 1;
        match &self.conditions[..] {
            [
                Condition {
                    negated: false,
                    test,
                },
            ] if plain && !matches!(test, PositionTest::Any(_)) => return test.fmt(f),
            _ => {}
        }
        write!(f, "at({})", items(self))
    }
}

/// Prints what stands in the brackets of a group.
fn items(at: &At) -> String {
    let mut items = match at.conditions.as_slice() {
        // `or` binds less than all else, and modifiers are about the whole.
        [
            Condition {
                negated: false,
                test: PositionTest::Any(branches),
            },
        ] if branches.len() > 1 => vec![branches_text(branches)],
        conditions => conditions.iter().map(Condition::to_string).collect(),
    };
    if at.consecutive.0 != 1 {
        items.push(format!("for:{}", at.consecutive.0));
    }
    let modifiers = [
        (at.flip, Kind::Flip),
        (at.mirror, Kind::Mirror),
        (at.shift, Kind::Shift),
        (at.rights, Kind::Rights),
    ];
    let set = modifiers.into_iter().filter(|(set, _)| *set);
    items.extend(set.map(|(_, kind)| name_of(kind).to_owned()));
    items.join(" ")
}

/// Prints branches with `or` between them.
fn branches_text(branches: &[Vec<Condition>]) -> String {
    let branch = |branch: &Vec<Condition>| {
        let all: Vec<String> = branch.iter().map(Condition::to_string).collect();
        if all.is_empty() {
            "()".to_owned()
        } else {
            all.join(" ")
        }
    };
    let all: Vec<String> = branches.iter().map(branch).collect();
    all.join(" or ")
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.negated {
            f.write_str("not ")?;
        }
        self.test.fmt(f)
    }
}

impl fmt::Display for PositionTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PositionTest::Any(branches) => match branches.as_slice() {
                [branch] if branch.is_empty() => f.write_str("()"),
                branches => write!(f, "({})", branches_text(branches)),
            },
            PositionTest::Fen(test) => write!(f, "fen:{}", quoted(&test.to_string())),
            PositionTest::Board(pattern) => write!(f, "board:{}", quoted(&pattern.to_string())),
            PositionTest::Pawns(pawns) => write!(f, "pawns:{}", pawns_board(*pawns)),
            PositionTest::Files(pawns) => write!(f, "files:{}", pawns_board(*pawns)),
            PositionTest::Material(counts) => {
                let side = |color| side_text(*counts, color);
                write!(f, "material:{}v{}", side(Color::White), side(Color::Black))
            }
            PositionTest::Count(man, compare) => write_numbers(f, Kind::Count(*man), compare),
            PositionTest::Measure(measure, compare) => {
                write_numbers(f, Kind::Measure(*measure), compare)
            }
            PositionTest::Sum(sum) => sum.fmt(f),
            PositionTest::Majority(wing) => write!(f, "majority:{}", wing.name()),
            PositionTest::Result(result) => f.write_str(name_of(Kind::Outcome(*result))),
            PositionTest::Judgement(judgement) => f.write_str(judgement.name()),
            PositionTest::Swing(compare) => write_values(f, name_of(Kind::Swing), compare),
            PositionTest::Bishops { same: true } => f.write_str("bishops:same"),
            PositionTest::Bishops { same: false } => f.write_str("bishops:opposite"),
            PositionTest::Piece(man, place) => write!(f, "piece:{}{place}", man.char()),
            PositionTest::Turn(color) => write!(f, "stm:{}", color.fold_wb("white", "black")),
            PositionTest::Ply(compare) => write_numbers(f, Kind::Ply, compare),
            PositionTest::MoveNumber(compare) => write_numbers(f, Kind::MoveNumber, compare),
            PositionTest::State(state) => write_state(f, *state),
            PositionTest::Relation(relation) => {
                let name = name_of(match relation {
                    Relation::Attacks { .. } => Kind::Attacks,
                    Relation::Ray(_) => Kind::Ray,
                    Relation::Discovered(_) => Kind::Discovered,
                    Relation::Standing(standing, _) => Kind::Standing(*standing),
                });
                write!(f, "{name}:{}", relation_text(relation))
            }
            PositionTest::Similar(board, least) => write!(f, "similar:\"{board}\">={least}"),
            PositionTest::Structure(structure) => write!(f, "structure:{}", structure.name()),
            PositionTest::Played(moves) => write!(f, "played:{}", quoted(moves)),
            PositionTest::San(san) => write!(f, "san:{}", quoted(san)),
            PositionTest::Can(reply) => write_reply(f, Kind::Can, reply),
            PositionTest::Missed(reply) => write_reply(f, Kind::Missed, reply),
            PositionTest::After(moves) => write!(f, "{}:\"{moves}\"", name_of(Kind::After)),
            PositionTest::Score(compare) => write_values(f, name_of(Kind::Score), compare),
            PositionTest::Visits(None, compare) => write_values(f, name_of(Kind::Visits), compare),
            PositionTest::Visits(Some(san), compare) => {
                let visits = MoveShare { san, compare };
                write!(f, "visits:{}", quoted(&visits.to_string()))
            }
            PositionTest::Clock(compare) => write_values(f, name_of(Kind::Clock), compare),
            PositionTest::Spent(compare) => write_values(f, name_of(Kind::Spent), compare),
            PositionTest::Eval(EvalTest::Mate(holds)) => write!(f, "eval{}#", is_or_not(*holds)),
            PositionTest::Eval(EvalTest::Compare(compare)) => {
                write_values(f, name_of(Kind::Eval), compare)
            }
        }
    }
}

fn write_reply(f: &mut fmt::Formatter<'_>, kind: Kind, reply: &Reply) -> fmt::Result {
    let text = match reply {
        Reply::Mate => "mate",
        Reply::Move(pattern) => pattern,
    };
    write!(f, "{}:{}", name_of(kind), quoted(text))
}

/// Prints `check`, or one of its kinds as `check:double`.
fn write_state(f: &mut fmt::Formatter<'_>, state: State) -> fmt::Result {
    if let Some(index) = PHASES.iter().position(|&phase| phase == state) {
        return write!(f, "{}:{}", name_of(Kind::Phase), PHASE_NAMES[index]);
    }
    match state {
        State::SymmetricPawns => return f.write_str("pawns:symmetric"),
        State::EqualFiles => return f.write_str("files:equal"),
        _ => {}
    }
    let kinds: &[State] = match state.implied() {
        Some(State::Check) => &CHECK_KINDS,
        Some(_) => &MATE_KINDS,
        None => &[],
    };
    let name = |state| FIELDS.iter().find(|field| field.kind == Kind::State(state));
    let Some(field) = name(state.implied().unwrap_or(state)) else {
        return Ok(());
    };
    f.write_str(field.name)?;
    match kinds.iter().position(|&kind| kind == state) {
        Some(index) => write!(f, ":{}", field.choices[index]),
        None => Ok(()),
    }
}

/// Returns the value of a relation. Those with a `>` stand in quotes.
fn relation_text(relation: &Relation<Designator>) -> String {
    match relation {
        Relation::Standing(..) => relation.to_string(),
        _ => format!("\"{relation}\""),
    }
}

/// Returns the letters of one side, king first.
fn side_text(counts: Counts, color: Color) -> String {
    let side = Man::ALL.into_iter().filter(|man| man.color() == color);
    side.flat_map(|man| {
        let letter = Man::new(Color::White, man.role()).char();
        std::iter::repeat_n(letter, usize::from(counts.get(man)))
    })
    .collect()
}

/// Returns a board with only pawns.
fn pawns_board(pawns: PawnPlacement) -> Board {
    let mut board = Board::empty();
    for (color, squares) in [(Color::White, pawns.white), (Color::Black, pawns.black)] {
        for square in squares {
            board.set_piece_at(
                square,
                Piece {
                    color,
                    role: Role::Pawn,
                },
            );
        }
    }
    board
}

impl fmt::Display for FenTest {
    /// Prints the placement. With a side to move it also prints the rights, as in a FEN without its
    /// counters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(turn) = self.turn else {
            return self.board.fmt(f);
        };
        let setup = Setup {
            board: self.board.clone(),
            turn,
            castling_rights: self.castling,
            ep_square: self.en_passant,
            ..Setup::empty()
        };
        Epd::try_from(setup)
            .unwrap_or_else(|lossy| lossy.ignore())
            .fmt(f)
    }
}

impl fmt::Display for BoardPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in Rank::ALL.into_iter().rev() {
            let mut free = 0;
            for square in Square::ALL
                .into_iter()
                .filter(|square| square.rank() == rank)
            {
                let set = self.0[usize::from(square)];
                if set == ManSet::ANY {
                    free += 1;
                    continue;
                }
                if free > 0 {
                    write!(f, "{free}")?;
                    free = 0;
                }
                set.fmt(f)?;
            }
            if free > 0 {
                write!(f, "{free}")?;
            }
            if rank != Rank::First {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for ManSet {
    /// Prints the set as in `board`: `A`, `a`, `_`, `?`, a letter or a list in brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ManSet::ANY => return f.write_str("?"),
            ManSet::WHITE => return f.write_str("A"),
            ManSet::BLACK => return f.write_str("a"),
            ManSet::EMPTY => return f.write_str("_"),
            _ => {}
        }
        let men = Man::ALL.into_iter().filter(|man| self.contains(*man));
        let mut letters: String = men.map(Man::char).collect();
        if self.contains_empty() {
            letters.push('_');
        }
        match letters.len() {
            1 => f.write_str(&letters),
            _ => write!(f, "[{letters}]"),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Square(square) => square.fmt(f),
            Place::File(file) => write!(f, "@{}", file.char()),
            Place::Rank(rank) => write!(f, "@{}", rank.char()),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stop = |square: &Option<Square>| square.map_or("?".to_owned(), |at| at.to_string());
        let stops: Vec<String> = self.squares.iter().map(stop).collect();
        write!(f, "path:{}{}", self.man.char(), stops.join("-"))
    }
}
