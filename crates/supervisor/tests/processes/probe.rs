//! The program of the tests: the shim, the agents, and a supervisor that can be killed, by its first argument.

use std::ffi::OsString;
use std::io::{self, BufRead as _, Write as _};
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fleet_supervisor::{Launch, Signal, Spool, Stdin, Stop, Supervisor, shim};
use runtime::Clock;

type Outcome = io::Result<ExitCode>;

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let Some((word, rest)) = args.split_first() else { return ExitCode::from(2) };
    if word == shim::WORD {
        return shim::main(rest).into();
    }
    if word == sandbox::WORD {
        return sandbox::main(rest).into();
    }
    let rest: Vec<&str> = rest.iter().filter_map(|word| word.to_str()).collect();
    let outcome = match (word.to_str(), rest.as_slice()) {
        (Some("lines"), [count]) => lines(count),
        (Some("held-lines"), [count]) => held_lines(count),
        (Some("flood"), [stream]) => flood(stream),
        (Some("held-flood"), [stream]) => held_flood(stream),
        (Some("stubborn-flood"), [stream]) => ignore_terminate().and_then(|()| flood(stream)),
        (Some("exit"), [code]) => Ok(ExitCode::from(code.parse().unwrap_or(99))),
        (Some("abort"), []) => std::process::abort(),
        (Some("echo"), []) => echo(),
        (Some("environment"), []) => environment(),
        (Some("tries"), paths) => tries(paths),
        (Some("idle"), []) => idle("ready"),
        (Some("stubborn"), []) => stubborn(),
        (Some("family"), []) => family(),
        (Some("detach"), []) => detach(),
        (Some("detach-and-end"), []) => detach_and_end(),
        (Some("supervise"), [folder]) => supervise(Path::new(folder)),
        _ => Ok(ExitCode::from(98)),
    };
    outcome.unwrap_or(ExitCode::from(97))
}

fn say(line: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "{line}")?;
    stdout.flush()
}

/// Says which files it reads, then waits to be told that it may end.
fn tries(paths: &[&str]) -> Outcome {
    for path in paths {
        let read = std::fs::OpenOptions::new().read(true).open(path);
        say(&format!("{path}: {}", read.map_or_else(|error| format!("{:?}", error.kind()), |_| "read".to_owned())))?;
    }
    io::stdin().lock().read_line(&mut String::new())?;
    Ok(ExitCode::SUCCESS)
}

fn lines(count: &str) -> Outcome {
    for number in 0..count.parse().unwrap_or(0_u32) {
        say(&format!("line {number}"))?;
    }
    write!(io::stdout(), "without an end")?;
    write!(io::stderr(), "an error")?;
    Ok(ExitCode::SUCCESS)
}

/// Writes half of its lines, and the other half when it is told to.
fn held_lines(count: &str) -> Outcome {
    let count = count.parse().unwrap_or(0_u32);
    for number in 0..count / 2 {
        say(&format!("line {number}"))?;
    }
    io::stdin().lock().read_line(&mut String::new())?;
    for number in count / 2..count {
        say(&format!("line {number}"))?;
    }
    Ok(ExitCode::from(7))
}

/// Writes numbered lines until it is ended.
fn flood(stream: &str) -> Outcome {
    let mut log: Box<dyn io::Write> = if stream == "errors" { Box::new(io::stderr()) } else { Box::new(io::stdout()) };
    for number in 0_u64.. {
        log.write_all(format!("{number} {}\n", "x".repeat(1000)).as_bytes())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Says that it is there, and floods when it is told to.
fn held_flood(stream: &str) -> Outcome {
    say("ready")?;
    io::stdin().lock().read_line(&mut String::new())?;
    flood(stream)
}

fn echo() -> Outcome {
    for line in io::stdin().lock().lines() {
        say(&format!("heard {}", line?))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn environment() -> Outcome {
    for (name, value) in std::env::vars_os() {
        say(&format!("{}={}", name.display(), value.display()))?;
    }
    say(&format!("in {}", std::env::current_dir()?.display()))?;
    Ok(ExitCode::SUCCESS)
}

fn idle(word: &str) -> Outcome {
    say(&format!("{word} {}", std::process::id()))?;
    loop {
        rustix::event::pause();
    }
}

/// Lives on when asked to end.
fn stubborn() -> Outcome {
    ignore_terminate()?;
    idle("stubborn")
}

fn ignore_terminate() -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::new(AtomicBool::new(false))).map(drop)
}

/// A process in a session of its own that lives on when asked to end.
fn detach() -> Outcome {
    // A leader of a group cannot leave it; the parent of this has not made it one.
    rustix::process::setsid()?;
    stubborn()
}

/// Leaves a process behind that has no living parent of this family, when it is told to or has no input.
fn detach_and_end() -> Outcome {
    start("detach")?;
    io::stdin().lock().read_line(&mut String::new())?;
    Ok(ExitCode::SUCCESS)
}

/// An agent that ignores the polite signal, with a child in its group, one in another session, and an orphan.
fn family() -> Outcome {
    ignore_terminate()?;
    start("stubborn")?;
    start("detach")?;
    start("detach-and-end")?;
    idle("family")
}

#[expect(clippy::disallowed_methods, reason = "an agent starts what it wants")]
fn start(word: &str) -> io::Result<()> {
    Command::new(std::env::current_exe()?).arg(word).stdin(Stdio::null()).spawn().map(drop)
}

/// A supervisor: starts an agent and says so, then waits to be killed.
fn supervise(folder: &Path) -> Outcome {
    let program = std::env::current_exe()?;
    let launch = Launch {
        id: "held".to_owned(),
        program,
        args: vec!["held-lines".to_owned(), "1000".to_owned()],
        env: Vec::new(),
        cwd: folder.to_owned(),
        stdin: Stdin::Piped,
        opening: Vec::new(),
        terminal: None,
        log_max: Launch::LOG_MAX,
        egress: None,
        sandbox: None,
        stop: Stop::new(Signal::Terminate, Duration::from_secs(1)),
    };
    let spool = Spool::at(folder.join("spool"));
    let supervisor = Supervisor::new(Clock::system());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let started = runtime.block_on(supervisor.start(&spool, &launch));
    match started {
        Ok(_) => idle("started"),
        Err(error) => {
            say(&error.to_string())?;
            Ok(ExitCode::FAILURE)
        }
    }
}
