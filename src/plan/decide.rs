//! Decides single games that the index leaves open.

use shakmaty::Color;
use tabiya_chess::{
    Flow, Start, opening_names::OpeningSeeker, place::MatchPlace, variant::Variant,
};
use tabiya_formats::{
    Damage, Decoded, Header, View, Visitor, check::Annotations, header::flag, pgn::fen_of,
    sound::Sound,
};

use super::{
    Clause, Decode, Plan, Strategy, TagTest,
    flags::MainLineFlags,
    games::passes,
    lines::{BeginsWith, Lines},
    numbered::Numbered,
    remarks::Remarks,
};
use crate::{
    filter::{IndexTest, Node, Verdict},
    pattern::{
        Finder,
        automaton::{Goal, Run},
        path::PathRun,
        sum_matcher::SumMatcher,
    },
    query::TextField,
};

/// Decides one game after another. There is one per thread; its memory is reused.
#[derive(Debug)]
pub(crate) struct Decider<'p, V> {
    plan: &'p Plan,
    view: V,
    sound: Sound,
    remarks: Remarks,
    lines: Lines,
    /// By clause.
    runners: Vec<Option<Runner<'p>>>,
    /// Whether every match needs its ply, so that `or` does not stop at the first clause that
    /// holds.
    wants_plies: bool,
    /// Whether the present game was decoded.
    decoded: bool,
}

