//! Collects timelines: the changes of material in each game, with their plies.

use shakmaty::{Color, Role};
use tabiya_chess::{Counts, Flow, Follow, Man, Placed, Start};

use super::{
    collect::{Begun, Collect, GameEnd},
    timeline::{END, FIRST_PROMOTION, GROUP_GAMES, GROUPS, PASS, PASS_PLIES, PROMOTIONS},
    write::Blobs,
};

/// The timelines of one block under construction. See [`timeline`](super::timeline) for their
/// format.
pub(super) struct Events {
    blobs: Blobs,
    groups: usize,
    /// The lengths of the timelines of the latest games, and these timelines.
    lengths: Vec<u8>,
    timelines: Vec<u8>,
    /// Where the present game begins in `timelines`.
    begin: usize,
    /// Plies of the present game, and the ply of its last event.
    ply: u32,
    last: u32,
    /// Whether a timeline can express all its events.
    is_known: bool,
}

impl Events {
    pub(super) fn new() -> Events {
        Events {
            blobs: Blobs::default(),
            groups: 0,
            lengths: Vec::new(),
            timelines: Vec::new(),
            begin: 0,
            ply: 0,
            last: 0,
            is_known: false,
        }
    }

    /// Takes over the timelines of the games that need not be played; `None` if they are damaged.
    pub(super) fn resume(&mut self, begun: &Begun<'_>) -> Option<()> {
        self.groups = begun.games / GROUP_GAMES as usize;
        for group in 0..self.groups {
            self.blobs.push_bytes(begun.timelines.bytes(group as u16)?);
        }
        Some(())
    }

    fn note(&mut self, what: u8, ply: u32) {
        let mut plies = ply - self.last;
        while plies >= PASS_PLIES {
            let units = (plies / PASS_PLIES).min(16);
            self.timelines.push(PASS << 4 | (units - 1) as u8);
            plies -= units * PASS_PLIES;
        }
        self.timelines.push(what << 4 | plies as u8);
        self.last = ply;
    }

    fn end_group(&mut self) {
        self.lengths.append(&mut self.timelines);
        self.blobs.push_bytes(&self.lengths);
        self.lengths.clear();
        self.begin = 0;
        self.groups += 1;
    }
}

impl Collect for Events {
    fn end_game(&mut self, ended: GameEnd) {
        // A game that could not be decoded may have ended inside a move, or never have begun.
        let is_told = ended.is_decoded && self.is_known && self.last <= self.ply;
        if is_told {
            self.note(END, self.ply);
        }
        let length = u8::try_from(self.timelines.len() - self.begin).ok();
        let length = length.filter(|_| is_told);
        self.begin += usize::from(length.unwrap_or(0));
        self.timelines.truncate(self.begin);
        self.lengths.push(length.unwrap_or(0));
        self.is_known = false;
        if self.lengths.len() == GROUP_GAMES as usize {
            self.end_group();
        }
    }

    fn finish(mut self, _: u32) -> Blobs {
        while self.groups < GROUPS {
            self.end_group();
        }
        self.blobs
    }
}

impl Follow for Events {
    fn reset(&mut self) {
        (self.ply, self.last, self.is_known) = (0, 0, false);
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        (self.ply, self.last) = (0, 0);
        self.is_known = match start {
            Start::Standard => true,
            // Other squares for the same men are valid, if plies and moves are counted the same
            // way.
            Start::Custom(setup) => {
                setup.turn.is_white()
                    && setup.fullmoves.get() == 1
                    && Counts::of(&setup.board) == Counts::STANDARD
            }
        };
        Flow::Continue(())
    }

    #[inline(always)]
    fn moved(&mut self, _: Placed, _: Placed) {}

    #[inline]
    fn remove(&mut self, gone: Placed) {
        // Kings are not counted.
        if gone.man().role() != Role::King {
            self.note(gone.man_index() as u8, self.ply + 1);
        }
    }

    /// A promotion replaces the event of the pawn's removal.
    #[inline]
    fn place(&mut self, new: Placed) {
        let color = Color::from_white(self.ply.is_multiple_of(2));
        let pawn = Man::new(color, Role::Pawn).index() as u8;
        let what = PROMOTIONS.iter().position(|&role| role == new.man().role());
        match (self.timelines[self.begin..].last_mut(), what) {
            (Some(event), Some(what)) if *event >> 4 == pawn && self.last == self.ply + 1 => {
                *event = (FIRST_PROMOTION + what as u8) << 4 | *event & 15;
                self.is_known &= new.man().color() == color;
            }
            _ => self.is_known = false,
        }
    }

    #[inline(always)]
    fn ply_done(&mut self) -> Flow {
        self.ply += 1;
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Board, Setup, Square};

    use super::{
        super::{tests::Dice, timeline::Timeline},
        *,
    };
    use crate::pattern::material::MaterialPhases;
    use tabiya_chess::{FinalMaterial, material::CountRange};

