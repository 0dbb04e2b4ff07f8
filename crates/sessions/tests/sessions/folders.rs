//! Workspaces that are nowhere, with as many commits as a test says.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use fleet_sessions::{InUse, SessionWorkspaces};
use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use types::{ChangeKind, Commit, FileChange, Place, Tree, Workspace};
use workspaces::{CallOff, Combined, Committed, Error, Naming, PruneReport, RecipeRules, Seen};

#[derive(Debug, Default)]
pub(crate) struct Folders {
    pub(crate) commits: AtomicU32,
}

impl SessionWorkspaces for Folders {
    fn is_there(&self, _: &Workspace) -> bool {
        true
    }

    fn prepare<'a>(
        &'a self,
        naming: &'a Naming,
        place: &'a Place,
        _: &'a CallOff,
    ) -> BoxFuture<'a, Result<Workspace, Error>> {
        let folder = place.folder().to_owned();
        let tree = Tree { repository: folder.clone(), branch: naming.session.clone(), base: "0".repeat(40) };
        let worktree = match place {
            Place::Worktree { .. } | Place::Inherit { .. } => Some(tree),
            Place::InPlace { .. } => None,
        };
        ready(Ok(Workspace { path: folder, worktree, env: BTreeMap::new() })).boxed()
    }

    fn keep<'a>(&'a self, _: &'a Workspace, _: &'a str) -> BoxFuture<'a, Result<Committed, Error>> {
        ready(Ok(Committed::Nothing)).boxed()
    }

    fn seen<'a>(&'a self, _: &'a Workspace, _: Option<&'a str>) -> BoxFuture<'a, Result<Seen, Error>> {
        let commit = |number| Commit { oid: format!("{number:040x}"), subject: "Add a cart".to_owned() };
        let commits: Vec<Commit> = (0..self.commits.load(Ordering::SeqCst)).map(commit).collect();
        let file = FileChange { path: "cart.rs".to_owned(), kind: ChangeKind::Added, added: Some(1), removed: None };
        let files = commits.first().map(|_| file).into_iter().collect();
        ready(Ok(Seen { commits, files, ..Seen::default() })).boxed()
    }

    fn result<'a>(&'a self, _: &'a Workspace, _: u64) -> BoxFuture<'a, Option<String>> {
        ready(None).boxed()
    }

    fn put_result_aside(&self, _: &Workspace, _: u32) -> Result<(), Error> {
        Ok(())
    }

    fn git_dirs<'a>(&'a self, _: &'a Workspace) -> BoxFuture<'a, Result<Option<(PathBuf, PathBuf)>, Error>> {
        ready(Ok(None)).boxed()
    }

    fn head_branch<'a>(&'a self, _: &'a Path) -> BoxFuture<'a, Result<Option<String>, Error>> {
        ready(Ok(Some("main".to_owned()))).boxed()
    }

    fn has_file<'a>(&'a self, _: &'a Path, _: Option<&'a str>, _: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        ready(Ok(true)).boxed()
    }

    fn file_on<'a>(&'a self, _: &'a Path, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<Option<String>, Error>> {
        ready(Ok(Some("[landing]\nchecks = [\"make test\"]\n".to_owned()))).boxed()
    }

    fn combine<'a>(
        &'a self,
        _: &'a Path,
        _: Option<&'a str>,
        _: &'a [String],
    ) -> BoxFuture<'a, Result<Combined, Error>> {
        ready(Ok(Combined::Commit("0".repeat(40)))).boxed()
    }

    fn make_room(&self, _: InUse) -> BoxFuture<'_, Result<Option<PruneReport>, Error>> {
        ready(Ok(None)).boxed()
    }

    fn refill<'a>(&'a self, _: &'a Path, _: Option<&'a str>, _: &'a RecipeRules) -> BoxFuture<'a, Result<(), Error>> {
        ready(Ok(())).boxed()
    }
}
