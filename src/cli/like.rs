//! `search --like` and `--sort similarity`: games by the similarity of their positions.

use tabiya::{Query, Similar, SimilarGame};

use super::{
    args::SearchArgs,
    failure::{TextFault, Usage},
    sort::SortKey,
};

/// Returns what the options say about similar positions; `None` if they say nothing.
///
/// # Errors
/// If a FEN is none, or a query to sort by similarity has not just one `similar`.
pub(crate) fn similar<'q>(
    args: &SearchArgs,
    query: &'q Query,
) -> anyhow::Result<Option<Similar<'q>>> {
    if let Some(fen) = &args.like {
        let similar = Similar::from_fen(fen);
        let similar = similar.map_err(|fault| TextFault::of(fen, fault))?;
        return Ok(Some(similar.query(query)));
    }
    if !args.sort.iter().any(SortKey::is_similarity) {
        return Ok(None);
    }
    if args.sort.len() > 1 {
        let message = "`--sort similarity` goes without other keys: equal games are in order";
        return Err(Usage(message.to_owned()).into());
    }
    let message = "`--sort similarity` needs a query with one `similar:\"FEN\"` in it; or list \
                   games with --like FEN";
    match Similar::of_query(query) {
        Some(similar) => Ok(Some(similar)),
        None => Err(Usage(message.to_owned()).into()),
    }
}

/// Puts the games of several databases in order, each with the number of its database.
pub(crate) fn merged(games: Vec<(usize, SimilarGame)>) -> Vec<(usize, SimilarGame)> {
    let mut games = games;
    // Stable: equal games stay in the order of their databases and numbers.
    games.sort_by(|(_, one), (_, other)| {
        let (one, other) = (billionths(one), billionths(other));
        other.cmp(&one)
    });
    games
}

fn billionths(game: &SimilarGame) -> u64 {
    (game.similarity * 1e9).round() as u64
}
