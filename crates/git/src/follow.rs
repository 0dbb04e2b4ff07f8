//! The one way in which a checkout of the user's is moved: forward with its branch, while nothing in it is in the way.
//!
//! It is moved as `git merge --ff-only` would: changes to other files than the move touches are kept. A file that the user has changed, staged or left untracked, ignored ones included, is never overwritten; then
//! nothing is moved at all.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::branch::BranchName;
use crate::command::LONG;
use crate::error::Error;
use crate::locks::patiently;
use crate::oid::Oid;
use crate::repository::{Repository, path_from};
use crate::stage::DIRTY;

/// What a checkout looks like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Look {
    /// The branch it is on, if it is on one.
    pub branch: Option<BranchName>,
    /// The commit it is at, if there is one.
    pub commit: Option<Oid>,
    /// Files that differ from that commit, and what an unfinished merge or rebase has left in the git directory.
    pub changed: Vec<PathBuf>,
    /// Of those, what is unfinished: files that a merge left in conflict, and what it has left in the git directory.
    pub unfinished: Vec<PathBuf>,
    /// Untracked files that are not ignored, if they were looked for; a folder means all files in it.
    pub untracked: Vec<PathBuf>,
}

/// What came of moving a checkout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Follow {
    /// Files and index are those of the new commit, but for what the user has besides.
    Done,
    /// Nothing was moved, since these files are in the way.
    InTheWay(Vec<PathBuf>),
}

/// What git leaves in the git directory of a checkout in which something is not finished.
const UNFINISHED: [&str; 5] = ["MERGE_HEAD", "CHERRY_PICK_HEAD", "REVERT_HEAD", "rebase-merge", "rebase-apply"];

impl Repository {
    /// Looks at the checkout that this repository was opened at, without a lock; untracked files if `untracked`.
    ///
    /// # Errors
    /// When there are no files to look at, or git cannot tell.
    pub async fn see(&self, untracked: bool) -> Result<Look, Error> {
        let others = if untracked { "--untracked-files=normal" } else { "--untracked-files=no" };
        let fixed = ["status", "--porcelain=v2", "-z", "--branch", "--no-renames", DIRTY];
        let printed = self.look(fixed.into_iter().chain([others])).limit(LONG).run().await?;
        let mut look = Look::default();
        for entry in printed.split(|byte| *byte == 0) {
            look.add(entry);
        }
        let left: Vec<PathBuf> =
            UNFINISHED.iter().filter(|name| self.git_dir.join(name).exists()).map(PathBuf::from).collect();
        look.changed.extend(left.iter().cloned());
        look.unfinished.extend(left);
        Ok(look)
    }

    /// Moves files and index of the checkout from one commit to another, and leaves HEAD where it is.
    ///
    /// # Errors
    /// When git cannot, for example because of a lock that stays.
    pub async fn follow(&self, from: &Oid, to: &Oid) -> Result<Follow, Error> {
        let in_the_way = self.in_the_way(from, to).await?;
        if !in_the_way.is_empty() {
            return Ok(Follow::InTheWay(in_the_way));
        }
        let first = match self.read_trees(from, to).await {
            Err(Error::Failed(failure)) if failure.stderr.contains("not uptodate") => {
                // A file may have been touched without a change; git has to be told to look again.
                let look = || self.command(["update-index", "-q", "--refresh"]).limit(LONG).run_to(&[0, 1]);
                patiently(self.git.clock(), look).await?;
                self.read_trees(from, to).await
            }
            other => other,
        };
        match first {
            Ok(()) => Ok(Follow::Done),
            Err(Error::Failed(failure)) if !named(&failure.stderr).is_empty() => {
                Ok(Follow::InTheWay(named(&failure.stderr)))
            }
            Err(error) => Err(error),
        }
    }

    async fn read_trees(&self, from: &Oid, to: &Oid) -> Result<(), Error> {
        let read = || self.command(["read-tree", "-m", "-u", from.as_str(), to.as_str()]).limit(LONG).run();
        patiently(self.git.clock(), read).await.map(drop)
    }

    /// Finds what is in the way of new files: git itself would overwrite ignored files.
    async fn in_the_way(&self, from: &Oid, to: &Oid) -> Result<Vec<PathBuf>, Error> {
        let args = ["diff-tree", "-r", "-z", "--no-renames", "--diff-filter=AD", "--name-status"];
        let printed = self.look(args.into_iter().chain([from.as_str(), to.as_str()])).run().await?;
        let (mut added, mut gone) = (Vec::new(), BTreeSet::new());
        let mut fields = printed.split(|byte| *byte == 0);
        while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
            match letter {
                b"A" => added.push(path_from(path)),
                _ => drop(gone.insert(path_from(path))),
            }
        }
        let Some(root) = self.root().map(Path::to_owned) else { return Ok(vec![]) };
        Ok(runtime::blocking(move || {
            let found: BTreeSet<PathBuf> = added.iter().flat_map(|path| standing(&root, path, &gone)).collect();
            found.into_iter().collect()
        })
        .await)
    }
}

