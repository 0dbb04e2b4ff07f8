//! What the system does without Fleet: execute a program, make a worktree, read a file as it grows.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use rustix::fs::inotify;
use serde_json::json;

use super::figures::{Times, now_us, written_us};

/// Executes the agent as a shell would; returns how long that took, and when its first line was written.
pub(super) fn execute(program: &Path, folder: &Path, prompt: &str) -> Result<(u64, u64)> {
    let begun = now_us();
    let mut child = Command::new(program)
        .arg("sim-agent")
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()?;
    let executed = now_us() - begun;
    let order = json!({ "prompt": prompt, "session": "plain", "model": "sim" });
    let mut input = child.stdin.take().context("standard input is a pipe")?;
    writeln!(input, "{order}")?;
    let output = child.stdout.take().context("standard output is a pipe")?;
    let mut first = None;
    for line in BufReader::new(output).lines() {
        first = first.or_else(|| written_us(&line.unwrap_or_default()));
    }
    drop(input);
    child.wait()?;
    let first = first.context("the agent wrote no numbered line")?;
    Ok((executed, first.saturating_sub(begun)))
}

/// Makes a worktree with a branch, as a person would, and returns how long that took.
pub(super) fn worktree(repository: &Path, path: &Path, branch: &str) -> Result<u64> {
    let begun = Instant::now();
    git(repository, &["worktree", "add", "--quiet", "-b", branch, &path.to_string_lossy(), "HEAD"])?;
    Ok(u64::try_from(begun.elapsed().as_micros())?)
}

/// Makes a repository with so many files of a kilobyte.
pub(super) fn repository(path: &Path, files: usize) -> Result<()> {
    for number in 0..files {
        let folder = path.join(format!("part-{}", number / 100));
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join(format!("file-{number}.txt")), format!("{number:>1023}\n"))?;
    }
    git(path, &["init", "--quiet", "--initial-branch", "main"])?;
    git(path, &["config", "gc.auto", "0"])?;
    git(path, &["config", "user.name", "Bench"])?;
    git(path, &["config", "user.email", "bench@example.com"])?;
    git(path, &["add", "."])?;
    git(path, &["commit", "--quiet", "--message", "begin"])?;
    git(path, &["gc", "--quiet"])
}

fn git(repository: &Path, args: &[&str]) -> Result<()> {
    let mut command = Command::new("git");
    command.arg("-C").arg(repository).args(args).env("GIT_CONFIG_GLOBAL", "/dev/null");
    let output = command.output()?;
    ensure!(output.status.success(), "git {args:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// Reads a file as it grows, as `tail -f` does, and returns how late each numbered line was.
pub(super) fn tail(path: &Path, over: &AtomicBool) -> Result<Times> {
    let watch = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watch, path, inotify::WatchFlags::MODIFY)?;
    let mut reader = BufReader::new(File::open(path)?);
    let (mut times, mut line) = (Times::default(), String::new());
    // What was written before does not count.
    while reader.read_line(&mut line)? > 0 {
        line.clear();
    }
    let mut events = [std::mem::MaybeUninit::uninit(); 4096];
    while !over.load(Ordering::Relaxed) {
        inotify::Reader::new(&watch, &mut events).next()?;
        while reader.read_line(&mut line)? > 0 && line.ends_with('\n') {
            if let Some(written) = written_us(&line) {
                times.add(now_us().saturating_sub(written));
            }
            line.clear();
        }
    }
    Ok(times)
}
