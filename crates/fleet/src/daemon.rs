//! `fleet up --background`, `--status` and `--stop`: the server as a process of its own.
//!
//! A server is known by what it wrote in `server.json`. That file may outlive it, and its process id may by then be
//! another program's; so nothing is signalled before it was identified as a server of ours.

mod log_tail;
mod process;

use std::process::ExitStatus;
use std::time::Duration;

use api::claude_fleet::{GetHealth, Health};
use cli::{Failure, Terminal, UpArgs, server_url};
use client::Client;
use config::{Environment, Home, Overrides, ServerFile};
use runtime::Clock;
use serde_json::json;

pub(crate) use log_tail::LogTail;
use process::{Found, Process};

/// How long a server may take until it answers.
const START_TIMEOUT: Duration = Duration::from_secs(10);
/// How often a starting server is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// How long a running server may take to say how it is.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(2);
/// What a stopping server gets beyond the grace of its own shutdown.
const STOP_MARGIN: Duration = Duration::from_secs(5);

/// Starts a server that outlives this process, waits until it answers, and says where it is.
///
/// If one runs already, that one is said and returned.
///
/// # Errors
/// When it cannot be started, ends at once, or does not answer in time; with the end of its log.
pub(crate) async fn start_in_background(
    args: &UpArgs,
    home: &Home,
    terminal: &mut Terminal,
) -> Result<ServerFile, Failure> {
    if let Some((server, _)) = running(home).await? {
        terminal.say("The server runs already.");
        show(&server, args.json, terminal)?;
        return Ok(server);
    }
    home.create()?;
    let log = LogTail::open(&home.server_log())?;
    let mut child = process::spawn(args, home, log.writer()?)?;
    let clock = Clock::system();
    let answers = clock.timeout(START_TIMEOUT, answering(&mut child, home, &clock));
    let server = match terminal.awaited(&clock, "Starting the server", answers).await {
        Ok(Ok(server)) => server,
        Ok(Err(ended)) => return Err(log.explain(&format!("the server ended while it started ({ended})"))),
        Err(_) => {
            let what = format!("process {} was started as the server and does not answer after 10 seconds", child.id());
            return Err(log.explain(&what).hint("It is still starting: `fleet up --status` shows how far it is."));
        }
    };
    show(&server, args.json, terminal)?;
    Ok(server)
}

/// Refuses to be a second server of this home, and says where the first is.
///
/// # Errors
/// When one runs, or the home directory cannot be read.
pub(crate) async fn none_runs(home: &Home) -> Result<(), Failure> {
    match running(home).await? {
        None => Ok(()),
        Some((server, _)) => {
            let message = format!("the server runs already: {} (process {})", server_url(&server), server.pid);
            Err(Failure::new(api::Kind::Conflict, message)
                .hint("`fleet up --status` shows how it is, `fleet up --stop` stops it."))
        }
    }
}

/// Returns whether a server runs; 0 if it does, 1 if not.
///
/// # Errors
/// When the home directory cannot be read.
pub(crate) async fn status(args: &UpArgs, home: &Home, terminal: &mut Terminal) -> Result<u8, Failure> {
    // A program that reads this is better served with JSON than with lines for people.
    let json = args.json || terminal.width().is_none();
    let Some((server, health)) = running(home).await? else {
        if json {
            terminal.print_json(&json!({ "running": false }))?;
        } else {
            terminal.print("The server is stopped.\n")?;
        }
        return Ok(1);
    };
    let uptime = Clock::system().now().duration_since(server.started_at);
    if json {
        terminal.print_json(&json!({
            "running": true, "pid": server.pid, "url": server_url(&server), "version": server.version,
            "uptimeSeconds": uptime.as_secs(), "health": health,
        }))?;
        return Ok(0);
    }
    show(&server, false, terminal)?;
    let Health { status, persistence, db_path, agents, workers, .. } = health;
    let place = if db_path.is_empty() { persistence } else { format!("{persistence} ({db_path})") };
    terminal.print(&format!(
        "version  {}\nup for   {}\nhealth   {status}\nstore    {place}\nagents   {workers} at work, {agents} registered\n",
        server.version,
        spoken(uptime.as_secs()),
    ))?;
    Ok(0)
}

