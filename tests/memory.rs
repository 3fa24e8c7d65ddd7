//! How much memory work takes: what it holds at most, and that it asks for none game by game.
//!
//! Everything runs on one thread, of which all that it allocates is counted. Made databases of
//! one size and of four times that size tell what grows.

#![allow(
    clippy::unwrap_used,
    reason = "what a test cannot set up fails the test"
)]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use allocation_counter::{AllocationInfo, measure};
use rayon::{ThreadPool, ThreadPoolBuilder};
use shakmaty::{Chess, Position, san::San};
use tabiya::{
    Database, Flow, Positions, Query, Search, TreePosition, TreeSearch,
    chess::{GameResult, PartialDate, Start},
    convert,
    format::{GameHeader, Overwrite, Visitor},
};
use tabiya_formats::{
    Encode,
    scid4::{Edition, EncodedGame, Encoder, Writer},
};
use tempfile::TempDir;

/// Games of the small database: as many as a search decodes before it reports. The large one has
/// four times as many.
const GAMES: u32 = 1 << 17;

static ALONE: LazyLock<ThreadPool> = LazyLock::new(|| {
    let pool = ThreadPoolBuilder::new().num_threads(1).build();
    pool.expect("a thread can be had")
});

/// Measures what the thread that works allocates.
fn measured(work: impl FnMut() + Send) -> AllocationInfo {
    ALONE.install(|| measure(work))
}

/// Makes a database of this number of games: a few short ones over and over.
fn made(folder: &Path, games: u32) -> PathBuf {
    let kinds = ["e4 e5 Nf3", "d4 d5", "f3 e5 g4 Qh4", "c4"].map(encoded);
    let mut writer = Writer::in_memory(Edition::Si4).unwrap();
    for game in kinds.iter().cycle().take(games as usize) {
        writer.append(game).unwrap();
    }
    let parts = writer.finish_in_memory().unwrap().0;
    let path = folder.join(format!("{games}.si4"));
    fs::write(&path, parts.index).unwrap();
    fs::write(path.with_extension("sg4"), parts.games.unwrap()).unwrap();
    fs::write(path.with_extension("sn4"), parts.names.unwrap()).unwrap();
    path
}

fn encoded(moves: &str) -> EncodedGame {
    let mut encoder = Encoder::new();
    encoder.begin(&GameHeader {
        white: format!("White of {moves}"),
        black: "Black".to_owned(),
        date: PartialDate::new(2001, 2, 3),
        result: GameResult::BlackWins,
        ..GameHeader::default()
    });
    let mut position = Chess::default();
    assert!(encoder.start(Start::Standard).is_continue());
    for word in moves.split(' ') {
        let played = word.parse::<San>().unwrap().to_move(&position).unwrap();
        assert!(encoder.play(Some(played)).is_continue());
        position.play_unchecked(played);
    }
    encoder.finish().unwrap()
}

/// What some work allocates with few games and with four times as many.
struct Growth {
    few: AllocationInfo,
    many: AllocationInfo,
    more_games: u64,
}

impl Growth {
    fn of(games: u32, work: impl Fn(&Path) + Sync) -> Growth {
        let folder = TempDir::new().unwrap();
        let measured_with = |games| {
            let path = made(folder.path(), games);
            // What is made at first use is made now.
            ALONE.install(|| work(&path));
            [(); 3].map(|()| measured(|| work(&path)))
        };
        // How many games are at work together depends on the time that they take. What grows
        // with their number does so even between the most and the least that was measured.
        let held = |measured: &AllocationInfo| measured.bytes_max;
        Growth {
            few: measured_with(games).into_iter().max_by_key(held).unwrap(),
            many: measured_with(4 * games)
                .into_iter()
                .min_by_key(held)
                .unwrap(),
            more_games: 3 * u64::from(games),
        }
    }

    /// The most bytes more that each game more may take, in hundredths.
    fn holds(&self, what: &str, hundredths_a_game: u64) {
        let more = self.many.bytes_max.saturating_sub(self.few.bytes_max);
        assert!(
            100 * more <= hundredths_a_game * self.more_games,
            "{what}: {more} bytes more for {} games more",
            self.more_games
        );
    }

