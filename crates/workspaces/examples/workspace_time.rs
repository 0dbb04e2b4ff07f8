//! Measures what a workspace costs beside plain git, on a repository of 10,000 files (40 MB): fresh, and from the pool.
//!
//! Prints one JSON object of medians and worst cases in milliseconds. The ways take turns, so that all meet the same disk.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock and runs plain git")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot run has nothing else to do")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fleet_workspaces::{Naming, Options, Workspaces};
use git::{Environment, Git};
use runtime::{Clock, Tree};
use types::Place;

const FILES: usize = 10_000;
const FILE_BYTES: usize = 4_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".gitconfig"), "[user]\nname=x\nemail=x@example.com\n[gc]\nauto=0\n").unwrap();
    let repo = root.join("repo");
    for number in 0..FILES {
        let folder = repo.join(format!("d{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let line = format!("{number} {}\n", number.wrapping_mul(2_654_435_761));
        std::fs::write(folder.join(format!("f{number}.txt")), line.repeat(FILE_BYTES / line.len())).unwrap();
    }
    git(&root, &repo, &["init", "-q"]);
    git(&root, &repo, &["add", "-A"]);
    git(&root, &repo, &["commit", "-qm", "x"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("{}", runtime.block_on(measure(&root, &repo)));
}

async fn measure(root: &Path, repo: &Path) -> String {
    let clock = Clock::system();
    let variables = [("HOME", root.as_os_str().to_owned()), ("PATH", std::env::var_os("PATH").unwrap())];
    let mut options = Options::new(root.join("trees"), variables.clone().map(|(name, value)| (name.into(), value)));
    let git_of = || Git::new(Environment::from_variables(variables.clone()), clock.clone());
    let fresh = Workspaces::new(options.clone(), git_of(), clock.clone(), Tree::new(clock.clone()));
    options.pool_size = 1;
    let pooled = Workspaces::new(options, git_of(), clock.clone(), Tree::new(clock.clone()));
    let place = Place::Worktree { folder: repo.to_str().unwrap().to_owned(), base: None };
    let mut times: [Vec<f64>; 5] = Default::default();
    for round in 0..ROUNDS {
        let plain = root.join(format!("plain{round}"));
        let begun = Instant::now();
        git(root, repo, &["worktree", "add", "-q", "-b", &format!("plain{round}"), plain.to_str().unwrap(), "HEAD"]);
        times[0].push(milliseconds(begun));
        let begun = Instant::now();
        let one = fresh.prepare(&Naming::of(format!("{round}-fresh")), &place).await.unwrap();
        times[1].push(milliseconds(begun));
        let begun = Instant::now();
        fresh.prepare(&Naming::of(format!("{round}-fresh")), &place).await.unwrap();
        times[2].push(milliseconds(begun));
        pooled.refill(repo, None).await.unwrap();
        let begun = Instant::now();
        let two = pooled.prepare(&Naming::of(format!("{round}-pooled")), &place).await.unwrap();
        times[3].push(milliseconds(begun));
        assert!(two.path.contains("/pool."), "the pool was empty");
        let begun = Instant::now();
        git(root, repo, &["rev-parse", "HEAD"]);
        times[4].push(milliseconds(begun));
        for (session, made) in [(format!("{round}-fresh"), one), (format!("{round}-pooled"), two)] {
            fresh.remove(&session, &made, |_| None).await.unwrap();
        }
        git(root, repo, &["worktree", "remove", "--force", plain.to_str().unwrap()]);
    }
    let [plain, fresh, again, pool, process] = times.map(told);
    format!(
        "{{\"files\":{FILES},\"rounds\":{ROUNDS},\"git_worktree_add_ms\":{plain},\"fresh_ms\":{fresh},\
         \"same_again_ms\":{again},\"from_pool_ms\":{pool},\"one_git_process_ms\":{process}}}"
    )
}

fn git(home: &Path, directory: &Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(directory).env("HOME", home).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn told(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{{\"median\":{:.1},\"worst\":{:.1}}}", times[times.len() / 2], times[times.len() - 1])
}
