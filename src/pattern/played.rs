//! Patterns of moves with wildcards: as SAN, letter by letter, or by what a move does.
//!
//! A text is parsed once into all forms that a move may have: which man, from and to which squares,
//! capture, promotion, check. A move is compared with these without being converted to text.

use std::ops::Range;

use shakmaty::{Color, Role};
use tabiya_chess::{Man, Placed};

use super::{
    boards::{Boards, LastMove},
    symmetry::{Men, Symmetry},
    word::State,
};

/// A pattern of moves. Marks for check and mate are optional; if present, the move must have them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MovePattern {
    /// As SAN, in which `?` matches any one character; empty for a pattern by meaning.
    text: String,
    /// Whether to exchange short and long castling. The text cannot express this, since its
    /// wildcards may match either.
    swaps_castling: bool,
    /// Whether a null move fits, and nothing else.
    pub(super) is_null: bool,
    /// Sorted by capture or not, then by man.
    pub(super) forms: Vec<Form>,
    pub(super) castlings: Vec<Castling>,
    /// By capture or not, then by [`Man::index`] of a white man.
    kinds: [[Kind; 6]; 2],
}

/// The forms of one man, either captures or other moves.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Kind {
    /// The targets of all these forms.
    to: u64,
    /// The range of these in all forms.
    forms: Range<usize>,
}

/// One form of a move of one man.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Form {
    pub(super) role: Role,
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) captures: bool,
    /// Whether the capture must be one en passant.
    pub(super) en_passant: bool,
    pub(super) promotion: Promotion,
    /// Whether the piece's file and its rank are given, as SAN requires if others reach the square;
    /// `None` if that does not count.
    told_apart: Option<(bool, bool)>,
    pub(super) mark: Mark,
}

/// What a pawn must become.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Promotion {
    /// Whatever it becomes, or nothing.
    Any,
    /// Any piece.
    Some,
    /// This piece, or none.
    Only(Option<Role>),
}

/// Castling to one side.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Castling {
    pub(super) is_long: bool,
    pub(super) mark: Mark,
}

/// What a mark requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    Any,
    /// Check, and not mate.
    Check,
    /// Check, mate included.
    CheckOrMate,
    Mate,
}

impl Promotion {
    pub(super) fn allows(self, promotion: Option<Role>) -> bool {
        match self {
            Promotion::Any => true,
            Promotion::Some => promotion.is_some(),
            Promotion::Only(role) => role == promotion,
        }
    }
}

impl MovePattern {
    /// Parses a pattern of SAN as typed; annotation marks `!` at the end are ignored.
    pub(crate) fn san(text: &str) -> MovePattern {
        MovePattern::read(text.trim_end_matches('!').replace('0', "O"), false)
    }

    fn read(text: String, swaps_castling: bool) -> MovePattern {
        let (mut forms, mut castlings) = (Vec::new(), Vec::new());
        for (mark, letter) in Mark::ALL {
            let mut text = Text(text.as_bytes());
            if letter.is_some_and(|letter| text.last(letter).is_none()) {
                continue;
            }
            forms.extend(Form::all(text, mark));
            let written = [("O-O", swaps_castling), ("O-O-O", !swaps_castling)];
            let written = written.into_iter().filter(|(san, _)| fits(text.0, san));
            castlings.extend(written.map(|(_, is_long)| Castling { is_long, mark }));
        }
        MovePattern {
            text,
            swaps_castling,
            ..MovePattern::of_forms(forms, castlings)
        }
    }

    pub(super) fn of_forms(mut forms: Vec<Form>, castlings: Vec<Castling>) -> MovePattern {
        let place = |form: &Form| {
            let man = Man::new(Color::White, form.role);
            (usize::from(form.captures), man.index())
        };
        forms.sort_by_key(place);
        let mut kinds: [[Kind; 6]; 2] = Default::default();
        for (number, form) in forms.iter().enumerate() {
            let (captures, man) = place(form);
            let kind = &mut kinds[captures][man];
            if kind.forms.is_empty() {
                kind.forms = number..number;
            }
            kind.forms.end = number + 1;
            kind.to |= form.to;
        }
        MovePattern {
            text: String::new(),
            swaps_castling: false,
            is_null: false,
            forms,
            castlings,
            kinds,
        }
    }

