//! What is at a path: no repository, a bare one, a main checkout, an added worktree, a submodule; and where its HEAD
//! is.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::branch::BranchName;
use crate::command::{Command, Git};
use crate::error::Error;
use crate::oid::Oid;

/// A repository, seen from one of its directories.
#[derive(Debug, Clone)]
pub struct Repository {
    pub(crate) git: Git,
    pub(crate) kind: Kind,
    pub(crate) git_dir: PathBuf,
    pub(crate) common_dir: PathBuf,
    /// What its processes keep open while they run.
    pub(crate) kept_open: Option<Arc<File>>,
}

/// What a repository is at the place where it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// No files to work on.
    Bare,
    /// The checkout that the repository was made with.
    Main {
        /// Its top directory.
        root: PathBuf,
    },
    /// A worktree that was added.
    Linked {
        /// Its top directory.
        root: PathBuf,
    },
    /// A repository inside another one's worktree, as its submodule.
    Submodule {
        /// Its top directory.
        root: PathBuf,
        /// The top directory of the worktree it belongs to.
        superproject: PathBuf,
    },
}

/// Where HEAD points.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Head {
    /// At a branch with commits.
    Branch {
        /// The branch.
        name: BranchName,
        /// Its tip.
        commit: Oid,
    },
    /// At a commit, on no branch.
    Detached {
        /// The commit.
        commit: Oid,
    },
    /// At a branch that has no commit yet.
    Unborn {
        /// The branch.
        name: BranchName,
    },
}

impl Head {
    /// Returns the commit, if there is one.
    #[must_use]
    pub fn commit(&self) -> Option<&Oid> {
        match self {
            Self::Branch { commit, .. } | Self::Detached { commit } => Some(commit),
            Self::Unborn { .. } => None,
        }
    }

    /// Returns the branch, if HEAD is on one.
    #[must_use]
    pub fn branch(&self) -> Option<&BranchName> {
        match self {
            Self::Branch { name, .. } | Self::Unborn { name } => Some(name),
            Self::Detached { .. } => None,
        }
    }
}

impl Git {
    /// Finds the repository that `path` is in.
    ///
    /// # Errors
    /// [`Error::NoRepository`] if it is in none or does not exist; otherwise what git said, for example that the
    /// repository belongs to another user.
    pub async fn open(&self, path: &Path) -> Result<Repository, Error> {
        let none = || Error::NoRepository { path: path.to_owned() };
        let path = path.canonicalize().map_err(|_| none())?;
        if !path.is_dir() {
            return Err(none());
        }
        if let Some((git_dir, common_dir, root)) = self.plain_paths(&path).await? {
            let kind = if git_dir == common_dir { Kind::Main { root } } else { Kind::Linked { root } };
            return Ok(Repository { git: self.clone(), kind, git_dir, common_dir, kept_open: None });
        }
        let git_dir = match self.path_of(&path, "--absolute-git-dir").await {
            Err(Error::Failed(failure)) if failure.stderr.contains("not a git repository") => return Err(none()),
            found => found?,
        };
        let common_dir = self.path_of(&path, "--git-common-dir").await?;
        let kind = self.kind_of(&path, &git_dir, &common_dir).await?;
        Ok(Repository { git: self.clone(), kind, git_dir, common_dir, kept_open: None })
    }

    /// Asks for everything at once; none unless the answer can only be that of an ordinary checkout.
    async fn plain_paths(&self, path: &Path) -> Result<Option<(PathBuf, PathBuf, PathBuf)>, Error> {
        let paths = ["--absolute-git-dir", "--git-common-dir", "--is-inside-work-tree", "--show-toplevel"];
        let args = ["rev-parse", "--path-format=absolute"].into_iter().chain(paths);
        let asked = self.look(path, args.chain(["--show-superproject-working-tree"])).run_to(&[0, 128]).await?;
        let lines: Vec<&[u8]> = asked.stdout.split(|byte| *byte == b'\n').collect();
        // A path with a line break, and a submodule, have more lines.
        let [git_dir, common_dir, b"true", root, b""] = lines[..] else { return Ok(None) };
        let [git_dir, common_dir, root] = [git_dir, common_dir, root].map(path_from);
        let whole = asked.code == 0 && [&git_dir, &common_dir, &root].iter().all(|path| path.is_absolute());
        Ok(whole.then_some((git_dir, common_dir, root)))
    }

    async fn kind_of(&self, path: &Path, git_dir: &Path, common_dir: &Path) -> Result<Kind, Error> {
        let inside = self.look(path, ["rev-parse", "--is-inside-work-tree"]).run().await?;
        if inside.trim_ascii() != b"true" {
            return Ok(Kind::Bare);
        }
        let root = self.path_of(path, "--show-toplevel").await?;
        let superproject = self.path_of(path, "--show-superproject-working-tree").await?;
        Ok(match () {
            () if git_dir != common_dir => Kind::Linked { root },
            () if !superproject.as_os_str().is_empty() => Kind::Submodule { root, superproject },
            () => Kind::Main { root },
        })
    }

