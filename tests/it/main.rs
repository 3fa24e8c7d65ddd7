//! One integration binary; a module per promise.

#![allow(
    clippy::unwrap_used,
    reason = "what a test cannot set up fails the test"
)]

mod agree;
mod among;
mod bodies;
mod cbf;
mod changed;
mod chessbase;
mod chessbase2;
mod chessbase_added;
mod chessbase_annotations;
mod chessbase_archives;
mod chessbase_damage;
mod chessbase_texts;
mod chessbase_written;
mod classified;
mod clocks;
mod conformance;
mod conversions;
mod damaged_moves;
mod edited;
mod encodings;
mod formats;
mod fuzz;
mod harm;
mod jose;
mod lines;
mod lists;
mod malformed;
mod matches;
mod matrix;
mod monty;
mod novelty;
mod opening_names;
mod openings;
mod peoples_files;
mod pgn_files;
mod pictures;
mod positions;
mod power;
mod published;
mod relations;
mod repair;
mod repeats;
mod repertoire;
mod replayed;
mod reported;
mod round_trip;
mod scdb;
mod scid4_written;
mod scid5;
mod sidecar;
mod similar;
mod starts;
mod stockfish;
mod suggestions;
mod support;
mod tallies;
mod threads;
mod tree;
mod viriformat;
mod words3;
mod written;

#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod small_base;