    /// Asks for memory at most once for each sixteen games more: a few times for each task of some
    /// hundred games, whose lists of matches grow by doubling, and not for each game.
    fn asks_for_no_game(&self, what: &str) {
        let more = self.many.count_total.saturating_sub(self.few.count_total);
        assert!(
            16 * more <= self.more_games,
            "{what}: {more} allocations more for {} games more",
            self.more_games
        );
    }
}

#[test]
fn searching_holds_no_list_of_what_it_finds_and_allocates_for_no_game() {
    for (text, finds_all) in [
        ("white:e4", false),
        ("year:2001", true),
        ("at(piece:Nf3)", false),
        ("at(piece:Pd4) or at(mate)", false),
        ("path:\"Ng1-f3\" result:0-1", false),
    ] {
        let query: Query = text.parse().unwrap();
        let growth = Growth::of(GAMES, |path| {
            let database = Database::open(path).unwrap();
            let matched = Search::new(&query).count(&database).unwrap().matched;
            let mut seen = 0;
            let sink = |_| {
                seen += 1;
                Flow::Continue(())
            };
            Search::new(&query).for_each(&database, sink).unwrap();
            assert_eq!(matched, seen);
            assert!(seen > 0 && finds_all == (seen == u64::from(database.len())));
        });
        // What is found in a wave of games is held until it is delivered, and how large waves
        // become depends on how quick they are. A list of all matches would take four times that.
        growth.holds(text, 400);
        growth.asks_for_no_game(text);
    }
}

#[test]
fn trees_and_positions_hold_bits_for_each_game_and_allocate_for_none() {
    let position = TreePosition::from_moves("e4 e5").unwrap();
    let growth = Growth::of(GAMES / 4, |path| {
        let database = Database::open(path).unwrap();
        let tree = TreeSearch::new(&position).run(&database).unwrap();
        assert_eq!(tree.total().games(), u64::from(database.len() / 4));
    });
    growth.holds("tree", 100);
    growth.asks_for_no_game("tree");
    let epd = "rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w\n";
    let positions = Positions::from_epd(epd).unwrap();
    let growth = Growth::of(GAMES / 4, |path| {
        let database = Database::open(path).unwrap();
        let counts = positions.run(&database).unwrap();
        assert_eq!(counts.rows()[0].tally.games(), database.len() / 4);
    });
    growth.holds("positions", 100);
    growth.asks_for_no_game("positions");
}

/// Games are sorted by place a part of the file at a time, at most what fits into 16 MiB.
#[test]
fn verifying_holds_a_bounded_list_and_allocates_for_no_game() {
    let growth = Growth::of(GAMES / 4, |path| {
        let database = Database::open(path).unwrap();
        let verification = database.verify().unwrap();
        assert_eq!(verification.damaged, 0);
    });
    assert!(growth.many.bytes_max < 40 << 20, "{:?}", growth.many);
    growth.asks_for_no_game("verify");
}

#[test]
fn summaries_hold_nothing_for_each_game() {
    let growth = Growth::of(GAMES / 4, |path| {
        let database = Database::open(path).unwrap();
        assert_eq!(database.summary().unwrap().games, u64::from(database.len()));
    });
    growth.holds("info", 1);
    growth.asks_for_no_game("info");
}

/// A batch of games is held while it is encoded; nothing grows but the names.
#[test]
fn converting_holds_a_batch_of_games() {
    const BATCH: u32 = 8192;
    for suffix in ["pgn", "si4", "si5", "cbh", "2cbh", "dci", "binpack"] {
        let growth = Growth::of(BATCH, |path| {
            let folder = TempDir::new().unwrap();
            let target = folder.path().join("new").with_extension(suffix);
            let go_on = &mut |_| Flow::Continue(());
            let done = convert(&[path.to_owned()], &target, Overwrite::Refuse, go_on);
            assert!(done.unwrap().games > 0);
        });
        growth.holds(suffix, 200);
    }
}
