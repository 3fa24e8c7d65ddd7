//! Parts of single formats for the tests, fuzzers and examples of this package, which check bytes
//! and not databases. Not for other users: anything here may change or go at any time.

/// ChessBase.
pub mod chessbase {
    pub use crate::format::chessbase::{
        annotations::{Annotations, Content, Item, Marks},
        archive::Archive,
        write::{Encoder, SUFFIXES, Writer},
    };
}

/// ChessBase 2.
pub mod chessbase2 {
    pub use crate::format::chessbase2::write::{Encoder, SUFFIXES, Writer};
}

/// jose.
pub mod jose {
    pub use crate::format::jose::{Encoder, Stream};
}

/// Training data of Monty.
pub mod monty {
    pub use crate::format::monty::{Game, GameWriter, Score, named_visits};
}

/// PGN.
pub mod pgn {
    pub use crate::format::pgn::{Game, GameText, Input, for_each_game};
}

/// Simple Chess Databases.
pub mod scdb {
    pub use crate::format::scdb::write::{Encoder, Writer};
}

/// Scid.
pub mod scid4 {
    pub use crate::format::scid4::write::{Edition, EncodedGame, Encoder, Writer};
}

pub use crate::{
    format::{
        game::Encode,
        writer::{EncodedGame, Written},
    },
    source::Source,
};
