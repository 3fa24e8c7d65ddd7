//! The fault matrix.

mod base;
mod comments;
mod companions;
mod counts;
mod damage;
mod depth;
mod file_names;
mod jose;
mod places;
