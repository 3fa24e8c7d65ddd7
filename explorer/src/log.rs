//! One line a request, written when the last byte of the answer is gone or the client is; and the
//! time until the answer was found, which the client is told.

use std::{
    fmt::Display,
    io::{self, Write as _},
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    http::{HeaderName, HeaderValue},
    middleware::Next,
    response::Response,
};
use http_body::{Body as HttpBody, Frame, SizeHint};
use tabiya::Visible;

/// The header that browsers show as the server's part of the time.
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");

/// What is known of a request; written down when it is dropped.
#[derive(Debug)]
struct Line {
    /// Method and path; queries are nobody's business.
    what: String,
    started: Instant,
    /// 0 while there is no answer.
    status: u16,
    bytes: u64,
}

impl Line {
    /// Returns the time since the request was there.
    fn milliseconds(&self) -> f64 {
        self.started.elapsed().as_secs_f64() * 1000.0
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        let milliseconds = self.milliseconds();
        let Line {
            what,
            status,
            bytes,
            ..
        } = self;
        match status {
            0 => tell(format_args!("{what} left {milliseconds:.1} ms")),
            _ => tell(format_args!(
                "{what} {status} {milliseconds:.1} ms {bytes} bytes"
            )),
        }
    }
}

/// Writes a line on the standard error output, in which every character can be seen. Nothing ends
/// because nobody reads it.
pub fn tell(line: impl Display) {
    let _ = writeln!(io::stderr(), "{}", Visible(line));
}

/// An answer's body, counted.
#[derive(Debug)]
struct Counted {
    body: Body,
    line: Line,
}

/// Writes a line about a request, and puts the milliseconds until there was an answer into its
/// head. What a stream takes after its first part is not in them.
pub(crate) async fn line(request: Request, next: Next) -> Response {
    let mut line = Line {
        what: format!("{} {}", request.method(), request.uri().path()),
        started: Instant::now(),
        status: 0,
        bytes: 0,
    };
    let mut response = next.run(request).await;
    line.status = response.status().as_u16();
    let total = format!("total;dur={:.3}", line.milliseconds());
    if let Ok(total) = HeaderValue::from_str(&total) {
        response.headers_mut().insert(SERVER_TIMING, total);
    }
    response.map(|body| Body::new(Counted { body, line }))
}

impl HttpBody for Counted {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame {
            self.line.bytes += frame.data_ref().map_or(0, |data| data.len() as u64);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
