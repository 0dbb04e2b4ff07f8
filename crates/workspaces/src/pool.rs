//! Worktrees made ahead, so that a session on a big repository does not wait for its files.
//!
//! A tree of the pool has its files, and the recipe's commands have run in it; a session that takes it gets a branch
//! and nothing else happens. It stays where it is, since what the commands made may know its path. Which trees are free
//! is known to the memory of this process, and after a restart to the markers and records. It is refilled only on
//! request.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use git::{At, Attach, Oid, free_bytes};

use crate::Workspaces;
use crate::error::Error;
use crate::files;
use crate::options::RecipeRules;
use crate::recipe::Recipe;
use crate::record::{Marker, Record, Role};
use crate::source::Source;

/// How the folders of the pool begin; no session's folder has a dot in it.
const PREFIX: &str = "pool.";

/// The most trees of a pool.
const SIZE_MAX: u32 = 1000;

/// The pools of all repositories, by the folder of their worktrees.
#[derive(Debug, Default)]
pub(crate) struct Pools {
    free: Mutex<HashMap<PathBuf, Vec<Ready>>>,
    /// One refill of a pool at a time.
    refills: Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<()>>>>,
}

/// A tree that waits for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ready {
    pub(crate) path: PathBuf,
    commit: Oid,
    set_up: bool,
    /// Another recipe would bring other files and other variables.
    recipe: String,
}

impl Workspaces {
    /// Fills the pool of the repository that `folder` is in, at what `base` means now (none for HEAD), and returns how
    /// many trees it has then.
    ///
    /// Trees at another commit are moved there, or made again where commands ran in them. To be called when a session
    /// has been started and when the base has moved; without a pool size there is nothing to do.
    ///
    /// # Errors
    /// When the folder gives no worktrees, a setup command fails, or git or the disk does; the trees made so far stay.
    pub async fn refill(&self, folder: &Path, base: Option<&str>) -> Result<usize, Error> {
        self.refill_by(folder, base, &RecipeRules::default()).await
    }

    /// Fills the pool of a repository as [`Workspaces::refill`] does, by the recipe that the rules name.
    ///
    /// # Errors
    /// As there.
    pub async fn refill_by(&self, folder: &Path, base: Option<&str>, rules: &RecipeRules) -> Result<usize, Error> {
        let (own, folder, base, rules) =
            (self.clone(), folder.to_owned(), base.unwrap_or("HEAD").to_owned(), rules.clone());
        self.to_the_end("refill pool", async move { own.fill_up(&folder, &base, &rules).await }).await
    }

    async fn fill_up(&self, folder: &Path, base: &str, rules: &RecipeRules) -> Result<usize, Error> {
        let source = self.source(folder).await?;
        source.check()?;
        let alone = {
            let mut refills = self.inner().pools.refills.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(refills.entry(source.home.clone()).or_default())
        };
        let _alone = alone.lock().await;
        let wanted = source.repository.resolve(base).await?;
        let size = usize::try_from(self.inner().options.pool_size.min(SIZE_MAX)).unwrap_or_default();
        files::create_dirs(&Record::folder(&source.home))?;
        self.load_pool(&source).await?;
        self.clear_unfinished(&source).await?;
        let recipe = self.recipe_text(&source, rules).await?;
        let is_stale = |ready: &Ready| ready.commit != wanted || ready.recipe != recipe;
        while let Some(stale) = self.take_if(&source.home, is_stale) {
            self.renew(&source, stale, &wanted, &recipe).await?;
        }
        while self.free(&source.home) > size {
            let Some(over) = self.take_if(&source.home, |_| true) else { break };
            self.drop_ready(&source, &over.path, &|_: &Path| None).await?;
        }
        let target = self.inner().options.free_bytes_target;
        // What is made for later is the first to go when space is short, so it is not made then.
        while self.free(&source.home) < size && (target == 0 || free_bytes(&source.home)? > target) {
            let made = self.make_ready(&source, &wanted, (rules, &recipe)).await?;
            self.give(&source.home, made);
        }
        Ok(self.free(&source.home))
    }

