//! Games as PGN text.

use tabiya::{
    Database, Flow, GameId, MoveId, Result,
    chess::Start,
    format::{GameDamage, GameText, Visitor},
    shakmaty::Move,
};

/// What is sound of a game as PGN, with an empty line at its end, and its damage.
pub(crate) type SoundText = (String, Option<GameDamage>);

/// Returns a game as PGN.
pub(crate) fn game(database: &Database, game: GameId) -> Result<SoundText> {
    let mut text = GameText::new(&database.header(game)?);
    let damage = database.visit_sound(game, &mut text)?;
    Ok((text.finish()?, damage))
}

/// Like [`game`], with a glyph after one move, or before all moves.
pub(crate) fn marked(
    database: &Database,
    game: GameId,
    place: Option<MoveId>,
    glyph: u8,
) -> Result<SoundText> {
    let mut marker = Marker {
        text: GameText::new(&database.header(game)?),
        moves: 0,
        place,
        glyph,
    };
    let damage = database.visit_sound(game, &mut marker)?;
    Ok((marker.text.finish()?, damage))
}

/// Forwards a game and adds a glyph.
struct Marker {
    text: GameText,
    /// Moves forwarded, in all lines.
    moves: u32,
    place: Option<MoveId>,
    glyph: u8,
}

impl Marker {
    fn mark(&mut self) -> Flow {
        if self.place == MoveId::from_number(self.moves) {
            self.text.nag(self.glyph)
        } else {
            Flow::Continue(())
        }
    }
}

impl Visitor for Marker {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.text.tag(name, value)
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.text.start(start)?;
        self.mark()
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.text.play(played)?;
        self.moves += 1;
        self.mark()
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.text.nag(nag)
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.text.comment(text)
    }

    fn begin_variation(&mut self) -> Flow {
        self.text.begin_variation()
    }

    fn end_variation(&mut self) -> Flow {
        self.text.end_variation()
    }
}
