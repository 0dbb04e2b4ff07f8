//! A home and a repository for one test, the plain git to set them up with, and a lander.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use fleet_landing::{Candidate, Ground, Landed, Lander, Options, Outcome};
use git::{Environment, Git};
use runtime::{Clock, Tree};
use sandbox::{CommandSandboxes, Support};

const SETTINGS: &str = "[user]\nname = Tester\nemail = tester@example.com\n[init]\ndefaultBranch = main\n\
    [protocol \"file\"]\nallow = always\n[gc]\nauto = 0\n[advice]\ndetachedHead = false\n";

/// Everything a test has; gone when dropped.
pub(crate) struct Sandbox {
    folder: PathBuf,
    _kept: Option<tempfile::TempDir>,
}

impl Sandbox {
    /// A home with the repository `repo`, whose branch `main` has a few files.
    pub(crate) fn new() -> Self {
        let kept = tempfile::tempdir().unwrap();
        let sandbox = Self { folder: kept.path().canonicalize().unwrap(), _kept: Some(kept) };
        std::fs::create_dir(sandbox.path("home")).unwrap();
        std::fs::write(sandbox.path("home/.gitconfig"), SETTINGS).unwrap();
        std::fs::create_dir(sandbox.repo()).unwrap();
        sandbox.run(&sandbox.repo(), &["init", "-q"]);
        put(&sandbox.repo(), "a.txt", "one\ntwo\nthree\n");
        put(&sandbox.repo(), ".gitignore", "*.log\ntarget/\n.env\n");
        sandbox.commit(&sandbox.repo(), "first");
        sandbox.run(&sandbox.repo(), &["worktree", "add", "-q", "--detach", sandbox.path("work").to_str().unwrap()]);
        sandbox
    }

