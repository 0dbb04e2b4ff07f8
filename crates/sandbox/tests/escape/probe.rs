//! The program of the tests: what `fleet` is to an agent, and the agent, which tries one attack and says how it went.

mod attacks;
mod calls;
mod victim;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use fleet_sandbox::{Handover, Rules, WORD};
use rustix::process::Pid;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some((word, rest)) = args.split_first() else { return ExitCode::from(2) };
    let said = |outcome: io::Result<ExitCode>| {
        outcome.unwrap_or_else(|error| {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(1)
        })
    };
    match (word.to_str(), rest) {
        (Some(WORD), rest) => fleet_sandbox::main(rest).into(),
        (Some("launch"), [rules, program, args @ ..]) => said(launch(Path::new(rules), Path::new(program), args)),
        (Some("none"), []) => ExitCode::SUCCESS,
        (Some("alone"), [program, args @ ..]) => said(alone(program, args)),
        (Some("suite"), [file, words @ ..]) => said(suite(Path::new(file), words)),
        (Some(attack), rest) => {
            let rest: Vec<&str> = rest.iter().filter_map(|word| word.to_str()).collect();
            said(attacks::attack(attack, &rest).map(|()| ExitCode::SUCCESS))
        }
        (None, _) => ExitCode::from(2),
    }
}

/// Starts a program inside of rules, as a shim does, and ends as it does.
#[expect(clippy::disallowed_methods, reason = "it stands in for the supervisor, which starts agents")]
fn launch(rules: &Path, program: &Path, args: &[OsString]) -> io::Result<ExitCode> {
    let rules: Rules = serde_json::from_slice(&std::fs::read(rules)?)?;
    let args: Vec<String> = args.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let own = PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    let mut handover = Handover::new(&rules)?;
    let _cgroup = handover.take_cgroup();
    let (outer, outer_args) = handover.command(&own, program, &args);
    let mut child = Command::new(outer).args(outer_args).spawn()?;
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("no number"))?;
    if let Err(error) = handover.entered(pid) {
        let _ = child.wait();
        let _ = writeln!(io::stderr(), "not started: {error}");
        return Ok(ExitCode::from(99));
    }
    let status = child.wait()?;
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(98);
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(98)))
}

/// Tries every attack of a file, each in a process of its own, and prints what came of it: a line each, and their number.
///
/// The file is a list of names with arguments. In those, `{name}` stands for what a word `name=text` of the command says.
#[expect(clippy::disallowed_methods, reason = "an agent reads its files and starts programs")]
fn suite(file: &Path, words: &[OsString]) -> io::Result<ExitCode> {
    let rows: Vec<(String, Vec<String>)> = serde_json::from_slice(&std::fs::read(file)?)?;
    let words: Vec<(String, String)> = words
        .iter()
        .filter_map(|word| word.to_str()?.split_once('='))
        .map(|(name, text)| (format!("{{{name}}}"), text.to_owned()))
        .collect();
    let own = std::env::current_exe()?;
    let mut out = io::stdout().lock();
    for (name, args) in &rows {
        let filled = |arg: &String| words.iter().fold(arg.clone(), |arg, (word, text)| arg.replace(word, text));
        let tried = Command::new(&own).args(args.iter().map(filled)).output()?;
        let why = String::from_utf8_lossy(&tried.stderr).lines().next().unwrap_or_default().to_owned();
        let outcome = if tried.status.success() { "done".to_owned() } else { format!("refused ({why:.60})") };
        writeln!(out, "{name}: {outcome}")?;
    }
    writeln!(out, "{} attacks were tried", rows.len())?;
    Ok(ExitCode::SUCCESS)
}

/// Becomes a program in a user namespace below which the kernel makes no others.
#[expect(clippy::disallowed_methods, reason = "no process is started: this one becomes another")]
fn alone(program: &OsString, args: &[OsString]) -> io::Result<ExitCode> {
    use std::os::unix::process::CommandExt as _;
    let (user, group) = (rustix::process::getuid().as_raw(), rustix::process::getgid().as_raw());
    calls::named("user-namespace")?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))?;
    std::fs::write("/proc/sys/user/max_user_namespaces", "0")?;
    Err(Command::new(program).args(args).exec())
}