    /// Plays something like a game: mostly quiet moves, captures of either side's men, promotions
    /// and long waits. Returns the counts at each ply.
    fn play(dice: &mut Dice, events: &mut Events) -> Vec<Counts> {
        let mut counts = Counts::STANDARD;
        let mut all = vec![counts];
        for _ in 0..dice.below(200) {
            if dice.below(40) == 0 {
                for _ in 0..dice.below(600) {
                    let _ = events.ply_done();
                    all.push(counts);
                }
            }
            let mover = Color::from_white(all.len() % 2 == 1);
            let pawn = Man::new(mover, Role::Pawn);
            let gone = Man::ALL[dice.below(12) as usize];
            if dice.below(3) == 0 && gone.role() != Role::King && counts.get(gone) > 0 {
                events.remove(Placed::new(gone, Square::A8));
                counts.take(gone);
            }
            if dice.below(9) == 0 && counts.get(pawn) > 0 {
                let new = Man::new(mover, PROMOTIONS[dice.below(4) as usize]);
                events.remove(Placed::new(pawn, Square::A8));
                events.place(Placed::new(new, Square::A8));
                counts.take(pawn);
                counts.add(new);
            }
            let _ = events.ply_done();
            all.push(counts);
        }
        all
    }

    fn ended(place: usize, is_decoded: bool) -> GameEnd {
        GameEnd {
            place,
            is_decoded,
            final_material: FinalMaterial::NONE,
        }
    }

    fn timeline(events: &Events, game: usize) -> &[u8] {
        let lengths = events.lengths.iter().map(|&length| usize::from(length));
        let begin: usize = lengths.take(game).sum();
        &events.timelines[begin..begin + usize::from(events.lengths[game])]
    }

    #[test]
    fn a_timeline_tells_the_counts_of_every_position() {
        let mut dice = Dice(11);
        let mut events = Events::new();
        let mut too_long = 0;
        for game in 0..GROUP_GAMES as usize - 1 {
            let _ = events.start(Start::Standard);
            let played = play(&mut dice, &mut events);
            events.end_game(ended(game, true));
            let bytes = timeline(&events, game);
            let mut timeline = Timeline::new(bytes);
            let mut told = Vec::new();
            while let Some(stretch) = timeline.next_within(&CountRange::ANY) {
                assert_eq!(stretch.first as usize, told.len());
                told.resize(stretch.end as usize, stretch.counts);
            }
            if bytes.is_empty() {
                too_long += 1
            } else {
                assert_eq!(told, played, "{game}")
            }
            from_the_end_is_found_what_was_there(&mut dice, bytes, &played);
        }
        assert!(too_long < 5, "{too_long}");
    }

    /// Searches for counts that some positions have, and for rare ones.
    fn from_the_end_is_found_what_was_there(dice: &mut Dice, bytes: &[u8], played: &[Counts]) {
        let last = played[played.len() - 1];
        for _ in 0..20 {
            let mut range = CountRange::exactly(played[dice.below(played.len() as u64) as usize]);
            for _ in 0..dice.below(4) {
                let man = Man::ALL[dice.below(12) as usize];
                range.low = range.low.with(man, dice.below(3) as u8);
                range.high = range.high.with(man, 2 + dice.below(7) as u8);
            }
            let found = played.iter().any(|&counts| range.contains(counts));
            if bytes.is_empty() || range.contains(Counts::STANDARD) {
                continue;
            }
            let promotes = bytes.iter().any(|event| event >> 4 >= FIRST_PROMOTION);
            let told = Timeline::new(bytes).ends_after(&range, last);
            assert!(promotes || told == found, "{range:?}");
        }
    }

    #[test]
    fn games_that_do_not_begin_like_others_have_no_timeline() {
        let standard = Setup::initial();
        let shuffled = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR";
        let without_a_pawn = "rnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR";
        let with_board = |board: &str| Setup {
            board: Board::from_ascii_board_fen(board.as_bytes()).unwrap(),
            ..standard.clone()
        };
        let starts = [
            (with_board(shuffled), true),
            (with_board(without_a_pawn), false),
            (
                Setup {
                    turn: Color::Black,
                    ..standard.clone()
                },
                false,
            ),
            (
                Setup {
                    fullmoves: 2.try_into().unwrap(),
                    ..standard.clone()
                },
                false,
            ),
        ];
        let mut events = Events::new();
        for (game, (start, is_known)) in starts.iter().enumerate() {
            let _ = events.start(Start::Custom(start));
            events.end_game(ended(game, true));
            assert_eq!(!timeline(&events, game).is_empty(), *is_known, "{game}");
        }
    }

    #[test]
    fn games_that_are_damaged_or_not_begun_have_no_timeline_and_harm_no_other() {
        let mut events = Events::new();
        let _ = events.start(Start::Standard);
        events.end_game(ended(0, true));
        let _ = events.start(Start::Standard);
        play(&mut Dice(3), &mut events);
        events.end_game(ended(1, false));
        events.end_game(ended(2, true));
        let _ = events.start(Start::Standard);
        events.place(Placed::new(Man::ALL[2], Square::A8));
        events.end_game(ended(3, true));
        let _ = events.start(Start::Standard);
        let _ = events.ply_done();
        events.end_game(ended(4, true));
        assert_eq!(events.lengths, [1, 0, 0, 0, 1]);
        assert_eq!(events.timelines, [END << 4, END << 4 | 1]);
    }

    #[test]
    fn a_game_that_ends_inside_a_move_costs_no_more_than_its_moves() {
        let mut events = Events::new();
        let _ = events.start(Start::Standard);
        let _ = events.ply_done();
        events.remove(Placed::new(Man::ALL[2], Square::A8));
        events.end_game(ended(0, false));
        // A game damaged before its start, then a text, which never starts.
        events.end_game(ended(1, false));
        events.end_game(ended(2, true));
        assert_eq!(events.lengths, [0, 0, 0]);
        assert!(events.timelines.is_empty() && events.timelines.capacity() < 100);
    }
}
