//! Chess types that shakmaty lacks: men, counts, header values.
//!
//! Colours, roles, squares, boards and positions are those of [`shakmaty`].

pub(crate) mod castling;
pub(crate) mod date;
pub(crate) mod eco;
pub(crate) mod follow;
pub(crate) mod forgive;
pub(crate) mod header;
pub(crate) mod home_pawns;
pub(crate) mod light;
pub(crate) mod man;
pub(crate) mod marks;
pub(crate) mod material;
pub(crate) mod opening_names;
pub(crate) mod parse_error;
pub(crate) mod place;
pub(crate) mod placement;
pub(crate) mod rays;
pub(crate) mod remark;
pub(crate) mod requirements;
pub(crate) mod speed;
pub(crate) mod step;
pub(crate) mod tally;
pub mod text;
pub(crate) mod thought;
pub(crate) mod variant;

pub use date::PartialDate;
pub use eco::{Eco, EcoRange};
pub use follow::{Flow, Start};
pub(crate) use follow::{Follow, Placed, Rewind};
pub use forgive::forgiving_position;
pub use header::{Elo, GameId, GameResult, NameId, NameKind, RatingKind};
pub use home_pawns::HomePawns;
pub use man::Man;
pub use marks::{Content, Medal};
pub use material::{Counts, FinalMaterial};
pub use opening_names::{NamedOpening, opening_of, openings};
pub use parse_error::ParseError;
pub use place::MoveId;
pub use remark::{Evaluation, Remark, Seconds};
pub(crate) use shakmaty::Color;
pub use speed::Speed;
pub use tally::Tally;
pub use thought::{Share, Thought};
