//! Measures a landing with a check that does nothing: `cargo run --release -p fleet-landing --example landing_time`.
//!
//! Arguments: how many files the repository has (1000), and how many branches land (20). Everything happens in a
//! directory of its own, which is removed.
#![expect(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a measurement sets up its own repository and prints what it found"
)]

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use fleet_landing::{Candidate, Ground, Lander, Options, Outcome};
use git::{Environment, Git};
use runtime::{Clock, Tree};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main]
async fn main() -> Result<()> {
    let mut args = std::env::args().skip(1).map(|arg| arg.parse::<usize>());
    let files = args.next().transpose()?.unwrap_or(1000);
    let count = args.next().transpose()?.unwrap_or(20);
    let folder = tempfile::tempdir()?;
    let repo = folder.path().join("repo");
    let all = set_up(&repo, files, 2 * count + 1)?;
    let lander = lander(folder.path());
    let ground = Ground {
        folder: repo,
        target: Some("main".to_owned()),
        checks: vec!["true".to_owned()],
        check_timeout: Duration::from_secs(60),
        sandbox: Default::default(),
    };
    let mut times = Vec::new();
    let (one_by_one, together) = all.split_at(count + 1);
    for candidate in one_by_one {
        let begun = Instant::now();
        let outcome = lander.attempt(&ground, candidate).await?;
        times.push(begun.elapsed());
        expect_landed(&outcome)?;
    }
    let first = times.remove(0);
    times.sort();
    let (median, max) = (times.get(times.len() / 2), times.last());
    println!("{files} files: first {first:?}, then median {median:?}, max {max:?}");
    let mut outcomes = Vec::new();
    let begun = Instant::now();
    lander.batch(&ground, together, |_: &Candidate, outcome| outcomes.push(outcome)).await?;
    println!("a batch of {count}: {:?}", begun.elapsed());
    outcomes.iter().try_for_each(expect_landed)
}

fn lander(folder: &Path) -> Lander {
    let (clock, path) = (Clock::system(), std::env::var_os("PATH").unwrap_or_default());
    let environment = Environment::from_variables([("PATH", path.clone()), ("HOME", folder.into())]);
    let git = Git::new(environment, clock.clone());
    let variables = [("PATH".into(), path)].into();
    let options = Options { root: folder.join("scratch"), variables, sandboxes: None };
    Lander::new(git, clock.clone(), Tree::new(clock), options)
}

/// Makes a repository with that many files, and branches that add one each.
fn set_up(repo: &Path, files: usize, branches: usize) -> Result<Vec<Candidate>> {
    std::fs::create_dir_all(repo)?;
    run(repo, &["init", "-q", "-b", "main"])?;
    for number in 0..files {
        put(repo.join(format!("d{}/f{number}", number % 50)), &format!("file {number}\n").repeat(20))?;
    }
    commit(repo)?;
    let mut candidates = Vec::new();
    for number in 0..branches {
        let branch = format!("b{number}");
        run(repo, &["checkout", "-q", "-b", &branch, "main"])?;
        put(repo.join(&branch), "x\n")?;
        commit(repo)?;
        candidates.push(Candidate { id: branch.clone(), branch, title: format!("Add {number}") });
    }
    run(repo, &["checkout", "-q", "main"])?;
    Ok(candidates)
}

fn commit(repo: &Path) -> Result<()> {
    run(repo, &["add", "-A"])?;
    run(repo, &["-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "x"])
}

fn put(path: PathBuf, text: &str) -> Result<()> {
    std::fs::create_dir_all(path.parent().unwrap_or(&path))?;
    Ok(std::fs::write(path, text)?)
}

fn run(repo: &Path, args: &[&str]) -> Result<()> {
    let status = Command::new("git").args(args).current_dir(repo).status()?;
    if status.success() { Ok(()) } else { Err(format!("git {args:?} ended with {status}").into()) }
}

fn expect_landed(outcome: &Outcome) -> Result<()> {
    match outcome {
        Outcome::Landed(_) => Ok(()),
        other @ (Outcome::Contained { .. }
        | Outcome::Conflict { .. }
        | Outcome::Unrelated { .. }
        | Outcome::Gone { .. }
        | Outcome::Red(_)
        | Outcome::CheckoutDirty { .. }
        | Outcome::Locked { .. }
        | Outcome::Withdrawn
        | Outcome::TargetRed { .. }
        | Outcome::Moving { .. }) => Err(format!("it did not land: {other:?}").into()),
    }
}
