//! `repertoire`, `repertoire.ply` and `left`: how a game goes beside a file's lines.

use std::{path::Path, slice, sync::Arc};

use tabiya_chess::{
    Color, Start,
    follow::break_if,
    placement::{EachPlacement, Placement},
};
use tabiya_formats::{Decoded, View, error::Result, sound::Sound};

use super::{Decode, bind::Binder};
use crate::{
    database::OpenOptions,
    filter::{IndexTest, Node, index_test::Range},
    query::{Leaver, RepertoireTest},
    repertoire::Repertoire,
};

/// A repertoire, and what is asked of games.
#[derive(Debug)]
pub(crate) struct Beside {
    repertoire: Arc<Repertoire>,
    standard: Placement,
    asked: Asked,
}

#[derive(Debug, Clone, Copy)]
enum Asked {
    /// That the moves of a side, `None` for both, lead to its positions, for this number of plies
    /// or those of the game if it has fewer.
    Stays(Option<Color>, u32),
    /// That it has some position of it.
    Meets,
    /// With which ply the game leaves it.
    LeftWith(Range),
    /// By whose move; `None` if by nobody's.
    LeftBy(Option<Color>),
}

impl Binder<'_> {
    pub(super) fn repertoire(&mut self, text: String, test: &RepertoireTest) -> Result<Node> {
        let asked = match &self.repertoire_left {
            Some(_) => Asked::Meets,
            None => Asked::Stays(test.side, self.repertoire_plies),
        };
        self.beside(text, test, asked)
    }

    pub(super) fn left_with(&mut self, text: String, plies: Range) -> Result<Node> {
        match self.repertoire_left.clone() {
            Some(test) => self.beside(text, &test, Asked::LeftWith(plies)),
            None => Ok(none()),
        }
    }

    pub(super) fn left_by(&mut self, text: String, leaver: Leaver) -> Result<Node> {
        let Some(test) = self.repertoire_left.clone() else {
            return Ok(none());
        };
        let side = match leaver {
            Leaver::Me => test.side,
            Leaver::Opponent => test.side.map(Color::other),
            Leaver::White => Some(Color::White),
            Leaver::Black => Some(Color::Black),
            Leaver::Nobody => None,
        };
        self.beside(text, &test, Asked::LeftBy(side))
    }

    fn beside(&mut self, text: String, test: &RepertoireTest, asked: Asked) -> Result<Node> {
        let beside = Beside {
            repertoire: self.repertoire_of(&test.file)?,
            standard: Placement::at(Start::Standard),
            asked,
        };
        let decode = Decode::Beside(Box::new(beside));
        Ok(self.open_leaf(text, "decoding", IndexTest::Decode, decode))
    }

    /// Reads a file, once for all conditions about it.
    fn repertoire_of(&mut self, file: &str) -> Result<Arc<Repertoire>> {
        if let Some((_, known)) = self.repertoires.iter().find(|(path, _)| path == file) {
            return Ok(known.clone());
        }
        let ask = &mut *self.ask;
        let options = OpenOptions::new();
        let database = options.on_progress(|_| ask()).open(Path::new(file))?;
        let repertoire = Repertoire::read(slice::from_ref(&database), |_| ask())?;
        let repertoire = Arc::new(repertoire);
        self.repertoires.push((file.to_owned(), repertoire.clone()));
        Ok(repertoire)
    }
}

/// Returns the condition that no game meets.
fn none() -> Node {
    Node::Not(Box::new(Node::All))
}

impl Beside {
    /// Returns whether a game goes as asked.
    pub(super) fn holds<V: View>(
        &self,
        view: V,
        record: &V::Record,
        sound: &mut Sound,
    ) -> Decoded<bool> {
        if let Asked::Stays(side, plies) = self.asked {
            return self.stays((side, plies), view, record, sound);
        }
        let left = self
            .repertoire
            .departure((&self.standard, view), record, sound)?;
        Ok(left.is_some_and(|left| match self.asked {
            Asked::LeftWith(plies) => !left.is_end() && plies.contains(left.ply as i32 + 1),
            Asked::LeftBy(side) => self.repertoire.leaver(left.number, left.is_end()) == side,
            Asked::Meets | Asked::Stays(..) => true,
        }))
    }

    fn stays<V: View>(
        &self,
        (side, plies): (Option<Color>, u32),
        view: V,
        record: &V::Record,
        sound: &mut Sound,
    ) -> Decoded<bool> {
        let (mut ply, mut stays) = (0, true);
        let mut loyal = EachPlacement::new(self.standard, |now| {
            let mover = now.turn.other();
            if ply > 0 && side.is_none_or(|side| side == mover) {
                stays &= self.repertoire.number(now).is_some();
            }
            let is_decided = !stays || ply >= plies;
            ply += 1;
            break_if(is_decided)
        });
        sound.main_line(view, record, &mut loyal)?;
        Ok(stays)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::Database;
    use tabiya_chess::Flow;
    use tabiya_formats::error::ErrorKind;

    #[test]
    fn reading_a_repertoire_stops_when_it_is_asked_to() {
        let file = [Database::open("fixtures/famous.pgn").expect("it is there")];
        let error = Repertoire::read(&file, |_| Flow::Break(())).expect_err("it stops");
        assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
        assert!(Repertoire::of(&file).is_ok());
    }
}
