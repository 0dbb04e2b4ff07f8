//! The steps from a record to a worktree that is ready, each of which can be done again.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git::{At, Attach, BranchName, Oid, Repository, Swap};
use types::Workspace;

use crate::Workspaces;
use crate::copy_in::{Brought, How, bring, refresh};
use crate::error::Error;
use crate::files;
use crate::options::{CallOff, Naming, RecipeRules};
use crate::recipe::Recipe;
use crate::recipe_commands::RecipeCommands;
use crate::record::{Marker, Record, Role};
use crate::source::Source;
use crate::teardown::Teardown;

/// How many names are tried for a branch, and for a folder, that is taken.
const NAMES_MAX: u32 = 1000;

/// One workspace in the making; its owner holds the lock of its session.
pub(crate) struct Making<'a> {
    pub(crate) own: &'a Workspaces,
    pub(crate) source: &'a Source,
    /// As the source, with processes that keep the lock as long as they live.
    pub(crate) repository: Repository,
    /// Where the record is.
    pub(crate) file: PathBuf,
    pub(crate) lock: Arc<File>,
    off: CallOff,
    recipe: RecipeRules,
}

impl Workspaces {
    pub(crate) fn making<'a>(&'a self, source: &'a Source, file: PathBuf, lock: &Arc<File>) -> Making<'a> {
        let repository = source.repository.keeping_open(Arc::clone(lock));
        let (off, recipe) = Default::default();
        Making { own: self, source, repository, file, lock: Arc::clone(lock), off, recipe }
    }
}