    /// Returns the mirror image of the pattern: ranks, files and castling sides change.
    pub(crate) fn image(&self, symmetry: Symmetry) -> MovePattern {
        if self.text.is_empty() {
            return self.image_of_forms(symmetry);
        }
        let image = |letter: char| match letter {
            '1'..='8' if symmetry.flip => char::from(b'9' - (letter as u8 - b'0')),
            'a'..='h' if symmetry.mirror => char::from(b'a' + b'h' - letter as u8),
            other => other,
        };
        let text = self.text.chars().map(image).collect();
        MovePattern::read(text, self.swaps_castling != symmetry.mirror)
    }

    fn image_of_forms(&self, symmetry: Symmetry) -> MovePattern {
        let form = |form: &Form| Form {
            from: symmetry.squares(form.from),
            to: symmetry.squares(form.to),
            ..form.clone()
        };
        let castling = |castling: &Castling| Castling {
            is_long: castling.is_long != symmetry.mirror,
            ..castling.clone()
        };
        let forms = self.forms.iter().map(form).collect();
        let castlings = self.castlings.iter().map(castling).collect();
        MovePattern {
            is_null: self.is_null,
            ..MovePattern::of_forms(forms, castlings)
        }
    }

    /// Returns men and squares: after a move that fits, made by `mover` or either side, one of the
    /// men has just arrived on one of the squares. Returns no men if no move fits at all.
    pub(crate) fn arrivals(&self, mover: Option<Color>) -> (Men, u64) {
        let (mut men, mut squares) = (0, 0);
        for color in Color::ALL {
            if mover.is_some_and(|mover| mover != color) {
                continue;
            }
            for form in &self.forms {
                men |= form.men_after(color);
                squares |= form.to;
            }
            for castling in &self.castlings {
                const KING_TO: [u64; 2] = [1 << 6, 1 << 2];
                men |= 1 << Man::new(color, Role::King).index();
                squares |= KING_TO[usize::from(castling.is_long)] << color.fold_wb(0, 56);
            }
        }
        (men, squares)
    }

    /// Returns whether only promotions fit, and if so, whether none of them is to a queen.
    pub(crate) fn promotes(&self) -> Option<bool> {
        let promotes =
            |form: &Form| !matches!(form.promotion, Promotion::Any | Promotion::Only(None));
        let is_sure = !self.is_null && self.castlings.is_empty() && self.forms.iter().all(promotes);
        let to_queen = |form: &Form| form.promotion.allows(Some(Role::Queen));
        is_sure.then(|| !self.forms.iter().any(to_queen))
    }

    /// Returns the test, check or mate, that every position after a fitting move passes, if any.
    pub(super) fn threat(&self) -> Option<State> {
        if self.is_null {
            return None;
        }
        if self.marks().all(|mark| mark == Mark::Mate) {
            return Some(State::Mate);
        }
        let tells = self.marks().all(|mark| mark != Mark::Any);
        tells.then_some(State::Check)
    }

    /// Returns whether the squares alone exclude nearly every move.
    pub(super) fn is_narrow(&self) -> bool {
        const SQUARES: u32 = 8;
        self.arrivals(None).1.count_ones() <= SQUARES
    }

    fn marks(&self) -> impl Iterator<Item = Mark> {
        let castlings = self.castlings.iter().map(|castling| castling.mark);
        self.forms.iter().map(|form| form.mark).chain(castlings)
    }

    /// Returns whether the move that led to the position fits.
    #[inline]
    pub(crate) fn is_last_move_of(&self, boards: &Boards) -> bool {
        let Some((last, (from, to))) = boards.last().and_then(|last| Some((last, last.moved?)))
        else {
            return self.is_null && boards.ply > 0;
        };
        if let Some((rook, _)) = last.rook {
            return self.fits_castling(boards, (from, rook));
        }
        let kind = &self.kinds[usize::from(last.captured.is_some())][from.man_index() % 6];
        kind.to >> to.square_index() & 1 == 1
            && MovePattern::fits_last(&self.forms[kind.forms.clone()], boards, last, (from, to))
    }

