//! The fault matrix.

mod base;
mod companions;
mod counts;
mod jose;
mod places;
