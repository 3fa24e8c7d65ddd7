//! Writes databases of ChessBase 1 to 5 after their description, by a list of moves of its own.

use std::{fs, path::Path};

use shakmaty::{Board, Color, File, Move, Piece, Rank, Role, Setup, Square};
use tabiya::{chess::GameResult, format::GameHeader};

use super::game::{Event, PlainGame};

/// How the lengths of a game are told that has no annotations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// A byte more than there are, and a byte behind the moves.
    Told,
    /// None, and nothing behind the moves.
    None,
}

/// NAGs by the byte that stands for them, from 1 on: of moves, positions and lines.
const NAGS: [&[u8]; 3] = [
    &[1, 2, 5, 6, 3, 4, 0, 140, 142],
    &[18, 16, 14, 10, 13, 15, 17, 19, 44, 45, 132, 36, 40, 138, 8],
    &[145, 142, 140, 144, 142, 143, 0],
];
const NAME_BYTES_MAX: usize = 63;

/// Writes games as `.cbi`, whose path this is, and `.cbf`.
pub(crate) fn write(index: &Path, games: &[PlainGame]) {
    let bytes = |game: &PlainGame| bytes(game, Ending::Told).expect("a game that fits");
    let games: Vec<Vec<u8>> = games.iter().map(bytes).collect();
    fs::write(index, index_of(&games)).unwrap();
    fs::write(index.with_extension("cbf"), games.concat()).unwrap();
}

/// Returns the index of games that follow each other.
pub(crate) fn index_of(games: &[Vec<u8>]) -> Vec<u8> {
    let mut numbers = vec![games.len() as u32 + 1];
    let mut end = 0;
    for (number, game) in (2..).zip(games) {
        numbers.push(end + number);
        end += game.len() as u32;
    }
    numbers.push(end + games.len() as u32 + 2);
    numbers.into_iter().flat_map(u32::to_be_bytes).collect()
}

/// Returns the bytes of a game; `None` for what the format has no bytes for. Annotations that do
/// not stand behind a move are left out.
pub(crate) fn bytes(game: &PlainGame, ending: Ending) -> Option<Vec<u8>> {
    let (mut moves, text) = lines(game)?;
    let ending = if text.is_empty() {
        ending
    } else {
        Ending::Told
    };
    let told_moves = moves.len() + 1;
    scramble(moves.get_mut(1..)?, 49 * told_moves, 7);
    let mut text_bytes = 0;
    if ending == Ending::Told {
        moves.push(0x80);
        text_bytes = text.len() + 1;
    }
    let players = format!("{}-{}", game.header.white, game.header.black);
    let source = source(&game.header);
    let names = [cut(&players), cut(&source)];
    let mut head = head(game, names.map(str::len), ending);
    head[2..4].copy_from_slice(&u16::try_from(told_moves).ok()?.to_be_bytes());
    head[6..8].copy_from_slice(&u16::try_from(text_bytes).ok()?.to_be_bytes());
    let number = |at: usize| u32::from(head[at]);
    let checksum = match ending {
        Ending::Told => 37 * number(0) + number(5) + number(9),
        Ending::None => 0xc1 * number(3) * number(0) * (number(8) + 1),
    };
    head[13] = checksum as u8;
    let mut names = names.concat().into_bytes();
    head[11] ^= 14 + names.len() as u8;
    scramble(&mut head, 101, 3);
    let length = names.len();
    scramble(&mut names, 3 * length, 3);
    let setup = game.start.as_ref().map(setup_bytes).unwrap_or_default();
    Some([head.to_vec(), names, moves, text, setup].concat())
}

/// From the last byte to the first.
pub(crate) fn scramble(bytes: &mut [u8], key: usize, factor: u8) {
    let mut key = key as u8;
    for byte in bytes.iter_mut().rev() {
        *byte ^= key;
        key = key.wrapping_mul(factor);
    }
}