/// Stops the server, if one runs, and says what happened.
///
/// # Errors
/// When it cannot be signalled, or is still there after its grace.
pub(crate) async fn stop(home: &Home, environment: &Environment, terminal: &mut Terminal) -> Result<u8, Failure> {
    let Some(server) = home.read_server()? else {
        terminal.say("The server is stopped already.");
        return Ok(0);
    };
    let Some(process) = process_of(&server).await else {
        home.remove_server(server.pid)?;
        terminal.say("The server is stopped already; what it left behind was removed.");
        return Ok(0);
    };
    let agents = health(&server).await.map_or(0, |health| health.workers);
    process.terminate().map_err(|error| Failure::io(&format!("cannot stop process {}", server.pid), &error))?;
    let grace = config::load(home, environment, &Overrides::new())?.settings.shutdown_grace_secs;
    let clock = Clock::system();
    let limit = Duration::from_secs(grace.into()) + STOP_MARGIN;
    let ended = clock.timeout(limit, process.ended(&clock));
    if terminal.awaited(&clock, "Stopping the server", ended).await.is_err() {
        let message = format!("process {} was told to stop {} seconds ago and still runs", server.pid, limit.as_secs());
        return Err(Failure::new(api::Kind::Unavailable, message)
            .hint(format!("See what it is doing: `tail {}`.", home.server_log().display())));
    }
    // A server that was killed leaves its description behind.
    home.remove_server(server.pid)?;
    terminal.say(&format!("The server (process {}) was stopped.", server.pid));
    if agents > 0 {
        terminal.say(&format!("Agents at work: {agents}. They continue, and spend; the next server finds them."));
        terminal.say("To stop them, start it again (`fleet up --background`) and run `fleet session cancel SESSION`.");
    }
    Ok(0)
}

/// Returns the server that runs, with its health; the description of one that is gone is removed.
async fn running(home: &Home) -> Result<Option<(ServerFile, Health)>, Failure> {
    let Some(server) = home.read_server()? else { return Ok(None) };
    match health(&server).await {
        Some(health) => Ok(Some((server, health))),
        None if process_of(&server).await.is_some() => {
            let message =
                format!("process {} is the server, but does not answer at {}", server.pid, server_url(&server));
            Err(Failure::new(api::Kind::Unavailable, message).hint("Stop it: `fleet up --stop`."))
        }
        None => {
            home.remove_server(server.pid)?;
            Ok(None)
        }
    }
}

/// Waits until the server that was started answers; the status it ended with, if it ends before.
pub(crate) async fn answering(
    child: &mut std::process::Child,
    home: &Home,
    clock: &Clock,
) -> Result<ServerFile, ExitStatus> {
    loop {
        // The file is replaced as a whole, so what cannot be read is not there yet.
        let written = home.read_server().ok().flatten().filter(|server| server.pid == child.id());
        if let Some(server) = written
            && health(&server).await.is_some()
        {
            return Ok(server);
        }
        if let Ok(Some(status)) = child.try_wait() {
            return Err(status);
        }
        clock.sleep(LOOK_EVERY).await;
    }
}

/// Returns the process of a server that is still there, and surely it.
async fn process_of(server: &ServerFile) -> Option<Process> {
    match Process::find(server) {
        Found::Server(process) => Some(process),
        Found::Unsaid(process) => health(server).await.map(|_| process),
        Found::NoServer => None,
    }
}

async fn health(server: &ServerFile) -> Option<Health> {
    let client = Client::new(&server_url(server), None).ok()?;
    let answer = Clock::system().timeout(ANSWER_TIMEOUT, client.call(GetHealth {})).await;
    answer.ok()?.ok().map(|reply| reply.output)
}

fn show(server: &ServerFile, json: bool, terminal: &mut Terminal) -> Result<(), Failure> {
    let url = server_url(server);
    if json {
        terminal.print_json(&json!({ "running": true, "pid": server.pid, "url": url, "version": server.version }))
    } else {
        terminal.print(&format!("The server runs: {url} (process {}).\n", server.pid))
    }
}

fn spoken(seconds: i64) -> String {
    match (seconds / 86400, seconds / 3600 % 24, seconds / 60 % 60, seconds % 60) {
        (0, 0, 0, seconds) => format!("{seconds} s"),
        (0, 0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (0, hours, minutes, _) => format!("{hours} h {minutes} min"),
        (days, hours, _, _) => format!("{days} d {hours} h"),
    }
}

#[cfg(test)]
#[path = "daemon_tests.rs"]
mod tests;
