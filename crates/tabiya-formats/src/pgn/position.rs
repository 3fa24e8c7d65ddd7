//! The position in which the next move of a game is read.

use shakmaty::{
    CastlingMode, Chess, Move, Position as _, Role,
    san::{San, SanError, SanPlus, Suffix},
};
use tabiya_chess::{
    forgiving_position,
    light::{Light, Meaning, Word},
};

use super::san;

/// The position after some moves of a line.
#[derive(Debug, Clone)]
pub(super) enum Position {
    /// Nearly all positions. What this board does not recognise as legal is left to shakmaty.
    Light(Light),
    /// A position that the rules do not allow, such as after passing in check.
    Full(Chess),
}

impl Position {
    pub(super) fn new(position: Chess) -> Position {
        let (board, turn) = (position.board(), position.turn());
        let is_exposed = |king| board.attacks_to(king, turn, board.occupied()).any();
        if board.king_of(turn.other()).is_none_or(is_exposed) {
            Position::Full(position)
        } else {
            Position::Light(Light::new(&position))
        }
    }

    /// Plays the legal move that a notation means.
    ///
    /// # Errors
    /// `IllegalSan` or `AmbiguousSan` if there is none or more than one; nothing is played then.
    #[inline]
    pub(super) fn play(&mut self, san: San, mode: CastlingMode) -> Result<Move, SanError> {
        let played = match (&mut *self, Meaning::of(san)) {
            (Position::Light(light), Some(meaning)) => light.play_meant(meaning),
            _ => None,
        };
        match played {
            Some(played) => Ok(played),
            None => self.play_odd(san, mode),
        }
    }

    /// Plays a move whose notation needs all the rules.
    #[cold]
    #[inline(never)]
    fn play_odd(&mut self, san: San, mode: CastlingMode) -> Result<Move, SanError> {
        let mut position = self.full(mode).ok_or(SanError::IllegalSan)?;
        let played = san::resolve(&position, san)?;
        if let Position::Light(light) = self
            && light.play(played).is_some()
        {
            return Ok(played);
        }
        position.play_unchecked(played);
        *self = Position::Full(position);
        Ok(played)
    }

    /// Plays a move and returns its notation; `None` if it is illegal, and nothing is played then.
    #[inline]
    pub(super) fn write(&mut self, played: Move, mode: CastlingMode) -> Option<Word> {
        let Position::Light(light) = self else {
            return self.write_odd(played, mode);
        };
        let Some(mut word) = light.play(played) else {
            return self.write_odd(played, mode);
        };
        if light.is_mate(mode) {
            word.replace_last(b'#');
        }
        Some(word)
    }

    /// Plays a move that needs all the rules, and returns its notation.
    #[cold]
    #[inline(never)]
    fn write_odd(&mut self, played: Move, mode: CastlingMode) -> Option<Word> {
        let mut position = self.full(mode)?;
        let rivals = san::rivals(&position, played);
        if !rivals.contains(&played) || played.capture() == Some(Role::King) {
            return None;
        }
        let san = San::disambiguate(played, &rivals);
        position.play_unchecked(played);
        // Moves out of check are few even with impossible material, where a list of all moves would
        // overflow.
        let suffix = match position.is_check() {
            true if position.legal_moves().is_empty() => Some(Suffix::Checkmate),
            true => Some(Suffix::Check),
            false => None,
        };
        *self = Position::Full(position);
        Some(Word::text(SanPlus { san, suffix }.to_string().as_bytes()))
    }

    /// Passes the turn, even in check.
    pub(super) fn pass(&mut self, mode: CastlingMode) {
        if let Position::Light(light) = self
            && light.pass()
        {
            return;
        }
        if let Some(mut position) = self.full(mode) {
            san::pass(&mut position);
            *self = Position::Full(position);
        }
    }

    pub(super) fn is_black_to_move(&self) -> bool {
        match self {
            Position::Light(light) => light.setup().turn.is_black(),
            Position::Full(position) => position.turn().is_black(),
        }
    }

