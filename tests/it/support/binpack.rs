//! Stockfish's training data, read and written step by step by the description of the format, in
//! another way than the reader's: squares are counted, and shakmaty plays the moves.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, File, Move, Piece, Position, Rank, Role, Square,
    fen::Fen,
};
use tabiya::{Database, GameId, Result, chess::GameResult};

use super::{
    dice::Dice,
    game::{Event, PlainGame},
    walk::legal,
};

/// Stands for the score of a position that has none.
pub(crate) const NO_SCORE: i16 = 32_002;

/// The letters of men by their numbers.
const MEN: &[u8; 16] = b"PpNnBbRrQqKk?Rrk";
const PROMOTED: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

/// A position with its move.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) position: Chess,
    pub(crate) played: Option<Move>,
    pub(crate) score: i16,
    pub(crate) ply: u32,
    /// Of the side to move: 1 won, 0 drawn, -1 lost.
    pub(crate) result: i32,
}

impl Step {
    /// "FEN move score ply result"
    pub(crate) fn line(&self) -> String {
        let fen = Fen::from_position(&self.position, EnPassantMode::Legal);
        let played = match self.played {
            Some(played) => played.to_uci(CastlingMode::Standard).to_string(),
            None => "none".to_owned(),
        };
        let (score, ply, result) = (self.score, self.ply, self.result);
        format!("{fen} {played} {score} {ply} {result}")
    }
}

/// Returns the data of the blocks of a whole file.
pub(crate) fn blocks(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::new();
    while !bytes.is_empty() {
        assert_eq!(&bytes[..4], b"BINP");
        let length = u32::from_le_bytes(bytes[4..8].try_into().unwrap()) as usize;
        blocks.push(&bytes[8..8 + length]);
        bytes = &bytes[8 + length..];
    }
    blocks
}

/// Returns the chains of a whole file, with their lengths in bytes.
pub(crate) fn chains(bytes: &[u8]) -> Vec<(Vec<Step>, usize)> {
    let mut chains = Vec::new();
    for mut block in blocks(bytes) {
        while block.len() >= 34 {
            let chain = chain(block).expect("a chain");
            block = &block[chain.1..];
            chains.push(chain);
        }
    }
    chains
}

/// Reads the chain that some bytes begin with, and its length; `None` if it is damaged.
pub(crate) fn chain(bytes: &[u8]) -> Option<(Vec<Step>, usize)> {
    let number = |at: usize| Some(u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
    let mut position = stem_position(bytes)?;
    let mut played = stem_move(number(24)?, &position)?;
    let mut score = unfolded(number(26)?.into()) as i16;
    let mut ply = u32::from(number(28)? & 0x3fff);
    let mut result = [0, -1, 1, -2][usize::from(number(28)? >> 14)];
    let mut bits = Bits {
        bytes: bytes.get(34..)?,
        at: 0,
    };
    let mut steps = Vec::new();
    for further in 0..=number(32)? {
        if further > 0 {
            position.play_unchecked(played?);
            let men = own_squares(&position);
            let man = *men.get(bits.index(men.len())?)?;
            let moves = moves_of(&position, man);
            played = Some(*moves.get(bits.index(moves.len())?)?);
            (ply, result) = (ply + 1, -result);
            score = (-i32::from(score) + unfolded(bits.groups()?)) as i16;
        }
        if played.is_some_and(|played| !position.is_legal(played)) {
            return None;
        }
        steps.push(Step {
            position: position.clone(),
            played,
            score,
            ply,
            result,
        });
    }
    Some((steps, 34 + bits.at.div_ceil(8)))
}

struct Bits<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl Bits<'_> {
    fn bit(&mut self) -> Option<u32> {
        let byte = self.bytes.get(self.at / 8)?;
        self.at += 1;
        Some(u32::from(*byte) >> (7 - (self.at - 1) % 8) & 1)
    }

    fn number(&mut self, count: u32) -> Option<u32> {
        let mut number = 0;
        for _ in 0..count {
            number = 2 * number + self.bit()?;
        }
        Some(number)
    }

    fn index(&mut self, count: usize) -> Option<usize> {
        self.number(width(count)).map(|index| index as usize)
    }

    fn groups(&mut self) -> Option<u32> {
        let mut number = 0;
        for group in 0..4 {
            let goes_on = self.bit()?;
            number += self.number(4)? << (4 * group);
            if goes_on == 0 {
                return Some(number);
            }
        }
        None
    }
}

