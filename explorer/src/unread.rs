//! Memory of answers that their clients have not taken yet: bounded over all of them together.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes, HttpBody, to_bytes},
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::errors::Fault;

/// Bytes that an answer may have without being counted: the bound on connections bounds these.
const SMALL_BYTES: u64 = 64 << 10;

/// The room that there is, in kilobytes. Clones have the same room.
#[derive(Debug, Clone)]
pub(crate) struct Unread {
    room: Arc<Semaphore>,
    kilobytes_max: u32,
}

/// Room for an answer, given back when nothing refers to it any more.
#[derive(Debug, Clone)]
pub(crate) struct Room(#[expect(dead_code, reason = "it is only held")] Arc<OwnedSemaphorePermit>);

/// Bytes with their room, for as long as they wait to be sent.
struct Roomy<B>(B, #[expect(dead_code, reason = "it is only held")] Room);

impl<B: AsRef<[u8]>> AsRef<[u8]> for Roomy<B> {
    fn as_ref(&self) -> &[u8] {
        self.0.as_ref()
    }
}

impl Unread {
    pub(crate) fn new(megabytes: usize) -> Unread {
        let most = (Semaphore::MAX_PERMITS >> 10).min(u32::MAX as usize >> 10);
        let kilobytes_max = (megabytes.clamp(1, most) as u32) << 10;
        Unread {
            room: Arc::new(Semaphore::new(kilobytes_max as usize)),
            kilobytes_max,
        }
    }

    /// Takes room for this number of bytes, at most what there is.
    ///
    /// # Errors
    /// `Unread` when others have too much of it.
    pub(crate) fn take(&self, bytes: u64) -> Result<Room, Fault> {
        let kilobytes = u32::try_from(bytes.div_ceil(1 << 10)).unwrap_or(u32::MAX);
        let kilobytes = kilobytes.min(self.kilobytes_max);
        let taken = self.room.clone().try_acquire_many_owned(kilobytes);
        taken
            .map(|taken| Room(Arc::new(taken)))
            .map_err(|_| Fault::Unread)
    }
}

impl Room {
    /// Returns bytes that keep the room until they are sent or dropped.
    pub(crate) fn hold(&self, bytes: impl AsRef<[u8]> + Send + 'static) -> Bytes {
        Bytes::from_owner(Roomy(bytes, self.clone()))
    }
}

/// Counts answers that are there as a whole until their clients have taken them. Those that are
/// made bit by bit count themselves.
pub(crate) async fn counted(
    State(unread): State<Unread>,
    request: Request,
    next: Next,
) -> Response {
    let response = next.run(request).await;
    let Some(length) = response.body().size_hint().exact() else {
        return response;
    };
    if length <= SMALL_BYTES {
        return response;
    }
    let room = match unread.take(length) {
        Ok(room) => room,
        Err(fault) => return fault.into_response(),
    };
    let (head, body) = response.into_parts();
    match to_bytes(body, usize::MAX).await {
        Ok(bytes) => Response::from_parts(head, Body::from(room.hold(bytes))),
        Err(_) => Fault::Internal.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_given_back_with_the_last_bytes_that_hold_it() {
        let unread = Unread::new(1);
        let room = unread.take(1 << 19).expect("room");
        let bytes = room.hold(vec![0; 10]);
        drop(room);
        assert_eq!(unread.take(1 << 20).err(), Some(Fault::Unread));
        assert!(unread.take(1 << 18).is_ok());
        drop(bytes);
        // More than there is gets all of it.
        let all = unread.take(u64::MAX).expect("room");
        assert_eq!(unread.take(1).err(), Some(Fault::Unread));
        drop(all);
        assert!(unread.take(1 << 20).is_ok());
    }
}