    /// One that another process has made.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self { folder, _kept: None }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn repo(&self) -> PathBuf {
        self.path("repo")
    }

    /// The folder of the target queues of `repo` and its records.
    pub(crate) fn scratch(&self) -> PathBuf {
        let mut entries = std::fs::read_dir(self.path("scratch")).unwrap();
        entries.next().unwrap().unwrap().path()
    }

    /// Where the scratch worktree for `main` is, and who runs a check there.
    pub(crate) fn lane(&self) -> PathBuf {
        self.scratch().join("lanes/main")
    }

    pub(crate) fn git(&self) -> Git {
        self.git_at(Path::new("git"))
    }

    pub(crate) fn git_at(&self, program: &Path) -> Git {
        let variables = [("HOME", self.path("home").into_os_string()), ("PATH", std::env::var_os("PATH").unwrap())];
        let environment = Environment::from_variables(variables).with("GIT_CONFIG_NOSYSTEM", "1");
        Git::at(program, environment, Clock::system())
    }

    pub(crate) fn lander(&self) -> Lander {
        self.lander_with(self.git())
    }

    pub(crate) fn lander_with(&self, git: Git) -> Lander {
        self.lander_in(git, None)
    }

    /// A lander on a machine that can make no sandbox.
    pub(crate) fn lander_without_sandbox(&self) -> Lander {
        let support = Support::none("this kernel has no Landlock");
        self.lander_in(self.git(), Some(CommandSandboxes::supported_by("/nowhere".into(), vec![], support)))
    }

    fn lander_in(&self, git: Git, sandboxes: Option<CommandSandboxes>) -> Lander {
        let clock = Clock::system();
        let variables = ["PATH"].map(|name| (name.into(), std::env::var_os(name).unwrap()));
        let options = Options { root: self.path("scratch"), variables: variables.into(), sandboxes };
        Lander::new(git, clock.clone(), Tree::new(clock), options)
    }

    pub(crate) fn ground(&self, checks: &[&str]) -> Ground {
        let checks = checks.iter().map(|&check| check.to_owned()).collect();
        Ground {
            folder: self.repo(),
            target: None,
            checks,
            check_timeout: Duration::from_secs(60),
            sandbox: Default::default(),
        }
    }

    /// Runs the plain git and returns what it printed.
    pub(crate) fn run(&self, directory: &Path, args: &[&str]) -> String {
        let output = self.try_run(directory, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(crate) fn try_run(&self, directory: &Path, args: &[&str]) -> std::process::Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(directory).env_clear();
        command.env("PATH", std::env::var_os("PATH").unwrap()).env("HOME", self.path("home"));
        command.env("GIT_CONFIG_NOSYSTEM", "1").env("LC_ALL", "C").env("GIT_OPTIONAL_LOCKS", "0");
        command.output().unwrap()
    }

    pub(crate) fn commit(&self, directory: &Path, message: &str) {
        self.run(directory, &["add", "-A"]);
        self.run(directory, &["commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Makes a branch from `base` with these files changed, and the candidate that it is.
    pub(crate) fn branch(&self, name: &str, base: &str, files: &[(&str, &str)]) -> Candidate {
        let work = self.path("work");
        self.run(&work, &["checkout", "-q", "-B", name, base]);
        for (path, text) in files {
            put(&work, path, text);
        }
        self.commit(&work, &format!("work on {name}"));
        self.run(&work, &["checkout", "-q", "--detach"]);
        Candidate { id: format!("l-{name}"), branch: name.to_owned(), title: format!("Do {name}") }
    }

    /// The commit of `main`.
    pub(crate) fn main(&self) -> String {
        self.run(&self.repo(), &["rev-parse", "main"])
    }

    /// What a file is in `main`.
    pub(crate) fn landed(&self, path: &str) -> Option<String> {
        let output = self.try_run(&self.repo(), &["show", &format!("main:{path}")]);
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Everything of the user's that nothing but a fast-forward may change: status, stash, config, other branches.
    pub(crate) fn state(&self) -> String {
        let ask = |args: &[&str]| self.run(&self.repo(), args);
        let config = std::fs::read_to_string(self.repo().join(".git/config")).unwrap();
        [
            ask(&["status", "--porcelain=v2", "--branch", "--ignored"]),
            ask(&["stash", "list"]),
            ask(&["for-each-ref", "--exclude=refs/heads/main"]),
            ask(&["ls-files", "--stage"]),
            config,
        ]
        .join("\n--\n")
    }

    /// Asserts that the user's checkout is on `main`, as it is, with nothing changed.
    pub(crate) fn assert_clean(&self) {
        assert_eq!(self.run(&self.repo(), &["status", "--porcelain"]), "");
        assert_eq!(self.run(&self.repo(), &["symbolic-ref", "HEAD"]), "refs/heads/main");
        let left: Vec<_> = std::fs::read_dir(self.repo().join(".git")).unwrap().flatten().collect();
        assert!(!left.iter().any(|entry| entry.path().extension().is_some_and(|kind| kind == "lock")), "{left:?}");
    }
}

/// Writes a file and the directories above it.
pub(crate) fn put(root: &Path, path: impl AsRef<Path>, text: &str) {
    let path = root.join(path);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

pub(crate) fn landed(outcome: Outcome) -> Landed {
    let Outcome::Landed(landed) = outcome else { panic!("it should have landed: {outcome:?}") };
    landed
}

/// Writes a program.
pub(crate) fn script(path: &Path, text: &str) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Lands a queue and returns what each was told, by its place.
pub(crate) async fn batch(lander: &Lander, ground: &Ground, queue: &[Candidate]) -> Vec<Outcome> {
    let mut told: Vec<Option<Outcome>> = vec![None; queue.len()];
    let tell = |candidate: &Candidate, outcome: Outcome| {
        let place = queue.iter().position(|other| other.id == candidate.id).unwrap();
        assert!(told[place].replace(outcome).is_none(), "{} was told twice", candidate.id);
    };
    lander.batch(ground, queue, tell).await.unwrap();
    told.into_iter().map(Option::unwrap).collect()
}

pub(crate) fn is_running(pid: &str) -> bool {
    let stat = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat")).unwrap_or_default();
    // A dead process that was not reaped yet is a Z.
    stat.rsplit(')').next().is_some_and(|rest| !rest.is_empty() && !rest.trim_start().starts_with('Z'))
}
