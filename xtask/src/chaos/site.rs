//! Where a run takes place: a home of its own, and a user's repository with work under way in it.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// The folders of a run.
pub(super) struct Site {
    pub(super) home: PathBuf,
    pub(super) repository: PathBuf,
    /// A copy, so that a build meanwhile does not change what is tested.
    pub(super) program: PathBuf,
    pub(super) log: PathBuf,
    /// The user's checkout as it was.
    before: Checkout,
}

/// Everything of a checkout that only its user may change.
#[derive(Debug, PartialEq, Eq)]
struct Checkout {
    status: String,
    head: String,
    staged: String,
    unstaged: String,
    config: String,
    stash: String,
}

impl Site {
    pub(super) fn make(folder: &Path, program: &Path) -> Result<Self> {
        let folder = folder.canonicalize()?;
        let (home, repository) = (folder.join("home"), folder.join("repository"));
        std::fs::create_dir_all(&home)?;
        std::fs::create_dir_all(&repository)?;
        let copy = folder.join("fleet");
        std::fs::copy(program, &copy).with_context(|| format!("cannot copy {}", program.display()))?;
        furnish(&repository)?;
        let before = Checkout::of(&repository)?;
        Ok(Self { home, repository, program: copy, log: folder.join("server.log"), before })
    }

    pub(super) fn tasks(&self) -> PathBuf {
        self.home.join("tasks")
    }

    /// Says what has changed in the user's checkout.
    pub(super) fn changes(&self) -> Result<Vec<String>> {
        let now = Checkout::of(&self.repository)?;
        let fields = |checkout: &Checkout| {
            let Checkout { status, head, staged, unstaged, config, stash } = checkout;
            [status, head, staged, unstaged, config, stash].map(String::clone)
        };
        let pairs = fields(&self.before).into_iter().zip(fields(&now));
        Ok(pairs.filter(|(a, b)| a != b).map(|(a, b)| format!("was {a:?}, is {b:?}")).collect())
    }
}

impl Checkout {
    fn of(repository: &Path) -> Result<Self> {
        let git = |args: &[&str]| git(repository, args);
        Ok(Self {
            status: git(&["status", "--porcelain=v1", "--untracked-files=all", "--ignored"])?,
            head: git(&["rev-parse", "HEAD", "--symbolic-full-name", "HEAD"])?,
            staged: git(&["diff", "--cached"])?,
            unstaged: git(&["diff"])?,
            config: git(&["config", "--local", "--list"])?,
            stash: git(&["stash", "list"])?,
        })
    }
}

/// A few committed files, and one staged, one changed, one untracked, one ignored.
fn furnish(repository: &Path) -> Result<()> {
    let write = |name: &str, text: &str| std::fs::write(repository.join(name), text);
    git(repository, &["init", "--quiet", "--initial-branch", "main"])?;
    git(repository, &["config", "user.name", "Chaos"])?;
    git(repository, &["config", "user.email", "chaos@example.com"])?;
    write(".gitignore", "ignored\n")?;
    (0..20).try_for_each(|number| write(&format!("file-{number}.txt"), &format!("{number}\n")))?;
    git(repository, &["add", "."])?;
    git(repository, &["commit", "--quiet", "--message", "begin"])?;
    write("file-1.txt", "staged\n")?;
    git(repository, &["add", "file-1.txt"])?;
    write("file-2.txt", "changed\n")?;
    write("untracked.txt", "mine\n")?;
    write("ignored", "mine\n")?;
    Ok(())
}

/// Runs git without any setting of the machine's user and returns what it printed.
pub(super) fn git(repository: &Path, args: &[&str]) -> Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(repository)
        .args(args)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        // Looking must not refresh the index.
        .env("GIT_OPTIONAL_LOCKS", "0")
        .output()?;
    ensure!(output.status.success(), "git {args:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
