//! Binds conditions on whole games: final positions, numbers of positions, first moves, results of
//! players, speeds, and how well a side played.

use tabiya_chess::{Color, Decimal, GameResult, Speed, judgement::is_within, speed::TIME_CONTROL};
use tabiya_formats::{NameSlot, error::Result};

use super::{
    Decode, Positions, TagTest,
    bind::{Binder, names_of},
    compile, ranges,
};
use crate::{
    filter::{IndexTest, Node, PositionFilter, names::passing},
    pattern::automaton::{Automaton, Goal},
    query::{
        At, Compare, Moves, Op, PositionTest, QualityField, Sequence, TextField, TextTest, Values,
    },
};

impl Binder<'_> {
    /// Binds a condition on the final position. Wherever it holds, it also holds somewhere.
    pub(super) fn last(&mut self, text: String, at: &At) -> Node {
        self.positions(text, compile::last(at), true)
    }

    /// Binds a condition on the number of positions at which a sequence is complete.
    pub(super) fn number_of_positions(
        &mut self,
        text: String,
        sequence: &Sequence,
        compare: Compare<i32>,
    ) -> Node {
        let automaton = compile::number(sequence, ranges::range(compare));
        self.positions(
            text,
            automaton,
            matches!(compare.op, Op::AtLeast | Op::Greater),
        )
    }

    /// Binds an automaton with another goal than the first position that matches.
    fn positions(&mut self, text: String, automaton: Automaton, has_place: bool) -> Node {
        // Where none of them matches, their number is 0.
        let may_be_none = match automaton.goal {
            Goal::Number { low, high, outside } => (low <= 0 && 0 <= high) != outside,
            Goal::First | Goal::Last => false,
        };
        let finish = |filter: PositionFilter| match automaton.goal {
            // Final positions are those of main lines.
            Goal::Last => filter.deciding_by_ends().in_main_line(),
            _ => filter.only_excluding(false),
        };
        let (served_by, test, kings) = if may_be_none {
            ("decoding", IndexTest::Decode, None)
        } else if automaton.is_beside_boards() {
            self.prefilter_of_boards(&automaton)
        } else {
            self.prefilter(&automaton, finish)
        };
        let decode = Decode::Position(Box::new(Positions {
            automaton,
            weights: None,
            kings,
            has_place,
        }));
        self.open_leaf(text, served_by, test, decode)
    }

    /// Binds the first moves: a game that begins with them has the position after them.
    pub(super) fn line(&mut self, text: String, moves: &Moves) -> Node {
        let automaton = compile::end_of(moves);
        let finish = |filter: PositionFilter| filter.only_excluding(false).in_main_line();
        let (served_by, test, _) = self.prefilter(&automaton, finish);
        self.open_leaf(text, served_by, test, Decode::Line(Box::new(moves.clone())))
    }

    /// Binds a condition on the name of the player who won or lost.
    pub(super) fn decided(
        &mut self,
        text: String,
        field: &TextField,
        test: &TextTest,
    ) -> Result<Node> {
        let wins = matches!(field, TextField::Winner);
        let mut sides = Vec::new();
        for (slot, side) in [
            (NameSlot::White, Color::White),
            (NameSlot::Black, Color::Black),
        ] {
            let winner = if wins { side } else { side.other() };
            let result = winner.fold_wb(GameResult::WhiteWins, GameResult::BlackWins);
            let names = names_of(self.database, field, slot, test, self.ask)?;
            let names = IndexTest::Names(vec![(slot, names)]);
            let result = IndexTest::Result(1 << result as u8);
            sides.push(Node::And(vec![
                self.leaf(text.clone(), "names", names),
                self.leaf(text.clone(), "result", result),
            ]));
        }
        let node = Node::Or(sides);
        Ok(super::bind::negate_unless(
            !matches!(test, TextTest::Differs(_)),
            node,
        ))
    }

    /// Binds a speed, or that none is known: by the time control, or by the words of the event
    /// where there is none.
    pub(super) fn speed(&mut self, text: String, speed: Option<Speed>) -> Result<Node> {
        let tag = |binder: &mut Binder<'_>, test| {
            let decode = Decode::Tag(TextField::Tag(TIME_CONTROL.to_owned()), test);
            binder.open_leaf(text.clone(), "decoding", IndexTest::Decode, decode)
        };
        let told = tag(self, TagTest::Speed(speed));
        let absent = tag(self, TagTest::Blank);
        let events = self.database.names(NameSlot::Event.kind())?;
        let named = |event: &str| match speed {
            Some(speed) => Speed::of_event(event) == Some(speed),
            None => Speed::of_event(event).is_some(),
        };
        let named = vec![(NameSlot::Event, passing(events, named, self.ask)?)];
        let event = self.leaf(text, "names", IndexTest::Names(named));
        Ok(match speed {
            Some(_) => Node::Or(vec![told, Node::And(vec![event, absent])]),
            // The event of a game with a time control tells nothing.
            None => {
                let unnamed = Node::And(vec![Node::Not(Box::new(event)), absent]);
                Node::Or(vec![told, unnamed])
            }
        })
    }

    /// Binds how well a side played, which only the comments tell.
    pub(super) fn quality(
        &mut self,
        text: String,
        field: QualityField,
        compare: Compare<Decimal>,
    ) -> Node {
        let sidecar = self.database.sidecar_handle();
        let (served_by, test) = if sidecar.is_some_and(|sidecar| sidecar.has_remarks()) {
            // Some move has an evaluation.
            let any = Compare {
                op: Op::Equal,
                values: Values::Range(None, None),
            };
            let evaluated = compile::automaton(&At::from(PositionTest::Swing(any)).into());
            match self.prefilter_of_boards(&evaluated) {
                (served_by, IndexTest::Position(filter), _) => {
                    let filter = filter.only_excluding(true);
                    (served_by, IndexTest::Position(Box::new(filter)))
                }
                (served_by, test, _) => (served_by, test),
            }
        } else {
            self.comments()
        };
        self.open_leaf(text, served_by, test, Decode::Quality(field, compare))
    }
}

/// Returns whether a computed number passes.
pub(super) fn passes(number: f64, compare: Compare<Decimal>) -> bool {
    let least = f64::NEG_INFINITY;
    let most = f64::INFINITY;
    match (compare.op, compare.values) {
        (Op::Less, Values::One(bound)) => !is_within(number, bound.value(), most),
        (Op::AtMost, Values::One(bound)) => is_within(number, least, bound.value()),
        (Op::Greater, Values::One(bound)) => !is_within(number, least, bound.value()),
        (Op::AtLeast, Values::One(bound)) => is_within(number, bound.value(), most),
        (op, Values::One(bound)) => {
            is_within(number, bound.value(), bound.value()) != (op == Op::Differ)
        }
        (op, Values::Range(low, high)) => {
            let low = low.map_or(least, Decimal::value);
            let high = high.map_or(most, Decimal::value);
            is_within(number, low, high) != (op == Op::Differ)
        }
    }
}
