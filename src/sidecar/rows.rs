//! Collects sets of games: one bit for each game in each set of a block.

use tabiya_chess::{Counts, Flow, Follow, Man, Placed, Start};

use super::{
    BLOCK_WORDS, BlockGames,
    aspects::TWO_EACH,
    collect::{Begun, GameEnd},
    course::{FileTrace, KingTrace},
    ends::EndWriter,
    sets::{CROWDED, GROWN, OTHER_END, SETS, UNDECODED},
    threats::ThreatTrace,
    visit_tracker::VisitTracker,
    write::Blobs,
};

/// Games that are gathered before their sets are written: one cache line for each set.
pub(super) const GROUP_GAMES: usize = 512;
const GROUP_WORDS: usize = GROUP_GAMES / 64;

/// The sets of one block under construction: [`BLOCK_WORDS`] words for each.
pub(super) struct VisitRows {
    rows: Vec<u64>,
    /// The squares of the latest games, by man.
    group: Box<[[u64; GROUP_GAMES]; Man::COUNT]>,
    trace: VisitTracker,
    files: FileTrace,
    kings: KingTrace,
    threats: ThreatTrace,
    ends: EndWriter,
    /// The number of men of each kind in the present position.
    counts: Counts,
    has_own_start: bool,
    /// Whether the present game has had a promotion, or has a custom start.
    has_grown: bool,
    /// Whether it has had more than two of some piece, or has a custom start.
    is_crowded: bool,
    /// Games so far.
    games: usize,
}

impl VisitRows {
    pub(super) fn new() -> VisitRows {
        VisitRows {
            rows: vec![0; SETS * BLOCK_WORDS],
            group: Box::new([[0; GROUP_GAMES]; Man::COUNT]),
            trace: VisitTracker::new(),
            files: FileTrace::new(),
            kings: KingTrace::new(),
            threats: ThreatTrace::new(),
            ends: EndWriter::default(),
            counts: Counts::STANDARD,
            has_own_start: false,
            has_grown: false,
            is_crowded: false,
            games: 0,
        }
    }

    /// Takes over the sets of the games that need not be played; `None` if they are damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        let words = begun.games / 64;
        for (number, row) in (0..).zip(self.rows.chunks_exact_mut(BLOCK_WORDS)) {
            let set = begun.sets.set(number)?;
            let count = begun.sets.count(number) as usize;
            match BlockGames::union(&[set], count, begun.sets.games) {
                BlockGames::Many(games) => row[..words].copy_from_slice(&games[..words]),
                BlockGames::Few(games) => {
                    let kept = games.into_iter().map(usize::from);
                    for game in kept.filter(|&game| game < begun.games) {
                        row[game / 64] |= 1 << (game % 64);
                    }
                }
            }
        }
        self.games = begun.games;
        self.ends.resume(begun)
    }

    fn set(&mut self, row: u16, game: usize) {
        set(&mut self.rows, row, game);
    }

    fn add_game(&mut self, place: usize) {
        for (man, squares) in self.group.iter_mut().zip(self.trace.squares.0) {
            man[place % GROUP_GAMES] = squares;
        }
        let aspects = self.files.sets().chain(self.kings.sets());
        for row in aspects.chain(self.threats.sets()) {
            set(&mut self.rows, row, place);
        }
        if self.has_grown {
            self.set(GROWN, place);
        }
        if self.is_crowded {
            self.set(CROWDED, place);
        }
    }

    /// Converts the squares of each game of a group to the games of each square.
    fn add_group(&mut self, number: usize) {
        for (man, games) in self.group.iter_mut().enumerate() {
            for games in games.as_chunks_mut().0 {
                transpose(games);
            }
            for square in 0..64 {
                let row = (man * 64 + square) * BLOCK_WORDS + number * GROUP_WORDS;
                let words = &mut self.rows[row..row + GROUP_WORDS];
                for (word, games) in words.iter_mut().zip(games.as_chunks::<64>().0) {
                    *word = games[square];
                }
            }
            games.fill(0);
        }
    }
}

impl VisitRows {
    /// Records the last game followed.
    pub(super) fn end_game(&mut self, ended: GameEnd) {
        let place = ended.place;
        if ended.is_decoded {
            self.add_game(place)
        } else {
            self.set(UNDECODED, place)
        }
        let is_told = ended.final_material.exact() == Some(self.counts);
        if !ended.is_decoded || self.has_own_start || !is_told {
            self.set(OTHER_END, place);
        }
        let (boards, crossed) = self.threats.end();
        // In Chess960 castling can be the only legal move.
        let may_castle = self.has_own_start && boards.castling() != 0;
        let is_known = ended.is_decoded && !may_castle;
        self.ends.add(is_known.then_some((boards, crossed)));
        self.games = place + 1;
        if self.games.is_multiple_of(GROUP_GAMES) {
            self.add_group(place / GROUP_GAMES);
        }
    }

    /// Returns the sets of a block of this number of games, and its final positions.
    pub(super) fn finish(mut self, games: u32) -> [Blobs; 2] {
        if !self.games.is_multiple_of(GROUP_GAMES) {
            self.add_group(self.games / GROUP_GAMES);
        }
        let mut blobs = Blobs::default();
        for row in self.rows.chunks_exact(BLOCK_WORDS) {
            blobs.push_set(row, games);
        }
        [blobs, self.ends.finish()]
    }
}

impl Follow for VisitRows {
    /// A game that is not followed has visited no squares, and its end may differ from its record.
    fn reset(&mut self) {
        self.trace.reset();
        self.files.forget();
        self.kings.forget();
        self.has_own_start = true;
        (self.has_grown, self.is_crowded) = (false, false);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.files.start(start);
        self.kings.start(start);
        self.threats.start(start);
        self.has_own_start = matches!(start, Start::Custom(_));
        self.has_grown = self.has_own_start;
        self.is_crowded = self.has_own_start;
        self.counts = Counts::STANDARD;
        self.trace.start(start)
    }

    #[inline(always)]
    fn moved(&mut self, from: Placed, to: Placed) {
        self.trace.moved(from, to);
        self.files.shift(from, to);
        self.kings.shift(from, to);
        self.threats.shift(from, to);
    }

    #[inline]
    fn remove(&mut self, gone: Placed) {
        self.files.remove(gone);
        self.threats.remove(gone);
        self.counts.take(gone.man());
    }

    #[inline]
    fn place(&mut self, new: Placed) {
        self.counts.add(new.man());
        self.has_grown = true;
        self.is_crowded |= self.counts.get(new.man()) > TWO_EACH.get(new.man());
        self.trace.place(new);
        self.threats.place(new);
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.files.look();
        self.kings.look();
        self.threats.look();
        Flow::Continue(())
    }
}

fn set(rows: &mut [u64], row: u16, game: usize) {
    rows[usize::from(row) * BLOCK_WORDS + game / 64] |= 1 << (game % 64);
}

/// Transposes 64 words of 64 bits: bit b of word w goes to bit w of word b. Swaps halves, then
/// quarters, and so on down to single bits.
pub(super) fn transpose(words: &mut [u64; 64]) {
    let mut width = 32;
    let mut mask = u64::MAX >> 32;
    while width != 0 {
        let mut word = 0;
        while word < 64 {
            let (low, high) = (words[word], words[word + width]);
            let moved = (low >> width ^ high) & mask;
            words[word] = low ^ moved << width;
            words[word + width] = high ^ moved;
            word = (word + width + 1) & !width;
        }
        width /= 2;
        mask ^= mask << width;
    }
}
