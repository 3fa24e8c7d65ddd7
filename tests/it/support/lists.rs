//! Random games as lists of puzzles, of positions and of JSON.

use std::{fmt::Write as _, fs};

use shakmaty::{CastlingMode, Chess, Position, Setup, fen::Fen, san::San, uci::UciMove};
use tabiya::{Database, format::GameText};

use super::{
    dice::Dice,
    game::PlainGame,
    pool::{PUZZLE_TAGS, Pool, told_game},
    walk::legal,
};

/// What lists are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum List {
    Puzzles,
    Positions,
    /// A monthly archive of Chess.com.
    Archive,
    /// What Lichess exports.
    Lines,
}

impl List {
    pub(crate) const ALL: [List; 4] = [List::Puzzles, List::Positions, List::Archive, List::Lines];

    pub(crate) fn suffix(self) -> &'static str {
        match self {
            List::Puzzles => "csv",
            List::Positions => "epd",
            List::Archive => "json",
            List::Lines => "ndjson",
        }
    }

    /// Writes games, or what of them such a list can hold.
    pub(crate) fn of_games(self, games: &[PlainGame]) -> String {
        let mut dice = Dice::new(games.len() as u64);
        match self {
            List::Puzzles => {
                let rows = games.iter().map(|game| puzzle(game, &mut dice));
                "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes\n".to_owned()
                    + &rows.collect::<String>()
            }
            List::Positions => games.iter().map(position).collect(),
            List::Archive => {
                let objects: Vec<String> = games.iter().map(of_chess_com).collect();
                format!("{{\"games\":[{}]}}", objects.join(","))
            }
            List::Lines => games.iter().map(of_lichess).collect(),
        }
    }

    /// Makes a list of this number of games, and reads them back from it.
    pub(crate) fn pool(self, seed: u64, games: u32) -> Pool {
        let mut dice = Dice::new(seed);
        let games: Vec<PlainGame> = (0..games).map(|_| told_game(&mut dice)).collect();
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("pool").with_extension(self.suffix());
        fs::write(&path, self.of_games(&games)).expect("a file can be written");
        let pool = Pool::of_database(Database::read(&path).expect("what was written opens"));
        assert_eq!(pool.games.len(), games.len());
        pool
    }
}

fn fen(game: &PlainGame) -> String {
    let setup = game.start.clone().unwrap_or_else(Setup::initial);
    Fen::try_from_setup(setup)
        .expect("a position has a FEN")
        .to_string()
}

/// Returns the moves before the first null move, each with the position before it.
fn played(game: &PlainGame) -> Vec<(Chess, shakmaty::Move)> {
    let setup = game.start.clone().unwrap_or_else(Setup::initial);
    let mut position = legal(setup).expect("games begin with positions");
    let moves = game.main_line().into_iter().map_while(|played| played);
    let each = moves.map(|played| {
        let before = position.clone();
        position.play_unchecked(played);
        (before, played)
    });
    each.collect()
}

fn puzzle(game: &PlainGame, dice: &mut Dice) -> String {
    let uci = |(_, played): (Chess, shakmaty::Move)| {
        UciMove::from_move(played, CastlingMode::Standard).to_string()
    };
    let moves: Vec<String> = played(game).into_iter().map(uci).collect();
    let mut value = |name: &str| {
        let tag = PUZZLE_TAGS.iter().find(|(tag, _)| *tag == name);
        *dice.pick(tag.expect("a tag of the games").1)
    };
    let (rating, popularity, themes) = (value("Rating"), value("Popularity"), value("Themes"));
    let (fen, moves) = (fen(game), moves.join(" "));
    format!("id,{fen},{moves},{rating},80,{popularity},,{themes}\r\n")
}

fn position(game: &PlainGame) -> String {
    let mut line = fen(game);
    let operand = |value: &str| value.replace(['"', '\n', '\r'], " ");
    for (name, value) in &game.tags {
        let _ = write!(line, " {name} \"{}\";", operand(value));
    }
    line + "\n"
}

fn of_chess_com(game: &PlainGame) -> String {
    let mut text = GameText::new(&game.header);
    let _ = game.tell(&mut text);
    let text = text.finish().expect("a random game has a text");
    format!("{{\"url\":\"x\",\"pgn\":{}}}", quoted(&text))
}

fn of_lichess(game: &PlainGame) -> String {
    let san = |(position, played): &(Chess, shakmaty::Move)| {
        San::from_move(position, *played).to_string()
    };
    let moves: Vec<String> = played(game).iter().map(san).collect();
    let player = |name: &str| format!("{{\"user\":{{\"name\":{}}}}}", quoted(name));
    let (white, black) = (player(&game.header.white), player(&game.header.black));
    let fen = game.start.as_ref().map_or_else(String::new, |_| fen(game));
    format!(
        "{{\"players\":{{\"white\":{white},\"black\":{black}}},\"initialFen\":\"{fen}\",\
         \"moves\":\"{}\",\"status\":\"draw\"}}\n",
        moves.join(" ")
    )
}

/// Returns a text as JSON.
fn quoted(text: &str) -> String {
    let mut json = "\"".to_owned();
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\0'..='\x1f' => {
                let _ = write!(json, "\\u{:04x}", u32::from(letter));
            }
            letter => json.push(letter),
        }
    }
    json + "\""
}
