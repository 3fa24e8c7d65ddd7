//! Builds the plan for one database from a query tree.
//!
//! One file because binding is one walk over the tree, with a few lines for each kind of clause.

use std::sync::Arc;

use super::{Clause, Decode, Plan, Positions, Strategy, TagTest, compile, ranges};
use crate::{
    database::{Database, with_view},
    filter::{
        IndexTest, Node, PositionFilter,
        index_test::{CountSlot, DateSlot, Range},
        names::{NameSet, containing, equal_to, is_absent, passing},
    },
    limits::QUERY_CONDITIONS_MAX,
    pattern::{
        automaton::Automaton, element::PatternStep, path::PiecePath, sum_weights::SumWeights,
    },
    query::{
        Compare, Content, DateField, DateTest, EcoTest, HeaderClause, Medal, NumberField, Path,
        Query, RepertoireTest, Sequence, StartKind, TextField, TextTest, regex,
    },
    repertoire::Repertoire,
};
use shakmaty::Color;
use tabiya_chess::{requirements::KingPlaces, text::Needle};
use tabiya_formats::{
    Ask, Header, NameSlot, TimeSlice, View,
    error::{Error, Result},
    header::{Evidence, flag},
};

/// Binds a query. See [`Plan::new`].
pub(super) fn plan(
    query: &Query,
    database: &Database,
    strategy: Strategy,
    variations: bool,
    ask: Ask<'_>,
) -> Result<Plan> {
    if query.condition_count() > QUERY_CONDITIONS_MAX {
        return Err(Error::limit(
            "the number of conditions in a query",
            QUERY_CONDITIONS_MAX as u64,
        ));
    }
    let evidence = with_view!(database.tags(), view => evidence(view));
    let finds_texts = evidence.texts && query.any(&|query| is_about_text(query));
    let mut binder = Binder {
        turn: TimeSlice::begin(),
        ask,
        database,
        strategy,
        variations,
        repertoire_plies: ranges::plies_of(query),
        // Others do not come from the parser.
        repertoire_left: query.repertoire_left().ok().flatten().cloned(),
        repertoires: Vec::new(),
        evidence,
        finds_texts,
        is_denied: false,
        clauses: Vec::new(),
    };
    let mut node = binder.node(query)?;
    if evidence.texts && !finds_texts {
        node = Node::And(vec![binder.games_only(), node]);
    }
    Ok(Plan {
        // Full decode does not rely on the bounds of the index.
        sole_open: sole_open(&node, &binder.clauses).filter(|_| strategy == Strategy::Auto),
        node,
        clauses: binder.clauses,
        variations,
        strategy,
        sidecar: database
            .sidecar_handle()
            .filter(|_| strategy == Strategy::Auto)
            .cloned(),
    })
}

/// Returns the only leaf that the index may leave open, and whether it is negated. A leaf that is
/// negated twice is not returned: it decides the query like a plain one, but without a ply.
fn sole_open(node: &Node, clauses: &[Clause]) -> Option<(usize, bool)> {
    let mut leaves = Vec::new();
    collect_leaves(node, 0, &mut leaves);
    let is_open = |leaf: &(usize, usize)| !matches!(clauses[leaf.0].decode, Decode::Nothing);
    leaves.retain(is_open);
    match leaves.as_slice() {
        [(clause, negations @ 0..=1)] => Some((*clause, *negations == 1)),
        _ => None,
    }
}

/// Collects all leaves, each with the number of its negations.
fn collect_leaves(node: &Node, negations: usize, leaves: &mut Vec<(usize, usize)>) {
    match node {
        Node::All => {}
        Node::And(nodes) | Node::Or(nodes) => nodes
            .iter()
            .for_each(|node| collect_leaves(node, negations, leaves)),
        Node::Not(node) => collect_leaves(node, negations + 1, leaves),
        Node::Test(clause, _) => leaves.push((*clause, negations)),
    }
}

