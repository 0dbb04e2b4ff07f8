//! The workspaces of sessions on the simulated repository: a branch each, named after its session.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use futures::FutureExt as _;
use futures::future::{BoxFuture, ready};
use landing::Oid;
use landing_queue::LandingWorkspaces;
use sessions::{InUse, SessionWorkspaces};
use types::{ChangeKind, Commit, FileChange, Place, SessionId, Tree, Workspace};
use workspaces::{CallOff, Combined, Committed, Error, Naming, PruneReport, PullRequest, RecipeRules, Seen};

use crate::bug::Bug;
use crate::engine::give_way;
use crate::field::{FOLDER, TARGET};
use crate::lander::oid;
use crate::site::Site;

/// What the repository says about landing.
const RULES: &str = "[landing]\nchecks = [\"make test\"]\n";

#[derive(Debug)]
pub(crate) struct Worktrees {
    site: Site,
}

impl Worktrees {
    pub(crate) fn new(site: Site) -> Self {
        Self { site }
    }

    fn workspace(&self, session: &str) -> Workspace {
        if let Ok(session) = session.parse::<SessionId>() {
            self.site.field.branch_off(&session);
        }
        let base = oid(self.site.field.target()).to_string();
        let tree = Tree { repository: FOLDER.to_owned(), branch: session.to_owned(), base };
        Workspace { path: format!("{FOLDER}/{session}"), worktree: Some(tree), env: BTreeMap::new() }
    }

    fn count(&self, workspace: &Workspace) -> u64 {
        let branch = workspace.worktree.as_ref().map(|tree| tree.branch.parse::<SessionId>());
        let commits = branch.and_then(Result::ok).map_or(0, |session| self.site.field.commits(&session));
        // The planted bug shows what agents claim.
        if self.site.has(Bug::BelievesAgents) { commits.max(1) } else { commits }
    }
}

impl SessionWorkspaces for Worktrees {
    fn is_there(&self, _: &Workspace) -> bool {
        true
    }

    fn prepare<'a>(
        &'a self,
        naming: &'a Naming,
        _place: &'a Place,
        _off: &'a CallOff,
    ) -> BoxFuture<'a, Result<Workspace, Error>> {
        let prepared = async move {
            give_way().await;
            Ok(self.workspace(&naming.session))
        };
        prepared.boxed()
    }

    fn keep<'a>(&'a self, _: &'a Workspace, _: &'a str) -> BoxFuture<'a, Result<Committed, Error>> {
        ready(Ok(Committed::Nothing)).boxed()
    }

    fn seen<'a>(&'a self, workspace: &'a Workspace, _: Option<&'a str>) -> BoxFuture<'a, Result<Seen, Error>> {
        let seen = async move {
            give_way().await;
            let commit = |number| Commit { oid: oid(number).to_string(), subject: "Add it".to_owned() };
            let commits: Vec<Commit> = (0..self.count(workspace)).map(commit).collect();
            let change = FileChange { path: "a".to_owned(), kind: ChangeKind::Modified, added: None, removed: None };
            let files = commits.first().map(|_| change).into_iter().collect();
            Ok(Seen { commits, files, ..Seen::default() })
        };
        seen.boxed()
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
        ready(Ok(Some(TARGET.to_owned()))).boxed()
    }

    fn has_file<'a>(&'a self, _: &'a Path, _: Option<&'a str>, _: &'a str) -> BoxFuture<'a, Result<bool, Error>> {
        ready(Ok(true)).boxed()
    }

    fn file_on<'a>(&'a self, _: &'a Path, _: &'a str, _: &'a str) -> BoxFuture<'a, Result<Option<String>, Error>> {
        ready(Ok(Some(RULES.to_owned()))).boxed()
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

impl LandingWorkspaces for Worktrees {
    fn of_sessions(&self) -> &dyn SessionWorkspaces {
        self
    }

    fn look_ahead<'a>(&'a self, _: Option<&'a str>, _: &'a Oid) -> BoxFuture<'a, ()> {
        ready(()).boxed()
    }

    fn push_to<'a>(&'a self, _: &'a Workspace, _: &'a str) -> BoxFuture<'a, Result<(), Error>> {
        ready(Ok(())).boxed()
    }

    fn open_pr<'a>(&'a self, _: &'a Workspace, _: &'a PullRequest) -> BoxFuture<'a, Result<String, Error>> {
        ready(Ok(String::new())).boxed()
    }
}