/// Returns how many bits an index below a count takes.
fn width(count: usize) -> u32 {
    (0..16).find(|width| count <= 1 << width).expect("a few")
}

fn unfolded(folded: u32) -> i32 {
    let half = (folded / 2) as i32;
    if folded.is_multiple_of(2) {
        half
    } else {
        -1 - half
    }
}

fn folded(number: i32) -> u32 {
    let folded = if number < 0 {
        2 * (-1 - number) + 1
    } else {
        2 * number
    };
    folded as u32
}

/// Reads the position of a stem by way of its FEN.
fn stem_position(bytes: &[u8]) -> Option<Chess> {
    let stem = bytes.get(..34)?;
    let mut board = [b'.'; 64];
    let (mut turn, mut rights, mut behind) = ('w', String::new(), "-".to_owned());
    let mut count = 0;
    for (index, place) in board.iter_mut().enumerate() {
        if stem[7 - index / 8] >> (index % 8) & 1 == 0 {
            continue;
        }
        let pair = stem.get(8 + count / 2).filter(|_| count < 32)?;
        let number = pair >> (4 * (count % 2)) & 15;
        count += 1;
        *place = MEN[usize::from(number)];
        let file = char::from(b'a' + (index % 8) as u8);
        match (number, index) {
            (12, 24..32) => (*place, behind) = (b'P', format!("{file}3")),
            (12, 32..40) => (*place, behind) = (b'p', format!("{file}6")),
            (12, _) => return None,
            (13, _) => rights.push(if index == 0 { 'Q' } else { 'K' }),
            (14, _) => rights.push(if index == 56 { 'q' } else { 'k' }),
            (15, _) => turn = 'b',
            _ => {}
        }
    }
    let mut ranks: Vec<String> = Vec::new();
    for rank in board.chunks(8).rev() {
        let text = |&man: &u8| match man {
            b'.' => "1".to_owned(),
            man => char::from(man).to_string(),
        };
        ranks.push(rank.iter().map(text).collect());
    }
    if rights.is_empty() {
        rights.push('-');
    }
    let ply = (u16::from(stem[28]) << 8 | u16::from(stem[29])) & 0x3fff;
    let clock = u16::from(stem[30]) << 8 | u16::from(stem[31]);
    let (board, number) = (ranks.join("/"), ply / 2 + 1);
    // The number of the move is set below: where it is 0 or large no FEN can tell it.
    let fen = format!("{board} {turn} {rights} {behind} 0 1");
    let mut setup = fen.parse::<Fen>().ok()?.into_setup();
    setup.halfmoves = clock.into();
    setup.fullmoves = u32::from(number).try_into().ok()?;
    legal(setup)
}

fn stem_move(code: u16, position: &Chess) -> Option<Option<Move>> {
    if code == 0 {
        return Some(None);
    }
    let square = |shift: u16| Square::new(u32::from(code >> shift & 63));
    let (from, to) = (square(8), square(2));
    let kind = |played: &Move| match played {
        Move::Normal {
            promotion: None, ..
        } => 0,
        Move::Normal { .. } => 1,
        Move::Castle { .. } => 2,
        _ => 3,
    };
    let target = |played: &Move| match played {
        Move::Castle { rook, .. } => *rook,
        played => played.to(),
    };
    let role = PROMOTED[usize::from(code & 3)];
    let found = position.legal_moves().into_iter().find(|played| {
        let fits = played.promotion().is_none_or(|promotion| promotion == role);
        played.from() == Some(from) && target(played) == to && kind(played) == code >> 14 && fits
    });
    found.map(Some)
}

