//! Surveys a text that is too long for memory, of which nothing is kept.

use std::cell::RefCell;

use super::{
    place::{Counter, Following, GamePlace},
    stream::{Cut, MoreText, Stream},
    survey::{Depth, GamesLimit, Scope, Surveyed, survey},
};
use crate::{
    Report,
    error::{Error, Result},
    indexed::{Builder, Survey},
    limits::{PGN_GAME_BYTES_MAX, PGN_PART_GAMES},
};

/// Which games are surveyed together.
#[derive(Debug, Clone, Copy)]
pub(super) struct Goal {
    /// About so many.
    pub(super) games: u32,
    /// About so many bytes of text.
    pub(super) bytes: u64,
    /// Those that begin before this offset of the whole text.
    pub(super) end: u64,
}

/// Surveys the next games of a stream. Also returns the number of games, lines and bytes before
/// them, from where their offsets count, and whether no game follows; `None` at the end of the
/// text.
///
/// # Errors
/// Those of reading, after the games before that.
pub(super) fn gather(
    stream: &mut Stream,
    source: &mut (impl MoreText + ?Sized),
    counter: &mut Counter,
    (depth, goal): (Depth, Goal),
    progress: &RefCell<Report<'_>>,
) -> Result<Option<(Surveyed, GamePlace, bool)>> {
    let mut builder = Builder::default();
    let mut landmarks: Vec<GamePlace> = Vec::new();
    let (start, mut is_last) = (counter.before(), false);
    let enough = goal.end.min(start.offset_bytes.saturating_add(goal.bytes));
    let is_enough = |builder: &Builder, counter: &Counter| {
        builder.len() >= goal.games as usize || counter.before().offset_bytes >= enough
    };
    // Nothing begins inside a game that is too long.
    while stream.is_skipping() || !is_enough(&builder, counter) {
        let find = |text: &[u8], following, counter: &mut Counter| {
            survey_pending(text, (depth, following, goal.end), counter, progress)
        };
        let (surveyed, _, before) = match stream.next(source, counter, PGN_GAME_BYTES_MAX, find) {
            Ok(Some(Cut::Games(_, _, found))) => found,
            Ok(Some(Cut::Nothing)) => continue,
            Ok(Some(Cut::TooLong(place))) => {
                let offset = place.offset_bytes.saturating_sub(start.offset_bytes);
                push_too_long(&mut builder, offset, depth)?;
                continue;
            }
            Ok(None) => {
                is_last = true;
                break;
            }
            Err(error) if builder.len() == 0 => return Err(error),
            Err(error) => {
                stream.fail_again(error);
                break;
            }
        };
        let (lines, shift) = (
            before.line - start.line,
            before.offset_bytes - start.offset_bytes,
        );
        landmarks.extend(surveyed.landmarks.iter().map(|place| GamePlace {
            number: place.number + builder.len() as u32,
            line: place.line + lines,
            offset_bytes: place.offset_bytes + shift,
        }));
        builder.append_index(surveyed.index, shift)?;
    }
    let surveyed = (builder.len() > 0).then(|| Surveyed {
        index: builder.finish(),
        landmarks,
        end: 0,
    });
    Ok(surveyed.map(|surveyed| (surveyed, start, is_last)))
}

/// What was found about the games at the beginning of a text: what surveying them gives, what
/// follows the text, and the number of games, lines and bytes before it.
pub(super) type Found = (Surveyed, Following, GamePlace);

/// Surveys and counts the games of a text that begin before an offset of the whole text, for
/// [`Stream::next`]; `None` if there are none that are certain.
///
/// # Errors
/// Those of [`survey`].
pub(super) fn survey_pending(
    text: &[u8],
    (depth, following, end): (Depth, Following, u64),
    counter: &mut Counter,
    progress: &RefCell<Report<'_>>,
) -> Result<Option<(usize, Found)>> {
    let before = counter.before();
    let wanted = end.saturating_sub(before.offset_bytes);
    let scope = Scope {
        depth,
        until: usize::try_from(wanted).map_or(text.len(), |wanted| wanted.min(text.len())),
        following,
        games: GamesLimit::Pause(PGN_PART_GAMES),
        list: None,
    };
    let surveyed = survey(text, scope, &mut |at| progress.borrow_mut()(at))?;
    let games = surveyed.index.game_count();
    counter.add_games(games);
    Ok((games > 0).then_some((surveyed.end, (surveyed, following, before))))
}

/// Adds a game whose record says that it is too long, and that its moves are unknown.
fn push_too_long(builder: &mut Builder, offset: u64, depth: Depth) -> Result<()> {
    let mut survey = match depth {
        Depth::Tags => Survey::new(),
        Depth::All => Survey::with_line(),
    };
    let place = (offset, PGN_GAME_BYTES_MAX as u32 + 1);
    builder.push(&Default::default(), place, &mut survey, false)
}

/// Returns the error for a game that is longer than the limit.
pub(super) fn too_long(place: GamePlace) -> Error {
    let error = Error::limit(GAME_TOO_LONG, PGN_GAME_BYTES_MAX as u64);
    let error = error.in_game(place.number).at_line(place.line);
    error.at_offset(place.offset_bytes)
}

pub(super) const GAME_TOO_LONG: &str = "the length of the game in bytes";
