//! Games as lists of events, and random games.

use shakmaty::{CastlingMode, Chess, Move, Position, Setup, fen::Fen};
use tabiya_chess::{Elo, Flow, GameResult, PartialDate, RatingKind, Start};

use super::{Game, GameText, Input, for_each_game, place::GamePlace, san};
use crate::{
    error::Result,
    game::{GameHeader, Rating, Visitor},
};

/// An event that a visitor receives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Event {
    Tag(String, String),
    Start(Option<Box<Setup>>),
    Play(Option<Move>),
    Nag(u8),
    Comment(String),
    Begin,
    End,
}

/// A game as a visitor received it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GameEvents {
    pub(super) header: GameHeader,
    pub(super) events: Vec<Event>,
}

impl GameEvents {
    pub(super) fn of(game: &Game<'_>) -> Result<GameEvents> {
        let mut told = GameEvents {
            header: game.header().clone(),
            events: Vec::new(),
        };
        game.replay(&mut told)?;
        Ok(told)
    }

    pub(super) fn write(&self) -> String {
        let mut text = GameText::new(&self.header);
        for event in &self.events {
            let _ = match event {
                Event::Tag(name, value) => text.tag(name, value),
                Event::Start(None) => text.start(Start::Standard),
                Event::Start(Some(setup)) => text.start(Start::Custom(setup)),
                Event::Play(played) => text.play(*played),
                Event::Nag(nag) => text.nag(*nag),
                Event::Comment(comment) => text.comment(comment),
                Event::Begin => text.begin_variation(),
                Event::End => text.end_variation(),
            };
        }
        text.finish().unwrap()
    }

    /// Returns the events after the start as short text.
    pub(super) fn moves(&self) -> String {
        let mut position = Chess::new();
        if let Some(Event::Start(Some(setup))) = self.events.iter().find(|e| is_start(e)) {
            position = san::set_up(setup, CastlingMode::Chess960).unwrap();
        }
        let (mut before, mut stack) = (position.clone(), Vec::new());
        let mut words = Vec::new();
        for event in &self.events {
            match event {
                Event::Tag(..) | Event::Start(_) => {}
                Event::Play(played) => {
                    before = position.clone();
                    let rivals = played.map(|played| san::rivals(&position, played));
                    match (played, rivals) {
                        (Some(played), Some(rivals)) => {
                            words.push(
                                shakmaty::san::San::disambiguate(*played, &rivals).to_string(),
                            );
                            position.play_unchecked(*played);
                        }
                        _ => {
                            words.push("--".to_owned());
                            san::pass(&mut position);
                        }
                    }
                }
                Event::Nag(nag) => words.push(format!("${nag}")),
                Event::Comment(comment) => words.push(format!("{{{comment}}}")),
                Event::Begin => {
                    stack.push((position.clone(), before.clone()));
                    position = before.clone();
                    words.push("(".to_owned());
                }
                Event::End => {
                    (position, before) = stack.pop().unwrap();
                    words.push(")".to_owned());
                }
            }
        }
        words.join(" ")
    }
}

fn is_start(event: &Event) -> bool {
    matches!(event, Event::Start(_))
}

impl Visitor for GameEvents {
    fn tag(&mut self, name: &str, value: &str) -> Flow {
        self.push(Event::Tag(name.to_owned(), value.to_owned()))
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        self.push(Event::Start(match start {
            Start::Standard => None,
            Start::Custom(setup) => Some(Box::new(setup.clone())),
        }))
    }

    fn play(&mut self, played: Option<Move>) -> Flow {
        self.push(Event::Play(played))
    }

    fn nag(&mut self, nag: u8) -> Flow {
        self.push(Event::Nag(nag))
    }

    fn comment(&mut self, text: &str) -> Flow {
        self.push(Event::Comment(text.to_owned()))
    }

    fn begin_variation(&mut self) -> Flow {
        self.push(Event::Begin)
    }

    fn end_variation(&mut self) -> Flow {
        self.push(Event::End)
    }
}

impl GameEvents {
    fn push(&mut self, event: Event) -> Flow {
        self.events.push(event);
        Flow::Continue(())
    }
}

/// Reads all games of a text.
pub(super) fn read(text: &[u8]) -> Vec<(GamePlace, Result<GameEvents>)> {
    let mut games = Vec::new();
    let input = Input::from_bytes(text.to_vec()).unwrap();
    for_each_game(&input, GameEvents::of, |place, told| {
        games.push((place, told));
        Ok(())
    })
    .unwrap();
    games
}

/// Reads a text of one faultless game.
pub(super) fn read_one(text: &str) -> GameEvents {
    let mut games = read(text.as_bytes());
    assert_eq!(games.len(), 1, "{text}");
    games.remove(0).1.unwrap()
}

/// A reproducible pseudorandom number generator.
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    pub(super) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }
}

