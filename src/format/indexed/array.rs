//! Values in memory, or in a mapped file.

use std::{marker::PhantomData, ops::Deref, ops::Range, sync::Arc};

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::format::File;

/// A slice of values that need no alignment.
#[derive(Debug)]
pub(crate) enum Array<T> {
    Owned(Vec<T>),
    /// The bytes of a file in this range.
    Stored(Arc<File>, Range<usize>, PhantomData<T>),
}

impl<T: FromBytes + Immutable + KnownLayout + Unaligned> Array<T> {
    /// Returns the values in a part of a file; `None` if it does not hold a whole number of them.
    pub(crate) fn stored(file: &Arc<File>, range: Range<usize>) -> Option<Array<T>> {
        <[T]>::ref_from_bytes(file.bytes.get(range.clone())?).ok()?;
        Some(Array::Stored(Arc::clone(file), range, PhantomData))
    }
}

impl<T> Default for Array<T> {
    fn default() -> Array<T> {
        Array::Owned(Vec::new())
    }
}

impl<T: FromBytes + Immutable + KnownLayout + Unaligned> Deref for Array<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Array::Owned(values) => values,
            Array::Stored(file, range, _) => {
                let bytes = file.bytes.get(range.clone()).unwrap_or_default();
                <[T]>::ref_from_bytes(bytes).unwrap_or_default()
            }
        }
    }
}

impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned> Array<T> {
    /// Returns the bytes of all values.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        <[T]>::as_bytes(self)
    }
}
