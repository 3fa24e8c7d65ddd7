//! Any written game reads back unchanged, and its record is correct.

use proptest::prelude::*;
use shakmaty::{Bitboard, CastlingSide, Color, MoveList, Rank, Role};
use tabiya_chess::{Counts, Eco, FinalMaterial, GameResult, home_pawns::pawn_number};

use super::*;

/// Start positions near promotions, castling and en passant; the first is the standard one.
const STARTS: [&str; 7] = [
    "",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pPppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q2/P1PBBPpP/R3K2R w KQkq - 3 17",
    "8/PPPk4/8/8/8/8/4Kppp/8 b - - 0 1",
    "rnbqkb1r/pppp2pp/8/3QPp2/2P1n3/8/PP2PPPP/RNB1KBNR w KQkq f6 0 5",
    "QQQQ4/8/8/1pP4k/8/8/8/R3K3 w Q b6 9 60",
    "k7/8/8/8/8/8/8/K7 b - - 99 120",
];

const TEXTS: [&str; 5] = [
    "x",
    "zwei Wörter",
    "naïve — 好",
    "line\nbreak",
    "[%clk 0:01]",
];

/// Generates the events of a game from a list of choices. Annotations come in the order of
/// readers: NAGs, then a comment, once per move.
struct Maker {
    events: Vec<Event>,
    line: Line,
    outer: Vec<Line>,
}

#[derive(Clone)]
struct Line {
    position: Chess,
    before: Option<Chess>,
    nags: u8,
    commented: bool,
}

impl Maker {
    fn new(fen: &str, tags: &[(String, String)]) -> Maker {
        let tag = |tag: &(String, String)| Event::Tag(tag.0.clone(), tag.1.clone());
        let mut told: Vec<Event> = tags.iter().map(tag).collect();
        told.extend(super::events(fen, ""));
        Maker {
            events: told,
            line: Line {
                position: super::position(fen),
                before: None,
                nags: 0,
                commented: false,
            },
            outer: Vec::new(),
        }
    }

    fn choose(&mut self, choice: u16) {
        let argument = usize::from(choice >> 4);
        match choice & 15 {
            0 if self.line.nags < 7 && !self.line.commented => {
                self.line.nags += 1;
                self.events.push(Event::Nag(argument as u8 | 1));
            }
            1 if !self.line.commented => {
                self.line.commented = true;
                self.events
                    .push(Event::Comment(TEXTS[argument % TEXTS.len()].into()));
            }
            2 if self.line.before.is_some() && self.outer.len() < 8 => self.begin(),
            3 | 4 if !self.outer.is_empty() => self.end(),
            5 if !self.line.position.is_check() => self.play(None),
            kind => {
                let moves = self.line.position.legal_moves();
                let special: MoveList = moves
                    .iter()
                    .filter(|played| {
                        played.is_promotion() || played.is_castle() || played.is_en_passant()
                    })
                    .copied()
                    .collect();
                let moves = if kind & 1 == 0 && !special.is_empty() {
                    special
                } else {
                    moves
                };
                if !moves.is_empty() {
                    self.play(Some(moves[argument % moves.len()]));
                }
            }
        }
    }

    fn begin(&mut self) {
        let inner = Line {
            position: self.line.before.clone().unwrap(),
            before: None,
            nags: 0,
            commented: false,
        };
        // Annotations of the move must not come after its variations.
        self.line.commented = true;
        self.outer.push(std::mem::replace(&mut self.line, inner));
        self.events.push(Event::Begin);
    }

    fn end(&mut self) {
        self.line = self.outer.pop().unwrap();
        self.events.push(Event::End);
    }

    fn play(&mut self, played: Option<Move>) {
        let before = self.line.position.clone();
        let mut position = before.clone();
        match played {
            Some(played) => position.play_unchecked(played),
            None => match before.clone().swap_turn() {
                Ok(passed) => position = passed,
                Err(_) => return,
            },
        }
        self.line = Line {
            position,
            before: Some(before),
            nags: 0,
            commented: false,
        };
        self.events.push(Event::Play(played));
    }
}