    /// Asks for one path at a time, since a path may hold a line break.
    async fn path_of(&self, directory: &Path, what: &str) -> Result<PathBuf, Error> {
        let printed = self.look(directory, ["rev-parse", "--path-format=absolute", what]).run().await?;
        Ok(path_from(printed.strip_suffix(b"\n").unwrap_or(&printed)))
    }
}

impl Repository {
    /// Returns what the repository is at the place where it was opened.
    #[must_use]
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Returns the directory that all worktrees of the repository share.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Returns the git directory of the place where it was opened.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// Returns the top directory of the files, if there are any.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        match &self.kind {
            Kind::Bare => None,
            Kind::Main { root } | Kind::Linked { root } | Kind::Submodule { root, .. } => Some(root),
        }
    }

    /// Returns where HEAD points at the place where the repository was opened.
    ///
    /// # Errors
    /// When git cannot tell.
    pub async fn head(&self) -> Result<Head, Error> {
        match (self.head_branch().await?, self.head_commit().await?) {
            (Some(name), Some(commit)) => Ok(Head::Branch { name, commit }),
            (Some(name), None) => Ok(Head::Unborn { name }),
            (None, Some(commit)) => Ok(Head::Detached { commit }),
            (None, None) => Err(Error::NoCommit { revision: "HEAD".to_owned() }),
        }
    }

    /// Finds the commit that a revision means, however the revision is written.
    ///
    /// # Errors
    /// [`Error::NoCommit`] if it means none.
    pub async fn resolve(&self, revision: &str) -> Result<Oid, Error> {
        let none = || Error::NoCommit { revision: revision.chars().take(100).collect() };
        // An empty name would mean HEAD to git, and a process cannot be given a zero byte.
        if revision.is_empty() || revision.contains('\0') {
            return Err(none());
        }
        let branch = || revision.strip_prefix("refs/heads/")?.parse().ok();
        let plain = match revision {
            "HEAD" => self.plain_head_commit(),
            _ => branch().and_then(|branch| self.plain_branch(&branch)),
        };
        match plain {
            Some(commit) => Ok(commit),
            None => self.commit_at(revision).await?.ok_or_else(none),
        }
    }

    async fn head_commit(&self) -> Result<Option<Oid>, Error> {
        match self.plain_head_commit() {
            Some(commit) => Ok(Some(commit)),
            None => self.commit_at("HEAD").await,
        }
    }

    /// Returns the commit that a revision means, or none.
    pub(crate) async fn commit_at(&self, revision: &str) -> Result<Option<Oid>, Error> {
        let peeled = format!("{revision}^{{commit}}");
        let command = self.look(["rev-parse", "--verify", "--quiet", "--end-of-options", &peeled]);
        // 128: the text is not a revision at all, as opposed to a missing one.
        let output = command.run_to(&[0, 1, 128]).await?;
        Ok(if output.code == 0 { Oid::from_bytes(&output.stdout) } else { None })
    }

    /// Begins a command that only looks, seen from where the repository was opened.
    pub(crate) fn look<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        self.seen(self.git.look(self.directory(), args))
    }

    /// Begins a command, seen from where the repository was opened.
    pub(crate) fn command<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        self.seen(self.git.command(self.directory(), args))
    }

    /// Makes the processes that work for this handle keep `file` open, and so a lock on it, as long as they live.
    ///
    /// A process that outlives us still works where it was sent; who waits for the lock does not meet it there.
    #[must_use]
    pub fn keeping_open(&self, file: Arc<File>) -> Self {
        Self { kept_open: Some(file), ..self.clone() }
    }

    /// The files may be gone while the registration is still there; git is told which repository it is. It is told so
    /// in an added worktree, too: an agent that works there can write to the files by which git would find it, and
    /// would choose the settings that it reads.
    fn seen(&self, command: Command) -> Command {
        let command = command.keep_open(self.kept_open.clone()).reading(&self.git_dir, &self.common_dir);
        match &self.kind {
            Kind::Linked { root } if root.is_dir() => {
                let command = command.variable("GIT_DIR", &self.git_dir).variable("GIT_WORK_TREE", root);
                command.variable("GIT_COMMON_DIR", &self.common_dir)
            }
            Kind::Main { root } | Kind::Submodule { root, .. } if root.is_dir() => command,
            Kind::Linked { .. } | Kind::Main { .. } | Kind::Submodule { .. } | Kind::Bare => {
                command.variable("GIT_DIR", &self.git_dir)
            }
        }
    }

    fn directory(&self) -> &Path {
        self.root().filter(|root| root.is_dir()).unwrap_or(&self.git_dir)
    }
}

/// Makes a path of what git printed, which need not be text.
pub(crate) fn path_from(bytes: &[u8]) -> PathBuf {
    PathBuf::from(OsString::from_vec(bytes.to_vec()))
}
