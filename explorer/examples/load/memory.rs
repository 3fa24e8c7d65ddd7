//! The memory of the server, as Linux tells it.

use std::{
    fs,
    sync::{Mutex, PoisonError},
};

/// What was seen of a process.
#[derive(Debug)]
pub(crate) struct Memory {
    pid: Option<u32>,
    notes: Mutex<Vec<(&'static str, String)>>,
}

impl Memory {
    pub(crate) fn of(pid: Option<u32>) -> Memory {
        Memory {
            pid,
            notes: Mutex::default(),
        }
    }

    /// Looks at the process at this moment.
    pub(crate) fn note(&self, when: &'static str) {
        let Some(pid) = self.pid else { return };
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let megabytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let kilobytes = line.and_then(|rest| rest.split_whitespace().nth(1)?.parse().ok());
            kilobytes.map_or("?".to_owned(), |kilobytes: u64| {
                format!("{:.1}", kilobytes as f64 / 1024.0)
            })
        };
        let (resident, own) = (megabytes("VmRSS"), megabytes("RssAnon"));
        let text = format!("{own} MB of its own, {resident} MB with what files are mapped");
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.push((when, text));
    }

    pub(crate) fn print(&self) {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for (when, text) in &*notes {
            println!("memory at the {when}: {text}");
        }
    }
}