/// Follows a game's positions for one clause. There are few per thread, so their size does not
/// matter.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "behind a box each game would pay for the way"
)]
enum Runner<'p> {
    Automaton(Run<'p>),
    One(SumMatcher<'p, 1>),
    Two(SumMatcher<'p, 2>),
    Four(SumMatcher<'p, 4>),
    Path(PathRun<'p>),
}

/// The first place where a game matches, if the query is about positions.
type Found = Option<MatchPlace>;

impl<'p, V: View> Decider<'p, V> {
    pub(crate) fn new(plan: &'p Plan, view: V, wants_plies: bool) -> Decider<'p, V> {
        let runner = |clause: &'p Clause| match &clause.decode {
            Decode::Position(positions) => Some(match positions.weights.as_deref() {
                Some([one]) => Runner::One(SumMatcher::new([one])),
                Some([one, other]) => Runner::Two(SumMatcher::new([one, other])),
                Some([one, flipped, mirrored, both]) => {
                    Runner::Four(SumMatcher::new([one, flipped, mirrored, both]))
                }
                _ => Runner::Automaton(Run::new(&positions.automaton)),
            }),
            Decode::Path(path, _) => Some(Runner::Path(PathRun::new(path))),
            _ => None,
        };
        Decider {
            plan,
            view,
            sound: Sound::default(),
            remarks: Remarks::new(plan.sidecar.clone()),
            lines: Lines::default(),
            runners: plan.clauses.iter().map(runner).collect(),
            wants_plies,
            decoded: false,
        }
    }

    /// Returns whether a game matches, and whether it was decoded to decide that.
    pub(crate) fn decide(
        &mut self,
        game: u32,
        record: &V::Record,
    ) -> (Decoded<Option<Found>>, bool) {
        self.begin(game);
        let found = self.evaluate(&self.plan.node, game, record);
        (found, self.decoded)
    }

    /// Like [`decide`](Decider::decide), for a game that the index has left open.
    #[inline]
    pub(crate) fn decide_open(
        &mut self,
        game: u32,
        record: &V::Record,
    ) -> (Decoded<Option<Found>>, bool) {
        self.begin(game);
        let found = match self.plan.sole_open {
            None => return self.decide(game, record),
            Some((clause, false)) => self.decode(clause, record),
            Some((clause, true)) => {
                let found = self.decode(clause, record);
                found.map(|found| found.is_none().then_some(None))
            }
        };
        (found, self.decoded)
    }

    fn begin(&mut self, game: u32) {
        self.decoded = false;
        self.remarks.begin(game);
        self.sound.begin();
    }

    /// Returns the damage of the last game, if the answer is about what is sound of it.
    pub(crate) fn damage(&self) -> Option<Damage> {
        self.sound.damage()
    }

    fn evaluate(
        &mut self,
        node: &'p Node,
        game: u32,
        record: &V::Record,
    ) -> Decoded<Option<Found>> {
        match node {
            Node::All => Ok(Some(None)),
            Node::And(nodes) => self.all(nodes, game, record),
            Node::Or(nodes) => self.any(nodes, game, record),
            Node::Not(node) => Ok(match self.evaluate(node, game, record)? {
                Some(_) => None,
                None => Some(None),
            }),
            Node::Test(clause, test) => {
                let (verdict, ply) = match test {
                    IndexTest::Position(filter) => filter.verdict(self.view, game, record),
                    _ => (node.verdict(self.view, game, record), None),
                };
                match verdict {
                    Verdict::No => Ok(None),
                    Verdict::Yes => Ok(Some(ply.map(MatchPlace::in_main_line))),
                    Verdict::Maybe => self.decode(*clause, record),
                }
            }
        }
    }

    /// Evaluates `and`: the ply is that of the last match.
    ///
    /// Damage is reported only if the answer depends on it: a game that fails another condition
    /// fails, however damaged.
    fn all(&mut self, nodes: &'p [Node], game: u32, record: &V::Record) -> Decoded<Option<Found>> {
        let rejected = |node: &Node| node.verdict(self.view, game, record) == Verdict::No;
        if !self.decodes_all() && nodes.iter().any(rejected) {
            return Ok(None);
        }
        let mut result = Ok(Some(None));
        for node in nodes {
            match (self.evaluate(node, game, record), &mut result) {
                (Ok(None), _) if !self.decodes_all() => return Ok(None),
                (Ok(None), result) => *result = Ok(None),
                (Ok(Some(found)), Ok(Some(ply))) => *ply = (*ply).max(found),
                (Err(damage), Ok(Some(_))) => result = Err(damage),
                (Ok(Some(_)) | Err(_), _) => {}
            }
        }
        result
    }

    /// Evaluates `or`: the ply is that of the first match, and none if a match is not about
    /// positions. Damage is reported only if nothing matches.
    fn any(&mut self, nodes: &'p [Node], game: u32, record: &V::Record) -> Decoded<Option<Found>> {
        let may_stop = !self.wants_plies && !self.decodes_all();
        let mut result: Decoded<Option<Found>> = Ok(None);
        for node in nodes {
            match (self.evaluate(node, game, record), &mut result) {
                (Ok(Some(found)), _) if may_stop => return Ok(Some(found)),
                // `None` is less than every ply.
                (Ok(Some(found)), Ok(Some(ply))) => *ply = (*ply).min(found),
                (Ok(Some(found)), result) => *result = Ok(Some(found)),
                (Err(damage), Ok(None)) => result = Err(damage),
                (Ok(None) | Err(_), _) => {}
            }
        }
        result
    }

    /// Whether conditions are evaluated although the answer is known.
    fn decodes_all(&self) -> bool {
        self.plan.strategy == Strategy::FullDecode
    }

    /// Decodes the game for one clause.
    fn decode(&mut self, clause: usize, record: &V::Record) -> Decoded<Option<Found>> {
        if self.kings_rule_out(clause, record) {
            return Ok(None);
        }
        self.decoded = true;
        let (view, sound) = (self.view, &mut self.sound);
        let holds = match &self.plan.clauses[clause].decode {
            Decode::Nothing => false,
            Decode::Plies(range) => range.contains(sound.plies(view, record)? as i32),
            Decode::Moves(range) => {
                let plies = sound.plies(view, record)?;
                range.contains(plies.div_ceil(2) as i32)
            }
            Decode::Count(slot, range) => {
                let mut annotations = Annotations::default();
                sound.visit(view, record, &mut annotations)?;
                range.contains(slot.in_game(&annotations))
            }
            Decode::Flags(wanted) => {
                let mut found = MainLineFlags::default();
                sound.main_line(view, record, &mut found)?;
                found.flags & wanted == *wanted
            }
            Decode::Chess960 => is_chess960(view, record, sound)?,
            Decode::Tag(field, test) => has_tag(view, record, sound, (field, test))?,
            Decode::TagNumber(number, range) => view.any_tag(record, &mut |name, value| {
                let is_it = name.eq_ignore_ascii_case(number.tag());
                let number = value.trim().parse();
                is_it && number.is_ok_and(|number: i32| range.contains(number))
            })?,
            Decode::Opening(wanted) => {
                let mut seeker = OpeningSeeker::at_start();
                sound.main_line(view, record, &mut seeker)?;
                wanted.contains(seeker.number())
            }
            Decode::Beside(beside) => beside.holds(view, record, sound)?,
            Decode::Comment(test) => {
                view.any_comment(record, &mut |comment| test.passes(comment))?
            }
            Decode::Position(_) | Decode::Path(..) => return self.follow(clause, record),
            Decode::Line(moves) => {
                let mut begins = BeginsWith::new(moves.moves());
                sound.main_line(view, record, &mut begins)?;
                let ply = moves.moves().len() as u32;
                return Ok(begins
                    .holds()
                    .then_some(Some(MatchPlace::in_main_line(ply))));
            }
            Decode::Quality(field, compare) => {
                let number = self.remarks.quality(view, record, sound, *field)?;
                number.is_some_and(|number| passes(number, *compare))
            }
        };
        Ok(holds.then_some(None))
    }

    /// Returns whether the kings' squares exclude a clause, so that the game need not be played.
    fn kings_rule_out(&self, clause: usize, record: &V::Record) -> bool {
        let kings = match &self.plan.clauses[clause].decode {
            Decode::Position(positions) => &positions.kings,
            Decode::Path(_, kings) => kings,
            _ => return false,
        };
        let may_come = |places| self.view.prefilter_kings(record, places);
        !kings.as_ref().is_none_or(may_come)
    }

    /// Plays the main line, then all lines if variations are searched and the game may have some.
    fn follow(&mut self, clause: usize, record: &V::Record) -> Decoded<Option<Found>> {
        let may_have_some =
            self.plan.strategy == Strategy::FullDecode || record.variation_count().at_most != 0;
        let in_tree = self.plan.variations && may_have_some;
        let (view, sound) = (self.view, &mut self.sound);
        let mut has_place = true;
        if let (Decode::Position(positions), Some(Runner::Automaton(run))) =
            (&self.plan.clauses[clause].decode, &mut self.runners[clause])
        {
            has_place = positions.has_place;
            run.set_result(record.result());
        }
        let found = match &mut self.runners[clause] {
            Some(Runner::Automaton(run)) if run.automaton().asks_beyond_positions() => {
                // The final position is that of the main line.
                let in_tree = in_tree && run.automaton().goal != Goal::Last;
                self.lines
                    .find((view, record), sound, run, &mut self.remarks, in_tree)
            }
            Some(Runner::Automaton(run)) => find(view, record, sound, run, in_tree),
            Some(Runner::One(run)) => find(view, record, sound, run, in_tree),
            Some(Runner::Two(run)) => find(view, record, sound, run, in_tree),
            Some(Runner::Four(run)) => find(view, record, sound, run, in_tree),
            Some(Runner::Path(run)) => find(view, record, sound, run, in_tree),
            None => Ok(None),
        };
        Ok(found?.map(|place| has_place.then_some(place)))
    }
}

/// Returns whether a game is one of Chess960.
fn is_chess960<V: View>(view: V, record: &V::Record, sound: &mut Sound) -> Decoded<bool> {
    let mut found = MainLineFlags {
        start_only: true,
        ..MainLineFlags::default()
    };
    sound.main_line(view, record, &mut found)?;
    Ok(found.flags & flag::CHESS960 != 0
        || found.flags & flag::CUSTOM_START != 0
            && view.any_tag(record, &mut |name, value| {
                name == "Variant" && Variant::of_tag(value) == Variant::Chess960
            })?)
}

/// Returns whether a game has a tag, or lacks it, so that a test passes.
fn has_tag<V: View>(
    view: V,
    record: &V::Record,
    sound: &mut Sound,
    (field, test): (&TextField, &TagTest),
) -> Decoded<bool> {
    let made = match field {
        TextField::Tag(name) => match index_tag(view, record, name) {
            None => start_tag(view, record, sound, name)?,
            value => value,
        },
        _ => None,
    };
    let mut is_absent = made.is_none();
    Ok(made.is_some_and(|value| test.passes(&value))
        || view.any_tag(record, &mut |name, value| {
            let is_it = is_tag(field, name);
            is_absent &= !is_it;
            is_it && tag_passes(field, test, value)
        })?
        || (is_absent && test.passes_absent()))
}

/// Whether the value of a tag passes, or one of its words for a field that is asked of words.
fn tag_passes(field: &TextField, test: &TagTest, value: &str) -> bool {
    match field {
        TextField::Theme if !value.trim().is_empty() => {
            value.split_whitespace().any(|word| test.passes(word))
        }
        _ => test.passes(value),
    }
}

/// Searches the main line and then, if there is no match, all lines.
fn find<V: View, F: Finder>(
    view: V,
    record: &V::Record,
    sound: &mut Sound,
    finder: &mut F,
    in_tree: bool,
) -> Decoded<Option<MatchPlace>> {
    finder.look_in_all_lines(false);
    sound.main_line(view, record, finder)?;
    if !in_tree || finder.found().is_some() {
        return Ok(finder.found().map(MatchPlace::in_main_line));
    }
    finder.look_in_all_lines(true);
    Numbered::new(finder, &[]).find_in_tree(view, record, sound)
}

/// Returns the value of a tag that the index stores but no field of the query language names.
fn index_tag<V: View>(view: V, record: &V::Record, name: &str) -> Option<String> {
    let rating = |color: Color, prefix: &str| {
        let value = record.rating(color)?;
        let suffix = record.rating_kind(color).tag_suffix();
        let own = name.len() == prefix.len() + suffix.len()
            && name.get(..prefix.len())?.eq_ignore_ascii_case(prefix)
            && name.get(prefix.len()..)?.eq_ignore_ascii_case(suffix);
        own.then(|| value.to_string())
    };
    match name.to_ascii_lowercase().as_str() {
        "date" => Some(record.date().to_string()),
        "eventdate" => Some(view.event_date(record))
            .filter(|date| !date.is_unknown())
            .map(|date| date.to_string()),
        "result" => Some(record.result().to_string()),
        "eco" => record.eco().map(|eco| eco.to_string()),
        _ => rating(Color::White, "White").or_else(|| rating(Color::Black, "Black")),
    }
}

/// Returns the value of a tag derived from a custom start position, as it is written to PGN: `FEN`,
/// and `SetUp` unless the game has that tag. `None` for the standard position.
fn start_tag<V: View>(
    view: V,
    record: &V::Record,
    sound: &mut Sound,
    name: &str,
) -> Decoded<Option<String>> {
    let is_fen = name.eq_ignore_ascii_case("FEN");
    let is_setup = || name.eq_ignore_ascii_case("SetUp");
    if !is_fen && !is_setup() {
        return Ok(None);
    }
    let mut begin = Begin::default();
    sound.visit(view, record, &mut begin)?;
    Ok(match begin.fen {
        Some(fen) if is_fen => Some(fen),
        Some(_) if !begin.has_setup_tag => Some("1".to_owned()),
        _ => None,
    })
}

/// Visits a game up to its start position.
#[derive(Default)]
struct Begin {
    /// The start position, if it is custom.
    fen: Option<String>,
    has_setup_tag: bool,
}

impl Visitor for Begin {
    fn tag(&mut self, name: &str, _: &str) -> Flow {
        self.has_setup_tag |= name.eq_ignore_ascii_case("SetUp");
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        if let Start::Custom(setup) = start {
            self.fen = Some(fen_of(setup).to_string());
        }
        Flow::Break(())
    }
}

/// Returns whether a field names a tag. `Team` names both sides' teams.
fn is_tag(field: &TextField, name: &str) -> bool {
    match field {
        TextField::Tag(wanted) if wanted == "Team" => ["Team", "WhiteTeam", "BlackTeam"]
            .into_iter()
            .any(|team| name.eq_ignore_ascii_case(team)),
        TextField::Tag(wanted) => name.eq_ignore_ascii_case(wanted),
        TextField::Title(color) => {
            let is = |title: &str| name.eq_ignore_ascii_case(title);
            (*color != Some(Color::Black) && is("WhiteTitle"))
                || (*color != Some(Color::White) && is("BlackTitle"))
        }
        TextField::Theme => name.eq_ignore_ascii_case("Themes"),
        _ => false,
    }
}
