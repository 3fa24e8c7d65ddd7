//! The openings of games by their positions, for games that are written.

use shakmaty::{Color, Move};
use tabiya_chess::{
    Eco, Flow, Follow, Start,
    follow::make,
    opening_names::{self, OpeningSeeker},
};
use tabiya_formats::{GameDamage, GameHeader, Visitor, error::Result};

/// The tag for the name of an opening.
pub(super) const OPENING_TAG: &str = "Opening";

/// The opening of a game, as the table of openings has it: that of the last named position of the
/// main line, as `opening` in queries means it.
#[derive(Debug, Default)]
pub(super) struct Classified {
    pub(super) eco: Option<Eco>,
    pub(super) name: Option<&'static str>,
    /// What the game's own tag says.
    pub(super) told: Option<String>,
}

impl Classified {
    /// Returns the opening of a game, which `replay` tells to a visitor, as far as there may be
    /// named positions.
    pub(super) fn of(
        replay: impl Fn(&mut dyn Visitor) -> Result<Option<GameDamage>>,
    ) -> Result<Classified> {
        let mut classifier = Classifier {
            seeker: OpeningSeeker::at_start(),
            turn: Color::White,
            depth: 0,
            told: None,
        };
        replay(&mut classifier)?;
        Ok(Classified {
            eco: classifier.seeker.eco(),
            name: opening_names::name(classifier.seeker.number()),
            told: classifier.told,
        })
    }

    /// Gives a header the code, if there is one. A finer code of the same opening stays: `B97a`
    /// where the table has `B97`.
    pub(super) fn set_code(&self, header: &mut GameHeader) {
        let Some(eco) = self.eco else { return };
        if header.eco.map(Eco::basic) != Some(eco) {
            header.eco = Some(eco);
        }
    }
}

/// Follows the main line among the events of a game.
struct Classifier {
    seeker: OpeningSeeker,
    turn: Color,
    /// Depth of the present variation.
    depth: u32,
    told: Option<String>,
}

impl Visitor for Classifier {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        if name == OPENING_TAG {
            self.told = Some(value.to_owned());
        }
        Flow::Continue(())
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.seeker.start(start)
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        if self.depth > 0 {
            return Flow::Continue(());
        }
        if let Some(played) = played {
            make(played, self.turn, &mut self.seeker);
        }
        self.turn = self.turn.other();
        self.seeker.ply_done()
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth = self.depth.saturating_sub(1);
        Flow::Continue(())
    }
}
