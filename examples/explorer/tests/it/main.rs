//! The server from outside: in this process, on a port of its own, asked over TCP.

mod api;
mod client;
mod description;
mod faults;
mod lichess;
mod limits;
mod page;
mod schema;
mod server;
