//! Moves by what they do, as `played`, `can` and `missed` ask for them.

use shakmaty::{Move, Position, Role, Square};
use tabiya::query::Reply;

use super::{
    lines::View,
    walk::{Made, Place},
};

/// A pattern of moves, read letter by letter. `None` for what may be anything.
#[derive(Debug)]
struct Pattern {
    what: What,
    mark: Option<char>,
}

#[derive(Debug)]
enum What {
    Null,
    /// Castling towards the h-file, or away from it.
    Castling {
        short: bool,
    },
    AnyEnPassant,
    Man(ManMove),
}

#[derive(Debug)]
struct ManMove {
    /// `KQRBN`, `P` or `?`.
    man: char,
    /// File and rank, `?` for any.
    origin: [char; 2],
    captures: bool,
    target: [char; 2],
    promotion: Option<char>,
    en_passant: bool,
}

impl Pattern {
    fn read(text: &str) -> Pattern {
        let mut rest = text.trim();
        let mark = rest.chars().last().filter(|last| "+#".contains(*last));
        rest = rest.trim_end_matches(['+', '#']);
        let what = match rest.replace('0', "O").as_str() {
            "--" => What::Null,
            "O-O" => What::Castling { short: true },
            "O-O-O" => What::Castling { short: false },
            "e.p." => What::AnyEnPassant,
            _ => What::Man(ManMove::read(rest)),
        };
        Pattern { what, mark }
    }
}

impl ManMove {
    fn read(text: &str) -> ManMove {
        let without = text.trim_end_matches("e.p.");
        let en_passant = without.len() < text.len();
        let mut letters: Vec<char> = without.trim().chars().collect();
        let is_target = |letters: &[char]| match letters {
            [.., file, rank] => "abcdefgh?".contains(*file) && "12345678?".contains(*rank),
            _ => false,
        };
        let promotion = match letters[..] {
            [.., '=', promotion] => {
                letters.truncate(letters.len() - 2);
                Some(promotion)
            }
            [.., last] if !is_target(&letters) => {
                letters.pop();
                Some(last)
            }
            _ => None,
        };
        assert!(is_target(&letters), "{text} has no target");
        let rank = letters.pop().expect("a rank");
        let file = letters.pop().expect("a file");
        let captures = letters.last() == Some(&'x');
        if captures {
            letters.pop();
        }
        let man = match letters.first() {
            Some(&first) if first == '?' || first.is_ascii_uppercase() => letters.remove(0),
            _ => 'P',
        };
        let origin = match letters[..] {
            [] | ['?'] => ['?', '?'],
            [rank @ '1'..='8'] => ['?', rank],
            [file] => [file, '?'],
            [file, rank] => [file, rank],
            _ => panic!("{text} has a strange origin"),
        };
        ManMove {
            man,
            origin,
            captures: captures || en_passant,
            target: [file, rank],
            promotion,
            en_passant,
        }
    }

    fn fits(&self, played: Move) -> bool {
        let (from, to) = match played {
            Move::Normal { from, to, .. } | Move::EnPassant { from, to } => (from, to),
            Move::Castle { .. } | Move::Put { .. } => return false,
        };
        let is_en_passant = matches!(played, Move::EnPassant { .. });
        let is_one = |wanted: char, have: char| wanted == '?' || wanted == have;
        let is_square = |wanted: [char; 2], have: Square| {
            is_one(wanted[0], have.file().char()) && is_one(wanted[1], have.rank().char())
        };
        is_one(self.man, played.role().upper_char())
            && is_square(self.origin, from)
            && is_square(self.target, to)
            && played.is_capture() == self.captures
            && (is_en_passant || !self.en_passant)
            && self.promotion.is_none_or(|wanted| {
                let became = played.promotion().map(Role::upper_char);
                became.is_some_and(|became| is_one(wanted, became))
            })
    }
}

impl What {
    fn fits(&self, made: Made) -> bool {
        let Made::Move(played) = made else {
            return matches!((self, made), (What::Null, Made::Null));
        };
        match self {
            What::Null => false,
            What::Castling { short } => match played {
                Move::Castle { king, rook } => (rook.file() > king.file()) == *short,
                _ => false,
            },
            What::AnyEnPassant => matches!(played, Move::EnPassant { .. }),
            What::Man(man) => man.fits(played),
        }
    }
}

fn has_mark(place: &Place, mark: Option<char>) -> bool {
    match mark {
        None => true,
        Some('+') => place.check,
        Some(_) => place.mate,
    }
}

/// Whether the last move was such a one.
pub(crate) fn is_played(pattern: &str, place: &Place) -> bool {
    let pattern = Pattern::read(pattern);
    pattern.what.fits(place.made) && has_mark(place, pattern.mark)
}

/// Whether the last move was such a one, or mated.
pub(crate) fn is_such(reply: &Reply, place: &Place) -> bool {
    match reply {
        Reply::Mate => place.mate && matches!(place.made, Made::Move(_)),
        Reply::Move(pattern) => is_played(pattern, place),
        other => panic!("nobody evaluates {other:?}"),
    }
}

/// Whether the side to move has such a move.
pub(crate) fn can(reply: &Reply, view: &View<'_>) -> bool {
    let original = view.original();
    let Some(position) = original.position() else {
        return false;
    };
    let mut legal = position.legal_moves().into_iter();
    let pattern = match reply {
        Reply::Mate => None,
        Reply::Move(text) => Some(Pattern::read(text)),
        other => panic!("nobody evaluates {other:?}"),
    };
    legal.any(|played| {
        let leads_to = || original.after(Some(played));
        match &pattern {
            None => leads_to().mate,
            Some(Pattern { what, mark }) => {
                let made = Made::Move(view.image.played(played));
                what.fits(made) && (mark.is_none() || has_mark(&leads_to(), *mark))
            }
        }
    })
}
