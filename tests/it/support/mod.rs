//! What the promises are tested with.

pub(crate) mod ask;
pub(crate) mod binpack;
pub(crate) mod conditions;
pub(crate) mod dice;
pub(crate) mod engine_eval;
pub(crate) mod evals;
pub(crate) mod exercise;
pub(crate) mod game;
pub(crate) mod lines;
pub(crate) mod losses;
pub(crate) mod moves;
pub(crate) mod naive;
pub(crate) mod opening;
pub(crate) mod path;
pub(crate) mod pool;
pub(crate) mod queries;
pub(crate) mod queries3;
pub(crate) mod relations;
pub(crate) mod remark;
pub(crate) mod shared;
pub(crate) mod speeds;
pub(crate) mod sums;
pub(crate) mod texts;
pub(crate) mod viri;
pub(crate) mod walk;
pub(crate) mod ways;
