//! All trials: each version once, however many ask, and what was found is kept.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use runtime::{Clock, Kind, Tree};
use supervisor::{Adopted, Signal, Stop, Supervisor};
use tokio::sync::{OnceCell, watch};

use crate::finding::Finding;
use crate::findings_file::{Book, Key, StoredFinding};
use crate::folders::spool_in;
use crate::program::Program;
use crate::trial::{self, Folders, Subject};

/// How long a trial that could not be carried out is not begun again by itself.
const PAUSE: Duration = Duration::from_secs(300);

/// The word by which Fleet's own bridge is known in a command line; the next one names the protocol.
const BRIDGE: &str = "__bridge";

/// What trials are carried out with.
#[derive(Debug, Clone)]
pub struct Parts {
    /// What time it is.
    pub clock: Clock,
    /// Where trials run.
    pub tree: Tree,
    /// Who starts agents.
    pub supervisor: Supervisor,
    /// Where trials have their folders.
    pub folder: PathBuf,
    /// The file of what was found.
    pub book: PathBuf,
    /// Where programs are, as in the variable `PATH`.
    pub path: String,
}

/// Tries agents and knows what was found. Clones share it.
#[derive(Debug, Clone)]
pub struct HookProbes(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    parts: Parts,
    state: Mutex<State>,
    /// Whether what an earlier server left was ended: before the first trial has a folder of its own.
    swept: OnceCell<()>,
}

#[derive(Debug)]
struct State {
    book: Book,
    under_way: HashMap<Key, watch::Receiver<Option<Finding>>>,
    /// What could not be tried, and when that was.
    failed: HashMap<Key, (Duration, Finding)>,
}