fn evidence<V: View>(_: V) -> Evidence {
    V::Record::EVIDENCE
}

/// Returns whether a query searches comments. Only then records that are texts are found.
fn is_about_text(query: &Query) -> bool {
    matches!(query, Query::Header(HeaderClause::Comment(_)))
}

/// One or more.
const SOME: Range = Range {
    low: 1,
    high: i32::MAX,
    outside: false,
};

pub(super) struct Binder<'d> {
    turn: TimeSlice,
    pub(super) ask: Ask<'d>,
    pub(super) database: &'d Database,
    pub(super) strategy: Strategy,
    variations: bool,
    /// What `repertoire.plies` says.
    pub(super) repertoire_plies: u32,
    /// What `repertoire` says if the query asks where games leave it.
    pub(super) repertoire_left: Option<RepertoireTest>,
    /// The repertoires read so far, by their paths.
    pub(super) repertoires: Vec<(String, Arc<Repertoire>)>,
    /// What the records of the database prove.
    pub(super) evidence: Evidence,
    /// Whether texts may be found too.
    finds_texts: bool,
    /// Whether the present node is inside an odd number of `not`.
    is_denied: bool,
    clauses: Vec<Clause>,
}

impl Binder<'_> {
    fn node(&mut self, query: &Query) -> Result<Node> {
        self.turn.yield_now(self.ask)?;
        Ok(match query {
            Query::All => Node::All,
            Query::And(queries) => Node::And(self.nodes(queries)?),
            Query::Or(queries) => Node::Or(self.nodes(queries)?),
            Query::Not(query) => {
                self.is_denied = !self.is_denied;
                let node = self.node(query)?;
                self.is_denied = !self.is_denied;
                Node::Not(Box::new(node))
            }
            Query::Header(clause) => self.header(clause)?,
            Query::Position(sequence) => {
                let leaf = self.position(sequence);
                self.of_games(leaf)
            }
            Query::Path(path) => {
                let leaf = self.path(path);
                self.of_games(leaf)
            }
            Query::Last(at) => {
                let leaf = self.last(query.to_string(), at);
                self.of_games(leaf)
            }
            Query::Count(sequence, compare) => {
                let leaf = self.number_of_positions(query.to_string(), sequence, *compare);
                self.of_games(leaf)
            }
            Query::Line(moves) => {
                let leaf = self.line(query.to_string(), moves);
                self.of_games(leaf)
            }
        })
    }

    fn games_only(&mut self) -> Node {
        self.leaf("games".into(), "kind of record", IndexTest::Game)
    }

    /// Excludes texts from a condition on positions. They have no positions, so neither the
    /// condition nor its negation holds for them.
    fn of_games(&mut self, leaf: Node) -> Node {
        if !self.finds_texts {
            return leaf;
        }
        let games = self.games_only();
        if self.is_denied {
            Node::Or(vec![Node::Not(Box::new(games)), leaf])
        } else {
            Node::And(vec![games, leaf])
        }
    }

    fn nodes(&mut self, queries: &[Query]) -> Result<Vec<Node>> {
        queries.iter().map(|query| self.node(query)).collect()
    }

    /// Adds a clause that is never decoded and returns its leaf. The test must be exact: a game
    /// that it leaves open counts as a non-match.
    pub(super) fn leaf(&mut self, text: String, served_by: &'static str, test: IndexTest) -> Node {
        self.open_leaf(text, served_by, test, Decode::Nothing)
    }

    /// Adds a clause and returns its leaf. Games that the test leaves open are decoded.
    pub(super) fn open_leaf(
        &mut self,
        text: String,
        served_by: &'static str,
        test: IndexTest,
        decode: Decode,
    ) -> Node {
        self.clauses.push(Clause {
            text,
            served_by,
            decode,
        });
        Node::Test(self.clauses.len() - 1, test)
    }

    fn header(&mut self, clause: &HeaderClause) -> Result<Node> {
        let text = clause.to_string();
        Ok(match clause {
            HeaderClause::Text(field, test) => self.text(text, field, test)?,
            HeaderClause::Number(field, compare) => self.number(text, *field, *compare),
            HeaderClause::Date(field, test) => self.date(text, *field, test),
            HeaderClause::Eco(EcoTest::Absent(holds)) => {
                let none = IndexTest::Eco(Range {
                    low: 0,
                    high: 0,
                    outside: false,
                });
                negate_unless(*holds, self.leaf(text, "opening code", none))
            }
            HeaderClause::Eco(EcoTest::Compare(compare)) => self.leaf(
                text,
                "opening code",
                IndexTest::Eco(ranges::eco_range(*compare)),
            ),
            HeaderClause::EcoPosition(test) => self.eco_position(text, test),
            HeaderClause::Opening(test) => self.opening(text, test),
            HeaderClause::Repertoire(test) => self.repertoire(text, test)?,
            // An option of `repertoire`, which every game matches.
            HeaderClause::RepertoirePlies(_) => Node::All,
            HeaderClause::RepertoirePly(compare) => {
                self.left_with(text, ranges::range(*compare))?
            }
            HeaderClause::Left(leaver) => self.left_by(text, *leaver)?,
            HeaderClause::Plain(test) => self.plain(text, test)?,
            HeaderClause::Result(results, holds) => {
                let mask = results
                    .iter()
                    .fold(0, |mask, &result| mask | 1 << result as u8);
                negate_unless(*holds, self.leaf(text, "result", IndexTest::Result(mask)))
            }
            HeaderClause::Flag(mark, holds) => {
                let mask = 1 << (*mark as u32 + 1);
                let is_told = mask & flag::ANY_PROMOTION == 0 || self.evidence.promotions;
                negate_unless(*holds, self.flags(text, mask, is_told))
            }
            HeaderClause::Start(kind, holds) => {
                let leaf = match kind {
                    StartKind::Chess960 => self.chess960(text),
                    StartKind::Custom | StartKind::Standard => {
                        self.flags(text, flag::CUSTOM_START, self.evidence.starts)
                    }
                };
                negate_unless(*holds == (*kind != StartKind::Standard), leaf)
            }
            HeaderClause::Medal(medal, holds) => negate_unless(*holds, self.medal(text, *medal)),
            HeaderClause::Has(content, holds) => negate_unless(*holds, self.has(text, *content)),
            HeaderClause::Speed(speed, holds) => {
                negate_unless(*holds, self.speed(text, Some(*speed))?)
            }
            HeaderClause::SpeedUnknown(holds) => negate_unless(*holds, self.speed(text, None)?),
            HeaderClause::TagNumber(number, compare) => {
                let decode = Decode::TagNumber(*number, ranges::range(*compare));
                self.open_leaf(text, "decoding", IndexTest::Decode, decode)
            }
            HeaderClause::Quality(field, compare) => self.quality(text, *field, *compare),
            HeaderClause::Comment(test) => {
                let leaf = self.comment(text, tag_test(None, test));
                negate_unless(!matches!(test, TextTest::Differs(_)), leaf)
            }
        })
    }

    fn date(&mut self, text: String, field: DateField, test: &DateTest) -> Node {
        let slot = match field {
            DateField::Date => DateSlot::Game,
            DateField::EventDate => DateSlot::Event,
        };
        match test {
            DateTest::Unknown(holds) => {
                let leaf = self.leaf(text, "date", IndexTest::DateUnknown(slot));
                negate_unless(*holds, leaf)
            }
            DateTest::Compare(compare) => {
                let test = IndexTest::Date(slot, ranges::date_range(*compare));
                self.leaf(text, "date", test)
            }
        }
    }

    /// Binds a medal, from the record or from the tag that a conversion writes.
    fn medal(&mut self, text: String, medal: Medal) -> Node {
        if self.evidence.contents != 0 {
            return self.leaf(text, "medals", IndexTest::Medals(1 << medal as u16));
        }
        let test = TagTest::Has(Needle::new(medal.name()));
        let decode = Decode::Tag(TextField::Tag("Medals".to_owned()), test);
        self.open_leaf(text, "decoding", IndexTest::Decode, decode)
    }

    /// Binds a content, from the record, the counters, or the commands inside comments.
    fn has(&mut self, text: String, content: Content) -> Node {
        if self.evidence.contents & content.bit() != 0 {
            return self.leaf(text, "contents", IndexTest::Contents(content.bit()));
        }
        let slot = match content {
            Content::Variations => CountSlot::Variations,
            Content::Comments => CountSlot::Comments,
            Content::Nags => CountSlot::Nags,
            other => {
                let command = Needle::new(other.command().unwrap_or_default());
                return self.comment(text, TagTest::Has(command));
            }
        };
        self.count(text, slot, SOME)
    }

    /// Binds Chess960. Records have castling rights, but seldom tags and the order of the men.
    fn chess960(&mut self, text: String) -> Node {
        if self.evidence.chess960 {
            return self.leaf(text, "flags", IndexTest::Flags(flag::CHESS960));
        }
        let test = if self.evidence.starts {
            IndexTest::Chess960
        } else {
            IndexTest::Decode
        };
        self.open_leaf(text, "flags, decoding", test, Decode::Chess960)
    }

    fn flags(&mut self, text: String, mask: u32, is_told: bool) -> Node {
        if is_told {
            self.leaf(text, "flags", IndexTest::Flags(mask))
        } else {
            self.open_leaf(text, "decoding", IndexTest::Decode, Decode::Flags(mask))
        }
    }

    /// Returns the name and the test of what only games with comments satisfy.
    pub(super) fn comments(&self) -> (&'static str, IndexTest) {
        match self.strategy {
            Strategy::Auto => ("comment counter, decoding", IndexTest::Commented),
            Strategy::FullDecode => ("decoding", IndexTest::Decode),
        }
    }

    fn comment(&mut self, text: String, wanted: TagTest) -> Node {
        let (served_by, test) = self.comments();
        self.open_leaf(text, served_by, test, Decode::Comment(wanted))
    }

    fn text(&mut self, text: String, field: &TextField, test: &TextTest) -> Result<Node> {
        let slots: &[NameSlot] = match field {
            TextField::White => &[NameSlot::White],
            TextField::Black => &[NameSlot::Black],
            TextField::Player => &[NameSlot::White, NameSlot::Black],
            TextField::Event => &[NameSlot::Event],
            TextField::Winner | TextField::Loser => return self.decided(text, field, test),
            TextField::Site => &[NameSlot::Site],
            TextField::Round => &[NameSlot::Round],
            TextField::Tag(_) | TextField::Title(_) | TextField::Theme => {
                let decode = Decode::Tag(field.clone(), tag_test(Some(field), test));
                let leaf = self.open_leaf(text, "decoding", IndexTest::Decode, decode);
                return Ok(negate_unless(!matches!(test, TextTest::Differs(_)), leaf));
            }
        };
        let sets: Result<_> = slots
            .iter()
            .map(|&slot| Ok((slot, names_of(self.database, field, slot, test, self.ask)?)))
            .collect();
        let leaf = self.leaf(text, "names", IndexTest::Names(sets?));
        Ok(negate_unless(!matches!(test, TextTest::Differs(_)), leaf))
    }

    fn number(&mut self, text: String, field: NumberField, compare: Compare<i32>) -> Node {
        let range = ranges::range(compare);
        let (served_by, test) = match field {
            NumberField::Elo => ("ratings", IndexTest::Rating(None, range)),
            NumberField::WhiteElo => ("ratings", IndexTest::Rating(Some(Color::White), range)),
            NumberField::BlackElo => ("ratings", IndexTest::Rating(Some(Color::Black), range)),
            NumberField::AvgElo => ("ratings", IndexTest::RatingSum(ranges::sum_range(compare))),
            NumberField::EloDiff => ("ratings", IndexTest::RatingDifference(range)),
            NumberField::Year => ("date", IndexTest::Year(range)),
            NumberField::Weekday => ("date", IndexTest::Weekday(range)),
            NumberField::Comments => return self.count(text, CountSlot::Comments, range),
            NumberField::Variations => return self.count(text, CountSlot::Variations, range),
            NumberField::Nags => return self.count(text, CountSlot::Nags, range),
            NumberField::Number => {
                let before = self.database.games_before();
                ("number", IndexTest::Number(range.less(before)))
            }
            NumberField::Plies | NumberField::Moves => return self.length(text, field, range),
        };
        self.leaf(text, served_by, test)
    }

    fn count(&mut self, text: String, slot: CountSlot, range: Range) -> Node {
        let test = IndexTest::Count(slot, range);
        let decode = Decode::Count(slot, range);
        match (self.evidence.counts, self.strategy) {
            (true, _) => self.leaf(text, "counters", test),
            (false, Strategy::Auto) => self.open_leaf(text, "counters, decoding", test, decode),
            (false, Strategy::FullDecode) => {
                self.open_leaf(text, "decoding", IndexTest::Decode, decode)
            }
        }
    }

    fn length(&mut self, text: String, field: NumberField, range: Range) -> Node {
        let (test, decode) = match field {
            NumberField::Plies => (IndexTest::Plies(range), Decode::Plies(range)),
            _ => (IndexTest::Moves(range), Decode::Moves(range)),
        };
        match self.strategy {
            Strategy::Auto => self.open_leaf(text, "plies", test, decode),
            Strategy::FullDecode => self.open_leaf(text, "decoding", IndexTest::Decode, decode),
        }
    }

    /// Binds the path of a piece. The prefilter requires that the piece visits its squares.
    fn path(&mut self, path: &Path) -> Node {
        let automaton = compile::stations(path);
        let test = |filter: PositionFilter| filter.only_excluding(false);
        let (served_by, test, kings) = self.prefilter(&automaton, test);
        let path_of_one = PiecePath {
            man: path.man,
            squares: path.squares.clone(),
        };
        let decode = Decode::Path(Box::new(path_of_one), kings);
        self.open_leaf(path.to_string(), served_by, test, decode)
    }

    /// Returns the name and the test of a prefilter, and the squares where the kings must be.
    pub(super) fn prefilter(
        &self,
        automaton: &Automaton,
        finish: impl Fn(PositionFilter) -> PositionFilter,
    ) -> (&'static str, IndexTest, Option<KingPlaces>) {
        if self.strategy == Strategy::FullDecode {
            return ("decoding", IndexTest::Decode, None);
        }
        let lines = self.database.stored_lines();
        let sidecar = self.database.sidecar_handle();
        let filter = PositionFilter::new(automaton, self.variations, lines, sidecar);
        let filter = finish(filter);
        let served_by = match (filter.asks_visits(), filter.asks_timelines()) {
            _ if filter.asks_remarks() => "clocks and evaluations, visit sets, decoding",
            _ if filter.asks_ends() => "final positions, decoding",
            _ if filter.knows_games() => "games of frequent positions, decoding",
            (true, true) => {
                "visit sets, stored line, home pawns, final material, material timeline, decoding"
            }
            (true, false) => "visit sets, stored line, home pawns, final material, decoding",
            (false, true) => "stored line, home pawns, final material, material timeline, decoding",
            (false, false) => "stored line, home pawns, final material, decoding",
        };
        let test = IndexTest::Position(Box::new(filter));
        (served_by, test, automaton.kings())
    }

    /// Like [`prefilter`](Binder::prefilter), for engine data and comments, which no index has.
    pub(super) fn prefilter_of_boards(
        &self,
        automaton: &Automaton,
    ) -> (&'static str, IndexTest, Option<KingPlaces>) {
        let by_index = self.strategy == Strategy::Auto;
        if by_index && automaton.needs_engine_data() && !self.database.kind().has_engine_data() {
            return ("kind of database", IndexTest::Nothing, None);
        }
        let needs_comments = automaton.needs_remarks();
        let results = automaton.results();
        let finish = |filter: PositionFilter| {
            let filter = filter.only_excluding(needs_comments).with_results(results);
            filter.knowing_remarks(automaton, self.database.sidecar_handle())
        };
        self.prefilter(&automaton.of_boards(), finish)
    }

    fn position(&mut self, sequence: &Sequence) -> Node {
        let automaton = compile::automaton(sequence);
        let (served_by, test, kings) = if automaton.is_beside_boards() {
            self.prefilter_of_boards(&automaton)
        } else {
            self.prefilter(&automaton, |filter| filter)
        };
        let decode = Decode::Position(Box::new(Positions {
            weights: weights(&automaton),
            automaton,
            kings,
            has_place: true,
        }));
        self.open_leaf(sequence.to_string(), served_by, test, decode)
    }
}