    #[inline(never)]
    fn fits_castling(&self, boards: &Boards, (king, rook): (Placed, Placed)) -> bool {
        let is_long = rook.square().file() < king.square().file();
        let mut castlings = self.castlings.iter();
        castlings.any(|castling| castling.is_long == is_long && castling.mark.is_true_of(boards))
    }

    /// Compares a move whose target fits with the forms of its man. Few moves come here: behind a
    /// call, the test before it stays small.
    #[inline(never)]
    fn fits_last(
        forms: &[Form],
        boards: &Boards,
        last: &LastMove,
        (from, to): (Placed, Placed),
    ) -> bool {
        let mut told_apart = None;
        let mut is_told_apart =
            |so| *told_apart.get_or_insert_with(|| boards.told_apart(from, to)) == so;
        forms.iter().any(|form| {
            form.allows(from, to, last)
                && form.told_apart.is_none_or(&mut is_told_apart)
                && form.mark.is_true_of(boards)
        })
    }

    /// Returns whether a move in SAN, with its marks for check and mate, fits.
    pub(super) fn fits(&self, san: &str) -> bool {
        let swapped = if self.swaps_castling {
            castling_to_the_other_side(san)
        } else {
            None
        };
        let san = swapped.as_deref().unwrap_or(san);
        let bare = san.trim_end_matches(['+', '#']);
        let text = self.text.as_bytes();
        [san, bare].iter().any(|san| fits(text, san))
    }
}

impl Mark {
    const ALL: [(Mark, Option<u8>); 3] = [
        (Mark::Any, None),
        (Mark::Check, Some(b'+')),
        (Mark::Mate, Some(b'#')),
    ];

    pub(super) fn is_true_of(self, boards: &Boards) -> bool {
        match self {
            Mark::Any => true,
            Mark::Check => boards.is_check() && !boards.is_mate(),
            Mark::CheckOrMate => boards.is_check(),
            Mark::Mate => boards.is_mate(),
        }
    }
}

impl Form {
    /// Returns a form of which it does not count how SAN writes it.
    pub(super) fn of(
        role: Role,
        (from, to): (u64, u64),
        captures: bool,
        promotion: Promotion,
        mark: Mark,
    ) -> Form {
        Form {
            role,
            from,
            to,
            captures,
            en_passant: false,
            promotion,
            told_apart: None,
            mark,
        }
    }

    /// Returns the form of captures en passant; `None` if there are no such moves.
    pub(super) fn en_passant(self) -> Option<Form> {
        (self.role == Role::Pawn).then_some(Form {
            en_passant: true,
            ..self
        })
    }

    /// Returns all forms that a text without its mark can be.
    fn all(text: Text<'_>, mark: Mark) -> Vec<Form> {
        const PROMOTIONS: [Role; 5] = [
            Role::Queen,
            Role::Rook,
            Role::Bishop,
            Role::Knight,
            Role::King,
        ];
        let mut forms = Vec::new();
        for captures in [false, true] {
            let promotions = PROMOTIONS.into_iter().map(Some);
            let pawns = std::iter::once(None).chain(promotions);
            forms.extend(pawns.filter_map(|to| Form::of_pawn(text, captures, to, mark)));
            for role in PROMOTIONS {
                for (by_file, by_rank) in
                    [(false, false), (true, false), (false, true), (true, true)]
                {
                    let told_apart = (by_file, by_rank);
                    forms.extend(Form::of_piece(text, captures, role, told_apart, mark));
                }
            }
        }
        forms
    }

    fn of_pawn(
        mut text: Text<'_>,
        captures: bool,
        promotion: Option<Role>,
        mark: Mark,
    ) -> Option<Form> {
        let mut from = u64::MAX;
        if captures {
            from = text.file()?;
            text.letter(b'x')?;
        }
        let to = text.file()? & text.rank()?;
        if let Some(role) = promotion {
            text.letter(b'=')?;
            text.letter(role.upper_char() as u8)?;
        }
        text.end()?;
        Some(Form {
            role: Role::Pawn,
            from,
            to,
            captures,
            en_passant: false,
            promotion: Promotion::Only(promotion),
            told_apart: Some((false, false)),
            mark,
        })
    }

