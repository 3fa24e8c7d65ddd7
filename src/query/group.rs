//! Groups of conditions on one position: what stands in the brackets of `at( ... )` and
//! `last( ... )`.
//!
//! ```text
//! group = "(" [ or ] ")"
//! or    = and { "or" and }
//! and   = not { [ "and" ] not }
//! not   = { "not" | "-" } ( "(" [ or ] ")" | clause ) | modifier
//! ```
//!
//! Modifiers stand outside inner brackets and not behind `not`. They are about the whole group.

use std::ops::Range;

use super::{
    At, Condition, Consecutive, Fault, PositionTest,
    lex::Token,
    parse::{COUNT, LAST, Parser},
    table::{Field, Kind, Level},
    value,
};

/// The modifiers of a group.
#[derive(Default)]
struct Modifiers {
    at: At,
    /// Where `rights` stands.
    rights: Option<Range<usize>>,
}

impl Parser<'_> {
    /// Parses a group after this word.
    pub(super) fn group(&mut self, word: &str) -> Result<At, Fault> {
        if self.token != Token::Open {
            return Err(self.fault(format!(
                "expected `(` after `{word}`, as in `{word}(Q=0 q=0)`"
            )));
        }
        let mut modifiers = Modifiers::default();
        let opening = self.open()?;
        let mut branches = self.branches(Some(&mut modifiers))?;
        self.close(opening)?;
        let conditions = match branches.len() {
            1 => branches.swap_remove(0),
            _ => vec![Condition {
                negated: false,
                test: PositionTest::Any(branches),
            }],
        };
        let Modifiers { mut at, rights } = modifiers;
        at.conditions = conditions;
        match rights {
            Some(span) if !has_fen(&at.conditions) => Err(Fault::new(
                span,
                "`rights` makes those of a `fen` count, and this `at(...)` has no `fen`",
            )),
            _ => Ok(at),
        }
    }

    /// Parses what stands between brackets: branches with `or` between them. Modifiers may stand
    /// there if there is a place for them.
    fn branches(
        &mut self,
        mut modifiers: Option<&mut Modifiers>,
    ) -> Result<Vec<Vec<Condition>>, Fault> {
        let mut branches = Vec::new();
        loop {
            let start = self.span.clone();
            let (branch, is_empty) = self.branch(modifiers.as_deref_mut())?;
            let goes_on = self.at_keyword("or");
            if is_empty && (goes_on || !branches.is_empty()) {
                let side = if goes_on { "before" } else { "after" };
                let place = if goes_on { self.span.clone() } else { start };
                return Err(Fault::new(
                    place,
                    format!("expected a condition {side} `or`"),
                ));
            }
            match branch.as_slice() {
                // `(A or B) or C` has three branches.
                [
                    Condition {
                        negated: false,
                        test: PositionTest::Any(_),
                    },
                ] => {
                    for Condition { test, .. } in branch {
                        if let PositionTest::Any(inner) = test {
                            branches.extend(inner);
                        }
                    }
                }
                _ => branches.push(branch),
            }
            if !self.take_keyword("or") {
                return Ok(branches);
            }
        }
    }

    /// Parses conditions that must hold together. Returns also whether there is none at all, not
    /// even empty brackets.
    fn branch(
        &mut self,
        mut modifiers: Option<&mut Modifiers>,
    ) -> Result<(Vec<Condition>, bool), Fault> {
        let mut all = Vec::new();
        let mut is_empty = true;
        while !matches!(self.token, Token::Close | Token::End) && !self.at_keyword("or") {
            is_empty &= !self.item(&mut all, modifiers.as_deref_mut())?;
            if self.take_keyword("and")
                && (matches!(self.token, Token::Close | Token::End) || self.at_keyword("or"))
            {
                return Err(self.fault("expected another condition after `and`"));
            }
        }
        Ok((all, is_empty))
    }

    /// Parses one condition, brackets or a modifier. Returns whether it is a condition.
    fn item(
        &mut self,
        all: &mut Vec<Condition>,
        modifiers: Option<&mut Modifiers>,
    ) -> Result<bool, Fault> {
        let before = self.span.clone();
        let negated = self.take_negations();
        if self.token == Token::Open {
            let opening = self.open()?;
            let mut branches = self.branches(None)?;
            self.close(opening)?;
            if !negated && branches.len() == 1 {
                all.append(&mut branches[0]);
            } else {
                let test = PositionTest::Any(branches);
                all.push(Condition { negated, test });
            }
            return Ok(true);
        }
        if self.at_keyword("at") {
            return Err(self.fault("`at(...)` cannot stand inside `at(...)`"));
        }
        if self.lexer.is_before_bracket() && (self.at_keyword(LAST) || self.at_keyword(COUNT)) {
            let message = "`last( ... )` and `count( ... )` are about the whole game; put them \
                           outside these brackets";
            return Err(self.fault(message));
        }
        if let Some(moves) = self.bare_moves() {
            let test = PositionTest::After(Box::new(moves));
            all.push(Condition { negated, test });
            return Ok(true);
        }
        let field = self.field()?;
        let name = field.name;
        match (field.level, modifiers) {
            (Level::Position, _) => {
                let test = self.test(field)?;
                all.push(Condition { negated, test });
                Ok(true)
            }
            (Level::Game, _) => Err(self.fault(format!(
                "`{name}` is about the whole game; put it outside `at(...)`"
            ))),
            (Level::Path, _) => Err(self.fault(format!(
                "`{name}` is about more than one position; put it outside `at(...)`"
            ))),
            (Level::Modifier, _) if before != self.span => {
                Err(self.fault(format!("`{name}` is no condition and cannot be negated")))
            }
            (Level::Modifier, None) => Err(self.fault(format!(
                "`{name}` is about all that `at(...)` holds; put it outside the inner brackets"
            ))),
            (Level::Modifier, Some(modifiers)) => {
                if field.kind == Kind::Rights {
                    modifiers.rights = Some(before);
                }
                self.modifier(field, &mut modifiers.at)?;
                Ok(false)
            }
        }
    }

    fn modifier(&mut self, field: &'static Field, at: &mut At) -> Result<(), Fault> {
        let set = match field.kind {
            Kind::Flip => &mut at.flip,
            Kind::Mirror => &mut at.mirror,
            Kind::Shift => &mut at.shift,
            Kind::Rights => &mut at.rights,
            _ => {
                let operand = self.operand(field)?;
                let length = value::number(&operand.value.part().trim(), 1)?;
                if at.consecutive != Consecutive::default() {
                    return Err(Fault::new(operand.value.span, "`for` stands here twice"));
                }
                at.consecutive = Consecutive(length.unsigned_abs());
                return Ok(());
            }
        };
        *set = true;
        self.bare(field)
    }
}

/// Returns whether a `fen` is among the conditions.
pub(super) fn has_fen(conditions: &[Condition]) -> bool {
    conditions.iter().any(|condition| match &condition.test {
        PositionTest::Fen(_) => true,
        PositionTest::Any(branches) => branches.iter().any(|branch| has_fen(branch)),
        _ => false,
    })
}
