//! The end of a workspace, and the way back: teardown, snapshot, removal; and a worktree made of the snapshot again.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git::{Oid, Remove, Repository, Restored, Snapshot, SnapshotName};
use types::Workspace;

use crate::Workspaces;
use crate::error::Error;
use crate::files;
use crate::prepare::folder_name;
use crate::recipe_commands::RecipeCommands;
use crate::record::{Gone, Marker, Record};
use crate::source::Source;
use crate::teardown::Teardown;

/// A workspace that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Removed {
    /// The name of the snapshot that has everything.
    pub snapshot: String,
    /// The branch, if it was deleted.
    pub deleted_branch: Option<String>,
    /// What did not go as it should, in words: a teardown command that failed, a file that has no bytes to keep.
    pub notes: Vec<String>,
}

impl Workspaces {
    /// Removes the workspace of a session; `in_use` may name a session that works there.
    ///
    /// The teardown commands run first, as the recipe had them when the workspace was made; one that fails is told and
    /// keeps nothing from continuing. Then everything in the tree goes into a snapshot named after the session, and the
    /// tree goes. A removal that was cut short is finished by the same call. A session that comes back gets it all
    /// again.
    ///
    /// # Errors
    /// [`Error::InUse`] if it is in use; [`Error::InPlace`] for a folder of the user's; what git says.
    pub async fn remove(
        &self,
        session: &str,
        workspace: &Workspace,
        in_use: impl Fn(&Path) -> Option<String> + Send + Sync + 'static,
    ) -> Result<Removed, Error> {
        let path = PathBuf::from(&workspace.path);
        let Some(tree) = &workspace.worktree else { return Err(Error::InPlace { doing: "remove", path }) };
        let (own, session, repository) = (self.clone(), session.to_owned(), PathBuf::from(&tree.repository));
        let work = async move {
            let source = own.source(&repository).await?;
            own.remove_tree(&source, &session, &path, &in_use).await
        };
        self.to_the_end("remove workspace", work).await
    }

    /// Removes the worktree at `path`, whose snapshot gets a name after `session`.
    pub(crate) async fn remove_tree(
        &self,
        source: &Source,
        session: &str,
        path: &Path,
        in_use: &(impl Fn(&Path) -> Option<String> + Send + Sync),
    ) -> Result<Removed, Error> {
        let slug = folder_name(session)?;
        files::create_dirs(&Record::folder(&source.home))?;
        let lock = Arc::new(self.lock(&source.home, &slug, session).await?);
        let repository = source.repository.keeping_open(Arc::clone(&lock));
        let removed = self.removed((&repository, &source.home), &slug, path, in_use).await;
        let file = Record::at(&source.home, &slug);
        let record = files::json::<Record>(&file)?.filter(|record| record.path == path);
        if let (Ok((removed, commit)), Some(record)) = (&removed, record) {
            let gone = Record::removed_at(&source.home, &slug);
            files::create_dirs(gone.parent().unwrap_or(&source.home))?;
            let (snapshot, commit) = (removed.snapshot.clone(), commit.as_ref().map(ToString::to_string));
            files::write(&gone, &Gone { record, snapshot, commit })?;
            files::remove(&file)?;
        }
        if !file.exists() {
            files::remove(&Record::lock(&source.home, &slug))?;
        }
        let _ = lock.unlock();
        removed.map(|(removed, _)| removed)
    }

    /// Removes a worktree; returns the commit of its snapshot too, if this call took it.
    async fn removed(
        &self,
        (repository, home): (&Repository, &Path),
        slug: &str,
        path: &Path,
        in_use: &(impl Fn(&Path) -> Option<String> + Send + Sync),
    ) -> Result<(Removed, Option<Oid>), Error> {
        if let Some(by) = in_use(path) {
            return Err(Error::InUse { path: path.to_owned(), by });
        }
        let before = |snapshot: String| (Removed { snapshot, deleted_branch: None, notes: vec![] }, None);
        if let Some(done) = repository.finish_removal(path).await.map_err(Error::removing)? {
            return Ok(before(done.to_string()));
        }
        let worktree = match repository.worktree(path).await {
            Ok(worktree) => worktree,
            // Removed before, by a call that could not tell of it.
            Err(error) if path.exists() => return Err(error.into()),
            Err(error) => return names(repository, slug).await?.1.map(before).ok_or_else(|| error.into()),
        };
        let marker = Marker::read(worktree.git_dir())?;
        drop(worktree.hold().map_err(Error::removing)?);
        let mut notes = self.tear_down(home, path).await;
        let (snapshot, _) = names(repository, slug).await?;
        let options = &self.inner().options;
        let how = Remove { snapshot, ignored: options.ignored.clone(), branch: options.branch_fate };
        let removal = repository.remove(path, &how, in_use).await.map_err(Error::removing)?;
        self.free_port(marker.as_ref());
        notes.extend(removal.snapshot.special.iter().map(|path| format!("`{}` has no bytes to keep", path.display())));
        let deleted_branch = removal.deleted_branch.map(|branch| branch.to_string());
        let Snapshot { name, commit, .. } = removal.snapshot;
        Ok((Removed { snapshot: name.to_string(), deleted_branch, notes }, Some(commit)))
    }

