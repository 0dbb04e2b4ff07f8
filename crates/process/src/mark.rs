//! A mark in the environment of a command that all its descendants inherit, wherever they go.
//!
//! A process group holds what stays in it; what makes a session of its own leaves it, and its parent may be gone. The
//! mark stays unless a process removes it on purpose. Without `/proc`, no process is found.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

/// How often processes are searched: one that forks during a search is found by the next.
const SEARCHES: u32 = 5;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// A variable with a value that no other command has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    variable: &'static str,
    value: String,
}

impl Mark {
    /// Makes a mark that no other command has.
    #[must_use]
    pub fn new(variable: &'static str) -> Self {
        let own = std::process::id();
        // A process that had the same number before began at another time.
        let began = std::fs::metadata(format!("/proc/{own}")).and_then(|folder| folder.modified()).ok();
        let began = began.and_then(|began| began.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
        let value = format!("{own}-{}-{}", began.as_nanos(), COUNT.fetch_add(1, Ordering::Relaxed));
        Self { variable, value }
    }

    /// Returns a mark that an earlier server made.
    #[must_use]
    pub fn known(variable: &'static str, value: String) -> Self {
        Self { variable, value }
    }

    /// Returns the name of the variable.
    #[must_use]
    pub fn variable(&self) -> &'static str {
        self.variable
    }

    /// Returns the value.
    #[must_use]
    pub fn value(&self) -> &str {
        &self.value
    }

    /// Kills every process with this mark; an empty mark has none.
    pub fn end(&self) {
        if self.value.is_empty() {
            return;
        }
        let entry = format!("{}={}", self.variable, self.value);
        for _ in 0..SEARCHES {
            let found: Vec<Pid> = pids().filter(|pid| has(*pid, &entry)).collect();
            if found.is_empty() {
                return;
            }
            for pid in found {
                // Gone already is as good.
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

fn pids() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

#[expect(clippy::disallowed_methods, reason = "the kernel's record of a process is not a file of a user")]
fn has(pid: Pid, entry: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|pair| pair == entry.as_bytes())
}