fn own_squares(position: &Chess) -> Vec<Square> {
    let is_own = |square: &Square| position.board().color_at(*square) == Some(position.turn());
    Square::ALL.into_iter().filter(is_own).collect()
}

/// Returns the square that is `files` and `ranks` away.
fn stepped(from: Square, (files, ranks): (i32, i32)) -> Option<Square> {
    let file = File::try_from(i32::from(from.file()) + files).ok()?;
    let rank = Rank::try_from(i32::from(from.rank()) + ranks).ok()?;
    Some(Square::from_coords(file, rank))
}

/// Returns the moves of a man in the order of their numbers.
fn moves_of(position: &Chess, from: Square) -> Vec<Move> {
    let board = position.board();
    let (turn, role) = (position.turn(), board.role_at(from).expect("a man"));
    let mut squares: Vec<Square> = Vec::new();
    let behind = position.ep_square(EnPassantMode::Legal);
    let up = if turn.is_white() { 1 } else { -1 };
    let reach = match role {
        Role::Pawn | Role::Knight | Role::King => 1,
        _ => 7,
    };
    for step in steps_of(role) {
        let mut square = from;
        for _ in 0..reach {
            let Some(next) = stepped(square, step) else {
                break;
            };
            square = next;
            let there = board.color_at(square);
            if there != Some(turn) {
                squares.push(square);
            }
            if there.is_some() {
                break;
            }
        }
    }
    if role == Role::Pawn {
        for side in [-1, 1] {
            let to = stepped(from, (side, up));
            let is_target =
                |to: &Square| board.color_at(*to) == Some(turn.other()) || Some(*to) == behind;
            squares.extend(to.filter(is_target));
        }
        let is_free = |to: &Square| board.role_at(*to).is_none();
        let one = stepped(from, (0, up)).filter(is_free);
        squares.extend(one);
        let is_home = from.rank() == turn.fold_wb(Rank::Second, Rank::Seventh);
        let two = one.and_then(|one| stepped(one, (0, up))).filter(is_free);
        squares.extend(two.filter(|_| is_home));
    }
    squares.sort_unstable();
    let mut moves = Vec::new();
    for to in squares {
        if role == Role::Pawn && Some(to) == behind {
            moves.push(Move::EnPassant { from, to });
            continue;
        }
        let promotes = role == Role::Pawn && matches!(to.rank(), Rank::First | Rank::Eighth);
        let promotions: Vec<Option<Role>> = if promotes {
            PROMOTED.map(Some).to_vec()
        } else {
            vec![None]
        };
        moves.extend(promotions.into_iter().map(|promotion| Move::Normal {
            role,
            from,
            capture: board.role_at(to),
            to,
            promotion,
        }));
    }
    if role == Role::King {
        let rooks = position.castles().castling_rights();
        let own = turn.fold_wb([Square::A1, Square::H1], [Square::A8, Square::H8]);
        let rooks = own.into_iter().filter(|rook| rooks.contains(*rook));
        moves.extend(rooks.map(|rook| Move::Castle { king: from, rook }));
    }
    moves
}

fn steps_of(role: Role) -> Vec<(i32, i32)> {
    let mut steps = Vec::new();
    for files in -2..=2_i32 {
        for ranks in -2..=2_i32 {
            let (long, short) = (files.abs().max(ranks.abs()), files.abs().min(ranks.abs()));
            let is_step = match role {
                Role::Pawn => false,
                Role::Knight => (long, short) == (2, 1),
                Role::Bishop => (long, short) == (1, 1),
                Role::Rook => (long, short) == (1, 0),
                Role::Queen | Role::King => long == 1,
            };
            if is_step {
                steps.push((files, ranks));
            }
        }
    }
    steps
}

