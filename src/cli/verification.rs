//! Decoding every game of a database.

// MERGE: stands in for `Database::verify` and `tabiya::Verification`, which have this shape;
// then this file goes and `verify.rs` calls the library.

use shakmaty::Move;
use tabiya::{Database, Error, Flow, GameId, Progress, Result, format::Visitor};

pub(crate) struct Verification {
    pub(crate) games: u64,
    pub(crate) main_line_moves: u64,
    pub(crate) all_moves: u64,
    pub(crate) damaged: u64,
    pub(crate) damaged_games: Vec<Error>,
    pub(crate) notes: Vec<Error>,
}

pub(crate) fn verify(
    database: &Database,
    mut progress: impl FnMut(Progress) -> Flow,
) -> Result<Verification> {
    let mut result = Verification {
        games: database.len().into(),
        main_line_moves: 0,
        all_moves: 0,
        damaged: 0,
        damaged_games: Vec::new(),
        notes: database.notes().to_vec(),
    };
    for index in 0..database.len() {
        let mut count = Count::default();
        match database.visit(GameId(index), &mut count) {
            Err(error) if error.game().is_some() => {
                result.damaged += 1;
                result.damaged_games.push(error);
            }
            other => other?,
        }
        result.main_line_moves += count.main_line;
        result.all_moves += count.all;
        let (done, total) = (u64::from(index) + 1, result.games);
        if done % 1000 == 0 && progress(Progress { done, total }).is_break() {
            break;
        }
    }
    Ok(result)
}

#[derive(Default)]
struct Count {
    depth: u64,
    main_line: u64,
    all: u64,
}

impl Visitor for Count {
    fn play(&mut self, _: Option<Move>) -> Flow {
        self.all += 1;
        self.main_line += u64::from(self.depth == 0);
        Flow::Continue(())
    }

    fn begin_variation(&mut self) -> Flow {
        self.depth += 1;
        Flow::Continue(())
    }

    fn end_variation(&mut self) -> Flow {
        self.depth -= 1;
        Flow::Continue(())
    }
}
