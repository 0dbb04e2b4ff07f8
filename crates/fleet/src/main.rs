//! The one binary: parse, build, run.

mod daemon;
mod demo;
mod generate;
mod hands;
mod log;
mod mcp;
mod up;

use std::process::ExitCode;

use cli::{Failure, Invocation, Terminal, UpArgs, UpMode};
use config::{Environment, Home};
use tokio::runtime::{Builder, Runtime};

fn main() -> ExitCode {
    // Before anything else is made: these are parents and players of agents, hundreds at a time.
    let mut arguments = std::env::args_os().skip(1);
    match arguments.next() {
        Some(word) if word == supervisor::shim::WORD => {
            return supervisor::shim::main(&arguments.collect::<Vec<_>>()).into();
        }
        Some(word) if word == permission_hook::WORD => {
            return permission_hook::main(&arguments.collect::<Vec<_>>()).into();
        }
        Some(word) if word == bridge::WORD => return bridge::main(&arguments.collect::<Vec<_>>()).into(),
        Some(word) if word == egress_proxy::WORD => return egress_proxy::main(&arguments.collect::<Vec<_>>()).into(),
        Some(word) if word == sandbox::WORD => return sandbox::main(&arguments.collect::<Vec<_>>()).into(),
        Some(word) if word == scripted_agent::WORD => {
            return scripted_agent::main(&arguments.collect::<Vec<_>>()).into();
        }
        Some(_) | None => {}
    }
    let environment = Environment::of_process();
    let invocation = match cli::parse(std::env::args_os()) {
        Ok(invocation) => invocation,
        Err(usage) => return usage.print(&environment).into(),
    };
    match run(invocation, &environment) {
        Ok(code) => code.into(),
        Err(failure) => Terminal::of_process(&environment).fail(&failure).into(),
    }
}

fn run(invocation: Invocation, environment: &Environment) -> Result<u8, Failure> {
    match invocation {
        Invocation::Command(command) => Ok(one_thread()?.block_on(cli::run(*command, environment))),
        Invocation::Up(args) => up(&args, environment),
        Invocation::Demo(args) => {
            one_thread()?.block_on(demo::run(&args, environment, &mut Terminal::of_process(environment)))
        }
        Invocation::Mcp(options) => one_thread()?.block_on(mcp::serve_stdio(environment, &options)).map(|()| 0),
        Invocation::Generate(folder) => generate::write(&folder).map(|()| 0),
    }
}

fn up(args: &UpArgs, environment: &Environment) -> Result<u8, Failure> {
    let home = Home::resolve(environment)?;
    let mut terminal = Terminal::of_process(environment);
    match args.mode() {
        UpMode::Foreground => {
            one_thread()?.block_on(daemon::none_runs(&home))?;
            all_cores()?.block_on(up::serve(home, environment.clone(), args.overrides()?)).map(|()| 0)
        }
        UpMode::Background => {
            one_thread()?.block_on(daemon::start_in_background(args, &home, &mut terminal)).map(|_| 0)
        }
        UpMode::Status => one_thread()?.block_on(daemon::status(args, &home, &mut terminal)),
        UpMode::Stop => one_thread()?.block_on(daemon::stop(&home, environment, &mut terminal)),
    }
}

/// For a command: it makes a few calls and ends, and starting threads would take longer than that.
fn one_thread() -> Result<Runtime, Failure> {
    Builder::new_current_thread().enable_all().build().map_err(|error| Failure::io("cannot start", &error))
}

/// The stack of a thread of the server. Calls go through many futures within futures, whose frames are large without
/// optimisation: two megabytes, the default, were overrun. Only what is used of it takes memory.
const STACK_BYTES: usize = 16 << 20;

/// For the server.
fn all_cores() -> Result<Runtime, Failure> {
    let threads = Builder::new_multi_thread().thread_stack_size(STACK_BYTES).enable_all().build();
    threads.map_err(|error| Failure::io("cannot start", &error))
}