impl HookProbes {
    /// Opens the book; nothing is tried yet. Blocks for as long as a small file takes.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let book = Book::open(&parts.book);
        let state = State { book, under_way: HashMap::new(), failed: HashMap::new() };
        Self(Arc::new(Inner { parts, state: Mutex::new(state), swept: OnceCell::new() }))
    }

    /// Returns what is known of an agent as it is installed now; none if it was not tried.
    #[must_use]
    pub fn known(&self, subject: &Subject) -> Option<StoredFinding> {
        let key = self.key(subject).ok()?;
        self.state().book.find(&key).cloned()
    }

    /// Returns the finding about an agent; runs a trial if there is none.
    ///
    /// It takes as long as a short run of the agent, at most a minute; other callers meanwhile wait for the same trial.
    pub async fn find_out(&self, subject: &Subject) -> Finding {
        match self.key(subject) {
            Ok(key) => self.wait_for(key, subject, false).await,
            Err(why) => Finding::NotTried { why },
        }
    }

    /// Tries an agent again, whatever was found before.
    pub async fn try_again(&self, subject: &Subject) -> Finding {
        match self.key(subject) {
            Ok(key) => self.wait_for(key, subject, true).await,
            Err(why) => Finding::NotTried { why },
        }
    }

    /// What is to be tried: the program as it lies there, and the way it is spoken with.
    fn key(&self, subject: &Subject) -> Result<Key, String> {
        let launch = subject.launch(&Folders::nowhere(), "http://127.0.0.1:1")?.launch;
        let own = subject.adapter.discovery().map(|discovery| discovery.binary);
        let name = own.or_else(|| launch.argv.first().cloned()).unwrap_or_default();
        let program = Program::find(&name, &self.0.parts.path);
        let program = program.ok_or_else(|| format!("there is no program `{name}`"))?;
        let protocol = match launch.argv.as_slice() {
            [_, word, protocol, ..] if word == BRIDGE => protocol.clone(),
            _ => "hooks".to_owned(),
        };
        Ok(Key { agent: subject.agent.clone(), program, protocol, fleet: env!("CARGO_PKG_VERSION").to_owned() })
    }

    async fn wait_for(&self, key: Key, subject: &Subject, again: bool) -> Finding {
        let mut trial = match self.begin(key, subject, again) {
            Begun::Known(finding) => return finding,
            Begun::UnderWay(trial) => trial,
        };
        let found = trial.wait_for(Option::is_some).await.ok().and_then(|found| found.clone());
        found.unwrap_or_else(|| Finding::NotTried { why: "the trial broke off".to_owned() })
    }

    fn begin(&self, key: Key, subject: &Subject, again: bool) -> Begun {
        let mut state = self.state();
        if let Some(trial) = state.under_way.get(&key) {
            return Begun::UnderWay(trial.clone());
        }
        if !again && let Some(found) = state.known(&key, self.0.parts.clock.monotonic()) {
            return Begun::Known(found);
        }
        let (tell, trial) = watch::channel(None);
        state.under_way.insert(key.clone(), trial.clone());
        drop(state);
        let (canaries, subject) = (self.clone(), subject.clone());
        self.0.parts.tree.spawn(Kind::Job, format!("try {}", key.agent), move |stop| async move {
            // Forgotten however this task ends, so that no caller waits for a trial that was aborted.
            let _mark = Mark { canaries: canaries.clone(), key: key.clone() };
            canaries.0.swept.get_or_init(|| canaries.sweep()).await;
            let found = trial::carry_out(&canaries.0.parts, &subject, &stop).await;
            tracing::info!(agent = key.agent, program = %key.program.path.display(), "an agent was tried: {found}");
            canaries.keep(&key, &found);
            tell.send_replace(Some(found));
        });
        Begun::UnderWay(trial)
    }

    /// What was found is true until the program changes; what could not be tried may be possible soon.
    fn keep(&self, key: &Key, found: &Finding) {
        let mut state = self.state();
        match found {
            Finding::Held | Finding::Broken { .. } => {
                let tried_at = self.0.parts.clock.now();
                let kept = StoredFinding { key: key.clone(), finding: found.clone(), tried_at };
                if let Err(error) = state.book.enter(kept) {
                    tracing::warn!(%error, "what a trial found cannot be kept; the agent will be tried again");
                }
                state.failed.remove(key);
            }
            Finding::NotTried { .. } => {
                let now = self.0.parts.clock.monotonic();
                state.failed.insert(key.clone(), (now, found.clone()));
            }
        }
    }

    /// Ends what trials of a server that was killed have left; their folders go too.
    async fn sweep(&self) {
        let parts = &self.0.parts;
        let Ok(left) = parts.folder.read_dir() else { return };
        for trial in left.filter_map(Result::ok).map(|entry| entry.path()) {
            match parts.supervisor.adopt(&spool_in(&trial)).await {
                Adopted::Running(running) => {
                    running.stop(Stop::new(Signal::Kill, Duration::ZERO)).await.ok();
                }
                Adopted::Lost { leftover: Some(leftover), .. } => {
                    leftover.end().await;
                }
                Adopted::Ended(_) | Adopted::Lost { leftover: None, .. } => {}
            }
            #[expect(clippy::disallowed_methods, reason = "a trial's folder holds no user's work")]
            let removed = std::fs::remove_dir_all(&trial);
            if let Err(error) = removed {
                tracing::warn!(%error, folder = %trial.display(), "the folder of an old trial stays");
            }
        }
    }

    /// The state is whole between any two statements, so the panic of a holder does no harm.
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What asking for a finding begins.
enum Begun {
    Known(Finding),
    UnderWay(watch::Receiver<Option<Finding>>),
}

impl State {
    fn known(&self, key: &Key, now: Duration) -> Option<Finding> {
        let failed = self.failed.get(key).filter(|(at, _)| now.saturating_sub(*at) < PAUSE);
        self.book.find(key).map(|kept| kept.finding.clone()).or_else(|| failed.map(|(_, found)| found.clone()))
    }
}

/// A trial under way.
struct Mark {
    canaries: HookProbes,
    key: Key,
}

impl Drop for Mark {
    fn drop(&mut self) {
        self.canaries.state().under_way.remove(&self.key);
    }
}
