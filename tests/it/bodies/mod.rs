//! What is tried on bytes from strangers: by `cargo test` on a few hundred inputs, and by the
//! fuzzers of `tests/fuzz` on as many as there is time for.
//!
//! A body takes any bytes. It panics if a promise is broken; that it comes back at all, soon and
//! with little memory, is the first promise.

mod agree;
mod books;
mod cbf;
pub(crate) mod chessbase;
pub(crate) mod chessbase2;
mod files;
mod jose;
mod lists;
mod monty;
mod pgn;
pub(crate) mod pieces;
mod query;
mod round_trip;
pub(crate) mod scdb;
mod scid;
mod sidecar;
mod stockfish;
mod viriformat;

/// Something to try, and what to begin with.
#[derive(Debug)]
pub(crate) struct Body {
    /// The name of the fuzzer.
    pub(crate) name: &'static str,
    pub(crate) check: fn(&[u8]),
    /// Inputs that go far, made by our own writers.
    pub(crate) seeds: fn() -> Vec<Vec<u8>>,
}

pub(crate) const ALL: [Body; 17] = [
    Body {
        name: "scid4",
        check: scid::check_scid4,
        seeds: scid::scid4_seeds,
    },
    Body {
        name: "scid5",
        check: scid::check_scid5,
        seeds: scid::scid5_seeds,
    },
    Body {
        name: "chessbase",
        check: chessbase::check,
        seeds: chessbase::seeds,
    },
    Body {
        name: "chessbase2",
        check: chessbase2::check,
        seeds: chessbase2::seeds,
    },
    Body {
        name: "cbf",
        check: cbf::check,
        seeds: cbf::seeds,
    },
    Body {
        name: "scdb",
        check: scdb::check,
        seeds: scdb::seeds,
    },
    Body {
        name: "jose",
        check: jose::check,
        seeds: jose::seeds,
    },
    Body {
        name: "monty",
        check: monty::check,
        seeds: monty::seeds,
    },
    Body {
        name: "stockfish",
        check: stockfish::check,
        seeds: stockfish::seeds,
    },
    Body {
        name: "viriformat",
        check: viriformat::check,
        seeds: viriformat::seeds,
    },
    Body {
        name: "pgn",
        check: pgn::check,
        seeds: pgn::seeds,
    },
    Body {
        name: "lists",
        check: lists::check,
        seeds: lists::seeds,
    },
    Body {
        name: "books",
        check: books::check,
        seeds: books::seeds,
    },
    Body {
        name: "sidecar",
        check: sidecar::check,
        seeds: sidecar::seeds,
    },
    Body {
        name: "query",
        check: query::check,
        seeds: query::seeds,
    },
    Body {
        name: "round_trip",
        check: round_trip::check,
        seeds: round_trip::seeds,
    },
    Body {
        name: "agree",
        check: agree::check,
        seeds: agree::seeds,
    },
];

/// Returns the body of a fuzzer.
pub(crate) fn of(name: &str) -> &'static Body {
    let body = ALL.iter().find(|body| body.name == name);
    body.unwrap_or_else(|| panic!("no body has the name {name}"))
}
