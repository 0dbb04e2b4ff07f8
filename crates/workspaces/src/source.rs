//! Which repository a folder is in, and where its worktrees, records and files to copy are.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use git::{Kind, Repository};

use crate::Workspaces;
use crate::error::Error;
use crate::files::{self, create_dirs, failed};

/// Says where the repository of the worktrees beside it is.
const REPOSITORY: &str = ".repository.json";

/// A repository that worktrees are made of.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    /// The folder that was named.
    pub(crate) folder: PathBuf,
    pub(crate) repository: Repository,
    /// The user's checkout, from which files are copied.
    pub(crate) checkout: PathBuf,
    /// Where worktrees of it live.
    pub(crate) home: PathBuf,
    /// What names the repository for good.
    pub(crate) name: String,
}

/// A source, and how to see that it has not changed.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    source: Source,
    git: (PathBuf, u64, u64),
}

impl Workspaces {
    /// Opens the repository that `folder` is in; asks git only if it has not been asked before.
    pub(crate) async fn source(&self, folder: &Path) -> Result<Source, Error> {
        let missing = || Error::NoFolder { path: folder.to_owned() };
        let canonical = folder.canonicalize().map_err(|_| missing())?;
        if !canonical.is_dir() {
            return Err(missing());
        }
        let found = nearest_git(&canonical);
        let opened = self.0.opened.lock().unwrap_or_else(PoisonError::into_inner).get(&canonical).cloned();
        if let Some(opened) = opened.filter(|opened| found.as_ref() == Some(&opened.git)) {
            return Ok(opened.source);
        }
        let source = self.open(&canonical).await?;
        if let Some(git) = found {
            let opened = Opened { source: source.clone(), git };
            self.0.opened.lock().unwrap_or_else(PoisonError::into_inner).insert(canonical, opened);
        }
        Ok(source)
    }

    /// Returns the folder of the repository that a folder is in: of its checkout, or of itself if it is bare.
    ///
    /// # Errors
    /// When the folder is in no repository.
    pub async fn repository_folder(&self, folder: &Path) -> Result<PathBuf, Error> {
        let source = self.source(folder).await?;
        let common = source.repository.common_dir();
        Ok(match (common.file_name(), common.parent()) {
            (Some(name), Some(parent)) if name == ".git" => parent.to_owned(),
            (_, _) => common.to_owned(),
        })
    }

    /// Returns whether the owner trusts the repository that a folder is in.
    pub async fn is_trusted(&self, folder: &Path) -> bool {
        self.source(folder).await.is_ok_and(|source| self.0.git.trusts(source.repository.common_dir()))
    }

    async fn open(&self, folder: &Path) -> Result<Source, Error> {
        let root = self.root()?;
        let repository = match self.session_repository(folder, &root).await? {
            Some(repository) => repository,
            None => self.0.git.open(folder).await.map_err(|error| Error::opening(folder, error))?,
        };
        let checkout = match repository.kind() {
            // A session may start another one; the files to copy are its user's, not the ones it was given.
            Kind::Linked { root: tree } if tree.starts_with(&root) => main_of(&repository),
            Kind::Linked { root } | Kind::Main { root } | Kind::Submodule { root, .. } => root.clone(),
            Kind::Bare => main_of(&repository),
        };
        let name = main_of(&repository).to_string_lossy().into_owned();
        let home = home(&repository, &root)?;
        Ok(Source { folder: folder.to_owned(), repository, checkout, home, name })
    }

    /// Opens the repository of the session's worktree that a folder is in, which its agent does not choose.
    async fn session_repository(&self, folder: &Path, root: &Path) -> Result<Option<Repository>, Error> {
        let Ok(below) = folder.strip_prefix(root) else { return Ok(None) };
        let mut parts = below.components();
        let (Some(home), Some(tree)) = (parts.next(), parts.next()) else { return Ok(None) };
        let home = root.join(home);
        let Some(common_dir) = remembered(&home) else { return Ok(None) };
        let repository = self.0.git.open(&common_dir).await.map_err(|error| Error::opening(&common_dir, error))?;
        Ok(repository.worktree(&home.join(tree)).await.ok())
    }

    /// The root of all worktrees, made and without links.
    pub(crate) fn root(&self) -> Result<PathBuf, Error> {
        let root = &self.0.options.root;
        create_dirs(root)?;
        root.canonicalize().map_err(failed("open", root))
    }
}

impl Source {
    /// Writes down, beside its worktrees, where the repository is: their agents choose what their `.git` says.
    pub(crate) fn remember(&self) -> Result<(), Error> {
        let common_dir = self.repository.common_dir().to_owned();
        if remembered(&self.home).as_ref() == Some(&common_dir) {
            return Ok(());
        }
        files::write(&self.home.join(REPOSITORY), &common_dir)
    }

    /// Refuses what no worktree is made of.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let path = self.folder.clone();
        match self.repository.kind() {
            Kind::Main { .. } | Kind::Linked { .. } => Ok(()),
            Kind::Bare => Err(Error::Bare { path }),
            Kind::Submodule { superproject, .. } => Err(Error::Submodule { path, superproject: superproject.clone() }),
        }
    }
}

/// The directory that all worktrees beside each other share, if it was written down.
pub(crate) fn remembered(home: &Path) -> Option<PathBuf> {
    files::json(&home.join(REPOSITORY)).ok()?
}

/// Where the worktrees of a repository live.
pub(crate) fn home(repository: &Repository, root: &Path) -> Result<PathBuf, Error> {
    let place = repository.place(root, "any")?;
    Ok(place.parent().unwrap_or(root).to_owned())
}

/// The checkout that the repository was made with; its git directory if there is none.
fn main_of(repository: &Repository) -> PathBuf {
    if let Kind::Main { root } = repository.kind() {
        return root.clone();
    }
    let common = repository.common_dir();
    match common.parent() {
        Some(above) if common.ends_with(".git") => above.to_owned(),
        Some(_) | None => common.to_owned(),
    }
}

/// The `.git` that git would find from a folder, and which one it is.
fn nearest_git(folder: &Path) -> Option<(PathBuf, u64, u64)> {
    folder.ancestors().find_map(|above| {
        let git = above.join(".git");
        let metadata = git.symlink_metadata().ok()?;
        Some((git, metadata.dev(), metadata.ino()))
    })
}
