//! One integration binary; a module per promise.

#[cfg(feature = "cli")]
mod program;
#[cfg(feature = "cli")]
mod small_base;
