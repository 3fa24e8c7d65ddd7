//! Patterns of moves by what they do: `Nbd2`, `?xd5`, `e8=Q`, `O-O`, `e.p.`.
//!
//! ```text
//! pattern = ( "O-O" | "O-O-O" | "--" | "e.p."
//!           | [man] [origin] ["x"] target [["="] promotion] [" "] ["e.p."] ) [ "+" | "#" ]
//! man     = one of K Q R B N P, or "?" for any; none = a pawn
//! origin  = file, rank or square; "?" = any file or rank, and alone anything
//! target  = square, "?" for file, rank or both
//! ```
//!
//! The last two characters before promotion and marks are the target, an `x` before it the capture;
//! of what is left the first, if it is a capital or `?`, is the man.

use shakmaty::{Bitboard, File, Rank, Role};

use super::played::{Castling, Form, Mark, MovePattern, Promotion};

const EXPECTED: &str = "expected a move such as `Nbd2`, `?xd5`, `e8=Q`, `O-O` or `e.p.`";

impl MovePattern {
    /// Parses a pattern as typed.
    ///
    /// # Errors
    /// What was expected.
    pub(crate) fn by_meaning(text: &str) -> Result<MovePattern, String> {
        let text = text.trim_end_matches('!');
        let (text, mark) = match (text.strip_suffix('+'), text.strip_suffix('#')) {
            (Some(text), _) => (text, Mark::CheckOrMate),
            (_, Some(text)) => (text, Mark::Mate),
            _ => (text, Mark::Any),
        };
        let castling = |is_long| {
            let castlings = vec![Castling { is_long, mark }];
            Ok(MovePattern::of_forms(Vec::new(), castlings))
        };
        match text {
            "O-O" | "0-0" => return castling(false),
            "O-O-O" | "0-0-0" => return castling(true),
            "--" if mark == Mark::Any => {
                let mut pattern = MovePattern::of_forms(Vec::new(), Vec::new());
                pattern.is_null = true;
                return Ok(pattern);
            }
            _ => {}
        }
        let (text, en_passant) = match text.strip_suffix("e.p.") {
            Some(text) => (text.strip_suffix(' ').unwrap_or(text), true),
            None => (text, false),
        };
        if en_passant && text.is_empty() {
            let form = Form::of(Role::Pawn, (u64::MAX, u64::MAX), true, Promotion::Any, mark);
            return Ok(MovePattern::of_forms(
                form.en_passant().into_iter().collect(),
                Vec::new(),
            ));
        }
        let forms = read(text, mark).ok_or_else(|| EXPECTED.to_owned())?;
        let forms = forms.into_iter();
        Ok(MovePattern::of_forms(
            if en_passant {
                forms.filter_map(Form::en_passant).collect()
            } else {
                forms.collect()
            },
            Vec::new(),
        ))
    }
}

/// Reads all but castling, en passant and marks. Returns a form for each man.
fn read(text: &str, mark: Mark) -> Option<Vec<Form>> {
    let (text, promotion) = match text.rsplit_once('=') {
        Some((text, "?")) => (text, Promotion::Some),
        Some((text, letter)) => (text, Promotion::Only(Some(promoted(letter)?))),
        None => match text.split_at_checked(text.len().checked_sub(1)?)? {
            (before, letter) if promoted(letter).is_some() => {
                (before, Promotion::Only(promoted(letter)))
            }
            _ => (text, Promotion::Any),
        },
    };
    let (before, target) = text.split_at_checked(text.len().checked_sub(2)?)?;
    let to = squares(target)?;
    let (before, captures) = match before.strip_suffix('x') {
        Some(before) => (before, true),
        None => (before, false),
    };
    let mut letters = before.chars();
    let (roles, origin): (&[Role], &str) = match letters.next() {
        Some('?') => (&Role::ALL, letters.as_str()),
        Some(letter) if letter.is_ascii_uppercase() => {
            let index = Role::ALL
                .iter()
                .position(|role| role.upper_char() == letter)?;
            (&Role::ALL[index..=index], letters.as_str())
        }
        _ => (&[Role::Pawn], before),
    };
    let from = if origin.is_empty() {
        u64::MAX
    } else {
        squares(origin)?
    };
    let form = |&role: &Role| Form::of(role, (from, to), captures, promotion, mark);
    Some(roles.iter().map(form).collect())
}

fn promoted(letter: &str) -> Option<Role> {
    match letter {
        "Q" => Some(Role::Queen),
        "R" => Some(Role::Rook),
        "B" => Some(Role::Bishop),
        "N" => Some(Role::Knight),
        _ => None,
    }
}

/// Parses a file, a rank or both. `?` is any of them, and alone anything.
fn squares(text: &str) -> Option<u64> {
    let all = Some(Bitboard::FULL);
    let file = |letter| match letter {
        '?' => all,
        _ => File::from_char(letter).map(Bitboard::from),
    };
    let rank = |letter| match letter {
        '?' => all,
        _ => Rank::from_char(letter).map(Bitboard::from),
    };
    let mut letters = text.chars();
    let squares = match (letters.next()?, letters.next(), letters.next()) {
        (line, None, _) => file(line).or_else(|| rank(line))?,
        (one, Some(other), None) => file(one)? & rank(other)?,
        _ => return None,
    };
    Some(squares.into())
}

