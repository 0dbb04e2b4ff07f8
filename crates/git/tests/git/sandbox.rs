//! A home and a repository for one test, and the plain git to set them up with.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use fleet_git::{Environment, Git, Ignored, NewWorktree, Remove, Repository, SnapshotName, Strategy};
use runtime::Clock;

const SETTINGS: &str = "[user]\nname = Tester\nemail = tester@example.com\n[init]\ndefaultBranch = main\n\
    [protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n[advice]\ndetachedHead = false\n";

/// Everything a test has; gone when dropped.
pub(crate) struct Sandbox {
    folder: tempfile::TempDir,
    pub(crate) git: Git,
}

impl Sandbox {
    /// A home without a repository.
    pub(crate) fn empty() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap().join("home");
        std::fs::create_dir(&home).unwrap();
        std::fs::write(home.join(".gitconfig"), SETTINGS).unwrap();
        Self { folder, git: git_at(&home) }
    }

    /// One more git, which shares nothing with the other.
    pub(crate) fn new_git(&self) -> Git {
        git_at(&self.path("home"))
    }

    /// A home with the repository `repo`, whose main branch has a few files.
    pub(crate) fn new() -> Self {
        let sandbox = Self::empty();
        let repo = sandbox.path("repo");
        std::fs::create_dir(&repo).unwrap();
        sandbox.run(&repo, &["init", "-q"]);
        put(&repo, "a.txt", b"one\ntwo\nthree\n");
        put(&repo, "src/b.txt", b"b\n");
        put(&repo, ".gitignore", b"*.log\ntarget/\nsecret.env\n");
        sandbox.commit(&repo, "first");
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    pub(crate) async fn open(&self) -> Repository {
        self.git.open(&self.repo()).await.unwrap()
    }

    /// Opens the repository with a program in the place of git, which is to end as git does.
    pub(crate) async fn open_with(&self, program: &Path) -> Repository {
        let git = Git::at(program, environment_at(&self.path("home")), Clock::system());
        git.open(&self.repo()).await.unwrap()
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

    /// Makes the worktree `name` with the branch `work/<name>`, and returns where it is.
    pub(crate) async fn worktree(&self, name: &str) -> PathBuf {
        let path = self.path("trees").join(name);
        self.open().await.create(&self.new_worktree(name)).await.unwrap();
        path
    }

    pub(crate) fn new_worktree(&self, name: &str) -> NewWorktree {
        NewWorktree {
            path: self.path("trees").join(name),
            branch: format!("work/{name}").parse().unwrap(),
            strategy: Strategy::New { base: "main".to_owned() },
            checkout: fleet_git::Checkout::default(),
            submodules: fleet_git::Submodules::default(),
        }
    }

    /// Removes everything that no reference names, as time would.
    pub(crate) fn collect_garbage(&self) {
        self.run(&self.repo(), &["reflog", "expire", "--expire=now", "--all"]);
        self.run(&self.repo(), &["gc", "-q", "--prune=now"]);
    }
}

fn git_at(home: &Path) -> Git {
    Git::new(environment_at(home), Clock::system())
}

fn environment_at(home: &Path) -> Environment {
    let path = std::env::var_os("PATH").unwrap();
    let environment = Environment::from_variables([("HOME", home.as_os_str().to_owned()), ("PATH", path)]);
    environment.with("GIT_CONFIG_NOSYSTEM", "1")
}

/// Writes a file and the directories above it.
pub(crate) fn put(root: &Path, path: impl AsRef<Path>, bytes: &[u8]) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
}

/// A path of any bytes.
pub(crate) fn odd_path(bytes: &[u8]) -> PathBuf {
    PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
}

pub(crate) fn named(name: &str) -> SnapshotName {
    name.parse().unwrap()
}

/// How tests remove: everything captured.
pub(crate) fn whole(name: &str) -> Remove {
    Remove { snapshot: named(name), ignored: Ignored::Capture, branch: fleet_git::BranchFate::Keep }
}