const TEXTS: [&str; 12] = [
    "?",
    "",
    " two  spaces ",
    "a \"quote\" and a \\ backslash\\",
    "[Event \"x\"]",
    "Ægir; % Łódź (1-0)",
    "line\n\n[Event\r\n% not escaped\n; nor a comment",
    "{ open",
    "1. e4 e5 * $1 !?",
    "a word that is longer than a line, so that nothing can be done about its length but to \
     let it stand as it is",
    "\\\\\"\\\"",
    "\n[Event \"x\"]",
];

const STARTS: [(&str, bool); 8] = [
    ("rn2k2r/1P4P1/8/3pP3/8/8/1p4p1/R3K2R w KQkq d6 0 30", false),
    ("4k3/PPP1P1PP/8/8/8/8/ppp1p1pp/4K3 b - - 4 77", false),
    (
        "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
        true,
    ),
    ("4k3/8/8/8/8/8/4q3/4K3 w - - 0 1", false),
    ("QQQQkQQQ/8/8/8/8/8/8/QQQ1K3 b - - 0 1", false),
    ("4k3/4R3/8/8/8/8/8/4K3 w - - 0 1", false),
    ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", false),
    ("7k/8/8/8/8/8/8/K7 b - - 99 4294967295", false),
];

/// Generates a random game with everything that PGN can express.
pub(super) fn random_game(dice: &mut Dice) -> GameEvents {
    let mut told = GameEvents {
        header: random_header(dice),
        events: Vec::new(),
    };
    for name in ["Annotator", "WhiteTitle", "X_1", "Ö"] {
        if dice.one_in(3) {
            let value = dice.pick(&TEXTS).replace(['\n', '\r'], " ");
            told.events.push(Event::Tag(name.to_owned(), value));
        }
    }
    let mut position = Chess::new();
    if dice.one_in(2) {
        let (fen, chess960) = *dice.pick(&STARTS);
        if chess960 {
            let variant = Event::Tag("Variant".to_owned(), "Chess960".to_owned());
            told.events.push(variant);
        }
        told.events
            .push(Event::Tag("SetUp".to_owned(), "1".to_owned()));
        let setup = fen.parse::<Fen>().unwrap().into_setup();
        position = san::set_up(&setup, CastlingMode::from_chess960(chess960)).unwrap();
        told.events.push(Event::Start(Some(Box::new(setup))));
    } else {
        told.events.push(Event::Start(None));
    }
    random_notes(dice, &mut told);
    let plies = dice.below(120);
    random_line(dice, &mut told, position, plies, 0);
    told
}

fn random_header(dice: &mut Dice) -> GameHeader {
    let mut name = || dice.pick(&TEXTS).replace(['\n', '\r'], " ");
    let (event, site, round, white, black) = (name(), name(), name(), name(), name());
    let rating = |dice: &mut Dice| {
        dice.one_in(2).then(|| Rating {
            value: Elo::new(1 + dice.below(4000) as u16).unwrap(),
            kind: *dice.pick(&RatingKind::ALL),
        })
    };
    GameHeader {
        event,
        site,
        round,
        white,
        black,
        date: PartialDate::new(
            dice.below(2048) as u16,
            dice.below(13) as u8,
            dice.below(32) as u8,
        ),
        result: *dice.pick(&[
            GameResult::Unknown,
            GameResult::Draw,
            GameResult::WhiteWins,
            GameResult::BlackWins,
        ]),
        white_rating: rating(dice),
        black_rating: rating(dice),
        eco: tabiya_chess::Eco::from_code(dice.below(65_536) as u16),
        event_date: PartialDate::new(dice.below(3) as u16 * 1000, 0, 0),
        marks: (dice.below(1 << 22) & !7) as u32,
    }
}

fn random_notes(dice: &mut Dice, told: &mut GameEvents) {
    for _ in 0..dice.below(8).saturating_sub(5) {
        let note = if dice.one_in(2) {
            Event::Nag(1 + dice.below(255) as u8)
        } else {
            Event::Comment((*dice.pick(&TEXTS)).to_owned())
        };
        told.events.push(note);
    }
}

fn random_line(dice: &mut Dice, told: &mut GameEvents, start: Chess, plies: usize, depth: usize) {
    let mut position = start;
    for _ in 0..plies {
        let before = position.clone();
        if dice.one_in(20) {
            san::pass(&mut position);
            told.events.push(Event::Play(None));
        } else {
            let moves = position.legal_moves();
            let special: Vec<_> = moves.iter().filter(|m| is_special(**m)).collect();
            let played = match special.is_empty() || dice.one_in(2) {
                true if moves.is_empty() => return,
                true => *dice.pick(&moves),
                false => **dice.pick(&special),
            };
            if played.capture() == Some(shakmaty::Role::King) {
                return;
            }
            position.play_unchecked(played);
            told.events.push(Event::Play(Some(played)));
        }
        random_notes(dice, told);
        while depth < 4 && dice.one_in(12) {
            told.events.push(Event::Begin);
            random_notes(dice, told);
            let plies = dice.below(10);
            random_line(dice, told, before.clone(), plies, depth + 1);
            told.events.push(Event::End);
            random_notes(dice, told);
        }
    }
}

fn is_special(played: Move) -> bool {
    played.is_castle() || played.is_en_passant() || played.is_promotion()
}
