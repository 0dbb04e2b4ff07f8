//! Measures what a shim costs: time from the request until the agent runs, beside a plain spawn, and memory.
//!
//! `cargo run --release -p fleet-supervisor --example start_cost [-- agents [program]]`; the program must be a shim
//! after `__shim`, and is this one unless given.
#![expect(clippy::disallowed_methods, reason = "a measurement starts processes and reads what the kernel says of them")]
#![expect(clippy::print_stdout, reason = "a measurement prints")]

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use fleet_supervisor::{Launch, Running, Signal, Spool, Stdin, Stop, Supervisor, shim};
use runtime::Clock;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<ExitCode> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|word| word == shim::WORD) {
        return Ok(shim::main(&args[1..]).into());
    }
    let count = args.first().and_then(|count| count.to_str()?.parse().ok()).unwrap_or(200);
    let program = args.get(1).cloned().unwrap_or_else(|| "/proc/self/exe".into());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(measure(count, &program))?;
    Ok(ExitCode::SUCCESS)
}

async fn measure(count: usize, program: &OsString) -> Outcome<()> {
    let clock = Clock::system();
    let folder = std::env::temp_dir().join(format!("start-cost-{}", std::process::id()));
    let mut plain = Vec::new();
    for _ in 0..count {
        let began = clock.monotonic();
        let mut child = Command::new("/bin/sleep").arg("1000").stdout(Stdio::null()).spawn()?;
        plain.push(clock.monotonic() - began);
        child.kill()?;
        child.wait()?;
    }
    report("plain spawn", &mut plain);

    let supervisor = Supervisor::with_shim(clock.clone(), program);
    let (mut times, mut agents) = (Vec::new(), Vec::new());
    for number in 0..count {
        let spool = Spool::at(folder.join(number.to_string()));
        let began = clock.monotonic();
        agents.push(supervisor.start(&spool, &sleeper(&folder)).await?);
        times.push(clock.monotonic() - began);
    }
    report("start of an agent under its shim", &mut times);
    memory(&agents)?;

    let began = clock.monotonic();
    for agent in &agents {
        agent.stop(Stop::new(Signal::Terminate, Duration::from_secs(1))).await?;
    }
    println!("stop of {count}, one after the other: {:?}", clock.monotonic() - began);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn sleeper(folder: &Path) -> Launch {
    Launch {
        id: "measured".to_owned(),
        program: "/bin/sleep".into(),
        args: vec!["1000".to_owned()],
        env: Vec::new(),
        cwd: folder.to_owned(),
        stdin: Stdin::Piped,
        stop: Stop::new(Signal::Terminate, Duration::from_secs(1)),
    }
}

fn report(what: &str, times: &mut [Duration]) {
    times.sort();
    let at =
        |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1)).copied().unwrap_or_default();
    println!("{what}: p50 {:?}, p99 {:?}, most {:?}", at(50), at(99), at(100));
}

/// Prints the memory of all shims, as the kernel sums it up.
fn memory(agents: &[Running]) -> io::Result<()> {
    let mut sums = [("Rss:", 0), ("Pss:", 0), ("Private_Dirty:", 0)];
    for agent in agents {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", agent.record().shim.pid))?;
        for (name, sum) in &mut sums {
            let line = rollup.lines().find_map(|line| line.strip_prefix(*name)).unwrap_or_default();
            *sum += line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    for (name, sum) in sums {
        println!("memory of a shim, {name} {} KB", sum / agents.len().max(1) as u64);
    }
    Ok(())
}
