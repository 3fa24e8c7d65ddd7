//! A browser of its own for each test, and its protocol: JSON over a web socket.

use std::{
    cell::{Cell, RefCell},
    env, fs,
    io::{BufRead, BufReader, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::Once,
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use serde_json::{Value, json};
use tungstenite::{Message, WebSocket, client};

const PROGRAMS: [&str; 4] = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
];
const OPTIONS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    "--hide-scrollbars",
    "--remote-debugging-port=0",
];
/// How long the browser may be silent when it was asked something.
const PATIENCE: Duration = Duration::from_secs(60);

/// A browser that ends with its test.
pub(crate) struct Chromium {
    child: Child,
    folder: PathBuf,
    socket: RefCell<WebSocket<TcpStream>>,
    session: RefCell<Option<String>>,
    asked: Cell<u64>,
    /// What the browser told without being asked.
    events: RefCell<Vec<Value>>,
}

/// Returns the browser's program; `None` after saying that there is none.
pub(crate) fn program() -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path);
    let found = places
        .flat_map(|folder| PROGRAMS.map(|name| folder.join(name)))
        .find(|program| program.is_file());
    if found.is_none() {
        let is_required = env::var("TABIYA_REQUIRE_BROWSER").is_ok_and(|value| value == "1");
        assert!(!is_required, "Chromium is required and not there");
        static SAID: Once = Once::new();
        // Past the capture of passing tests' output.
        SAID.call_once(|| {
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: the tests of the page need Chromium"
            );
        });
    }
    found
}

impl Chromium {
    pub(crate) fn start(program: &Path) -> Chromium {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("explorer-browser-{}-{number}", std::process::id());
        let folder = env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let mut child = Command::new(program)
            .args(OPTIONS)
            .arg(format!("--user-data-dir={}", folder.display()))
            .arg("about:blank")
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Chromium starts");
        let mut lines = BufReader::new(child.stderr.take().expect("a pipe")).lines();
        let address = lines
            .by_ref()
            .map_while(Result::ok)
            .find_map(|line| Some(line.split_once("listening on ")?.1.to_owned()))
            .expect("the address of the tools");
        // A full pipe would stop the browser.
        std::thread::spawn(move || lines.for_each(drop));
        let host = address.trim_start_matches("ws://");
        let host = host.split('/').next().expect("a host");
        let stream = TcpStream::connect(host).expect("the tools");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        let (socket, _) = client(&address, stream).expect("a web socket");
        let chromium = Chromium {
            child,
            folder,
            socket: RefCell::new(socket),
            session: RefCell::new(None),
            asked: Cell::new(0),
            events: RefCell::new(Vec::new()),
        };
        chromium.open_tab();
        chromium
    }

    fn open_tab(&self) {
        let target = self.ask("Target.createTarget", json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        let session = self.ask("Target.attachToTarget", target);
        let session = session["sessionId"].as_str().map(str::to_owned);
        *self.session.borrow_mut() = session;
        for domain in ["Runtime", "Log", "Page", "Network", "Accessibility"] {
            self.ask(&format!("{domain}.enable"), json!({}));
        }
    }

    /// Asks the tab, or the browser as long as there is no tab.
    pub(crate) fn ask(&self, method: &str, parameters: Value) -> Value {
        let answer = self.answer(method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    /// Returns what is answered to a question, or the error that was answered.
    fn answer(&self, method: &str, parameters: Value) -> Result<Value, Value> {
        let id = self.asked.get() + 1;
        self.asked.set(id);
        let mut question = json!({ "id": id, "method": method, "params": parameters });
        if let Some(session) = &*self.session.borrow() {
            question["sessionId"] = json!(session);
        }
        let mut socket = self.socket.borrow_mut();
        let text = Message::text(question.to_string());
        socket.send(text).expect("the browser listens");
        loop {
            let told = match socket.read().expect("the browser answers") {
                Message::Text(text) => serde_json::from_str::<Value>(&text).expect("JSON"),
                _ => continue,
            };
            if told["id"] != id {
                self.events.borrow_mut().push(told);
                continue;
            }
            if !told["error"].is_null() {
                return Err(told["error"].clone());
            }
            return Ok(told["result"].clone());
        }
    }

    /// Takes the events of one kind that came so far.
    pub(crate) fn take(&self, method: &str) -> Vec<Value> {
        // Whatever happened before this question has been told when it is answered, be it by an
        // error, as when the page goes elsewhere.
        let _ = self.answer("Runtime.evaluate", json!({ "expression": "1" }));
        let mut events = self.events.borrow_mut();
        let (taken, left) = events
            .drain(..)
            .partition(|event| event["method"] == method);
        *events = left;
        drop(events);
        let mut taken: Vec<Value> = taken;
        taken
            .iter_mut()
            .map(|event| event["params"].take())
            .collect()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // Its helpers may still write for a moment.
        for _ in 0..20 {
            if fs::remove_dir_all(&self.folder).is_ok() || !self.folder.exists() {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}