fn cut(name: &str) -> &str {
    let mut end = name.len().min(NAME_BYTES_MAX);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

fn source(header: &GameHeader) -> String {
    let is_round = header.round.bytes().all(|byte| byte.is_ascii_digit());
    match &*header.round {
        "" | "?" => header.event.clone(),
        round if is_round && round.len() < 4 => format!("{} ({round})", header.event),
        _ => header.event.clone(),
    }
}

fn head(game: &PlainGame, names: [usize; 2], ending: Ending) -> [u8; 14] {
    let header = &game.header;
    let mut head = [0; 14];
    let year = header.date.year().map(|year| i32::from(year) - 1900);
    head[0] = year.and_then(|year| i8::try_from(year).ok()).unwrap_or(127) as u8;
    head[1] = match header.result {
        GameResult::BlackWins => 0,
        GameResult::Draw => 1,
        GameResult::WhiteWins => 2,
        GameResult::Unknown => 3,
    };
    head[4] = names[0] as u8;
    head[5] = names[1] as u8;
    let ratings = [header.white_rating, header.black_rating];
    for (byte, rating) in head[8..10].iter_mut().zip(ratings) {
        let value = rating.map_or(0, |rating| rating.value.get());
        *byte = (value.saturating_sub(1600) / 5).min(255) as u8;
    }
    if let Some(setup) = &game.start {
        head[10] = 1 | u8::from(setup.turn == Color::Black) << 1;
        let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
        for (bit, corner) in (2..).zip(corners) {
            head[10] |= u8::from(setup.castling_rights.contains(corner)) << bit;
        }
        head[11] = setup.ep_square.map_or(0, |square| square.file() as u8 + 1);
    } else if let Some(eco) = header.eco {
        let text = eco.to_string();
        let number: u16 = text[1..3].parse().unwrap();
        let code = u16::from(text.as_bytes()[0] - b'A') * 100 + number + 1;
        head[10] = (code as u8 & 31) << 1;
        head[4] |= (code << 1 & 0xc0) as u8;
        head[5] |= (code >> 1 & 0xc0) as u8;
    }
    // Nobody reads the number of moves.
    head[12] = if ending == Ending::Told { 77 } else { 0 };
    head
}

fn setup_bytes(setup: &Setup) -> Vec<u8> {
    let man = |square: Square| match setup.board.piece_at(square) {
        None => 0,
        Some(piece) => {
            let roles = [
                Role::King,
                Role::Queen,
                Role::Knight,
                Role::Bishop,
                Role::Rook,
                Role::Pawn,
            ];
            let role = roles.iter().position(|&role| role == piece.role).unwrap();
            role as u8 + 1 + piece.color.fold_wb(0, 8)
        }
    };
    let pairs = Square::ALL.chunks(2);
    let mut bytes: Vec<u8> = pairs.map(|pair| man(pair[0]) << 4 | man(pair[1])).collect();
    bytes.push((setup.fullmoves.get() - 1).min(255) as u8);
    bytes
}

/// A line while it is written: the position, and that before its last move.
#[derive(Clone)]
struct Line {
    position: Position,
    before: Option<Position>,
}

/// Returns the bytes of moves and of annotations, both as they are read.
fn lines(game: &PlainGame) -> Option<(Vec<u8>, Vec<u8>)> {
    let (mut moves, mut text) = (Vec::new(), Vec::new());
    let start = game.start.clone().unwrap_or_else(Setup::initial);
    let mut outer = Vec::new();
    let mut line = Line {
        position: Position::new(&start),
        before: None,
    };
    let mut events = game.events.iter().peekable();
    while let Some(event) = events.next() {
        match event {
            Event::Play(played) => {
                let played = (*played)?;
                let number = line.position.number(played)?;
                line.before = Some(line.position.clone());
                line.position.play(played);
                let mut nags = Vec::new();
                let mut comments: Vec<&str> = Vec::new();
                while let Some(Event::Nag(_) | Event::Comment(_)) = events.peek() {
                    match events.next() {
                        Some(Event::Nag(nag)) => nags.push(*nag),
                        Some(Event::Comment(comment)) => comments.push(comment),
                        _ => {}
                    }
                }
                let annotation = annotation(&nags, &comments.join(" "));
                let is_annotated = annotation.len() > 1;
                if is_annotated {
                    text.extend(annotation);
                }
                let byte = number | u8::from(is_annotated) << 7;
                (byte != 0xff).then(|| moves.push(byte))?;
            }
            Event::Begin => {
                moves.push(0xff);
                let inner = Line {
                    position: line.before.clone()?,
                    before: None,
                };
                outer.push(std::mem::replace(&mut line, inner));
            }
            Event::End => {
                moves.push(0x80);
                line = outer.pop()?;
            }
            Event::Nag(_) | Event::Comment(_) => {}
        }
    }
    // Without a move the first byte is the end.
    if moves.is_empty() {
        moves.push(0x80);
    }
    Some((moves, text))
}

fn annotation(nags: &[u8], comment: &str) -> Vec<u8> {
    let mut left = nags.to_vec();
    let mut bytes = Vec::new();
    for kind in NAGS {
        let place = kind.iter().position(|nag| *nag != 0 && left.contains(nag));
        left.retain(|nag| place.is_none_or(|place| kind[place] != *nag));
        bytes.push(place.map_or(0, |place| place as u8 + 1));
    }
    let blank = |byte: u8| if byte.is_ascii_control() { b' ' } else { byte };
    bytes.extend(comment.trim().bytes().map(blank));
    while bytes.last() == Some(&0) {
        bytes.pop();
    }
    bytes.push(0xff);
    bytes
}

/// A position, and what ChessBase remembers of the last moves.
#[derive(Clone)]
pub(crate) struct Position {
    board: Board,
    turn: Color,
    /// The file of the last pawn that went two squares, and whether castling came between.
    passed: Option<(File, bool)>,
}

/// A man of a role goes in these directions: files, ranks.
const GOES: [(Role, &[(i32, i32)]); 6] = [
    (
        Role::King,
        &[
            (-1, -1),
            (-1, 0),
            (-1, 1),
            (0, -1),
            (0, 1),
            (1, -1),
            (1, 0),
            (1, 1),
        ],
    ),
    (
        Role::Queen,
        &[
            (-1, -1),
            (1, -1),
            (1, 1),
            (-1, 1),
            (-1, 0),
            (0, -1),
            (1, 0),
            (0, 1),
        ],
    ),
    (Role::Rook, &[(-1, 0), (0, -1), (1, 0), (0, 1)]),
    (Role::Bishop, &[(-1, -1), (1, -1), (1, 1), (-1, 1)]),
    (
        Role::Knight,
        &[
            (-2, -1),
            (-2, 1),
            (2, -1),
            (2, 1),
            (-1, -2),
            (-1, 2),
            (1, -2),
            (1, 2),
        ],
    ),
    (Role::Pawn, &[(0, 2), (0, 1), (-1, 1), (1, 1)]),
];

/// From where to where, and what a pawn becomes. The target of castling is the rook.
type Going = (Square, Square, Option<Role>);

impl Position {
    pub(crate) fn new(setup: &Setup) -> Position {
        Position {
            board: setup.board.clone(),
            turn: setup.turn,
            passed: setup.ep_square.map(|square| (square.file(), false)),
        }
    }

    /// Returns the number of a move, at most 127.
    pub(crate) fn number(&self, played: Move) -> Option<u8> {
        let sought = (played.from()?, played.to(), played.promotion());
        let mut list = self.list().into_iter();
        let index = list.position(|listed| listed == Some(sought))?;
        u8::try_from(index + 1).ok().filter(|&number| number < 128)
    }

    fn at(&self, (file, rank): (i32, i32)) -> Option<(Square, Option<Piece>)> {
        let on_board = |at: i32| (0..8).contains(&at);
        if !on_board(file) || !on_board(rank) {
            return None;
        }
        let square = Square::new((rank * 8 + file) as u32);
        Some((square, self.board.piece_at(square)))
    }

    /// Lists all numbers; those that mean no move are `None`.
    fn list(&self) -> Vec<Option<Going>> {
        let mut list = Vec::new();
        for index in 0..64 {
            let (file, rank) = (index / 8, index % 8);
            match self.at((file, rank)) {
                Some((from, Some(man))) if man.color == self.turn => {
                    let goes = GOES.iter().find(|goes| goes.0 == man.role).unwrap().1;
                    match man.role {
                        Role::Pawn => self.pawn(from, (file, rank), goes, &mut list),
                        role => self.man(role, from, (file, rank), goes, &mut list),
                    }
                }
                _ => {}
            }
        }
        list
    }

    fn man(
        &self,
        role: Role,
        from: Square,
        (file, rank): (i32, i32),
        goes: &[(i32, i32)],
        list: &mut Vec<Option<Going>>,
    ) {
        let far = if matches!(role, Role::King | Role::Knight) {
            1
        } else {
            7
        };
        for (files, ranks) in goes {
            for step in 1..=far {
                let Some((to, man)) = self.at((file + step * files, rank + step * ranks)) else {
                    break;
                };
                let is_target = |man: Piece| man.color != self.turn && man.role != Role::King;
                if man.is_none_or(is_target) {
                    list.push(Some((from, to, None)));
                }
                if man.is_some() {
                    break;
                }
            }
        }
        if role == Role::King && (file, rank) == (4, self.turn.fold_wb(0, 7)) {
            for (corner, between) in [(7, 5..7), (0, 1..4)] {
                let Some((rook, Some(man))) = self.at((corner, rank)) else {
                    continue;
                };
                let is_empty = |file| self.at((file, rank)).is_some_and(|at| at.1.is_none());
                if (man.color, man.role) == (self.turn, Role::Rook) && between.clone().all(is_empty)
                {
                    list.push(Some((from, rook, None)));
                }
            }
        }
    }

    fn pawn(
        &self,
        from: Square,
        (file, rank): (i32, i32),
        goes: &[(i32, i32)],
        list: &mut Vec<Option<Going>>,
    ) {
        let ahead = self.turn.fold_wb(1, -1);
        let relative = self.turn.fold_wb(rank, 7 - rank);
        let empty = |ranks: i32| {
            let at = self.at((file, rank + ahead * ranks));
            at.is_some_and(|at| at.1.is_none())
        };
        for &(files, ranks) in goes {
            let Some((to, man)) = self.at((file + files, rank + ahead * ranks)) else {
                continue;
            };
            let goes = match (files, ranks) {
                (0, 2) => relative == 1 && empty(1) && empty(2),
                (0, _) => man.is_none(),
                _ => man.is_some_and(|man| man.color != self.turn && man.role != Role::King),
            };
            if goes && relative == 6 {
                let roles = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];
                list.extend(roles.map(|role| Some((from, to, Some(role)))));
            } else if goes {
                list.push(Some((from, to, None)));
            }
        }
        if relative != 4 {
            return;
        }
        match self.passed {
            None if file == 0 => list.push(None),
            Some((passed, is_old)) if (passed as i32 - file).abs() == 1 => {
                let to = self.at((passed as i32, rank + ahead)).unwrap().0;
                list.push((!is_old).then_some((from, to, None)));
            }
            _ => {}
        }
    }

    pub(crate) fn play(&mut self, played: Move) {
        let from = played.from().expect("a move of a man");
        let man = self.board.remove_piece_at(from).expect("a man moves");
        let (color, mut role) = (man.color, man.role);
        self.passed = match played {
            Move::Castle { .. } => self.passed.map(|(file, _)| (file, true)),
            _ if role == Role::Pawn && from.rank().distance(played.to().rank()) == 2 => {
                Some((from.file(), false))
            }
            _ => None,
        };
        let mut put = |square, role| self.board.set_piece_at(square, Piece { color, role });
        match played {
            Move::Castle { king, rook } => {
                let is_short = king < rook;
                let home = |file| Square::from_coords(file, color.backrank());
                put(home(if is_short { File::G } else { File::C }), Role::King);
                put(home(if is_short { File::F } else { File::D }), Role::Rook);
                self.board.discard_piece_at(rook);
            }
            Move::EnPassant { from, to } => {
                put(to, role);
                let victim = Square::from_coords(to.file(), from.rank());
                self.board.discard_piece_at(victim);
            }
            _ => {
                role = played.promotion().unwrap_or(role);
                put(played.to(), role);
            }
        }
        self.turn = self.turn.other();
    }
}

/// Whether the format holds the start position and every move.
pub(crate) fn fits(game: &PlainGame) -> bool {
    let is_usual = |setup: &Setup| {
        let corners = [Square::A1, Square::H1, Square::A8, Square::H8];
        let is_home = |rook: Square| {
            let king = Square::from_coords(File::E, rook.rank());
            let color = Color::from_white(rook.rank() == Rank::First);
            let is = |square, role| setup.board.piece_at(square) == Some(Piece { color, role });
            corners.contains(&rook) && is(king, Role::King) && is(rook, Role::Rook)
        };
        setup.castling_rights.into_iter().all(is_home)
            && setup.board.kings().count() == 2
            && setup.fullmoves.get() <= 256
    };
    game.start.as_ref().is_none_or(is_usual) && bytes(game, Ending::Told).is_some()
}
