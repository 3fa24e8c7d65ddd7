//! Serves chess databases over HTTP.
//!
//! ```text
//!  command line    connections     routes            turns       databases
//! ┌─────────┐     ┌────────┐      ┌─────────┐      ┌────────┐   ┌────────┐
//! │ options │ ──▶ │ server │ ───▶ │ lichess │ ───▶ │ limits │ ▶ │ state  │ ▶ tabiya
//! └─────────┘     └────────┘ log  │ api     │      └────────┘   └────────┘
//!                                 │ page    │
//!                                 └─────────┘
//! ```
//!
//! What is served when nothing is named lies in the usual folders (`start`, `usual`), or is part of
//! the program (`sample`). A signal ends all (`stop`).
//!
//! A request must mean this server (`access`). Its handler reads the parameters (`params`), hands
//! the work to [`Explorer`], which does it on its own threads when its turn comes, and writes what
//! comes back; what clients do not take is bounded (`unread`). The games of one query (`filters`)
//! are searched once for all who ask, and kept (`answers`). Assistants ask the same routes without
//! a connection (`mcp`). The open databases are in a registry (`registry`); the page finds more of
//! them in folders (`folders`), and files of lines (`repertoires`), builds an index (`index`) and
//! asks engines (`engine`). No handler waits for a file itself, and none names one: `errors`
//! turns what the library says into texts without paths.

mod access;
mod answers;
mod api;
mod book;
mod cache;
mod engine;
mod errors;
mod filters;
mod folders;
mod ids;
mod index;
mod lichess;
mod limits;
mod log;
mod mcp;
mod men;
mod options;
mod page;
mod params;
mod pgn;
mod registry;
mod repertoires;
mod sample;
mod saving;
mod server;
mod speeds;
mod start;
mod state;
mod stop;
mod unread;
mod usual;

pub use log::tell;
pub use mcp::serve_assistant;
pub use options::{Limits, Options, PageOptions};
pub use server::{routes, serve};
pub use start::{Beginning, Start, page_address};
pub use state::Explorer;
pub use stop::stop_signal;
pub use usual::Places;
