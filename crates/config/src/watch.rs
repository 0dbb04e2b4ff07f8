//! Hot reload: follows `runtime.toml` and the files of agents in the home while the server runs. Those of projects are
//! read again when one of these changes.
//!
//! The directory is watched and not the file, because editors replace files by renaming. Nothing polls; a burst of
//! events is one reading. A file that cannot be used changes nothing: the settings in force stay, and the next good
//! edit is taken up. This module starts no task: the caller runs [`Watcher::run`] in its tree.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use notify::event::{AccessKind, AccessMode};
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher as _};
use tokio::sync::{mpsc, watch};

use crate::environment::Environment;
use crate::error::Error;
use crate::home::Home;
use crate::load::{Loaded, Overrides, load};
use crate::registry::{Merged, Settings};
use crate::warning::Warning;

/// How long a burst of events may last: an editor truncates, writes and renames within this.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Follows the settings file; made by [`watch()`].
#[derive(Debug)]
pub struct Watcher {
    home: Home,
    environment: Environment,
    flags: Overrides,
    settings: watch::Sender<Arc<Settings>>,
    rung: mpsc::Receiver<()>,
    /// What was reported last and still holds, so that a late event of the same edit does not report it again.
    standing: Standing,
    /// Held for as long as events are wanted.
    _events: RecommendedWatcher,
}

#[derive(Debug, Default)]
struct Standing {
    refusal: Option<String>,
    restart: Vec<&'static str>,
    warnings: Vec<Warning>,
}

/// What came of an edit of the settings file.
#[derive(Debug)]
pub enum Change {
    /// The file was taken up; nothing is listed when an edit takes back what was to come with a restart.
    Applied {
        /// Keys whose new value is in force; an agent's is `agents.NAME`.
        live: Vec<Cow<'static, str>>,
        /// Keys whose new value waits for a restart; the old one stays in force.
        restart: Vec<&'static str>,
        /// What the user should be told.
        warnings: Vec<Warning>,
    },
    /// The file cannot be used; the settings in force stay.
    Refused(Error),
}

/// Begins to follow `runtime.toml` with `loaded` in force.
///
/// The file is read once more when [`Watcher::run`] begins, so that an edit since `loaded` was read is not missed.
///
/// # Errors
/// When the system refuses to watch the home directory.
pub fn watch(
    home: &Home,
    environment: Environment,
    flags: Overrides,
    loaded: &Loaded,
) -> Result<(Watcher, watch::Receiver<Arc<Settings>>), Error> {
    let (settings, receiver) = watch::channel(Arc::new(loaded.settings.clone()));
    let (ring, rung) = mpsc::channel(1);
    // A bell that has been rung and not yet heard is enough.
    let _ = ring.try_send(());

    let failed = |source| Error::Watch { path: home.path().to_owned(), source };
    let mut events = notify::recommended_watcher(move |event| {
        if concerns_settings(&event) {
            let _ = ring.try_send(());
        }
    })
    .map_err(failed)?;
    events.watch(home.path(), RecursiveMode::NonRecursive).map_err(failed)?;
    // Made now, so that the first file that is put there is heard of.
    if DirBuilder::new().recursive(true).mode(0o700).create(home.agents()).is_ok() {
        events.watch(&home.agents(), RecursiveMode::NonRecursive).map_err(failed)?;
    }
    let standing = Standing { warnings: loaded.warnings.clone(), ..Standing::default() };
    Ok((Watcher { home: home.clone(), environment, flags, settings, rung, standing, _events: events }, receiver))
}

impl Watcher {
    /// Applies every edit until it is dropped, and passes each result to `report`.
    pub async fn run(mut self, mut report: impl FnMut(Change)) {
        while self.rung.recv().await.is_some() {
            tokio::time::sleep(DEBOUNCE).await;
            // Drained before the reading, so that an edit during it rings again.
            while self.rung.try_recv().is_ok() {}
            if let Some(change) = self.reload() {
                report(change);
            }
        }
    }

    /// Reads the file, and says what came of it unless that has been said.
    fn reload(&mut self) -> Option<Change> {
        let loaded = load(&self.home, &self.environment, &self.flags);
        match loaded.and_then(|loaded| self.take_up(loaded)) {
            Ok(change) => {
                self.standing.refusal = None;
                change
            }
            Err(error) => {
                let refusal = Some(error.to_string());
                let news = self.standing.refusal != refusal;
                self.standing.refusal = refusal;
                news.then_some(Change::Refused(error))
            }
        }
    }

    fn take_up(&mut self, loaded: Loaded) -> Result<Option<Change>, Error> {
        let Merged { settings, live, restart } = self.settings.borrow().merge(&loaded.settings);
        // Checked again: a new value that goes with a new host must not be put beside the old one.
        settings.check(&loaded.resolved)?;
        let warnings = loaded.warnings;
        if live.is_empty() && restart == self.standing.restart && warnings == self.standing.warnings {
            return Ok(None);
        }
        if !live.is_empty() {
            self.settings.send_replace(Arc::new(settings));
        }
        self.standing.restart.clone_from(&restart);
        self.standing.warnings.clone_from(&warnings);
        Ok(Some(Change::Applied { live, restart, warnings }))
    }
}

/// Returns whether the file may have changed; an error of the watch counts, since events may have been lost.
fn concerns_settings(event: &notify::Result<notify::Event>) -> bool {
    let Ok(event) = event else { return true };
    let ours = || event.paths.iter().any(|path| is_settings(path) || is_agent(path));
    match event.kind {
        EventKind::Access(AccessKind::Close(AccessMode::Write)) => ours(),
        // Our own reading opens the file: reacting to that would read forever.
        EventKind::Access(_) => false,
        EventKind::Any | EventKind::Create(_) | EventKind::Modify(_) | EventKind::Remove(_) | EventKind::Other => {
            event.need_rescan() || ours()
        }
    }
}

fn is_settings(path: &Path) -> bool {
    path.file_name() == Some(OsStr::new("runtime.toml"))
}

fn is_agent(path: &Path) -> bool {
    let folder = path.parent().and_then(Path::file_name);
    folder == Some(OsStr::new("agents")) && path.extension() == Some(OsStr::new("toml"))
}

#[cfg(test)]
#[path = "watch_tests.rs"]
mod tests;
