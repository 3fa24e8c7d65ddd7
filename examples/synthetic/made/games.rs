//! Games from a seed: the header and the moves of a numbered game.
//!
//! In the index they resemble real games: well-known openings at their usual rates, lengths of
//! about 80 plies, captures until an ending is left, a few promotions, players with very different
//! numbers of games, and tournaments with consecutive games.

use shakmaty::{Chess, Color, Move, Position};
use tabiya::{
    Result,
    chess::{Eco, Elo, GameResult, PartialDate, RatingKind, Start},
    format::{GameHeader, Rating},
};
use tabiya_formats::{Encode, EncodedGame};

use super::{
    dice::{Dice, mixed},
    openings::Book,
    play::choose,
};

/// Number of games of one tournament.
const EVENT_GAMES: u64 = 45;
const PLAYERS: u64 = 60_000;

const CITIES: [&str; 32] = [
    "Amsterdam",
    "Athens",
    "Baden-Baden",
    "Baku",
    "Barcelona",
    "Belgrade",
    "Berlin",
    "Biel",
    "Bucharest",
    "Budapest",
    "Cappelle",
    "Dortmund",
    "Gibraltar",
    "Hastings",
    "Havana",
    "Kiev",
    "Leipzig",
    "Linares",
    "London",
    "Minsk",
    "Moscow",
    "New York",
    "Palma",
    "Paris",
    "Prague",
    "Reykjavik",
    "Riga",
    "Sarajevo",
    "Sochi",
    "Tallinn",
    "Wijk aan Zee",
    "Zurich",
];
const KINDS: [&str; 5] = ["Open", "Masters", "Cup", "Championship", "Memorial"];
const SYLLABLES: [&str; 24] = [
    "an", "ba", "be", "da", "de", "er", "go", "ha", "ka", "ko", "la", "le", "ma", "mi", "na", "no",
    "ov", "ra", "ri", "sa", "sen", "ski", "ta", "vi",
];

/// Creates games. There is one per thread; memory is reused.
#[derive(Debug)]
pub(crate) struct Maker<'b, E> {
    book: &'b Book,
    seed: u64,
    encoder: E,
    moves: Vec<Move>,
    /// Whether games are as an online service publishes them.
    online: bool,
}