/// Writes a chain.
pub(crate) fn encoded(steps: &[Step]) -> Vec<u8> {
    let mut bytes = stem(&steps[0]);
    bytes.extend((steps.len() as u16 - 1).to_be_bytes());
    let mut bits: Vec<bool> = Vec::new();
    let mut put = |number: usize, count: u32| {
        bits.extend((0..count).rev().map(|bit| number >> bit & 1 == 1));
    };
    for pair in steps.windows(2) {
        let (last, step) = (&pair[0], &pair[1]);
        let played = step.played.expect("a move");
        let from = played.from().expect("a square");
        let men = own_squares(&step.position);
        let moves = moves_of(&step.position, from);
        let man = men.iter().position(|&man| man == from).expect("a man");
        let number = moves.iter().position(|&other| other == played);
        put(man, width(men.len()));
        put(number.expect("a move"), width(moves.len()));
        let difference = (i32::from(step.score) + i32::from(last.score)) as i16;
        let mut rest = folded(difference.into()) as usize;
        loop {
            put(usize::from(rest > 15), 1);
            put(rest & 15, 4);
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
    }
    for byte in bits.chunks(8) {
        let bit = |(place, &bit): (usize, &bool)| u8::from(bit) << (7 - place);
        bytes.push(byte.iter().enumerate().map(bit).sum());
    }
    bytes
}

fn stem(step: &Step) -> Vec<u8> {
    let position = &step.position;
    let (board, rights) = (position.board(), position.castles().castling_rights());
    let setup = position.to_setup(EnPassantMode::Always);
    let jumped = setup.ep_square.and_then(|behind| {
        let up = if position.turn().is_white() { -1 } else { 1 };
        stepped(behind, (0, up))
    });
    let number = |square: Square, piece: Piece| {
        let man = MEN.iter().position(|&man| char::from(man) == piece.char());
        match piece {
            _ if Some(square) == jumped => 12,
            _ if rights.contains(square) => piece.color.fold_wb(13, 14),
            Piece {
                color: Color::Black,
                role: Role::King,
            } if position.turn().is_black() => 15,
            _ => man.expect("a man") as u8,
        }
    };
    let numbers: Vec<u8> = board
        .iter()
        .map(|(square, piece)| number(square, piece))
        .collect();
    let mut bytes = board.occupied().0.to_be_bytes().to_vec();
    for pair in numbers.chunks(2) {
        bytes.push(pair[0] | pair.get(1).unwrap_or(&0) << 4);
    }
    bytes.resize(24, 0);
    let code = step.played.map_or(0, |played| {
        let (kind, to) = match played {
            Move::Castle { rook, .. } => (2, rook),
            Move::EnPassant { to, .. } => (3, to),
            played => (u16::from(played.promotion().is_some()), played.to()),
        };
        let promoted = PROMOTED
            .iter()
            .position(|&role| played.promotion() == Some(role));
        let from = played.from().expect("a square") as u16;
        kind << 14 | from << 8 | (to as u16) << 2 | promoted.unwrap_or(0) as u16
    });
    bytes.extend(code.to_be_bytes());
    bytes.extend((folded(step.score.into()) as u16).to_be_bytes());
    let result = (folded(step.result) as u16) << 14;
    bytes.extend((result | step.ply as u16).to_be_bytes());
    bytes.extend((setup.halfmoves as u16).to_be_bytes());
    bytes
}

/// Writes a block of encoded chains.
pub(crate) fn block(chains: &[Vec<u8>]) -> Vec<u8> {
    let data = chains.concat();
    let length = (data.len() as u32).to_le_bytes();
    [b"BINP", &length[..], &data].concat()
}

/// Makes a chain of moves from a position, with these scores and the result for White.
pub(crate) fn played(start: &Chess, moves: &[(Option<Move>, i16)], white: i32) -> Vec<Step> {
    let mut position = start.clone();
    let mut steps = Vec::new();
    for &(played, score) in moves {
        let turn = position.turn();
        steps.push(Step {
            position: position.clone(),
            played,
            score,
            ply: 2 * (position.fullmoves().get() - 1) + turn.fold_wb(0, 1),
            result: turn.fold_wb(white, -white),
        });
        if let Some(played) = played {
            position.play_unchecked(played);
        }
    }
    steps
}

/// Start positions, with all that a stem tells of rights.
const STARTS: [&str; 8] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 6 9",
    "r3k2r/8/8/8/8/8/8/R3K2R b Kq - 12 40",
    "8/PPPPk3/8/8/8/8/pppp3K/8 b - - 0 61",
    "4k3/3p4/8/4Pp2/4p3/8/3P4/4K3 w - f6 0 30",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 99",
    "7k/5Q2/8/8/8/8/8/K7 b - - 4 70",
];

