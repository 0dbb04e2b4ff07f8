//! Commits and references, written one step at a time.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::command::{Command, Hooks};
use crate::error::Error;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};
use crate::stage::{DIRTY, Found};
use crate::worktree::resolved;

/// Who a commit is by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// A name for people.
    pub name: String,
    /// An address; need not exist.
    pub email: String,
}

impl Identity {
    /// Fleet itself, as the author of commits that it makes.
    #[must_use]
    pub fn fleet() -> Self {
        Self { name: "Fleet".to_owned(), email: "fleet@localhost".to_owned() }
    }
}

/// What came of committing everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Committed {
    /// A commit was made.
    Commit(Oid),
    /// There was nothing to commit.
    Nothing,
    /// A merge is not settled in these files; staging them would have committed its marks.
    Unsettled(Vec<PathBuf>),
}

/// What a reference must be for it to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Swap<'a> {
    /// It must not exist.
    Absent,
    /// It must be at this object.
    At(&'a Oid),
}

impl Repository {
    /// Stages and commits everything in the worktree but ignored files; the user's hooks run, unless they are
    /// in the worktree itself: then they are whatever was made of them there.
    ///
    /// # Errors
    /// When git or a hook refuses.
    pub async fn commit_all(&self, message: &str, author: &Identity) -> Result<Committed, Error> {
        self.commit_all_but(&[], message, Some(author)).await
    }

    /// As [`Repository::commit_all`], leaving alone what lies at or below these paths, relative to the top. Without an
    /// author is the one in the user's settings, or Fleet if they name none.
    ///
    /// # Errors
    /// When git or a hook refuses.
    pub async fn commit_all_but(
        &self,
        left_alone: &[PathBuf],
        message: &str,
        author: Option<&Identity>,
    ) -> Result<Committed, Error> {
        self.take_over().await?;
        let found = self.found().await?;
        let commit = self.command(["commit", "--quiet", "--file=-"]).hooks(self.hooks_of_user().await?);
        self.commit_with(commit, found, left_alone, message, author).await
    }

    /// As [`Repository::commit_all_but`], asking neither hooks nor for a signature: it is to keep work, not to approve
    /// it. Excluded paths are left out even if they are staged.
    ///
    /// # Errors
    /// When git refuses.
    pub async fn keep_all_but(
        &self,
        left_alone: &[PathBuf],
        message: &str,
        author: Option<&Identity>,
    ) -> Result<Committed, Error> {
        self.take_over().await?;
        let mut found = self.found().await?;
        let unstage = || {
            left_alone.iter().fold(self.command(["reset", "--quiet", "--"]), |command, path| {
                let mut pathspec = OsString::from(":(top,literal)");
                pathspec.push(path);
                command.arg(pathspec)
            })
        };
        if found.iter().any(|found| found.staged && found.lies_in(left_alone)) {
            patiently(self.git.clock(), || unstage().run()).await?;
            found = self.found().await?;
        }
        let unasked = ["commit", "--quiet", "--no-verify", "--no-gpg-sign", "--file=-"];
        self.commit_with(self.command(unasked), found, left_alone, message, author).await
    }

    /// Returns whether the hooks of the repository are outside the worktree, where its agent cannot write.
    async fn hooks_of_user(&self) -> Result<Hooks, Error> {
        let ask = self.look(["rev-parse", "--path-format=absolute", "--git-path", "hooks"]).hooks(Hooks::Asked);
        let found = resolved(&path_from(ask.run().await?.trim_ascii_end()));
        let theirs = [self.root(), Some(&self.git_dir)].into_iter().flatten().any(|place| found.starts_with(place));
        Ok(if theirs && self.git_dir != self.common_dir { Hooks::Off } else { Hooks::Asked })
    }

    async fn commit_with(
        &self,
        commit: Command,
        found: Vec<Found>,
        left_alone: &[PathBuf],
        message: &str,
        author: Option<&Identity>,
    ) -> Result<Committed, Error> {
        let unsettled: Vec<PathBuf> =
            found.iter().filter(|found| found.unsettled).map(|found| found.path.clone()).collect();
        if !unsettled.is_empty() {
            return Ok(Committed::Unsettled(unsettled));
        }
        let merging = self.is_merging();
        // Mostly the agent has committed everything.
        if !merging && found.iter().all(|found| !found.staged && found.lies_in(left_alone)) {
            return Ok(Committed::Nothing);
        }
        self.stage(found, left_alone).await?;
        let args = ["status", "--porcelain=v2", "-z", "--untracked-files=no", DIRTY];
        if self.look(args).run().await?.is_empty() && !merging {
            return Ok(Committed::Nothing);
        }
        let author = match author {
            Some(author) => author.clone(),
            None => self.identity().await?.unwrap_or_else(Identity::fleet),
        };
        self.begin_commit().await?;
        by(commit.input(message.as_bytes().to_vec()), &author).run().await?;
        let made = self.resolve("HEAD").await?;
        self.give_back(&made).await?;
        Ok(Committed::Commit(made))
    }

