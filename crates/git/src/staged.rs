//! The index of a worktree: what is staged there, and trees that are made from a copy of it.
//!
//! A tree that differs little from the index is made of it in no time, for git knows the trees of what did not change.
//! Made from nothing, git looks up every file of it in its store and says in each that it was looked up. So the quick
//! way is tried first; what came of it is compared with what was wanted, and if it is not that, the slow way is gone.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::command::{Command, LONG};
use crate::error::Error;
use crate::oid::Oid;
use crate::repository::Repository;
use crate::store::Line;

/// A file that is staged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Staged {
    /// 0, or which side of a merge it is.
    stage: u8,
    pub(crate) line: Line,
}

impl Repository {
    /// Lists what the index of the worktree holds.
    pub(crate) async fn staged(&self) -> Result<Vec<Staged>, Error> {
        let look = self.git.look(&self.git_dir, ["ls-files", "--stage", "-z"]).variable("GIT_DIR", &self.git_dir);
        // Paths are told from the top of the worktree, which need not exist.
        let look =
            look.variable("GIT_COMMON_DIR", &self.common_dir).variable("GIT_WORK_TREE", &self.git_dir).limit(LONG);
        let look = look.reading(&self.git_dir, &self.common_dir);
        let printed = look.clone().run().await?;
        let lines = printed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines.map(|line| read(line).ok_or_else(|| look.unexpected("a staged file without its fields"))).collect()
    }

    /// Writes a tree of exactly these files.
    pub(crate) async fn tree_holding(&self, files: &[Line], staged: &[Staged], scratch: &Path) -> Result<Oid, Error> {
        // What the quick way cannot do is not a failure: an index of an unknown kind, for one.
        if let Ok(Some(tree)) = self.tree_by_index(files, staged, scratch).await {
            return Ok(tree);
        }
        self.store_tree(files, scratch).await
    }

    /// Writes a tree of these files, beside which `index/<stage>/` has what is staged, so that it is kept alive.
    pub(crate) async fn tree_beside(&self, files: &[Line], staged: &[Staged], scratch: &Path) -> Result<Oid, Error> {
        if let Ok(Some(tree)) = self.tree_beside_index(files, staged, scratch).await {
            return Ok(tree);
        }
        let kept = staged.iter().map(|staged| {
            let path = Path::new("index").join(staged.stage.to_string()).join(&staged.line.path);
            Line { path, ..staged.line.clone() }
        });
        self.store_tree(&files.iter().cloned().chain(kept).collect::<Vec<_>>(), scratch).await
    }

    async fn tree_by_index(&self, files: &[Line], staged: &[Staged], scratch: &Path) -> Result<Option<Oid>, Error> {
        let Some(index) = self.copy_index(staged, scratch).await? else { return Ok(None) };
        let changes = changes(staged, files);
        if !changes.is_empty() {
            self.on_index(&index, ["update-index", "-z", "--index-info"]).input(changes).run().await?;
        }
        let Some(tree) = self.write_index(&index).await? else { return Ok(None) };
        let mut written = self.files_of(tree.as_str()).await?;
        written.sort_by(|(_, _, a), (_, _, b)| a.cmp(b));
        let mut wanted: Vec<&Line> = files.iter().collect();
        wanted.sort_by(|a, b| a.path.cmp(&b.path));
        let is_same = |(line, (mode, id, path)): (&&Line, &(String, Oid, PathBuf))| {
            line.mode == mode && line.id == *id && line.path == *path
        };
        let same = written.len() == wanted.len() && wanted.iter().zip(&written).all(is_same);
        Ok(same.then_some(tree))
    }

    async fn tree_beside_index(&self, files: &[Line], staged: &[Staged], scratch: &Path) -> Result<Option<Oid>, Error> {
        let Some(index) = self.copy_index(staged, scratch).await? else { return Ok(None) };
        let Some(tree) = self.write_index(&index).await? else { return Ok(None) };
        let index = self.tree_with(format!("040000 tree {tree}\t0\0").into_bytes()).await?;
        let mut entries = self.apart(["ls-tree", "-z", self.store_tree(files, scratch).await?.as_str()]).run().await?;
        entries.extend(format!("040000 tree {index}\tindex\0").into_bytes());
        self.tree_with(entries).await.map(Some)
    }

    async fn tree_with(&self, entries: Vec<u8>) -> Result<Oid, Error> {
        let make = self.apart(["mktree", "-z", "--missing"]);
        let printed = make.clone().input(entries).run().await?;
        Oid::from_bytes(&printed).ok_or_else(|| make.unexpected("no tree"))
    }

