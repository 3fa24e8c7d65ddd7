//! What ChessBase stores about a game besides Scid's flags: medals, and the kinds of annotations.

/// Defines an enumeration whose names users type.
#[doc(hidden)]
#[macro_export]
macro_rules! named {
    (
        $(#[$about:meta])*
        $type:ident, $names:ident[$count:literal]:
        $($variant:ident $name:literal $meaning:literal;)*
    ) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum $type {
            $(#[doc = $meaning] $variant,)*
        }

        /// The names as users type them.
        pub const $names: [&str; $count] = [$($name),*];

        impl $type {
            /// All values, in the order of declaration.
            pub const ALL: [$type; $count] = [$($type::$variant),*];

            /// Returns the name as users type it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                $names[self as usize]
            }
        }
    };
}

named! {
    /// A medal of a game; bits from 0 upwards in ChessBase's records.
    #[non_exhaustive]
    Medal, MEDAL_NAMES[16]:
    BestGame "best-game" "The best game.";
    DecidedTournament "decided-tournament" "It decided a tournament.";
    ModelGame "model-game" "A model game.";
    Novelty "novelty" "A novelty in the opening.";
    PawnStructure "pawn-structure" "A pawn structure.";
    Strategy "strategy" "Strategy.";
    Tactics "tactics" "Tactics.";
    Attack "attack" "An attack.";
    Defence "defence" "Defence.";
    Sacrifice "sacrifice" "A sacrifice.";
    Material "material" "Material.";
    PiecePlay "piece-play" "Play of the pieces.";
    Endgame "endgame" "The endgame.";
    TacticalBlunder "tactical-blunder" "A tactical blunder.";
    StrategicBlunder "strategic-blunder" "A strategic blunder.";
    User "user" "The user's own mark.";
}

named! {
    /// Something that a game contains besides its main line.
    #[non_exhaustive]
    Content, CONTENT_NAMES[15]:
    Variations "variations" "Variations.";
    Comments "comments" "Comments in words.";
    Nags "nags" "Annotation glyphs.";
    Squares "squares" "Coloured squares.";
    Arrows "arrows" "Coloured arrows.";
    Time "time" "Time spent on moves.";
    Training "training" "Training questions.";
    Sound "sound" "Sounds.";
    Picture "picture" "Pictures.";
    Video "video" "Videos.";
    Quotation "quotation" "Other games, quoted.";
    PawnStructure "pawn-structure" "Marks of pawn structures.";
    PiecePath "piece-path" "Marks of paths of pieces.";
    Critical "critical" "Marks of critical positions.";
    Link "link" "Links to pages.";
}

impl Medal {
    /// Returns the names of a set of medals, separated by `, `, as in the tag `Medals`.
    #[doc(hidden)]
    pub fn names(medals: u16) -> String {
        let given = Medal::ALL
            .into_iter()
            .filter(|&medal| medals >> medal as u16 & 1 == 1);
        given.map(Medal::name).collect::<Vec<_>>().join(", ")
    }

    /// Parses the output of [`names`](Medal::names); `None` if there is an unknown name.
    #[doc(hidden)]
    pub fn set(names: &str) -> Option<u16> {
        names.split(',').map(str::trim).try_fold(0, |set, name| {
            let medal = Medal::ALL.into_iter().find(|medal| medal.name() == name)?;
            Some(set | 1 << medal as u16)
        })
    }
}

impl Content {
    /// Returns the bit in the content flags of ChessBase's records.
    #[doc(hidden)]
    #[must_use]
    pub const fn bit(self) -> u32 {
        1 << match self {
            Content::Variations => 1,
            Content::Comments => 2,
            Content::Nags => 3,
            Content::Squares => 4,
            Content::Arrows => 5,
            Content::Time => 7,
            Content::Training => 9,
            Content::Sound => 16,
            Content::Picture => 17,
            Content::Video => 18,
            Content::Quotation => 19,
            Content::PawnStructure => 20,
            Content::PiecePath => 21,
            Content::Critical => 24,
            Content::Link => 28,
        }
    }

    /// Returns the start of the comment command for this content; `None` for content that is not
    /// stored as a command.
    #[doc(hidden)]
    #[must_use]
    pub const fn command(self) -> Option<&'static str> {
        Some(match self {
            Content::Variations | Content::Comments | Content::Nags => return None,
            Content::Squares => "[%csl ",
            Content::Arrows => "[%cal ",
            Content::Time => "[%emt ",
            Content::Training => "[%training ",
            Content::Sound => "[%sound ",
            Content::Picture => "[%picture ",
            Content::Video => "[%video ",
            Content::Quotation => "[%quote ",
            Content::PawnStructure => "[%pawns ",
            Content::PiecePath => "[%path ",
            Content::Critical => "[%critical ",
            Content::Link => "[%link ",
        })
    }
}
