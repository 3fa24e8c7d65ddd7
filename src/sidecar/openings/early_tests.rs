//! Compares the positions of the first plies that are kept with counting all of them.

use std::collections::HashMap;

use tabiya_chess::Flow;
use tabiya_formats::{Scratch, View};

use super::{
    beginnings::Beginnings,
    early::{PLIES, counted},
    packed,
};
use crate::database::{Database, with_view};

#[test]
fn common_early_positions_are_those_of_counting_all() {
    let base = Database::open("fixtures/famous.si4").unwrap();
    with_view!(base.tags(), view => {
        let mut all: HashMap<_, usize> = HashMap::new();
        let (beginnings, mut scratch) = (Beginnings::new(view, PLIES), Scratch::default());
        for record in view.records() {
            beginnings.see(record, &mut scratch, |ply, position| {
                assert!(ply < PLIES);
                *all.entry(packed(position)).or_default() += 1;
            });
        }
        for least in [1, 2, 7, 30, view.game_count() + 1] {
            let found = counted(view, least, &mut || Flow::Continue(())).unwrap();
            let found = found.iter().map(|(count, position)| (packed(position), *count));
            let found: HashMap<_, _> = found.collect();
            let wanted = all.iter().filter(|(_, count)| **count >= least);
            assert!(found == wanted.map(|(place, count)| (*place, *count)).collect());
            assert_eq!(found.is_empty(), least > view.game_count());
        }
    });
}
