//! Processes that a check started, wherever they went: each inherits a mark in its environment.
//!
//! A group holds what stays in it; what makes a session of its own leaves it, and its parent may be gone. The mark
//! stays, unless somebody takes it out on purpose. Where there is no `/proc`, nobody is found.

use std::sync::atomic::{AtomicU64, Ordering};

use rustix::process::{Pid, Signal, kill_process};

/// The variable that holds the mark.
pub(crate) const VARIABLE: &str = "FLEET_CHECK";

/// How often it is looked for more: who forks while it is looked for is found by the next look.
const LOOKS: u32 = 5;

static COUNT: AtomicU64 = AtomicU64::new(0);

/// Makes a mark that no other check has.
pub(crate) fn mark() -> String {
    let own = std::process::id();
    // Who had the same number before began at another time.
    let began = std::fs::metadata(format!("/proc/{own}")).and_then(|folder| folder.modified()).ok();
    let began = began.and_then(|began| began.duration_since(std::time::UNIX_EPOCH).ok()).unwrap_or_default();
    format!("{own}-{}-{}", began.as_nanos(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// Ends every process with this mark; nobody, if there is none.
pub(crate) fn end(mark: &str) {
    if mark.is_empty() {
        return;
    }
    let entry = format!("{VARIABLE}={mark}");
    for _ in 0..LOOKS {
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

fn pids() -> impl Iterator<Item = Pid> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

#[expect(clippy::disallowed_methods, reason = "what the kernel says of a process is no file of a user")]
fn has(pid: Pid, entry: &str) -> bool {
    let environment = std::fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero())).unwrap_or_default();
    environment.split(|byte| *byte == 0).any(|pair| pair == entry.as_bytes())
}
