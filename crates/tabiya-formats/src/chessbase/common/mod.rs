//! What databases of both versions share, whatever bytes it is made of.

pub(crate) mod annotation;
pub(super) mod commands;
pub(crate) mod content;
pub(super) mod directions;
pub(super) mod event_type;
pub(crate) mod marks;
pub(super) mod markup;
pub(super) mod parse;
pub(super) mod quotation;
pub(crate) mod record;
pub(super) mod tell;
pub(super) mod text;
pub(super) mod write;

use shakmaty::Role;

/// Kinds of men in the order of their numbers, starting from 1.
pub(super) const ROLES: [Role; 6] = [
    Role::King,
    Role::Queen,
    Role::Knight,
    Role::Bishop,
    Role::Rook,
    Role::Pawn,
];
