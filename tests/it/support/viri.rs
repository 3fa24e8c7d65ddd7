//! Training data in viriformat, written number by number by the description of the format.

use shakmaty::{Chess, EnPassantMode, Move, Position, Role, Setup, fen::Fen};
use tabiya::chess::{GameResult, forgiving_position};

use super::{
    dice::Dice,
    game::{Event, PlainGame},
    naive::RESULTS,
};

/// A game with what is stored of it.
#[derive(Debug, Clone)]
pub(crate) struct Scored {
    pub(crate) start: Setup,
    pub(crate) result: GameResult,
    /// The score and the last byte of the start.
    pub(crate) start_score: i16,
    pub(crate) extra: u8,
    pub(crate) moves: Vec<(Move, i16)>,
}

const ROLES: [Role; 6] = [
    Role::Pawn,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Queen,
    Role::King,
];

const STARTS: [&str; 9] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
    "rkqrbbnn/pppppppp/8/8/8/8/PPPPPPPP/RKQRBBNN w DAda - 0 1",
    "1r2k1r1/8/8/8/8/8/8/1R2K1R1 b GBgb - 255 65535",
    "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 30",
    "4k3/8/8/8/3Pp3/8/8/4K3 b - d3 0 99",
    "8/PPPPk3/8/8/8/8/pppp3K/8 w - - 0 1",
    "7k/5Q2/8/8/8/8/8/K7 w - - 0 1",
    "k7/8/1Q6/8/8/8/8/K7 b - - 9 70",
];

impl Scored {
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let setup = &self.start;
        let board = &setup.board;
        let mut bytes = board.occupied().0.to_le_bytes().to_vec();
        let men = board.occupied().into_iter().map(|square| {
            let piece = board.piece_at(square).unwrap();
            let role = ROLES.iter().position(|&role| role == piece.role).unwrap();
            let castles = setup.castling_rights.contains(square);
            piece.color.fold_wb(0, 8) + if castles { 6 } else { role as u8 }
        });
        let men: Vec<u8> = men.collect();
        bytes.extend(
            men.chunks(2)
                .map(|pair| pair[0] + 16 * pair.get(1).unwrap_or(&0)),
        );
        bytes.resize(24, 0);
        let en_passant = setup.ep_square.map_or(64, |square| square as u8);
        bytes.push(en_passant + setup.turn.fold_wb(0, 128));
        bytes.push(setup.halfmoves as u8);
        bytes.extend((setup.fullmoves.get() as u16).to_le_bytes());
        bytes.extend(self.start_score.to_le_bytes());
        let results = [
            GameResult::BlackWins,
            GameResult::Draw,
            GameResult::WhiteWins,
        ];
        let result = results.iter().position(|&result| result == self.result);
        bytes.extend([result.unwrap() as u8, self.extra]);
        for (played, score) in &self.moves {
            let (from, to, rest) = match *played {
                Move::Castle { king, rook } => (king, rook, 2 << 14),
                Move::EnPassant { from, to } => (from, to, 1 << 14),
                Move::Normal {
                    from,
                    to,
                    promotion,
                    ..
                } => {
                    let role = ROLES.iter().position(|role| Some(*role) == promotion);
                    let rest = role.map_or(0, |role| 3 << 14 | (role as u16 - 1) << 12);
                    (from, to, rest)
                }
                Move::Put { .. } => unreachable!("no such move in chess"),
            };
            bytes.extend((from as u16 | (to as u16) << 6 | rest).to_le_bytes());
            bytes.extend(score.to_le_bytes());
        }
        bytes.extend([0; 4]);
        bytes
    }

    /// What a reader tells of the moves.
    pub(crate) fn events(&self) -> Vec<Event> {
        let said = |score: i16| Event::Comment(format!("[%eval {:.2}]", f64::from(score) / 100.0));
        if self.moves.is_empty() {
            return vec![said(self.start_score)];
        }
        let told = |&(played, score): &(Move, i16)| [said(score), Event::Play(Some(played))];
        self.moves.iter().flat_map(told).collect()
    }

    /// Whether this is what a reader has told.
    pub(crate) fn is(&self, told: &PlainGame) -> bool {
        let start = told.start.clone().unwrap_or_else(Setup::initial);
        told.header.result == self.result && start == self.start && told.events == self.events()
    }
}

/// The position of a setup, Chess960 or not.
pub(crate) fn position(setup: &Setup) -> Chess {
    let mode = shakmaty::CastlingMode::detect(setup);
    forgiving_position(setup.clone(), mode).expect("a position")
}

pub(crate) fn random_game(dice: &mut Dice, moves: usize) -> Scored {
    let start = dice.pick(&STARTS).parse::<Fen>().unwrap().into_setup();
    let mut position = position(&start);
    let mut game = Scored {
        start,
        result: *dice.pick(&RESULTS[1..]),
        start_score: 0,
        extra: 0,
        moves: Vec::new(),
    };
    if moves == 0 {
        game.start_score = dice.between(-900, 900) as i16;
    }
    for _ in 0..moves {
        let legal: Vec<Move> = position.legal_moves().into_iter().collect();
        if legal.is_empty() {
            break;
        }
        let played = *dice.pick(&legal);
        let score = match dice.below(12) {
            0 => *dice.pick(&[i16::MIN, -32_767, 0, i16::MAX]),
            _ => dice.between(-700, 700) as i16,
        };
        game.moves.push((played, score));
        position.play_unchecked(played);
    }
    game
}

/// Makes this number of random games, of which some are loose positions.
pub(crate) fn random_games(dice: &mut Dice, games: u32) -> Vec<Scored> {
    let game = |_| {
        let moves = if dice.percent(20) {
            0
        } else {
            1 + dice.below(40)
        };
        random_game(dice, moves)
    };
    (0..games).map(game).collect()
}

pub(crate) fn of_games(games: &[Scored]) -> Vec<u8> {
    games.iter().flat_map(Scored::bytes).collect()
}

pub(crate) fn random_file(dice: &mut Dice, games: u32) -> Vec<u8> {
    of_games(&random_games(dice, games))
}

/// Returns the moves of a game with their positions and scores: "FEN move score". The reference
/// tells a square for captures en passant also where a pin forbids these.
pub(crate) fn lines(told: &PlainGame) -> Vec<String> {
    let start = told.start.clone().unwrap_or_else(Setup::initial);
    let mut position = position(&start);
    let (mut lines, mut score) = (Vec::new(), None);
    for event in &told.events {
        match event {
            Event::Comment(text) => {
                let pawns = text.strip_prefix("[%eval ").expect("a score");
                let pawns: f64 = pawns.strip_suffix(']').unwrap().parse().unwrap();
                score = Some((pawns * 100.0).round() as i16);
            }
            Event::Play(Some(played)) => {
                let fen = Fen::from_position(&position, EnPassantMode::PseudoLegal);
                let uci = played.to_uci(shakmaty::CastlingMode::Chess960);
                let score = score.take().expect("every move has a score");
                lines.push(format!("{fen} {uci} {score}"));
                assert!(position.is_legal(*played), "{fen} {uci}");
                position.play_unchecked(*played);
            }
            other => panic!("{other:?}"),
        }
    }
    lines
}
