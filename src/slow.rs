//! Games that take long, for tests of how soon work on them stops.

use std::{
    ops::Range,
    sync::atomic::{AtomicU32, Ordering},
    thread,
    time::Duration,
};

use shakmaty::Move;
use tabiya_chess::{Flow, Follow, GameId, Rewind, requirements::Requirements};
use tabiya_formats::{Checked, Decoded, Fault, NameSlot, Scratch, View, Visitor};

/// The least time that a game takes.
const GAME: Duration = Duration::from_millis(10);
/// Most games that two threads look at in a turn.
const GAMES_A_TURN: u32 = 2 * (100 / 10 + 2);

/// Number of slow games looked at.
#[derive(Debug, Default)]
pub(crate) struct SlowGames(AtomicU32);

impl SlowGames {
    /// Looks at a game.
    pub(crate) fn look(&self) {
        thread::sleep(GAME);
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// Makes the games of a view slow.
    pub(crate) fn of<V: View>(&self, view: V) -> Slow<'_, V> {
        Slow { view, games: self }
    }

    fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Works on slow games with two threads. Checks that the work asks repeatedly whether to go on, and
/// that it stops soon after a `Break`. Slow machines look at fewer games in a turn, so they pass
/// too. `together` games are processed without checking the clock.
pub(crate) fn ends_soon(
    together: u32,
    work: impl Fn(&SlowGames, &mut (dyn FnMut() -> Flow + Send)) + Send + Sync,
) {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("two threads");
    let most = GAMES_A_TURN.max(together);

    let games = SlowGames::default();
    let begun = &mut || match games.count() {
        0 => Flow::Continue(()),
        _ => Flow::Break(()),
    };
    pool.install(|| work(&games, begun));
    let looked = games.count();
    assert!(
        (1..=most).contains(&looked),
        "{looked} games after a `Break`"
    );

    let (games, mut asked) = (SlowGames::default(), 0);
    let asks = &mut || {
        asked += 1;
        Flow::Continue(())
    };
    pool.install(|| work(&games, asks));
    let looked = games.count();
    assert!(looked > most, "{looked} games are too few for this test");
    assert!(
        asked >= looked / most,
        "asked {asked} times in {looked} games"
    );
}

/// The games of another view, each of which takes long.
#[derive(Clone, Copy)]
pub(crate) struct Slow<'g, V> {
    view: V,
    games: &'g SlowGames,
}

impl<V: View> View for Slow<'_, V> {
    type Record = V::Record;

    fn records(&self) -> &[V::Record] {
        self.view.records()
    }

    fn game_count(&self) -> usize {
        self.view.game_count()
    }

    fn records_in(&self, games: Range<usize>) -> &[V::Record] {
        self.view.records_in(games)
    }

    fn record(&self, game: GameId) -> &V::Record {
        self.view.record(game)
    }

    fn touch(&self, record: &V::Record) -> u8 {
        self.view.touch(record)
    }

    fn follow_main_line<F: Follow>(
        &self,
        record: &V::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        self.games.look();
        self.view.follow_main_line(record, scratch, follow)
    }

    fn follow_tree<F: Rewind>(
        &self,
        record: &V::Record,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<()> {
        self.games.look();
        self.view.follow_tree(record, scratch, follow)
    }

    fn visit<W: Visitor + ?Sized>(
        &self,
        record: &V::Record,
        scratch: &mut Scratch,
        visitor: &mut W,
    ) -> Decoded<()> {
        self.games.look();
        self.view.visit(record, scratch, visitor)
    }

    fn any_tag(
        &self,
        record: &V::Record,
        test: &mut dyn FnMut(&str, &str) -> bool,
    ) -> Decoded<bool> {
        self.view.any_tag(record, test)
    }

    fn any_comment(&self, record: &V::Record, test: &mut dyn FnMut(&str) -> bool) -> Decoded<bool> {
        self.view.any_comment(record, test)
    }

    fn lacks_name(&self, record: &V::Record, slot: NameSlot) -> bool {
        self.view.lacks_name(record, slot)
    }

    fn check(&self, record: &V::Record, scratch: &mut Scratch) -> Result<Checked, Fault> {
        self.games.look();
        self.view.check(record, scratch)
    }

    fn place(&self, record: &V::Record) -> Range<u64> {
        self.view.place(record)
    }

    fn skim<R: Visitor + ?Sized>(&self, record: &V::Record, visitor: &mut R) -> Option<()> {
        self.view.skim(record, visitor)
    }

    fn has_comments_in_sources(&self) -> bool {
        self.view.has_comments_in_sources()
    }

    fn sources(&self, record: &V::Record, tell: &mut dyn FnMut(&[u8])) {
        self.view.sources(record, tell);
    }

    fn prefilter(&self, requirements: &Requirements, first: GameId, lanes: u64) -> u64 {
        self.view.prefilter(requirements, first, lanes)
    }

    fn stored_line(&self, code: u8) -> Option<&'static [Move]> {
        self.view.stored_line(code)
    }
}
