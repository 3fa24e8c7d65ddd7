//! Main lines of many games, decoded on all threads.

use tabiya_chess::{Flow, Follow, GameId};
use tabiya_formats::{Decoded, Remaining, Scratch, View, error::Result, run_ordered, task_items};

/// Number of games that one thread takes at a time.
const TASK_GAMES: usize = 256;

/// Some games, and what was made of them so far.
struct Task<'c, T> {
    games: &'c [GameId],
    decoded: Vec<(T, Decoded<u32>)>,
}

/// Decodes games with a new follower each, and returns in order what `finish` makes of it, with the
/// damage if the game cannot be decoded.
///
/// # Errors
/// `Interrupted` if `ask` breaks.
pub(super) fn decode<V: View, F: Follow, T: Send>(
    view: V,
    games: &[GameId],
    follower: impl Fn() -> F + Sync,
    finish: impl Fn(F) -> T + Sync,
    ask: &mut dyn FnMut(u64) -> Flow,
) -> Result<Vec<(T, Decoded<u32>)>> {
    let task_games = task_items(games.len(), TASK_GAMES);
    let tasks = games.chunks(task_games).map(|games| {
        let decoded = Vec::new();
        (Task { games, decoded }, games.len())
    });
    let work = |task: &mut Task<'_, T>, left: &mut Remaining| {
        let mut scratch = Scratch::default();
        for &game in &task.games[task.decoded.len()..] {
            let mut moves = follower();
            let record = view.record(game);
            let decoded = view.main_line(record, &mut scratch, &mut moves);
            task.decoded.push((finish(moves), decoded));
            if left.done(1).is_break() {
                break;
            }
        }
    };
    let mut all = Vec::with_capacity(games.len());
    let deliver = |task: &mut Task<'_, T>, left| {
        if left == 0 {
            all.append(&mut task.decoded);
        }
        Ok(())
    };
    run_ordered(tasks, games.len().div_ceil(task_games), work, deliver, ask)?;
    Ok(all)
}
