//! What is about to be moved, written down before the first file of a checkout is touched.
//!
//! The branch is locked, then the checkout's files and index go forward, then the branch does. A kill before the last
//! step leaves files that look as if the user had staged them. The next landing reads here that they are not, and takes
//! the last step; the commit was green, or nothing would have been written down.

use std::path::{Path, PathBuf};

use git::{BranchName, Oid, Repository};
use serde::{Deserialize, Serialize};

use crate::Lander;
use crate::error::Error;
use crate::files::{self, Lasting};
use crate::project::Project;

/// A move that has begun.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pending {
    pub(crate) target: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) checkout: PathBuf,
}

impl Pending {
    pub(crate) fn write(&self, path: &Path) -> Result<(), Error> {
        files::write(path, self, Lasting::Yes)
    }
}

impl Lander {
    /// Finishes or takes back what a kill has left half-moved; without one, this costs a look at a file.
    pub(crate) async fn repair(&self, project: &Project) -> Result<(), Error> {
        let Some(pending) = files::read::<Pending>(&project.journal())? else { return Ok(()) };
        let (Ok(target), Ok(from), Ok(to)) = (pending.target.parse(), pending.from.parse(), pending.to.parse()) else {
            return files::remove(&project.journal());
        };
        let Ok(checkout) = self.0.git.open(&pending.checkout).await else {
            return files::remove(&project.journal());
        };
        let checkout = checkout.keeping_open(std::sync::Arc::clone(&project.lock));
        tracing::warn!(checkout = %pending.checkout.display(), %target, "settling a move that was cut short");
        settle(&checkout, &target, &from, &to).await?;
        files::remove(&project.journal())
    }
}

/// Takes the last step if the checkout has gone forward, and the first step back if it has not.
pub(crate) async fn settle(checkout: &Repository, target: &BranchName, from: &Oid, to: &Oid) -> Result<(), Error> {
    let tips = checkout.tips(std::slice::from_ref(target)).await?;
    let at = tips.get(target).map(|tip| &tip.commit);
    // Moved already, or moved on by a process that has seen the checkout as it is.
    if at != Some(from) || checkout.see(false).await?.branch.as_ref() != Some(target) {
        return Ok(());
    }
    let touched: Vec<PathBuf> = checkout.touched(from, to).await?;
    let stands = |differing: Vec<PathBuf>| !differing.iter().any(|path| touched.contains(path));
    if stands(checkout.staged_apart(to).await?) {
        // What the user has staged since then stays on top of it.
        if let Ok(prepared) = checkout.prepare(&target.reference(), from, to).await? {
            prepared.commit().await?;
        }
    } else if stands(checkout.staged_apart(from).await?) {
        checkout.unfollow(from, to).await?;
    }
    Ok(())
}
