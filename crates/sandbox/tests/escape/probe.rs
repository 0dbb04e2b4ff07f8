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
    let handover = Handover::new(&rules)?;
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