impl<'b, E: Encode> Maker<'b, E> {
    /// Creates a maker for a seed.
    pub(crate) fn new(book: &'b Book, seed: u64, encoder: E) -> Maker<'b, E> {
        Maker {
            book,
            seed: mixed(seed),
            encoder,
            moves: Vec::new(),
            online: false,
        }
    }

    /// Makes games as an online service publishes them: each with a site of its own, a time and
    /// other tags, and the clock after each move.
    pub(crate) fn online(mut self) -> Self {
        self.online = true;
        self
    }

    /// Creates one game. It depends only on the seed and its number.
    pub(crate) fn make(&mut self, number: u64) -> Result<EncodedGame<E::GameMeta>> {
        let mut dice = Dice::new(self.seed ^ number);
        let players = [player(&mut dice), player(&mut dice)];
        let (eco, end) = self.play(&mut dice);
        let mut header = self.event(number);
        [header.white, header.black] = players.map(name);
        [header.white_rating, header.black_rating] = players.map(rating);
        header.eco = eco;
        header.result = result(&end, players.map(strength), &mut dice);
        if self.online {
            header.event = "Rated Blitz game".into();
            // Odd, so that no two games have the same.
            header.site = format!(
                "https://lichess.org/{:08x}",
                (number as u32).wrapping_mul(0x9e37_79b1)
            );
            header.round = "-".into();
        }
        self.encoder.begin(&header);
        if self.online {
            let _ = self.encoder.tag("TimeControl", "180+2");
            let _ = self.encoder.tag("UTCTime", &clock(number % 86_400));
        }
        let _ = self.encoder.start(Start::Standard);
        for (&played, ply) in self.moves.iter().zip(0..) {
            let _ = self.encoder.play(Some(played));
            if self.online {
                let comment = format!("[%clk {}]", clock(180_u64.saturating_sub(ply)));
                let _ = self.encoder.comment(&comment);
            }
        }
        self.encoder.finish()
    }

    /// Plays a game into `moves`. Returns its opening code and final position.
    fn play(&mut self, dice: &mut Dice) -> (Option<Eco>, Chess) {
        self.moves.clear();
        let eco = self.book.open(dice, &mut self.moves);
        let mut position = Chess::default();
        for &played in &self.moves {
            position.play_unchecked(played);
        }
        let plies = length(dice);
        while self.moves.len() < plies {
            let Some(played) = choose(&position, self.moves.len(), dice) else {
                break;
            };
            self.moves.push(played);
            position.play_unchecked(played);
        }
        (eco, position)
    }

    /// Returns the header of a game's tournament: event, site, date and round.
    fn event(&self, number: u64) -> GameHeader {
        let mut dice = Dice::new(!self.seed ^ (number / EVENT_GAMES));
        let city = CITIES[dice.below(CITIES.len() as u32) as usize];
        let kind = KINDS[dice.below(KINDS.len() as u32) as usize];
        // Later years have more games.
        let year = 2025 - dice.below(60).min(dice.below(60));
        let (edition, month, day) = (1 + dice.below(90), 1 + dice.below(12), 1 + dice.below(20));
        let round = 1 + number % EVENT_GAMES / 5;
        GameHeader {
            event: format!("{city} {kind} {edition}"),
            site: city.into(),
            date: PartialDate::new(year as u16, month as u8, (day + round as u32 / 2) as u8),
            event_date: PartialDate::new(year as u16, month as u8, day as u8),
            round: round.to_string(),
            ..GameHeader::default()
        }
    }
}

/// Returns seconds as hours, minutes and seconds.
fn clock(seconds: u64) -> String {
    format!(
        "{}:{:02}:{:02}",
        seconds / 3600,
        seconds / 60 % 60,
        seconds % 60
    )
}

/// Returns a random length in plies: 81 on average, rarely less than 20 or more than 160.
fn length(dice: &mut Dice) -> usize {
    let plies = match dice.below(20) {
        0 | 1 => 12 + dice.below(28),
        2 | 3 => 100 + dice.below(120),
        _ => 27 + dice.below(36) + dice.below(36) + dice.below(36),
    };
    plies as usize
}

/// Returns a player's number; low numbers are much more frequent.
fn player(dice: &mut Dice) -> u64 {
    let mut part = || u64::from(dice.below(1 << 10));
    (PLAYERS * part() * part() * part()) >> 30
}

/// Returns the rating of a player.
fn strength(player: u64) -> u32 {
    let mut dice = Dice::new(player);
    1900 + dice.below(300) + dice.below(300) + dice.below(300)
}

fn rating(player: u64) -> Option<Rating> {
    let value = Elo::new(strength(player) as u16)?;
    Some(Rating {
        value,
        kind: RatingKind::Elo,
    })
}

fn name(player: u64) -> String {
    let mut dice = Dice::new(!player);
    let mut word = |syllables: u32| {
        let word: String = (0..syllables)
            .map(|_| SYLLABLES[dice.below(SYLLABLES.len() as u32) as usize])
            .collect();
        word[..1].to_uppercase() + &word[1..]
    };
    format!("{}, {}", word(3), word(2))
}

/// Returns the result: mate and stalemate decide, otherwise mostly men and ratings.
fn result(end: &Chess, [white, black]: [u32; 2], dice: &mut Dice) -> GameResult {
    let winner = |color| match color {
        Color::White => GameResult::WhiteWins,
        Color::Black => GameResult::BlackWins,
    };
    if end.is_checkmate() {
        return winner(end.turn().other());
    }
    let men = |color| tabiya::chess::Counts::of(end.board()).side(color);
    let ahead = i32::from(men(Color::White)) - i32::from(men(Color::Black));
    let favour = 40 * ahead + (white as i32 - black as i32) / 2;
    let ticket = dice.below(1000) as i32;
    match () {
        () if end.is_stalemate() => GameResult::Draw,
        () if ticket < 370 + favour => GameResult::WhiteWins,
        () if ticket < 720 + favour / 2 => GameResult::Draw,
        () => GameResult::BlackWins,
    }
}