impl Look {
    /// Reads an entry of `git status --porcelain=v2 -z --branch`.
    fn add(&mut self, entry: &[u8]) {
        if entry == b"# branch.head (detached)" {
            self.branch = None;
        } else if let Some(name) = entry.strip_prefix(b"# branch.head ") {
            self.branch = BranchName::from_reference(&format!("refs/heads/{}", String::from_utf8_lossy(name)));
        } else if let Some(commit) = entry.strip_prefix(b"# branch.oid ") {
            self.commit = Oid::from_bytes(commit);
        } else if let Some(path) = entry.strip_prefix(b"? ") {
            self.untracked.push(path_from(path));
        } else {
            let fields = match entry.first() {
                Some(b'1') => 8,
                Some(b'u') => 10,
                Some(_) | None => return,
            };
            let Some(path) = entry.splitn(fields + 1, |byte| *byte == b' ').nth(fields).map(path_from) else { return };
            if entry.first() == Some(&b'u') {
                self.unfinished.push(path.clone());
            }
            self.changed.push(path);
        }
    }

    /// Returns what keeps the checkout from a move that changes the files `touched`: something unfinished, or else the
    /// user's changes to the same files. Other changes of the user's are not in the way.
    #[must_use]
    pub fn in_the_way_of(&self, touched: &[PathBuf]) -> Vec<PathBuf> {
        if !self.unfinished.is_empty() {
            return self.unfinished.clone();
        }
        let meets = |mine: &PathBuf| touched.iter().any(|path| path.starts_with(mine) || mine.starts_with(path));
        self.changed.iter().filter(|mine| meets(mine)).cloned().collect()
    }
}

/// What is on the disk at or above `path` that the move itself does not take away.
fn standing(root: &Path, path: &Path, gone: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let above = path.ancestors().skip(1).filter(|above| !above.as_os_str().is_empty());
    for above in above {
        match root.join(above).symlink_metadata() {
            Ok(metadata) if !metadata.is_dir() && !gone.contains(above) => return vec![above.to_owned()],
            Ok(_) | Err(_) => {}
        }
    }
    match root.join(path).symlink_metadata() {
        Ok(metadata) if metadata.is_dir() => inside(root, path, gone),
        Ok(_) => vec![path.to_owned()],
        Err(_) => vec![],
    }
}

/// What is in a directory beside files that go away.
fn inside(root: &Path, folder: &Path, gone: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
    let stays = entries.flat_map(|entry| {
        let path = folder.join(entry.file_name());
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => inside(root, &path, gone),
            Ok(_) | Err(_) if gone.contains(&path) => vec![],
            Ok(_) | Err(_) => vec![path],
        }
    });
    stays.collect()
}

/// The files that git names as being in its way.
fn named(stderr: &str) -> Vec<PathBuf> {
    let lines = stderr.lines().filter(|line| {
        line.contains("not uptodate")
            || line.contains("would be overwritten")
            || line.contains("would be removed")
            || line.contains("would lose untracked files")
    });
    lines.filter_map(|line| Some(PathBuf::from(line.split_once('\'')?.1.rsplit_once('\'')?.0))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_names_as_in_its_way_is_read() {
        let said = "error: Untracked working tree file 'a b' would be overwritten by merge.\n\
                    error: Entry 'it's' not uptodate. Cannot merge.\nfatal: other 'x'";
        assert_eq!(named(said), [PathBuf::from("a b"), PathBuf::from("it's")]);
    }

    #[test]
    fn a_look_reads_branch_commit_and_files_of_every_kind() {
        let oid = "1".repeat(40);
        let entries = [
            format!("# branch.oid {oid}"),
            "# branch.head main".to_owned(),
            format!("1 M. N... 100644 100644 100644 {oid} {oid} a file"),
            format!("u UU N... 100644 100644 100644 100644 {oid} {oid} {oid} both"),
            "? new".to_owned(),
            String::new(),
        ];
        let mut look = Look::default();
        entries.iter().for_each(|entry| look.add(entry.as_bytes()));
        assert_eq!((look.branch, look.commit), ("main".parse().ok(), oid.parse().ok()));
        assert_eq!(look.changed, [PathBuf::from("a file"), PathBuf::from("both")]);
        assert_eq!(look.unfinished, [PathBuf::from("both")]);
        assert_eq!(look.untracked, [PathBuf::from("new")]);
    }

    #[test]
    fn only_changes_to_files_that_move_are_in_the_way_and_an_unfinished_merge_always_is() {
        let paths = |names: &[&str]| names.iter().map(PathBuf::from).collect::<Vec<_>>();
        let look = Look { changed: paths(&["a", "dir/b", "c"]), ..Look::default() };
        assert_eq!(look.in_the_way_of(&paths(&["x", "c", "dir/bb"])), paths(&["c"]));
        // A file where the other has a folder, both ways.
        assert_eq!(look.in_the_way_of(&paths(&["a/new", "dir"])), paths(&["a", "dir/b"]));
        assert!(look.in_the_way_of(&paths(&["x"])).is_empty());
        let merging = Look { unfinished: paths(&["MERGE_HEAD"]), ..look };
        assert_eq!(merging.in_the_way_of(&paths(&["x"])), paths(&["MERGE_HEAD"]));
    }
}
