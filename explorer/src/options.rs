//! What the command line says.

use std::{
    net::{IpAddr, Ipv4Addr, SocketAddr},
    path::PathBuf,
    time::Duration,
};

use clap::{ArgGroup, Parser};

/// Where the program listens unless the command line says where.
const LISTEN: SocketAddr = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 9002);

/// What is served, and how.
#[derive(Debug, Clone, Parser)]
#[command(version, group = ArgGroup::new("served").multiple(true))]
pub struct Options {
    /// Databases of any format, and folders of them, as with `--folder`; nothing else is ever
    /// opened. Without any: what lies in the usual folders
    #[arg(group = "served", value_name = "DB")]
    pub databases: Vec<PathBuf>,

    /// Address and port to listen on; port 0 takes a free one [default: 127.0.0.1:9002]
    #[arg(long, value_name = "ADDRESS", requires = "served")]
    pub listen: Option<SocketAddr>,

    /// Lets pages of every site read the answers; without it only the explorer's own page can
    #[arg(long, requires = "served")]
    pub public: bool,

    /// A name under which clients ask for this server, besides `localhost` and the address that
    /// it listens on; may be given several times
    #[arg(long = "host", value_name = "NAME", requires = "served")]
    pub hosts: Vec<String>,

    /// Answers an assistant on standard input and output, by the Model Context Protocol, instead
    /// of listening
    #[arg(
        long,
        requires = "served",
        conflicts_with_all = [
            "listen", "public", "hosts", "folders", "write", "repertoires", "index", "engines"
        ]
    )]
    pub mcp: bool,

    /// Reads the databases into memory: no other program can then take away what is being read
    #[arg(long)]
    pub in_memory: bool,

    /// Whether the famous games that are part of the program are served too
    #[arg(skip)]
    pub sample: bool,

    /// What the page may do besides asking
    #[command(flatten)]
    pub page: PageOptions,

    /// Bounds on what clients may ask for
    #[command(flatten)]
    pub limits: Limits,
}

impl Options {
    /// Returns where to listen.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.listen.unwrap_or(LISTEN)
    }
}

/// What the explorer's page may do besides asking: nothing unless the command line says so.
#[derive(Debug, Clone, Parser)]
pub struct PageOptions {
    /// A folder whose databases the page lists, opens and closes; may be given several times
    #[arg(long = "folder", value_name = "FOLDER", group = "served")]
    pub folders: Vec<PathBuf>,

    /// A folder as with `--folder` in which the page also saves games, into databases that lie
    /// there and into new ones; may be given several times
    #[arg(long = "write", value_name = "FOLDER", group = "served")]
    pub write: Vec<PathBuf>,

    /// A folder whose PGN files the page offers as repertoires: lines to walk on the board and to
    /// compare games with; may be given several times
    #[arg(long = "repertoire", value_name = "FOLDER")]
    pub repertoires: Vec<PathBuf>,

    /// An opening book whose moves stand beside those of the games: `.bin` (PolyGlot), `.abk`
    /// (Arena) or `.ctg` (ChessBase)
    #[arg(long, value_name = "FILE")]
    pub book: Option<PathBuf>,

    /// Lets the page build the index of an open database, as `tabiya index` does: a file beside it
    #[arg(long)]
    pub index: bool,

    /// A UCI engine that the page may ask about the position shown; may be given several times: the
    /// page chooses which one runs
    #[arg(long = "engine", value_name = "PATH")]
    pub engines: Vec<PathBuf>,

    /// Seconds that the engine may think about one position
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = seconds)]
    pub engine_time: Duration,

    /// Seconds after which an analysis that the page wants without end is over all the same; 0 lets
    /// none be without end
    #[arg(long, value_name = "SECONDS", default_value = "86400", value_parser = seconds_or_none)]
    pub engine_endless: Duration,

    /// Threads of the engine
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub engine_threads: u32,

    /// Megabytes of the engine's hash table
    #[arg(long, value_name = "MB", default_value_t = 64)]
    pub engine_hash: u32,
}

impl Default for PageOptions {
    /// Returns what holds when the command line says nothing.
    fn default() -> PageOptions {
        PageOptions::parse_from(["tabiya-explorer"])
    }
}

/// Bounds on what clients may ask for.
#[derive(Debug, Clone, Parser)]
pub struct Limits {
    /// Threads that search; 0 for one a processor
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub threads: usize,

    /// Searches that run at the same time, and as many requests for single games beside them
    #[arg(long, value_name = "N", default_value_t = 4)]
    pub searches: usize,

    /// Requests that wait for their search; more are turned away
    #[arg(long, value_name = "N", default_value_t = 64)]
    pub queue: usize,

    /// Connections that are open at the same time
    #[arg(long, value_name = "N", default_value_t = 1024)]
    pub connections: usize,

    /// Seconds that one search may take
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub search_time: Duration,

    /// Seconds for which a client may send or take nothing
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub client_time: Duration,

    /// Bytes of an address, query included
    #[arg(long, value_name = "BYTES", default_value_t = 16 << 10)]
    pub url_bytes: usize,

    /// Bytes of what is posted
    #[arg(long, value_name = "BYTES", default_value_t = 1 << 20)]
    pub body_bytes: usize,

    /// Positions that one request may count
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    pub positions: usize,

    /// Games that a new database may have which a client asks for
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub export_games: usize,

    /// Megabytes that it may have, in the folder for temporary files
    #[arg(long, value_name = "MB", default_value_t = 1024)]
    pub export_size: u64,

    /// Megabytes of long answers, and of what streams have yet to send, that wait for their clients
    #[arg(long, value_name = "MB", default_value_t = 256)]
    pub unread: usize,

    /// Megabytes of memory that answers are kept in, and up to four times as much for files of
    /// `--repertoire` that are in use; 0 keeps none
    #[arg(long, value_name = "MB", default_value_t = 64)]
    pub cache: usize,

    /// Greatest unpacked size in bytes of compressed PGN that is opened whole. For tests.
    #[arg(long, hide = true)]
    pub unpacked_bytes_max: Option<u64>,
}

impl Default for Limits {
    /// Returns the bounds that hold when the command line says nothing.
    fn default() -> Limits {
        Limits::parse_from(["tabiya-explorer"])
    }
}

/// Reads a number of seconds, which may have a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    match seconds_or_none(text) {
        Ok(time) if time.is_zero() => Err("must be more than 0".to_owned()),
        read => read,
    }
}

/// The same where 0 has a sense.
fn seconds_or_none(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds")?;
    Duration::try_from_secs_f64(seconds).map_err(|_| "must not be less than 0".to_owned())
}
