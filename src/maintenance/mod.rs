//! What works on whole databases: converting, changing, repairing, verifying, building the sidecar.

pub(crate) mod build_sidecar;
pub(crate) mod change;
mod classify;
pub(crate) mod convert;
pub(crate) mod edit;
pub(crate) mod repair;
pub(crate) mod verify;
mod whole;
