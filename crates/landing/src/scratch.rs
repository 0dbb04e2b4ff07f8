//! The worktree that checks run in: one for each target queue, put to one commit after the other.
//!
//! What git ignores stays from one commit to the next, so that a build continues where the last one ended. Everything
//! else is exactly the commit's. It is for internal use: if anything is broken about it, it is deleted and made anew.

use git::{At, Attach, Checkout, Oid, Repository, Submodules};

use crate::error::Error;
use crate::target_queue::{State, TargetQueue};
use crate::{Lander, files};

impl Lander {
    /// Puts the scratch worktree to a commit, and makes it first if need be.
    pub(crate) async fn scratch(
        &self,
        lane: &TargetQueue,
        state: &mut State,
        commit: &Oid,
    ) -> Result<Repository, Error> {
        let pristine = std::mem::take(&mut state.pristine);
        let path = lane.tree();
        if let Ok(tree) = lane.repository.worktree(&path).await
            && path.is_dir()
        {
            match reuse(&tree, commit, pristine).await {
                Ok(()) => return Ok(tree),
                Err(error) => tracing::warn!(path = %path.display(), %error, "making the scratch worktree anew"),
            }
        }
        lane.repository.discard(&path).await?;
        let (at, checkout) = (At::Commit(commit.clone()), Checkout::default());
        Ok(lane.repository.attach(&Attach { path, at, checkout, submodules: Submodules::Leave }).await?)
    }
}

async fn reuse(tree: &Repository, commit: &Oid, pristine: bool) -> Result<(), Error> {
    if !pristine {
        // Only this server works here, so a lock was left by a git that was killed.
        for name in ["index.lock", "HEAD.lock"] {
            files::remove(&tree.git_dir().join(name))?;
        }
    }
    tree.force_to(commit).await?;
    if !pristine {
        tree.clear_untracked().await?;
    }
    Ok(())
}
