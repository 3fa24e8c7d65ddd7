//! Positions of a light board as FEN.

use shakmaty::{Bitboard, Piece, Square};
use tabiya_chess::{
    Man,
    diagram::Diagram,
    light::{Light, Word},
};

/// Appends the position as FEN, with the en-passant square if a capture there is legal.
pub(super) fn push_fen(light: &Light, out: &mut Vec<u8>) {
    let (rights, (halfmoves, fullmoves)) = (light.rights(), light.clocks());
    if !rights.is_subset(Bitboard::CORNERS) {
        let mut setup = light.setup();
        setup.ep_square = light.en_passant();
        return out.extend_from_slice(Diagram::new(&setup).fen().as_bytes());
    }
    let mut letters = [0; 64];
    for man in Man::ALL {
        for square in light.men(man) {
            letters[square as usize] = Piece::from(man).char() as u8;
        }
    }
    for (number, rank) in letters.chunks_exact(8).rev().enumerate() {
        if number > 0 {
            out.push(b'/');
        }
        let mut empty = 0;
        for &letter in rank {
            if letter == 0 {
                empty += 1;
                continue;
            }
            if empty > 0 {
                out.push(b'0' + std::mem::take(&mut empty));
            }
            out.push(letter);
        }
        if empty > 0 {
            out.push(b'0' + empty);
        }
    }
    out.extend_from_slice(if light.turn().is_white() {
        b" w "
    } else {
        b" b "
    });
    let corners = [Square::H1, Square::A1, Square::H8, Square::A8];
    for (corner, letter) in corners.into_iter().zip(*b"KQkq") {
        if rights.contains(corner) {
            out.push(letter);
        }
    }
    if rights.is_empty() {
        out.push(b'-');
    }
    out.push(b' ');
    let mut word = Word::default();
    match light.en_passant() {
        Some(square) => word.square(square),
        None => word.push(b'-'),
    }
    word.append_to(out);
    // Writing to a vector cannot fail.
    let _ = std::io::Write::write_fmt(out, format_args!(" {halfmoves} {fullmoves}"));
}
