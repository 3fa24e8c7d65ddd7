//! In what names are alike.

/// In what two names are alike, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
pub enum Likeness {
    /// A list of right spellings has it.
    Listed,
    /// They differ in capitals, accents, spaces, punctuation or titles only; `ue` is `ü`.
    Letters,
    /// One has the surname first, the other last.
    Order,
    /// Surname and first name are exchanged, although both have a comma.
    Turned,
    /// One has more first names, or longer ones.
    FirstNames,
    /// One has initials.
    Initials,
    /// First names are written from another alphabet in different ways, as `Mikhail` and `Mihail`.
    Transliteration,
    /// One letter differs.
    OneLetter,
}

impl Likeness {
    /// Returns the likeness of names whose first names differ: are both more than initials?
    pub(super) fn of_given(are_long: bool) -> Likeness {
        if are_long {
            Likeness::FirstNames
        } else {
            Likeness::Initials
        }
    }

    /// Returns the likeness in words.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Likeness::Listed => "listed",
            Likeness::Letters => "letters",
            Likeness::Order => "order",
            Likeness::Turned => "turned",
            Likeness::FirstNames => "first names",
            Likeness::Initials => "initials",
            Likeness::Transliteration => "transliteration",
            Likeness::OneLetter => "one letter",
        }
    }

    /// Returns how likely such names are one, of 100, if nothing else is known.
    pub(super) const fn points(self) -> i32 {
        match self {
            Likeness::Listed => 100,
            Likeness::Letters => 90,
            Likeness::Order => 80,
            Likeness::Turned => 60,
            Likeness::FirstNames => 65,
            Likeness::Initials | Likeness::Transliteration => 55,
            Likeness::OneLetter => 50,
        }
    }
}
