//! The work of a session, taken over from its own git directory into the repository: verified objects, its branch and no
//! other reference, its index and what it merges.
//!
//! Afterwards the registration of the worktree says what the session's git directory said, and everything else in this
//! crate looks there. What Fleet commits goes the other way by [`Repository::give_back`].

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::beneath::Beneath;
use crate::commit::Swap;
use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::private::{Found, FoundHead, MERGING, Private};
use crate::repository::{Kind, Repository};

/// What happens if the session's branch was moved in the repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moved {
    /// Nothing is taken over.
    Refuse,
    /// What the session has is taken over, on no branch.
    Detach,
}

/// The index of a session while it is looked at.
const UNVERIFIED: &str = "fleet.index";

impl Repository {
    /// Takes over what the agent of a worktree with a git directory of its own has done; nothing elsewhere.
    ///
    /// # Errors
    /// [`Error::PrivateGit`] if the agent left there what cannot be taken over; [`Error::BranchMoved`] if its branch was
    /// moved in the repository meanwhile; when git or the disk fails. What is not whole is not taken.
    pub async fn take_over(&self) -> Result<(), Error> {
        self.take_over_or(Moved::Refuse).await
    }

    pub(crate) async fn take_over_or(&self, moved: Moved) -> Result<(), Error> {
        if self.private()?.is_none() {
            return Ok(());
        }
        let _alone = self.git.locks().take(&self.git_dir).await;
        self.finish_commit().await?;
        let Some(private) = self.private()? else { return Ok(()) };
        let read = private.clone();
        let found = runtime::blocking(move || read.look()).await?;
        self.take_commits(private.clone(), &found, moved).await?;
        self.take_index(&private, &found).await?;
        let git_dir = self.git_dir.clone();
        runtime::blocking(move || {
            let own = Beneath::open(&git_dir)?;
            found.merging.iter().try_for_each(|(name, bytes)| match bytes {
                Some(bytes) => own.write(Path::new(name), bytes),
                None => own.remove(Path::new(name)),
            })
        })
        .await
    }

    async fn take_commits(&self, mut private: Private, found: &Found, moved: Moved) -> Result<(), Error> {
        let mut known: BTreeSet<Oid> = private.tip.iter().filter_map(|tip| tip.parse().ok()).collect();
        known.extend(self.plain_head_commit());
        let wanted = found.tip.iter().chain(&found.commit).cloned().chain(found.merged());
        let wanted: BTreeSet<Oid> = wanted.filter(|oid| !known.contains(oid)).collect();
        if !wanted.is_empty() {
            self.import_lfs(&private).await?;
        }
        self.import(&private, &wanted).await?;
        if let (Some(branch), Some(tip)) = (private.branch(), &found.tip) {
            match self.follow_branch(&private, &branch, tip).await {
                Err(Error::BranchMoved { .. }) if moved == Moved::Detach => private.branch = None,
                followed => followed?,
            }
        }
        let on = match (&found.head, private.branch()) {
            (FoundHead::Branch(name), Some(own)) if *name == own => Some(own),
            (FoundHead::Branch(_) | FoundHead::Detached(_), _) => None,
        };
        match (on, &found.commit) {
            (Some(branch), _) if self.head_branch().await?.as_ref() != Some(&branch) => {
                self.command(["symbolic-ref", "HEAD", &branch.reference()]).run().await.map(drop)
            }
            // Another branch of the session is none of the repository's, and one without a commit has nothing to take.
            (None, Some(commit)) if self.head_branch().await?.is_some() || self.resolve("HEAD").await? != *commit => {
                self.command(["update-ref", "--no-deref", "HEAD", commit.as_str()]).run().await.map(drop)
            }
            (Some(_) | None, _) => Ok(()),
        }
    }

    /// Moves the session's branch in the repository, unless another process moved it.
    async fn follow_branch(&self, private: &Private, branch: &crate::BranchName, tip: &Oid) -> Result<(), Error> {
        let moved = |found: Option<Oid>| Error::BranchMoved {
            branch: branch.clone(),
            from: private.tip.clone().unwrap_or_default(),
            to: found.map(|oid| oid.to_string()),
        };
        let name = branch.reference();
        let now = self.reference(&name).await?;
        if now.as_ref() == Some(tip) && private.tip.as_deref() == Some(tip.as_str()) {
            return Ok(());
        }
        let left = [&private.tip, &private.before].map(|left| left.as_ref().and_then(|left| left.parse::<Oid>().ok()));
        if !left.contains(&now) && now.as_ref() != Some(tip) {
            return Err(moved(now));
        }
        let before = now.as_ref().map(ToString::to_string);
        self.write_private(&Private { tip: Some(tip.to_string()), before, ..private.clone() })?;
        let expected = now.as_ref().map_or(Swap::Absent, Swap::At);
        self.update_ref(&name, tip, expected).await?.map_err(moved)
    }

    /// Takes over what is staged, with the objects that are nowhere else.
    async fn take_index(&self, private: &Private, found: &Found) -> Result<(), Error> {
        let (index, unverified) = (self.git_dir.join("index"), self.git_dir.join(UNVERIFIED));
        let Some(bytes) = &found.index else { return disk::remove_file(&index) };
        if disk::read(&index).is_ok_and(|known| known == *bytes) {
            return Ok(());
        }
        Beneath::open(&self.git_dir)?.write(Path::new(UNVERIFIED), bytes)?;
        let staged = self.staged_objects(&unverified, found.commit.as_ref()).await;
        let staged = staged.map_err(|error| private.refused(format!("its index cannot be read: {error}")))?;
        let there = self.there(staged.iter()).await?;
        self.import(private, &staged.into_iter().filter(|oid| !there.contains(oid)).collect()).await?;
        replace(&unverified, &index)
    }

