//! What databases of both versions share, whatever bytes it is made of.

pub(super) mod commands;
pub(crate) mod marks;
pub(super) mod parse;
pub(super) mod quotation;
pub(super) mod tell;
pub(super) mod text;
