//! Plays one game: its main line, or all its lines, out of its bytes.

use shakmaty::Setup;
use tabiya_chess::{Flow, Follow, Rewind, Start, follow::make};

use super::{
    codes::{Token, token},
    flaws,
    header::Head,
    men::Pieces,
    scrambled::unscramble_moves,
    setup,
    text::Annotation,
};
use crate::{
    Damage, Decoded, Visitor,
    bytes::Cursor,
    damage::Flaw,
    damage_at,
    encoding::Charset,
    walk::{self, TokenCursor, follow_lines, visit_lines},
};

/// One game.
#[derive(Debug)]
pub(super) struct Game<'a> {
    head: Head,
    setup: Option<Setup>,
    /// Unscrambled.
    moves: &'a [u8],
    /// Annotations, and how texts are read.
    text: &'a [u8],
    charset: Charset,
}

impl<'a> Game<'a> {
    /// Reads the game at the start of these bytes, which may go on behind it. Its moves are
    /// unscrambled into `moves`.
    pub(super) fn open(
        game: &'a [u8],
        moves: &'a mut Vec<u8>,
        charset: Charset,
    ) -> Decoded<Game<'a>> {
        let head = Head::read(game)?;
        let setup = head
            .has_setup()
            .then(|| setup::read(game, head.setup_at(), &head));
        let stored = game.get(head.moves_at()..).unwrap_or_default();
        moves.clear();
        moves.extend(stored.iter().take(head.moves_bytes()));
        unscramble_moves(moves, head.told_moves_bytes());
        let text = game.get(head.text_at()..).unwrap_or_default();
        let text_bytes = head.setup_at().saturating_sub(head.text_at());
        Ok(Game {
            setup: setup.transpose()?,
            head,
            moves,
            text: text.get(..text_bytes).unwrap_or(text),
            charset,
        })
    }

    fn start(&self) -> Start<'_> {
        self.setup.as_ref().map_or(Start::Standard, Start::Custom)
    }

    /// Plays the main line to the follower until it breaks. Returns the number of plies played.
    pub(super) fn main_line<F: Follow>(&self, follow: &mut F) -> Decoded<u32> {
        if follow.start(self.start()).is_break() {
            return Ok(0);
        }
        let (mut pieces, mut lines, mut plies) = (Pieces::new(self.start()), self.lines(), 0_u32);
        loop {
            match lines.next(&mut pieces, follow)? {
                walk::Token::Move => {
                    plies = plies.saturating_add(1);
                    if follow.ply_done().is_break() {
                        return Ok(plies);
                    }
                }
                walk::Token::Begin if plies > 0 => lines.skip_variation()?,
                walk::Token::Begin => return Err(lines.damage(flaws::VARIATION_OF_NO_MOVE)),
                walk::Token::End | walk::Token::GameEnd => return Ok(plies),
                walk::Token::Note(()) | walk::Token::Skip => {}
            }
        }
    }

    /// Plays all lines to the follower until it breaks.
    pub(super) fn tree<F: Rewind>(&self, follow: &mut F) -> Decoded<()> {
        let start = self.start();
        follow_lines(self.lines(), Pieces::new(start), start, follow)
    }

    /// Passes the start position and the moves to a visitor until it breaks.
    pub(super) fn visit<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Decoded<()> {
        let start = self.start();
        visit_lines(self.lines(), Pieces::new(start), start, visitor).map(drop)
    }

    /// Checks that every move that has an annotation finds one.
    pub(super) fn check_annotations(&self) -> Decoded<()> {
        let mut text = Cursor::new(self.text);
        let tokens = self.moves.iter().map(|&byte| token(byte));
        for _ in tokens.filter(|token| matches!(token, Token::Move(_, true))) {
            let at = self.head.text_at() + text.offset();
            match Annotation::next(&mut text) {
                None => return Err(damage_at(flaws::ANNOTATIONS_MISSING, at)),
                Some(found) if !found.is_whole => {
                    return Err(damage_at(flaws::ANNOTATION_CUT, at));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn lines(&self) -> Lines<'a> {
        Lines {
            cursor: Cursor::new(self.moves),
            is_cut: self.moves.len() < self.head.moves_bytes(),
            moves_at: self.head.moves_at(),
            at: 0,
            depth: 0,
            is_annotated: false,
            text: Cursor::new(self.text),
            charset: self.charset,
        }
    }
}

/// Reads the tokens of all lines.
struct Lines<'a> {
    cursor: Cursor<'a>,
    /// Whether bytes of moves are missing.
    is_cut: bool,
    /// Where the moves begin in the game.
    moves_at: usize,
    /// Offset of the last token among the moves.
    at: usize,
    /// Number of open variations.
    depth: usize,
    /// Whether the annotation of the last move is next.
    is_annotated: bool,
    text: Cursor<'a>,
    charset: Charset,
}

impl Lines<'_> {
    fn damage(&self, what: Flaw) -> Damage {
        damage_at(what, self.moves_at + self.at)
    }

    /// Skips a variation whose first token has been read.
    fn skip_variation(&mut self) -> Decoded<()> {
        let outer = self.depth - 1;
        while self.depth > outer {
            let endless = self.damage(flaws::VARIATION_ENDLESS);
            match token(self.cursor.u8().ok_or(endless)?) {
                Token::Begin => self.depth += 1,
                Token::End => self.depth -= 1,
                Token::Move(..) => {}
            }
        }
        self.is_annotated = false;
        Ok(())
    }
}

impl TokenCursor for Lines<'_> {
    type Position = Pieces;
    type Note = ();

    fn may_branch(&self) -> bool {
        let is_branched =
            |next: &[u8]| matches!(next, [_, next, ..] if token(*next) == Token::Begin);
        !self.is_annotated && is_branched(self.cursor.rest())
    }

    fn next<F: Follow>(&mut self, pieces: &mut Pieces, follow: &mut F) -> Decoded<walk::Token<()>> {
        if std::mem::take(&mut self.is_annotated) {
            return Ok(walk::Token::Note(()));
        }
        self.at = self.cursor.offset();
        let Some(byte) = self.cursor.u8() else {
            let cut = self.is_cut.then(|| self.damage(flaws::MOVES_CUT));
            return cut.map_or(Ok(walk::Token::GameEnd), Err);
        };
        match token(byte) {
            Token::Move(number, is_annotated) => {
                let played = pieces.decode(number);
                let played = played.ok_or_else(|| self.damage(flaws::NO_SUCH_MOVE))?;
                make(played, pieces.turn(), follow);
                pieces.play(played);
                self.is_annotated = is_annotated;
                Ok(walk::Token::Move)
            }
            Token::Begin => {
                self.depth += 1;
                Ok(walk::Token::Begin)
            }
            Token::End if self.depth == 0 => Ok(walk::Token::GameEnd),
            Token::End => {
                self.depth -= 1;
                Ok(walk::Token::End)
            }
        }
    }

    fn token_at(&self) -> usize {
        self.moves_at + self.at
    }

    fn tell<V: Visitor + ?Sized>(&mut self, (): (), visitor: &mut V) -> Flow {
        // What is missing is told by `check_annotations`.
        let annotation = Annotation::next(&mut self.text).unwrap_or_default();
        for nag in annotation.nags.into_iter().filter(|&nag| nag > 0) {
            visitor.nag(nag)?;
        }
        let comment = annotation.comment(self.charset);
        if comment.is_empty() {
            return Flow::Continue(());
        }
        visitor.comment(&comment)
    }
}