/// Makes a chain of random moves; some are loose positions, of which some have no move.
pub(crate) fn random_chain(dice: &mut Dice) -> Vec<Step> {
    let fen: Fen = dice.pick(&STARTS).parse().expect("a FEN");
    let start = legal(fen.into_setup()).expect("a position");
    let mut position = start.clone();
    let mut moves = Vec::new();
    let length = if dice.percent(20) {
        1
    } else {
        1 + dice.below(50)
    };
    let result = dice.between(-1, 1);
    for _ in 0..length {
        let score = match dice.below(12) {
            0 => NO_SCORE,
            1 => dice.between(-32_001, 32_001) as i16,
            _ => dice.between(-700, 700) as i16,
        };
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        let is_moveless = legal.is_empty() || length == 1 && dice.percent(20);
        if is_moveless {
            if moves.is_empty() {
                moves.push((None, score));
            }
            break;
        }
        let choice = *dice.pick(&legal);
        moves.push((Some(choice), score));
        position.play_unchecked(choice);
    }
    played(&start, &moves, result)
}

/// Makes a file of this number of random chains, a few to a block.
pub(crate) fn random_file(dice: &mut Dice, games: u32) -> Vec<u8> {
    let chains: Vec<Vec<u8>> = (0..games).map(|_| encoded(&random_chain(dice))).collect();
    chains.chunks(5).flat_map(block).collect()
}

/// Makes a file of the main lines of games, without scores; a result that is unknown is a draw.
pub(crate) fn of_games(games: &[PlainGame]) -> Vec<u8> {
    let chain = |game: &PlainGame| {
        let start = match game.start.clone() {
            Some(setup) => legal(setup).expect("a position"),
            None => Chess::default(),
        };
        let mut depth = 0;
        let mut moves = Vec::new();
        for event in &game.events {
            match event {
                Event::Begin => depth += 1,
                Event::End => depth -= 1,
                Event::Play(played) if depth == 0 => moves.push((*played, NO_SCORE)),
                _ => {}
            }
        }
        let white = match game.header.result {
            GameResult::WhiteWins => 1,
            GameResult::BlackWins => -1,
            _ => 0,
        };
        encoded(&played(&start, &moves, white))
    };
    block(&games.iter().map(chain).collect::<Vec<_>>())
}

/// Returns what the reader tells of a game as lines like those of [`Step::line`].
pub(crate) fn told(database: &Database, id: GameId) -> Result<Vec<String>> {
    let game = PlainGame::read(database, id)?;
    let start = match game.start.clone() {
        Some(setup) => legal(setup).expect("a position"),
        None => Chess::default(),
    };
    let white = match game.header.result {
        GameResult::WhiteWins => 1,
        GameResult::BlackWins => -1,
        GameResult::Draw => 0,
        GameResult::Unknown => panic!("a game has a result"),
    };
    let (mut moves, mut turn) = (Vec::new(), start.turn());
    let mut score = NO_SCORE;
    for event in &game.events {
        match event {
            Event::Comment(text) => {
                let pawns = text.strip_prefix("[%eval ").expect("a score");
                let pawns: f64 = pawns.strip_suffix(']').unwrap().parse().unwrap();
                let for_white = (pawns * 100.0).round();
                score = turn.fold_wb(for_white, -for_white) as i16;
            }
            Event::Play(Some(played)) => {
                moves.push((Some(*played), score));
                (score, turn) = (NO_SCORE, turn.other());
            }
            other => panic!("{other:?}"),
        }
    }
    if moves.is_empty() {
        moves.push((None, score));
    }
    let steps = played(&start, &moves, white);
    Ok(steps.iter().map(Step::line).collect())
}
