//! One line a request, written when the last byte of the answer is gone or the client is.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Instant,
};

use axum::{
    body::{Body, Bytes},
    extract::Request,
    middleware::Next,
    response::Response,
};
use http_body::{Body as HttpBody, Frame, SizeHint};

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

impl Drop for Line {
    fn drop(&mut self) {
        let milliseconds = self.started.elapsed().as_secs_f64() * 1000.0;
        let Line {
            what,
            status,
            bytes,
            ..
        } = self;
        match status {
            0 => eprintln!("{what} left {milliseconds:.1} ms"),
            _ => eprintln!("{what} {status} {milliseconds:.1} ms {bytes} bytes"),
        }
    }
}

/// An answer's body, counted.
#[derive(Debug)]
struct Counted {
    body: Body,
    line: Line,
}

/// Writes a line about a request.
pub(crate) async fn line(request: Request, next: Next) -> Response {
    let mut line = Line {
        what: format!("{} {}", request.method(), request.uri().path()),
        started: Instant::now(),
        status: 0,
        bytes: 0,
    };
    let response = next.run(request).await;
    line.status = response.status().as_u16();
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