    /// Takes a tree out of the pool that is at `base`, or can be moved there without running commands again.
    pub(crate) async fn take_ready(
        &self,
        source: &Source,
        base: &Oid,
        rules: &RecipeRules,
    ) -> Result<Option<PathBuf>, Error> {
        if self.inner().options.pool_size == 0 {
            return Ok(None);
        }
        self.load_pool(source).await?;
        let recipe = self.recipe_text(source, rules).await?;
        let same = |ready: &Ready| ready.recipe == recipe;
        let ready = self
            .take_if(&source.home, |ready| ready.commit == *base && same(ready))
            .or_else(|| self.take_if(&source.home, |ready| !ready.set_up && same(ready)));
        Ok(ready.map(|ready| ready.path))
    }

    /// Makes one more tree.
    async fn make_ready(
        &self,
        source: &Source,
        commit: &Oid,
        (rules, recipe): (&RecipeRules, &str),
    ) -> Result<Ready, Error> {
        let path = free_number(&source.home)?;
        let slug = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let lock = Arc::new(self.lock(&source.home, &slug, &slug).await?);
        let making = self.making(source, Record::at(&source.home, &slug), &lock).by(rules);
        let options = &self.inner().options;
        let (checkout, submodules) = (options.checkout, options.submodules);
        let attach = Attach { path: path.clone(), at: At::Commit(commit.clone()), checkout, submodules };
        let made = async {
            let worktree = making.repository.attach(&attach).await?;
            let set_up = Recipe::parse(recipe).is_ok_and(|recipe| !recipe.setup.is_empty());
            let role = |changed| Role::Pool { commit: commit.to_string(), set_up, changed, recipe: recipe.to_owned() };
            let mut marker = making.equip(&worktree, &path, recipe, role(false)).await?;
            marker.role = role(worktree.is_changed().await?);
            marker.write(worktree.git_dir())?;
            Ok(Ready { path: path.clone(), commit: commit.clone(), set_up, recipe: recipe.to_owned() })
        };
        let made = made.await;
        if made.is_err() {
            making.repository.discard(&path).await?;
        }
        files::remove(&Record::lock(&source.home, &slug))?;
        let _ = lock.unlock();
        made
    }

    /// Brings a tree to another commit: by moving it, or by making it again.
    async fn renew(&self, source: &Source, stale: Ready, wanted: &Oid, recipe: &str) -> Result<(), Error> {
        if !stale.set_up && stale.recipe == recipe {
            let worktree = source.repository.worktree(&stale.path).await?;
            if let (Ok(()), Some(mut marker)) = (worktree.detach_at(wanted).await, Marker::read(worktree.git_dir())?) {
                let changed = worktree.is_changed().await?;
                let recipe = recipe.to_owned();
                marker.role = Role::Pool { commit: wanted.to_string(), set_up: false, changed, recipe };
                marker.write(worktree.git_dir())?;
                self.give(&source.home, Ready { commit: wanted.clone(), ..stale });
                return Ok(());
            }
        }
        self.drop_ready(source, &stale.path, &|_: &Path| None).await.map(drop)
    }

