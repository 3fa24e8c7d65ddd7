//! The server from outside: in this process, on a port of its own, asked over TCP.

mod access;
mod api;
mod asking;
mod books;
mod changes;
mod client;
mod clients;
mod damaged;
mod description;
// Its engines are shell scripts, and Windows starts none.
#[cfg(unix)]
mod engine;
mod faults;
mod filters;
mod folders;
mod hostile;
mod index;
mod lichess;
mod limits;
mod page;
mod parameters;
mod parts;
mod published;
mod random;
mod repertoires;
mod requests;
mod saving;
mod schema;
mod server;
mod start;
mod unread;
mod words;
mod work;
