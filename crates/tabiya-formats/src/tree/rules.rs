//! What each format does with annotations and variations, where formats differ on purpose.

use crate::loss::Loss;

/// What becomes of a part of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It belongs where it arrives.
    Stays,
    /// It belongs to the next move of its line. Where none comes before the next variation or the
    /// end of the line, it stays; in a variation without moves it is dropped.
    Waits,
    /// It is left out, which counts as this loss.
    Goes(Loss),
}

/// The rules of one format. What it drops is counted when it arrives; NAGs that move, when the
/// next move comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rules {
    /// NAGs of moves.
    pub nags: Fate,
    /// NAGs before the first move of the game. If they wait, so do the comments after them.
    pub nags_of_game: Fate,
    /// NAGs before the first move of a variation.
    pub nags_of_variations: Fate,
    /// NAGs that moved, each; ChessBase 2 counts the annotations that are made of them.
    pub nags_moved: Option<Loss>,
    /// NAGs of one move beyond a maximum.
    pub nags_max: Option<(u8, Loss)>,
    /// Whether NAGs that come after waiting comments are stored before them.
    pub nags_before_waiting: bool,
    /// NAGs of number 0 or above 255, which are always dropped.
    pub void_nags: Option<Loss>,
    /// Comments before the first move of a variation.
    pub comments_of_variations: Fate,
    /// The same comments, if it is a loss that they move.
    pub comments_moved: Option<Loss>,
    /// Comments that waited in a variation without moves.
    pub comments_of_no_move: Option<Loss>,
    /// Comments after a variation of their move.
    pub late_comments: Fate,
    /// Every comment at one place but the first, if a place has only one.
    pub comments_joined: Option<Loss>,
    /// All variations, with what they hold.
    pub variations: Fate,
    /// Variations without moves.
    pub empty_variations: Fate,
    /// Maximum number of steps. A game with more has too many bytes in any case, so that it is
    /// given up while it arrives.
    pub steps_max: usize,
    /// Maximum bytes of comments, for the same reason.
    pub text_max: usize,
}

impl Rules {
    /// A format in which all belongs where it comes in PGN.
    const PLAIN: Rules = Rules {
        nags: Fate::Stays,
        nags_of_game: Fate::Stays,
        nags_of_variations: Fate::Stays,
        nags_moved: None,
        nags_max: None,
        nags_before_waiting: false,
        void_nags: Some(Loss::VoidNagsDropped),
        comments_of_variations: Fate::Stays,
        comments_moved: None,
        comments_of_no_move: None,
        late_comments: Fate::Stays,
        comments_joined: None,
        variations: Fate::Stays,
        empty_variations: Fate::Stays,
        steps_max: u32::MAX as usize,
        text_max: u32::MAX as usize,
    };

    /// Scid: one comment for each move or start of a line, and seven NAGs.
    pub const SCID: Rules = Rules {
        nags_max: Some((7, Loss::NagsBeyondSevenDropped)),
        comments_joined: Some(Loss::CommentsJoined),
        ..Rules::PLAIN
    };

    /// Simple Chess Database: annotations only after moves, and a comment of the game.
    pub const SCDB: Rules = Rules {
        nags_of_game: Fate::Goes(Loss::NagsOfNoMoveDropped),
        nags_of_variations: Fate::Goes(Loss::NagsOfNoMoveDropped),
        comments_of_variations: Fate::Waits,
        comments_moved: Some(Loss::CommentsMoved),
        comments_of_no_move: Some(Loss::CommentsOfNoMoveDropped),
        comments_joined: Some(Loss::CommentsJoined),
        ..Rules::PLAIN
    };

    /// ChessBase 2: comments before or after moves. Variations without moves cannot be stored.
    pub const CHESSBASE2: Rules = Rules {
        nags_of_variations: Fate::Waits,
        comments_of_variations: Fate::Waits,
        late_comments: Fate::Waits,
        empty_variations: Fate::Goes(Loss::EmptyVariationsDropped),
        ..Rules::PLAIN
    };

    /// ChessBase: glyphs belong to moves only.
    pub const CHESSBASE: Rules = Rules {
        nags_of_game: Fate::Waits,
        nags_moved: Some(Loss::NagsMoved),
        nags_before_waiting: true,
        ..Rules::CHESSBASE2
    };

    /// Training data: main lines, with what comments say of scores.
    pub const TRAINING: Rules = Rules {
        nags: Fate::Goes(Loss::NagsDropped),
        nags_of_game: Fate::Goes(Loss::NagsDropped),
        nags_of_variations: Fate::Goes(Loss::NagsDropped),
        void_nags: Some(Loss::NagsDropped),
        variations: Fate::Goes(Loss::VariationsDropped),
        ..Rules::PLAIN
    };

    /// The same rules with limits of steps and of bytes of comments.
    #[must_use]
    pub const fn with_limits(self, steps_max: usize, text_max: usize) -> Rules {
        Rules {
            steps_max,
            text_max,
            ..self
        }
    }
}
