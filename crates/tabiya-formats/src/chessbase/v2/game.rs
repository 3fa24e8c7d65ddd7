//! Plays one game: its main line, or all its lines.
//!
//! The file stores the main line first. Where a move has alternatives, a word after it says so,
//! and the end of each line leads back to the last such move whose next alternative is not yet
//! told. So the starts of all alternatives are found first, by the words alone.

use shakmaty::Setup;
use tabiya_chess::{Flow, Follow, Rewind, Start};

use super::{
    annotations::Annotations,
    codes::{self, ALTERNATIVE, END, MOVES, NULL, START, Words},
    flaws,
    frame::{Frame, HEAD_BYTES, tag},
    men::{BLACK, Homes, Men, STANDARD, STANDARD_HOMES, Side, WHITE},
    setup,
};
use crate::{
    Damage, Decoded, Scratch, Visitor,
    damage::Flaw,
    damage_at,
    walk::{Never, Token, TokenCursor, follow_lines, visit_lines},
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

/// A game before its first move.
struct Begun<'s> {
    men: Men,
    side: Side,
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
            men: STANDARD,
            side: WHITE,
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
        begun.men = Men::from_setup(setup).map_err(at_start)?;
        begun.side = setup.turn.fold_wb(WHITE, BLACK);
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
        let Begun {
            mut men,
            mut side,
            homes,
            start,
        } = self.begin(scratch)?;
        let table = codes::words();
        if follow.start(start).is_break() {
            return Ok(0);
        }
        let (mut at, mut plies) = (self.moves_at, 0);
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
            if follow.ply_done().is_break() {
                return Ok(plies);
            }
            side = BLACK - side;
            at += 1;
            at += usize::from(self.word(at) == Some(ALTERNATIVE));
        }
    }

    /// Plays all lines to the follower until it breaks.
    pub(super) fn tree<F: Rewind>(&self, scratch: &mut Scratch, follow: &mut F) -> Decoded<()> {
        let begun = self.begin(scratch)?;
        let none = Annotations::NONE;
        let (lines, position) = Lines::new(self, &begun, &none);
        follow_lines(lines, position, begun.start, follow)
    }

    /// Passes the moves with their annotations to a visitor until it breaks.
    pub(super) fn visit<V: Visitor + ?Sized>(
        &self,
        scratch: &mut Scratch,
        annotations: &Annotations<'_>,
        visitor: &mut V,
    ) -> Decoded<Flow> {
        let begun = self.begin(scratch)?;
        let (lines, position) = Lines::new(self, &begun, annotations);
        visit_lines(lines, position, begun.start, visitor)
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

/// A place in a game.
#[derive(Debug, Clone, Copy)]
struct LinePlace {
    /// Number of the next word.
    at: usize,
    /// Number of words before it that say that there is another alternative.
    alternatives: usize,
}

/// A move whose alternatives are being read.
struct Node {
    /// Where the line goes on after the alternatives.
    place: LinePlace,
    /// The number of the next alternative, if there is one.
    next: Option<usize>,
}

/// Reads the tokens of all lines.
struct Lines<'g> {
    game: &'g Game<'g>,
    table: &'static Words,
    homes: Homes,
    annotations: &'g Annotations<'g>,
    alternatives: Vec<Alternative>,
    /// The damage after the last alternative.
    fault: Option<Damage>,
    place: LinePlace,
    /// Number of the last word.
    word_at: usize,
    /// Number of moves so far, in the order of a PGN file.
    moves: i32,
    /// Whether the line is an alternative whose first move has not been played.
    is_fresh: bool,
    /// Whether the alternatives of the innermost node come next.
    is_at_node: bool,
    /// The innermost last.
    nodes: Vec<Node>,
}