/// Returns the test of a text field or of comments, without the negation of `!=`.
pub(super) fn tag_test(field: Option<&TextField>, test: &TextTest) -> TagTest {
    let is_person = match field {
        Some(
            TextField::White
            | TextField::Black
            | TextField::Player
            | TextField::Winner
            | TextField::Loser,
        ) => true,
        Some(TextField::Tag(tag)) => tag == "Annotator",
        _ => false,
    };
    match test {
        TextTest::Contains(part) if is_person => TagTest::Has(Needle::of_person(part)),
        TextTest::Contains(part) => TagTest::Has(Needle::new(part)),
        TextTest::Like(pieces) => TagTest::Has(Needle::of_pieces(pieces)),
        TextTest::Equals(whole) | TextTest::Differs(whole) => TagTest::Equals(whole.clone()),
        TextTest::Present => TagTest::Present,
        TextTest::Matches(text) => match regex::compile(text) {
            Ok(regex) => TagTest::Matches(Box::new(regex)),
            // Nothing else comes from the parser.
            Err(_) => TagTest::Nothing,
        },
    }
}

/// Returns the names that pass a test, without the negation of `!=`.
///
/// # Errors
/// Those of [`Plan::new`].
pub(crate) fn names_of(
    database: &Database,
    field: &TextField,
    slot: NameSlot,
    test: &TextTest,
    ask: Ask<'_>,
) -> Result<NameSet> {
    let kind = slot.kind();
    let names = || database.names(kind);
    let needle = match tag_test(Some(field), test) {
        TagTest::Has(needle) => needle,
        TagTest::Matches(regex) => {
            let matches = |name: &str| !is_absent(name.as_bytes()) && regex.is_match(name);
            return passing(names()?, matches, ask);
        }
        TagTest::Nothing => return passing(names()?, |_| false, ask),
        TagTest::Present | TagTest::Blank | TagTest::Speed(_) => Needle::new(""),
        TagTest::Equals(whole) => return equal_to(&whole, names()?, ask),
    };
    containing(database.folded_names(kind)?, &needle, names, ask)
}

/// Returns the sums that can replace an automaton, one for each alternative, if possible.
pub(super) fn weights(automaton: &Automaton) -> Option<Vec<SumWeights>> {
    let is_plain = |step: &&PatternStep| step.consecutive == 1 && step.shifted.is_empty();
    let step = automaton.single().filter(is_plain)?;
    step.alternatives.iter().map(SumWeights::new).collect()
}

pub(super) fn negate_unless(holds: bool, node: Node) -> Node {
    if holds {
        node
    } else {
        Node::Not(Box::new(node))
    }
}
