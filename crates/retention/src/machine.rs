//! Files, worktrees and branches of this machine.

use std::io;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use futures::future::BoxFuture;
use sessions::SessionManager;
use types::{Landing, LandingState, Publication, Session, SessionId};
use workspaces::Workspaces;

use crate::outside::{Outside, References, Refused};

/// Folders that are being removed. No mission and no session is called so.
const REMOVED: &str = ".removed";

/// How long the server's log may get; as much again is kept of the time before.
const LOG_BYTES_MAX: u64 = 50_000_000;

/// What is outside of the store on this machine.
#[derive(Debug)]
pub struct Machine {
    sessions: SessionManager,
    workspaces: Workspaces,
    tasks: PathBuf,
    log: PathBuf,
}

impl Machine {
    /// Removes files of sessions below `tasks`, worktrees and branches that `workspaces` made, and the start of `log`.
    #[must_use]
    pub fn new(sessions: SessionManager, workspaces: Workspaces, tasks: PathBuf, log: PathBuf) -> Self {
        Self { sessions, workspaces, tasks, log }
    }
}

impl Outside for Machine {
    fn is_live(&self, session: &SessionId) -> bool {
        self.sessions.live(session).is_some()
    }

    fn with_worktree(&self, after: Option<String>, limit: usize) -> BoxFuture<'_, Result<Vec<String>, Refused>> {
        let workspaces = self.workspaces.clone();
        let read = move || {
            let all = workspaces.sessions()?;
            let behind = all.into_iter().filter(|one| after.as_ref().is_none_or(|after| one > after));
            Ok(behind.take(limit).collect())
        };
        async move { runtime::blocking(read).await.map_err(refused) }.boxed()
    }

    fn has_worktree(&self, session: &Session) -> bool {
        let workspace = session.workspace.as_ref().filter(|workspace| workspace.worktree.is_some());
        workspace.is_some_and(|workspace| Path::new(&workspace.path).exists())
    }

    fn remove_worktree<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>> {
        async move {
            let Some(workspace) = &session.workspace else { return Ok(()) };
            let in_use = self.sessions.in_use();
            let removed = self.workspaces.remove(session.id.as_str(), workspace, in_use).await.map_err(refused)?;
            tracing::info!(session = %session.id, snapshot = removed.snapshot, "a worktree was removed");
            Ok(())
        }
        .boxed()
    }

    fn references<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<References, Refused>> {
        async move {
            let left = self.workspaces.left(Path::new(folder)).await.map_err(refused)?;
            Ok(References { branches: left.branches, snapshots: left.snapshots })
        }
        .boxed()
    }

    fn remove_branch<'a>(&'a self, landing: &'a Landing) -> BoxFuture<'a, Result<bool, Refused>> {
        async move {
            let is_told = match &landing.publication {
                None | Some(Publication::Done { .. }) => true,
                Some(Publication::Pending { .. } | Publication::Refused { .. }) => false,
            };
            if !is_told || !matches!(landing.state, LandingState::Landed { .. }) {
                return Ok(false);
            }
            let (folder, session) = (Path::new(&landing.folder), landing.session.as_str());
            self.workspaces.remove_landed(folder, session, &landing.branch).await.map_err(refused)
        }
        .boxed()
    }

    fn pack<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<(), Refused>> {
        async move { self.workspaces.pack(Path::new(folder)).await.map_err(refused) }.boxed()
    }

    fn has_files(&self, session: &Session) -> bool {
        self.sessions.folder(session).exists()
    }

    fn remove_files<'a>(&'a self, session: &'a Session) -> BoxFuture<'a, Result<(), Refused>> {
        let (folder, removed) = (self.sessions.folder(session), self.tasks.join(REMOVED));
        async move {
            let told = format!("cannot remove `{}`", folder.display());
            let gone = runtime::blocking(move || remove(&folder, &removed)).await;
            gone.map_err(|error| Refused(format!("{told}: {error}")))
        }
        .boxed()
    }

    fn trim_output(&self) -> BoxFuture<'_, ()> {
        let log = self.log.clone();
        let trim = async move {
            self.sessions.trim_spools().await;
            if let Err(error) = runtime::blocking(move || turn_over(&log)).await {
                tracing::warn!(%error, "the server's log cannot be turned over");
            }
        };
        trim.boxed()
    }
}

/// Moves a folder out of the way, whole, and then removes it; what an earlier call left there goes too.
#[expect(clippy::disallowed_methods, reason = "no agent works in the old files of a session")]
fn remove(folder: &Path, removed: &Path) -> io::Result<()> {
    std::fs::create_dir_all(removed)?;
    let name = folder.file_name().unwrap_or_default();
    match std::fs::rename(folder, removed.join(name)) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // The folder of the mission, if that was its last session.
    if let Some(task) = folder.parent() {
        let _ = std::fs::remove_dir(task);
    }
    std::fs::remove_dir_all(removed)
}

/// Copies a log that is long to `server.log.1`, over the one before, and begins it anew.
///
/// It is open for appending, so the server goes on at its new start.
fn turn_over(log: &Path) -> io::Result<()> {
    let is_long = log.metadata().is_ok_and(|data| data.len() > LOG_BYTES_MAX);
    if !is_long {
        return Ok(());
    }
    std::fs::copy(log, log.with_extension("log.1"))?;
    std::fs::OpenOptions::new().write(true).open(log)?.set_len(0)
}

fn refused(error: workspaces::Error) -> Refused {
    let causes = std::iter::successors(Some(&error as &dyn std::error::Error), |error| error.source());
    Refused(causes.map(ToString::to_string).collect::<Vec<_>>().join(": "))
}
