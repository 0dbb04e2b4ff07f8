//! A home, a repository and workspaces for one test, and the plain git to set them up with.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use fleet_workspaces::{Error, Naming, Options, Workspaces};
use git::{Environment, Git};
use runtime::{Clock, Tree};
use types::{Place, Workspace};

const SETTINGS: &str = "[user]\nname = Tester\nemail = tester@example.com\n[init]\ndefaultBranch = main\n\
    [protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n[advice]\ndetachedHead = false\n";

/// Everything a test has; gone when dropped.
pub(crate) struct Sandbox {
    folder: PathBuf,
    _gone_when_dropped: Option<tempfile::TempDir>,
}

impl Sandbox {
    /// A home without a repository.
    pub(crate) fn empty() -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().canonicalize().unwrap();
        let home = folder.join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join(".gitconfig"), SETTINGS).unwrap();
        Self { folder, _gone_when_dropped: Some(temporary) }
    }

    /// The sandbox of another process.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder, _gone_when_dropped: None }
    }

    /// A home with the repository `repo`, whose main branch has a few files.
    pub(crate) fn new() -> Self {
        let sandbox = Self::empty();
        let repo = sandbox.repo();
        std::fs::create_dir(&repo).unwrap();
        sandbox.run(&repo, &["init", "-q"]);
        put(&repo, "a.txt", b"one\ntwo\nthree\n");
        put(&repo, "src/b.txt", b"b\n");
        put(&repo, ".gitignore", b"*.log\ntarget/\n.env\nnode_modules\n");
        sandbox.commit(&repo, "first");
        sandbox
    }

    /// As [`Sandbox::new`], with a `fleet.toml` whose `[workspace]` is `recipe`.
    pub(crate) fn with_recipe(recipe: &str) -> Self {
        let sandbox = Self::new();
        put(&sandbox.repo(), "fleet.toml", format!("[workspace]\n{recipe}\n").as_bytes());
        sandbox.commit(&sandbox.repo(), "recipe");
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    /// The folder of the repository's worktrees; there must be one.
    pub(crate) fn trees(&self) -> PathBuf {
        std::fs::read_dir(self.path("trees")).unwrap().next().unwrap().unwrap().path()
    }

    pub(crate) fn options(&self) -> Options {
        Options { grace: std::time::Duration::ZERO, ..Options::new(self.path("trees"), self.variables()) }
    }

    fn variables(&self) -> [(OsString, OsString); 3] {
        let path = std::env::var_os("PATH").unwrap();
        [("HOME".into(), self.path("home").into()), ("PATH".into(), path), ("SECRET".into(), "s3cret".into())]
    }

    pub(crate) fn workspaces(&self) -> Workspaces {
        self.workspaces_with(self.options())
    }

    pub(crate) fn workspaces_with(&self, options: Options) -> Workspaces {
        let environment = Environment::from_variables(self.variables()).with("GIT_CONFIG_NOSYSTEM", "1");
        let clock = Clock::system();
        Workspaces::new(options, Git::new(environment, clock.clone()), clock.clone(), Tree::new(clock))
    }

    /// A worktree of the repository from HEAD.
    pub(crate) fn place(&self) -> Place {
        Place::Worktree { folder: text(&self.repo()), base: None }
    }

    pub(crate) async fn prepare(&self, session: &str) -> Workspace {
        self.try_prepare(session).await.unwrap()
    }

    pub(crate) async fn try_prepare(&self, session: &str) -> Result<Workspace, Error> {
        self.workspaces().prepare(&Naming::of(session), &self.place()).await
    }

    /// Runs the plain git and returns what it printed.
    pub(crate) fn run(&self, directory: &Path, args: &[&str]) -> Vec<u8> {
        let output = self.try_run(directory, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    pub(crate) fn try_run(&self, directory: &Path, args: &[&str]) -> std::process::Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(directory).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        command.output().unwrap()
    }

    pub(crate) fn text(&self, directory: &Path, args: &[&str]) -> String {
        String::from_utf8_lossy(&self.run(directory, args)).trim().to_owned()
    }

    pub(crate) fn commit(&self, directory: &Path, message: &str) {
        self.run(directory, &["add", "-A"]);
        self.run(directory, &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// All branches but the user's own.
    pub(crate) fn branches(&self) -> Vec<String> {
        let listed = self.text(&self.repo(), &["branch", "--format=%(refname:short)"]);
        listed.lines().filter(|name| *name != "main").map(str::to_owned).collect()
    }

    /// The worktrees that git knows, the user's own left out.
    pub(crate) fn registered(&self) -> Vec<String> {
        let listed = self.text(&self.repo(), &["worktree", "list", "--porcelain"]);
        listed.lines().filter_map(|line| line.strip_prefix("worktree ")).skip(1).map(str::to_owned).collect()
    }
}

/// Writes a file and the directories above it.
pub(crate) fn put(root: &Path, path: impl AsRef<Path>, bytes: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// Reads a file as text.
pub(crate) fn read(root: impl AsRef<Path>, path: &str) -> String {
    std::fs::read_to_string(root.as_ref().join(path)).unwrap()
}

pub(crate) fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

/// A session's folder.
pub(crate) fn folder(workspace: &Workspace) -> PathBuf {
    PathBuf::from(&workspace.path)
}

/// Nothing is in use.
pub(crate) fn nobody(_: &Path) -> Option<String> {
    None
}
