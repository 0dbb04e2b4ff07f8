//! The server, and the settings it would start with.

use std::time::Duration;

use api::claude_fleet::GetHealth;
use api::fleet::ListAgents;
use config::{Environment, Home, Overrides};
use runtime::Clock;

use super::agents::Seen;
use super::{Finding, State};
use crate::failure::Failure;
use crate::options::Options;

/// A server on this machine answers within milliseconds.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Agents are asked themselves whether they are logged in, which takes some of them seconds.
const AGENTS_TIMEOUT: Duration = Duration::from_secs(20);

/// Asks the server how it is.
pub(super) async fn check(options: &Options, environment: &Environment, clock: &Clock) -> Finding {
    let found = |state, found: String| Finding::new("server", state, found);
    let client = match options.connect_anonymously(environment) {
        Ok(client) => client,
        Err(failure) => return found(State::Warn, message(&failure)),
    };
    let address = client.base_url().as_str().trim_end_matches('/').to_owned();
    match clock.timeout(TIMEOUT, client.call(GetHealth {})).await {
        Ok(Ok(reply)) if reply.output.version == env!("CARGO_PKG_VERSION") => {
            found(State::Ok, format!("{} at {address}", reply.output.version))
        }
        Ok(Ok(reply)) => {
            let advice = "Restart it: `fleet up --stop`, then `fleet up --background`.";
            found(State::Warn, format!("{} at {address}: another version", reply.output.version)).advise(advice)
        }
        Ok(Err(error)) if error.code == api::Code::STORE_UNAVAILABLE => {
            let advice = error.hints.first().cloned().unwrap_or_else(|| "See its log.".to_owned());
            found(State::Missing, format!("{address}: {}", error.message)).advise(advice)
        }
        Ok(Err(error)) => found(State::Warn, error.message).advise("Start it: `fleet up --background`."),
        Err(_) => found(State::Warn, format!("{address} does not answer")).advise("See its log, or start it again."),
    }
}

/// Asks the server which agents it found, and whether they are logged in: it runs them, with its own environment.
pub(super) async fn agents(options: &Options, environment: &Environment, clock: &Clock) -> Option<Vec<Seen>> {
    let client = options.connect(environment, clock).await.ok()?;
    let listed = clock.timeout(AGENTS_TIMEOUT, client.call(ListAgents {})).await.ok()?;
    Some(listed.ok()?.output.items.into_iter().filter(|agent| agent.found).map(Seen::from).collect())
}

/// Reads the settings as the server would.
pub(super) fn check_settings(home: &Home, environment: &Environment) -> Vec<Finding> {
    match config::load(home, environment, &Overrides::new()) {
        Ok(loaded) if loaded.warnings.is_empty() => vec![Finding::new("settings", State::Ok, "all understood")],
        Ok(loaded) => {
            let warnings = loaded.warnings.iter();
            warnings.map(|warning| Finding::new("settings", State::Warn, warning.to_string())).collect()
        }
        Err(error) => {
            let finding = Finding::new("settings", State::Missing, message(&error.into()));
            vec![finding.advise("Correct it: `fleet config set KEY=VALUE`, or edit runtime.toml.").required()]
        }
    }
}

fn message(failure: &Failure) -> String {
    match failure {
        Failure::Refused { message, .. } => message.clone(),
        Failure::ReaderGone => String::new(),
    }
}
