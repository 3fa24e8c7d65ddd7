//! A client that sends exactly what a test wants it to send.

use std::{
    collections::HashMap,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

use serde_json::Value;

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// By name in small letters.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.status, 200, "{}", self.body);
        serde_json::from_str(&self.body).expect("JSON")
    }

    pub(crate) fn lines(&self) -> Vec<Value> {
        assert_eq!(self.status, 200, "{}", self.body);
        let lines = self.body.lines();
        lines
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect()
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

/// Connects and sends something.
pub(crate) fn send(address: SocketAddr, bytes: impl AsRef<[u8]>) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let time = Some(Duration::from_secs(60));
    stream.set_read_timeout(time).expect("a timeout");
    // A server that turns the request away may close before it has read all of it.
    let _ = stream.write_all(bytes.as_ref());
    stream
}

/// Returns the address of a search that decodes every game and asks each position for sixty-four
/// things that never hold, so that it is under way for a while on a fast machine too.
pub(crate) fn long_search() -> String {
    let squares = ('a'..='h').flat_map(|file| ('1'..='8').map(move |rank| (file, rank)));
    let tests = squares.map(|(file, rank)| format!("at(attacks:\"A>?{file}{rank}*9\")"));
    let query = tests.collect::<Vec<_>>().join(" or ");
    format!("/api/search?q={}&limit=1", encoded(&query))
}

/// Sends a request and reads the answer. No answer may name a place in the file system.
pub(crate) fn ask(address: SocketAddr, method: &str, path: &str, rest: &str) -> Answer {
    let head = format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n");
    let mut stream = send(address, format!("{head}{rest}"));
    let answer = read(&mut stream).unwrap_or_else(|| panic!("no answer: {path}"));
    for place in [
        env!("CARGO_MANIFEST_DIR"),
        "fixtures",
        "/tmp",
        ".si4/",
        ".sg4",
    ] {
        assert!(!answer.body.contains(place), "{path}: {}", answer.body);
    }
    answer
}

/// Reads an answer up to where the server closes the connection; `None` when it says nothing.
pub(crate) fn read(stream: &mut TcpStream) -> Option<Answer> {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes);
    (!bytes.is_empty()).then(|| parse(&bytes))
}

fn parse(bytes: &[u8]) -> Answer {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head: {}", String::from_utf8_lossy(bytes)));
    let head = String::from_utf8_lossy(&bytes[..end]);
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1));
    let pair = |line: &str| {
        let (name, value) = line.split_once(": ")?;
        Some((name.to_ascii_lowercase(), value.to_owned()))
    };
    let headers: HashMap<String, String> = lines.filter_map(pair).collect();
    let body = &bytes[end + 4..];
    let is_chunked = headers.contains_key("transfer-encoding");
    let body = if is_chunked {
        joined(body)
    } else {
        body.to_vec()
    };
    Answer {
        status: status
            .and_then(|status| status.parse().ok())
            .expect("a status"),
        body: String::from_utf8(body).expect("UTF-8"),
        headers,
    }
}

/// Joins the chunks of a body, the last of which must be there.
fn joined(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    loop {
        let end = chunks.windows(2).position(|window| window == b"\r\n");
        let end = end.expect("a chunk");
        let length = String::from_utf8_lossy(&chunks[..end]);
        let length = usize::from_str_radix(&length, 16).expect("a length");
        if length == 0 {
            return body;
        }
        body.extend(&chunks[end + 2..end + 2 + length]);
        chunks = &chunks[end + 2 + length + 2..];
    }
}

/// Writes a value so that it can stand in an address.
pub(crate) fn encoded(text: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encode).collect()
}
