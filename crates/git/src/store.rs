//! Writes objects into the repository's store past every worktree: files as they are, trees from a private index.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::command::{Command, LONG};
use crate::error::Error;
use crate::escape::quote;
use crate::oid::Oid;
use crate::repository::Repository;

/// A line of a tree to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) mode: &'static str,
    pub(crate) id: Oid,
    pub(crate) path: PathBuf,
}

impl Repository {
    /// Begins a command that sees the repository and none of its worktrees.
    pub(crate) fn apart<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let command = self.git.command(&self.common_dir, args).variable("GIT_DIR", &self.common_dir);
        command.keep_open(self.kept_open.clone()).limit(LONG)
    }

    /// Stores files byte by byte, past the filters that `git add` would apply, and returns their names in order.
    pub(crate) async fn store_files(&self, paths: &[PathBuf]) -> Result<Vec<Oid>, Error> {
        let mut input = Vec::new();
        paths.iter().for_each(|path| quote(path, &mut input));
        let command = self.apart(["hash-object", "-w", "--no-filters", "--stdin-paths"]);
        let printed = command.clone().input(input).run().await?;
        let ids: Option<Vec<Oid>> =
            printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(Oid::from_bytes).collect();
        match ids {
            Some(ids) if ids.len() == paths.len() => Ok(ids),
            Some(_) | None => Err(command.unexpected("not one object name for each file")),
        }
    }

    /// Writes a tree, by way of an index file of its own in `scratch`.
    pub(crate) async fn store_tree(&self, lines: &[Line], scratch: &Path) -> Result<Oid, Error> {
        let index = scratch.join("index");
        crate::disk::remove_file(&index)?;
        let mut input = Vec::new();
        for Line { mode, id, path } in lines {
            input.extend(format!("{mode} {id}\t").as_bytes());
            input.extend(path.as_os_str().as_bytes());
            input.push(0);
        }
        let fill = self.apart(["update-index", "-z", "--index-info"]);
        fill.variable("GIT_INDEX_FILE", &index).input(input).run().await?;
        // A partial clone lacks objects that it can get again; they are named all the same.
        let write = self.apart(["write-tree", "--missing-ok"]).variable("GIT_INDEX_FILE", &index);
        let printed = write.clone().run().await?;
        Oid::from_bytes(&printed).ok_or_else(|| write.unexpected("no tree"))
    }

    /// Lists what the index of the worktree holds, each under `index/<stage>/`, so that a tree can keep it alive.
    pub(crate) async fn staged(&self) -> Result<Vec<Line>, Error> {
        let look = self.git.look(&self.git_dir, ["ls-files", "--stage", "-z"]).variable("GIT_DIR", &self.git_dir);
        // Paths are told from the top of the worktree, which need not exist.
        let look = look.variable("GIT_WORK_TREE", &self.git_dir).limit(LONG);
        let printed = look.clone().run().await?;
        let lines = printed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        lines.map(|line| staged(line).ok_or_else(|| look.unexpected("a staged file without its fields"))).collect()
    }

    /// Lists the files of a tree: mode, object and path.
    pub(crate) async fn files_of(&self, tree: &str) -> Result<Vec<(String, Oid, PathBuf)>, Error> {
        let command = self.apart(["ls-tree", "-r", "-z", "--full-tree", tree]);
        let printed = command.clone().run().await?;
        let lines = printed.split(|byte| *byte == 0).filter(|line| !line.is_empty());
        let read = |line: &[u8]| {
            let at = line.iter().position(|byte| *byte == b'\t')?;
            let mut fields = line[..at].split(|byte| *byte == b' ');
            let mode = String::from_utf8(fields.next()?.to_vec()).ok()?;
            Some((mode, Oid::from_bytes(fields.nth(1)?)?, PathBuf::from(OsString::from_vec(line[at + 1..].to_vec()))))
        };
        lines.map(|line| read(line).ok_or_else(|| command.unexpected("a file without its fields"))).collect()
    }
}

/// Reads a line of `git ls-files --stage`.
fn staged(line: &[u8]) -> Option<Line> {
    let at = line.iter().position(|byte| *byte == b'\t')?;
    let mut fields = line[..at].split(|byte| *byte == b' ');
    let mode = match fields.next()? {
        b"100755" => "100755",
        b"120000" => "120000",
        b"160000" => "160000",
        // A tree stands there where a sparse index was not unfolded; git unfolds it for this listing.
        _ => "100644",
    };
    let id = Oid::from_bytes(fields.next()?)?;
    let mut path = b"index/".to_vec();
    path.extend_from_slice(fields.next()?);
    path.push(b'/');
    path.extend_from_slice(&line[at + 1..]);
    Some(Line { mode, id, path: PathBuf::from(OsString::from_vec(path)) })
}
