//! A server for a test.

use std::{
    fs,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::Arc,
    thread::JoinHandle,
};

use tabiya_explorer::{Explorer, Limits, Options, PageOptions, serve};
use tokio::{net::TcpListener, sync::oneshot};

/// A server that ends with its test.
pub(crate) struct Server {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    pub(crate) fn new(databases: Vec<PathBuf>, page: PageOptions) -> Server {
        let listen = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        // As the program has it when it finds no database.
        let sample = databases.is_empty() && page.folders.is_empty();
        let options = Options {
            databases,
            listen: Some(listen),
            public: false,
            hosts: Vec::new(),
            mcp: false,
            in_memory: false,
            sample,
            page,
            limits: Limits::default(),
        };
        let explorer = Arc::new(Explorer::open(&options).expect("databases"));
        let (stop, stopped) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind(listen).await.expect("a port");
                let address = listener.local_addr().expect("an address");
                tell.send(address).expect("a test");
                let stopped = async {
                    let _ = stopped.await;
                };
                serve(listener, explorer, stopped).await;
            });
        });
        Server {
            address: told.recv().expect("an address"),
            stop: Some(stop),
            thread: Some(thread),
        }
    }

    /// Returns a whole address for the browser.
    pub(crate) fn address(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Ends the server before its test ends.
    pub(crate) fn stop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Returns the path of a fixture of the library.
pub(crate) fn fixture(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("../fixtures").join(name)
}

/// Writes a PGN file for one test; the operating system keeps its folder clean.
pub(crate) fn written(name: &str, text: &str) -> PathBuf {
    let name = format!("{name}-{}.pgn", std::process::id());
    let path = std::env::temp_dir().join(name);
    fs::write(&path, text).expect("a file");
    path
}
