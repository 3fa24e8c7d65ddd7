//! Game numbers, one per line.

use std::{io::Write as _, sync::Arc};

use tabiya::Match;

use super::Render;
use crate::cli::{databases::Opened, output::Output};

pub(super) struct Ids<'o> {
    out: &'o mut Output,
    several: bool,
}

impl<'o> Ids<'o> {
    pub(super) fn new(out: &'o mut Output, several: bool) -> Ids<'o> {
        Ids { out, several }
    }
}

impl Render for Ids<'_> {
    fn game(&mut self, opened: &Arc<Opened>, hit: Match) -> anyhow::Result<()> {
        let number = opened.database.number(hit.game);
        if self.several {
            writeln!(self.out, "{}:{number}", opened.label)?
        } else {
            writeln!(self.out, "{number}")?
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }
}
