//! Writes objects into the repository's store past every worktree: files as they are, trees from a private index.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use crate::command::{Command, LONG};
use crate::error::Error;
use crate::escape::quote;
use crate::oid::Oid;
use crate::repository::Repository;

/// A line of a tree to be written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Line {
    pub(crate) mode: &'static str,
    pub(crate) id: Oid,
    pub(crate) path: PathBuf,
}

impl Repository {
    /// Begins a command that sees the repository and none of its worktrees.
    pub(crate) fn apart<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let command = self.git.command(&self.common_dir, args).variable("GIT_DIR", &self.common_dir);
        command.reading(&self.common_dir, &self.common_dir).keep_open(self.kept_open.clone()).limit(LONG)
    }

    /// Stores files byte by byte, past the filters that `git add` would apply, and returns their names in order.
    ///
    /// What is stored under one of the `known` names is not touched: a store of loose objects would have to be written
    /// to the disk again for it. The known are those that something else keeps alive meanwhile.
    pub(crate) async fn store_files(&self, paths: &[PathBuf], known: &HashSet<Oid>) -> Result<Vec<Oid>, Error> {
        let ids = self.hash(&["hash-object", "--no-filters", "--stdin-paths"], paths).await?;
        let there = self.there(ids.iter().filter(|id| known.contains(*id))).await?;
        let new = || paths.iter().zip(&ids).filter(|(_, id)| !there.contains(*id));
        let files: Vec<PathBuf> = new().map(|(path, _)| path.clone()).collect();
        let stored = self.hash(&["hash-object", "-w", "--no-filters", "--stdin-paths"], &files).await?;
        match new().zip(&stored).find(|((_, id), stored)| id != stored) {
            Some(((path, _), _)) => Err(Error::Moving { path: path.clone() }),
            None => Ok(ids),
        }
    }

    async fn hash(&self, args: &[&'static str], paths: &[PathBuf]) -> Result<Vec<Oid>, Error> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let mut input = Vec::new();
        paths.iter().for_each(|path| quote(path, &mut input));
        let command = self.apart(args.iter().copied());
        let printed = command.clone().input(input).run().await?;
        let ids: Option<Vec<Oid>> =
            printed.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(Oid::from_bytes).collect();
        match ids {
            Some(ids) if ids.len() == paths.len() => Ok(ids),
            Some(_) | None => Err(command.unexpected("not one object name for each file")),
        }
    }

    /// Says which of these objects are in the store itself, and not only promised by a remote.
    pub(crate) async fn there<'a>(&self, ids: impl Iterator<Item = &'a Oid>) -> Result<HashSet<Oid>, Error> {
        let wanted: HashSet<&Oid> = ids.collect();
        if wanted.is_empty() {
            return Ok(HashSet::new());
        }
        let input = wanted.iter().flat_map(|id| format!("{id}\n").into_bytes()).collect();
        let look = self.apart(["cat-file", "--batch-check=%(objectname) %(objecttype)", "--buffer"]);
        let printed = look.variable("GIT_NO_LAZY_FETCH", "1").input(input).run().await?;
        let lines = printed.split(|byte| *byte == b'\n').filter_map(|line| line.strip_suffix(b" blob"));
        Ok(lines.filter_map(Oid::from_bytes).collect())
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
