//! What was refused, in a file of bounded size: each host once, with how often.
//!
//! The file is replaced as a whole, at most once a second, so a flood of refusals costs neither space nor time.

use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::allow::Why;

/// The name of the file, in the private folder of a process.
pub const JOURNAL_FILE: &str = "egress.jsonl";

/// Hosts that are told apart; what comes after that is counted together.
const HOSTS_MAX: usize = 256;

/// What hosts that are not told apart are called.
const OTHERS: &str = "(other hosts)";

/// How long the file stays as it is.
const PAUSE: Duration = Duration::from_secs(1);

/// More than the longest file that is written.
const FILE_MAX: u64 = 256 << 10;

/// Something that was refused, as one line of the file has it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refused {
    /// The host; for a malformed request, how it began.
    pub host: String,
    /// The port; 0 if unknown.
    pub port: u16,
    /// Why.
    pub why: Why,
    /// How often.
    pub count: u64,
    /// When first.
    pub first: Timestamp,
    /// When last.
    pub last: Timestamp,
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.port {
            0 => write!(f, "{} ×{} {}", self.host, self.count, self.why),
            port => write!(f, "{}:{port} ×{} {}", self.host, self.count, self.why),
        }
    }
}

/// What was refused so far, and the file that says so.
#[derive(Debug, Clone)]
pub struct Journal {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    path: PathBuf,
}

#[derive(Debug, Default)]
struct State {
    refused: BTreeMap<(String, u16, Why), Refused>,
    is_changed: bool,
    is_over: bool,
}

impl Journal {
    /// Begins a journal, which a thread of its own keeps in a file.
    ///
    /// # Errors
    /// When the system refuses a thread.
    pub fn begin(path: &Path) -> io::Result<Self> {
        let shared = Shared { state: Mutex::default(), changed: Condvar::new(), path: path.to_owned() };
        let journal = Self { shared: Arc::new(shared) };
        let shared = Arc::clone(&journal.shared);
        std::thread::Builder::new().stack_size(128 << 10).spawn(move || shared.keep())?;
        Ok(journal)
    }

    /// Counts a refusal.
    pub(crate) fn note(&self, host: &str, port: u16, why: Why, now: Timestamp) {
        let mut state = self.shared.state();
        let mut key = (host.to_owned(), port, why);
        if state.refused.len() >= HOSTS_MAX && !state.refused.contains_key(&key) {
            key = (OTHERS.to_owned(), 0, why);
        }
        let (host, first) = (key.0.clone(), now);
        let port = key.1;
        let refused = state.refused.entry(key).or_insert(Refused { host, port, why, count: 0, first, last: now });
        refused.count += 1;
        refused.last = now;
        state.is_changed = true;
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Writes what is not written yet, and nothing after that.
    pub(crate) fn finish(&self) {
        let mut state = self.shared.state();
        state.is_over = true;
        let text = state.is_changed.then(|| state.text());
        drop(state);
        self.shared.changed.notify_all();
        if let Some(text) = text {
            let _ = replace(&self.shared.path, &text);
        }
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the file whenever something changed, with a pause after each time.
    fn keep(&self) {
        loop {
            let mut state = self.state();
            while !state.is_changed && !state.is_over {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.is_over {
                return;
            }
            state.is_changed = false;
            // A file that cannot be written now is written with the next refusal.
            let _ = replace(&self.path, &state.text());
            drop(state);
            std::thread::sleep(PAUSE);
        }
    }
}

impl State {
    fn text(&self) -> String {
        let line = |refused: &Refused| serde_json::to_string(refused).map(|line| line + "\n").unwrap_or_default();
        self.refused.values().map(line).collect()
    }
}

#[expect(clippy::disallowed_methods, reason = "the file is this process's own, and a reader must see it whole")]
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let staged = path.with_extension("new");
    let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&staged)?;
    file.write_all(text.as_bytes())?;
    std::fs::rename(&staged, path)
}

/// Reads what was refused; nothing without a file.
///
/// # Errors
/// When the file cannot be read.
#[expect(clippy::disallowed_methods, reason = "it reads what this crate writes, within a size")]
pub fn refused(path: &Path) -> io::Result<Vec<Refused>> {
    let file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut text = String::new();
    file.take(FILE_MAX).read_to_string(&mut text)?;
    Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn each_host_is_written_once_with_how_often() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL_FILE);
        assert_eq!(refused(&path).unwrap(), []);
        let journal = Journal::begin(&path).unwrap();
        for second in 1..=1000 {
            journal.note("evil.example", 443, Why::NotListed, at(second));
        }
        journal.note("evil.example", 22, Why::NotListed, at(7));
        journal.finish();
        let read = refused(&path).unwrap();
        assert_eq!(
            read.iter().map(|refused| (refused.port, refused.count)).collect::<Vec<_>>(),
            [(22, 1), (443, 1000)]
        );
        assert_eq!((read[1].first, read[1].last), (at(1), at(1000)));
    }

    #[test]
    fn a_flood_of_hosts_does_not_grow_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(JOURNAL_FILE);
        let journal = Journal::begin(&path).unwrap();
        let long = "a".repeat(240);
        for number in 0..100_000 {
            journal.note(&format!("{number}.{long}"), 443, Why::NotListed, at(1));
        }
        journal.finish();
        assert!(path.metadata().unwrap().len() < FILE_MAX);
        let read = refused(&path).unwrap();
        assert!(read.len() <= HOSTS_MAX + 1);
        assert_eq!(read.iter().map(|refused| refused.count).sum::<u64>(), 100_000);
    }
}
