//! Computes the totals in the longer entries from the moves of a main line.

use shakmaty::{Color, Role};
use tabiya_chess::{Counts, Flow, Follow, HomePawns, Placed, Start, home_pawns::pawn_number};

use super::super::record::{NO_PAWN, Totals, packed_material};

/// Follows a main line and collects its totals.
#[derive(Debug, Clone, Copy)]
pub(super) struct MainLine {
    pub(super) plies: u32,
    counts: Counts,
    /// Pawns of White and Black in the order of their first moves.
    pawns: [HomePawns; 2],
}

impl MainLine {
    /// A game without moves.
    pub(super) const STANDARD: MainLine = MainLine {
        plies: 0,
        counts: Counts::STANDARD,
        pawns: [HomePawns::from_packed(0, 0); 2],
    };

    /// Returns the fields of an entry. Half-moves that do not fit are stored as 0, unknown.
    pub(super) fn totals(&self) -> Totals {
        Totals {
            half_moves: u16::try_from(self.plies).unwrap_or(0).into(),
            material: packed_material(self.counts).into(),
            pawn_moves: self.pawn_moves(),
        }
    }

    /// Returns the pawns of both sides alternating, until one side has no more.
    fn pawn_moves(&self) -> [u8; 16] {
        // In lists of home pawns the h-file comes first and Black's pawns have the lower numbers.
        let [white, black] = self
            .pawns
            .map(|pawns| pawns.iter().map(|pawn| 7 - pawn % 8));
        let turns = white
            .map(Some)
            .chain([None])
            .zip(black.map(Some).chain([None]));
        let run_ordered = turns.flat_map(|(white, black)| [white, black.map(|pawn| pawn + 8)]);
        let mut moves = [NO_PAWN; 16];
        for (to, pawn) in moves.iter_mut().zip(run_ordered.map_while(|pawn| pawn)) {
            *to = pawn;
        }
        moves
    }
}

impl Follow for MainLine {
    fn reset(&mut self) {
        *self = MainLine::STANDARD;
    }

    fn start(&mut self, start: Start<'_>) -> Flow {
        *self = MainLine::STANDARD;
        if let Start::Custom(setup) = start {
            self.counts = Counts::of(&setup.board);
        }
        Flow::Continue(())
    }

    fn moved(&mut self, from: Placed, _: Placed) {
        let (man, square) = (from.man(), from.square());
        let home = man.color().fold_wb(1, 6);
        if man.role() != Role::Pawn || square.rank() as u8 != home {
            return;
        }
        let pawns = &mut self.pawns[usize::from(man.color() == Color::Black)];
        if let Some(pawn) = pawn_number(square)
            && !pawns.iter().any(|moved| moved == pawn)
        {
            pawns.push(pawn);
        }
    }

    fn remove(&mut self, gone: Placed) {
        self.counts.take(gone.man());
    }

    fn place(&mut self, new: Placed) {
        self.counts.add(new.man());
    }

    fn ply_done(&mut self) -> Flow {
        self.plies += 1;
        Flow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{Chess, Move, Position, san::San};

    use super::*;
    use tabiya_chess::follow::follow_line;

    fn totals(line: &str) -> Totals {
        let mut position = Chess::default();
        let mut moves: Vec<Move> = Vec::new();
        for word in line.split(' ') {
            let played = word.parse::<San>().unwrap().to_move(&position).unwrap();
            position.play_unchecked(played);
            moves.push(played);
        }
        let mut main_line = MainLine::STANDARD;
        let _ = follow_line(&moves, &mut main_line);
        main_line.totals()
    }

    #[test]
    fn first_moves_of_pawns_come_in_turns_until_one_side_has_no_more() {
        let told = |line| totals(line).pawn_moves;
        let mut fools_mate = [NO_PAWN; 16];
        fools_mate[..3].copy_from_slice(&[6, 12, 5]);
        assert_eq!(told("g4 e5 f3 Qh4"), fools_mate);
        assert_eq!(told("Nf3 e5 Nc3 d5"), [NO_PAWN; 16]);
        let mut one = [NO_PAWN; 16];
        one[0] = 4;
        assert_eq!(told("e4 Nf6 e5 Ng8 a3 Nf6"), {
            one[..1].copy_from_slice(&[4]);
            one
        });
    }

    #[test]
    fn half_moves_are_counted_and_eight_pawns_do_not_fit() {
        let totals = totals("e4 d5 exd5");
        assert_eq!((totals.half_moves.get(), totals.material.get()), (3, 0));
    }
}
