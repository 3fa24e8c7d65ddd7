//! Names that are probably spellings of another name: by comparing the names of a database with
//! each other, or with a list of right spellings in the form of Scid's.

mod candidates;
mod file;
mod likeness;
mod sounds;
mod suggest;

pub use self::{file::Spellings, likeness::Likeness, suggest::NameSuggestion};
