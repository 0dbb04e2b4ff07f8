//! What is known of a repository between two landings: where its scratch is, what was merged, what was green.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use git::{Oid, Repository};

use crate::check::Green;
use crate::error::Error;
use crate::merge::Merged;
use crate::{Lander, files, orphan};

/// How often it is looked whether what another server left behind has ended, and how long each time is waited.
const LOCK_TRIES: u32 = 100;
const LOCK_WAIT: Duration = Duration::from_millis(50);

/// A repository that is landed in.
#[derive(Debug)]
pub(crate) struct Project {
    /// Seen from the folder that was named first.
    pub(crate) repository: Repository,
    /// The folder of its scratch worktree.
    pub(crate) home: PathBuf,
    /// Locked as long as this server lives, and by nobody else.
    _owner: File,
    /// Locked as long as anything of ours is at work, children included.
    pub(crate) lock: Arc<File>,
    /// Taken by whoever moves the target, and kept until that is done even if nobody waits for it.
    pub(crate) moving: Arc<tokio::sync::Mutex<()>>,
    /// One landing at a time.
    pub(crate) state: tokio::sync::Mutex<State>,
}

/// What is only worth keeping, not needed.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What became of merging a branch on a commit.
    pub(crate) merged: HashMap<(Oid, Oid), Merged>,
    /// What was green last, for when it could not land at once.
    pub(crate) green: Option<Green>,
    /// Whether the scratch worktree is known to hold no file but its commit's and ignored ones.
    pub(crate) pristine: bool,
    /// The user's checkouts that were met, by their top.
    pub(crate) checkouts: HashMap<PathBuf, Repository>,
}

/// A folder that was opened, and what tells that its repository is still the same.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) repository: Repository,
    pub(crate) project: Arc<Project>,
    identity: Option<(u64, u64)>,
}

impl Lander {
    /// Opens the repository that `folder` is in; asks git only if it has not been asked before.
    pub(crate) async fn open(&self, folder: &Path) -> Result<Opened, Error> {
        let mut opened = self.0.opened.lock().await;
        if let Some(known) = opened.get(folder)
            && known.identity.is_some()
            && known.identity == identity(known.repository.common_dir())
        {
            return Ok(known.clone());
        }
        let repository = self.0.git.open(folder).await?;
        let identity = identity(repository.common_dir());
        let same = opened.values().find(|known| {
            known.project.repository.common_dir() == repository.common_dir() && known.identity == identity
        });
        let project = match same {
            Some(known) => Arc::clone(&known.project),
            None => Arc::new(self.begin(&repository).await?),
        };
        let repository = repository.keeping_open(Arc::clone(&project.lock));
        let entry = Opened { repository, project, identity };
        opened.insert(folder.to_owned(), entry.clone());
        Ok(entry)
    }

    async fn begin(&self, repository: &Repository) -> Result<Project, Error> {
        let place = repository.place(&self.0.root, "tree")?;
        let home = place.parent().unwrap_or(&self.0.root).to_owned();
        files::create_dirs(&home)?;
        let (owner, lock) = self.lock(&home).await?;
        let lock = Arc::new(lock);
        let repository = repository.keeping_open(Arc::clone(&lock));
        Ok(Project {
            repository,
            home,
            _owner: owner,
            lock,
            moving: Arc::default(),
            state: tokio::sync::Mutex::default(),
        })
    }

    /// Takes the locks of a scratch folder, and ends the check of an earlier server that still works there.
    async fn lock(&self, home: &Path) -> Result<(File, File), Error> {
        // No child inherits the first one, so whoever holds it is a server that lives.
        let owner = self.wait_for(home, "owner").await?;
        orphan::end(&home.join("check"));
        Ok((owner, self.wait_for(home, "lock").await?))
    }

    async fn wait_for(&self, home: &Path, name: &str) -> Result<File, Error> {
        let path = home.join(name);
        let file = files::open_lock(&path)?;
        for _ in 0..LOCK_TRIES {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) => self.0.clock.sleep(LOCK_WAIT).await,
                Err(TryLockError::Error(error)) => return Err(files::failed("lock", &path)(error)),
            }
        }
        Err(Error::Busy { folder: home.to_owned() })
    }
}

impl Project {
    /// Where the scratch worktree is.
    pub(crate) fn tree(&self) -> PathBuf {
        self.home.join("tree")
    }

    /// Where a move of the target and a checkout is written down.
    pub(crate) fn journal(&self) -> PathBuf {
        self.home.join("moving.json")
    }
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
