//! Measures what a shim costs: time from the request until the agent executes, beside a plain spawn, and memory.
//!
//! `cargo run --release -p fleet-supervisor --example start_cost [-- agents [program]]`; the program must be a shim
//! after `__shim`, and is this one unless given. The agent is this program too: it says when it began, so that all
//! ways to start it are measured to the same point.
#![expect(clippy::disallowed_methods, reason = "a measurement starts processes and reads what the kernel says of them")]
#![expect(clippy::print_stdout, reason = "a measurement prints")]

use std::ffi::OsString;
use std::io::{self, BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use fleet_supervisor::{Launch, Running, ShimPool, Signal, Spool, Stdin, Stop, Stream, Supervisor, shim};
use runtime::{Clock, Tree};
use rustix::time::{ClockId, clock_gettime};
use sandbox::{Plan, Support, System, Wish};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// After this word the program is an agent that says when it began.
const AGENT: &str = "agent";

fn main() -> Outcome<ExitCode> {
    let began = now();
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    if args.first().is_some_and(|word| word == shim::WORD) {
        return Ok(shim::main(&args[1..]).into());
    }
    if args.first().is_some_and(|word| word == AGENT) {
        println!("{}", began.as_nanos());
        loop {
            rustix::event::pause();
        }
    }
    let count = args.first().and_then(|count| count.to_str()?.parse().ok()).unwrap_or(200);
    let program = args.get(1).cloned().unwrap_or_else(|| "/proc/self/exe".into());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    runtime.block_on(measure(count, &program))?;
    Ok(ExitCode::SUCCESS)
}

/// The time since the machine started, which is the same in all processes.
fn now() -> Duration {
    clock_gettime(ClockId::Monotonic).try_into().unwrap_or_default()
}

/// Takes the ways in turn, so that whatever else the machine does hits all of them alike.
async fn measure(count: usize, program: &OsString) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("start-cost-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let clock = Clock::system();
    let from_nothing = Supervisor::with_shim(clock.clone(), program);
    let stock = ShimPool::open(&Tree::new(clock.clone()), folder.join("stock"), 8);
    let from_stock = from_nothing.clone().with_stock(stock);
    let launch = agent(&folder)?;
    let (mut plain, mut planned) = (Vec::new(), Vec::new());
    let (mut nothing, mut stocked, mut walled) = (Times::default(), Times::default(), Times::default());
    for number in 0..count {
        plain.push(plain_spawn()?);
        nothing.start(&from_nothing, Spool::at(folder.join(format!("nothing-{number}"))), &launch).await?;
        stocked.start(&from_stock, Spool::at(folder.join(format!("stock-{number}"))), &launch).await?;
        let began = now();
        let inside = Launch { sandbox: Some(sandbox(&folder)?), ..launch.clone() };
        planned.push(now() - began);
        walled.start(&from_stock, Spool::at(folder.join(format!("walled-{number}"))), &inside).await?;
    }
    let base = report("plain fork and exec", &mut plain, None);
    report("planning a sandbox", &mut planned, None);
    let ways =
        [("from nothing", &mut nothing), ("from stock", &mut stocked), ("from stock, in a sandbox", &mut walled)];
    for (how, times) in ways {
        report(&format!("{how}, until the agent executes"), &mut times.executed, Some(base));
        report(&format!("{how}, until the start returns"), &mut times.returned, Some(base));
    }
    memory("a shim", &nothing.agents)?;
    memory("a shim whose agent is in a sandbox", &walled.agents)?;
    stop(&clock, &nothing.agents).await?;
    stop(&clock, &stocked.agents).await?;
    stop(&clock, &walled.agents).await?;
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

fn plain_spawn() -> Outcome<Duration> {
    let began = now();
    let mut child = Command::new("/proc/self/exe").arg(AGENT).stdout(Stdio::piped()).spawn()?;
    let mut said = String::new();
    BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut said)?;
    child.kill()?;
    child.wait()?;
    Ok(since(began, &said)?)
}

fn since(began: Duration, said: &str) -> Result<Duration, std::num::ParseIntError> {
    Ok(Duration::from_nanos(said.trim().parse()?).saturating_sub(began))
}

/// What some starts took, and what they started.
#[derive(Default)]
struct Times {
    executed: Vec<Duration>,
    returned: Vec<Duration>,
    agents: Vec<Running>,
}

impl Times {
    async fn start(&mut self, supervisor: &Supervisor, spool: Spool, launch: &Launch) -> Outcome<()> {
        let began = now();
        let running = supervisor.start(&spool, launch).await?;
        self.returned.push(now() - began);
        let said = loop {
            let said = std::fs::read_to_string(spool.log(Stream::Output))?;
            if said.ends_with('\n') {
                break said;
            }
            // tidy: sleep because the agent is to have the processor, and says nothing but this.
            tokio::time::sleep(Duration::from_millis(1)).await;
        };
        self.executed.push(since(began, &said)?);
        self.agents.push(running);
        Ok(())
    }
}

async fn stop(clock: &Clock, agents: &[Running]) -> Outcome<()> {
    let began = clock.monotonic();
    for agent in agents {
        agent.stop(Stop::new(Signal::Terminate, Duration::from_secs(1))).await?;
    }
    println!("stop of {}, one after the other: {:?}", agents.len(), clock.monotonic() - began);
    Ok(())
}

/// As the product plans it, for a folder and the home of the user who measures.
fn sandbox(folder: &Path) -> Outcome<Plan> {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let program = std::env::current_exe()?;
    let read = program.parent().map(PathBuf::from).into_iter().collect();
    let wish = Wish { workspace: folder.to_owned(), home, read, ..Wish::default() };
    Ok(sandbox::plan(&wish, &Support::of_machine("/usr/bin"), &System::default())?)
}

fn agent(folder: &Path) -> io::Result<Launch> {
    Ok(Launch {
        id: "measured".to_owned(),
        program: std::env::current_exe()?,
        args: vec![AGENT.to_owned()],
        env: Vec::new(),
        cwd: PathBuf::from(folder),
        stdin: Stdin::Piped,
        opening: Vec::new(),
        terminal: None,
        log_max: Launch::LOG_MAX,
        egress: None,
        sandbox: None,
        stop: Stop::new(Signal::Terminate, Duration::from_secs(1)),
    })
}

/// Prints the times, and returns the one in the middle.
fn report(what: &str, times: &mut [Duration], base: Option<Duration>) -> Duration {
    times.sort();
    let at =
        |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1)).copied().unwrap_or_default();
    let ratio = base.map(|base| format!(" ({:.1} times plain)", at(50).as_secs_f64() / base.as_secs_f64()));
    println!("{what}: p50 {:?}{}, p99 {:?}, most {:?}", at(50), ratio.unwrap_or_default(), at(99), at(100));
    at(50)
}

/// Prints the memory of all shims, as the kernel sums it up.
fn memory(of: &str, agents: &[Running]) -> io::Result<()> {
    let mut sums = [("Rss:", 0), ("Pss:", 0), ("Private_Dirty:", 0), ("Anonymous:", 0)];
    for agent in agents {
        let rollup = std::fs::read_to_string(format!("/proc/{}/smaps_rollup", agent.record().shim.pid))?;
        for (name, sum) in &mut sums {
            let line = rollup.lines().find_map(|line| line.strip_prefix(*name)).unwrap_or_default();
            *sum += line.split_whitespace().next().and_then(|number| number.parse::<u64>().ok()).unwrap_or(0);
        }
    }
    for (name, sum) in sums {
        println!("memory of {of}, {name} {} KB", sum / agents.len().max(1) as u64);
    }
    Ok(())
}
