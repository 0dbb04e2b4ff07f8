//! What is known of a repository between two landings: where its target queues are, and which server has it.

use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use git::{BranchName, Repository};

use crate::error::Error;
use crate::target_queue::{self, LEADER, TargetQueue};
use crate::{Lander, files, orphan};

/// How often it is looked whether what another server left behind has ended, and how long each time is waited.
const LOCK_TRIES: u32 = 100;
const LOCK_WAIT: Duration = Duration::from_millis(50);

/// A repository that is landed in.
#[derive(Debug)]
pub(crate) struct Project {
    /// Seen from the folder that was named first.
    pub(crate) repository: Repository,
    /// The folder of its target queues and its journal.
    home: PathBuf,
    /// Locked as long as this server lives, by this server alone.
    _owner: File,
    /// Locked as long as anything of ours is at work, children included.
    pub(crate) lock: Arc<File>,
    /// Taken to move the target, and kept until that is done even if no caller waits for it.
    pub(crate) moving: Arc<tokio::sync::Mutex<()>>,
    /// The branches that were landed on.
    lanes: Mutex<HashMap<BranchName, Arc<TargetQueue>>>,
}

/// A folder that was opened, and how to see that its repository is still the same.
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
        Ok(Project { repository, home, _owner: owner, lock, moving: Arc::default(), lanes: Mutex::default() })
    }

    /// Takes the locks of a scratch folder, and ends the checks of an earlier server that still work there.
    async fn lock(&self, home: &Path) -> Result<(File, File), Error> {
        // No child inherits the first one, so its holder is a live server.
        let owner = self.wait_for(home, "owner").await?;
        for leader in leaders(home) {
            orphan::end(&leader);
        }
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
    /// Returns the queue of a target branch.
    pub(crate) fn lane(&self, target: &BranchName) -> Result<Arc<TargetQueue>, Error> {
        let mut lanes = self.lanes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(target) {
            return Ok(Arc::clone(lane));
        }
        let lane = Arc::new(TargetQueue::new(self.repository.clone(), Arc::clone(&self.lock), &self.home, target));
        files::create_dirs(lane.home())?;
        lanes.insert(target.clone(), Arc::clone(&lane));
        Ok(lane)
    }

    /// Where a move of the target and a checkout is written down.
    pub(crate) fn journal(&self) -> PathBuf {
        self.home.join("moving.json")
    }
}

/// The files that say which processes led checks.
fn leaders(home: &Path) -> Vec<PathBuf> {
    let lanes = std::fs::read_dir(target_queue::folder(home)).into_iter().flatten().flatten();
    lanes.map(|entry| entry.path().join(LEADER)).collect()
}

fn identity(path: &Path) -> Option<(u64, u64)> {
    path.metadata().ok().map(|metadata| (metadata.dev(), metadata.ino()))
}