    pub(crate) async fn tear_down(&self, home: &Path, path: &Path) -> Vec<String> {
        let kept = match Teardown::of(home, path) {
            Ok(kept) => kept.filter(|_| path.is_dir()),
            Err(error) => return vec![format!("no teardown command ran: {error}")],
        };
        let Some(Teardown { commands, timeout, env, sandbox, read }) = kept else { return vec![] };
        let mut notes = vec![];
        for command in &commands {
            let (commands, read) = (std::slice::from_ref(command), read.clone());
            let run = RecipeCommands { commands, timeout, path, home, read, rules: &sandbox };
            // One that fails does not spare the others.
            match self.run_recipe(self.around(path, &env), &run).await {
                Ok(Some(ran)) if !ran.is_good() => notes.push(format!("a teardown command failed: {ran}")),
                Ok(_) => {}
                Err(error) => notes.push(format!("a teardown command failed: {error}")),
            }
        }
        notes.iter().for_each(|note| tracing::warn!(path = %path.display(), note, "while removing a workspace"));
        notes
    }

    pub(crate) fn free_port(&self, marker: Option<&Marker>) {
        if let Some(port) = marker.and_then(|marker| marker.port) {
            self.inner().ports.free(port);
        }
    }

    /// Makes a worktree of a snapshot: at `to`, or where a session's worktree would be.
    ///
    /// A snapshot of a session's workspace is that session's workspace again.
    ///
    /// # Errors
    /// When there is no such snapshot, something is at `to`, or git or the disk fails; then nothing is left behind.
    pub async fn restore(&self, folder: &Path, snapshot: &str, to: Option<PathBuf>) -> Result<PathBuf, Error> {
        let (own, folder, snapshot) = (self.clone(), folder.to_owned(), snapshot.parse::<SnapshotName>()?);
        let work = async move {
            let source = own.source(&folder).await?;
            let to =
                to.map_or_else(|| source.repository.place(&own.root()?, snapshot.as_str()).map_err(Error::from), Ok)?;
            // An earlier attempt may have been cut short.
            source.repository.finish_removal(&to).await?;
            let gone = Record::removed_as(&source.home, snapshot.as_str())?;
            let restored = own.restored(&source, &snapshot, gone.as_ref(), &to).await?;
            let path = restored.worktree.root().unwrap_or(&to).to_owned();
            own.belongs_again(&source, gone, &path)?;
            Ok(path)
        };
        self.to_the_end("restore workspace", work).await
    }

    /// Makes a worktree of a snapshot: of the commit that was written down, if one was, and not of what has its name now.
    pub(crate) async fn restored(
        &self,
        source: &Source,
        snapshot: &SnapshotName,
        gone: Option<&Gone>,
        to: &Path,
    ) -> Result<Restored, Error> {
        let taken = gone.and_then(|gone| gone.commit.as_deref()).map(str::parse::<Oid>).transpose()?;
        Ok(match taken {
            Some(commit) => source.repository.restore_from(snapshot, commit, to).await?,
            None => source.repository.restore(snapshot, to).await?,
        })
    }

    /// Gives a restored worktree back to the session that it was taken from, unless that has another one by now. A
    /// snapshot that no record knows belongs to no session, whatever it says itself.
    fn belongs_again(&self, source: &Source, gone: Option<Gone>, path: &Path) -> Result<(), Error> {
        let Some(Gone { record, .. }) = gone else { return Ok(()) };
        let slug = folder_name(&record.session)?;
        let file = Record::at(&source.home, &slug);
        if files::json::<Record>(&file)?.is_some() {
            return Ok(());
        }
        files::create_dirs(&Record::folder(&source.home))?;
        files::write(&file, &Record { path: path.to_owned(), named: true, pooled: false, ..record })?;
        files::remove(&Record::removed_at(&source.home, &slug))
    }
}

/// A free name for the next snapshot of a session, and the name of its last one.
async fn names(repository: &Repository, slug: &str) -> Result<(SnapshotName, Option<String>), Error> {
    let snapshots = repository.snapshots().await?;
    let taken: BTreeSet<&str> = snapshots.iter().map(|(name, _)| name.as_str()).collect();
    let mut last = None;
    let mut next = slug.to_owned();
    for number in 2_u32.. {
        if !taken.contains(next.as_str()) {
            break;
        }
        last = Some(std::mem::replace(&mut next, format!("{slug}-{number}")));
    }
    Ok((next.parse()?, last))
}
