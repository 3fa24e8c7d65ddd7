//! Plays one game: its main line, or all its lines.
//!
//! The file stores the main line first. Where a move has alternatives, a word behind it says so,
//! and the end of each line leads back to the last such move whose next alternative is not yet
//! told. So the starts of all alternatives are found first, by the words alone.

use shakmaty::Setup;
use tabiya_chess::{Follow, Rewind, Start};

use super::{
    flaws,
    frame::{Frame, HEAD_BYTES, tag},
    men::{BLACK, Homes, Men, STANDARD, STANDARD_HOMES, Side, WHITE},
    setup,
    words::{self, ALTERNATIVE, END, MOVES, NULL, START, Words},
};
use crate::{
    Damage, Decoded, Scratch, damage::Flaw, damage_at, limits::VARIATION_DEPTH_MAX, walk::Walk,
};

/// Bytes of a word.
const WORD: usize = 2;

/// The words of a game.
#[derive(Debug, Clone, Copy)]
pub(super) struct Game<'a> {
    words: &'a [[u8; WORD]],
    is_chess960: bool,
    /// Number of the first word that is a move, or the end of the first line.
    moves_at: usize,
    /// Whether a byte is left over.
    is_odd: bool,
}

/// A place in a game, and its position.
#[derive(Debug, Clone, Copy)]
struct Line {
    men: Men,
    side: Side,
    /// Number of the next word.
    at: usize,
    /// Number of words before it that say that there is another alternative.
    alternatives: usize,
}

/// A game before its first move.
struct Begun<'s> {
    line: Line,
    homes: Homes,
    start: Start<'s>,
}

impl<'a> Game<'a> {
    /// Finds where the moves begin.
    #[inline]
    pub(super) fn new(frame: &Frame<'a>) -> Decoded<Game<'a>> {
        if !matches!(frame.tag, tag::CHESS | tag::CHESS960) {
            return Err(damage_at(flaws::WRONG_CONTENT, HEAD_BYTES - 2));
        }
        let (words, rest) = frame.content.as_chunks();
        let mut game = Game {
            words,
            is_chess960: frame.tag == tag::CHESS960,
            moves_at: 1,
            is_odd: !rest.is_empty(),
        };
        match game.word(0) {
            Some(MOVES) => Ok(game),
            Some(START) => {
                let mut words = game.all_words();
                let end = words.position(|word| word == MOVES);
                game.moves_at = 1 + end.ok_or(damage_at(flaws::START_CUT, HEAD_BYTES))?;
                Ok(game)
            }
            _ => Err(damage_at(flaws::NO_MOVES_SECTION, HEAD_BYTES)),
        }
    }

    pub(super) fn is_chess960(&self) -> bool {
        self.is_chess960
    }

    #[inline(always)]
    fn word(&self, at: usize) -> Option<u16> {
        self.words.get(at).map(|&word| u16::from_le_bytes(word))
    }

    fn all_words(&self) -> impl Iterator<Item = u16> + use<'a> {
        self.words.iter().map(|&word| u16::from_le_bytes(word))
    }

