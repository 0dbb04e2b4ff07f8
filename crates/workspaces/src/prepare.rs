//! The way to a workspace: written down, made, marked; after a crash at any point, the same call continues.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use git::{BranchName, Oid, SnapshotName, Subject, slug};
use types::{Place, Workspace};

use crate::error::Error;
use crate::files;
use crate::make::free_path;
use crate::options::{CallOff, Naming};
use crate::record::{Gone, Marker, Record, Role};
use crate::source::Source;
use crate::{Inner, Workspaces};

/// How long an earlier attempt at the same workspace is waited for.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most characters of a session's id in the name of a folder.
const FOLDER_MAX: usize = 100;

/// What the branch of a new worktree starts from.
#[derive(Debug, Clone)]
enum Start {
    /// What HEAD is at in the folder that was named.
    Head,
    /// A revision as people write it.
    Revision(String),
    /// Another session's branch.
    Branch(String),
}

impl Workspaces {
    /// Makes the workspace of a session, or finds it: for the same session the answer is the same.
    ///
    /// A call that is dropped, and one that a kill of the process cut short, is finished by the next one for the same
    /// session. [`Place::InPlace`] only looks whether the folder is there.
    ///
    /// # Errors
    /// When the folder, the base or the recipe does not allow it, a setup command fails, or git or the disk does; then
    /// nothing is left of the attempt.
    pub async fn prepare(&self, naming: &Naming, place: &Place) -> Result<Workspace, Error> {
        self.prepare_unless(naming, place, &CallOff::default()).await
    }

    /// Makes or finds the workspace of a session as [`Workspaces::prepare`] does, unless it is called off meanwhile.
    ///
    /// # Errors
    /// As there; and when it was called off before it was whole: then nothing is left of the attempt either.
    pub async fn prepare_unless(&self, naming: &Naming, place: &Place, off: &CallOff) -> Result<Workspace, Error> {
        let (folder, start) = match place {
            Place::InPlace { folder } => return in_place(Path::new(folder)),
            Place::Worktree { folder, base: None } => (folder, Start::Head),
            Place::Worktree { folder, base: Some(base) } => (folder, Start::Revision(base.clone())),
            Place::Inherit { folder, branch } => (folder, Start::Branch(branch.clone())),
        };
        let (own, naming, folder, off) = (self.clone(), naming.clone(), PathBuf::from(folder), off.clone());
        self.to_the_end("prepare workspace", async move { own.make(&naming, &folder, &start, &off).await }).await
    }

    /// Returns whether a workspace can be made at a place, as far as that is known without making one.
    ///
    /// # Errors
    /// When the folder is not there, no worktree is made of what it is, or there is no commit to start from.
    pub async fn check(&self, place: &Place) -> Result<(), Error> {
        match place {
            Place::InPlace { folder } => in_place(Path::new(folder)).map(drop),
            Place::Worktree { folder, base } => {
                let start = base.clone().map_or(Start::Head, Start::Revision);
                let source = self.source(Path::new(folder)).await?;
                source.check()?;
                self.base(&source, &start).await.map(drop)
            }
            Place::Inherit { folder, .. } => self.source(Path::new(folder)).await?.check(),
        }
    }

    async fn make(&self, naming: &Naming, folder: &Path, start: &Start, off: &CallOff) -> Result<Workspace, Error> {
        let source = self.source(folder).await?;
        source.check()?;
        let slug = folder_name(&naming.session)?;
        files::create_dirs(&Record::folder(&source.home))?;
        let lock = Arc::new(self.lock(&source.home, &slug, &naming.session).await?);
        let made = self.made(naming, &source, &slug, start, (&lock, off)).await;
        if !Record::at(&source.home, &slug).exists() {
            // A task that waits for it sees that it is gone and makes another.
            files::remove(&Record::lock(&source.home, &slug))?;
        }
        // What a setup command left running may have the file open too, and would keep the lock.
        let _ = lock.unlock();
        made
    }

    async fn made(
        &self,
        naming: &Naming,
        source: &Source,
        slug: &str,
        start: &Start,
        (lock, off): (&Arc<File>, &CallOff),
    ) -> Result<Workspace, Error> {
        let file = Record::at(&source.home, slug);
        let record = match files::json::<Record>(&file)? {
            Some(record) => Some(record),
            None => self.back(source, &naming.session, slug).await?,
        };
        let Some(record) = record else {
            let (branch, base) = (self.branch(naming)?, self.base(source, start).await?);
            return self
                .making(source, file, lock)
                .unless(off)
                .by(&naming.recipe)
                .anew(naming, slug, branch, base)
                .await;
        };
        if record.session != naming.session {
            let reason = format!("its folder is that of session `{}`", record.session);
            return Err(Error::Session { session: naming.session.clone(), reason });
        }
        match self.found(source, &record).await? {
            Some(workspace) => Ok(workspace),
            None => self.making(source, file, lock).unless(off).by(&naming.recipe).again(slug, record).await,
        }
    }

