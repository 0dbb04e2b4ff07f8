//! Measures how long it takes to take over a session's branch with 10,000 objects, beside a plain `git fetch` of the
//! same; and what a git directory of its own costs beside the worktree.
//!
//! Prints one JSON object of medians in milliseconds. They take turns, so that all meet the same disk.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock and runs plain git")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot run has nothing else to do")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fleet_git::{Checkout, Environment, Git, NewWorktree, Strategy, Submodules};
use runtime::Clock;

/// Files of the repository, and files that the session changes; with their trees there are 10,000 new objects.
const FILES: usize = 10_000;
const FILE_BYTES: usize = 4_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".gitconfig"), "[user]\nname=x\nemail=x@example.com\n[gc]\nauto=0\n").unwrap();
    let repo = root.join("repo");
    fill(&repo, 0);
    git(&root, &repo, &["init", "-q"]);
    git(&root, &repo, &["add", "-A"]);
    git(&root, &repo, &["commit", "-qm", "x"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("{}", runtime.block_on(measure(&root, &repo)));
}

async fn measure(root: &Path, repo: &Path) -> String {
    let variables = [("HOME", root.as_os_str().to_owned()), ("PATH", std::env::var_os("PATH").unwrap())];
    let ours = Git::new(Environment::from_variables(variables), Clock::system()).open(repo).await.unwrap();
    let mut times: [Vec<f64>; 5] = Default::default();
    for round in 0..ROUNDS {
        let (name, path) = (format!("w{round}"), root.join(format!("w{round}")));
        let new = NewWorktree {
            path: path.clone(),
            branch: name.parse().unwrap(),
            strategy: Strategy::New { base: "HEAD".to_owned() },
            checkout: Checkout::default(),
            submodules: Submodules::Leave,
        };
        let begun = Instant::now();
        let made = ours.create(&new).await.unwrap().worktree;
        times[0].push(milliseconds(begun));
        let begun = Instant::now();
        let own = made.give_private(&root.join(format!("p{round}"))).await.unwrap();
        times[1].push(milliseconds(begun));
        fill(&path, round + 1);
        git(root, &path, &["add", "-A"]);
        git(root, &path, &["commit", "-qm", "work"]);
        // A repository that has what ours has, and fetches what the session has.
        let other = root.join(format!("o{round}"));
        git(root, root, &["clone", "-q", "--bare", repo.to_str().unwrap(), other.to_str().unwrap()]);
        let begun = Instant::now();
        git(root, &other, &["fetch", "-q", own.to_str().unwrap(), &format!("refs/heads/{name}:refs/heads/{name}")]);
        times[2].push(milliseconds(begun));
        let begun = Instant::now();
        made.take_over().await.unwrap();
        times[3].push(milliseconds(begun));
        let begun = Instant::now();
        made.take_over().await.unwrap();
        times[4].push(milliseconds(begun));
    }
    let [create, private, fetch, import, again] = times.map(median);
    format!(
        "{{\"objects\":{FILES},\"create_ms\":{create:.0},\"own_git_ms\":{private:.0},\"plain_fetch_ms\":{fetch:.0},\
         \"take_over_ms\":{import:.0},\"take_over_again_ms\":{again:.1},\"ratio\":{:.2}}}",
        import / fetch
    )
}

fn fill(repo: &Path, seed: usize) {
    for number in 0..FILES {
        let folder = repo.join(format!("d{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let line = format!("{seed} {number} {}\n", (number + seed).wrapping_mul(2_654_435_761));
        std::fs::write(folder.join(format!("f{number}.txt")), line.repeat(FILE_BYTES / line.len())).unwrap();
    }
}

fn git(home: &Path, directory: &Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(directory).env("HOME", home).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