    fn of_piece(
        mut text: Text<'_>,
        captures: bool,
        role: Role,
        told_apart: (bool, bool),
        mark: Mark,
    ) -> Option<Form> {
        let (by_file, by_rank) = told_apart;
        text.letter(role.upper_char() as u8)?;
        let mut from = u64::MAX;
        if by_file {
            from &= text.file()?;
        }
        if by_rank {
            from &= text.rank()?;
        }
        if captures {
            text.letter(b'x')?;
        }
        let to = text.file()? & text.rank()?;
        text.end()?;
        Some(Form {
            role,
            from,
            to,
            captures,
            en_passant: false,
            promotion: Promotion::Only(None),
            told_apart: Some(told_apart),
            mark,
        })
    }

    /// Returns the kinds of men that may stand on the target square after such a move.
    fn men_after(&self, color: Color) -> Men {
        let of = |role| 1 << Man::new(color, role).index();
        let promoted = |among: &mut dyn Iterator<Item = Role>| {
            among
                .filter(|&role| self.promotion.allows(Some(role)))
                .fold(0, |men, role| men | of(role))
        };
        let stays = if self.promotion.allows(None) {
            of(self.role)
        } else {
            0
        };
        match self.role {
            Role::Pawn => stays | promoted(&mut Role::ALL.into_iter().skip(1)),
            _ => stays,
        }
    }

    fn allows(&self, from: Placed, to: Placed, last: &LastMove) -> bool {
        self.promotion.allows(last.promotion)
            && (!self.en_passant || last.captured != Some(to.square_index()))
            && self.from >> from.square_index() & 1 == 1
            && self.to >> to.square_index() & 1 == 1
    }
}

/// The unparsed rest of a text. Each method consumes one character, if it matches.
#[derive(Debug, Clone, Copy)]
struct Text<'t>(&'t [u8]);