    /// Returns who the user's own settings say commits are by, if they say it.
    async fn identity(&self) -> Result<Option<Identity>, Error> {
        let asked = self.look(["config", "-z", "--get-regexp", "^user\\.(name|email)$"]).run_to(&[0, 1]).await?;
        let printed = String::from_utf8_lossy(&asked.stdout).into_owned();
        // The last of several counts, as with git itself.
        let last = |key: &str| {
            let mut values = printed.split('\0').rev().filter_map(|entry| entry.strip_prefix(key)?.strip_prefix('\n'));
            values.next().map(str::to_owned)
        };
        Ok(last("user.name").zip(last("user.email")).map(|(name, email)| Identity { name, email }))
    }

    /// Counts the commits that `tip`, a revision, has and `base` has not.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn commits_since(&self, base: &Oid, tip: &str) -> Result<u64, Error> {
        let tip = self.resolve(tip).await?;
        let command = self.look(["rev-list", "--count", tip.as_str(), "--not", base.as_str(), "--"]);
        let printed = command.clone().run().await?;
        String::from_utf8_lossy(&printed).trim().parse().map_err(|_| command.unexpected("no number"))
    }

    /// Writes a commit of a tree; no reference moves.
    ///
    /// # Errors
    /// When tree or parents do not exist.
    pub async fn commit_tree(
        &self,
        tree: &Oid,
        parents: &[Oid],
        message: &str,
        author: &Identity,
    ) -> Result<Oid, Error> {
        let mut command = self.command(["commit-tree", tree.as_str()]).input(message.as_bytes().to_vec());
        for parent in parents {
            command = command.arg("-p").arg(parent.as_str());
        }
        let now = format!("@{} +0000", self.git.clock().now().as_second());
        let command = command.variable("GIT_AUTHOR_DATE", &now).variable("GIT_COMMITTER_DATE", &now);
        let command = by(command, author);
        let printed = command.clone().run().await?;
        Oid::from_bytes(&printed).ok_or_else(|| command.unexpected("no object name"))
    }

    /// Moves a reference if it is what `expected` says; the inner error is where it was found instead, if anywhere.
    ///
    /// # Errors
    /// When git fails for another reason than a lost race.
    pub async fn update_ref(
        &self,
        reference: &str,
        to: &Oid,
        expected: Swap<'_>,
    ) -> Result<Result<(), Option<Oid>>, Error> {
        let old = match expected {
            Swap::Absent => to.none_like(),
            Swap::At(oid) => oid.to_string(),
        };
        let message = ["update-ref", "-m", "fleet", "--end-of-options", reference, to.as_str(), &old];
        self.swap(reference, expected, &message).await
    }

    /// Deletes a reference if it is at `expected`; the inner error is where it was found instead, if anywhere.
    ///
    /// # Errors
    /// When git fails for another reason than a lost race.
    pub async fn delete_ref(&self, reference: &str, expected: &Oid) -> Result<Result<(), Option<Oid>>, Error> {
        let args = ["update-ref", "-d", "--end-of-options", reference, expected.as_str()];
        self.swap(reference, Swap::At(expected), &args).await
    }

    async fn swap(&self, reference: &str, expected: Swap<'_>, args: &[&str]) -> Result<Result<(), Option<Oid>>, Error> {
        let failure = match patiently(self.git.clock(), || self.command(args.iter().copied()).run()).await {
            Ok(_) => return Ok(Ok(())),
            Err(failure) => failure,
        };
        // git reports a lost race in text alone, so the reference itself is read.
        let found = self.reference(reference).await?;
        let lost = match expected {
            Swap::Absent => found.is_some(),
            Swap::At(oid) => found.as_ref() != Some(oid),
        };
        if lost { Ok(Err(found)) } else { Err(failure) }
    }

    /// Returns what a full reference name points at, or none.
    pub(crate) async fn reference(&self, reference: &str) -> Result<Option<Oid>, Error> {
        let args = ["rev-parse", "--verify", "--quiet", "--end-of-options", reference];
        let output = self.look(args).run_to(&[0, 1, 128]).await?;
        Ok(if output.code == 0 { Oid::from_bytes(&output.stdout) } else { None })
    }
}

/// Names author and committer, so that a machine without settings can commit.
fn by(command: Command, who: &Identity) -> Command {
    command
        .variable("GIT_AUTHOR_NAME", &who.name)
        .variable("GIT_AUTHOR_EMAIL", &who.email)
        .variable("GIT_COMMITTER_NAME", &who.name)
        .variable("GIT_COMMITTER_EMAIL", &who.email)
}
