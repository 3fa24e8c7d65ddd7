//! What the promises are tested with.

pub(crate) mod ask;
pub(crate) mod binpack;
pub(crate) mod dice;
pub(crate) mod engine_eval;
pub(crate) mod exercise;
pub(crate) mod game;
pub(crate) mod losses;
pub(crate) mod naive;
pub(crate) mod opening;
pub(crate) mod path;
pub(crate) mod pool;
pub(crate) mod queries;
pub(crate) mod relations;
pub(crate) mod remark;
pub(crate) mod shared;
pub(crate) mod viri;
pub(crate) mod walk;
pub(crate) mod ways;
