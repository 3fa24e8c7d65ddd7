//! Whether a scheduler is there and has executors.
//!
//! Ballista's scheduler takes queries that nobody can run and is silent about it. It answers at
//! `/readyz` too, over HTTP at the same address, and that is asked here before a query is sent.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use datafusion::error::{DataFusionError, Result};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    time::{sleep, timeout},
};

/// Time between two questions while a client waits.
const PAUSE: Duration = Duration::from_millis(200);

/// A machine that does not answer for this long is not there.
const ANSWER: Duration = Duration::from_secs(10);

/// Bytes of an answer that are read at most.
const ANSWER_BYTES: u64 = 4096;

/// Returns when the scheduler has an executor. Warns at once if it has none.
///
/// # Errors
/// If there is no scheduler, at once; if it has no executor for a time.
pub(super) async fn wait_for_executor(address: &str, wait: Duration) -> Result<()> {
    if has_executor(address).await? {
        return Ok(());
    }
    let seconds = wait.as_secs();
    let start = format!("`tabiya-sql executor --scheduler {address} FOLDER`");
    if seconds > 0 {
        log::warn!(
            "the scheduler at {address} has no executor; waiting up to {seconds} s for one (start \
             {start})"
        );
    }
    let started = Instant::now();
    while started.elapsed() < wait {
        sleep(PAUSE).await;
        if has_executor(address).await? {
            return Ok(());
        }
    }
    Err(DataFusionError::Execution(format!(
        "the scheduler at {address} has had no executor for {seconds} s; start {start}, or wait \
         longer with --wait SECONDS"
    )))
}

/// Returns when there is a scheduler. Warns at once if there is none.
pub(super) async fn wait_for_scheduler(address: &str) {
    let Err(absent) = has_executor(address).await else {
        return;
    };
    log::warn!("{absent}; waiting for it", absent = absent.message());
    while has_executor(address).await.is_err() {
        sleep(PAUSE).await;
    }
}

/// Listens at an address.
///
/// # Errors
/// If it is taken, or none of this machine.
pub(super) async fn listener(address: SocketAddr) -> Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| {
        DataFusionError::Execution(format!(
            "{address}: {error}; name another address of this machine with --listen HOST:PORT"
        ))
    })
}

/// Returns whether the scheduler has an executor.
///
/// # Errors
/// If there is no scheduler.
pub(super) async fn has_executor(address: &str) -> Result<bool> {
    let asked = timeout(ANSWER, ask(address)).await;
    let answer = asked.unwrap_or_else(|_| {
        let seconds = ANSWER.as_secs();
        Err(std::io::Error::other(format!("no answer for {seconds} s")))
    });
    let fault = match answer {
        Ok(answer) if answer.starts_with("HTTP/1.1 200 ") => return Ok(true),
        Ok(answer) if answer.starts_with("HTTP/1.1 503 ") => return Ok(false),
        Ok(_) => "something else answers there".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(DataFusionError::Execution(format!(
        "there is no scheduler at {address} ({fault}); start `tabiya-sql scheduler --listen \
         {address}`, or name another"
    )))
}

/// Asks whether the scheduler is ready.
async fn ask(address: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    let question = format!("GET /readyz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(question.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.take(ANSWER_BYTES).read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn told(answer: &'static [u8]) -> Result<bool> {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let answering = async {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut question = Vec::new();
            while !question.ends_with(b"\r\n\r\n") {
                question.push(stream.read_u8().await.unwrap());
            }
            assert!(question.starts_with(b"GET /readyz HTTP/1.1\r\n"));
            stream.write_all(answer).await.unwrap();
        };
        tokio::join!(has_executor(&address), answering).0
    }

    #[tokio::test]
    async fn what_is_no_scheduler_is_told_from_one_without_executors() {
        assert!(told(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap());
        assert!(
            !told(b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
                .await
                .unwrap()
        );
        for other in [&b"HTTP/1.1 404 Not Found\r\n\r\n"[..], b"SSH-2.0\r\n", b""] {
            let error = told(other).await.unwrap_err().to_string();
            assert!(error.contains("something else answers"), "{error}");
        }
    }
}