impl<'g> Lines<'g> {
    fn new(
        game: &'g Game<'g>,
        begun: &Begun<'_>,
        annotations: &'g Annotations<'g>,
    ) -> (Lines<'g>, (Men, Side)) {
        let (alternatives, fault) = game.alternatives();
        let lines = Lines {
            game,
            table: codes::words(),
            homes: begun.homes,
            annotations,
            alternatives,
            fault,
            place: LinePlace {
                at: game.moves_at,
                alternatives: 0,
            },
            word_at: game.moves_at,
            moves: 0,
            is_fresh: false,
            is_at_node: false,
            nodes: Vec::new(),
        };
        (lines, (begun.men, begun.side))
    }

    /// Whether the word at the present place is a move that has another alternative.
    fn has_other(&self) -> bool {
        self.game.word(self.place.at + 1) == Some(ALTERNATIVE)
    }

    fn play<F: Follow>(
        &mut self,
        (men, side): &mut (Men, Side),
        follow: &mut F,
    ) -> Result<Token<Never>, Flaw> {
        let word = self.game.word(self.place.at).ok_or(flaws::GAME_ENDLESS)?;
        match word {
            END if self.nodes.is_empty() => return Ok(Token::GameEnd),
            END if !self.is_fresh => {
                self.is_at_node = true;
                return Ok(Token::End);
            }
            END | ALTERNATIVE => return Err(flaws::ALTERNATIVE_OF_NO_MOVE),
            NULL => {}
            word => men.play(*side, self.table.get(word), &self.homes, follow)?,
        }
        *side = BLACK - *side;
        self.move_played();
        Ok(Token::Move)
    }

    fn move_played(&mut self) {
        let has_other = self.has_other();
        let next = has_other.then_some(self.place.alternatives);
        self.place.at += 1 + usize::from(has_other);
        self.place.alternatives += usize::from(has_other);
        self.moves = self.moves.saturating_add(1);
        if std::mem::take(&mut self.is_fresh) {
            if let Some(node) = self.nodes.last_mut() {
                node.next = next;
            }
        } else if has_other {
            let place = self.place;
            self.nodes.push(Node { place, next });
            self.is_at_node = true;
        }
    }

    /// Goes to the next alternative of the innermost node, or back to its line after the last.
    fn leave_node(&mut self) -> Token<Never> {
        self.is_at_node = false;
        let Some(node) = self.nodes.last_mut() else {
            return Token::Skip;
        };
        let next = node.next.take();
        let next = next.and_then(|next| self.alternatives.get(next));
        if let Some(alternative) = next.filter(|alternative| alternative.at > 0) {
            self.place = LinePlace {
                at: alternative.at as usize,
                alternatives: alternative.announced as usize,
            };
            self.is_fresh = true;
            return Token::Begin;
        }
        self.place = node.place;
        self.nodes.pop();
        Token::Skip
    }
}

impl TokenCursor for Lines<'_> {
    type Position = (Men, Side);
    type Note = Never;

    fn may_branch(&self) -> bool {
        !self.is_at_node && !self.is_fresh && self.has_other()
    }

    fn next<F: Follow>(
        &mut self,
        position: &mut (Men, Side),
        follow: &mut F,
    ) -> Decoded<Token<Never>> {
        if self.is_at_node {
            return Ok(self.leave_node());
        }
        self.word_at = self.place.at;
        let token = self.play(position, follow);
        match (
            token.map_err(|what| Game::damage(what, self.word_at))?,
            self.fault,
        ) {
            (Token::GameEnd, Some(fault)) => Err(fault),
            (token, _) => Ok(token),
        }
    }

    fn token_at(&self) -> usize {
        HEAD_BYTES + WORD * self.word_at
    }

    fn tell<V: Visitor + ?Sized>(&mut self, note: Never, _: &mut V) -> Flow {
        match note {}
    }

    fn tell_before<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        self.annotations.tell_before(self.moves - 1, visitor)
    }

    fn tell_after<V: Visitor + ?Sized>(&self, visitor: &mut V) -> Flow {
        match self.moves {
            0 => self.annotations.tell_game(visitor),
            moves => self.annotations.tell_after(moves - 1, visitor),
        }
    }
}