impl Text<'_> {
    fn letter(&mut self, wanted: u8) -> Option<()> {
        let (&letter, rest) = self.0.split_first()?;
        self.0 = rest;
        (letter == wanted || letter == b'?').then_some(())
    }

    /// Consumes the last character.
    fn last(&mut self, wanted: u8) -> Option<()> {
        let (&letter, rest) = self.0.split_last()?;
        self.0 = rest;
        (letter == wanted || letter == b'?').then_some(())
    }

    /// Consumes a file and returns its squares.
    fn file(&mut self) -> Option<u64> {
        const FILE: u64 = 0x0101_0101_0101_0101;
        self.one_of_eight(b'a', |file| FILE << file)
    }

    /// Consumes a rank and returns its squares.
    fn rank(&mut self) -> Option<u64> {
        self.one_of_eight(b'1', |rank| 0xff << (8 * rank))
    }

    fn one_of_eight(&mut self, first: u8, squares: impl Fn(u8) -> u64) -> Option<u64> {
        let (&letter, rest) = self.0.split_first()?;
        self.0 = rest;
        if letter == b'?' {
            return Some(u64::MAX);
        }
        let number = letter.checked_sub(first).filter(|&number| number < 8)?;
        Some(squares(number))
    }

    fn end(&self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

/// Returns castling to the other side, with the same marks; `None` for other moves.
fn castling_to_the_other_side(san: &str) -> Option<String> {
    const SHORT: &str = "O-O";
    const LONG: &str = "O-O-O";
    match san.strip_prefix(LONG) {
        Some(marks) => Some([SHORT, marks].concat()),
        None => Some([LONG, san.strip_prefix(SHORT)?].concat()),
    }
}

fn fits(pattern: &[u8], text: &str) -> bool {
    let mut pairs = pattern.iter().zip(text.bytes());
    pattern.len() == text.len() && pairs.all(|(&want, have)| want == b'?' || want == have)
}
#[cfg(test)]
mod tests {
    use shakmaty::{Position as _, san::SanPlus};

    use super::*;
    use crate::pattern::walks::for_each_ply;

    #[test]
    fn wildcards_stand_for_one_character() {
        let fits = |pattern: &str, san: &str| MovePattern::san(pattern).fits(san);
        assert!(fits("Bxh7+", "Bxh7+") && fits("Bxh7", "Bxh7+"));
        assert!(!fits("Bxh7+", "Bxh7") && !fits("Bxh7+", "Bxh7#"));
        assert!(fits("?x?7", "Bxf7+") && !fits("?x?7", "Nbxd7"));
        assert!(fits("0-0-0", "O-O-O+") && !fits("O-O", "O-O-O"));
    }

    #[test]
    fn castling_to_one_side_is_castling_to_the_other_on_the_mirrored_board() {
        let mirror = Symmetry {
            mirror: true,
            flip: false,
        };
        let fits = |pattern: &str, san: &str| {
            let image = MovePattern::san(pattern).image(mirror);
            let twice = image.image(mirror);
            assert_eq!(twice, MovePattern::san(pattern));
            image.fits(san)
        };
        for pattern in ["O-O", "0-0", "???", "?-O", "O??"] {
            assert!(fits(pattern, "O-O-O") && !fits(pattern, "O-O"), "{pattern}");
        }
        for pattern in ["O-O-O", "O-O-O+", "?-?-?", "?????+"] {
            assert!(
                fits(pattern, "O-O+") && !fits(pattern, "O-O-O+"),
                "{pattern}"
            );
        }
        assert!(fits("?d5", "Ne5") && fits("???", "Nf3+") && !fits("?d5", "Nd5"));
    }

    /// Matching a move against the board must agree with matching its text; so must the conclusions
    /// from the pattern, since prefilters rely on them.
    #[test]
    fn moves_fit_without_being_written_as_they_do_in_writing() {
        const TEXTS: [&str; 40] = [
            "Bxh7+", "?x?7", "O-O", "O-O-O", "O-O-O#", "O-O+", "???", "????", "?????", "??????",
            "?x??", "?x???", "N??", "Nb??", "N?d?", "N???", "Q???", "Q?x?8", "Qb4d2", "Q????",
            "R?1+", "Rad1", "R1??", "K??", "K?x?", "e4", "?x?8=Q", "??=N", "f8=?", "?8=?+",
            "????#", "?????#", "???+", "a1=Q", "exd6", "bxc6", "?-?", "O??", "???#", "Zz9",
        ];
        let symmetries = [(false, false), (true, false), (false, true), (true, true)];
        let texts: Vec<MovePattern> = TEXTS
            .iter()
            .flat_map(|text| {
                symmetries
                    .map(|(flip, mirror)| MovePattern::san(text).image(Symmetry { flip, mirror }))
            })
            .collect();
        let mut fitting = vec![0; texts.len()];
        for_each_ply(200, |ply| {
            let written = SanPlus::from_move(ply.before.clone(), ply.played).to_string();
            for (text, fitting) in texts.iter().zip(&mut fitting) {
                let fits = text.is_last_move_of(ply.boards);
                assert_eq!(
                    fits,
                    text.fits(&written),
                    "{text:?} {written} {:?}",
                    ply.before
                );
                if fits {
                    *fitting += 1;
                    for mover in [None, Some(ply.before.turn())] {
                        let (men, squares) = text.arrivals(mover);
                        assert!(ply.boards.union(men) & squares != 0, "{text:?} {written}");
                    }
                    let promotes = ply.played.promotion();
                    assert!(text.promotes().is_none() || promotes.is_some());
                    assert!(text.promotes() != Some(true) || promotes != Some(Role::Queen));
                    let check = text.threat().is_none_or(|state| state.holds(ply.boards));
                    assert!(check, "{text:?} {written}");
                }
            }
        });
        let found = fitting.iter().filter(|&&fitting| fitting > 0).count();
        assert!(found > texts.len() / 2, "{fitting:?}");
        assert_eq!(MovePattern::san("Zz9").arrivals(None).0, 0);
    }
}