#[cfg(test)]
mod tests {
    use shakmaty::{Move, Position as _, Square};

    use super::*;
    use crate::pattern::walks::for_each_ply;

    #[test]
    fn patterns_that_mean_nothing_are_refused() {
        for text in [
            "", "x", "d", "9", "Kd", "Nz4", "i4", "d9", "Nbb4d5", "Zd4", "e8=K", "e8=P", "=Q",
            "OO", "O-O-", "---", "e4=", "N1bd2", "d4x", "xx", "Nxxd4", "éé", "Nb1xe", "n?4",
        ] {
            assert!(MovePattern::by_meaning(text).is_err(), "{text}");
        }
    }

    /// A pattern holds by what the move does, however the rules would write it.
    #[test]
    fn moves_fit_by_what_they_do() {
        const PATTERNS: [&str; 24] = [
            "Nbd2",
            "Nd2",
            "?xd5",
            "?x??",
            "???",
            "??=?",
            "??=Q",
            "?x??=?",
            "R1??",
            "Qdx??",
            "K??",
            "Kg1",
            "O-O",
            "O-O-O",
            "O-O+",
            "e.p.",
            "bxc6 e.p.",
            "?x?? e.p.+",
            "P??",
            "R?7+",
            "??#",
            "Q??#",
            "Rd?",
            "?e???",
        ];
        let patterns = PATTERNS.map(|text| MovePattern::by_meaning(text).expect(text));
        let mut seen = [0; PATTERNS.len()];
        for_each_ply(600, |ply| {
            let mut letters = match ply.played {
                Move::Castle { king, rook } if rook > king => "O-O".to_owned(),
                Move::Castle { .. } => "O-O-O".to_owned(),
                played => {
                    let from: Square = played.from().expect("no drops");
                    let capture = if played.is_capture() { "x" } else { "" };
                    format!(
                        "{}{from}{capture}{}",
                        played.role().upper_char(),
                        played.to()
                    )
                }
            };
            if let Some(promotion) = played_promotion(ply.played) {
                letters.push('=');
                letters.push(promotion.upper_char());
            }
            for ((text, pattern), seen) in PATTERNS.iter().zip(&patterns).zip(&mut seen) {
                let wanted = fits(text, &letters)
                    && (!text.contains("e.p.") || ply.played.is_en_passant())
                    && (!text.contains('+') || ply.after.is_check())
                    && (!text.contains('#') || ply.after.is_checkmate());
                assert_eq!(
                    pattern.is_last_move_of(ply.boards),
                    wanted,
                    "{text}: {letters}"
                );
                *seen += u32::from(wanted);
            }
        });
        assert!(
            seen.iter().filter(|&&seen| seen > 0).count() > 18,
            "{seen:?}"
        );
    }

    fn played_promotion(played: Move) -> Option<Role> {
        played.promotion()
    }

    /// Compares a pattern with `Ng1xf3=Q` in the most obvious way.
    fn fits(pattern: &str, played: &str) -> bool {
        let pattern = pattern.trim_end_matches(['+', '#']);
        if pattern.starts_with('O') || played.starts_with('O') {
            return pattern == played;
        }
        let pattern = pattern.trim_end_matches("e.p.").trim_end();
        if pattern.is_empty() {
            return true;
        }
        let (body, promotion) = pattern.split_once('=').unwrap_or((pattern, ""));
        let (played, promoted) = played.split_once('=').unwrap_or((played, ""));
        let target = &body[body.len() - 2..];
        let rest = &body[..body.len() - 2];
        let captures = rest.ends_with('x');
        let rest = rest.trim_end_matches('x');
        let has_man = rest.starts_with(|letter: char| letter.is_uppercase() || letter == '?');
        let (man, origin) = if has_man {
            rest.split_at(1)
        } else {
            ("P", rest)
        };
        let is = |want: char, have: Option<char>| want == '?' || Some(want) == have;
        let letters: Vec<char> = played.chars().collect();
        let origin_fits = match origin.len() {
            0 => true,
            1 => origin == "?" || letters[1..3].contains(&origin.chars().next().unwrap()),
            _ => origin
                .chars()
                .zip(&letters[1..])
                .all(|(want, have)| is(want, Some(*have))),
        };
        let promotion_fits = match promotion {
            "" => true,
            "?" => !promoted.is_empty(),
            other => other == promoted,
        };
        let mut ends = target.chars().zip(&letters[letters.len() - 2..]);
        is(man.chars().next().unwrap(), letters.first().copied())
            && origin_fits
            && captures == played.contains('x')
            && ends.all(|(want, have)| is(want, Some(*have)))
            && promotion_fits
    }
}
