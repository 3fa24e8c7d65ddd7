//! What opening books have of the position of a tree.

use shakmaty::{CastlingSide, Chess, Move, Setup, Square, san::SanPlus};
use tabiya_formats::{
    book::{Book, BookMoves},
    error::Result,
};

use super::{NextMove, Tree, TreePosition, TreeRow, TreeStats, Writer, run};
use crate::pattern::position_of;

impl TreePosition {
    /// Returns what an opening book has in the position, with the rights to castle that the FEN or
    /// the moves give. Where nobody may castle and the book has no move, the position is looked for
    /// with all rights that its men allow.
    ///
    /// # Errors
    /// Those of [`Book::moves`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tabiya::{Database, Lines, OpenOptions, TreePosition};
    ///
    /// let start = TreePosition::default();
    /// let famous = Database::open("fixtures/famous.si4")?;
    /// let lines = Lines::new(&start).run(&[&famous])?;
    /// # let folder = tempfile::tempdir()?;
    /// # let path = folder.path().join("famous.bin");
    /// std::fs::write(&path, lines.to_polyglot())?;
    ///
    /// let found = start.book_moves(&OpenOptions::new().open_book(&path)?)?;
    /// assert_eq!(found.moves[0].weight, Some(69));
    /// # Ok(())
    /// # }
    /// ```
    pub fn book_moves(&self, book: &Book) -> Result<BookMoves> {
        let Some(position) = self.with_rights() else {
            return Ok(BookMoves::default());
        };
        let found = book.moves(&position)?;
        let writer = Writer::new(self.setup());
        if !found.moves.is_empty() || !self.setup().castling_rights.is_empty() {
            return Ok(found);
        }
        let setup = Setup {
            castling_rights: writer.rights(),
            ..self.setup().clone()
        };
        match position_of(setup) {
            Some(position) if !writer.rights().is_empty() => book.moves(&position),
            _ => Ok(found),
        }
    }

    /// Returns the row without games of a move in the position.
    #[must_use]
    pub fn unplayed(&self, next: NextMove) -> TreeRow {
        let (san, opening) = Writer::new(self.setup()).write(next);
        TreeRow {
            next,
            san,
            opening,
            stats: TreeStats::new(self.setup().turn),
        }
    }

    /// Returns the position for a book; `None` if the rules do not allow it. Its moves say more of
    /// en-passant rights than the position.
    fn with_rights(&self) -> Option<Chess> {
        if self.moves().is_empty() {
            return position_of(self.setup().clone());
        }
        let mut position = Chess::default();
        for san in self.moves() {
            let san: SanPlus = san.parse().ok()?;
            let played = san.san.to_move(&position).ok()?;
            SanPlus::from_move_and_play_unchecked(&mut position, played);
        }
        Some(position)
    }
}

impl Tree {
    /// Adds rows [without games](TreePosition::unplayed), such as those of a book, for moves that
    /// no game plays; others are left out. The order of the rows is kept.
    pub fn add_unplayed(&mut self, rows: impl IntoIterator<Item = TreeRow>) {
        for more in rows {
            if self.rows.iter().all(|row| row.next != more.next) {
                self.rows.push(more);
            }
        }
        run::sort(&mut self.rows, self.order, self.total.turn());
    }
}

impl From<Move> for NextMove {
    /// Castling from the e-file is the king's move by two squares, else that to the rook's square.
    fn from(played: Move) -> NextMove {
        let (from, to) = match played {
            Move::Castle { king, rook } => {
                let side = CastlingSide::from_king_side(king < rook);
                let usual = Square::from_coords(side.king_to_file(), king.rank());
                let is_usual =
                    king.file() == shakmaty::File::E && shakmaty::Bitboard::CORNERS.contains(rook);
                (king, if is_usual { usual } else { rook })
            }
            played => (played.from().unwrap_or(played.to()), played.to()),
        };
        NextMove::Move {
            from,
            to,
            promotion: played.promotion(),
        }
    }
}
