//! Measures what a worktree costs through this crate beside plain git, on a repository of 10,000 files (40 MB).
//!
//! Prints one JSON object of medians in milliseconds. The two take turns, so that both meet the same disk.
#![expect(clippy::disallowed_methods, reason = "a measurement reads the clock and runs plain git")]
#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "a measurement that cannot run has nothing else to do")]

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use fleet_git::{Checkout, Environment, Git, Ignored, NewWorktree, Remove, Strategy, Submodules};
use runtime::Clock;

const FILES: usize = 10_000;
const FILE_BYTES: usize = 4_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir_in(".").unwrap();
    let root = folder.path().canonicalize().unwrap();
    std::fs::write(root.join(".gitconfig"), "[user]\nname=x\nemail=x@example.com\n[gc]\nauto=0\n").unwrap();
    let repo = root.join("repo");
    fill(&repo);
    git(&root, &repo, &["init", "-q"]);
    git(&root, &repo, &["add", "-A"]);
    git(&root, &repo, &["commit", "-qm", "x"]);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    println!("{}", runtime.block_on(measure(&root, &repo)));
}

async fn measure(root: &Path, repo: &Path) -> String {
    let variables = [("HOME", root.as_os_str().to_owned()), ("PATH", std::env::var_os("PATH").unwrap())];
    let ours = Git::new(Environment::from_variables(variables), Clock::system()).open(repo).await.unwrap();
    let mut times: [Vec<f64>; 8] = Default::default();
    for round in 0..ROUNDS {
        let name = |kind: &str| format!("{kind}{round}");
        let add = |kind: &str, options: &[&str], extra: &[&str]| {
            let (branch, path) = (name(kind), root.join(name(kind)));
            let rest = ["-b", &branch, path.to_str().unwrap(), "HEAD"];
            git(root, repo, &[options, &["worktree", "add", "-q"], extra, &rest].concat());
        };
        let drop_plain = |kind: &str| {
            git(root, repo, &["worktree", "remove", "--force", root.join(name(kind)).to_str().unwrap()]);
        };
        times[0].push(timed(|| add("plain", &[], &[])));
        times[1].push(timed(|| add("workers", &["-c", "checkout.workers=4"], &[])));
        times[2].push(timed(|| add("empty", &[], &["--no-checkout"])));
        times[6].push(timed(|| drop_plain("plain")));
        drop_plain("workers");
        drop_plain("empty");
        for (kind, checkout, slot) in [("full", Checkout::default(), 3), ("bare", Checkout::Nothing, 4)] {
            let new = NewWorktree {
                path: root.join(name(kind)),
                branch: name(kind).parse().unwrap(),
                strategy: Strategy::New { base: "HEAD".to_owned() },
                checkout,
                submodules: Submodules::Leave,
            };
            let begun = Instant::now();
            ours.create(&new).await.unwrap();
            times[slot].push(milliseconds(begun));
        }
        let worktree = ours.worktree(&root.join(name("full"))).await.unwrap();
        let begun = Instant::now();
        worktree.snapshot(&name("only").parse().unwrap(), &Ignored::default()).await.unwrap();
        times[5].push(milliseconds(begun));
        let how =
            Remove { snapshot: name("s").parse().unwrap(), ignored: Ignored::default(), branch: Default::default() };
        let begun = Instant::now();
        ours.remove(&root.join(name("full")), &how, |_| None).await.unwrap();
        times[7].push(milliseconds(begun));
    }
    let [plain, workers, empty, full, bare, snapshot, remove, ours_remove] = times.map(median);
    format!(
        "{{\"files\":{FILES},\"plain_git_ms\":{{\"add\":{plain:.0},\"add_4_workers\":{workers:.0},\
         \"add_no_checkout\":{empty:.1},\"remove_force\":{remove:.0}}},\"fleet_ms\":{{\"create\":{full:.0},\
         \"create_no_checkout\":{bare:.1},\"snapshot\":{snapshot:.0},\"snapshot_and_remove\":{ours_remove:.0}}},\
         \"ratio\":{{\"create_to_add\":{:.2},\"create_to_add_4_workers\":{:.2}}}}}",
        full / plain,
        full / workers,
    )
}

fn fill(repo: &Path) {
    for number in 0..FILES {
        let folder = repo.join(format!("d{}", number / 100));
        std::fs::create_dir_all(&folder).unwrap();
        let line = format!("{number} {}\n", number.wrapping_mul(2_654_435_761));
        std::fs::write(folder.join(format!("f{number}.txt")), line.repeat(FILE_BYTES / line.len())).unwrap();
    }
}

fn git(home: &Path, directory: &Path, args: &[&str]) {
    let output = Command::new("git").args(args).current_dir(directory).env("HOME", home).output().unwrap();
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn timed(work: impl FnOnce()) -> f64 {
    let begun = Instant::now();
    work();
    milliseconds(begun)
}

fn milliseconds(begun: Instant) -> f64 {
    begun.elapsed().as_secs_f64() * 1e3
}

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}
