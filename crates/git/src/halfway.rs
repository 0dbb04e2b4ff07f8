//! A checkout that was to go forward and was cut short: what of it has moved, and how to take that back.
//!
//! git writes files first and the index last. While the index is still the old one, a file that is exactly the new
//! commit's was written by that move; any other content is a user's and stays.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use beneath::Folder;

use crate::command::LONG;
use crate::disk;
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};

impl Repository {
    /// Lists the files that differ between two commits; a renamed one is two.
    ///
    /// # Errors
    /// When one of them does not exist.
    pub async fn touched(&self, from: &Oid, to: &Oid) -> Result<Vec<PathBuf>, Error> {
        let args = ["diff-tree", "-r", "-z", "--no-renames", "--name-only", from.as_str(), to.as_str()];
        Ok(paths(&self.look(args).run().await?))
    }

    /// Lists the files that are otherwise in the index than in a commit.
    ///
    /// # Errors
    /// When the commit does not exist.
    pub async fn staged_apart(&self, commit: &Oid) -> Result<Vec<PathBuf>, Error> {
        let args = ["diff-index", "--cached", "-z", "--no-renames", "--name-only", commit.as_str(), "--"];
        Ok(paths(&self.look(args).run().await?))
    }

    /// Takes back what a move from one commit to another wrote before it was cut short; the index is that of `from`.
    ///
    /// # Errors
    /// When git or the disk fails; then it can be tried again.
    pub async fn unfollow(&self, from: &Oid, to: &Oid) -> Result<(), Error> {
        let Some(root) = self.root().map(Path::to_owned) else { return Ok(()) };
        let written = self.written(from, to).await?;
        let known: BTreeSet<PathBuf> =
            self.files_of(from.as_str()).await?.into_iter().map(|(_, _, path)| path).collect();
        let (old, new): (Vec<PathBuf>, Vec<PathBuf>) = written.into_iter().partition(|path| known.contains(path));
        let mut input = Vec::new();
        for path in old {
            input.extend(path.as_os_str().as_bytes());
            input.push(0);
        }
        if !input.is_empty() {
            self.command(["checkout-index", "--force", "--quiet", "-z", "--stdin"])
                .input(input)
                .limit(LONG)
                .run()
                .await?;
        }
        runtime::blocking(move || {
            // An agent may work in the checkout, too: what it put above a file is not followed.
            let tree = Folder::open(&root).map_err(disk::failed("open", &root))?;
            new.iter().try_for_each(|path| tree.remove(path).map_err(disk::failed("remove", path)))
        })
        .await
    }

    /// Lists the files of the move that are on the disk as `to` has them, or gone where it has none.
    async fn written(&self, from: &Oid, to: &Oid) -> Result<Vec<PathBuf>, Error> {
        let scratch = tempfile::tempdir().map_err(disk::failed("make directory", Path::new("for an index")))?;
        let index = scratch.path().join("index");
        let apart = |args: &[&str]| self.command(args.iter().copied()).variable("GIT_INDEX_FILE", &index).limit(LONG);
        apart(&["read-tree", to.as_str()]).run().await?;
        // A new index knows no times, so every file would count as another one until it is compared.
        apart(&["update-index", "-q", "--refresh"]).run_to(&[0, 1]).await?;
        let differ: BTreeSet<PathBuf> =
            paths(&apart(&["diff-files", "-z", "--name-only"]).run().await?).into_iter().collect();
        let gone = self.touched(from, to).await?.into_iter().filter(|path| !differ.contains(path));
        let in_new: BTreeSet<PathBuf> =
            self.files_of(to.as_str()).await?.into_iter().map(|(_, _, path)| path).collect();
        let Some(root) = self.root() else { return Ok(vec![]) };
        let is_there = |path: &Path| root.join(path).symlink_metadata().is_ok();
        Ok(gone.filter(|path| in_new.contains(path) || !is_there(path)).collect())
    }
}

fn paths(printed: &[u8]) -> Vec<PathBuf> {
    printed.split(|byte| *byte == 0).filter(|path| !path.is_empty()).map(path_from).collect()
}
