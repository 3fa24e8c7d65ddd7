//! Chess types that shakmaty lacks: men, counts, header values.
//!
//! Internal to `tabiya`, which exports what its users need; anything else may change at any time.
//!
//! Colours, roles, squares, boards and positions are those of [`shakmaty`].

#![allow(
    rustdoc::private_intra_doc_links,
    reason = "internal, and documented with its private items"
)]

pub mod castling;
pub mod date;
pub mod diagram;
pub mod eco;
pub mod engine_eval;
pub mod follow;
pub mod forgive;
pub mod header;
pub mod home_pawns;
pub mod judgement;
pub mod light;
pub mod man;
pub mod marks;
pub mod material;
pub mod opening_names;
pub mod parse_error;
pub mod place;
pub mod placement;
pub mod rays;
pub mod remark;
pub mod requirements;
#[cfg(feature = "serde")]
pub mod serial;
pub mod speed;
pub mod step;
pub mod tally;
pub mod text;
pub mod variant;

pub use date::PartialDate;
pub use eco::{Eco, EcoRange};
pub use engine_eval::{EngineEval, Share};
pub use follow::{Flow, Follow, Placed, Rewind, Start};
pub use forgive::forgiving_position;
pub use header::{Elo, GameId, GameResult, NameId, NameKind, RatingKind};
pub use home_pawns::HomePawns;
pub use judgement::Judgement;
pub use man::Man;
pub use marks::{Content, Medal};
pub use material::{Counts, FinalMaterial};
pub use opening_names::{NamedOpening, opening_of, openings};
pub use parse_error::ParseError;
pub use place::MoveId;
pub use remark::{Decimal, Evaluation, Remark, Seconds};
pub use shakmaty::Color;
pub use speed::Speed;
pub use tally::Tally;
