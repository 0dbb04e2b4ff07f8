//! Space on the disk: what goes when there is too little, and the one pass that lets it go.
//!
//! Which trees go is decided by [`git::plan`]: those of the pool and what was never finished first, then what was used
//! least recently, never one in use. Everything that is removed here can be restored, or made again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use git::{Candidate, Plan, Reason, Use, free_bytes};

use crate::Workspaces;
use crate::error::Error;
use crate::files;
use crate::list::{Listed, Purpose, git_dir_of};
use crate::prepare::folder_name;
use crate::record::{Marker, Record};
use crate::source::Source;

/// What a pass removed, or would remove.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PruneReport {
    /// What went, in this order; in a dry run, what would go.
    pub removed: Vec<Pruned>,
    /// What stays, and why.
    pub kept: Vec<(PathBuf, String)>,
    /// The space that came free, as it was measured before.
    pub freed: u64,
    /// The space that is missing even then.
    pub missing: u64,
}

/// A folder that went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pruned {
    /// Where it was.
    pub path: PathBuf,
    /// The space it took.
    pub bytes: u64,
    /// The snapshot that has everything; none for what can be made again, and in a dry run.
    pub snapshot: Option<String>,
}

impl Workspaces {
    /// Removes what need be so that `target_free` bytes (none: what the options say) are free; looks only if `dry_run`.
    ///
    /// `in_use` names who works in a folder. One that cannot be removed is kept with the reason, and the pass goes on.
    ///
    /// # Errors
    /// When the root cannot be read or its disk not be measured.
    pub async fn prune(
        &self,
        target_free: Option<u64>,
        dry_run: bool,
        in_use: impl Fn(&Path) -> Option<String> + Send + Sync + 'static,
    ) -> Result<PruneReport, Error> {
        let own = self.clone();
        let target = target_free.unwrap_or(self.options().free_bytes_target);
        let work = async move { own.prune_to(target, dry_run, &in_use).await };
        self.to_the_end("prune workspaces", work).await
    }

    /// One pass of care for the disk: nothing if there is space enough, otherwise as much pruning as is needed.
    ///
    /// To be called after a session has ended and before one is started.
    ///
    /// # Errors
    /// As [`Workspaces::prune`].
    pub async fn govern(
        &self,
        in_use: impl Fn(&Path) -> Option<String> + Send + Sync + 'static,
    ) -> Result<Option<PruneReport>, Error> {
        let target = self.options().free_bytes_target;
        if target == 0 || free_bytes(&self.root()?)? >= target {
            return Ok(None);
        }
        self.prune(Some(target), false, in_use).await.map(Some)
    }

    async fn prune_to(
        &self,
        target: u64,
        dry_run: bool,
        in_use: &(impl Fn(&Path) -> Option<String> + Send + Sync),
    ) -> Result<PruneReport, Error> {
        let in_use = &|path: &Path| in_use(path).or_else(|| self.just_given(path));
        let free = free_bytes(&self.root()?)?;
        let listed = self.list().await?;
        let plan = planned(&listed, free, target, in_use);
        let reasons = plan.keep.into_iter().map(|(path, reason)| (path, told(reason).to_owned()));
        let foreign = listed.iter().filter(|one| one.purpose == Purpose::Foreign);
        let foreign =
            foreign.map(|one| (one.path.clone(), "it is none that Fleet made, or its repository is gone".into()));
        let mut report = PruneReport { kept: reasons.chain(foreign).collect(), ..PruneReport::default() };
        let wanted = target.saturating_sub(free);
        for one in plan.remove.iter().filter_map(|path| listed.iter().find(|one| one.path == *path)) {
            let gone = if dry_run { Ok(None) } else { self.prune_one(one, in_use).await };
            match gone {
                Ok(snapshot) => {
                    report.freed = report.freed.saturating_add(one.bytes);
                    report.removed.push(Pruned { path: one.path.clone(), bytes: one.bytes, snapshot });
                }
                Err(error) => report.kept.push((one.path.clone(), error.to_string())),
            }
        }
        report.missing = wanted.saturating_sub(report.freed);
        Ok(report)
    }

    async fn prune_one(
        &self,
        one: &Listed,
        in_use: &(impl Fn(&Path) -> Option<String> + Send + Sync),
    ) -> Result<Option<String>, Error> {
        let nowhere = || git::Error::NoWorktree { path: one.path.clone() };
        let repository = one.repository.as_ref().ok_or_else(nowhere)?;
        let source = self.source(repository).await?;
        match &one.purpose {
            Purpose::Session { session } => {
                Ok(Some(self.remove_tree(&source, session, &one.path, in_use).await?.snapshot))
            }
            Purpose::Pool => {
                if !self.withdraw(&source, &one.path).await? {
                    let by = "a session has just taken it".to_owned();
                    return Err(Error::InUse { path: one.path.clone(), by });
                }
                self.drop_ready(&source, &one.path, in_use).await
            }
            Purpose::Unfinished { session } => {
                self.clear(&source, &one.path, session.as_deref()).await?;
                Ok(None)
            }
            Purpose::Foreign => Err(nowhere().into()),
        }
    }

    /// Says so if a session was given the worktree at `path` a moment ago.
    fn just_given(&self, path: &Path) -> Option<String> {
        let git_dir = git_dir_of(path)?;
        let marker = Marker::read(&git_dir).ok()??;
        marker.workspace(path)?;
        let age = self.inner().clock.now().duration_since(Marker::given(&git_dir)?);
        // A time in the future does not prove age either.
        let young = Duration::try_from(age).map_or(true, |age| age < self.inner().options.grace);
        (young && !self.inner().options.grace.is_zero()).then(|| "a session was given it a moment ago".to_owned())
    }

    /// Takes back what an interrupted creation has left, unless it was continued meanwhile.
    async fn clear(&self, source: &Source, path: &Path, session: Option<&str>) -> Result<(), Error> {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let slug = session.map_or(Ok(name), folder_name)?;
        // The task that is making it has the lock, and it is ready when we get it.
        let lock = Arc::new(self.lock(&source.home, &slug, &slug).await?);
        let ready = match source.repository.worktree(path).await {
            Ok(worktree) => Marker::read(worktree.git_dir())?.is_some_and(|marker| marker.workspace(path).is_some()),
            Err(_) => false,
        };
        if ready {
            return Err(Error::InUse { path: path.to_owned(), by: "it is ready by now".to_owned() });
        }
        let file = Record::at(&source.home, &slug);
        match files::json::<Record>(&file)? {
            Some(record) => self.making(source, file, &lock).take_back(&record).await,
            None => source.repository.discard(path).await?,
        }
        files::remove(&Record::lock(&source.home, &slug))
    }
}

/// Decides which of the listed folders go.
fn planned(listed: &[Listed], free: u64, target: u64, in_use: &impl Fn(&Path) -> Option<String>) -> Plan {
    let candidate = |one: &Listed| {
        let purpose = match &one.purpose {
            Purpose::Session { .. } => Use::Session,
            Purpose::Pool | Purpose::Unfinished { .. } => Use::Cache,
            Purpose::Foreign => return None,
        };
        let in_use = in_use(&one.path).is_some();
        Some(Candidate { path: one.path.clone(), purpose, bytes: one.bytes, last_used: one.last_used, in_use })
    };
    let candidates: Vec<Candidate> = listed.iter().filter_map(candidate).collect();
    git::plan(&candidates, free, target)
}

fn told(reason: Reason) -> &'static str {
    match reason {
        Reason::InUse => "it is in use",
        Reason::NotNeeded => "there is space enough without it",
    }
}