    /// Keeps others from the workspace of a session, also processes of an earlier life that still work in it.
    pub(crate) async fn lock(&self, home: &Path, slug: &str, session: &str) -> Result<File, Error> {
        let path = Record::lock(home, slug);
        let waited = self.0.clock.timeout(PATIENCE, runtime::blocking(move || files::lock(&path)));
        waited.await.unwrap_or_else(|runtime::Elapsed| Err(Error::Busy { session: session.to_owned() }))
    }

    /// Brings back the workspace that the session had until it was removed; its record, if it had one.
    async fn back(&self, source: &Source, session: &str, slug: &str) -> Result<Option<Record>, Error> {
        let file = Record::removed_at(&source.home, slug);
        let gone = files::json::<Gone>(&file)?.filter(|gone| gone.record.session == session);
        let Some(gone) = gone else { return Ok(None) };
        let snapshot: SnapshotName = gone.snapshot.parse()?;
        let mut record = Record { path: source.home.join(slug), pooled: false, ..gone.record.clone() };
        // An earlier attempt may have been cut short.
        source.repository.finish_removal(&record.path).await?;
        if record.path.symlink_metadata().is_ok() {
            record.path = free_path(&source.home, slug);
        }
        match self.restored(source, &snapshot, Some(&gone), &record.path).await {
            // The snapshot was deleted; the branch is what is left.
            Ok(_) | Err(Error::Git(git::Error::NoSnapshot { .. })) => {}
            Err(error) => return Err(error),
        }
        files::write(&Record::at(&source.home, slug), &record)?;
        files::remove(&file)?;
        Ok(Some(record))
    }

    /// Returns the workspace of a record if it is ready.
    async fn found(&self, source: &Source, record: &Record) -> Result<Option<Workspace>, Error> {
        if let Some(whole) = source.repository.finish_removal(&record.path).await? {
            // Its removal was cut short; the snapshot has what the rest of the tree has not.
            source.repository.restore(&whole, &record.path).await?;
        }
        let Ok(worktree) = source.repository.worktree(&record.path).await else { return Ok(None) };
        if !record.path.is_dir() {
            return Ok(None);
        }
        let Some(mut marker) = Marker::read(worktree.git_dir())? else { return Ok(None) };
        if let Role::Session { .. } = marker.role {
            // The agent writes there: that file must not choose the repository in which Fleet's git works.
            let Record { session, branch, base, .. } = record.clone();
            (marker.repository, marker.role) = (source.name.clone(), Role::Session { session, branch, base });
        }
        if let Some(port) = marker.port {
            self.0.ports.keep(port);
        }
        // Its time says that it was given away again.
        marker.write(worktree.git_dir())?;
        Ok(marker.workspace(&record.path))
    }

    async fn base(&self, source: &Source, start: &Start) -> Result<Oid, Error> {
        let revision = match start {
            Start::Head => "HEAD".to_owned(),
            Start::Revision(revision) => revision.clone(),
            Start::Branch(branch) => branch.parse::<BranchName>()?.reference(),
        };
        if let Start::Revision(named) | Start::Branch(named) = start {
            // It may be the branch of a session that works right now.
            for record in Record::all(&source.home)?.iter().filter(|record| record.branch == *named) {
                self.take_over(source, &record.path).await?;
            }
        }
        source.repository.resolve(&revision).await.map_err(|error| match (error, start) {
            (git::Error::NoCommit { .. }, Start::Head) => Error::NoCommits { path: source.folder.clone() },
            (git::Error::NoCommit { .. }, Start::Revision(revision) | Start::Branch(revision)) => {
                Error::NoBase { path: source.folder.clone(), revision: revision.clone() }
            }
            (error, _) => Error::Git(error),
        })
    }

    fn branch(&self, naming: &Naming) -> Result<BranchName, Error> {
        let pattern = naming.pattern.as_ref().unwrap_or(&self.0.options.branch_pattern);
        let handle = naming.handle.as_deref().unwrap_or_default();
        let (task, agent) = (naming.title.as_deref().unwrap_or(handle), naming.agent.as_deref().unwrap_or(handle));
        Ok(pattern.branch(Subject { session: &naming.session, task, agent })?)
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}

/// The name of a session's folder and record.
pub(crate) fn folder_name(session: &str) -> Result<String, Error> {
    slug(session, FOLDER_MAX).ok_or_else(|| Error::Session {
        session: session.to_owned(),
        reason: "its id holds neither letter nor digit".to_owned(),
    })
}

fn in_place(folder: &Path) -> Result<Workspace, Error> {
    let missing = || Error::NoFolder { path: folder.to_owned() };
    let path = folder.canonicalize().map_err(|_| missing())?;
    if !path.is_dir() {
        return Err(missing());
    }
    Ok(Workspace { path: path.to_string_lossy().into_owned(), worktree: None, env: Default::default() })
}