impl Making<'_> {
    /// Makes it unless that is called off.
    pub(crate) fn unless(mut self, off: &CallOff) -> Self {
        self.off = off.clone();
        self
    }

    /// Makes it by a recipe.
    pub(crate) fn by(mut self, recipe: &RecipeRules) -> Self {
        self.recipe = recipe.clone();
        self
    }

    /// Makes a new workspace.
    pub(crate) async fn anew(
        &self,
        naming: &Naming,
        slug: &str,
        branch: BranchName,
        base: Oid,
    ) -> Result<Workspace, Error> {
        let ready = self.own.take_ready(self.source, &base, &self.recipe).await?;
        let pooled = ready.is_some();
        let path = ready.unwrap_or_else(|| free_path(&self.source.home, slug));
        let (session, branch, base) = (naming.session.clone(), branch.to_string(), base.to_string());
        let record = Record { session, path, branch, base, named: false, pooled };
        files::write(&self.file, &record)?;
        self.whole(record, slug, false).await
    }

    /// Makes a workspace that was begun and not finished: what is there of it was never handed out.
    pub(crate) async fn again(&self, slug: &str, record: Record) -> Result<Workspace, Error> {
        tracing::info!(session = record.session, path = %record.path.display(), "making a workspace again");
        if !record.pooled {
            self.repository.discard(&record.path).await?;
        }
        self.whole(record, slug, true).await
    }

    /// Branch, files, recipe, marker; what fails is taken back.
    async fn whole(&self, mut record: Record, slug: &str, again: bool) -> Result<Workspace, Error> {
        let made = self.made(&mut record, slug, again).await;
        if made.is_err() {
            self.take_back(&record).await;
        }
        made
    }

    async fn made(&self, record: &mut Record, slug: &str, again: bool) -> Result<Workspace, Error> {
        if record.pooled {
            match self.adopt(record).await {
                Ok(workspace) => return Ok(workspace),
                // A file of the setup may be in the way of the wanted commit; a fresh tree has no such file.
                Err(error) => tracing::warn!(path = %record.path.display(), %error, "could not use a tree of the pool"),
            }
            self.repository.discard(&record.path).await?;
            (record.path, record.pooled) = (free_path(&self.source.home, slug), false);
            files::write(&self.file, record)?;
        }
        self.steps(record, again).await
    }

    /// Makes a tree of the pool the session's: a branch at the wanted commit, the marker rewritten.
    async fn adopt(&self, record: &mut Record) -> Result<Workspace, Error> {
        let lost = || git::Error::NoWorktree { path: record.path.clone() };
        let worktree = self.repository.worktree(&record.path).await?;
        let mut marker = Marker::read(worktree.git_dir())?.ok_or_else(lost)?;
        let base: Oid = record.base.parse()?;
        let wanted = record.branch.clone();
        for number in 2..NAMES_MAX {
            let branch: BranchName = record.branch.parse()?;
            match worktree.switch_to_new(&branch, &base).await {
                Ok(()) => break,
                // A call before us came this far.
                Err(git::Error::BranchExists { .. }) if worktree.head().await?.branch() == Some(&branch) => break,
                Err(git::Error::BranchExists { .. }) => {
                    record.branch = format!("{wanted}-{number}");
                    files::write(&self.file, record)?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        record.named = true;
        files::write(&self.file, record)?;
        if !marker.brought.is_empty() {
            let (brought, from, to) = (marker.brought.clone(), self.source.checkout.clone(), record.path.clone());
            runtime::blocking(move || refresh(&brought, &from, &to)).await?;
        }
        let Record { session, branch, base, .. } = record.clone();
        marker.role = Role::Session { session, branch, base };
        marker.write(worktree.git_dir())?;
        marker.workspace(&record.path).ok_or_else(|| lost().into())
    }

    async fn steps(&self, record: &mut Record, again: bool) -> Result<Workspace, Error> {
        let at = self.name(record, again).await?;
        let options = &self.own.inner().options;
        let (checkout, submodules) = (options.checkout, options.submodules);
        let attach = Attach { path: record.path.clone(), at, checkout, submodules };
        let worktree = self.repository.attach(&attach).await?;
        let Record { session, branch, base, .. } = record.clone();
        let text = self.own.recipe_text(self.source, &self.recipe).await?;
        let marker = self.equip(&worktree, &record.path, &text, Role::Session { session, branch, base }).await?;
        marker.write(worktree.git_dir())?;
        let lost = || Error::Session { session: record.session.clone(), reason: "its tree is the pool's".to_owned() };
        marker.workspace(&record.path).ok_or_else(lost)
    }

    /// Makes the branch, under another name if the one from the pattern is taken.
    async fn name(&self, record: &mut Record, again: bool) -> Result<At, Error> {
        let base: Oid = record.base.parse().map_err(|_| git::Error::NoCommit { revision: record.base.clone() })?;
        let wanted = record.branch.clone();
        for number in 2..NAMES_MAX {
            let branch: BranchName = record.branch.parse()?;
            let made = self.repository.update_ref(&branch.reference(), &base, Swap::Absent).await?;
            let ours = match made {
                Ok(()) => Some(At::NewBranch(branch)),
                Err(_) if record.named => Some(At::Branch(branch)),
                Err(found) => {
                    let may_be = again && number == 2 && found.as_ref() == Some(&base);
                    (may_be && self.is_unclaimed(&branch).await?).then_some(At::Branch(branch))
                }
            };
            if let Some(at) = ours {
                if !record.named {
                    record.named = true;
                    files::write(&self.file, record)?;
                }
                return Ok(at);
            }
            record.branch = format!("{wanted}-{number}");
            files::write(&self.file, record)?;
        }
        Err(git::Error::BranchExists { branch: wanted.parse()? }.into())
    }

    /// Whether an existing branch of our name is ours: it is not checked out, and belongs to no other session.
    async fn is_unclaimed(&self, branch: &BranchName) -> Result<bool, Error> {
        let used = self.repository.list().await?.iter().any(|tree| tree.branch.as_ref() == Some(branch));
        let records = Record::all(&self.source.home)?;
        let own = files::json::<Record>(&self.file)?.map(|record| record.session);
        let claimed =
            records.iter().any(|other| Some(&other.session) != own.as_ref() && other.branch == branch.as_str());
        Ok(!used && !claimed)
    }

    /// Follows the project's recipe in a worktree that has its files.
    pub(crate) async fn equip(
        &self,
        worktree: &Repository,
        path: &Path,
        text: &str,
        role: Role,
    ) -> Result<Marker, Error> {
        let inner = self.own.inner();
        let repository = PathBuf::from(&self.source.name);
        let recipe = Recipe::parse(text).map_err(|wrong| Error::Recipe { repository: repository.clone(), wrong })?;
        let mut marker = Marker::new(role, self.source.name.clone(), &recipe);
        if let Some(name) = &recipe.port {
            let port = self.own.port()?;
            marker.port = Some(port);
            marker.env.insert(name.clone(), port.to_string());
        }
        let read = vec![self.repository.common_dir().to_owned(), self.source.checkout.clone()];
        let (timeout, rules) = (recipe.timeout, &self.recipe.sandbox);
        let (commands, env) = (recipe.teardown.clone(), marker.env.clone());
        Teardown { commands, timeout, env, sandbox: rules.clone(), read: read.clone() }
            .keep(&self.source.home, path)?;
        let Brought { paths, notes } = self.bring(worktree, path, &recipe).await?;
        notes.iter().for_each(|note| tracing::info!(path = %path.display(), note, "left out of a workspace"));
        (marker.brought, marker.notes) = (paths, notes);
        let mut around = self.own.around(path, &marker.env);
        around.kept_open = Some(Arc::clone(&self.lock));
        let run = RecipeCommands { commands: &recipe.setup, timeout, path, home: &self.source.home, read, rules };
        // Dropped, the commands are ended with all they started.
        let ran = tokio::select! {
            biased;
            () = self.off.called() => Err(Error::CalledOff { path: path.to_owned() }),
            ran = self.own.run_recipe(around, &run) => ran,
        };
        let failed = match ran {
            Ok(None) => return Ok(marker),
            Ok(Some(ran)) if ran.is_good() => return Ok(marker),
            Ok(Some(ran)) => Error::Setup { repository, ran: Box::new(ran) },
            Err(error) => error,
        };
        if let Some(port) = marker.port {
            inner.ports.free(port);
        }
        Err(failed)
    }

    async fn bring(&self, worktree: &Repository, path: &Path, recipe: &Recipe) -> Result<Brought, Error> {
        let copies = recipe.copy.iter().map(|path| (How::Copy, path.clone()));
        let wanted: Vec<_> = copies.chain(recipe.link.iter().map(|path| (How::Link, path.clone()))).collect();
        let paths: Vec<PathBuf> = wanted.iter().map(|(_, path)| path.clone()).collect();
        let tracked = worktree.tracked(&paths).await?;
        let (checkout, path) = (self.source.checkout.clone(), path.to_owned());
        runtime::blocking(move || bring(&wanted, &checkout, &path, &tracked)).await
    }

    /// Leaves nothing of an attempt that failed; what cannot be taken back is for the next attempt.
    pub(crate) async fn take_back(&self, record: &Record) {
        let taken = async {
            self.repository.discard(&record.path).await?;
            if record.named {
                let (branch, base) = (record.branch.parse::<BranchName>()?, record.base.parse::<Oid>());
                // A branch at another commit has work, and the record says whose.
                if let Ok(base) = base
                    && self.repository.delete_ref(&branch.reference(), &base).await?.is_err()
                {
                    return Ok(());
                }
            }
            files::remove(&self.file)
        };
        if let Err(error) = taken.await {
            tracing::warn!(session = record.session, %error, "could not take back a workspace; the next attempt will");
        }
    }
}

/// The folder of a session, or one beside it if something is there.
pub(crate) fn free_path(home: &Path, slug: &str) -> PathBuf {
    let numbered = (2..NAMES_MAX).map(|number| home.join(format!("{slug}-{number}")));
    let mut names = std::iter::once(home.join(slug)).chain(numbered);
    names.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| home.join(slug))
}
