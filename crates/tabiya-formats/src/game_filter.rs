//! Leaves parts of games out on their way to an encoder.

use std::borrow::Cow;

use shakmaty::Move;
use tabiya_chess::{Flow, Start};

use super::game::Visitor;

/// The parts of games that are left out on purpose.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Omit {
    /// Whether comments are left out.
    pub comments: bool,
    /// Whether variations are left out.
    pub variations: bool,
    /// Whether NAGs are left out.
    pub nags: bool,
    /// Whether commands in comments, `[%clk 0:05]`, are left out.
    pub commands: bool,
    /// Names of commands that stay, even if comments are left out.
    pub kept_commands: Vec<String>,
}

impl Omit {
    fn keeps(&self, command: &str) -> bool {
        let ends = |character: char| character.is_whitespace() || matches!(character, ',' | ']');
        let name = command.split(ends).next().unwrap_or_default();
        let mut kept = self.kept_commands.iter();
        kept.any(|kept| kept.eq_ignore_ascii_case(name))
    }

    /// Returns what is left of a comment; `None` if it is left out.
    fn comment<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        if self.comments && self.kept_commands.is_empty() {
            return None;
        }
        let drops_commands = self.commands && text.contains("[%");
        if !self.comments && !drops_commands {
            return Some(Cow::Borrowed(text));
        }
        let (mut left, mut is_changed) = (String::new(), false);
        let mut rest = text;
        while let Some((words, after)) = rest.split_once("[%") {
            // What is not closed is no command.
            let Some((command, after)) = after.split_once(']') else {
                break;
            };
            if !self.comments {
                left.push_str(words);
            }
            rest = after;
            if self.keeps(command) {
                if self.comments && !left.is_empty() {
                    left.push(' ');
                }
                left.extend(["[%", command, "]"]);
                continue;
            }
            is_changed = true;
            // Of the spaces around a command that goes, one side is enough.
            if left.is_empty() || left.ends_with(char::is_whitespace) {
                rest = rest.trim_start();
            }
        }
        match (self.comments, is_changed) {
            (true, _) => {}
            (false, false) => return Some(Cow::Borrowed(text)),
            (false, true) => left.push_str(rest),
        }
        left.truncate(left.trim_end().len());
        (!left.is_empty()).then_some(Cow::Owned(left))
    }
}

/// Passes the events of a game on, except those of the parts that are left out.
#[allow(missing_debug_implementations, reason = "holds any visitor")]
pub struct GameFilter<'v, V: ?Sized> {
    visitor: &'v mut V,
    leave: &'v Omit,
    /// Tags that are told instead of others of the same names; without a value, none is told.
    tags: &'v [(String, Option<String>)],
    /// Depth of the present variation, if variations are left out.
    depth: u32,
}

impl<'v, V: Visitor + ?Sized> GameFilter<'v, V> {
    /// Creates a filter before a visitor.
    pub fn new(visitor: &'v mut V, leave: &'v Omit) -> GameFilter<'v, V> {
        GameFilter {
            visitor,
            leave,
            tags: &[],
            depth: 0,
        }
    }

    /// Tells these tags instead of others of the same names; of one without a value none.
    pub fn with_tags(self, tags: &'v [(String, Option<String>)]) -> GameFilter<'v, V> {
        GameFilter { tags, ..self }
    }

    fn pass(&mut self, tell: impl FnOnce(&mut V) -> Flow) -> Flow {
        if self.depth == 0 {
            tell(self.visitor)
        } else {
            Flow::Continue(())
        }
    }
}

impl<V: Visitor + ?Sized> Visitor for GameFilter<'_, V> {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if self.tags.iter().any(|(other, _)| other == name) {
            return Flow::Continue(());
        }
        self.visitor.tag(name, value)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        for (name, value) in self.tags {
            if let Some(value) = value {
                self.visitor.tag(name, value)?;
            }
        }
        self.visitor.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.pass(|visitor| visitor.play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        if self.leave.nags {
            return Flow::Continue(());
        }
        self.pass(|visitor| visitor.nag(nag))
    }

    fn void_nag(&mut self) -> Flow {
        if self.leave.nags {
            return Flow::Continue(());
        }
        self.pass(|visitor| visitor.void_nag())
    }

    fn comment(&mut self, text: &str) -> Flow {
        match self.leave.comment(text) {
            Some(text) => self.pass(|visitor| visitor.comment(&text)),
            None => Flow::Continue(()),
        }
    }

    fn guiding_text(&mut self, title: &[u8], body: &[u8]) -> Flow {
        if self.leave.comments {
            return Flow::Continue(());
        }
        self.visitor.guiding_text(title, body)
    }

    fn annotation(&mut self, kind: u8, data: &[u8], told: &str) -> Flow {
        match self.leave.comment(told) {
            None => Flow::Continue(()),
            Some(left) if left == told => self.pass(|visitor| visitor.annotation(kind, data, told)),
            Some(left) => self.pass(|visitor| visitor.comment(&left)),
        }
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += u32::from(self.leave.variations);
        self.pass(|visitor| visitor.begin_variation())
    }

    fn end_variation(&mut self) -> Flow {
        let flow = self.pass(|visitor| visitor.end_variation());
        self.depth = self.depth.saturating_sub(self.leave.variations.into());
        flow
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(leave: &Omit, text: &str) -> String {
        leave.comment(text).map_or("-".to_owned(), Cow::into_owned)
    }

    #[test]
    fn commands_go_and_words_stay() {
        let leave = Omit {
            commands: true,
            ..Omit::default()
        };
        for (text, expected) in [
            ("[%clk 0:05:00] best", "best"),
            ("best [%clk 0:05:00]", "best"),
            ("good [%eval 0.35,20] [%clk 1:02:03.4] move", "good move"),
            ("good[%eval 1] move", "good move"),
            ("one\n[%csl Ge4]\ntwo", "one\ntwo"),
            ("[%clk 1][%emt 2]", "-"),
            ("no end [%clk 1", "no end [%clk 1"),
            ("[%] [%clk 1", "[%clk 1"),
            ("50 [% of 100]", "50"),
            ("  as it was  ", "  as it was  "),
            ("[é] ]", "[é] ]"),
            ("", ""),
        ] {
            assert_eq!(left(&leave, text), expected, "{text}");
            assert_eq!(left(&Omit::default(), text), text);
        }
    }

    #[test]
    fn named_commands_stay_also_without_words() {
        let mut leave = Omit {
            commands: true,
            kept_commands: vec!["clk".to_owned(), "EVAL".to_owned()],
            ..Omit::default()
        };
        let text = "good [%csl Ge4] [%eval 0.3,20] [%clk 1:02]move [%clkx 1][%clk]";
        let kept = "good [%eval 0.3,20] [%clk 1:02]move [%clk]";
        assert_eq!(left(&leave, text), kept);
        assert_eq!(left(&leave, kept), kept);
        leave.comments = true;
        assert_eq!(left(&leave, text), "[%eval 0.3,20] [%clk 1:02] [%clk]");
        assert_eq!(left(&leave, "words"), "-");
    }
}
