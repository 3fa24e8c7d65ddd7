//! A server for a test, and databases for it.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
    time::{Duration, Instant},
};

use tabiya_explorer::{Explorer, Limits, Options, PageOptions, serve};
use tokio::{net::TcpListener, sync::oneshot};

use crate::client::{Answer, ask, send};

/// Reads what the program says until it listens, and returns where.
pub(crate) fn listening(
    lines: &mut impl Iterator<Item = std::io::Result<String>>,
) -> Option<SocketAddr> {
    lines.map_while(Result::ok).find_map(|line| {
        let address = line.strip_prefix("listening on http://")?;
        address.trim_end_matches('/').parse().ok()
    })
}

/// A server that ends with its test.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) explorer: Arc<Explorer>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves a fixture.
    pub(crate) fn famous() -> Server {
        Server::new(vec![fixture("famous.si4")], Limits::default())
    }

    /// Serves a fixture to pages of all sites.
    pub(crate) fn public() -> Server {
        Server::of(Options {
            public: true,
            ..options(vec![fixture("famous.si4")], Limits::default())
        })
    }

    pub(crate) fn new(databases: Vec<PathBuf>, limits: Limits) -> Server {
        Server::of(options(databases, limits))
    }

    pub(crate) fn of(options: Options) -> Server {
        let explorer = Arc::new(Explorer::open(&options).expect("databases"));
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let served = explorer.clone();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(options.address()).await.expect("a port");
                tell.send(listener.local_addr().expect("an address"))
                    .expect("a test");
                let stopped = async {
                    let _ = stopped.await;
                };
                serve(listener, served, stopped).await;
            });
        });
        Server {
            address: told.recv().expect("an address"),
            explorer,
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        ask(self.address, "GET", path, "\r\n")
    }

    pub(crate) fn post(&self, path: &str, body: &str) -> Answer {
        let length = body.len();
        let kind = "Content-Type: application/json";
        let rest = format!("{kind}\r\nContent-Length: {length}\r\n\r\n{body}");
        ask(self.address, "POST", path, &rest)
    }

    /// Sends a search and waits until it runs; again if it was over before that was seen.
    pub(crate) fn begin(&self, path: &str) -> TcpStream {
        let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
        for _ in 0..60 {
            let stream = send(self.address, &request);
            for _ in 0..1000 {
                if self.explorer.running() > 0 {
                    return stream;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        panic!("never seen at work: {path}");
    }

    /// Waits until no search runs, but not forever.
    pub(crate) fn wait_until_idle(&self) {
        let started = Instant::now();
        while self.explorer.running() > 0 {
            assert!(
                started.elapsed() < Duration::from_secs(60),
                "searches run on"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Returns what the command line says when it names databases and limits alone, and a free port.
pub(crate) fn options(databases: Vec<PathBuf>, limits: Limits) -> Options {
    Options {
        databases,
        listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
        public: false,
        hosts: Vec::new(),
        mcp: false,
        in_memory: false,
        sample: false,
        page: PageOptions::default(),
        limits,
    }
}

/// Returns the path of a fixture of the library.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../fixtures").join(name)
}

/// Returns the path of an engine that is made for tests.
pub(crate) fn engine(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("tests/engines").join(name).with_extension("sh")
}

/// A folder that goes with its test.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    /// Puts the files of a fixture here, each in one step.
    pub(crate) fn copy(&self, stem: &str, suffixes: &[&str]) -> PathBuf {
        for suffix in suffixes {
            let bytes = fs::read(fixture(&format!("famous.{suffix}"))).expect("a fixture");
            self.put(&format!("{stem}.{suffix}"), &bytes);
        }
        self.0.join(format!("{stem}.{}", suffixes[0]))
    }

    pub(crate) fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let (new, path) = (self.0.join("new"), self.0.join(name));
        fs::write(&new, bytes).expect("a file");
        fs::rename(&new, &path).expect("a file");
        path
    }

    /// Writes a PGN file that has the fixture's games many times over.
    pub(crate) fn large(&self, times: usize) -> PathBuf {
        let games = fs::read(fixture("famous.pgn")).expect("a fixture");
        self.put("large.pgn", &games.repeat(times))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
