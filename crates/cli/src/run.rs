//! Doing what was asked, and ending with the right code.

use config::Environment;
use runtime::Clock;

use crate::context::Context;
use crate::failure::Failure;
use crate::invocation::{Action, Command};
use crate::terminal::Terminal;

/// Does a command and returns what the process ends with.
pub async fn run(command: Command, environment: &Environment) -> u8 {
    let mut terminal = Terminal::of_process(environment);
    let clock = Clock::system();
    match act(command, environment, &clock, &mut terminal).await {
        Ok(exit) => exit,
        Err(failure) => terminal.fail(&failure.at(clock.now())),
    }
}

/// Does a command on this terminal.
pub(crate) async fn act(
    command: Command,
    environment: &Environment,
    clock: &Clock,
    terminal: &mut Terminal,
) -> Result<u8, Failure> {
    let mut context = Context { options: &command.options, environment, clock, terminal };
    match command.action {
        Action::Call(call) => call.run(&mut context).await,
        Action::Own(own) => own.run(&mut context).await,
    }
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
