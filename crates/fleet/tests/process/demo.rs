//! `fleet demo`: it keeps what it promises, in its own folder, and leaves nothing behind that runs.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};

use config::Environment;
use rustix::process::{Pid, Signal, kill_process};

use crate::FLEET;

/// The demo in a folder, for a person whose home is another.
fn demo(dir: &Path, home: &Path, more: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "the test stands where a shell would")]
    let mut command = Command::new(FLEET);
    let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
    command.env_clear().env("PATH", path).env("HOME", home).stdin(Stdio::null());
    command.arg("demo").arg("--dir").arg(dir).args(more);
    command
}

fn git(repository: &Path, args: &[&str]) -> String {
    #[expect(clippy::disallowed_methods, reason = "the test looks at the repository as its user would")]
    let output = Command::new("git").arg("-C").arg(repository).args(args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Every process that works in a folder or below it, or was started with its name.
fn processes(folder: &Path) -> Vec<String> {
    let entries = Path::new("/proc").read_dir().unwrap().flatten().map(|entry| entry.path());
    let seen = entries.filter_map(|process| {
        let id: u32 = process.file_name()?.to_str()?.parse().ok()?;
        #[expect(clippy::disallowed_methods, reason = "a test looks at processes")]
        let command = std::fs::read(process.join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).replace('\0', " ");
        let works_there = process.join("cwd").read_link().is_ok_and(|cwd| cwd.starts_with(folder));
        let ours = id != std::process::id() && (works_there || command.contains(&folder.display().to_string()));
        ours.then(|| format!("{id} {command}"))
    });
    seen.collect()
}

fn said(output: &Output) -> String {
    format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn the_demo_keeps_its_promises_in_its_own_folder_and_leaves_no_process() {
    let folder = tempfile::tempdir().unwrap();
    let (dir, home) = (folder.path().canonicalize().unwrap().join("demo"), folder.path().join("person"));
    std::fs::create_dir(&home).unwrap();
    let output = demo(&dir, &home, &["--fast"]).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("killed with SIGKILL") && text.contains("are the same processes as before"), "{text}");
    assert!(text.contains("rate_limit") && text.contains("Fleet resumed it"), "{text}");

    let shop = dir.join("shop");
    let branches = git(&shop, &["for-each-ref", "--format=%(refname:short)", "refs/heads/devfleet"]);
    let begin = git(&shop, &["rev-list", "--max-parents=0", "main"]);
    let commits: Vec<usize> = branches
        .lines()
        .map(|branch| git(&shop, &["rev-list", "--count", &format!("{begin}..{branch}")]).parse().unwrap())
        .collect();
    assert_eq!((commits.len(), commits.iter().sum::<usize>()), (5, 9), "{branches}\n{text}");
    assert_eq!(git(&shop, &["status", "--porcelain"]), "");
    assert_eq!(git(&shop, &["rev-list", "--count", "--no-merges", "main"]), "10", "not everything has landed");
    assert_eq!(git(&shop, &["rev-parse", "HEAD"]), git(&shop, &["rev-parse", "main"]));
    assert_eq!(processes(&dir), [""; 0]);
    assert_eq!(home.read_dir().unwrap().count(), 0, "the person's home was touched");

    let lines = text.split("in a shell:\n").nth(1).and_then(|rest| rest.split("Remove everything").next()).unwrap();
    let pasted = shell(&home, lines);
    assert!(pasted.status.success(), "{}", said(&pasted));
    assert!(git(&shop, &["log", "--format=%s", "main"]).contains("Add gift cards"), "{}", said(&pasted));
    // `fleet spawn` prints JSON where it is not a terminal.
    assert!(said(&pasted).contains(&format!(r#""workingDir": "{}""#, shop.display())), "{}", said(&pasted));
}

/// Pastes lines into a shell that ends with the first that fails.
fn shell(home: &Path, lines: &str) -> Output {
    #[expect(clippy::disallowed_methods, reason = "the test stands where a person would")]
    let mut command = Command::new("sh");
    let path = Environment::of_process().get("PATH").unwrap_or_default().to_owned();
    command.env_clear().env("PATH", path).env("HOME", home).env("GIT_PAGER", "cat").args(["-ec", lines]);
    command.stdin(Stdio::null()).output().unwrap()
}

#[test]
fn a_folder_that_somebody_uses_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("work")).unwrap();
    let output = demo(folder.path(), folder.path(), &["--fast"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("it is not empty"), "{}", said(&output));
    assert_eq!(folder.path().read_dir().unwrap().count(), 1);
}

#[test]
fn a_demo_that_is_interrupted_ends_its_agents_and_its_server() {
    let folder = tempfile::tempdir().unwrap();
    let dir = folder.path().canonicalize().unwrap().join("demo");
    let mut child: Child =
        demo(&dir, folder.path(), &[]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    lines.find(|line| line.as_ref().unwrap().contains("▶ search")).expect("it ended").unwrap();
    assert!(!processes(&dir).is_empty());
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    lines.for_each(drop);
    let output = child.wait_with_output().unwrap();
    assert!(!output.status.success() && said(&output).contains("interrupted"), "{}", said(&output));
    assert_eq!(processes(&dir), [""; 0]);
}
