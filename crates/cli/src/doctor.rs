//! `fleet doctor`: what Fleet needs, whether it is there, and what to do if not.
//!
//! It looks and changes nothing: not even the home directory is made. Programs are asked for their version and the
//! server for its health, side by side; the server says which agents are logged in, and without one they are asked here.

mod agents;
mod machine;
mod probe;
mod programs;
mod server;

use serde_json::{Value, json};

use crate::context::Context;
use crate::failure::Failure;

/// Check the installation
///
/// Exits with status 1 if something essential is missing: git, or a usable home directory.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Args {}

/// What one check found.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Finding {
    name: String,
    state: State,
    /// Whether nothing works without it.
    required: bool,
    /// What is there, or what is not.
    found: String,
    /// What to do about it.
    advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Ok,
    Warn,
    Missing,
}

pub(crate) async fn run(_: &Args, context: &mut Context<'_>) -> Result<u8, Failure> {
    let home = context.home()?;
    let (options, environment, clock) = (context.options, context.environment, context.clock);
    let looked = async {
        let (findings, server) =
            tokio::join!(programs::check(environment, clock), server::check(options, environment, clock));
        let agents = match server.state {
            State::Ok => server::agents(options, environment, clock).await,
            State::Warn | State::Missing => None,
        };
        match agents {
            Some(agents) => (findings, server, agents),
            None => (findings, server, agents::look(&home, environment, clock).await),
        }
    };
    let (mut findings, server, agents) = context.awaited("Asking programs and agents", looked).await;
    agents::add_logins(&mut findings, &agents);
    findings.extend(agents::none_installed(&agents));
    findings.extend(machine::check(&home));
    findings.extend(server::check_settings(&home, context.environment));
    findings.push(server);
    if context.options.json {
        context.terminal.print_json(&findings.iter().map(Finding::json).collect())?;
    } else {
        context.terminal.print(&findings.iter().map(Finding::line).collect::<String>())?;
    }
    Ok(u8::from(findings.iter().any(Finding::is_fatal)))
}

impl Finding {
    fn new(name: impl Into<String>, state: State, found: impl Into<String>) -> Self {
        Self { name: name.into(), state, required: false, found: found.into(), advice: None }
    }

    fn advise(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }

    fn required(self) -> Self {
        Self { required: true, ..self }
    }

    fn is_fatal(&self) -> bool {
        self.required && self.state == State::Missing
    }

    fn line(&self) -> String {
        let state = self.state.word();
        let line = format!("{state:7}  {:10}  {}\n", self.name, self.found);
        match &self.advice {
            Some(advice) => format!("{line}{:21}{advice}\n", ""),
            None => line,
        }
    }

    fn json(&self) -> Value {
        json!({
            "name": self.name, "state": self.state.word(), "required": self.required, "found": self.found,
            "advice": self.advice,
        })
    }
}

impl State {
    fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Missing => "missing",
        }
    }
}

#[cfg(test)]
#[path = "doctor_tests.rs"]
mod tests;
