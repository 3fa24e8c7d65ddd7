//! Connections: who is let in, how long one may be silent, and how all of them end.

use std::{future::Future, pin::pin, sync::Arc, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse, Response},
};
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
    service::TowerToHyperService,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_io_timeout::TimeoutStream;

use crate::{access, api, errors::Fault, lichess, log, page, state::Explorer, unread};

/// How long requests under way may take when the server is to stop.
const STOP_TIME: Duration = Duration::from_secs(10);
/// Wait after a connection could not be accepted, for instance because too many files are open.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
/// Bytes of a request's head beyond its address.
const HEAD_BYTES: usize = 16 << 10;

/// Returns everything that has an address.
pub fn routes(explorer: Arc<Explorer>) -> Router {
    let body_bytes = explorer.limits.body_bytes;
    Router::new()
        .merge(page::routes())
        .merge(lichess::routes())
        .merge(api::routes())
        .fallback(async || Fault::Absent("there is nothing here".to_owned()))
        .layer(DefaultBodyLimit::max(body_bytes))
        .layer(from_fn_with_state(explorer.unread.clone(), unread::counted))
        .layer(from_fn_with_state(explorer.clone(), short_address))
        .layer(from_fn_with_state(
            explorer.access.clone(),
            access::for_all_origins,
        ))
        .layer(from_fn_with_state(
            explorer.access.clone(),
            access::own_host,
        ))
        .layer(from_fn(log::line))
        .with_state(explorer)
}

/// Turns away addresses that are too long.
async fn short_address(
    State(explorer): State<Arc<Explorer>>,
    request: Request,
    next: Next,
) -> Response {
    let bytes = request
        .uri()
        .path_and_query()
        .map_or(0, |path| path.as_str().len());
    if bytes > explorer.limits.url_bytes {
        Fault::Long.into_response()
    } else {
        next.run(request).await
    }
}

/// Answers until `stop` is done; then lets requests under way end, for ten seconds at most.
pub async fn serve(listener: TcpListener, explorer: Arc<Explorer>, stop: impl Future<Output = ()>) {
    let graceful = GracefulShutdown::new();
    let places = Arc::new(Semaphore::new(explorer.limits.connections.max(1)));
    let service = TowerToHyperService::new(routes(explorer.clone()));
    let mut stop = pin!(stop);
    loop {
        let accepted = async {
            let place = places.clone().acquire_owned().await;
            (place, listener.accept().await)
        };
        let (place, accepted) = tokio::select! {
            accepted = accepted => accepted,
            () = &mut stop => break,
        };
        match (place, accepted) {
            (Ok(place), Ok((stream, _))) => {
                connect(stream, place, service.clone(), &explorer, &graceful);
            }
            _ => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
    drop(listener);
    explorer.end();
    let _ = tokio::time::timeout(STOP_TIME, graceful.shutdown()).await;
}

/// Serves a connection until one side ends it. When the client ends it, what is done for it is
/// dropped.
fn connect(
    stream: TcpStream,
    place: OwnedSemaphorePermit,
    service: TowerToHyperService<Router>,
    explorer: &Explorer,
    graceful: &GracefulShutdown,
) {
    // An answer is one write or a few large ones.
    let _ = stream.set_nodelay(true);
    let limits = &explorer.limits;
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.client_time));
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.client_time)
        .max_buf_size(limits.url_bytes.saturating_add(HEAD_BYTES));
    let connection = builder.serve_connection(TokioIo::new(Box::pin(stream)), service);
    let connection = graceful.watch(connection);
    tokio::spawn(async move {
        // Whether a client left in order or not is its own business.
        let _ = connection.await;
        drop(place);
    });
}