/// Checks the facts of a main line against those computed from positions instead of changes.
fn assert_facts(record: &impl Header, fen: &str, played: &[Option<Move>]) {
    let mut position: Chess = super::position(fen);
    let at_home = |position: &Chess| {
        let board = position.board();
        let pawns = |color, rank| board.by_piece(Role::Pawn.of(color)) & Bitboard::from_rank(rank);
        pawns(Color::White, Rank::Second) | pawns(Color::Black, Rank::Seventh)
    };
    let mut left = Vec::new();
    let mut promotions = Vec::new();
    for played in played {
        let before = at_home(&position);
        match played {
            Some(played) => {
                promotions.extend(played.promotion());
                position.play_unchecked(*played);
            }
            None => position = position.swap_turn().unwrap(),
        }
        left.extend(
            (before & !at_home(&position))
                .into_iter()
                .filter_map(pawn_number),
        );
    }
    let mut flags = 0;
    if !fen.is_empty() {
        flags |= flag::CUSTOM_START;
        left.clear();
    }
    if !promotions.is_empty() {
        flags |= flag::PROMOTION;
    }
    if promotions.iter().any(|&role| role != Role::Queen) {
        flags |= flag::UNDERPROMOTION;
    }
    assert_eq!(record.flags() & !flag::MARKS, flags);
    assert!(record.home_pawns().iter().eq(left));
    assert_eq!(
        record.final_material(),
        FinalMaterial::of(Counts::of(position.board()))
    );
    assert_eq!(record.plies().at_least as usize, played.len() % 1024);
}

fn main_line(events: &[Event]) -> Vec<Option<Move>> {
    let mut depth = 0;
    let mut played = Vec::new();
    for event in events {
        match event {
            Event::Begin => depth += 1,
            Event::End => depth -= 1,
            Event::Play(next) if depth == 0 => played.push(*next),
            _ => {}
        }
    }
    played
}

prop_compose! {
    fn header()(
        names in prop::array::uniform5("\\PC{0,40}"),
        date in (1990u16..2010, 0u8..=12, 0u8..=31),
        event in (1990u16..2010, 0u8..=12, 0u8..=31),
        rating in prop::option::of((1u16..=4000, 0u8..7)),
        eco in 0u16..=65_500,
        result in 0usize..4,
        marks in any::<u32>(),
    ) -> GameHeader {
        let [event_name, site, round, white, black] = names;
        let near = date.0.abs_diff(event.0) <= 3;
        use GameResult::{BlackWins, Draw, Unknown, WhiteWins};
        GameHeader {
            event: event_name,
            site,
            round,
            white,
            black,
            date: PartialDate::new(date.0, date.1, date.2),
            event_date: if near {
PartialDate::new(event.0, event.1, event.2)
} else {
PartialDate::UNKNOWN
},
            result: [Unknown, WhiteWins, BlackWins, Draw][result],
            white_rating: rating.and_then(|(value, kind)| {
                let kind = RatingKind::from_code(kind);
                NonZeroU16::new(value).map(|value| Rating { value, kind })
            }),
            black_rating: None,
            eco: Eco::from_code(eco),
            marks: marks & flag::MARKS,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_written_game_reads_back_as_told(
        header in header(),
        start in 0..STARTS.len(),
        tags in prop::collection::vec(("[A-Za-z]{1,12}", "\\PC{0,60}"), 0..4),
        choices in prop::collection::vec(any::<u16>(), 0..200),
    ) {
        let mut maker = Maker::new(STARTS[start], &tags);
        for choice in choices {
            maker.choose(choice);
        }
        while !maker.outer.is_empty() {
            maker.end();
        }
        let game = encode(&header, &maker.events).unwrap();
        prop_assert!(game.losses().is_empty());
        assert_facts(&game.record(), STARTS[start], &main_line(&maker.events));

        // Between two others, so that its name IDs and offset are not the first ones.
        let other = self::game("e4 {x}");
        let database = database(&[other.clone(), game, other]);
        prop_assert_eq!(database.header(GameId(1)).unwrap(), header);
        let mut witness = Witness::default();
        database.visit(GameId(1), &mut witness).unwrap();
        prop_assert_eq!(witness.0, maker.events);
        let verification = database.verify().unwrap();
        prop_assert_eq!(verification.damaged, 0, "{:?}", verification.damaged_games);
    }
}

#[test]
fn both_sides_castle_both_ways() {
    for (moves, bytes) in [("O-O O-O", [10, 10]), ("O-O-O O-O-O", [9, 9])] {
        let start = "r3k2r/pppppppp/8/8/8/8/PPPPPPPP/R3K2R w KQkq - 0 1";
        let game = encode(&GameHeader::default(), &events(start, moves)).unwrap();
        assert_eq!(game.as_bytes()[game.as_bytes().len() - 3..][..2], bytes);
        assert!(read_back(&game).iter().any(|event| {
            match event {
                Event::Play(Some(played)) => played
                    .castling_side()
                    .is_some_and(|side| side == CastlingSide::from_king_side(bytes[0] == 10)),
                _ => false,
            }
        }));
    }
}
