//! Chess types that shakmaty lacks: men, counts, signatures, header values.
//!
//! Colours, roles, squares, boards and positions are shakmaty's; those that the public interface
//! uses are re-exported here.

pub(crate) mod castling;
pub mod date;
pub mod eco;
pub mod follow;
pub mod forgive;
pub mod header;
pub mod home_pawns;
pub(crate) mod light;
pub mod man;
pub mod marks;
pub mod material;
pub mod place;
pub(crate) mod placement;
pub(crate) mod rays;
pub(crate) mod step;
pub mod tally;
pub mod text;
pub mod thought;
pub(crate) mod variant;

pub use date::PartialDate;
pub use eco::{Eco, EcoRange};
pub use follow::{Flow, Follow, Placed, Rewind, Start};
pub use forgive::forgiving_position;
pub use header::{Elo, GameId, GameResult, NameId, NameKind, RatingKind};
pub use home_pawns::HomePawns;
pub use man::Man;
pub use marks::{Content, Medal};
pub use material::{Counts, FinalMaterial};
pub use place::MoveId;
pub use shakmaty::{CastlingMode, Chess, Color, Move, Piece, Position, Role, Setup, Square};
pub use tally::Tally;
pub use thought::{Share, Thought};
