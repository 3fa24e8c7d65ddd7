//! What is said about what was lost.