    /// Whether the men stand on the same squares.
    pub(super) fn is_same(&self, other: &Position) -> bool {
        let board = |position: &Position| match position {
            Position::Light(light) => light.setup().board,
            Position::Full(position) => position.board().clone(),
        };
        board(self) == board(other)
    }

    /// Returns the position with all the rules.
    pub(super) fn full(&self, mode: CastlingMode) -> Option<Chess> {
        match self {
            Position::Light(light) => forgiving_position(light.setup(), mode).ok(),
            Position::Full(position) => Some(position.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use shakmaty::{CastlingSide, EnPassantMode, File, Rank, Role, Square, fen::Fen};

    use super::{super::testing::Dice, *};

    /// Every notation of a move to a square, sensible or not.
    fn notations(to: Square) -> impl Iterator<Item = San> {
        let files = || std::iter::once(None).chain(File::ALL.map(Some));
        let ranks = [
            None,
            Some(Rank::First),
            Some(Rank::Fourth),
            Some(Rank::Fifth),
        ];
        let promotions = [None, Some(Role::Queen), Some(Role::King)];
        Role::ALL.into_iter().flat_map(move |role| {
            files().flat_map(move |file| {
                ranks.into_iter().flat_map(move |rank| {
                    promotions.into_iter().flat_map(move |promotion| {
                        [false, true].map(|capture| San::Normal {
                            role,
                            file,
                            rank,
                            capture,
                            to,
                            promotion,
                        })
                    })
                })
            })
        })
    }

    /// Writes a move by shakmaty's rules. Those of a whole position are too many for its list.
    fn notation(position: &Chess, played: Move) -> Vec<u8> {
        let mut san = San::from_move(position, played).to_string();
        let mut after = position.clone();
        after.play_unchecked(played);
        if after.is_check() {
            let is_mate = after.legal_moves().is_empty();
            san.push(if is_mate { '#' } else { '+' });
        }
        san.into_bytes()
    }

    #[test]
    fn notation_is_read_and_written_as_by_all_the_rules() {
        let mut dice = Dice(20_261_123);
        for fen in [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
            "1QQ1Q3/Q7/8/8/K7/7p/4q1pp/q1q1q1bk w - - 0 1",
            "4k3/R6R/8/3R4/3r4/8/r6r/4K3 w - - 0 1",
            "rkr5/pppppppp/8/8/8/8/PPPPPPPP/5RKR w HFca - 0 1",
            "8/8/8/K2pP2r/8/8/8/7k w - d6 0 1",
            "4k3/4R3/8/8/8/8/8/4K3 w - - 0 1",
        ] {
            let setup = fen.parse::<Fen>().unwrap().into_setup();
            let mode = CastlingMode::detect(&setup);
            for _ in 0..3 {
                let mut now = san::set_up(&setup, mode).unwrap();
                let mut fast = Position::new(now.clone());
                for _ in 0..40 {
                    let to = Square::new(dice.below(64) as u32);
                    let castlings = [CastlingSide::KingSide, CastlingSide::QueenSide];
                    for san in notations(to).chain(castlings.map(San::Castle)) {
                        let mut trial = fast.clone();
                        let played = trial.play(san, mode);
                        assert_eq!(played, san::resolve(&now, san), "{now:?} {san}");
                    }
                    let legal = now.legal_moves();
                    for &played in &legal {
                        let written = fast.clone().write(played, mode);
                        let takes_king = played.capture() == Some(Role::King);
                        let known = (!takes_king).then(|| Word::text(&notation(&now, played)));
                        assert_eq!(written, known, "{now:?} {played:?}");
                    }
                    if dice.below(9) == 0 || legal.is_empty() {
                        fast.pass(mode);
                        san::pass(&mut now);
                    } else {
                        let played = legal[dice.below(legal.len())];
                        let san = San::from_move(&now, played);
                        assert_eq!(fast.play(san, mode).ok(), san::resolve(&now, san).ok());
                        if san::resolve(&now, san).is_ok() {
                            now.play_unchecked(played);
                        }
                    }
                    let same = fast.full(mode).unwrap().to_setup(EnPassantMode::Always);
                    assert_eq!(same, now.to_setup(EnPassantMode::Always));
                }
            }
        }
    }
}
