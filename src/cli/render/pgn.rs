//! Prints matches as PGN.

use std::{io::Write as _, sync::Arc};

use tabiya::Match;

use super::Render;
use crate::cli::{
    databases::Opened,
    output::{self, Output},
    pgn_text,
};

pub(super) struct Pgn<'o> {
    out: &'o mut Output,
}

impl<'o> Pgn<'o> {
    pub(super) fn new(out: &'o mut Output) -> Pgn<'o> {
        Pgn { out }
    }
}

impl Render for Pgn<'_> {
    fn game(&mut self, opened: &Arc<Opened>, hit: Match) -> anyhow::Result<()> {
        match pgn_text::game(&opened.database, hit.game) {
            Ok((text, damage)) => {
                self.out.write_all(text.as_bytes())?;
                if let Some(damage) = damage {
                    output::warn(&format!("damaged, the rest printed: {}", damage.cause));
                }
            }
            // A header can match even if its game is damaged.
            Err(error) if error.game().is_some() => output::warn(&error.to_string()),
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        Ok(self.out.flush()?)
    }
}
