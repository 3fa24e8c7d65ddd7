//! As much of HTTP/1.1 as asking one server over one connection takes.

use std::{
    fmt,
    io::{self, BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    time::Duration,
};

/// An open connection.
#[derive(Debug)]
pub(crate) struct Client {
    address: SocketAddr,
    stream: BufReader<TcpStream>,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    /// The server's own time, as its `Server-Timing` tells it.
    pub(crate) server: Duration,
    pub(crate) body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug)]
pub(crate) struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        Fault(format!("the connection failed: {error}"))
    }
}

impl Client {
    pub(crate) fn connect(address: SocketAddr) -> Result<Client, Fault> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Client {
            address,
            stream: BufReader::new(stream),
        })
    }

    /// Asks and reads the answer, which must be 200.
    pub(crate) fn get(&mut self, path: &str) -> Result<Answer, Fault> {
        let host = self.address;
        let request = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        let (mut length, mut server) = (None, None);
        loop {
            let line = self.line()?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(": ").unwrap_or((&line, ""));
            match &*name.to_ascii_lowercase() {
                "content-length" => length = value.parse().ok(),
                "server-timing" => server = milliseconds(value),
                _ => {}
            }
        }
        let length = length.ok_or_else(|| Fault(format!("{path}: no length")))?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        if status.split(' ').nth(1) != Some("200") {
            let body = String::from_utf8_lossy(&body);
            return Err(Fault(format!("{path}: {status}: {body}")));
        }
        let server = server.ok_or_else(|| Fault(format!("{path}: no Server-Timing")))?;
        Ok(Answer { server, body })
    }

    fn line(&mut self) -> Result<String, Fault> {
        let mut line = String::new();
        self.stream.read_line(&mut line)?;
        match line.strip_suffix("\r\n") {
            Some(line) => Ok(line.to_owned()),
            None => Err(Fault("the server ended the connection".to_owned())),
        }
    }
}

/// Reads `total;dur=1.234`.
fn milliseconds(value: &str) -> Option<Duration> {
    let milliseconds: f64 = value.split_once("dur=")?.1.parse().ok()?;
    Duration::try_from_secs_f64(milliseconds / 1000.0).ok()
}
