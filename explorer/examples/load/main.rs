//! Asks a running explorer what its users ask, and tells how long that takes.
//!
//! Random games of the database are walked from move 1, as people do on a board: every position
//! on the way is asked, by several clients at once. Some answers are compared with the trees that
//! the library finds here; only when they agree is any time printed.
//!
//! ```text
//! tabiya-explorer games.si4 &
//! cargo run --release --example load -- games.si4 --pid $!
//! ```

mod check;
mod http;
mod memory;
mod report;
mod walks;

use std::{
    error::Error,
    net::SocketAddr,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    thread,
    time::{Duration, Instant},
};

use clap::Parser;
use tabiya::Database;

use self::{http::Client, memory::Memory, report::Times, walks::Walk};

/// Asks a running explorer what its users ask, and tells how long that takes.
#[derive(Debug, Parser)]
struct Options {
    /// The database that the server has, and no other
    database: PathBuf,

    /// Where the server listens
    #[arg(long, default_value = "127.0.0.1:9002")]
    address: SocketAddr,

    /// Process of the server, whose memory is told
    #[arg(long)]
    pid: Option<u32>,

    /// Positions that each endpoint is asked
    #[arg(long, default_value_t = 2000)]
    positions: usize,

    /// Half-moves of a game that are walked at most
    #[arg(long, default_value_t = 40)]
    plies: usize,

    /// Clients that ask at the same time
    #[arg(long, default_value_t = 4)]
    clients: usize,

    /// One answer in this number is compared with the library's
    #[arg(long, default_value_t = 50)]
    check_every: usize,

    /// Which random games
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Endpoints that are asked, one after the other
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "masters,lichess,tree,search,stats"
    )]
    ask: Vec<Endpoint>,
}

/// What is asked about a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Endpoint {
    Masters,
    Lichess,
    Tree,
    Search,
    Stats,
}

impl Endpoint {
    fn name(self) -> &'static str {
        match self {
            Endpoint::Masters => "/masters",
            Endpoint::Lichess => "/lichess",
            Endpoint::Tree => "/api/tree",
            Endpoint::Search => "/api/search",
            Endpoint::Stats => "/api/stats",
        }
    }

    /// Returns the address at which a client asks about the position after some moves.
    fn address(self, walk: &Walk, ply: usize) -> String {
        let name = self.name();
        let play = || walk.play(ply);
        let query = || walk.query(ply).replace(' ', "%20").replace('"', "%22");
        match self {
            Endpoint::Masters | Endpoint::Tree => format!("{name}?play={}", play()),
            Endpoint::Lichess => format!("{name}?variant=standard&play={}", play()),
            Endpoint::Search => format!("{name}?limit=20&q={}", query()),
            Endpoint::Stats => format!("{name}?q={}", query()),
        }
    }
}

/// One answer.
struct Timing {
    endpoint: Endpoint,
    walk: usize,
    ply: usize,
    server: Duration,
    client: Duration,
    /// What was answered, if it is to be compared.
    body: Option<Vec<u8>>,
}

/// What all clients share.
struct Run<'a> {
    options: &'a Options,
    walks: &'a [Walk],
    /// Answers so far, and how many make half of all.
    done: AtomicUsize,
    half: usize,
    memory: Memory,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse();
    let database = Database::open(&options.database)?;
    let walks = walks::draw(&database, options.positions, options.plies, options.seed)?;
    let run = Run {
        half: options.positions * options.ask.len() / 2,
        done: AtomicUsize::new(0),
        memory: Memory::of(options.pid),
        options: &options,
        walks: &walks,
    };
    run.memory.note("start");
    let mut passes = Vec::new();
    for &endpoint in &options.ask {
        let started = Instant::now();
        passes.push((run.pass(endpoint)?, started.elapsed()));
    }
    run.memory.note("end");
    let kept = passes.iter().flat_map(|(asked, _)| asked);
    let compared = check::compare(&database, &walks, kept)?;
    report::walks(&walks, options.clients, compared);
    for (asked, took) in &passes {
        Times::of(asked, &walks).print(*took);
    }
    run.memory.print();
    Ok(())
}

impl Run<'_> {
    /// Asks one endpoint about every position. A client takes the next game when it is through
    /// with one.
    fn pass(&self, endpoint: Endpoint) -> Result<Vec<Timing>, Box<dyn Error>> {
        let next = AtomicUsize::new(0);
        let work = || -> Result<Vec<Timing>, http::Fault> {
            let mut client = Client::connect(self.options.address)?;
            let mut asked = Vec::new();
            loop {
                let walk = next.fetch_add(1, Ordering::Relaxed);
                if walk >= self.walks.len() {
                    return Ok(asked);
                }
                for ply in 0..self.walks[walk].positions() {
                    asked.push(self.ask(&mut client, endpoint, walk, ply)?);
                }
            }
        };
        let mut all = Vec::new();
        thread::scope(|scope| {
            let clients = (0..self.options.clients.max(1)).map(|_| scope.spawn(work));
            let clients: Vec<_> = clients.collect();
            for client in clients {
                all.extend(client.join().map_err(|_| "a client panicked")??);
            }
            Ok::<(), Box<dyn Error>>(())
        })?;
        Ok(all)
    }

    fn ask(
        &self,
        client: &mut Client,
        endpoint: Endpoint,
        walk: usize,
        ply: usize,
    ) -> Result<Timing, http::Fault> {
        let address = endpoint.address(&self.walks[walk], ply);
        let started = Instant::now();
        let answer = client.get(&address)?;
        let took = started.elapsed();
        let number = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if number == self.half {
            self.memory.note("middle");
        }
        let is_compared = number.is_multiple_of(self.options.check_every.max(1));
        Ok(Timing {
            endpoint,
            walk,
            ply,
            server: answer.server,
            client: took,
            body: is_compared.then_some(answer.body),
        })
    }
}
