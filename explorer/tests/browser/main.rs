//! The page in a browser: headless Chromium, driven as its developers' tools drive it. Without
//! Chromium these tests are skipped, unless `TABIYA_REQUIRE_BROWSER=1`.

mod access;
mod annotated;
mod asking;
mod books;
mod chromium;
mod comfort;
mod editing;
// Its engines are shell scripts, and Windows starts none.
#[cfg(unix)]
mod engine;
mod entering;
mod input;
mod installed;
mod listing;
mod look;
mod looks;
mod playing;
mod puzzles;
mod reading;
mod repertoires;
mod searching;
mod server;
mod tab;
mod trouble;
mod window;
mod words;
mod working;