    /// Removes a tree of the pool that cannot be handed out any more; a snapshot is taken only if it was changed.
    pub(crate) async fn drop_ready(
        &self,
        source: &Source,
        path: &Path,
        in_use: &(impl Fn(&Path) -> Option<String> + Send + Sync),
    ) -> Result<Option<String>, Error> {
        let worktree = source.repository.worktree(path).await?;
        if let Some(by) = in_use(path) {
            return Err(Error::InUse { path: path.to_owned(), by });
        }
        drop(worktree.hold().map_err(Error::removing)?);
        let marker = Marker::read(worktree.git_dir())?;
        let ours = marker.as_ref().is_some_and(|marker| matches!(marker.role, Role::Pool { changed: true, .. }));
        if !ours && worktree.is_changed().await? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            return Ok(Some(self.remove_tree(source, &name, path, in_use).await?.snapshot));
        }
        self.tear_down(&source.home, path).await;
        source.repository.discard(path).await?;
        self.free_port(marker.as_ref());
        Ok(None)
    }

    /// Learns after a restart which trees are free: marked as the pool's, and in no session's record.
    async fn load_pool(&self, source: &Source) -> Result<(), Error> {
        if self.pools().contains_key(&source.home) {
            return Ok(());
        }
        let given = given(&source.home)?;
        let mut found = Vec::new();
        for path in pool_folders(&source.home).into_iter().filter(|path| !given.contains(path)) {
            let Ok(worktree) = source.repository.worktree(&path).await else { continue };
            let Some(marker) = Marker::read(worktree.git_dir())? else { continue };
            if let Role::Pool { commit, set_up, recipe, .. } = marker.role {
                marker.port.into_iter().for_each(|port| self.inner().ports.keep(port));
                found.push(Ready { path, commit: commit.parse()?, set_up, recipe });
            }
        }
        // Two may have looked at once; what the first has given away since is not to come back.
        self.pools().entry(source.home.clone()).or_insert(found);
        Ok(())
    }

    /// Throws away trees of the pool whose making was cut short.
    async fn clear_unfinished(&self, source: &Source) -> Result<(), Error> {
        let given = given(&source.home)?;
        for path in pool_folders(&source.home).into_iter().filter(|path| !given.contains(path)) {
            let marked = match source.repository.worktree(&path).await {
                Ok(worktree) => Marker::read(worktree.git_dir())?.is_some(),
                Err(_) => false,
            };
            if !marked {
                let slug = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                // A process of an earlier server that still works on it has the lock.
                let lock = self.lock(&source.home, &slug, &slug).await?;
                source.repository.discard(&path).await?;
                files::remove(&Record::lock(&source.home, &slug))?;
                drop(lock);
            }
        }
        Ok(())
    }

    /// Takes the first free tree that `fits`, exclusively.
    fn take_if(&self, home: &Path, fits: impl Fn(&Ready) -> bool) -> Option<Ready> {
        let mut pools = self.pools();
        let free = pools.get_mut(home)?;
        let at = free.iter().position(fits)?;
        Some(free.remove(at))
    }

    /// Takes one tree out of the pool, to remove it; false if a session has it.
    pub(crate) async fn withdraw(&self, source: &Source, path: &Path) -> Result<bool, Error> {
        self.load_pool(source).await?;
        let taken = self.take_if(&source.home, |ready| ready.path == path).is_some();
        // A tree that was restored elsewhere cannot be handed out.
        Ok(taken || !pool_folders(&source.home).iter().any(|folder| folder == path))
    }

    fn give(&self, home: &Path, ready: Ready) {
        self.pools().entry(home.to_owned()).or_default().push(ready);
    }

    fn free(&self, home: &Path) -> usize {
        self.pools().get(home).map_or(0, Vec::len)
    }

    fn pools(&self) -> MutexGuard<'_, HashMap<PathBuf, Vec<Ready>>> {
        self.inner().pools.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Folders that are named like those of the pool.
fn pool_folders(home: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(PREFIX));
    let mut paths: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The first number that neither a folder nor a session's record has.
fn free_number(home: &Path) -> Result<PathBuf, Error> {
    let given = given(home)?;
    let mut paths = (1_u32..).map(|number| home.join(format!("{PREFIX}{number}")));
    let free = paths.find(|path| path.symlink_metadata().is_err() && !given.contains(path));
    Ok(free.unwrap_or_else(|| home.join(PREFIX)))
}

/// The folders that sessions were given.
fn given(home: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    Ok(Record::all(home)?.into_iter().map(|record| record.path).collect())
}
