//! Whether the agents that are installed are logged in, as the server that would run them sees it.

use api::fleet::{AgentRow, LoginState};

use super::{Finding, State};

/// Adds to the finding of each installed agent whether it is logged in, and what to type if not; agents that only the
/// settings name get a finding of their own. Without a server that is not known.
pub(super) fn add_logins(findings: &mut Vec<Finding>, agents: Option<&[AgentRow]>) {
    let Some(agents) = agents else {
        for finding in findings.iter_mut().filter(|finding| is_agent(finding)) {
            finding.advice = Some("Whether it is logged in: `fleet up --background`, then `fleet doctor`.".to_owned());
        }
        return;
    };
    for agent in agents.iter().filter(|agent| agent.found && agent.login != LoginState::NotNeeded) {
        let found = logged_in(agent);
        match findings.iter_mut().find(|finding| finding.name == agent.name) {
            Some(known) => *known = found,
            None => findings.push(found),
        }
    }
}

/// Returns whether a finding describes an installed agent.
fn is_agent(finding: &Finding) -> bool {
    finding.state == State::Ok && ["claude", "codex", "gemini", "agy", "opencode"].contains(&finding.name.as_str())
}

fn logged_in(agent: &AgentRow) -> Finding {
    let (name, version) = (&agent.name, &agent.version);
    let login = agent.login_command.as_deref();
    match agent.login {
        LoginState::Yes | LoginState::NotNeeded => Finding::new(name, State::Ok, format!("{version}, logged in")),
        LoginState::No => {
            let advice = match login {
                Some(login) => format!("Log in: `{login}`."),
                None => "Log in as its documentation says.".to_owned(),
            };
            Finding::new(name, State::Warn, format!("{version}, not logged in")).advise(advice)
        }
        LoginState::Unknown => {
            let finding = Finding::new(name, State::Ok, format!("{version}, login unknown before it runs"));
            let advice = login.map(|login| format!("Try it: `fleet agent test {name}`; log in: `{login}`."));
            advice.map_or(finding.clone(), |advice| finding.advise(advice))
        }
    }
}
