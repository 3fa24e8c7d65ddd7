//! The opening book: well-known lines with their relative frequencies.

use std::collections::HashMap;

use shakmaty::{Chess, Move, Position, san::San};
use tabiya::chess::Eco;

use super::{Outcome, dice::Dice};

/// Weight, opening code and moves. Weights of lines with a common beginning are added there.
#[rustfmt::skip]
const LINES: &[(u32, &str, &str)] = &[
    // Open games.
    (14, "C65", "e4 e5 Nf3 Nc6 Bb5 Nf6 O-O Nxe4 d4 Nd6 Bxc6 dxc6 dxe5 Nf5 Qxd8+ Kxd8 Nc3 Ke8 h3"),
    (8, "C65", "e4 e5 Nf3 Nc6 Bb5 Nf6 d3 Bc5 c3 O-O O-O d6 Nbd2 a6"),
    (16, "C92", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Bb7 d4 Re8"),
    (8, "C95", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Nb8 d4 Nbd7 Nbd2 Bb7"),
    (7, "C97", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 Na5 Bc2 c5 d4 Qc7"),
    (7, "C89", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O c3 d5 exd5 Nxd5 Nxe5 Nxe5"),
    (6, "C88", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 O-O a4 Bb7 d3 d6"),
    (5, "C83", "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Nxe4 d4 b5 Bb3 d5 dxe5 Be6 Nbd2 Nc5 c3"),
    (5, "C69", "e4 e5 Nf3 Nc6 Bb5 a6 Bxc6 dxc6 O-O f6 d4 exd4 Nxd4 c5"),
    (9, "C54", "e4 e5 Nf3 Nc6 Bc4 Bc5 c3 Nf6 d3 d6 O-O a6 a4 Ba7"),
    (3, "C51", "e4 e5 Nf3 Nc6 Bc4 Bc5 b4 Bxb4 c3 Ba5 d4 exd4 O-O"),
    (5, "C55", "e4 e5 Nf3 Nc6 Bc4 Nf6 d3 Be7 O-O O-O Re1 d6"),
    (4, "C59", "e4 e5 Nf3 Nc6 Bc4 Nf6 Ng5 d5 exd5 Na5 Bb5+ c6 dxc6 bxc6 Be2 h6 Nf3 e4 Ne5"),
    (7, "C45", "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Nf6 Nxc6 bxc6 e5 Qe7 Qe2 Nd5 c4"),
    (4, "C45", "e4 e5 Nf3 Nc6 d4 exd4 Nxd4 Bc5 Be3 Qf6 c3 Nge7 Bc4"),
    (4, "C48", "e4 e5 Nf3 Nc6 Nc3 Nf6 Bb5 Bb4 O-O O-O d3 d6"),
    (9, "C42", "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 d4 d5 Bd3 Nc6 O-O Be7 c4 Nb4"),
    (4, "C42", "e4 e5 Nf3 Nf6 Nxe5 d6 Nf3 Nxe4 Nc3 Nxc3 dxc3 Be7 Be3 O-O Qd2"),
    (4, "C41", "e4 e5 Nf3 d6 d4 Nf6 Nc3 Nbd7 Bc4 Be7 O-O O-O"),
    (4, "C28", "e4 e5 Nc3 Nf6 Bc4 Nc6 d3 Bb4"),
    (3, "C34", "e4 e5 f4 exf4 Nf3 d6 d4 g5 h4 g4"),
    // Sicilian.
    (12, "B90", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be3 e5 Nb3 Be6 f3 Be7 Qd2 O-O O-O-O Nbd7 g4"),
    (9, "B97", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Qb6 Qd2 Qxb2 Rb1 Qa3"),
    (6, "B99", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bg5 e6 f4 Be7 Qf3 Qc7 O-O-O Nbd7"),
    (8, "B92", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Be2 e5 Nb3 Be7 O-O O-O Be3 Be6"),
    (5, "B87", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6 Bc4 e6 Bb3 b5 O-O Be7"),
    (9, "B78", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6 Bc4 Bd7 O-O-O Rc8 Bb3"),
    (5, "B76", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 g6 Be3 Bg7 f3 O-O Qd2 Nc6 O-O-O d5 exd5 Nxd5"),
    (6, "B67", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 Nc6 Bg5 e6 Qd2 a6 O-O-O Bd7 f4"),
    (3, "B81", "e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 e6 g4 h6 h4 Nc6 Rg1"),
    (6, "B52", "e4 c5 Nf3 d6 Bb5+ Bd7 Bxd7+ Qxd7 O-O Nc6 c3 Nf6"),
    (9, "B33", "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5 Nd5 Be7 Bxf6 Bxf6"),
    (5, "B33", "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 Nf6 Nc3 e5 Ndb5 d6 Bg5 a6 Na3 b5 Bxf6 gxf6 Nd5 f5"),
    (5, "B38", "e4 c5 Nf3 Nc6 d4 cxd4 Nxd4 g6 c4 Bg7 Be3 Nf6 Nc3 O-O Be2 d6 O-O Bd7"),
    (7, "B31", "e4 c5 Nf3 Nc6 Bb5 g6 O-O Bg7 Re1 e5 Bxc6 dxc6 d3"),
    (7, "B48", "e4 c5 Nf3 e6 d4 cxd4 Nxd4 Nc6 Nc3 Qc7 Be3 a6 Bd3 Nf6 O-O Ne5"),
    (6, "B42", "e4 c5 Nf3 e6 d4 cxd4 Nxd4 a6 Bd3 Nf6 O-O Qc7 Qe2 d6 c4"),
    (7, "B22", "e4 c5 c3 Nf6 e5 Nd5 d4 cxd4 Nf3 Nc6 cxd4 d6 Bc4 Nb6"),
    (5, "B22", "e4 c5 c3 d5 exd5 Qxd5 d4 Nf6 Nf3 Bg4 Be2 e6"),
    (6, "B26", "e4 c5 Nc3 Nc6 g3 g6 Bg2 Bg7 d3 d6 Be3 e6 Qd2"),
    (4, "B23", "e4 c5 Nc3 Nc6 f4 g6 Nf3 Bg7 Bc4 e6"),
    // Semi-open games.
    (8, "C11", "e4 e6 d4 d5 Nc3 Nf6 e5 Nfd7 f4 c5 Nf3 Nc6 Be3 cxd4 Nxd4 Bc5"),
    (6, "C18", "e4 e6 d4 d5 Nc3 Bb4 e5 c5 a3 Bxc3+ bxc3 Ne7 Qg4 O-O"),
    (6, "C06", "e4 e6 d4 d5 Nd2 Nf6 e5 Nfd7 Bd3 c5 c3 Nc6 Ne2 cxd4 cxd4 f6 exf6 Nxf6"),
    (4, "C07", "e4 e6 d4 d5 Nd2 c5 exd5 Qxd5 Ngf3 cxd4 Bc4 Qd6 O-O Nf6"),
    (6, "C02", "e4 e6 d4 d5 e5 c5 c3 Nc6 Nf3 Qb6 a3 c4"),
    (4, "C01", "e4 e6 d4 d5 exd5 exd5 Nf3 Nf6 Bd3 Bd6 O-O O-O"),
    (7, "B18", "e4 c6 d4 d5 Nc3 dxe4 Nxe4 Bf5 Ng3 Bg6 h4 h6 Nf3 Nd7 h5 Bh7 Bd3 Bxd3 Qxd3 e6"),
    (7, "B12", "e4 c6 d4 d5 e5 Bf5 Nf3 e6 Be2 c5 Be3 cxd4 Nxd4 Ne7"),
    (5, "B14", "e4 c6 d4 d5 exd5 cxd5 c4 Nf6 Nc3 e6 Nf3 Bb4 cxd5 Nxd5 Bd2 Nc6"),
    (5, "B01", "e4 d5 exd5 Qxd5 Nc3 Qa5 d4 Nf6 Nf3 Bf5 Bc4 e6 Bd2 c6"),
    (4, "B01", "e4 d5 exd5 Nf6 d4 Nxd5 Nf3 g6 c4 Nb6"),
    (5, "B09", "e4 d6 d4 Nf6 Nc3 g6 f4 Bg7 Nf3 O-O Bd3 Na6"),
    (5, "B06", "e4 g6 d4 Bg7 Nc3 d6 Be3 a6 Qd2 b5"),
    (4, "B04", "e4 Nf6 e5 Nd5 d4 d6 Nf3 dxe5 Nxe5 c6"),
    // Closed games.
    (12, "D37", "d4 Nf6 c4 e6 Nf3 d5 Nc3 Be7 Bf4 O-O e3 c5 dxc5 Bxc5"),
    (8, "D56", "d4 d5 c4 e6 Nc3 Nf6 Bg5 Be7 e3 O-O Nf3 h6 Bh4 Ne4 Bxe7 Qxe7"),
    (7, "D36", "d4 d5 c4 e6 Nc3 Nf6 cxd5 exd5 Bg5 c6 Qc2 Be7 e3 Nbd7 Bd3 O-O"),
    (6, "D31", "d4 d5 c4 e6 Nc3 c6 e4 dxe4 Nxe4 Bb4+ Bd2 Qxd4 Bxb4 Qxe4+"),
    (5, "D40", "d4 d5 c4 e6 Nf3 c5 cxd5 exd5 g3 Nc6 Bg2 Nf6 O-O Be7 Nc3 O-O"),
    (10, "D45", "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7 Qc2 Bd6 Bd3 O-O O-O dxc4 Bxc4"),
    (8, "D47", "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 e3 Nbd7 Bd3 dxc4 Bxc4 b5 Bd3 Bb7"),
    (7, "D44", "d4 d5 c4 c6 Nf3 Nf6 Nc3 e6 Bg5 dxc4 e4 b5 e5 h6 Bh4 g5"),
    (9, "D17", "d4 d5 c4 c6 Nf3 Nf6 Nc3 dxc4 a4 Bf5 Ne5 e6 f3 Bb4 e4"),
    (6, "D15", "d4 d5 c4 c6 Nf3 Nf6 Nc3 a6 e3 b5 c5"),
    (5, "D14", "d4 d5 c4 c6 cxd5 cxd5 Nc3 Nf6 Nf3 Nc6 Bf4 Bf5 e3 e6"),
    (6, "D27", "d4 d5 c4 dxc4 Nf3 Nf6 e3 e6 Bxc4 c5 O-O a6 a4 Nc6"),
    (5, "D02", "d4 d5 Nf3 Nf6 Bf4 c5 e3 Nc6 Nbd2 e6 c3"),
    (9, "D85", "d4 Nf6 c4 g6 Nc3 d5 cxd5 Nxd5 e4 Nxc3 bxc3 Bg7 Nf3 c5 Rb1 O-O Be2"),
    (6, "D97", "d4 Nf6 c4 g6 Nc3 d5 Nf3 Bg7 Qb3 dxc4 Qxc4 O-O e4 a6"),
    (12, "E97", "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Nc6 d5 Ne7 Ne1 Nd7"),
    (6, "E94", "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 Nf3 O-O Be2 e5 O-O Na6 Be3"),
    (7, "E81", "d4 Nf6 c4 g6 Nc3 Bg7 e4 d6 f3 O-O Be3 c5 Nge2 Nc6"),
    (6, "E63", "d4 Nf6 c4 g6 g3 Bg7 Bg2 O-O Nc3 d6 Nf3 Nc6 O-O a6"),
    (9, "E32", "d4 Nf6 c4 e6 Nc3 Bb4 Qc2 O-O a3 Bxc3+ Qxc3 b6 Bg5 Bb7"),
    (9, "E54", "d4 Nf6 c4 e6 Nc3 Bb4 e3 O-O Bd3 d5 Nf3 c5 O-O dxc4 Bxc4"),
    (8, "E15", "d4 Nf6 c4 e6 Nf3 b6 g3 Ba6 b3 Bb4+ Bd2 Be7 Bg2 c6"),
    (7, "E19", "d4 Nf6 c4 e6 Nf3 b6 g3 Bb7 Bg2 Be7 O-O O-O Nc3 Ne4"),
    (6, "E06", "d4 Nf6 c4 e6 g3 d5 Bg2 Be7 Nf3 O-O O-O dxc4 Qc2 a6"),
    (5, "E11", "d4 Nf6 c4 e6 Nf3 Bb4+ Bd2 Qe7 g3 Nc6"),
    (6, "A70", "d4 Nf6 c4 c5 d5 e6 Nc3 exd5 cxd5 d6 e4 g6 Nf3 Bg7 h3 O-O Bd3"),
    (5, "A58", "d4 Nf6 c4 c5 d5 b5 cxb5 a6 bxa6 g6 Nc3 Bxa6"),
    (4, "A45", "d4 Nf6 Bg5 Ne4 Bf4 d5"),
    (4, "A48", "d4 Nf6 Nf3 g6 Bf4 Bg7 e3 d6 h3 O-O"),
    (5, "A87", "d4 f5 g3 Nf6 Bg2 g6 Nf3 Bg7 O-O O-O c4 d6"),
    // Flank openings.
    (6, "A29", "c4 e5 Nc3 Nf6 Nf3 Nc6 g3 d5 cxd5 Nxd5 Bg2 Nb6"),
    (5, "A34", "c4 c5 Nc3 Nf6 g3 d5 cxd5 Nxd5 Bg2 Nc7"),
    (5, "A30", "c4 c5 Nf3 Nf6 Nc3 e6 g3 b6 Bg2 Bb7 O-O Be7 d4 cxd4 Qxd4"),
    (5, "A13", "c4 e6 Nf3 d5 g3 Nf6 Bg2 Be7 O-O O-O b3"),
    (6, "A07", "Nf3 d5 g3 Nf6 Bg2 c6 O-O Bg4 d3 Nbd7"),
    (5, "A09", "Nf3 d5 c4 e6 g3 Nf6 Bg2 Be7 O-O O-O"),
    (5, "A05", "Nf3 Nf6 g3 g6 Bg2 Bg7 O-O O-O d3 d6"),
    (3, "A01", "b3 e5 Bb2 Nc6 e3 Nf6"),
    (2, "A03", "f4 d5 Nf3 Nf6 e3 g6"),
    (1, "A00", "g4 d5 Bg2 c6"),
];

/// The lines as a tree.
#[derive(Debug)]
pub(super) struct Book(Vec<Node>);

/// A position of the book.
#[derive(Debug, Default)]
struct Node {
    /// The moves from here: each with its weight and the node of the next position.
    moves: Vec<(Move, u32, usize)>,
    /// The weight of all lines through here, including those that end here.
    weight: u32,
    eco: Option<Eco>,
}

impl Book {
    /// Builds the book by playing all lines.
    pub(super) fn new() -> Outcome<Book> {
        let mut book = Book(vec![Node::default()]);
        // Transpositions share a node.
        let mut nodes = HashMap::from([(Chess::default(), 0)]);
        for &(weight, eco, line) in LINES {
            let (mut at, mut position) = (0, Chess::default());
            book.0[at].weight += weight;
            for san in line.split(' ') {
                let played = san.parse::<San>()?.to_move(&position)?;
                position.play_unchecked(played);
                let next = *nodes.entry(position.clone()).or_insert(book.0.len());
                if next == book.0.len() {
                    book.0.push(Node::default());
                }
                book.0[next].weight += weight;
                let moves = &mut book.0[at].moves;
                match moves.iter_mut().find(|known| known.2 == next) {
                    Some(known) => known.1 += weight,
                    None => moves.push((played, weight, next)),
                }
                at = next;
            }
            book.0[at].eco = Some(eco.parse()?);
        }
        Ok(book)
    }

    /// Appends the moves of a game from the book. Returns the opening code if the line is played to
    /// its end. Occasionally a player leaves the book early.
    pub(super) fn open(&self, dice: &mut Dice, moves: &mut Vec<Move>) -> Option<Eco> {
        let mut node = self.0.first()?;
        while !dice.one_in(24) || moves.is_empty() {
            let mut ticket = dice.below(node.weight);
            let chosen = node.moves.iter().find(|(_, weight, _)| {
                let chosen = ticket < *weight;
                ticket = ticket.saturating_sub(*weight);
                chosen
            });
            let Some(&(played, _, next)) = chosen else {
                break;
            };
            moves.push(played);
            node = self.0.get(next)?;
        }
        node.eco
    }
}
