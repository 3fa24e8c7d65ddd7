//! A game of which nothing but its own text is known.

use super::{Game, GamePlace};
use crate::{
    error::Result,
    indexed::{Builder, Survey},
};

/// Adds a game as it is read when nothing but its own text is known.
pub(super) fn add_alone(
    text: &[u8],
    place: (u64, u32),
    survey: &mut Survey,
    builder: &mut Builder,
) -> Result<()> {
    survey.begin();
    match Game::parse(text, GamePlace::NOWHERE) {
        Ok(game) => {
            let is_read = game.replay(survey).is_ok();
            builder.push(game.header(), place, survey, is_read)
        }
        Err(_) => {
            let game = Game::without_start(text, GamePlace::NOWHERE);
            builder.push(game.header(), place, survey, false)
        }
    }
}
