//! Queries of visit sets: which games of a block can have a position.

use super::{
    BlockGames, RequiredSets, Sidecar,
    aspects::Proof,
    blocks,
    container::Container,
    part::Block,
    sets::{GROWN, OTHER_END, UNDECODED},
};

/// With this few games left, testing them costs less than reading more visit sets.
const ENOUGH_GAMES: usize = 4;
/// With this few games left, testing them costs less than reading sets that exclude less than a
/// quarter of all games.
const FEW_GAMES: usize = 16;

/// A condition in one block: its rows, and the sum of their games.
struct Condition<'w> {
    rows: &'w [u16],
    most: u64,
}

impl Sidecar {
    /// Returns the games of a block in whose main lines a wanted position can occur; `None` if
    /// nothing is known that would exclude any.
    pub(crate) fn candidates(&self, block: usize, wanted: &RequiredSets) -> Option<BlockGames> {
        let mut games = wanted.rare.and_then(|set| self.rare_games(set, block));
        let block = self.sets(block)?;
        for condition in &conditions(&block, wanted) {
            let is_weak = condition.most > u64::from(block.games) * 3 / 4;
            let enough = if is_weak { FEW_GAMES } else { ENOUGH_GAMES };
            let is_enough = |games: &BlockGames| games.is_at_most(enough);
            if games.as_ref().is_some_and(is_enough) {
                break;
            }
            games = narrowed(&block, games, condition);
        }
        Some(games?.with(&block.set(UNDECODED)?))
    }

    /// Returns the games of a block that are certain to match; `None` if nothing is known.
    pub(crate) fn proved(&self, block: usize, proof: &Proof) -> Option<BlockGames> {
        let block = self.sets(block)?;
        let sets: Option<Vec<_>> = proof.sets.iter().map(|&row| block.set(row)).collect();
        let most = proof.sets.iter().map(|&row| block.count(row) as usize);
        let games = BlockGames::union(&sets?, most.sum(), block.games);
        Some(games.without(&block.set(proof.except)?))
    }

    /// Returns, by block, all games except those in which men only left the board and that end with
    /// the material of their records; `None` for a block without data.
    pub(crate) fn not_shrinking_to_end(&self) -> Vec<Option<BlockGames>> {
        let of_block = |number| {
            let block = self.sets(number)?;
            let most = [OTHER_END, GROWN].map(|set| block.count(set) as usize);
            let sets = [block.set(OTHER_END)?, block.set(GROWN)?];
            Some(BlockGames::union(&sets, most.iter().sum(), block.games))
        };
        (0..blocks(self.games)).map(of_block).collect()
    }
}

/// Returns the conditions that exclude games of a block, the strictest first.
fn conditions<'w>(block: &Block<'_>, wanted: &'w RequiredSets) -> Vec<Condition<'w>> {
    let games = u64::from(block.games);
    let count = |&row: &u16| u64::from(block.count(row));
    let mut conditions: Vec<Condition<'_>> = wanted
        .conditions()
        .map(|rows| Condition {
            rows,
            most: rows.iter().map(count).sum(),
        })
        // If the sum is more than twice the number of games, few games are excluded.
        .filter(|condition| {
            let all_have_it = condition.rows.iter().any(|row| count(row) == games);
            !all_have_it && condition.most <= 2 * games
        })
        .collect();
    conditions.sort_by_key(|condition| condition.most);
    conditions
}

/// Keeps the games, of `games` or of the whole block, that satisfy a condition.
fn narrowed(
    block: &Block<'_>,
    games: Option<BlockGames>,
    condition: &Condition<'_>,
) -> Option<BlockGames> {
    const ROWS_MAX: usize = RequiredSets::ROWS_MAX;
    let mut rows = [Container::Empty; ROWS_MAX];
    let rows = &mut rows[..condition.rows.len().min(ROWS_MAX)];
    for (row, &number) in rows.iter_mut().zip(condition.rows) {
        // A row that cannot be read may contain any game, and so may the condition.
        let Some(container) = block.set(number) else {
            return games;
        };
        *row = container;
    }
    Some(match games {
        Some(games) => games.keep(rows),
        None => BlockGames::union(rows, condition.most as usize, block.games),
    })
}