    /// Returns the words from the first move on.
    pub(super) fn moves(&self) -> &'a [[u8; WORD]] {
        self.words.get(self.moves_at..).unwrap_or_default()
    }

    /// Whether the game begins from the usual start position.
    pub(super) fn is_usual(&self) -> bool {
        self.moves_at == 1
    }

    #[cold]
    fn damage(what: Flaw, word: usize) -> Damage {
        damage_at(what, HEAD_BYTES + WORD * word)
    }

    #[inline(always)]
    fn begin<'s>(&self, scratch: &'s mut Scratch) -> Decoded<Begun<'s>> {
        let begun = Begun {
            line: Line {
                men: STANDARD,
                side: WHITE,
                at: self.moves_at,
                alternatives: 0,
            },
            homes: STANDARD_HOMES,
            start: Start::Standard,
        };
        if self.is_usual() {
            Ok(begun)
        } else {
            self.set_up(&mut scratch.setup, begun)
        }
    }

    /// Replaces the usual start position by the game's own.
    #[inline(never)]
    fn set_up<'s>(&self, room: &'s mut Option<Setup>, mut begun: Begun<'s>) -> Decoded<Begun<'s>> {
        let section = self.all_words().take(self.moves_at - 1).skip(1);
        let at_start = |what| Game::damage(what, 1);
        let section: Vec<u16> = section.take(SECTION_WORDS_MAX + 1).collect();
        if section.len() > SECTION_WORDS_MAX {
            return Err(at_start(flaws::START_TOO_MANY_MEN));
        }
        let (setup, homes) = setup::read(&section, self.is_chess960).map_err(at_start)?;
        let setup = room.insert(setup);
        begun.line.men = Men::from_setup(setup).map_err(at_start)?;
        begun.line.side = setup.turn.fold_wb(WHITE, BLACK);
        begun.homes = homes;
        begun.start = Start::Custom(setup);
        Ok(begun)
    }

    /// Plays the main line to the follower until it breaks or the line ends. Returns the number of
    /// plies played.
    pub(super) fn main_line<F: Follow>(
        &self,
        scratch: &mut Scratch,
        follow: &mut F,
    ) -> Decoded<u32> {
        let Begun { line, homes, start } = self.begin(scratch)?;
        let (mut men, mut side, table) = (line.men, line.side, words::words());
        if follow.start(start).is_break() {
            return Ok(0);
        }
        let (mut at, mut plies) = (line.at, 0);
        loop {
            let fault = |what| Err(Game::damage(what, at));
            match self.word(at) {
                Some(END) => return Ok(plies),
                Some(NULL) => {}
                Some(ALTERNATIVE) => return fault(flaws::ALTERNATIVE_OF_NO_MOVE),
                Some(word) => {
                    if let Err(what) = men.play(side, table.get(word), &homes, follow) {
                        return fault(what);
                    }
                }
                None => return fault(flaws::GAME_ENDLESS),
            }
            plies += 1;
            if follow.look().is_break() {
                return Ok(plies);
            }
            side = BLACK - side;
            at += 1;
            at += usize::from(self.word(at) == Some(ALTERNATIVE));
        }
    }

    /// Tells all lines in the order of a PGN file: after a move come its alternatives, then the
    /// rest of its line.
    pub(super) fn walk<W: Walk>(&self, scratch: &mut Scratch, walk: &mut W) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        if walk.start(begun.start).is_break() {
            return Ok(());
        }
        let (alternatives, fault) = self.alternatives();
        let mut telling = Telling {
            game: self,
            table: words::words(),
            homes: begun.homes,
            alternatives: &alternatives,
            line: begun.line,
            is_fresh: false,
            nodes: Vec::new(),
        };
        if !telling.tell(walk)? {
            return Ok(());
        }
        fault.map_or(Ok(()), Err)
    }

    /// Finds where each alternative begins, in the order of the words that announce them, and what
    /// is wrong with the order of words. O(words).
    fn alternatives(&self) -> (Vec<Alternative>, Option<Damage>) {
        let (mut found, mut open): (Vec<Alternative>, Vec<usize>) = Default::default();
        let mut is_after_move = false;
        for (at, word) in self.all_words().enumerate().skip(self.moves_at) {
            let fault = |what| Some(Game::damage(what, at));
            match word {
                END => {
                    let announced = found.len() as u32;
                    let Some(alternative) = open.pop().and_then(|last| found.get_mut(last)) else {
                        let fault = match self.words.len() {
                            words if words > at + 1 => fault(flaws::WORDS_AFTER_END),
                            _ if self.is_odd => fault(flaws::ODD_BYTES),
                            _ => None,
                        };
                        return (found, fault);
                    };
                    alternative.at = at as u32 + 1;
                    alternative.announced = announced;
                }
                ALTERNATIVE if !is_after_move => {
                    return (found, fault(flaws::ALTERNATIVE_OF_NO_MOVE));
                }
                ALTERNATIVE => {
                    open.push(found.len());
                    found.push(Alternative::default());
                }
                _ => {}
            }
            is_after_move = !matches!(word, END | ALTERNATIVE);
        }
        let end = self.words.len();
        (found, Some(Game::damage(flaws::GAME_ENDLESS, end)))
    }
}

/// Greatest number of words of a start position: more than a man on every square.
const SECTION_WORDS_MAX: usize = 4 + 64;

/// Where an alternative begins.
#[derive(Debug, Clone, Copy, Default)]
struct Alternative {
    /// Number of its first word; 0 if the game ends before it.
    at: u32,
    /// Number of alternatives announced before it.
    announced: u32,
}

