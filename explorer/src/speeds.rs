//! How fast a game was, and whether it was rated: what Lichess writes into the event's name.
//!
//! `Rated Blitz game`, `Casual Bullet tournament`: databases of games played on Lichess have
//! that and others do not. A game of which it is not known passes every filter, so that clients
//! which always send one find the games of masters too.

use tabiya::{Database, Query, Search};

use crate::{errors::Fault, limits::Ask};

/// Speeds as the interface spells them.
pub(crate) const SPEEDS: [&str; 6] = [
    "ultraBullet",
    "bullet",
    "blitz",
    "rapid",
    "classical",
    "correspondence",
];
/// Modes as the interface spells them.
pub(crate) const MODES: [&str; 2] = ["rated", "casual"];

/// A speed and a mode, by their places in the lists.
pub(crate) type Kind = (usize, usize);

/// Speeds and modes that the events of a database tell of.
pub(crate) type Kinds = Vec<Kind>;

/// Returns how names of such events begin.
fn event((speed, mode): Kind) -> String {
    format!("{} {} ", MODES[mode], SPEEDS[speed])
}

fn clause(kind: Kind) -> String {
    format!("event:\"{}\"", event(kind))
}

fn all() -> impl Iterator<Item = Kind> {
    (0..SPEEDS.len()).flat_map(|speed| (0..MODES.len()).map(move |mode| (speed, mode)))
}

/// Returns the kind of a game with an event of this name.
pub(crate) fn of_event(name: &str) -> Option<Kind> {
    let name = name.to_ascii_lowercase();
    all().find(|&kind| name.starts_with(&event(kind).to_ascii_lowercase()))
}

/// Looks for the kinds of game that a database has.
///
/// # Errors
/// Those of a search.
pub(crate) fn kinds(database: &Database, ask: &Ask) -> Result<Kinds, Fault> {
    let mut kinds = Kinds::new();
    for kind in all() {
        let query: Query = clause(kind).parse().map_err(Fault::Query)?;
        let report = Search::new(&query)
            .limit(1)
            .on_progress(|_| ask.flow())
            .count(database)?;
        kinds.extend((report.matched > 0).then_some(kind));
    }
    Ok(kinds)
}

/// Returns the clauses that leave out games of other kinds than these, among kinds that the
/// database has.
pub(crate) fn clauses(known: &Kinds, speeds: &[usize], modes: &[usize]) -> Vec<String> {
    known
        .iter()
        .filter(|(speed, mode)| !speeds.contains(speed) || !modes.contains(mode))
        .map(|&kind| format!("not {}", clause(kind)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_told_apart_by_the_events_of_lichess() {
        let kind = |name| of_event(name).map(|(speed, mode)| (SPEEDS[speed], MODES[mode]));
        assert_eq!(kind("Rated Blitz game"), Some(("blitz", "rated")));
        assert_eq!(
            kind("rated ultrabullet game"),
            Some(("ultraBullet", "rated"))
        );
        assert_eq!(kind("Casual Bullet tournament"), Some(("bullet", "casual")));
        assert_eq!(kind("World Blitz Championship"), None);
        assert_eq!(kind("Unrated Blitz game"), None);
    }
}