    /// Copies the index; none if there is none, or a merge is not settled in it, of which no tree can be made.
    async fn copy_index(&self, staged: &[Staged], scratch: &Path) -> Result<Option<PathBuf>, Error> {
        let (from, to) = (self.git_dir.join("index"), scratch.join("index-copy"));
        if staged.is_empty() || staged.iter().any(|staged| staged.stage != 0) {
            return Ok(None);
        }
        let copied = to.clone();
        runtime::blocking(move || std::fs::copy(&from, &to).map_err(crate::disk::failed("read", &from))).await?;
        Ok(Some(copied))
    }

    async fn write_index(&self, index: &Path) -> Result<Option<Oid>, Error> {
        Ok(Oid::from_bytes(&self.on_index(index, ["write-tree", "--missing-ok"]).run().await?))
    }

    /// Begins a command on a copy of the index; nothing of it goes beside the copy.
    fn on_index<'a>(&self, index: &Path, args: impl IntoIterator<Item = &'a str>) -> Command {
        let plain = ["-c", "core.splitIndex=false", "-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false"];
        let command = self.git.command(&self.git_dir, plain.into_iter().chain(args)).variable("GIT_DIR", &self.git_dir);
        let command = command.variable("GIT_COMMON_DIR", &self.common_dir).variable("GIT_INDEX_FILE", index);
        let command = command.variable("GIT_WORK_TREE", &self.git_dir);
        command.reading(&self.git_dir, &self.common_dir).keep_open(self.kept_open.clone()).limit(LONG)
    }
}

/// What `git update-index` is told to turn what is staged into these files.
fn changes(staged: &[Staged], files: &[Line]) -> Vec<u8> {
    let wanted: HashMap<&Path, &Line> = files.iter().map(|line| (line.path.as_path(), line)).collect();
    let there: HashMap<&Path, &Line> = staged.iter().map(|staged| (staged.line.path.as_path(), &staged.line)).collect();
    let mut told = Vec::new();
    let mut tell = |mode: &str, id: &str, path: &Path| {
        told.extend(format!("{mode} {id}\t").as_bytes());
        told.extend(path.as_os_str().as_bytes());
        told.push(0);
    };
    // First what goes: a file may stand where a directory is to be.
    for line in there.values().filter(|line| !wanted.contains_key(line.path.as_path())) {
        tell("0", &"0".repeat(line.id.as_str().len()), &line.path);
    }
    for line in files.iter().filter(|line| there.get(line.path.as_path()) != Some(line)) {
        tell(line.mode, line.id.as_str(), &line.path);
    }
    told
}

/// Reads a line of `git ls-files --stage`.
fn read(line: &[u8]) -> Option<Staged> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let mut fields = line[..at].split(|byte| *byte == b' ');
    let mode = match fields.next()? {
        b"100755" => "100755",
        b"120000" => "120000",
        b"160000" => "160000",
        // A tree is listed where a sparse index was not expanded; git expands it for this listing.
        _ => "100644",
    };
    let id = Oid::from_bytes(fields.next()?)?;
    let stage = std::str::from_utf8(fields.next()?).ok()?.parse().ok()?;
    Some(Staged { stage, line: Line { mode, id, path: PathBuf::from(OsString::from_vec(line[at + 1..].to_vec())) } })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(mode: &'static str, id: char, path: &str) -> Line {
        Line { mode, id: id.to_string().repeat(40).parse().unwrap(), path: path.into() }
    }

    #[test]
    fn only_what_differs_is_told_and_what_goes_first() {
        let file = |id, path| line("100644", id, path);
        let staged = [file('a', "same"), file('b', "changed"), file('c', "a"), line("160000", 'd', "sub")];
        let staged = staged.map(|line| Staged { stage: 0, line });
        let files = [file('a', "same"), file('e', "changed"), file('f', "a/b"), file('1', "sub/x")];
        let told = String::from_utf8(changes(&staged, &files)).unwrap();
        let mut lines: Vec<&str> = told.split_terminator('\0').collect();
        lines[..2].sort_unstable();
        let (zero, id) = ("0".repeat(40), |id: &str| id.repeat(40));
        let expected = [
            format!("0 {zero}\ta"),
            format!("0 {zero}\tsub"),
            format!("100644 {}\tchanged", id("e")),
            format!("100644 {}\ta/b", id("f")),
            format!("100644 {}\tsub/x", id("1")),
        ];
        assert_eq!(lines, expected);
        assert!(changes(&staged[..3], &[file('a', "same"), file('b', "changed"), file('c', "a")]).is_empty());
    }
}