    /// Lists the objects of an index that its commit does not have.
    async fn staged_objects(&self, index: &Path, commit: Option<&Oid>) -> Result<BTreeSet<Oid>, Error> {
        let on = |args: &[&str]| self.look(args.iter().copied()).variable("GIT_INDEX_FILE", index);
        let changed = match commit {
            Some(commit) => {
                let args = ["diff-index", "--cached", "--raw", "-z", "--no-renames", "--no-abbrev", commit.as_str()];
                on(&args).run().await?
            }
            None => on(&["ls-files", "--stage", "-z"]).run().await?,
        };
        let unsettled = on(&["ls-files", "--unmerged", "-z"]).run().await?;
        let entries = changed.split(|byte| *byte == 0).chain(unsettled.split(|byte| *byte == 0));
        Ok(entries.filter_map(staged_object).collect())
    }

    /// Says that Fleet is about to commit in the registration.
    pub(crate) async fn begin_commit(&self) -> Result<(), Error> {
        let _alone = self.git.locks().take(&self.git_dir).await;
        let Some(private) = self.private()? else { return Ok(()) };
        self.write_private(&Private { committing: true, ..private })
    }

    /// Gives back a commit that a server before this one made and was killed over.
    async fn finish_commit(&self) -> Result<(), Error> {
        let Some(private) = self.private()?.filter(|private| private.committing) else { return Ok(()) };
        let branch = private.branch();
        let made = match &branch {
            Some(branch) => self.reference(&branch.reference()).await?,
            None => None,
        };
        let read = private.clone();
        let tip = runtime::blocking(move || read.look()).await?.tip.map(|tip| tip.to_string());
        match made.filter(|made| private.tip.as_deref() != Some(made.as_str())) {
            Some(made) if tip == private.tip => self.give_back_alone(private, &made).await,
            // The agent has gone on by itself, and what it has is what counts.
            Some(made) => self.write_private(&Private { before: Some(made.to_string()), committing: false, ..private }),
            None => self.write_private(&Private { committing: false, ..private }),
        }
    }

    /// Gives a commit that Fleet made in the registration back to the session's own git directory.
    pub(crate) async fn give_back(&self, commit: &Oid) -> Result<(), Error> {
        let _alone = self.git.locks().take(&self.git_dir).await;
        match self.private()? {
            Some(private) => self.give_back_alone(private, commit).await,
            None => Ok(()),
        }
    }

    async fn give_back_alone(&self, private: Private, commit: &Oid) -> Result<(), Error> {
        let (index, commit) = (self.git_dir.join("index"), commit.clone());
        let on_branch = self.head_branch().await?;
        let mut settled = Private { committing: false, ..private };
        if on_branch.is_some() {
            settled.before = settled.tip.replace(commit.to_string());
        }
        let own = settled.clone();
        let written = runtime::blocking(move || {
            let own = own.open()?;
            let name = match (on_branch, crate::private::head(&own)?) {
                (Some(branch), _) => {
                    // It may have been on a branch without a commit, of which nothing was taken over.
                    own.write(Path::new("HEAD"), format!("ref: {}\n", branch.reference()).as_bytes())?;
                    branch.reference()
                }
                (None, Some(FoundHead::Branch(branch))) => branch.reference(),
                (None, Some(FoundHead::Detached(_)) | None) => "HEAD".to_owned(),
            };
            own.write(Path::new(&name), format!("{commit}\n").as_bytes())?;
            own.write(Path::new("index"), &disk::read(&index)?)?;
            MERGING.iter().try_for_each(|name| own.remove(Path::new(name)))
        });
        written.await?;
        self.write_private(&settled)
    }

    /// Returns the folder of the files of an added worktree.
    pub(crate) fn linked_root(&self) -> Option<PathBuf> {
        match &self.kind {
            Kind::Linked { root } => Some(root.clone()),
            Kind::Bare | Kind::Main { .. } | Kind::Submodule { .. } => None,
        }
    }
}

/// Reads an entry of `git diff-index --raw` or `git ls-files --stage`; none for a repository inside of this one.
fn staged_object(entry: &[u8]) -> Option<Oid> {
    let (mode, oid) = match entry.strip_prefix(b":") {
        Some(raw) => {
            let mut fields = raw.split(|byte| *byte == b' ').skip(1);
            (fields.next()?, fields.nth(1)?)
        }
        None => {
            let mut fields = entry.split(|byte| *byte == b' ');
            (fields.next()?, fields.next()?)
        }
    };
    let oid = Oid::from_bytes(oid).filter(|oid| oid.as_str().bytes().any(|byte| byte != b'0'));
    oid.filter(|_| mode != b"160000")
}

#[expect(clippy::disallowed_methods, reason = "the index that is replaced is Fleet's copy of the session's")]
fn replace(from: &Path, to: &Path) -> Result<(), Error> {
    std::fs::rename(from, to).map_err(disk::failed("replace", to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_staged_object_of_every_entry_is_read_and_none_of_a_repository_inside() {
        let (old, new) = ("1".repeat(40), "2".repeat(40));
        let read = |text: String| staged_object(text.as_bytes()).map(|oid| oid.to_string());
        assert_eq!(read(format!(":100644 100755 {old} {new} M")), Some(new.clone()));
        assert_eq!(read(format!(":100644 000000 {old} {} D", "0".repeat(40))), None);
        assert_eq!(read(format!(":160000 160000 {old} {new} M")), None);
        assert_eq!(read(format!("100644 {new} 2\ta file")), Some(new));
        assert_eq!(read("path".to_owned()), None);
    }
}
