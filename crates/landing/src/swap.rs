//! The move itself: the target branch from one commit to the next, and the user's checkout with it.
//!
//! The branch is locked first, by git's own lock: then no process can commit to it or switch the checkout that is on
//! it. What was seen before the lock is looked at again under it. Only then do files move, and the branch last.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use git::{BranchName, Follow, Oid, Prepared, Repository};
use runtime::{Clock, Kind};
use tokio::sync::oneshot;

use crate::Lander;
use crate::error::Error;
use crate::files;
use crate::journal::{self, Pending};
use crate::project::Project;

/// How often it is looked whether git still works in a checkout, and how long each time is waited.
const QUIET_TRIES: u32 = 20;
const QUIET_WAIT: Duration = Duration::from_millis(50);

/// What came of moving the target.
#[derive(Debug)]
pub enum Swapped {
    /// It moved, and this checkout with it.
    Done {
        /// The checkout.
        checkout: Option<PathBuf>,
    },
    /// Another process was faster, with the branch or with the checkout that is on it.
    Lost,
    /// The checkout does not let it.
    Dirty {
        /// The checkout.
        checkout: PathBuf,
        /// What the user has changed in it.
        files: Vec<PathBuf>,
    },
    /// A lock stays.
    Locked {
        /// What git says.
        said: String,
    },
}

/// What is to be moved.
#[derive(Debug, Clone)]
pub(crate) struct Swap {
    pub(crate) project: Arc<Project>,
    pub(crate) target: BranchName,
    /// The checkout that was seen on the target.
    pub(crate) checkout: Option<Repository>,
    /// Where a checkout was seen on the target, even if there are no files to move.
    pub(crate) place: Option<PathBuf>,
    pub(crate) from: Oid,
    pub(crate) to: Oid,
}

impl Lander {
    /// Moves the target to the end, even if no caller waits for it any more.
    pub(crate) async fn swap(&self, swap: Swap) -> Result<Swapped, Error> {
        let moving = Arc::clone(&swap.project.moving).lock_owned().await;
        let ((answer, answered), clock) = (oneshot::channel(), self.0.clock.clone());
        self.0.tasks.spawn(Kind::Job, "move the target branch", move |_| async move {
            let result = swap.run(&clock).await;
            // The next landing begins when this is over, even if its caller is gone.
            drop(moving);
            let _ = answer.send(result);
        });
        answered.await.unwrap_or(Err(Error::ShuttingDown))
    }
}

impl Swap {
    async fn run(self, clock: &Clock) -> Result<Swapped, Error> {
        match self.locked(clock).await {
            Err(Error::Git(error)) if error.is_lock() => Ok(Swapped::Locked { said: error.to_string() }),
            result => result,
        }
    }

    async fn locked(&self, clock: &Clock) -> Result<Swapped, Error> {
        // Locked from the checkout, so that its HEAD is locked too.
        let from = self.checkout.as_ref().unwrap_or(&self.project.repository);
        let Ok(prepared) = from.prepare(&self.target.reference(), &self.from, &self.to).await? else {
            return Ok(Swapped::Lost);
        };
        match &self.checkout {
            Some(checkout) => self.both(prepared, checkout).await,
            None => self.branch(prepared, clock).await,
        }
    }

    /// Moves the branch alone, if no checkout has come to be on it meanwhile.
    async fn branch(&self, prepared: Prepared, clock: &Clock) -> Result<Swapped, Error> {
        // A process that switches to the target right now has read it already, and says so only when all files are
        // written.
        let lock = self.project.repository.git_dir().join("index.lock");
        for tried in 0.. {
            match lock.exists() {
                false => break,
                true if tried < QUIET_TRIES => clock.sleep(QUIET_WAIT).await,
                true => {
                    prepared.abort().await;
                    return Ok(Swapped::Locked { said: format!("`{}` is there", lock.display()) });
                }
            }
        }
        match self.project.repository.tips(std::slice::from_ref(&self.target)).await {
            Ok(tips) if tips.get(&self.target).and_then(|tip| tip.checkout.as_ref()) == self.place.as_ref() => {}
            Ok(_) => {
                prepared.abort().await;
                return Ok(Swapped::Lost);
            }
            Err(error) => {
                prepared.abort().await;
                return Err(error.into());
            }
        }
        prepared.commit().await?;
        Ok(Swapped::Done { checkout: None })
    }

    /// Moves checkout and branch, or neither.
    async fn both(&self, prepared: Prepared, checkout: &Repository) -> Result<Swapped, Error> {
        match self.forward(checkout).await {
            Ok(None) => {}
            Ok(Some(other)) => {
                prepared.abort().await;
                return Ok(other);
            }
            Err(error) => {
                prepared.abort().await;
                return Err(error);
            }
        }
        if let Err(error) = prepared.commit().await {
            // Whether the branch has moved is not known, so it is looked at; failing that, by the next landing.
            if journal::settle(checkout, &self.target, &self.from, &self.to).await.is_ok() {
                files::remove(&self.project.journal())?;
            }
            return Err(error.into());
        }
        files::remove(&self.project.journal())?;
        Ok(Swapped::Done { checkout: checkout.root().map(PathBuf::from) })
    }

    /// Moves the checkout; what is returned is why it was not moved.
    async fn forward(&self, checkout: &Repository) -> Result<Option<Swapped>, Error> {
        let look = checkout.see(false).await?;
        let root = checkout.root().unwrap_or(checkout.git_dir()).to_owned();
        if look.branch.as_ref() != Some(&self.target) || look.commit.as_ref() != Some(&self.from) {
            return Ok(Some(Swapped::Lost));
        }
        let files = look.in_the_way_of(&checkout.touched(&self.from, &self.to).await?);
        if !files.is_empty() {
            return Ok(Some(Swapped::Dirty { checkout: root, files }));
        }
        let (from, to, target) = (self.from.to_string(), self.to.to_string(), self.target.to_string());
        Pending { target, from, to, checkout: root.clone() }.write(&self.project.journal())?;
        match checkout.follow(&self.from, &self.to).await {
            Ok(Follow::Done) => Ok(None),
            Ok(Follow::InTheWay(files)) => {
                files::remove(&self.project.journal())?;
                Ok(Some(Swapped::Dirty { checkout: root, files }))
            }
            // git takes its lock before it touches a file.
            Err(error) if error.is_lock() => {
                files::remove(&self.project.journal())?;
                Err(error.into())
            }
            // It may have been cut short, so the journal stays for the next landing to settle.
            Err(error) => Err(error.into()),
        }
    }
}