/// A move whose alternatives are being told.
struct Node<S> {
    /// The position before it, and the same for the follower.
    men: Men,
    side: Side,
    before: S,
    /// The line that goes on after the alternatives, and the same for the follower.
    line: Line,
    after: S,
    /// The number of the next alternative to tell, if there is one.
    next: Option<usize>,
}

/// The walk through all lines.
struct Telling<'g, S> {
    game: &'g Game<'g>,
    table: &'static Words,
    homes: Homes,
    alternatives: &'g [Alternative],
    line: Line,
    /// Whether the line is an alternative whose first move has not been told.
    is_fresh: bool,
    /// Moves whose alternatives are being told, the innermost last.
    nodes: Vec<Node<S>>,
}

impl<S> Telling<'_, S> {
    /// Tells all lines. Returns `false` if the walk has seen enough.
    fn tell<W: Walk>(&mut self, walk: &mut W) -> Decoded<bool>
    where
        W::Follow: Rewind<Snapshot = S>,
    {
        loop {
            let at = self.line.at;
            match self.next(walk) {
                Ok(Some(true)) => {}
                Ok(Some(false)) => return Ok(false),
                Ok(None) => return Ok(true),
                Err(what) => return Err(Game::damage(what, at)),
            }
        }
    }

    /// Tells the next move or the end of a line; `None` at the end of the game, `Some(false)` if
    /// the walk has seen enough.
    fn next<W: Walk>(&mut self, walk: &mut W) -> Result<Option<bool>, Flaw>
    where
        W::Follow: Rewind<Snapshot = S>,
    {
        let word = self.game.word(self.line.at).ok_or(flaws::GAME_ENDLESS)?;
        if word == END {
            if self.nodes.is_empty() {
                return Ok(None);
            }
            if self.is_fresh {
                return Err(flaws::ALTERNATIVE_OF_NO_MOVE);
            }
            let ended = walk.end_variation().is_continue();
            return Ok(Some(ended && self.next_way(walk)));
        }
        if word == ALTERNATIVE {
            return Err(flaws::ALTERNATIVE_OF_NO_MOVE);
        }
        let has_other = self.game.word(self.line.at + 1) == Some(ALTERNATIVE);
        let opens_node = has_other && !self.is_fresh;
        let before = opens_node.then(|| (self.line.men, self.line.side, walk.follow().snapshot()));
        if word != NULL {
            let (line, played) = (&mut self.line, self.table.get(word));
            line.men
                .play(line.side, played, &self.homes, walk.follow())?;
        }
        self.line.side = BLACK - self.line.side;
        self.line.at += 1 + usize::from(has_other);
        let next = has_other.then_some(self.line.alternatives);
        self.line.alternatives += usize::from(has_other);
        if walk.played().is_break() {
            return Ok(Some(false));
        }
        if std::mem::take(&mut self.is_fresh) {
            if let Some(node) = self.nodes.last_mut() {
                node.next = next;
            }
        } else if let Some((men, side, before)) = before {
            if self.nodes.len() >= VARIATION_DEPTH_MAX {
                return Err(flaws::NESTED_TOO_DEEP);
            }
            let after = walk.follow().snapshot();
            self.nodes.push(Node {
                men,
                side,
                before,
                line: self.line,
                after,
                next,
            });
            return Ok(Some(self.next_way(walk)));
        }
        Ok(Some(true))
    }

    /// Begins the next alternative of the innermost node, or goes on with its line after the last.
    /// Returns `false` if the walk has seen enough.
    fn next_way<W: Walk>(&mut self, walk: &mut W) -> bool
    where
        W::Follow: Rewind<Snapshot = S>,
    {
        let Some(node) = self.nodes.last_mut() else {
            return true;
        };
        let next = node
            .next
            .take()
            .and_then(|next| self.alternatives.get(next));
        match next.filter(|alternative| alternative.at > 0) {
            Some(alternative) => {
                walk.follow().restore(&node.before);
                self.line = Line {
                    men: node.men,
                    side: node.side,
                    at: alternative.at as usize,
                    alternatives: alternative.announced as usize,
                };
                self.is_fresh = true;
                walk.begin_variation().is_continue()
            }
            None => {
                walk.follow().restore(&node.after);
                self.line = node.line;
                self.nodes.pop();
                true
            }
        }
    }
}
