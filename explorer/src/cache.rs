//! Answers that were asked for lately.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// Answers by what was asked, of which those go first that nobody has asked for longest.
#[derive(Debug)]
pub(crate) struct Cache<V> {
    entries: Mutex<Entries<V>>,
    bytes_max: usize,
}

#[derive(Debug)]
struct Entries<V> {
    by_key: HashMap<String, Entry<V>>,
    bytes: usize,
    /// Counts look-ups.
    now: u64,
}

#[derive(Debug)]
struct Entry<V> {
    value: V,
    bytes: usize,
    used: u64,
}

impl<V: Clone> Cache<V> {
    /// A cache of at most this number of bytes; none if that is 0.
    pub(crate) fn new(bytes_max: usize) -> Cache<V> {
        Cache {
            entries: Mutex::new(Entries {
                by_key: HashMap::new(),
                bytes: 0,
                now: 0,
            }),
            bytes_max,
        }
    }

    fn entries(&self) -> MutexGuard<'_, Entries<V>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns an answer.
    pub(crate) fn get(&self, key: &str) -> Option<V> {
        let mut entries = self.entries();
        entries.now += 1;
        let now = entries.now;
        let entry = entries.by_key.get_mut(key)?;
        entry.used = now;
        Some(entry.value.clone())
    }

    /// Keeps an answer. One that is larger than half of the cache is not kept, since it would push
    /// out too much.
    pub(crate) fn put(&self, key: String, value: V, bytes: usize) {
        let bytes = bytes + key.len() + size_of::<Entry<V>>();
        if bytes > self.bytes_max / 2 {
            return;
        }
        let mut entries = self.entries();
        entries.make_room(self.bytes_max - bytes);
        let used = entries.now;
        entries.bytes += bytes;
        let entry = Entry { value, bytes, used };
        if let Some(old) = entries.by_key.insert(key, entry) {
            entries.bytes -= old.bytes;
        }
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut entries = self.entries();
        entries.by_key.clear();
        entries.bytes = 0;
    }
}

impl<V> Entries<V> {
    /// Throws out the older half as long as there are more bytes than this: rarely, so that the
    /// search for the oldest does not matter.
    fn make_room(&mut self, bytes_max: usize) {
        while self.bytes > bytes_max && !self.by_key.is_empty() {
            let mut used: Vec<u64> = self.by_key.values().map(|entry| entry.used).collect();
            let middle = used.len() / 2;
            let (_, &mut median, _) = used.select_nth_unstable(middle);
            self.by_key.retain(|_, entry| entry.used > median);
            self.bytes = self.by_key.values().map(|entry| entry.bytes).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_lately_stays_and_the_bound_holds() {
        let cache = Cache::new(40_000);
        for number in 0..1000 {
            cache.put(format!("{number:04}"), number, 300);
            assert_eq!(cache.get("0000"), Some(0), "{number}");
            assert!(cache.entries().bytes <= 40_000);
        }
        assert_eq!(cache.get("0001"), None);
        assert_eq!(cache.get("0999"), Some(999));
        cache.clear();
        assert_eq!(cache.get("0999"), None);
    }

    #[test]
    fn what_is_too_large_is_not_kept() {
        let cache = Cache::new(1000);
        cache.put("one".to_owned(), 1, 900);
        assert_eq!(cache.get("one"), None);
        let none = Cache::new(0);
        none.put("one".to_owned(), 1, 0);
        assert_eq!(none.get("one"), None);
    }
}
